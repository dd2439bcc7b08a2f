//! `agent list`: waiting agents first, in 80 columns, readable without colour; all fields as JSON.

use insta::assert_snapshot;
use serde_json::json;

use super::{agent, spawned, wait_for, workspace};
use crate::support::TestEnv;

/// Returns the names in the order of the list.
fn names(env: &TestEnv, args: &[&str]) -> Vec<String> {
    let listed = agent(env, &[&["list", "--json"], args].concat()).ok().json();
    listed
        .as_array()
        .expect("a list")
        .iter()
        .map(|one| one["name"].as_str().expect("a name").to_owned())
        .collect()
}

#[test]
fn an_empty_list_prints_how_to_start() {
    let env = TestEnv::new();
    let outcome = agent(&env, &["list"]).ok();
    assert_eq!(outcome.stdout, "");
    assert_eq!(outcome.stderr, "no agents yet; `symposium agent spawn` starts one\n");
    assert_eq!(agent(&env, &["list", "--json"]).ok().stdout, "[]\n");
}

#[test]
fn waiting_agents_are_listed_first() {
    let env = TestEnv::new();
    let dir = env.home().join("shop");
    std::fs::create_dir(&dir).unwrap();
    let spawn = |args: &[&str]| agent(&env, &[&["spawn"], args].concat()).current_dir(&dir).outcome();
    spawn(&["--name", "a-command", "--title", "watches the build", "--", "sleep", "1000"]);
    spawn(&["demo", "--name", "b-idle"]);
    spawn(&["--name", "c-crashed", "--", "sh", "-c", "exit 3"]);
    spawn(&["demo", "--name", "d-asks", "--task", "/ask rm -rf build"]);
    spawn(&["--name", "e-stopped", "--", "sleep", "1000"]);
    agent(&env, &["kill", "e-stopped"]).ok();
    for (name, status) in [("d-asks", "waiting"), ("c-crashed", "crashed"), ("b-idle", "idle")] {
        wait_for(&env, name, status);
    }
    assert_eq!(names(&env, &[]), ["d-asks", "c-crashed", "b-idle", "a-command", "e-stopped"]);
    let outcome = agent(&env, &["list"]).ok();
    let age = regex_lite::Regex::new(r"(now|\d+s) +").unwrap();
    assert_snapshot!(age.replace_all(&outcome.stdout, "[AGE]  "), @"
    NAME       STATUS             SINCE  WHERE   WHAT
    d-asks     waiting(approval)  [AGE]  ~/shop  Bash: rm -rf build
    c-crashed  crashed(3)         [AGE]  ~/shop  it ended with code 3
    b-idle     idle               [AGE]  ~/shop  it is ready for a prompt
    a-command  working            [AGE]  ~/shop  watches the build
    ");
    assert_eq!(outcome.stderr, "1 more ended; see them with --all\n");
    let all = agent(&env, &["list", "--all"]).ok();
    assert!(all.stdout.contains("\ne-stopped  stopped") && all.stderr.is_empty(), "{all:?}");
}

#[test]
fn every_line_fits_80_columns_and_holds_no_escapes() {
    let env = TestEnv::new();
    let deep = env.root().join("a long directory name".repeat(5)).join("日本語".repeat(12));
    std::fs::create_dir_all(&deep).unwrap();
    let name = "n".repeat(63);
    let title = "a title \u{1b}[31m日本語 that goes on and on and on and on and on\n".repeat(3);
    spawned(
        &env,
        &["--name", &name, "--title", &title, "--dir", deep.to_str().unwrap(), "--", "sleep", "1000"],
    );
    spawned(
        &env,
        &[
            "--name",
            "b",
            "--",
            "sh",
            "-c",
            "sleep 1000 # a command\u{7} that is long, and longer, and longer than that",
        ],
    );
    let outcome = agent(&env, &["list"]).env("COLUMNS", "80").ok();
    assert_eq!(outcome.stdout.lines().count(), 3);
    for line in outcome.stdout.lines() {
        assert!(unicode_width::UnicodeWidthStr::width(line) <= 80, "{line}");
        assert!(!line.contains(char::is_control), "{line:?}");
    }
    assert!(agent(&env, &["--color", "always", "list"]).ok().stdout.contains("\u{1b}["));
}

#[test]
fn the_list_uses_the_width_and_colours_of_a_terminal() {
    let env = TestEnv::new();
    spawned(&env, &["--name", "a", "--title", &"word ".repeat(30), "--", "sleep", "1000"]);
    // The shell keeps running, because tmux may lose the last output of a program that exits at once.
    let terminal = env.terminal(["sh", "-c", "\"$0\" agent list; exec sleep 1000", env.binary()]);
    terminal.wait_for_text("working");
    let longest = terminal.screen().lines().map(|line| line.chars().count()).max();
    assert!(longest > Some(80) && longest <= Some(100), "{}", terminal.screen());
}

#[test]
fn a_list_can_be_filtered() {
    let env = TestEnv::new();
    let (one, two) = (env.root().join("shop-api"), env.root().join("shop-web"));
    for (name, dir) in [("a", &one), ("b", &two)] {
        std::fs::create_dir(dir).unwrap();
        spawned(&env, &["--name", name, "--dir", dir.to_str().unwrap(), "--", "sleep", "1000"]);
    }
    agent(&env, &["kill", "b"]).ok();
    assert_eq!(names(&env, &["--project", "api"]), ["a"]);
    assert_eq!(names(&env, &["--project", "shop"]), ["a", "b"]);
    assert_eq!(names(&env, &["--project", two.to_str().unwrap()]), ["b"]);
    assert_eq!(names(&env, &["--status", "stopped"]), ["b"]);
    assert_eq!(names(&env, &["--status", "stopped", "--status", "working"]), ["a", "b"]);
    assert_eq!(names(&env, &["--status", "idle,working"]), ["a"]);
    let outcome = agent(&env, &["list", "--status", "idle"]).ok();
    assert_eq!(outcome.stderr, "none of these; 2 in all, see `symposium agent list --all`\n");
    let outcome = agent(&env, &["list", "--status", "running"]).fails(2);
    assert!(outcome.stderr.contains("`running` is not a status; known: starting, working"), "{outcome:?}");
}

#[test]
fn a_project_is_the_enclosing_repository() {
    let env = TestEnv::new();
    let inside = env.project().join("src/deep");
    std::fs::create_dir_all(&inside).unwrap();
    env.program("git", ["init", "-q", "-b", "trunk"]).ok();
    spawned(&env, &["--name", "a", "--dir", inside.to_str().unwrap(), "--", "sleep", "1000"]);
    let listed = agent(&env, &["list", "--json"]).ok().json();
    assert_eq!(listed[0]["project"], env.project().to_str().unwrap());
    assert_eq!(listed[0]["branch"], "trunk");
}

#[test]
fn list_json_has_the_fields_of_the_contract() {
    let env = TestEnv::new();
    spawned(&env, &["demo", "--name", "a", "--title", "t"]);
    wait_for(&env, "a", "idle");
    let listed = agent(&env, &["list", "--json"]).ok().json();
    let mut fields: Vec<&String> = listed[0].as_object().expect("an object").keys().collect();
    fields.sort();
    let mut promised = "name id title spec kind status status_since reason exit working_directory project branch \
        workspace command pid tmux created_at last_activity last_attached clients conversation parent ephemeral \
        restart task tasks host waiting_for directory_gone params question prompt failure shares"
        .split_whitespace()
        .collect::<Vec<_>>();
    promised.sort_unstable();
    assert_eq!(fields, promised);
    let one = &listed[0];
    let inner = |field: &str| one[field].as_object().unwrap().keys().cloned().collect::<Vec<_>>().join(" ");
    assert_eq!(
        (inner("tmux").as_str(), inner("restart").as_str()),
        ("pane session socket", "count next_at policy")
    );
    assert_eq!(inner("tasks"), "done failed queued running");
    assert_eq!(one["tasks"], json!({"queued": 0, "running": 0, "done": 0, "failed": 0}));
    assert!(inner("conversation").contains("id") && inner("conversation").contains("name"));
    assert!(one["created_at"].as_str().unwrap().ends_with('Z'));
    assert_eq!(one["tmux"]["socket"], env.socket().to_str().unwrap());
}

#[test]
fn directory_names_with_control_characters_are_sanitized() {
    let env = TestEnv::new();
    for (at, name) in ["a\u{1b}]0;PWN\u{7}\nb\u{1b}[31mc", "❤\u{fe0f}".repeat(30).as_str()].iter().enumerate()
    {
        let dir = env.project().join(name);
        std::fs::create_dir(&dir).unwrap();
        spawned(&env, &["--name", &format!("a{at}"), "--dir", dir.to_str().unwrap(), "--", "sleep", "1000"]);
    }
    let listed = agent(&env, &["list", "--color", "always"]).ok().stdout;
    assert_eq!(listed.lines().count(), 3, "{listed:?}");
    assert!(!listed.contains("\u{1b}]") && !listed.contains("\u{1b}[31m"), "{listed:?}");
}

#[test]
fn a_long_command_is_cut_at_its_end() {
    let env = TestEnv::new();
    spawned(&env, &["--name", "a", "--", "sh", "-c", &format!("exec sleep 1000 # {}", "x".repeat(90))]);
    let listed = agent(&env, &["list"]).env("COLUMNS", "80").ok().stdout;
    assert!(listed.contains("/sh -c exec") && listed.trim_end().ends_with('…'), "{listed}");
    let whole = agent(&env, &["list"]).ok().stdout;
    assert!(whole.contains(&"x".repeat(90)), "nothing is cut where no terminal shows it: {whole}");
}

#[test]
fn a_narrow_terminal_never_overflows() {
    let env = TestEnv::new();
    spawned(&env, &["--name", "an-agent-with-a-long-name", "--title", "a long title", "--", "sleep", "1000"]);
    for columns in [20, 40, 60] {
        let listing = [env.binary(), "agent", "list"];
        let terminal = env.terminal_sized((columns, 20), listing);
        terminal.wait_for_exit();
        // A line that is too long would continue on the next line.
        assert_eq!(terminal.screen().lines().count(), 2, "{columns}:\n{}", terminal.screen());
        assert!(terminal.screen().contains("workin"), "{columns}:\n{}", terminal.screen());
    }
}

#[test]
fn a_project_can_be_named_by_a_path() {
    let env = TestEnv::new();
    std::fs::create_dir(env.project().join("below")).unwrap();
    spawned(&env, &["--name", "a", "--", "sleep", "1000"]);
    spawned(&env, &["--name", "b", "--dir", "below", "--", "sleep", "1000"]);
    for (project, expected) in [(".", "a"), ("./below", "b"), ("below", "b"), ("below/..", "a")] {
        let listed = agent(&env, &["list", "--project", project, "--json"]).ok().json();
        let names: Vec<_> = listed.as_array().unwrap().iter().map(|one| one["name"].clone()).collect();
        assert_eq!(names, [expected], "{project}");
    }
}

#[test]
fn a_worktree_agent_is_listed_with_its_project() {
    let env = workspace::repository();
    spawned(&env, &["demo", "--name", "guide", "--workspace", "worktree"]);
    spawned(&env, &["demo", "--name", "empty", "--workspace", "scratch"]);
    wait_for(&env, "guide", "idle");
    wait_for(&env, "empty", "idle");
    let listed = agent(&env, &["list"]).ok().stdout;
    let line = |name: &str| listed.lines().find(|line| line.starts_with(name)).unwrap_or_default().to_owned();
    let project = env.project().file_name().unwrap().to_string_lossy().into_owned();
    assert!(line("guide").contains(&format!("  {project} (symposium/guide)  ")), "{listed}");
    assert!(line("empty").contains("  scratch  "), "{listed}");
    assert!(!line("guide").contains("/workspace"), "{listed}");
}

#[test]
fn an_agent_without_a_title_is_listed_with_its_last_prompt() {
    let env = TestEnv::new();
    spawned(&env, &["demo", "--name", "a"]);
    wait_for(&env, "a", "idle");
    let shown = || agent(&env, &["show", "a", "--json"]).ok().json();
    assert_eq!(shown()["prompt"], json!(null));
    agent(&env, &["send", "a", "/work 10m"]).ok();
    wait_for(&env, "a", "working");
    assert_eq!(shown()["prompt"], "/work 10m");
    let listed = agent(&env, &["list"]).ok().stdout;
    assert!(listed.trim_end().ends_with("/work 10m"), "{listed}");
    assert_eq!(env.registry()["sessions"]["a"]["prompt"], "/work 10m");
}

#[test]
fn agents_are_listed_while_the_registry_is_locked() {
    let env = TestEnv::new();
    spawned(&env, &["--name", "a", "--", "sleep", "1000"]);
    let server = env.tmux(["display-message", "-p", "#{pid}"]).ok().stdout.trim().to_owned();
    let lock = std::fs::File::open(env.state().join("agent-sessions.json.lock")).unwrap();
    rustix::fs::flock(&lock, rustix::fs::FlockOperation::LockExclusive).unwrap();
    let pid = env.registry()["sessions"]["a"]["pid"].to_string();
    env.program("kill", ["-9", &server]).ok();
    env.wait_until("the agent's process has ended", || !std::path::Path::new("/proc").join(&pid).exists());
    let outcome = agent(&env, &["list"]).ok();
    assert!(outcome.stdout.contains("lost"), "{outcome:?}");
    assert!(outcome.stderr.contains("the observed status could not be stored within "), "{outcome:?}");
    drop(lock);
    agent(&env, &["list"]).ok();
    assert_eq!(env.registry()["sessions"]["a"]["status"]["status"], "lost");
}
