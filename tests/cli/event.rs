//! `symposium event`: the hidden command for tmux and agents. It is fast and silent and always exits with 0, whatever
//! the input is.

use serde_json::json;

use super::{agent, shown, spawned, status};
use crate::support::{TestEnv, compile};

#[test]
fn invalid_events_are_ignored_silently() {
    let env = TestEnv::new();
    spawned(&env, &["--name", "a", "--", "sleep", "1000"]);
    let before = env.registry();
    let cases: [(&[&str], &[u8]); 9] = [
        (&["agent"], b"garbage"),
        (&["agent"], b""),
        (&["agent"], b"\xff\xfe\0"),
        (&["agent"], br#"{"hook_event_name":"Stop"}"#),
        (&["agent"], br#"{"hook_event_name":7,"session_id":[]}"#),
        (&["pane-died", "--session=nobody", "--pane=%99", "--code=1", "--signal="], b""),
        (&["pane-died", "--session=../x", "--pane=%0", "--code=", "--signal="], b""),
        (&["session-closed", "--session=-rf"], b""),
        (&["client-attached", "--session=$(touch x)"], b""),
    ];
    for (args, input) in cases {
        let outcome = env.symposium(["event"].iter().chain(args)).stdin(input).ok();
        assert_eq!((outcome.stdout.as_str(), outcome.stderr.as_str()), ("", ""), "{args:?}");
    }
    assert_eq!(env.registry(), before);
    assert!(
        !env.state().join("run/nobody.lock").exists(),
        "an event of an unknown agent leaves nothing behind"
    );
}

#[test]
fn hooks_succeed_with_an_unusable_state_or_without_tmux() {
    let env = TestEnv::new();
    spawned(&env, &["--name", "a", "--", "sleep", "1000"]);
    let id = shown(&env, "a")["id"].as_str().unwrap().to_owned();
    env.forget_program("tmux");
    let prompted = r#"{"hook_event_name":"UserPromptSubmit","prompt":"x"}"#;
    let event = || {
        env.symposium(["event", "agent"])
            .env("SYMPOSIUM_AGENT", "a")
            .env("SYMPOSIUM_AGENT_ID", &id)
            .stdin(prompted)
    };
    assert_eq!(event().ok().stderr, "");
    std::fs::write(env.state().join("agent-sessions.json"), r#"{"format":99}"#).unwrap();
    assert_eq!(event().ok().stderr, "");
    let outcome = env.symposium(["--home", "/dev/null/x", "event", "agent"]).stdin(prompted).ok();
    assert_eq!((outcome.stdout.as_str(), outcome.stderr.as_str()), ("", ""));
}

#[test]
fn an_exit_is_recorded_without_a_command() {
    let env = TestEnv::new();
    let script = "while [ ! -e go ]; do sleep 0.02; done; exit 9";
    spawned(&env, &["--name", "a", "--", "sh", "-c", script]);
    spawned(&env, &["--name", "b", "--", "sleep", "1000"]);
    std::fs::write(env.project().join("go"), "").unwrap();
    env.wait_until("the record contains the exit", || {
        // tmux 3.3a sometimes misses the exit of a child; the next child makes it check.
        env.tmux(["run-shell", "true"]);
        env.registry()["sessions"]["a"]["exit"] == json!({"code": 9, "signal": null})
    });
    assert_eq!(env.registry()["sessions"]["a"]["status"]["status"], "crashed");
    env.tmux(["kill-session", "-t", "=b"]).ok();
    env.wait_until("the closed session is recorded", || {
        env.registry()["sessions"]["b"]["status"]["status"] == "lost"
    });
    assert_eq!(shown(&env, "b")["reason"], "its tmux session was closed from outside");
    agent(&env, &["resume", "b"]).ok();
    assert_eq!(status(&env, "b"), "working");
}

#[test]
fn a_late_event_of_a_former_process_does_not_end_the_current_one() {
    let env = TestEnv::new();
    spawned(&env, &["demo", "--name", "a"]);
    super::wait_for(&env, "a", "idle");
    let pane = shown(&env, "a")["tmux"]["pane"].as_str().unwrap().to_owned();
    env.symposium(["event", "pane-died", "--session=a", &format!("--pane={pane}"), "--code=1", "--signal="])
        .ok();
    assert_eq!(env.registry()["sessions"]["a"]["status"]["status"], "idle");
    assert_eq!(status(&env, "a"), "idle");
}

#[test]
fn a_hook_of_an_agent_recorded_as_lost_restores_its_status() {
    let env = TestEnv::new();
    spawned(&env, &["demo", "--name", "a"]);
    super::wait_for(&env, "a", "idle");
    env.edit_registry(|registry| registry["sessions"]["a"]["status"]["status"] = json!("lost"));
    assert_eq!(status(&env, "a"), "unknown");
    let over = r#"{"hook_event_name":"Stop","last_assistant_message":"here I am"}"#;
    let id = shown(&env, "a")["id"].as_str().unwrap().to_owned();
    let say = |id: &str| {
        env.symposium(["event", "agent"])
            .env("SYMPOSIUM_AGENT", "a")
            .env("SYMPOSIUM_AGENT_ID", id)
            .stdin(over)
            .ok()
    };
    say("");
    assert_eq!(status(&env, "a"), "unknown", "a name alone does not identify an agent");
    say(&id);
    assert_eq!((status(&env, "a").as_str(), &shown(&env, "a")["reason"]), ("idle", &json!("here I am")));
    agent(&env, &["kill", "a"]).ok();
    env.symposium(["event", "agent"]).env("SYMPOSIUM_AGENT", "a").stdin(over).ok();
    assert_eq!(status(&env, "a"), "stopped");
}

#[test]
fn a_second_qwen_in_an_agents_shell_does_not_report_for_it() {
    let env = TestEnv::new();
    super::without_settling(&env, &["qwen"]);
    env.fake_program("qwen", "exec sleep 1000");
    spawned(&env, &["qwen", "--name", "a"]);
    let own = shown(&env, "a");
    let settings = std::fs::read(env.state().join("instances/a/state/qwen-defaults.json")).unwrap();
    let settings: serde_json::Value = serde_json::from_slice(&settings).unwrap();
    let line = settings["hooks"]["Stop"][0]["hooks"][0]["command"].as_str().unwrap();
    let id = own["id"].as_str().unwrap();
    let say = |conversation: &str, id: &str, variable: (&str, &str)| {
        let payload = json!({"hook_event_name": "Stop", "session_id": conversation});
        let run = env.program("sh", ["-c", line]).env("SYMPOSIUM_AGENT", "a").env("SYMPOSIUM_AGENT_ID", id);
        let result = run.env(variable.0, variable.1).stdin(payload.to_string()).ok();
        assert_eq!((result.stdout.as_str(), result.stderr.as_str()), ("", ""));
    };
    // In a shell of Qwen, and in the shell of another agent that inherited the variable.
    say("nested", id, ("QWEN_CODE", "1"));
    say("handed-down", "00000000-0000-4000-8000-000000000000", ("A", "b"));
    assert_eq!(shown(&env, "a")["conversation"], own["conversation"]);
    say("moved-on", id, ("A", "b"));
    assert_eq!(shown(&env, "a")["conversation"]["id"], "moved-on");
}

#[test]
fn a_cli_in_an_agents_shell_is_its_child_and_keeps_its_conversation() {
    let env = TestEnv::new();
    super::without_settling(&env, &["claude"]);
    // Like Claude Code: hooks are configured by flags. The second instance in its shell is started without them.
    let script = format!(
        "case \"$*\" in *--settings*) ;; *) echo nested; exit 0;; esac\n\
         CLAUDECODE=1 claude -p hello\ntest \"$SYMPOSIUM_AGENT\" = child || {} agent spawn claude --name child\nexec sleep 1000",
        env.binary()
    );
    env.fake_program("claude", &script);
    spawned(&env, &["claude", "--name", "a"]);
    let before = shown(&env, "a")["conversation"].clone();
    env.wait_until("the child exists", || agent(&env, &["show", "child"]).outcome().code == 0);
    let child = shown(&env, "child");
    assert_eq!(child["parent"], "a");
    assert_ne!(child["conversation"]["id"], before["id"]);
    assert_eq!(shown(&env, "a")["conversation"], before);
}

#[test]
fn the_status_line_shows_a_crash() {
    let env = TestEnv::new();
    spawned(&env, &["--name", "a", "--", "sh", "-c", "read line; exit 3"]);
    env.tmux(["send-keys", "-t", "=a:", "Enter"]).ok();
    env.wait_until("the status line shows the crash", || {
        env.tmux(["display-message", "-p", "-t", "=a:", "#{@symposium_status}"]).ok().stdout == "crashed\n"
    });
    agent(&env, &["restart", "a"]).ok();
    let now = env.tmux(["display-message", "-p", "-t", "=a:", "#{@symposium_status}"]).ok().stdout;
    assert_ne!(now, "crashed\n");
}

#[test]
fn the_status_line_shows_a_crash_that_a_list_found_first() {
    let env = TestEnv::new();
    spawned(&env, &["--name", "a", "--", "sh", "-c", "read line; exit 3"]);
    // tmux reports some exits late, and nothing is left to do for an exit that is already recorded.
    env.tmux(["set-hook", "-gu", "pane-died[7700]"]).ok();
    env.tmux(["send-keys", "-t", "=a:", "Enter"]).ok();
    env.wait_until("the crash is listed", || shown(&env, "a")["status"] == "crashed");
    // Another process may have seen the exit first, and updates the status line after it.
    env.wait_until("the status line shows the crash", || {
        env.tmux(["display-message", "-p", "-t", "=a:", "#{@symposium_status}"]).ok().stdout == "crashed\n"
    });
}

#[test]
fn an_exit_is_recorded_when_the_server_misses_its_signal() {
    let env = TestEnv::new();
    // Like libutempter, which tmux calls for each terminal that is closed, but always slower than the exit of a
    // process.
    let library = "#include <signal.h>\n#include <time.h>\n\
        int utempter_add_record(int terminal, const char *host) { return 1; }\n\
        int utempter_remove_record(int terminal) {\n\
          struct sigaction plain = { .sa_handler = SIG_DFL }, before;\n\
          struct timespec pause = { .tv_nsec = 500000000 };\n\
          sigaction(SIGCHLD, &plain, &before);\n\
          while (nanosleep(&pause, &pause) != 0);\n\
          return sigaction(SIGCHLD, &before, 0) == 0;\n\
        }\n";
    let libraries = compile::library(&env, "libutempter.so.0", library);
    let tmux = env.root().join("tools/tmux");
    let script = format!("LD_LIBRARY_PATH={} exec {} \"$@\"", libraries.display(), tmux.display());
    env.fake_program("tmux", &script);
    // On a busy machine the time between closing the terminal and the exit is long for any program.
    let program = "trap '' HUP; read line; exec <&- >&- 2>&-; sleep 0.1; exit 3";
    spawned(&env, &["--name", "a", "--", "sh", "-c", program]);
    env.tmux(["send-keys", "-t", "=a:", "Enter"]).ok();
    env.wait_until("the exit is recorded", || {
        env.registry()["sessions"]["a"]["status"]["status"] == "crashed"
    });
    assert_eq!(env.registry()["sessions"]["a"]["exit"]["code"], 3);
}

#[test]
fn an_exit_during_the_spawn_is_recorded() {
    let env = TestEnv::new();
    let args = ["spawn", "--name", "a", "--", "sh", "-c", "read line; exit 3"];
    let spawn = agent(&env, &args).env("SYMPOSIUM_FAILPOINT", "stop:launch.noted").start();
    env.wait_until("the spawn has recorded the start", || spawn.is_stopped());
    env.tmux(["send-keys", "-t", "=a:", "Enter"]).ok();
    env.wait_until("the event waits for the spawn", || {
        env.processes().iter().any(|process| process.command.contains("pane-died"))
    });
    assert_eq!(env.registry()["sessions"]["a"]["status"]["status"], "working");
    spawn.go_on();
    spawn.finish();
    env.wait_until("the exit is recorded", || {
        env.registry()["sessions"]["a"]["status"]["status"] == "crashed"
    });
    assert_eq!(env.registry()["sessions"]["a"]["exit"]["code"], 3);
}

#[test]
fn an_exit_during_a_resume_is_recorded() {
    let env = TestEnv::new();
    let program = "read line; case $line in again) exit 3 ;; esac";
    spawned(&env, &["--name", "a", "--", "sh", "-c", program]);
    agent(&env, &["kill", "a"]).ok();
    let resume = agent(&env, &["resume", "a"]).env("SYMPOSIUM_FAILPOINT", "stop:launch.started").start();
    env.wait_until("the resume has started the process and not recorded it", || resume.is_stopped());
    assert_eq!(env.registry()["sessions"]["a"]["tmux"], serde_json::Value::Null);
    env.tmux(["send-keys", "-t", "=a:", "again", "Enter"]).ok();
    env.wait_until("the event waits for the lock of the resume", || {
        let events = env.processes().into_iter().filter(|process| process.command.contains("pane-died"));
        events.into_iter().any(|process| holds_open(process.pid, "a.lock"))
    });
    resume.go_on();
    resume.finish();
    env.wait_until("the exit is recorded", || {
        env.registry()["sessions"]["a"]["status"]["status"] == "crashed"
    });
    assert_eq!(env.registry()["sessions"]["a"]["exit"]["code"], 3);
}

/// Returns whether a process has a file with this name open.
fn holds_open(pid: i32, name: &str) -> bool {
    let files = std::fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten();
    let mut paths = files.filter_map(|file| std::fs::read_link(file.path()).ok());
    paths.any(|path| path.file_name().is_some_and(|file| file == name))
}
