//! Exit codes, errors as JSON, `--quiet` and colour: what all commands have in common.

use serde_json::json;

use super::{agent, spawned};
use crate::support::TestEnv;

#[test]
fn exit_codes_and_error_codes_match_the_contract() {
    let env = TestEnv::new();
    spawned(&env, &["--name", "a", "--", "sh", "-c", "exec sleep 1000"]);
    for (code, name, args) in [
        (1, "still-running", &["rm", "a"][..]),
        (2, "bad-name", &["show", "a.b"]),
        (2, "no-terminal", &["attach", "a"]),
        (2, "unsendable", &["send", "a", ""]),
        (3, "no-such-agent", &["show", "b"]),
        (3, "no-such-spec", &["spawn", "nothing"]),
        (6, "refused", &["send", "a", "one\ntwo"]),
        (7, "timed-out", &["wait", "a", "--for", "idle", "--timeout", "0"]),
    ] {
        let outcome = agent(&env, &[args, &["--json"]].concat()).fails(code);
        let error: serde_json::Value =
            serde_json::from_str(&outcome.stderr).unwrap_or_else(|why| panic!("{why}: {outcome:?}"));
        assert_eq!(error["error"]["code"], name, "{args:?}");
        assert!(error["error"]["message"].is_string() && error["error"]["hints"].is_array(), "{error}");
        assert_eq!(outcome.stdout, "", "{args:?}");
    }
    std::fs::write(env.state().join("agent-sessions.json"), r#"{"format":99,"sessions":{}}"#).unwrap();
    agent(&env, &["list", "--json"]).fails(5);
    env.forget_program("tmux");
    agent(&env, &["spawn", "--json", "demo"]).fails(4);
}

#[test]
fn an_error_as_json_is_one_object_on_stderr() {
    let env = TestEnv::new();
    spawned(&env, &["--name", "api-fix", "--", "sleep", "1000"]);
    let outcome = agent(&env, &["show", "api-fx", "--json"]).fails(3);
    let error: serde_json::Value = serde_json::from_str(&outcome.stderr).unwrap();
    let expected = json!({"error": {
        "code": "no-such-agent",
        "message": "no agent named `api-fx`",
        "saw": ["known agents: api-fix"],
        "hints": ["did you mean `symposium agent show api-fix`?"],
    }});
    assert_eq!(error, expected);
}

#[test]
fn command_line_mistakes_are_usage_errors() {
    let env = TestEnv::new();
    for args in [&["agent"][..], &["agent", "nothing"], &["agent", "list", "--nothing"], &["nothing"]] {
        let outcome = env.symposium(args).fails(2);
        assert!(outcome.stderr.contains("Usage:") || outcome.stderr.contains("error:"), "{outcome:?}");
    }
    let outcome = env.symposium(["agent", "lst"]).fails(2);
    assert!(outcome.stderr.contains("'list'"), "{outcome:?}");
}

#[test]
fn quiet_prints_errors_only() {
    let env = TestEnv::new();
    spawned(&env, &["--name", "a", "--", "sleep", "1000"]);
    assert_eq!(agent(&env, &["-q", "kill", "a"]).ok().stderr, "");
    assert!(!agent(&env, &["-q", "kill", "b"]).fails(3).stderr.is_empty());
    assert_eq!(agent(&env, &["-q", "resume", "a"]).ok().stdout, "a\n");
}

#[test]
fn two_environments_never_see_each_other() {
    let env = TestEnv::new();
    let other = env.root().join("other").display().to_string();
    spawned(&env, &["--name", "a", "--", "sleep", "1000"]);
    let there = |args: &[&str]| env.symposium(["--home", &other, "agent"].iter().chain(args));
    there(&["spawn", "--name", "a", "--", "sleep", "2000"]).ok();
    there(&["spawn", "--name", "b", "--", "sleep", "2000"]).ok();
    agent(&env, &["show", "b"]).fails(3);
    there(&["kill", "a"]).ok();
    assert_eq!(super::status(&env, "a"), "working");
    let by_variable = agent(&env, &["list", "--json"]).env("SYMPOSIUM_HOME", &other).ok().json();
    assert_eq!(by_variable.as_array().map(Vec::len), Some(2));
}

#[test]
fn the_manual_page_is_complete() {
    let env = TestEnv::new();
    let page = env.symposium(["man"]).ok().stdout;
    assert!(page.starts_with(".") && page.contains("symposium agent spawn") && page.contains("demo\\-agent"));
    assert!(!page.contains("symposium event"), "hidden commands are not in the manual");
    for section in ["EXAMPLES", "FILES", "ENVIRONMENT", "EXIT STATUS"] {
        assert!(page.contains(&format!(".SH \"{section}\"\n")), "{section} is missing");
    }
    assert!(!page.contains("(1)"), "the manual refers to no other page");
}

#[test]
fn help_fits_the_terminal_and_keeps_global_options_apart() {
    let env = TestEnv::new();
    let script = "\"$0\" agent spawn --help; exec sleep 1000";
    let terminal = env.terminal_sized((60, 140), ["sh", "-c", script, env.binary()]);
    terminal.wait_for_text("Global options:");
    terminal.wait_for_text("--host <HOST>");
    let screen = terminal.screen();
    let (own, global) = screen.split_once("Global options:").unwrap();
    assert!(own.contains("--name") && !own.contains("--json") && global.contains("--json"), "{screen}");
    let short = env.symposium(["-h"]).ok().stdout;
    let long = env.symposium(["--help"]).ok().stdout;
    assert!(long.contains("Exit codes:") && !short.contains("Exit codes:"), "{short}");
}

#[test]
fn usage_errors_are_json_with_json() {
    let env = TestEnv::new();
    for args in [&["agent", "show", "--json"][..], &["--json", "agent", "list", "--status", "x"], &["--json"]]
    {
        let outcome = env.symposium(args).fails(2);
        let error: serde_json::Value =
            serde_json::from_str(&outcome.stderr).unwrap_or_else(|_| panic!("{outcome:?}"));
        assert_eq!(error["error"]["code"], "usage", "{error}");
    }
    let plain = env.symposium(["agent", "spawn", "--nope", "--", "x", "--json"]).fails(2);
    assert!(plain.stderr.starts_with("error: unexpected argument"), "{plain:?}");
}

#[test]
fn json_usage_errors_name_the_missing_arguments() {
    let env = TestEnv::new();
    for (args, message) in [
        (&["agent", "send", "x"][..], "the following required arguments were not provided: <TEXT>"),
        (&["agent", "rename"], "the following required arguments were not provided: <OLD>, <NEW>"),
        (&["agent", "list", "--shared", "--watch"], "the argument '--shared' cannot be used with '--watch'"),
    ] {
        let outcome = env.symposium([&["--json"], args].concat()).fails(2);
        let error: serde_json::Value = serde_json::from_str(&outcome.stderr).unwrap();
        assert_eq!(error["error"]["message"], message, "{outcome:?}");
    }
}

#[test]
fn a_file_size_limit_is_reported_like_a_full_disk() {
    let env = TestEnv::new();
    spawned(&env, &["--name", "a", "--", "sleep", "1000"]);
    let script = "ulimit -f 1; exec \"$0\" agent rename a b";
    let outcome = env.program("sh", ["-c", script, env.binary()]).fails(5);
    assert!(outcome.stderr.contains("File too large"), "{outcome:?}");
    agent(&env, &["show", "a"]).ok();
}

#[test]
fn control_and_bidi_characters_never_reach_the_terminal() {
    let env = TestEnv::new();
    let evil = "\u{1b}]52;c;ZXZpbA==\u{7}\u{202e}x";
    for args in [
        &["agent", "list", evil][..],
        &["agent", "show", evil],
        &["agent", "spawn", evil],
        &["task", "add", "demo", "text", "--topic", evil],
        &["agent", "handoff", "import", evil, "--show"],
        &["agent", "share", "x", "--with", evil],
    ] {
        let outcome = env.symposium(args).outcome();
        let output = outcome.stdout + &outcome.stderr;
        assert!(!output.contains(['\u{1b}', '\u{7}', '\u{202e}']), "{args:?}: {output:?}");
    }
    let dir = env.project().join("a\u{202e}b");
    std::fs::create_dir(&dir).unwrap();
    let print = "printf '\\342\\200\\256printed\\n'; exec sleep 1000";
    env.symposium(["agent", "spawn", "--name", "a", "--dir", dir.to_str().unwrap(), "--", "sh", "-c", print])
        .ok();
    env.wait_until("the output is printed", || {
        env.symposium(["agent", "logs", "a", "--plain"]).ok().stdout.contains("printed")
    });
    for verb in [&["agent", "show", "a"][..], &["agent", "peek", "a"], &["agent", "logs", "a", "--plain"]] {
        let output = env.symposium(verb).ok().stdout;
        assert!(!output.contains('\u{202e}'), "{verb:?}: {output:?}");
    }
}
