//! Command lines as the CLIs get them: a prompt is one argument, whatever it holds.

use std::path::PathBuf;

use proptest::prelude::*;

use super::*;
use crate::kinds::Kinds;

fn kind(name: &str) -> &'static Kind {
    Kinds::builtin().get(name).unwrap()
}

fn line<'a>(base: &'a [String], opening: Opening<'a>, prompt: Option<&'a str>) -> CommandLine<'a> {
    CommandLine { base, opening, prompt, hook: None }
}

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

#[test]
fn each_cli_is_opened_in_its_own_way() {
    let new = Opening::New { conversation: Some("id-1") };
    let old = Opening::Resume { conversation: "id-1" };
    for (name, opening, expected) in [
        ("claude", new, "claude --session-id id-1 say§hi"),
        ("claude", old, "claude --resume id-1 say§hi"),
        ("claude", Opening::ResumeLast, "claude --continue say§hi"),
        ("codex", new, "codex --no-daemon say§hi"),
        ("codex", old, "codex --no-daemon resume id-1 say§hi"),
        ("codex", Opening::ResumeLast, "codex --no-daemon resume --last say§hi"),
        ("gemini", new, "gemini --skip-trust --session-id id-1 -i say§hi"),
        ("gemini", Opening::ResumeLast, "gemini --skip-trust -r latest -i say§hi"),
        ("q", Opening::ResumeLast, "q chat --resume say§hi"),
        ("kiro", old, "kiro-cli chat --resume-id id-1 say§hi"),
        ("goose", new, "goose session -n id-1"),
        ("goose", old, "goose session -r -n id-1"),
        ("aider", old, "aider --restore-chat-history --chat-history-file .aider.chat.id-1.md"),
        ("opencode", old, "opencode -s id-1 --prompt say§hi"),
        ("qwen", old, "qwen -r id-1 -i say§hi"),
        ("copilot", old, "copilot --no-auto-update --resume=id-1 -i say§hi"),
        ("amp", old, "amp threads continue id-1"),
        ("cursor", old, "cursor-agent --resume id-1 say§hi"),
        ("demo", new, "symposium demo-agent --session-id id-1 -- say§hi"),
    ] {
        let kind = kind(name);
        let (base, unsaid) = base(kind, Path::new(&kind.program[0]), &Wish::default());
        assert!(unsaid.is_empty());
        let args = argv(kind, &line(&base, opening, Some("say hi")));
        let expected: Vec<String> = words(expected).iter().map(|word| word.replace('§', " ")).collect();
        assert_eq!(args, expected, "{name}");
    }
}

#[test]
fn a_wish_is_expressed_or_told_to_be_unsaid() {
    let wish = Wish {
        model: Some("m".into()),
        system_prompt: Some("- be\n\"kind\"".into()),
        tier: Some(Tier::Review),
    };
    let (claude, unsaid) = base(kind("claude"), Path::new("/bin/claude"), &wish);
    let expected = [
        "/bin/claude",
        "--model",
        "m",
        "--append-system-prompt",
        " - be\n\"kind\"",
        "--permission-mode",
        "acceptEdits",
    ];
    assert_eq!((claude, unsaid), (expected.map(str::to_owned).to_vec(), vec![]));

    let (codex, unsaid) = base(kind("codex"), Path::new("codex"), &wish);
    assert_eq!(codex[4..], ["-c", "developer_instructions=\"- be\\n\\\"kind\\\"\""]);
    assert_eq!(unsaid, ["Codex cannot be told the approval tier `review`"]);

    let (_, unsaid) = base(kind("aider"), Path::new("aider"), &wish);
    assert_eq!(unsaid.len(), 2, "{unsaid:?}");
}

#[test]
fn a_prompt_is_not_taken_for_a_flag_nor_for_a_subcommand() {
    for (name, prompt, arg) in [
        ("claude", "--help", " --help"),
        ("claude", "update", " update"),
        ("claude", "update it", "update it"),
        ("gemini", "-x", " -x"),
        ("gemini", "update", "update"),
        ("demo", "--help", "--help"),
    ] {
        let base = words("x");
        let args = argv(kind(name), &line(&base, Opening::ResumeLast, Some(prompt)));
        assert_eq!(args.last().unwrap(), arg, "{name}");
    }
}

#[test]
fn hooks_are_given_to_those_that_take_them() {
    let hook = HookCommand { binary: PathBuf::from("/b"), home: PathBuf::from("/h") };
    let base = words("x");
    for (name, count) in [("claude", 4), ("codex", 2), ("demo", 5), ("command", 1)] {
        let start = CommandLine {
            hook: Some(&hook),
            ..line(&base, Opening::New { conversation: None }, Some("p q"))
        };
        assert_eq!(argv(kind(name), &start).len(), count, "{name}");
    }
}

proptest! {
    #[test]
    fn a_prompt_of_any_text_stays_in_one_argument(
        prompt in any::<String>(), id in "[a-z0-9{}-]{1,20}", at in 0usize..14,
    ) {
        let name = Kinds::builtin().names().nth(at).unwrap();
        let kind = kind(name);
        let base = words("program --flag");
        let opening = Opening::New { conversation: Some(&id) };
        let without = argv(kind, &line(&base, opening, None));
        let with = argv(kind, &line(&base, opening, Some(&prompt)));
        let expected = match &kind.prompt {
            PromptVia::Args(template) if !prompt.is_empty() => template.len(),
            _ => 0,
        };
        prop_assert_eq!(with.len(), without.len() + expected);
        prop_assert_eq!(&with[..without.len()], without.as_slice());
        if expected > 0 {
            let last = with.last().unwrap();
            prop_assert!(last == &prompt || last.strip_prefix(' ') == Some(&prompt));
            let after_dashes = with[with.len() - 2] == "--";
            prop_assert!(after_dashes || !last.starts_with('-'));
        }
    }

    #[test]
    fn codex_reads_back_any_system_prompt(text in any::<String>()) {
        let wish = Wish { system_prompt: Some(text.clone()), ..Wish::default() };
        let (args, _) = base(kind("codex"), Path::new("codex"), &wish);
        let table: toml::Table = toml::from_str(args.last().unwrap()).unwrap();
        prop_assert_eq!(table["developer_instructions"].as_str(), Some(text.as_str()));
    }
}
