//! Tests of the hook settings of each CLI, and of the quoting of arbitrary paths.

use proptest::prelude::*;
use serde_json::Value;

use super::*;
use crate::kinds::{Kinds, read_hook};
use crate::model::HookSignal;

fn hook() -> HookCommand {
    HookCommand { binary: "/opt/my tools/symposium".into(), home: "/home/u/it's".into() }
}

fn setup(name: &str, hook: &HookCommand, state_dir: &str) -> HookSetup {
    hooks(Kinds::builtin().get(name).unwrap(), hook, Path::new(state_dir), &|_| None)
}

#[test]
fn each_cli_gets_only_the_settings_it_supports() {
    for (name, args, env, files) in [
        ("claude", &["--settings"][..], &[][..], &[][..]),
        ("demo", &["--settings"], &[], &[]),
        ("codex", &["-c"], &[], &[]),
        ("qwen", &[], &["QWEN_CODE_SYSTEM_DEFAULTS_PATH"], &["qwen-defaults.json"]),
        ("copilot", &["--plugin-dir"], &[], &["plugin.json", "hooks.json"]),
        ("opencode", &[], &["OPENCODE_CONFIG_CONTENT"], &["opencode-plugin.js"]),
        ("aider", &["--notifications", "--notifications-command"], &[], &[]),
        ("gemini", &[], &[], &[]),
        ("command", &[], &[], &[]),
    ] {
        let setup = setup(name, &hook(), "/s");
        let flags: Vec<&str> =
            setup.args.iter().map(String::as_str).filter(|arg| arg.starts_with('-')).collect();
        assert_eq!(flags, args, "{name}");
        assert_eq!(setup.env.iter().map(|(key, _)| key).collect::<Vec<_>>(), env, "{name}");
        assert_eq!(setup.files.iter().map(|(file, _)| *file).collect::<Vec<_>>(), files, "{name}");
    }
}

#[test]
fn every_hook_event_runs_our_command_with_a_time_limit() {
    let line = "'/opt/my tools/symposium' --home \"/home/u/it's\" event agent";
    let claude = setup("claude", &hook(), "/s").args.remove(1);
    let qwen = setup("qwen", &hook(), "/s").files.remove(0).1;
    let copilot = setup("copilot", &hook(), "/s").files.remove(1).1;
    for (settings, command, bound, at_most) in [
        (claude, "/hooks/0/command", "/hooks/0/timeout", 10),
        (qwen, "/hooks/0/command", "/hooks/0/timeout", 10_000),
        (copilot, "/bash", "/timeoutSec", 10),
    ] {
        let settings: Value = serde_json::from_str(&settings).unwrap();
        let events = settings["hooks"].as_object().unwrap();
        assert!(events.len() >= 6, "{settings}");
        for (event, entries) in events {
            let command_line = entries[0].pointer(command).and_then(Value::as_str).unwrap();
            assert!(
                command_line == line
                    || command_line.contains(&format!("then {line}; else cat >/dev/null; fi")),
                "{command_line}"
            );
            assert!(entries[0].pointer(bound).unwrap().as_u64().unwrap() <= at_most, "{event}");
        }
    }
}

#[test]
fn events_of_aider_are_parsed() {
    let line = setup("aider", &hook(), "/s").args.pop().unwrap();
    let words = shlex::split(&line).unwrap();
    assert_eq!(words[5..].len(), 2, "{line}");
    assert_eq!(read_hook(words[5].as_bytes()).unwrap().0, HookSignal::Ready);
    assert_eq!(words[6], "</dev/null");
}

#[test]
fn opencode_keeps_existing_configuration() {
    let kind = Kinds::builtin().get("opencode").unwrap();
    for (before, model, plugins) in [
        (None, None, vec!["file:///s/opencode-plugin.js"]),
        (Some(r#"{"model":"a/b"}"#), Some("a/b"), vec!["file:///s/opencode-plugin.js"]),
        (
            Some(r#"{"plugin":["theirs","file:///old/state/opencode-plugin.js"]}"#),
            None,
            vec!["theirs", "file:///s/opencode-plugin.js"],
        ),
    ] {
        let setup = hooks(kind, &hook(), Path::new("/s"), &|_| before.map(str::to_owned));
        let config: Value = serde_json::from_str(&setup.env[0].1).unwrap();
        assert_eq!(config["plugin"], Value::from(plugins), "{before:?}");
        assert_eq!(config["model"].as_str(), model, "{before:?}");
    }
    // A value that cannot be parsed belongs to the user and stays unchanged.
    for theirs in ["{ // a comment\n}", "[]", "{\"plugin\":7}"] {
        let setup = hooks(kind, &hook(), Path::new("/s"), &|_| Some(theirs.to_owned()));
        assert_eq!(setup, HookSetup::default(), "{theirs}");
    }
}

proptest! {
    #[test]
    fn any_path_is_one_word_for_the_shell(path in "[^\0]{1,40}") {
        let hook = HookCommand { binary: path.clone().into(), home: path.clone().into() };
        let words = shlex::split(&hook.shell()).unwrap();
        prop_assert_eq!(words, [path.as_str(), "--home", path.as_str(), "event", "agent"]);
    }

    #[test]
    fn any_path_is_one_word_for_codex_and_for_opencode(path in "[^\0]{1,40}") {
        let hook = HookCommand { binary: path.clone().into(), home: path.clone().into() };
        let codex: toml::Table = toml::from_str(&setup("codex", &hook, "/s").args[1]).unwrap();
        prop_assert_eq!(codex["notify"][0].as_str(), Some(path.as_str()));
        let plugin = setup("opencode", &hook, "/s").files.remove(0).1;
        let words = plugin.lines().find_map(|line| line.strip_prefix("const DOOR = ")).unwrap();
        let words: Vec<String> = serde_json::from_str(words).unwrap();
        prop_assert_eq!(words, hook.words());
    }
}
