//! Tables for the rules of hand-offs.

use std::collections::BTreeMap;

use jiff::Timestamp;

use crate::model::{
    Conversation, HandedWork, Param, ParamSort, PartEntry, Status, Tier, Workspace, WorkspaceConfig,
};
use crate::rules::workspace::handoff::*;

fn manifest() -> Manifest {
    let entry = |name| PartEntry { name, size: 1, sha256: String::new() };
    Manifest {
        format: 1,
        symposium: "0.1.0".into(),
        made_at: Timestamp::UNIX_EPOCH,
        name: "a".parse().unwrap(),
        kind: "claude".into(),
        spec: "default".into(),
        status: Status::Idle,
        conversation: Conversation::default(),
        work: Some(HandedWork {
            workspace: Workspace::Worktree,
            branch: Some("main".into()),
            head: "0".repeat(40),
            base: None,
            roots: vec![],
            below: "src/deep".into(),
            remotes: vec![],
        }),
        variables: vec![],
        entries: vec![entry(Part::Record), entry(Part::Spec), entry(Part::Bundle)],
    }
}

#[test]
fn impossible_values_are_refused() {
    assert_eq!(check(&manifest()), Ok(()));
    let wrong: [fn(&mut Manifest); 13] = [
        |m| m.kind = "../kind".into(),
        |m| m.kind = String::new(),
        |m| m.conversation.id = Some("../../x".into()),
        |m| m.conversation.id = Some("a/b".into()),
        |m| m.conversation.id = Some("--help".into()),
        |m| m.entries.retain(|entry| entry.name != Part::Record),
        |m| m.entries.retain(|entry| entry.name != Part::Bundle),
        |m| m.work = None,
        |m| m.work.as_mut().unwrap().below = "../x".into(),
        |m| m.work.as_mut().unwrap().below = "/etc".into(),
        |m| m.work.as_mut().unwrap().below = ".git/hooks".into(),
        |m| m.work.as_mut().unwrap().head = "HEAD".into(),
        |m| m.work.as_mut().unwrap().roots = vec!["--upload-pack=x".into()],
    ];
    for (at, change) in wrong.into_iter().enumerate() {
        let mut manifest = manifest();
        change(&mut manifest);
        assert!(check(&manifest).is_err(), "{at}");
    }
}

#[test]
fn address_is_shown_without_a_password() {
    for (address, expected) in [
        ("https://user:pw@example.org/a.git", "https://example.org/a.git"),
        ("https://x-access-token:abc@example.org/a.git?key=1", "https://example.org/a.git"),
        ("https://example.org", "https://example.org"),
        ("ssh://git@example.org:22/a.git", "ssh://example.org:22/a.git"),
        ("git@example.org:a.git", "git@example.org:a.git"),
        ("/srv/git/a.git", "/srv/git/a.git"),
        ("https://a@b@example.org/x@y", "https://example.org/x@y"),
        ("https://user:a/b@example.org/c.git", "https://example.org/c.git"),
        ("https://example.org:8443/x@y", "https://example.org:8443/x@y"),
        ("token@example.org:a.git", "example.org:a.git"),
    ] {
        assert_eq!(without_credentials(address).as_deref(), Some(expected));
    }
    let token = format!("ghp_{}", "a1B2c3D4".repeat(5));
    for address in [format!("https://example.org/basic/{token}/a.git"), format!("ext::sh -c \"x {token}\"")] {
        assert_eq!(without_credentials(&address), None, "{address}");
    }
}

#[test]
fn files_that_agent_clis_execute_are_reported() {
    let nothing = HandedTexts::default();
    assert_eq!(effects_of_import(&Spec::built_in(), "demo", &nothing), Vec::<String>::new());
    let task = HandedTask {
        text: "!touch `x`\nmore".into(),
        priority: "normal".into(),
        source: "person".into(),
        begun: false,
        timeout_s: None,
        retries: 0,
        after: vec![],
    };
    let begun = HandedTask { begun: true, text: "x".into(), ..task.clone() };
    let mail = HandedMessage {
        from: "guest) run\nthis".into(),
        at: "2026-01-01T00:00:00Z".parse().unwrap(),
        text: "kind words\n\u{200b}rm -rf".into(),
        wake: true,
    };
    let texts = HandedTexts {
        first: Some("You take over".into()),
        tasks: [task, begun].iter().map(handed_on).collect(),
        mail: vec![handed_mail(&mail)],
        ..nothing
    };
    assert_eq!(
        effects_of_import(&Spec::built_in(), "claude", &texts),
        [
            "runs `claude` in the imported work, whose files may configure what it runs",
            "receives this prompt first if its conversation cannot be resumed:\n| You take over",
            "is given the task:\n| !touch `x`\n| more",
            "is given the task:\n| (This task was in progress when the agent was handed over.) x",
            // The sender's name is also untrusted text.
            "is sent:\n| (From guest) run this, before the agent was handed over:) kind words\n| <U+200B>rm -rf",
        ]
    );
}

#[test]
fn actions_are_listed_and_texts_are_not() {
    let quiet = Spec { model: Some("m".into()), system_prompt: Some("p".into()), ..Spec::built_in() };
    assert!(effects_of_import(&quiet, "demo", &HandedTexts::from_spec(&quiet, &[])).is_empty());
    let spec = Spec {
        command: vec!["sh".into(), "-c".into(), "x\u{1b}[2J".into()],
        tools: Some(vec!["Bash".into()]),
        shell_tier: Some(Tier::Free),
        worktree: WorkspaceConfig { setup: vec!["make".into()], copy: vec![".env".into()] },
        env: BTreeMap::from([("A".into(), "secret".into())]),
        ..Spec::built_in()
    };
    let texts = effects_of_import(&spec, "demo", &HandedTexts::default());
    assert_eq!(texts.len(), 5, "{texts:?}");
    assert!(texts.iter().all(|line| !line.contains('\u{1b}')));
    assert!(without_secrets(&spec).env.is_empty());
    assert!(received(spec, "f").env.is_empty());
}

#[test]
fn a_spec_cannot_bring_options_or_variables_of_its_own() {
    let good =
        Spec { model: Some("opus".into()), system_prompt: Some("- You review.".into()), ..Spec::built_in() };
    assert_eq!(check_spec(&good), Ok(()));
    let param = Param { sort: ParamSort::String, default: None, description: None };
    let wrong: [fn(&mut Spec, Param); 6] = [
        |spec, _| spec.model = Some("--dangerously-skip-permissions".into()),
        |spec, _| spec.tools = Some(vec!["--yolo".into()]),
        |spec, _| spec.system_prompt = Some("--yolo".into()),
        |spec, _| spec.command = vec!["sh\0".into()],
        |spec, param| drop(spec.params.insert("x=1\ny".into(), param)),
        |spec, param| drop(spec.params.insert(String::new(), param)),
    ];
    for (at, change) in wrong.into_iter().enumerate() {
        let mut spec = good.clone();
        change(&mut spec, param.clone());
        assert!(check_spec(&spec).is_err(), "{at}");
    }
}

#[test]
fn misleading_branch_names_are_refused() {
    let name: AgentName = "a".parse().unwrap();
    assert_eq!(branches(Some("fix"), &name)[..2], ["fix", "handoff/a"]);
    for bad in ["fix\u{202e}", "refs/heads/main", "origin/main"] {
        assert_eq!(branches(Some(bad), &name)[..2], ["handoff/a", "handoff/a-2"]);
    }
    for good in ["symposium/x", "feature/y", "original/z", "references"] {
        assert_eq!(branches(Some(good), &name)[..2], [good, "handoff/a"]);
    }
    assert_eq!(names(&name).nth(1).unwrap().as_str(), "a-2");
}

#[test]
fn the_first_prompt_can_be_typed() {
    let name: AgentName = "a".parse().unwrap();
    let text = first_prompt(&name, "did \u{1b}[2Jthis\r\nand that\u{0}");
    assert!(text.parse::<crate::model::Prompt>().is_ok(), "{text:?}");
}

#[test]
fn listed_names_are_bounded_in_number_and_length() {
    let long = "X".repeat(100_000);
    let listed = listed_names([long.as_str(), "A\u{1b}"].into_iter());
    assert_eq!(listed, format!("{}…, A<U+001B>", "X".repeat(80)));
    let many: Vec<String> = (0..60).map(|n| format!("V{n}")).collect();
    assert!(listed_names(many.iter().map(String::as_str)).ends_with("V49, and 10 more"));
}
