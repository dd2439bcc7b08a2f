//! Texts that have a meaning for a shell, for tmux or in a path: as names they are refused, everywhere else they arrive
//! verbatim, and nothing interprets them.

use std::path::Path;

use proptest::prelude::*;

use super::*;
use crate::support::hostile::TEXTS;

/// Returns invalid names.
fn no_names() -> Vec<String> {
    let mut names: Vec<String> =
        ["../x", "a.b:c", "-rf", "--all", "", " ", "🙂", "a b", "a/b", ".", "..", "=a", "a*"]
            .map(str::to_owned)
            .into();
    names.extend(
        ["$(touch x)", "#{pane_pid}", ";", "a;b", "a\nb", "a\tb", "é", "%1", "@1"].map(str::to_owned),
    );
    names.push("n".repeat(300));
    names
}

/// Asserts that no interpreter created `x` in any directory in which it might have run.
#[track_caller]
fn assert_nothing_ran(env: &TestEnv) {
    for dir in [env.project(), env.home(), env.state(), env.root().to_owned()] {
        assert!(!dir.join("x").exists(), "something was interpreted: {} is there", dir.join("x").display());
    }
}

#[test]
fn spawn_refuses_invalid_names_and_creates_nothing() {
    let env = TestEnv::new();
    for name in no_names() {
        let refused = env.symposium(["agent", "spawn", "--name", &name, "--", "sleep", "1000"]).fails(2);
        assert!(refused.stderr.contains("cannot be a name: it "), "{refused:?}");
        assert!(refused.stderr.contains("hint: "), "{refused:?}");
        assert!(refused.stderr.lines().count() <= 3, "{refused:?}");
    }
    assert_nothing_ran(&env);
    assert!(agents(&env).is_empty() && !env.socket().exists());
    assert_eq!(fs::read_dir(env.state().join("instances")).unwrap().count(), 0);
}

#[test]
fn every_other_command_refuses_invalid_names() {
    let env = TestEnv::new();
    sleeper(&env, "one");
    let before = env.registry();
    for (row, name) in no_names().iter().enumerate() {
        let name = name.as_str();
        let verbs: [&[&str]; 13] = [
            &["show", "--", name],
            &["attach", "--", name],
            &["detach", "--", name],
            &["peek", "--", name],
            &["logs", "--", name],
            &["interrupt", "--", name],
            &["kill", "--", name],
            &["resume", "--", name],
            &["restart", "--", name],
            &["restore", "--", name],
            &["rename", "--", "one", name],
            &["rename", "--", name, "two"],
            &["rm", "--force", "--", name],
        ];
        // All commands parse names with the same parser, so each name is tried with every fourth command, and each
        // command with every fourth name. Only `a/b` has its own meaning, which depends on the command.
        let tried = |(column, _): &(usize, &&[&str])| name == "a/b" || (row + column) % 4 == 0;
        for (_, &verb) in verbs.iter().enumerate().filter(tried) {
            let refused = env.symposium([&["agent"], verb].concat()).outcome();
            assert!([2, 3].contains(&refused.code), "{refused:?}");
            // `a/b` would be an agent shared by user `a`, if that user existed.
            let output = match verb {
                ["attach", "--", "a/b"] => "this machine has no user `a`",
                ["rename", "--", "one", _] | ["detach", ..] => "cannot be a name",
                _ if name == "a/b" => "which can only be attached",
                _ => "cannot be a name",
            };
            assert!(refused.stderr.contains(output), "{refused:?}");
        }
    }
    assert_eq!(env.registry(), before);
    assert_nothing_ran(&env);
    assert_in_order(&env);
}

#[test]
fn a_name_that_starts_like_an_option_is_reported_as_invalid() {
    let env = TestEnv::new();
    for verb in ["show", "resume", "peek", "logs"] {
        let refused = env.symposium(["agent", verb, "-rf"]).fails(2);
        assert!(refused.stderr.contains("`-rf` cannot be a name"), "{refused:?}");
    }
}

#[test]
fn every_command_reports_an_unknown_name() {
    let env = TestEnv::new();
    sleeper(&env, "one");
    for verb in ["show", "peek", "logs", "interrupt", "kill", "resume", "restart", "rm"] {
        let refused = env.symposium(["agent", verb, "pane_pid"]).fails(3);
        assert!(refused.stderr.contains("no agent named `pane_pid`"), "{refused:?}");
    }
    assert_in_order(&env);
}

/// A program that writes its directory, arguments and environment into files.
const WITNESS: &str = r#"pwd -P >"$OUT/pwd"; printf '%s\0' "$@" >"$OUT/args"; printf %s "$ODD" >"$OUT/odd"
echo >"$OUT/done"; exec sleep 1000"#;

/// The values that an agent received after it was given this text in every place.
struct Seen {
    pwd: String,
    args: Vec<String>,
    odd: String,
    title: Value,
}

#[track_caller]
fn spawn_with(env: &TestEnv, name: &str, text: &str, dir: &Path) -> Seen {
    let out = env.root().join(format!("out-{name}"));
    fs::create_dir(&out).unwrap();
    let odd = format!("ODD={text}");
    let args = ["agent", "spawn", "--name", name, "--title", text, "--env", &odd, "--dir"];
    let command = ["--", "sh", "-c", WITNESS, "witness", text, "two", text, ""];
    let all = args.iter().map(Path::new).chain([dir]).chain(command.iter().map(Path::new));
    env.symposium(all).env("OUT", &out).ok();
    env.wait_until("the witness process has written", || out.join("done").exists());
    let read = |file: &str| fs::read_to_string(out.join(file)).unwrap();
    Seen {
        pwd: read("pwd").trim_end_matches('\n').to_owned(),
        args: read("args").split_terminator('\0').map(str::to_owned).collect(),
        odd: read("odd"),
        title: agent(env, name)["title"].clone(),
    }
}

#[test]
fn texts_arrive_verbatim_as_title_argument_and_variable() {
    let env = TestEnv::new();
    for (n, text) in TEXTS.iter().enumerate() {
        let seen = spawn_with(&env, &format!("agent-{n}"), text, &env.project());
        assert_eq!(seen.args, [text, "two", text, ""], "{text:?}");
        assert_eq!(seen.odd, *text);
        assert_eq!(
            seen.title.as_str().map(|title| title.replace(' ', "")),
            Some(text.replace(['\t', ' '], ""))
        );
    }
    assert_nothing_ran(&env);
    assert_in_order(&env);
}

#[test]
fn a_title_is_not_interpreted() {
    let env = TestEnv::new();
    let title = "#{pane_pid} #(touch x) #[fg=red]z %H $(touch x)";
    env.symposium(["agent", "spawn", "--name", "one", "--title", title, "--", "sleep", "1000"]).ok();
    let terminal = env.terminal([env.binary(), "agent", "attach", "one"]);
    terminal.wait_for_text(title);
    assert_nothing_ran(&env);
}

#[test]
fn a_renamed_agent_keeps_title_and_command_verbatim() {
    let env = TestEnv::new();
    let text = TEXTS.join(" ");
    let before = spawn_with(&env, "one", &text, &env.project());
    env.symposium(["agent", "rename", "one", "two"]).ok();
    for file in ["agent-sessions.json", "agent-sessions.json.bak"] {
        fs::remove_file(env.state().join(file)).unwrap();
    }
    fs::remove_dir_all(env.state().join("instances")).unwrap();
    let after = agent(&env, "two");
    assert_eq!(after["title"], before.title, "the record that the session carries was interpreted");
    assert!(after["command"].as_array().unwrap().contains(&text.into()), "{after}");
    assert_nothing_ran(&env);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 6, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_unicode_arrives_verbatim(texts in proptest::collection::vec("[^\0]{0,40}", 30)) {
        let env = TestEnv::new();
        let out = env.root().join("args");
        let witness = r#"printf '%s\0' "$@" >"$OUT.part"; mv "$OUT.part" "$OUT"; exec sleep 1000"#;
        let fixed = ["agent", "spawn", "--name", "one", "--title", &texts[0], "--", "sh", "-c", witness, "witness"];
        let all = fixed.into_iter().chain(texts.iter().map(String::as_str));
        env.symposium(all).env("OUT", &out).ok();
        env.wait_until("the witness process has written", || out.exists());
        let seen = fs::read_to_string(&out).unwrap();
        let seen: Vec<&str> = seen.split_terminator('\0').collect();
        prop_assert_eq!(seen, texts);
    }
}

#[test]
fn lines_arrive_verbatim_as_argument_and_variable() {
    let env = TestEnv::new();
    let text = "one\n  two\n\n#{pane_pid}\n$(touch x)\n";
    let seen = spawn_with(&env, "lines", text, &env.project());
    assert_eq!((seen.args[0].as_str(), seen.odd.as_str()), (text, text));
    assert!(!seen.title.as_str().unwrap().contains('\n'), "a title is one line: {}", seen.title);
    assert_nothing_ran(&env);
}

#[test]
fn an_agent_works_and_resumes_in_a_directory_of_any_name() {
    let env = TestEnv::new();
    let more = ["two\nlines", "with spaces", "'", "\"quoted\"", "{a,b}"];
    for (n, text) in TEXTS.into_iter().chain(more).enumerate() {
        let dir = env.root().join("dirs").join(n.to_string()).join(text);
        fs::create_dir_all(&dir).unwrap();
        let name = format!("agent-{n}");
        let seen = spawn_with(&env, &name, "plain", &dir);
        assert_eq!(seen.pwd, dir.to_str().unwrap());
        let shown = agent(&env, &name);
        assert_eq!(shown["working_directory"], dir.to_str().unwrap());
        assert!(!dir.join("x").exists(), "{text:?} was interpreted");
        if n % 4 == 0 {
            let out = env.root().join(format!("out-{name}"));
            fs::remove_file(out.join("done")).unwrap();
            env.symposium(["agent", "restart", &name]).env("OUT", &out).ok();
            env.wait_until("the witness has written again", || out.join("done").exists());
            assert_eq!(
                fs::read_to_string(out.join("pwd")).unwrap().trim_end_matches('\n'),
                dir.to_str().unwrap()
            );
        }
    }
    assert_nothing_ran(&env);
}

#[test]
fn a_task_arrives_verbatim() {
    let env = TestEnv::new();
    let text = TEXTS.join("\n");
    let task = format!("remember {text}");
    env.symposium(["agent", "spawn", "demo", "--name", "argument", "--task", &task]).ok();
    env.symposium(["agent", "spawn", "demo", "--name", "stdin", "--task", "-"]).stdin(task.as_str()).ok();
    for name in ["argument", "stdin"] {
        env.symposium(["agent", "wait", name, "--for", "idle", "--timeout", "15s"]).ok();
        let report = fs::read(env.state().join("instances").join(name).join("state/prompt.json")).unwrap();
        let report: Value = serde_json::from_slice(&report).unwrap();
        assert_eq!(report["text"], task, "{name}");
    }
    assert_nothing_ran(&env);
}

#[test]
fn a_nul_byte_is_refused_before_anything_is_created() {
    let env = TestEnv::new();
    let refused =
        env.symposium(["agent", "spawn", "demo", "--name", "one", "--task", "-"]).stdin("a\0b").fails(2);
    assert!(refused.stderr.contains("cannot be typed"), "{refused:?}");
    assert!(agents(&env).is_empty());
}

#[test]
fn a_home_of_any_name_works_with_transcript_and_hooks() {
    for name in ["it's a \"home\" #{pane_pid} $(touch x)", "50% {a,b} [c] *?\\"] {
        let env = TestEnv::new();
        let home = env.root().join(name);
        let run = |args: &[&str]| env.symposium(args).env("SYMPOSIUM_HOME", &home);
        run(&["agent", "spawn", "demo", "--name", "demo", "--task", "remember the milk"]).ok();
        // Only a hook can report that it is idle, and only the pipe can have written the transcript.
        run(&["agent", "wait", "demo", "--for", "idle", "--timeout", "15s"]).ok();
        let logs = run(&["agent", "logs", "--plain", "demo"]).ok();
        assert!(logs.stdout.contains("remember the milk"), "{logs:?}");
        run(&["agent", "send", "demo", "/crash 3"]).ok();
        let crashed = || run(&["agent", "show", "demo", "--json"]).ok().json()["status"] == "crashed";
        env.wait_until("the crash is recorded", crashed);
        run(&["agent", "resume", "demo"]).ok();
        run(&["agent", "kill", "demo"]).ok();
        assert!(!env.state().exists(), "the default home was used");
        assert_nothing_ran(&env);
    }
}
