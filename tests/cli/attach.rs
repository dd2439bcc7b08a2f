//! `agent attach`: connecting a terminal to an agent, from different places, and detaching it again.

use insta::assert_snapshot;
use serde_json::json;

use super::{agent, printed, prompts, shown, spawned, status, wait_for};
use crate::support::TestEnv;

/// Starts a program that prints each line that is typed into it.
fn echoing(env: &TestEnv, name: &str) {
    let script = format!("echo this is {name}; while read -r line; do echo \"got <$line>\"; done");
    spawned(env, &["--name", name, "--", "sh", "-c", &script]);
}

#[test]
fn attach_shows_the_screen_and_takes_keys_and_detach_keeps_the_agent() {
    let env = TestEnv::new();
    echoing(&env, "a");
    assert_eq!(shown(&env, "a")["last_attached"], json!(null));
    let terminal = env.terminal([env.binary(), "agent", "attach", "a"]);
    terminal.wait_for_text("this is a");
    terminal.type_text("hello");
    terminal.keys(&["Enter"]);
    terminal.wait_for_text("got <hello>");
    let agent = shown(&env, "a");
    assert_eq!(agent["clients"].as_array().map(Vec::len), Some(1), "{agent}");
    assert_eq!(agent["clients"][0]["observer"], false);
    assert!(agent["last_attached"].is_string(), "{agent}");
    terminal.keys(&["C-b", "d"]);
    assert_eq!(terminal.wait_for_exit(), 0);
    env.wait_until("no client is attached", || shown(&env, "a")["clients"] == json!([]));
    assert_eq!(status(&env, "a"), "working");
}

#[test]
fn the_detach_keys_are_printed_and_shown_in_the_status_line() {
    for prefix in ["C-b", "C-a"] {
        let env = TestEnv::new();
        std::fs::create_dir_all(env.state()).expect("a state directory");
        std::fs::write(env.state().join("tmux.conf"), format!("set -g prefix {prefix}\n"))
            .expect("a tmux.conf");
        way_out(&env, prefix);
    }
}

fn way_out(env: &TestEnv, prefix: &str) {
    echoing(env, "a");
    // Written to a file: tmux 3.3a, in which the terminal of this test runs, does not always restore the previous
    // screen content.
    let log_file = env.home().join("said");
    let line = format!("exec {} agent attach a 2>{}", env.binary(), log_file.display());
    let terminal = env.terminal(["sh", "-c", &line]);
    terminal.wait_for_text("this is a");
    let status_line = terminal.screen().lines().last().unwrap_or_default().to_owned();
    assert!(status_line.contains(" a ") && status_line.contains(&format!("{prefix} d")), "{status_line}");
    terminal.keys(&[prefix, "d"]);
    terminal.wait_for_exit();
    let log_file = std::fs::read_to_string(log_file).expect("the transcript");
    assert!(
        log_file.contains(&format!("attaching to `a`; leave with {prefix} d, the agent keeps running")),
        "{log_file}"
    );
}

#[test]
fn the_first_process_of_a_terminal_becomes_the_tmux_client() {
    let env = TestEnv::new();
    echoing(&env, "a");
    // Programs that open terminals, tmux among them, match the process that they started with the pid of the client.
    let socket = env.root().join("sockets/opener");
    let open = ["-S", socket.to_str().expect("a plain path"), "-f", "/dev/null", "new-session", "-d", "-P"];
    let words =
        ["-F", "#{pane_pid}", "env", "-u", "TMUX", "-u", "TMUX_PANE", env.binary(), "agent", "attach", "a"];
    let started: i64 =
        env.program("tmux", open.iter().chain(&words)).ok().stdout.trim().parse().expect("a pid");
    env.wait_until("the first process is the client", || shown(&env, "a")["clients"][0]["pid"] == started);
    let attach = format!("{} agent attach", env.binary());
    let ours: Vec<_> = env.processes().into_iter().filter(|one| one.command.starts_with(&attach)).collect();
    assert_eq!(ours, []);
}

#[test]
fn a_closed_terminal_leaves_the_agent_running_with_its_screen() {
    let env = TestEnv::new();
    spawned(&env, &["demo", "--name", "a", "--task", "remember the milk"]);
    wait_for(&env, "a", "idle");
    let terminal = env.terminal([env.binary(), "agent", "attach", "a"]);
    terminal.wait_for_text("remember the milk");
    terminal.close();
    env.wait_until("no client is attached", || shown(&env, "a")["clients"] == json!([]));
    let again = env.terminal([env.binary(), "agent", "attach", "a"]);
    again.wait_for_text("remember the milk");
    again.type_text("recall");
    again.keys(&["Enter"]);
    env.wait_until("the agent accepted the prompt", || prompts(&env, "a") == ["remember the milk", "recall"]);
}

#[test]
fn an_observer_sees_the_screen_and_cannot_type() {
    let env = TestEnv::new();
    echoing(&env, "a");
    let observer = env.terminal([env.binary(), "agent", "attach", "--observe", "a"]);
    observer.wait_for_text("this is a");
    assert_eq!(shown(&env, "a")["clients"][0]["observer"], true);
    observer.type_text("from the observer");
    observer.keys(&["Enter"]);
    let driver = env.terminal([env.binary(), "agent", "attach", "a"]);
    driver.wait_for_text("this is a");
    driver.type_text("from the driver");
    driver.keys(&["Enter"]);
    observer.wait_for_text("got <from the driver>");
    assert!(!observer.screen().contains("from the observer"), "{}", observer.screen());
    observer.keys(&["C-b", "d"]);
    assert_eq!(observer.wait_for_exit(), 0);
}

#[test]
fn attach_works_inside_the_users_own_tmux() {
    let env = TestEnv::new();
    echoing(&env, "a");
    // Written to a file: tmux discards output that a terminal has not shown yet when it takes the terminal over.
    let log_file = env.home().join("said");
    let line = format!("{} agent attach a 2>{}; echo \"left with $?\"", env.binary(), log_file.display());
    let terminal = env.terminal_in_tmux(["sh", "-c", &format!("{line}; exec cat")]);
    terminal.wait_for_text("this is a");
    assert!(!env.tmux(["show-environment", "-g"]).ok().stdout.contains("terminal-0"));
    terminal.wait_for_text("detach: C-b C-b d");
    let outside = env.terminal([env.binary(), "agent", "attach", "a", "--observe"]);
    outside.wait_for_text("detach: C-b d");
    outside.close();
    terminal.keys(&["C-b", "d"]);
    terminal.wait_for_text("left with 0");
    let log_text = std::fs::read_to_string(log_file).unwrap();
    assert!(
        log_text.contains("leave with C-b C-b d (C-b d if your own tmux has another prefix)"),
        "{log_text}"
    );
}

#[test]
fn an_own_tmux_with_another_prefix_does_not_change_the_detach_keys() {
    let env = TestEnv::new();
    echoing(&env, "a");
    let line =
        format!("tmux set-option -g prefix C-a; {} agent attach a; echo \"left with $?\"", env.binary());
    let terminal = env.terminal_in_tmux(["sh", "-c", &format!("{line}; exec cat")]);
    terminal.wait_for_text("detach: C-b d");
    terminal.keys(&["C-b", "d"]);
    terminal.wait_for_text("left with 0");
    // The second prefix key of a tmux is taken too.
    let line = format!("tmux set-option -g prefix2 C-b; exec {} agent attach a", env.binary());
    env.terminal_in_tmux(["sh", "-c", &line]).wait_for_text("detach: C-b C-b d");
}

#[test]
fn attach_inside_our_server_switches_the_client() {
    let env = TestEnv::new();
    echoing(&env, "b");
    spawned(&env, &["--name", "a", "--env", "PS1=ready> ", "--", "bash", "--norc", "--noprofile"]);
    let terminal = env.terminal([env.binary(), "agent", "attach", "a"]);
    terminal.wait_for_text("ready>");
    terminal.type_text(&format!("{} agent attach b", env.binary()));
    terminal.keys(&["Enter"]);
    terminal.wait_for_text("this is b");
    env.wait_until("the terminal shows `b`", || {
        shown(&env, "a")["clients"] == json!([]) && shown(&env, "b")["clients"] != json!([])
    });
    assert!(shown(&env, "b")["last_attached"].is_string());
    let log_file = printed(&env, "a");
    assert!(log_file.contains("attaching to `b`; leave with C-b d,"), "{log_file}");
    terminal.keys(&["C-b", "d"]);
    assert_eq!(terminal.wait_for_exit(), 0);
}

#[test]
fn attach_is_refused_on_an_unusable_terminal_type() {
    let env = TestEnv::new();
    echoing(&env, "a");
    for (term, log_file) in [
        ("dumb", "TERM is `dumb`, which lacks required capabilities"),
        ("no-such-term", "TERM is `no-such-term`, which lacks required capabilities"),
        ("", "TERM is not set"),
    ] {
        let terminal = env.terminal(["env", &format!("TERM={term}"), env.binary(), "agent", "attach", "a"]);
        assert_eq!(terminal.wait_for_exit(), 2);
        // The lines are wrapped at the width of the terminal.
        let screen = terminal.screen().replace('\n', "");
        assert!(
            screen.contains(&format!("error: this terminal cannot show an agent: {log_file}")),
            "{screen}"
        );
        assert!(screen.contains("TERM=xterm-256color symposium agent attach a"), "{screen}");
    }
    assert_eq!(shown(&env, "a")["last_attached"], json!(null));
}

#[test]
fn attach_without_a_terminal_is_refused_with_a_hint() {
    let env = TestEnv::new();
    echoing(&env, "a");
    assert_snapshot!(agent(&env, &["attach", "a"]).fails(2).stderr, @"
    error: `agent attach` needs a terminal, and this is not one
    hint: run `symposium agent attach a` in a terminal, or look with `symposium agent peek a`
    ");
    agent(&env, &["attach"]).fails(2);
    let missing = agent(&env, &["attach", "nosuch"]).fails(3);
    assert!(missing.stderr.starts_with("error: no agent named `nosuch`\n"), "{missing:?}");
    // For an agent of another user, the missing terminal is reported before the share is looked up.
    let theirs = agent(&env, &["attach", "nobody/a"]).fails(2);
    assert_snapshot!(theirs.stderr, @"
    error: `agent attach` needs a terminal, and this is not one
    hint: run `symposium agent attach nobody/a` in a terminal
    ");
}

#[test]
fn commands_other_than_attach_are_refused_for_a_shared_agent() {
    let env = TestEnv::new();
    for verb in [&["peek"][..], &["show"], &["logs"], &["send"], &["kill"]] {
        let text: &[&str] = if verb == ["send"] { &["hello"] } else { &[] };
        let refused = agent(&env, &[verb, &["nobody/api"], text].concat()).fails(2);
        assert_eq!(
            refused.stderr,
            "error: `nobody/api` is a shared agent of another user, which can only be attached\n\
             hint: `symposium agent attach nobody/api`\n"
        );
    }
    let new = agent(&env, &["spawn", "--name", "nobody/api", "--", "sleep", "1000"]).fails(2);
    assert!(new.stderr.contains("`--title` takes any text"), "{new:?}");
}

#[test]
fn attach_to_a_stopped_or_unknown_agent_is_refused_with_a_hint() {
    let env = TestEnv::new();
    echoing(&env, "api-fix");
    agent(&env, &["kill", "api-fix"]).ok();
    let terminal = env.terminal([env.binary(), "agent", "attach", "api-fix"]);
    assert_eq!(terminal.wait_for_exit(), 1);
    assert_snapshot!(terminal.screen(), @"
    error: agent `api-fix` is not running: stopped (it was ended on request)
    hint: resume it with `symposium agent resume api-fix`
    ");
    let terminal = env.terminal([env.binary(), "agent", "attach", "api-fx"]);
    assert_eq!(terminal.wait_for_exit(), 3);
    assert_snapshot!(terminal.screen(), @"
    error: no agent named `api-fx`
      known agents: api-fix
    hint: did you mean `symposium agent attach api-fix`?
    ");
    let terminal = env.terminal([env.binary(), "agent", "attach"]);
    assert_eq!(terminal.wait_for_exit(), 3);
    assert_snapshot!(terminal.screen(), @"
    error: there is no agent to attach to
    hint: `symposium agent spawn` starts one, `symposium agent list --all` shows all
    ");
}

#[test]
fn attach_without_a_name_takes_the_only_agent_of_the_project() {
    let env = TestEnv::new();
    echoing(&env, "here");
    let elsewhere = env.home();
    spawned(&env, &["--name", "there", "--dir", elsewhere.to_str().unwrap(), "--", "sleep", "1000"]);
    let terminal = env.terminal([env.binary(), "agent", "attach"]);
    terminal.wait_for_text("this is here");
}

#[test]
fn attach_without_a_name_offers_a_choice_of_several_agents() {
    let env = TestEnv::new();
    echoing(&env, "one");
    echoing(&env, "two");
    let terminal = env.terminal([env.binary(), "agent", "attach"]);
    terminal.wait_for_text("attach to (type to filter, 1-9 to choose, Esc to leave)");
    terminal.wait_for_text("two");
    terminal.keys(&["Escape"]);
    assert_eq!(terminal.wait_for_exit(), 0);
    let terminal = env.terminal([env.binary(), "agent", "attach"]);
    terminal.wait_for_text("attach to (type to filter, 1-9 to choose, Esc to leave)");
    terminal.type_text("three");
    terminal.wait_for_text("nothing matches");
    terminal.keys(&["C-u"]);
    terminal.type_text("tw");
    terminal.wait_for_text(": tw");
    terminal.keys(&["Enter"]);
    terminal.wait_for_text("this is two");
}

#[test]
fn the_picker_fits_a_narrow_terminal() {
    let env = TestEnv::new();
    let mut names: Vec<String> = (1..=9).map(|number| format!("{number} agent-{number}")).collect();
    for number in 1..=9 {
        spawned(&env, &["--name", &format!("agent-{number}"), "--", "sleep", "1000"]);
    }
    let terminal = env.terminal_sized((42, 12), [env.binary(), "agent", "attach"]);
    terminal.wait_for_text("agent-9");
    let screen = terminal.screen();
    names[0].insert_str(0, "> ");
    for (line, name) in screen.lines().skip(1).zip(&names) {
        assert!(line.trim_start().starts_with(name) && line.ends_with('…'), "{screen}");
    }
    terminal.keys(&["Escape"]);
    assert_eq!(terminal.wait_for_exit(), 0);
}

#[test]
fn attach_shows_the_last_screen_of_an_ended_agent() {
    let env = TestEnv::new();
    agent(&env, &["spawn", "--name", "a", "--", "sh", "-c", "seq 100; echo last words; sleep 0.2; exit 3"])
        .outcome();
    wait_for(&env, "a", "crashed");
    let terminal = env.terminal([env.binary(), "agent", "attach", "a"]);
    terminal.wait_for_text("last words");
    terminal.keys(&["C-b", "d"]);
    assert_eq!(terminal.wait_for_exit(), 0);
}

#[test]
fn the_editor_link_of_an_agent_points_to_the_last_attached_editor() {
    let env = TestEnv::new();
    let script = "echo \"hook <$VSCODE_IPC_HOOK_CLI>\"; exec sleep 1000";
    let words = ["agent", "spawn", "--name", "a", "--", "sh", "-c", script];
    env.symposium(words).env("VSCODE_IPC_HOOK_CLI", "/nowhere/one.sock").ok();
    let agent = env.symposium(["agent", "show", "a", "--json"]).ok().json();
    let link = env.state().join(format!("run/editor-{}", agent["id"].as_str().unwrap()));
    let leads_to = || std::fs::read_link(&link).map(|to| to.display().to_string()).unwrap_or_default();
    assert_eq!(leads_to(), "/nowhere/one.sock");
    let hook = format!("hook <{}>", link.display());
    env.wait_until("the agent has the link", || {
        let screen = env.symposium(["agent", "peek", "a"]).ok().stdout;
        screen.replace('\n', "").contains(&hook)
    });

    let attach = |hook: &str, how: &[&str]| {
        let variable = format!("VSCODE_IPC_HOOK_CLI={hook}");
        env.terminal([&["env", &variable, env.binary(), "agent", "attach", "a"], how].concat())
    };
    let watching = attach("/nowhere/two.sock", &["--observe"]);
    watching.wait_for_text("hook <");
    assert_eq!(leads_to(), "/nowhere/one.sock", "an observer changes nothing");
    let driving = attach("/nowhere/three.sock", &[]);
    driving.wait_for_text("hook <");
    assert_eq!(leads_to(), "/nowhere/three.sock");

    env.symposium(["agent", "rm", "--force", "a"]).ok();
    assert!(link.symlink_metadata().is_err(), "the share ends with its agent");
}
