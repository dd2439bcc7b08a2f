//! When a prompt may be typed, what counts as accepted, and what is recorded. The screens are captures of real agents.

use std::time::Duration;

use crate::error::{Code, Error, TypedText, Undelivered};
use crate::manager::delivery::type_and_confirm::PendingPrompt;
use crate::manager::delivery::{Delivery, SendRequest};
use crate::manager::registry::queries::INITIAL_PROMPT_FILE;
use crate::manager::status::AgentLookup;
use crate::manager::status::evidence::{AcceptedPrompt, HOOK_SEEN_FILE, LAST_PROMPT_FILE};
use crate::manager::testing::{TestContext, agent_name, exit_code};
use crate::model::{FailureCause, FailureSource, Status, TurnFailure};
use crate::rules::status::turn_failure::note_after;
use crate::rules::tasks::typing::LineHandling;
use crate::store::Watches;

const READY: &str = include_str!("../../../tests/golden/screens/claude-ready.txt");

/// Adds an agent of the kind `claude` with this screen.
fn agent(context: &TestContext, status: Status, screen: &str) {
    let record = context.agent_with("api", status, |record| record.kind = "claude".into());
    context.tmux.show(&record.tmux.unwrap().pane, screen);
}

fn pending<'a>(context: &'a TestContext, text: &str) -> PendingPrompt<'a> {
    let agent = AgentLookup(context).running(&agent_name("api"), "send").unwrap();
    let kind = context.kind_of(&context.stored("api")).unwrap();
    let watch = Watches(&context.store).instance(&agent.name).unwrap();
    let pane = agent.tmux.as_ref().unwrap().pane.clone();
    PendingPrompt { manager: &context.context, agent, kind, pane, prompt: text.parse().unwrap(), watch }
}

fn write_state(context: &TestContext, file: &str, bytes: &[u8]) {
    context.store.instance(&agent_name("api")).write_state(file, bytes).unwrap();
}

/// Records that the agent's hook reported an accepted prompt, and returns the report.
fn report_prompt(context: &TestContext, text: &str) -> AcceptedPrompt {
    write_state(context, HOOK_SEEN_FILE, b"");
    let report = AcceptedPrompt { at: context.now(), text: text.into() };
    write_state(context, LAST_PROMPT_FILE, &serde_json::to_vec(&report).unwrap());
    report
}

fn is_typed(context: &TestContext) -> bool {
    context.sent_to_tmux(&["paste-buffer"])
}

fn send(context: &TestContext, text: &str) -> Error {
    let request = SendRequest {
        name: agent_name("api"),
        text: text.into(),
        lines: LineHandling::Together,
        timeout: Duration::ZERO,
    };
    Delivery(context).send_to_running(&request).unwrap_err()
}

#[test]
fn an_agent_at_its_empty_prompt_is_ready() {
    let context = TestContext::new();
    agent(&context, Status::Idle, READY);
    pending(&context, "fix it").wait_until_ready(Duration::ZERO).unwrap();
}

#[test]
fn nothing_is_typed_while_an_agent_is_not_ready() {
    for (screen, why, saw) in [
        (include_str!("../../../tests/golden/screens/claude-draft.txt"), "contains an unsent draft", ""),
        (
            include_str!("../../../tests/golden/screens/claude-approval.txt"),
            "answer to its dialog",
            "Do you want",
        ),
        (include_str!("../../../tests/golden/screens/claude-question.txt"), "answer to its dialog", ""),
        (include_str!("../../../tests/golden/screens/claude-setup.txt"), "answer to its dialog", ""),
        (include_str!("../../../tests/golden/screens/claude-busy.txt"), "it is working", ""),
        ("$ \n", "it did not look ready", "$"),
    ] {
        let context = TestContext::new();
        agent(&context, Status::Idle, screen);
        let error = pending(&context, "fix it").wait_until_ready(Duration::ZERO).unwrap_err();
        assert!(error.to_string().contains(why), "{error}");
        assert!(error.to_string().contains("nothing was typed"), "{error}");
        assert!(error.observations().join("\n").contains(saw), "{:?}", error.observations());
        assert_eq!(error.cause::<Undelivered>().map(|cause| cause.typed), Some(TypedText::Nothing));
        assert!(!is_typed(&context));
    }
}

#[test]
fn a_recorded_question_keeps_prompts_back_even_if_the_screen_does_not_show_it() {
    let context = TestContext::new();
    agent(&context, Status::Waiting, READY);
    let error = pending(&context, "fix it").wait_until_ready(Duration::ZERO).unwrap_err();
    assert!(error.to_string().contains("it is waiting for a user"), "{error}");
}

#[test]
fn the_hooks_of_an_agent_decide_whether_it_still_works() {
    let context = TestContext::new();
    agent(&context, Status::Working, READY);
    pending(&context, "fix it").wait_until_ready(Duration::ZERO).unwrap();
    write_state(&context, HOOK_SEEN_FILE, b"");
    let error = pending(&context, "fix it").wait_until_ready(Duration::ZERO).unwrap_err();
    assert!(error.to_string().contains("it is working"), "{error}");
}

#[test]
fn a_plain_command_is_always_ready() {
    let context = TestContext::new();
    let record = context.agent_with("api", Status::Working, |record| record.kind = "command".into());
    context.tmux.show(&record.tmux.unwrap().pane, "compiling…\n");
    pending(&context, "x").wait_until_ready(Duration::ZERO).unwrap();
}

#[test]
fn an_agent_that_ended_meanwhile_is_reported_with_its_exit() {
    let context = TestContext::new();
    agent(&context, Status::Idle, "$ \n");
    let pending = pending(&context, "fix it");
    context.end_process("api", exit_code(3));
    let error = pending.wait_until_ready(Duration::ZERO).unwrap_err();
    let error = pending.or_its_end(error, TypedText::Nothing);
    assert_eq!(error.code(), Code::EndedMeanwhile);
    assert!(error.to_string().contains("it ended with"), "{error}");
    assert!(error.to_string().contains("nothing was typed"), "{error}");
    let typed = pending.or_its_end(Error::busy(&agent_name("api"), "x"), TypedText::Something);
    assert!(!typed.to_string().contains("nothing was typed"), "{typed}");
}

#[test]
fn an_agent_that_does_not_run_gets_nothing() {
    let context = TestContext::new();
    agent(&context, Status::Idle, READY);
    context.end_process("api", exit_code(0));
    context.set_status("api", Status::Exited, "it exited by itself");
    assert_eq!(send(&context, "fix it").code(), Code::NotRunning);
    assert!(!is_typed(&context));
}

#[test]
fn control_characters_are_refused_before_the_agent_is_looked_at() {
    let context = TestContext::new();
    agent(&context, Status::Idle, READY);
    let sent = context.tmux.received().len();
    assert_eq!(send(&context, "a\u{1b}[2Jb").code(), Code::Unsendable);
    assert_eq!(context.tmux.received().len(), sent);
}

#[test]
fn a_prompt_counts_as_accepted_if_the_agent_reports_the_same_text() {
    for (reported, confirmed) in [
        ("a\n\tb", Some("the agent reported exactly this text")),
        ("a\n    b", Some("the agent reported this text, with spaces in place of tabs")),
        ("something else", None),
    ] {
        let context = TestContext::new();
        agent(&context, Status::Working, READY);
        report_prompt(&context, reported);
        let result = pending(&context, "a\n\tb").press_enter(None);
        match confirmed {
            Some(by) => assert_eq!(result.unwrap(), by),
            None => {
                let error = result.unwrap_err();
                assert!(error.to_string().contains("accepted a different text"), "{error}");
                assert_eq!(error.observations()[0], "something else");
                let cause = error.cause::<Undelivered>().map(|cause| cause.typed);
                assert_eq!(cause, Some(TypedText::Something));
            }
        }
        let pressed = context.tmux.received().iter().filter(|sent| sent.contains("paste-buffer")).count();
        assert_eq!(pressed, 1, "Enter is pressed once");
    }
}

#[test]
fn the_report_of_an_earlier_prompt_is_no_confirmation() {
    let context = TestContext::new();
    agent(&context, Status::Idle, READY);
    let before = report_prompt(&context, "fix it");
    let pending = pending(&context, "fix it");
    assert_eq!(pending.reported_after(None).as_deref(), Some("fix it"));
    assert_eq!(pending.reported_after(Some(&before)), None);
    context.advance_seconds(1);
    report_prompt(&context, "fix it");
    assert_eq!(pending.reported_after(Some(&before)).as_deref(), Some("fix it"), "the same text again");
}

#[test]
fn an_accepted_prompt_is_recorded_and_replaces_the_first_one() {
    let context = TestContext::new();
    agent(&context, Status::Idle, READY);
    context.edit("api", |record| record.conversation.begun = false);
    write_state(&context, INITIAL_PROMPT_FILE, b"first");
    Delivery(&context).note_prompted(&agent_name("api"), "fix\nit").unwrap();
    let stored = context.stored("api");
    assert_eq!((stored.prompt.as_deref(), stored.conversation.begun), (Some("fix it"), true));
    let kept = context.store.instance(&agent_name("api")).read_state(INITIAL_PROMPT_FILE).unwrap();
    assert_eq!(kept, None);
}

#[test]
fn an_agent_whose_hooks_do_not_report_works_from_the_accepted_prompt_on() {
    for (kind, has_hook, expected) in [
        ("aider", false, Status::Working),
        ("claude", false, Status::Working),
        ("claude", true, Status::Idle),
        ("command", false, Status::Idle),
    ] {
        let context = TestContext::new();
        context.agent_with("api", Status::Idle, |record| record.kind = kind.into());
        if has_hook {
            write_state(&context, HOOK_SEEN_FILE, b"");
        }
        let kind = context.kind_of(&context.stored("api")).unwrap();
        Delivery(&context).note_taken(&agent_name("api"), &kind).unwrap();
        assert_eq!(context.stored("api").status.status, expected, "{}", kind.title);
    }
}

#[test]
fn after_a_failed_turn_the_agent_is_at_its_prompt_whatever_its_status_is() {
    let context = TestContext::new();
    agent(&context, Status::Working, READY);
    write_state(&context, HOOK_SEEN_FILE, b"");
    let failure = TurnFailure { cause: FailureCause::Limit, message: "limit".into(), resets_at: None };
    context.edit("api", |record| {
        record.status = note_after(&record.status, &failure, FailureSource::Hook, context.now());
    });
    assert_eq!(pending(&context, "x").noted().unwrap(), Status::Idle);
}

#[test]
fn output_since_a_point_in_the_transcript_is_searched_also_in_a_new_file() {
    let context = TestContext::new();
    agent(&context, Status::Idle, READY);
    let path = context.store.instance(&agent_name("api")).transcript();
    let pending = pending(&context, "x");
    assert!(!pending.printed_since(0, "make"), "there is no transcript yet");
    std::fs::write(&path, "make\r\nlong line of earlier output\r\n").unwrap();
    let before = pending.printed();
    assert!(!pending.printed_since(before, "make"));
    std::fs::write(&path, "$ make\r\n").unwrap();
    assert!(pending.printed_since(before, "make"), "the transcript was begun again");
}
