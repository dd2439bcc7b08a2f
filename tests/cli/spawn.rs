//! `agent spawn`: program, directory and name of the new agent, and the errors of a failed start.

use insta::assert_snapshot;
use serde_json::json;

use super::{agent, printed, prompts, shown, spawned, status, wait_for};
use crate::support::TestEnv;

#[test]
fn spawn_prints_only_the_name() {
    let env = TestEnv::new();
    let outcome = agent(&env, &["spawn", "--name", "web", "--", "sleep", "1000"]).ok();
    assert_eq!((outcome.stdout.as_str(), outcome.stderr.as_str()), ("web\n", ""));
    assert_eq!(status(&env, "web"), "working");
    assert_eq!(env.tmux(["list-sessions", "-F", "#{session_name}"]).ok().stdout, "web\n");
}

#[test]
fn a_name_is_derived_from_spec_and_task() {
    let env = TestEnv::new();
    assert_eq!(spawned(&env, &["--", "sleep", "1000"]), "sleep-1");
    assert_eq!(spawned(&env, &["--", "sleep", "1000"]), "sleep-2");
    assert_eq!(spawned(&env, &["demo", "--task", "Fix the login!"]), "demo-fix-the-login");
}

#[test]
fn spawn_json_equals_the_entry_in_list() {
    let env = TestEnv::new();
    let mut born = agent(&env, &["spawn", "--json", "--name", "a", "--", "sleep", "1000"]).ok().json();
    let mut listed = agent(&env, &["list", "--json"]).ok().json();
    assert_eq!(born["status"], "working");
    for agent in [&mut born, &mut listed[0]] {
        agent["last_activity"] = json!(null); // Only tmux knows this field
    }
    assert_eq!(born, listed[0]);
}

#[test]
fn spawn_refuses_a_taken_name() {
    let env = TestEnv::new();
    spawned(&env, &["--name", "a", "--", "sleep", "1000"]);
    let outcome = agent(&env, &["spawn", "--name", "a", "--", "sleep", "1000"]).fails(1);
    assert_snapshot!(outcome.stderr, @"
    error: an agent named `a` already exists
    hint: attach to it with `symposium agent attach a`, or choose another name
    ");
    agent(&env, &["kill", "a"]).ok();
    agent(&env, &["spawn", "--name", "a", "--", "sleep", "1000"]).fails(1);
}

#[test]
fn spawn_with_a_missing_program_creates_nothing() {
    let env = TestEnv::new();
    let claude = agent(&env, &["spawn", "claude", "--name", "a"]).fails(1);
    assert_snapshot!(claude.stderr, @"
    error: `claude` is not installed, or not in PATH
      nothing was started
    hint: npm install -g @anthropic-ai/claude-code
    hint: or try `symposium agent spawn demo`
    ");
    let command = agent(&env, &["spawn", "--", "no-such-program", "x"]).fails(1);
    assert_snapshot!(command.stderr, @"
    error: `no-such-program` is not installed, or not in PATH
      nothing was started
    hint: check the spelling; a pipeline needs a shell: `symposium agent spawn -- sh -c '…'`
    hint: or try `symposium agent spawn demo`
    ");
    assert_eq!(agent(&env, &["list", "--json"]).ok().json(), json!([]));
    assert!(!env.state().join("instances/a").exists() && !env.socket().exists());
}

#[test]
fn spawn_suggests_a_similar_kind() {
    let env = TestEnv::new();
    assert_snapshot!(agent(&env, &["spawn", "cluade"]).fails(3).stderr, @"
    error: no spec or kind named `cluade`
      known: claude, codex, gemini, kiro, q, opencode, qwen, copilot, cursor, amp, goose, aider, demo
    hint: did you mean `symposium agent spawn claude`?
    ");
    assert_snapshot!(agent(&env, &["spawn", "make"]).fails(3).stderr, @"
    error: no spec or kind named `make`
      known: claude, codex, gemini, kiro, q, opencode, qwen, copilot, cursor, amp, goose, aider, demo
    hint: to run any command: `symposium agent spawn -- make`
    ");
}

#[test]
fn spawn_reports_an_immediate_exit_with_the_last_lines() {
    let env = TestEnv::new();
    // tmux 3.3a loses output that the kernel has not passed on when the program ends, about once in 600 times under
    // load. tmux answers the query of the cursor position after it has read everything before it.
    let after_output = "stty -icanon -echo; printf '\\033[6n'; dd bs=1 count=6 >/dev/null 2>&1";
    let claude = format!("echo Invalid API key; echo run /login >&2; {after_output}; exit 3");
    env.fake_program("claude", &claude);
    let outcome = agent(&env, &["spawn", "claude", "--name", "a"]).fails(1);
    assert_snapshot!(env.redacted(&outcome.stderr), @"
    error: agent `a` exited as soon as it started (code 3, after [DURATION])
      last lines:
        Invalid API key
        run /login
    hint: fix the cause, then run `symposium agent restart a`
    hint: or remove it: `symposium agent rm a`
    ");
    assert_eq!(outcome.stdout, "");
    assert_eq!(shown(&env, "a")["status"], "crashed");
    assert_eq!(shown(&env, "a")["exit"], json!({"code": 3, "signal": null}));
}

#[test]
fn a_command_that_ends_at_once_successfully_is_not_an_error() {
    let env = TestEnv::new();
    // A tmux 3.3a that is just starting loses the output of such a program about once in some hundred times.
    spawned(&env, &["--name", "first", "--", "sleep", "1000"]);
    spawned(&env, &["--name", "a", "--", "echo", "done already"]);
    wait_for(&env, "a", "exited");
    env.wait_until("the output is logged", || printed(&env, "a") == "done already\n");
}

#[test]
fn an_agent_works_in_the_given_directory() {
    let env = TestEnv::new();
    let odd = env.root().join("it's \"a dir\" $HOME #{pane_id}");
    std::fs::create_dir(&odd).unwrap();
    let dir = odd.to_str().unwrap();
    spawned(&env, &["--name", "there", "--dir", dir, "--", "sh", "-c", "pwd; exec sleep 1000"]);
    env.wait_until("the agent prints its directory", || printed(&env, "there").contains(dir));
    assert_eq!(shown(&env, "there")["working_directory"], dir);
    let missing = agent(&env, &["spawn", "--dir", "nowhere", "--", "true"]).fails(1);
    assert_snapshot!(env.redacted(&missing.stderr), @"
    error: cannot work in `[ROOT]/project/nowhere`: No such file or directory (os error 2)
    hint: choose another directory with `--dir`
    ");
}

#[test]
fn title_and_variables_reach_the_agent_verbatim() {
    let env = TestEnv::new();
    let script = r#"printf '<%s>\n' "$A" "$B" "$SYMPOSIUM_AGENT" "${TMUX_PLUGIN:-none}"; exec sleep 1000"#;
    let args = [
        "spawn",
        "--name",
        "a",
        "--title",
        "#{pane_pid}; $(x) é",
        "--env",
        "A=1 2;'\"$(id)",
        "--env",
        "B=",
        "--",
    ];
    let command = ["sh", "-c", script];
    agent(&env, &[&args[..], &command].concat()).env("TMUX_PLUGIN", "the spawner's own").ok();
    env.wait_until("the agent prints its arguments", || {
        printed(&env, "a") == "<1 2;'\"$(id)>\n<>\n<a>\n<none>\n"
    });
    assert_eq!(shown(&env, "a")["title"], "#{pane_pid}; $(x) é");
    let outcome = agent(&env, &["spawn", "--env", "1A=x", "--", "true"]).fails(2);
    assert!(outcome.stderr.contains("`1A` cannot be the name of a variable"), "{outcome:?}");
}

#[test]
fn a_scratch_workspace_is_an_empty_folder() {
    let env = TestEnv::new();
    spawned(
        &env,
        &["--name", "a", "--workspace", "scratch", "--", "sh", "-c", "pwd; ls -A | wc -l; exec sleep 1000"],
    );
    let place = env.state().join("instances/a/workspace");
    env.wait_until("the agent prints its directory", || {
        printed(&env, "a") == format!("{}\n0\n", place.display())
    });
    assert_eq!(shown(&env, "a")["workspace"], "scratch");
}

#[test]
fn the_first_task_is_delivered_once() {
    let env = TestEnv::new();
    let task = "--resume me\nand \"quotes\" `too`";
    assert_eq!(spawned(&env, &["demo", "--name", "a", "--task", task]), "a");
    wait_for(&env, "a", "idle");
    assert_eq!(prompts(&env, "a"), [task]);
}

#[test]
fn a_long_task_can_be_read_from_standard_input() {
    let env = TestEnv::new();
    let task = format!("{}the end", "a line that is not short\n".repeat(6000));
    agent(&env, &["spawn", "demo", "--name", "a", "--task", "-"]).stdin(task.clone()).ok();
    assert_eq!(prompts(&env, "a"), [task]);
}

#[test]
fn spawn_attach_needs_a_terminal_and_attaches() {
    let env = TestEnv::new();
    let outcome = agent(&env, &["spawn", "--name", "a", "--attach", "--", "sleep", "1000"]).fails(2);
    assert_snapshot!(outcome.stderr, @"
    error: `agent spawn --attach` needs a terminal, and this is not one
      nothing was started
    hint: omit `--attach`, and attach later with `symposium agent attach`
    ");
    let terminal =
        env.terminal([env.binary(), "agent", "spawn", "demo", "--name", "a", "--task", "hello", "--attach"]);
    terminal.wait_for_text("You said: hello");
    terminal.keys(&["C-b", "d"]);
    assert_eq!(terminal.wait_for_exit(), 0);
    wait_for(&env, "a", "idle");
}

#[test]
fn spawn_with_an_empty_command_is_refused() {
    let env = TestEnv::new();
    for args in [&["spawn", "--"][..], &["spawn", "--name", "a", "--"], &["spawn", "--ephemeral", "--"]] {
        let outcome = agent(&env, args).fails(2);
        assert!(outcome.stderr.starts_with("error: no command was given after `--`\n"), "{outcome:?}");
    }
    assert!(!env.state().join("agent-sessions.json").exists(), "nothing was created");
}

#[test]
fn an_agent_starts_with_the_size_of_the_spawning_terminal() {
    let env = TestEnv::new();
    let spawn = [env.binary(), "agent", "spawn", "--name", "a", "--", "sleep", "1000"];
    assert_eq!(env.terminal_sized((90, 24), spawn).wait_for_exit(), 0);
    spawned(&env, &["--name", "b", "--", "sleep", "1000"]);
    let size = |name: &str| {
        let target = format!("={name}:");
        env.tmux(["display-message", "-p", "-t", &target, "#{window_width}x#{window_height}"]).ok().stdout
    };
    assert_eq!((size("a").as_str(), size("b").as_str()), ("90x23\n", "160x48\n"));
}
