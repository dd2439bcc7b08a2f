//! Completion of names, metrics, reloading the configuration, and checks that need no other process.

use std::path::Path;

use crate::manager::diagnostics::reload_config::TmuxConf;
use crate::manager::diagnostics::storage_checks::DiskAnswer;
use crate::manager::diagnostics::{Check, CompletionKind, Completions, Diagnostics, Health, StorageChecks};
use crate::manager::queue::TaskQueue;
use crate::manager::registry::RegistryWriter;
use crate::manager::testing::{TestContext, exit_code};
use crate::model::{Assignee, NewTask, Status, TaskState};
use crate::rules::report::prometheus::Latency;
use crate::store::RunFiles;

fn words(context: &TestContext, kind: CompletionKind) -> Vec<(String, String)> {
    Completions(context).completions(kind)
}

fn pairs(words: &[(&str, &str)]) -> Vec<(String, String)> {
    words.iter().map(|(word, about)| ((*word).to_owned(), (*about).to_owned())).collect()
}

#[test]
fn agents_are_offered_with_their_status_and_title() {
    let context = TestContext::new();
    assert!(words(&context, CompletionKind::Agent).is_empty());
    context.agent("web", Status::Idle);
    context.agent_with("api", Status::Stopped, |record| record.title = Some("the\u{1b}[2J login".into()));
    let expected = [("api", "stopped, the [2J login"), ("web", "idle")];
    assert_eq!(words(&context, CompletionKind::Agent), pairs(&expected));
}

#[test]
fn unfinished_and_failed_tasks_are_offered_newest_first() {
    let context = TestContext::new();
    let api = context.agent("api", Status::Idle);
    for (text, state) in [
        ("open", None),
        ("done", Some(TaskState::Done)),
        ("failed", Some(TaskState::Failed)),
        (&"x".repeat(80), None),
    ] {
        let new = NewTask::plain(Assignee::Agent(api.id, api.name.clone()), text, "person");
        let id = TaskQueue(&context).queue(&new).unwrap();
        if let Some(state) = state {
            TaskQueue(&context).move_first_task(id, TaskState::Queued, state, "x").unwrap();
        }
    }
    let mut offered = words(&context, CompletionKind::Task);
    offered.sort();
    assert_eq!(offered, pairs(&[("1", "open"), ("3", "failed"), ("4", &"x".repeat(60))]));
}

#[test]
fn specs_and_installed_kinds_are_offered_once() {
    let context = TestContext::of_caller(&[("PATH", "/no/such")]);
    context.write_file(
        ".symposium/agents.toml",
        "[agents.review]\ndescription = 'Reads'\n[agents.demo]\nkind = 'demo'\n",
    );
    let expected = [("default", ""), ("demo", ""), ("review", "Reads")];
    assert_eq!(words(&context, CompletionKind::Spec), pairs(&expected));
}

#[test]
fn files_that_cannot_be_read_offer_nothing_and_stay_as_they_are() {
    let context = TestContext::new();
    let registry = context.home().join("agent-sessions.json");
    let newer = r#"{"format":99,"sessions":{}}"#;
    std::fs::write(&registry, newer).unwrap();
    std::fs::write(context.home().join("config.toml"), "[").unwrap();
    context.write_file(".symposium/agents.toml", "[");
    for kind in [CompletionKind::Agent, CompletionKind::Spec, CompletionKind::Task, CompletionKind::Host] {
        words(&context, kind);
    }
    assert!(words(&context, CompletionKind::Agent).is_empty());
    assert_eq!(std::fs::read_to_string(registry).unwrap(), newer);
    assert!(!context.home().join("ledger.db").exists());
}

#[test]
fn directories_are_offered_by_their_beginning() {
    let context = TestContext::new();
    for file in ["src/a", "src-old/a", ".git/a", "specs"] {
        context.write_file(file, "");
    }
    std::fs::create_dir(context.project().join("s\u{1b}[2J")).unwrap();
    std::os::unix::fs::symlink("src", context.project().join("slink")).unwrap();
    std::os::unix::fs::symlink("gone", context.project().join("sgone")).unwrap();
    let offered = |parent: &str, prefix: &str| Completions(&context).directories(Path::new(parent), prefix);
    assert_eq!(offered(".", "s"), ["slink", "src", "src-old"]);
    assert_eq!(offered(".", ""), ["slink", "src", "src-old"]);
    assert_eq!(offered(".", "."), [".git"]);
    assert_eq!(offered("no-such", ""), [""; 0]);
    assert_eq!(offered(context.project().to_str().unwrap(), "src-"), ["src-old"]);
}

#[test]
fn agents_and_transitions_are_counted() {
    let context = TestContext::new();
    context.agent("a", Status::Idle);
    context.agent("b", Status::Working);
    context.end_process("b", exit_code(1));
    context.agent_with("c", Status::Stopped, |record| record.tmux = None);
    Diagnostics(&context).metrics().unwrap();
    let text = Diagnostics(&context).metrics().unwrap();
    for line in [
        "symposium_agents{status=\"idle\"} 1",
        "symposium_agents{status=\"crashed\"} 1",
        "symposium_agents{status=\"stopped\"} 1",
        "symposium_agents{status=\"working\"} 0",
        "symposium_transitions_total{to=\"crashed\"} 1",
    ] {
        assert!(text.lines().any(|found| found == line), "{line} is missing:\n{text}");
    }
}

#[test]
fn metrics_contain_the_latency_that_the_supervisor_stored() {
    let context = TestContext::new();
    let without = Diagnostics(&context).metrics().unwrap();
    Diagnostics(&context).note_latency(&Latency::default()).unwrap();
    let with = Diagnostics(&context).metrics().unwrap();
    assert!(with.len() > without.len(), "{with}");
    RunFiles(&context.store).write("_latency.json", b"{").unwrap();
    assert_eq!(Diagnostics(&context).metrics().unwrap(), without, "a damaged file is ignored");
}

#[test]
fn metrics_report_agents_as_unknown_while_tmux_does_not_answer() {
    let context = TestContext::new();
    context.agent("a", Status::Idle);
    context.tmux.fall_silent();
    let text = Diagnostics(&context).metrics().unwrap();
    assert!(text.contains("symposium_agents{status=\"unknown\"} 1"), "{text}");
}

#[test]
fn a_reload_without_a_server_says_which_files_exist() {
    let context = TestContext::new();
    context.tmux.end();
    let reload = || Diagnostics(&context).reload_config().unwrap();
    let without = reload();
    assert_eq!((without.config_toml, without.tmux_conf), (false, TmuxConf::Absent));
    assert_eq!(without.lines(), ["config.toml: not present, using defaults", "tmux.conf: not present"]);
    context.configure("max_agents = 3\n");
    std::fs::write(context.home().join("tmux.conf"), "set -g mouse on\n").unwrap();
    let with = reload();
    assert_eq!((with.config_toml, with.tmux_conf), (true, TmuxConf::NoServer));
    std::fs::write(context.home().join("config.toml"), "max_agents = 'many'\n").unwrap();
    let error = Diagnostics(&context).reload_config().unwrap_err();
    assert!(error.text().contains("config.toml:1:14"), "{}", error.text());
}

fn seen(check: &Check) -> (Health, &str, Option<&str>) {
    (check.health, check.saw.as_str(), check.advice.as_deref())
}

#[test]
fn a_writable_disk_is_healthy() {
    let context = TestContext::new();
    let (check, answer) = StorageChecks(&context).check_disk();
    assert_eq!((check.health, answer), (Health::Good, DiskAnswer::Prompt));
    assert!(check.saw.starts_with("writable, ") && check.saw.ends_with(" free"), "{}", check.saw);
}

#[test]
fn kept_copies_of_a_damaged_ledger_are_reported() {
    let context = TestContext::new();
    assert_eq!(seen(&StorageChecks(&context).check_ledger()), (Health::Good, "no events yet", None));
    context.agent("a", Status::Idle);
    assert_eq!(StorageChecks(&context).check_ledger().saw, "1 line written so far");
    std::fs::write(context.home().join("ledger.db.damaged-1"), "").unwrap();
    let check = StorageChecks(&context).check_ledger();
    assert_eq!(
        (check.health, check.saw.as_str()),
        (Health::Note, "1 line written so far; 1 damaged file is kept from repairs")
    );
    assert!(check.advice.unwrap().starts_with("if nothing is missing: rm "));
}

#[test]
fn a_supervisor_that_is_not_running_is_a_problem_only_if_work_waits_for_it() {
    let context = TestContext::new();
    let check = || StorageChecks(&context).check_supervisor();
    assert_eq!(check().health, Health::Good);
    let api = context.agent("api", Status::Idle);
    let new = NewTask::plain(Assignee::Agent(api.id, api.name.clone()), "x", "person");
    TaskQueue(&context).queue(&new).unwrap();
    let waiting = check();
    assert_eq!(
        (waiting.health, waiting.advice.as_deref()),
        (Health::Note, Some("symposium supervisor start"))
    );
}

#[test]
fn the_link_of_hooks_matters_only_if_there_are_agents() {
    let context = TestContext::new();
    assert!(StorageChecks(&context).check_hook_link().is_none());
    context.agent("api", Status::Idle);
    let check = StorageChecks(&context).check_hook_link().unwrap();
    assert!(check.saw.contains("is missing: agents and tmux cannot report events"), "{}", check.saw);
    RunFiles(&context.store).link("symposium", Path::new("/no/such/binary")).unwrap();
    let check = StorageChecks(&context).check_hook_link().unwrap();
    assert!(check.saw.contains("/no/such/binary, which cannot be executed"), "{}", check.saw);
    context.claim_hook_link();
    assert!(StorageChecks(&context).check_hook_link().is_none());
}

#[test]
fn an_environment_that_cannot_be_opened_is_one_failed_check() {
    let error = crate::error::Error::not_safe("the state directory is open to others").hint("chmod it");
    let checks = Diagnostics::doctor_without_home(&error);
    assert_eq!(checks.len(), 1);
    assert_eq!((checks[0].what.as_str(), checks[0].health), ("state", Health::Bad));
    assert!(checks[0].saw.contains("open to others"), "{}", checks[0].saw);
}

#[test]
fn events_of_an_empty_environment_are_counted_without_creating_a_ledger() {
    let context = TestContext::new();
    Diagnostics(&context).metrics().unwrap();
    assert!(!RegistryWriter(&context).has_queues());
    assert!(!context.home().join("ledger.db").exists());
}
