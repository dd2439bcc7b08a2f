//! `symposium completions`: the scripts, and what they offer.

use super::{agent, spawned};
use crate::support::TestEnv;

/// Returns what bash offers for these words, the last of which is incomplete. Flags are ignored.
fn offered(env: &TestEnv, words: &[&str]) -> Vec<String> {
    let script = env.symposium(["completions", "bash"]).ok().stdout;
    env.fake_program("symposium", &format!("exec {} \"$@\"", env.binary()));
    let quoted: Vec<String> = words.iter().map(|word| format!("'{word}'")).collect();
    let (last, at) = (quoted.last().map_or("''", String::as_str), quoted.len());
    let asks = format!(
        "{script}\nCOMP_WORDS=(symposium {})\nCOMP_CWORD={at}\n_clap_complete_symposium symposium {last} ''\n\
         printf '%s\\n' \"${{COMPREPLY[@]}}\"\n",
        quoted.join(" ")
    );
    let answer = env.program("bash", ["--norc"]).stdin(asks).ok();
    assert_eq!(answer.stderr, "", "no message is mixed into the text");
    answer
        .stdout
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('-'))
        .map(str::to_owned)
        .collect()
}

#[test]
fn each_shell_has_a_completion_script() {
    let env = TestEnv::new();
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = env.symposium(["completions", shell]).ok().stdout;
        assert!(script.contains("symposium") && script.contains("SYMPOSIUM_COMPLETE"), "{shell}: {script}");
    }
    env.symposium(["completions", "cmd.exe"]).fails(2);
    let script = env.symposium(["completions", "bash"]).ok().stdout;
    env.program("bash", ["-n"]).stdin(script).ok();
}

#[test]
fn completion_offers_agents_tasks_and_specs() {
    let env = TestEnv::new();
    assert_eq!(offered(&env, &["agent", "attach", ""]), Vec::<String>::new());
    spawned(&env, &["--name", "api-fix", "--title", "$(touch x) : `y`", "--", "sleep", "1000"]);
    spawned(&env, &["--name", "web", "--", "sleep", "1000"]);
    spawned(&env, &["--name", "api-docs", "--", "sleep", "1000"]);
    agent(&env, &["kill", "api-docs"]).ok();
    let task = env.symposium(["task", "add", "web", "look around", "--json"]).ok().json();
    let task = task["id"].to_string();
    for (words, expected) in [
        (&["agent", "spa"][..], &["spawn"][..]),
        (&["agent", "attach", "api"], &["api-docs", "api-fix"]),
        (&["agent", "kill", "web", "api-f"], &["api-fix"]),
        (&["agent", "rename", "w"], &["web"]),
        (&["agent", "handoff", "export", "w"], &["web"]),
        (&["message", "send", "w"], &["web"]),
        (&["task", "list", "--agent", "w"], &["web"]),
        (&["task", "cancel", ""], &[&task]),
        (&["agent", "spawn", "dem"], &["demo"]),
        (&["attach", "api"], &["api-docs", "api-fix"]),
        (&["new", "dem"], &["demo"]),
        (&["interr"], &["interrupt"]),
        (&["ls", "--status", "i"], &["idle"]),
        (&["agent", "wait", "web", "--for", "cr"], &["crashed"]),
        (&["agent", "spawn", "--restart", "on"], &["on-failure"]),
        (&["task", "add", "--priority", "c"], &["critical"]),
        (&["task", "list", "--state", "can"], &["cancelled"]),
        // No name is offered for the new name.
        (&["agent", "rename", "web", "ap"], &[]),
        (&["agent", "spawn", "--name", "ap"], &[]),
    ] {
        assert_eq!(offered(&env, words), expected, "{words:?}");
    }
    assert!(!env.project().join("x").exists());
    let elsewhere = env.root().join("elsewhere").display().to_string();
    assert_eq!(offered(&env, &["--home", &elsewhere, "agent", "attach", ""]), Vec::<String>::new());
    assert!(!env.root().join("elsewhere").exists(), "completion creates nothing");
    let here = env.state().display().to_string();
    assert_eq!(offered(&env, &["--home", &here, "agent", "attach", "w"]), ["web"]);
}

#[test]
fn completion_honours_the_typed_home_and_creates_nothing() {
    let env = TestEnv::new();
    let inside =
        |dir| std::fs::read_dir(dir).unwrap().flatten().map(|entry| entry.path()).collect::<Vec<_>>();
    assert_eq!(offered(&env, &["agent", "spawn", "dem"]), ["demo"]);
    assert!(!env.state().exists(), "nothing was started");
    spawned(&env, &["--name", "web", "--", "sleep", "1000"]);
    let (project, home) = (inside(env.project()), inside(env.home()));
    let one = env.root().join("elsewhere").display().to_string();
    // The second form is how bash splits the first.
    for words in [&[&format!("--home={one}")[..]][..], &["--home", "=", &one], &["--home", "~/elsewhere"]] {
        let words = [words, &["agent", "attach", ""]].concat();
        assert_eq!(offered(&env, &words), Vec::<String>::new(), "{words:?}");
    }
    for words in [&["--home=~/.symposium"][..], &["--home", "=", "~/.symposium"], &["--home", "~/.symposium"]]
    {
        let words = [words, &["agent", "attach", ""]].concat();
        assert_eq!(offered(&env, &words), ["web"], "{words:?}");
    }
    assert_eq!((inside(env.project()), inside(env.home())), (project, home));
    assert!(!env.root().join("elsewhere").exists());
}

#[test]
fn completion_offers_nothing_for_an_unreadable_registry() {
    let env = TestEnv::new();
    spawned(&env, &["--name", "a", "--", "sleep", "1000"]);
    let newer = r#"{"format":99,"sessions":{}}"#;
    std::fs::write(env.state().join("agent-sessions.json"), newer).unwrap();
    assert_eq!(offered(&env, &["agent", "attach", ""]), Vec::<String>::new());
    assert_eq!(std::fs::read_to_string(env.state().join("agent-sessions.json")).unwrap(), newer);
}
