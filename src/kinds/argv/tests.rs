//! Tests of the command lines of agent CLIs: a prompt is one argument, whatever it contains.

use proptest::prelude::*;

use super::*;
use crate::kinds::Kinds;

fn kind(name: &str) -> &'static Kind {
    Kinds::builtin().get(name).unwrap()
}

fn line<'a>(base: &'a [String], opening: ConversationStart<'a>, prompt: Option<&'a str>) -> CommandLine<'a> {
    CommandLine { base, opening, prompt, hook_args: &[] }
}

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

#[test]
fn each_cli_gets_its_own_arguments() {
    let new = ConversationStart::New { conversation: Some("id-1") };
    let old = ConversationStart::Resume { conversation: "id-1" };
    for (name, opening, expected) in [
        ("claude", new, "claude --session-id id-1 say§hi"),
        ("claude", old, "claude --resume id-1 say§hi"),
        ("claude", ConversationStart::ResumeLast, "claude --continue say§hi"),
        ("codex", new, "codex --no-daemon say§hi"),
        ("codex", old, "codex --no-daemon resume id-1 say§hi"),
        ("codex", ConversationStart::ResumeLast, "codex --no-daemon resume --last say§hi"),
        ("gemini", new, "gemini --skip-trust --session-id id-1 -i say§hi"),
        ("gemini", ConversationStart::ResumeLast, "gemini --skip-trust -r latest -i say§hi"),
        ("q", ConversationStart::ResumeLast, "q chat --resume say§hi"),
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
        let base = base(kind, &kind.program[..1], &CliOptions::default()).unwrap();
        assert!(base.unsupported.is_empty());
        let args = argv(kind, &line(&base.args, opening, Some("say hi")));
        let expected: Vec<String> = words(expected).iter().map(|word| word.replace('§', " ")).collect();
        assert_eq!(args, expected, "{name}");
    }
}

#[test]
fn option_is_passed_or_reported_as_unsupported() {
    let options = CliOptions {
        model: Some("m".into()),
        system_prompt: Some("- be\n\"kind\"".into()),
        tier: Some(Tier::Review),
        tools: vec!["Read".into(), "Bash(git log:*)".into()],
    };
    let claude = base(kind("claude"), &words("/bin/npx claude"), &options).unwrap();
    let expected = [
        "/bin/npx",
        "claude",
        "--model",
        "m",
        "--append-system-prompt",
        " - be\n\"kind\"",
        "--allowedTools=Read,Bash(git log:*)",
        "--permission-mode",
        "acceptEdits",
    ];
    assert_eq!(claude, BaseArgs { args: expected.map(str::to_owned).to_vec(), unsupported: vec![] });

    let codex = base(kind("codex"), &words("codex"), &options).unwrap();
    assert_eq!(codex.args[4..6], ["-c", "developer_instructions=\"- be\\n\\\"kind\\\"\""]);
    assert_eq!(codex.args[6..], words("-a on-request -s read-only"));
    assert_eq!(
        codex.unsupported,
        [
            "Codex has no option to allow tools without approval",
            "Codex does not support the approval tier `review`; `approve` is used instead"
        ]
    );

    let copilot =
        base(kind("copilot"), &words("copilot"), &CliOptions { tier: None, ..options.clone() }).unwrap();
    assert_eq!(copilot.args[4..], ["--allow-tool=Read", "--allow-tool=Bash(git log:*)"]);
    assert_eq!(copilot.unsupported, ["GitHub Copilot CLI has no option for a system prompt"]);
}

#[test]
fn no_kind_exceeds_the_requested_tier() {
    let strictness = |tier: Tier| Tier::ALL.iter().position(|other| *other == tier).unwrap();
    for name in Kinds::builtin().names() {
        let kind = kind(name);
        for requested in Tier::ALL {
            let options = CliOptions { tier: Some(requested), ..CliOptions::default() };
            let args_result = match base(kind, &words("x"), &options) {
                Ok(base) => base.args[1 + kind.args.len()..].to_vec(),
                Err(looser) => {
                    assert!(requested != Tier::Free && looser.tier == requested, "{name}");
                    continue;
                }
            };
            let flags = [&kind.approval.free, &kind.approval.review, &kind.approval.approve];
            let at = flags.iter().position(|flags| **flags == args_result && !args_result.is_empty());
            assert!(
                at.map_or(requested == Tier::Free, |at| at >= strictness(requested)),
                "{name} {requested}: {args_result:?}"
            );
        }
    }
    let refused = base(
        kind("aider"),
        &words("aider"),
        &CliOptions { tier: Some(Tier::Review), ..CliOptions::default() },
    );
    assert_eq!(refused.unwrap_err().to_string(), "Aider cannot enforce the approval tier `review`");
}

#[test]
fn a_prompt_is_not_parsed_as_a_flag_or_subcommand() {
    for (name, prompt, arg) in [
        ("claude", "--help", " --help"),
        ("claude", "update", " update"),
        ("claude", "update it", "update it"),
        ("gemini", "-x", " -x"),
        ("gemini", "update", "update"),
        ("demo", "--help", "--help"),
    ] {
        let base = words("x");
        let args = argv(kind(name), &line(&base, ConversationStart::ResumeLast, Some(prompt)));
        assert_eq!(args.last().unwrap(), arg, "{name}");
    }
}

#[test]
fn hook_arguments_precede_the_prompt() {
    let (base, hooks) = (words("x"), words("--hooks them"));
    let opening = ConversationStart::New { conversation: Some("id-1") };
    let start = CommandLine { hook_args: &hooks, ..line(&base, opening, Some("p q")) };
    assert_eq!(argv(kind("claude"), &start), ["x", "--session-id", "id-1", "--hooks", "them", "p q"]);
}

proptest! {
    #[test]
    fn tools_of_any_text_add_as_many_arguments_as_the_kind_says(
        tools in prop::collection::vec(any::<String>(), 1..5), at in 0usize..14,
    ) {
        let kind = kind(Kinds::builtin().names().nth(at).unwrap());
        let bare = base(kind, &words("x"), &CliOptions::default()).unwrap().args.len();
        let options = CliOptions { tools: tools.clone(), ..CliOptions::default() };
        let added = base(kind, &words("x"), &options).unwrap().args.split_off(bare);
        let each = kind.tools.iter().filter(|arg| arg.contains("{tool}")).count();
        prop_assert_eq!(added.len(), kind.tools.len() - each + each * tools.len());
        prop_assert!(added.iter().all(|arg| arg.starts_with("--")));
    }

    #[test]
    fn a_prompt_of_any_text_stays_in_one_argument(
        prompt in any::<String>(), id in "[a-z0-9{}-]{1,20}", at in 0usize..14,
    ) {
        let name = Kinds::builtin().names().nth(at).unwrap();
        let kind = kind(name);
        let base = words("program --flag");
        let opening = ConversationStart::New { conversation: Some(&id) };
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
        let options = CliOptions { system_prompt: Some(text.clone()), ..CliOptions::default() };
        let base = base(kind("codex"), &words("codex"), &options).unwrap();
        let table: toml::Table = toml::from_str(base.args.last().unwrap()).unwrap();
        prop_assert_eq!(table["developer_instructions"].as_str(), Some(text.as_str()));
    }
}
