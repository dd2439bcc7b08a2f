//! What a start takes along: the first prompt, the connection to an editor, and the variables of the caller.

use std::path::Path;

use crate::manager::launch::Launcher;
use crate::manager::specs::LaunchPlanner;
use crate::manager::specs::spawn_manifest::SpawnManifest;
use crate::manager::testing::{TestContext, agent_name};
use crate::model::{AgentRecord, ConversationFiles, Kind, Spec, Status};
use crate::store::RunFiles;

fn kind(context: &TestContext, record: &AgentRecord) -> Kind {
    context.kind_of(record).unwrap()
}

/// Adds an agent of a kind whose conversation has not begun, and keeps its first prompt.
fn with_first_prompt(context: &TestContext, kind: &str) -> AgentRecord {
    let record = context.agent_with("api", Status::Stopped, |record| {
        record.kind = kind.into();
        record.conversation.begun = false;
        record.conversation.id = Some("0b9e2c1a".into());
        record.tmux = None;
    });
    Launcher(context).keep_initial_prompt(&record.name, Some("fix it")).unwrap();
    record
}

/// Writes the spawn manifest of an agent.
fn manifest(context: &TestContext, record: &AgentRecord, change: impl FnOnce(&mut SpawnManifest)) {
    let mut manifest =
        SpawnManifest { record: record.clone(), env: vec![], spec: None, args: None, variables: vec![] };
    change(&mut manifest);
    LaunchPlanner(context).write_spawn_manifest(&manifest).unwrap();
}

#[test]
fn the_first_prompt_is_given_again_until_it_was_accepted() {
    let context = TestContext::new();
    let mut record = with_first_prompt(&context, "claude");
    let first_left = |record: &mut AgentRecord| {
        let kind = kind(&context, record);
        Launcher(&context).first_left(record, &kind)
    };
    for _ in 0..2 {
        assert_eq!(first_left(&mut record).as_deref(), Some("fix it"));
    }
    assert!(!record.conversation.begun);
    Launcher(&context).keep_initial_prompt(&record.name, None).unwrap();
    assert_eq!(first_left(&mut record).as_deref(), Some("fix it"), "no new prompt replaces none");
    crate::manager::registry::RegistryWriter(&context).forget_initial_prompt(&record.name);
    assert_eq!(first_left(&mut record), None);
}

#[test]
fn a_conversation_that_the_agent_cli_has_stored_got_the_first_prompt() {
    let context = TestContext::new();
    let mut record = with_first_prompt(&context, "claude");
    let kind = kind(&context, &record);
    let stored = Path::new(context.env.var("HOME").unwrap()).join(".claude/projects/-p/0b9e2c1a.jsonl");
    std::fs::create_dir_all(stored.parent().unwrap()).unwrap();
    assert_eq!(Launcher(&context).on_disk(&record, &kind), Some(false));
    std::fs::write(&stored, "{}").unwrap();
    assert_eq!(Launcher(&context).on_disk(&record, &kind), Some(true));
    assert_eq!(Launcher(&context).first_left(&mut record, &kind), None);
    assert!(record.conversation.begun, "it is resumed");
    assert_eq!(Launcher(&context).kept_initial_prompt(&record.name), None);
}

#[test]
fn an_agent_that_reports_no_prompts_does_not_get_its_first_prompt_again_after_a_user_attached() {
    let context = TestContext::new();
    let mut record = with_first_prompt(&context, "aider");
    let kind = kind(&context, &record);
    manifest(&context, &record, |_| {});
    record.conversation.begun = true;
    assert_eq!(Launcher(&context).first_left(&mut record, &kind).as_deref(), Some("fix it"));
    assert!(!record.conversation.begun, "it was only assumed that the conversation had begun");
    record.last_attached = Some(context.now());
    assert_eq!(Launcher(&context).first_left(&mut record, &kind), None);
    assert!(record.conversation.begun);
}

#[test]
fn conversations_are_searched_where_the_agent_stores_them() {
    let context = TestContext::of_caller(&[("AGENT_DIR", "/of/caller")]);
    let files = |variable: &str| ConversationFiles {
        variable: variable.into(),
        below_home: ".agent".into(),
        ..ConversationFiles::default()
    };
    let root = |variable: &str, given: &[(&str, &str)]| {
        let given: Vec<_> =
            given.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
        Launcher(&context).conversation_root(&files(variable), &given).unwrap()
    };
    assert_eq!(root("AGENT_DIR", &[("AGENT_DIR", "/a"), ("AGENT_DIR", "/of/agent")]), Path::new("/of/agent"));
    assert_eq!(root("AGENT_DIR", &[("AGENT_DIR", "")]), Path::new("/of/caller"));
    assert_eq!(root("OTHER_DIR", &[]), Path::new(context.env.var("HOME").unwrap()).join(".agent"));
    assert_eq!(root("SYMPOSIUM_HOME", &[]), context.home());
}

#[test]
fn code_in_an_agent_opens_files_in_the_editor_that_shows_it() {
    let socket = "/run/user/1000/vscode-ipc-1.sock";
    let context = TestContext::of_caller(&[("VSCODE_IPC_HOOK_CLI", socket)]);
    let api = context.agent("api", Status::Idle);
    assert_eq!(Launcher(&context).editor_link(api.id), None);
    Launcher(&context).point_to_editor(api.id);
    let link = Launcher(&context).editor_link(api.id).unwrap();
    assert_eq!(std::fs::read_link(&link).unwrap(), Path::new(socket));
    Launcher(&context).forget_editor(api.id).unwrap();
    assert_eq!(Launcher(&context).editor_link(api.id), None);
    assert!(context.notices().is_empty());
}

#[test]
fn a_command_outside_of_an_editor_keeps_the_link() {
    let context = TestContext::new();
    let api = context.agent("api", Status::Idle);
    RunFiles(&context.store).link(&format!("editor-{}", api.id), Path::new("/run/editor.sock")).unwrap();
    Launcher(&context).point_to_editor(api.id);
    let link = Launcher(&context).editor_link(api.id).unwrap();
    assert_eq!(std::fs::read_link(link).unwrap(), Path::new("/run/editor.sock"));
}

#[test]
fn a_shell_that_lacks_a_variable_of_an_agent_is_reported_by_name_only() {
    let context =
        TestContext::of_caller(&[("OPENAI_API_KEY", "sk-secret"), ("LANG", "C"), ("SYMPOSIUM_AGENT_ID", "")]);
    assert_eq!(Launcher(&context).needed_variables(), ["OPENAI_API_KEY"]);
    let api = context.agent("api", Status::Stopped);
    let variables =
        ["ANTHROPIC_API_KEY", "AWS_PROFILE", "GEMINI_API_KEY", "OPENAI_API_KEY"].map(str::to_owned);
    manifest(&context, &api, |manifest| {
        manifest.variables = variables.to_vec();
        manifest.env = vec![("GEMINI_API_KEY".into(), "x".into())];
        let env = [("AWS_PROFILE".to_owned(), "x".to_owned())].into();
        manifest.spec = Some(Spec { env, ..Spec::default() });
    });
    context.agent("unknown", Status::Stopped);
    Launcher(&context).warn_of_lacking_variables(&[agent_name("api"), agent_name("unknown")]);
    assert_eq!(
        context.notices(),
        ["agent `api` had ANTHROPIC_API_KEY when it was spawned, this shell does not"]
    );
}
