//! Answers to dialogs: the dialog must be on the screen, and it must be the one that was read.

use super::{BUSY, PANE, READY, agent, is_key_pressed, is_pressed};
use crate::error::{Code, Error};
use crate::manager::status::ScreenObserver;
use crate::manager::terminal::{ApprovalAnswer, Approvals};
use crate::manager::testing::{TestContext, agent_name};
use crate::model::{AgentId, OutputChange, Question, Status, StatusNote, WaitingFor};

const APPROVAL: &str = include_str!("../../../../tests/golden/screens/claude-approval.txt");
const QUESTION: &str = include_str!("../../../../tests/golden/screens/claude-question.txt");
const CODEX_APPROVAL: &str = include_str!("../../../../tests/golden/screens/codex-approval.txt");

/// Records that a hook of `api` reported a question, and returns its id.
fn ask(context: &TestContext, text: &str) -> String {
    let note = StatusNote::waiting(WaitingFor::Approval, context.now(), text).asking(Question::new(text));
    let record = context.edit("api", |record| record.status = note);
    record.status.current_question().unwrap().id
}

/// Adds an agent of Claude Code that asks for an approval, and returns the id of its question.
fn asking(context: &TestContext) -> String {
    agent(context, "claude", Status::Working, APPROVAL);
    ask(context, "Bash: make clean")
}

fn answer(context: &TestContext, answer: ApprovalAnswer, read: Option<&str>) -> Result<String, Error> {
    Approvals(context).answer(&agent_name("api"), answer, read).map(|done| done.question_line)
}

#[test]
fn approve_and_deny_press_the_keys_of_the_agent_cli() {
    for (verb, key) in [(ApprovalAnswer::Approve, "1"), (ApprovalAnswer::Deny, "Escape")] {
        let context = TestContext::new();
        let id = asking(&context);
        context.tmux.show_after(PANE, key, BUSY);
        assert_eq!(answer(&context, verb, Some(&id)).unwrap(), "Bash: make clean");
        assert!(is_key_pressed(&context, key), "{:?}", context.tmux.received());
        assert_eq!(context.stored("api").status.status, Status::Working, "no hook reports a permitted tool");
    }
}

#[test]
fn no_key_is_pressed_without_a_dialog() {
    let context = TestContext::new();
    agent(&context, "claude", Status::Idle, READY);
    for verb in [ApprovalAnswer::Approve, ApprovalAnswer::Deny] {
        let error = answer(&context, verb, None).unwrap_err();
        assert_eq!(error.code(), Code::NoQuestion);
        assert_eq!(
            error.to_string(),
            "agent `api` shows no dialog that can be answered; nothing was pressed"
        );
    }
    let error = Approvals(&context).answer_with(&agent_name("api"), "1", None).unwrap_err();
    assert_eq!(error.code(), Code::NoQuestion);
    assert!(!is_pressed(&context));
}

#[test]
fn a_question_with_options_is_not_approved() {
    let context = TestContext::new();
    agent(&context, "claude", Status::Idle, QUESTION);
    let error = answer(&context, ApprovalAnswer::Approve, None).unwrap_err();
    assert_eq!(error.code(), Code::NeedsChoice);
    assert!(error.hints().join("\n").contains("symposium agent answer api 1"), "{:?}", error.hints());
    assert!(!is_pressed(&context));
}

#[test]
fn a_command_without_keys_for_an_answer_is_left_to_the_user() {
    let context = TestContext::new();
    agent(&context, "command", Status::Working, "Proceed? [y/n]\n");
    let error = answer(&context, ApprovalAnswer::Deny, None).unwrap_err();
    assert_eq!(error.code(), Code::CannotAnswer);
    assert_eq!(error.to_string(), "symposium does not know how to deny in `command`");
    assert_eq!(error.hints(), ["answer it yourself: `symposium agent attach api`"]);
    assert!(!is_pressed(&context));
}

#[test]
fn the_same_question_asked_again_needs_its_own_answer() {
    let context = TestContext::new();
    let first = asking(&context);
    context.advance_seconds(5);
    context.set_status("api", Status::Idle, "done");
    let error = answer(&context, ApprovalAnswer::Approve, Some(&first)).unwrap_err();
    assert_eq!(error.code(), Code::NoQuestion);
    context.advance_seconds(5);
    let second = ask(&context, "Bash: make clean");
    assert_ne!(first, second);
    let error = answer(&context, ApprovalAnswer::Deny, Some(&first)).unwrap_err();
    assert_eq!(error.code(), Code::OtherQuestion);
    assert!(error.observations().join("\n").contains("make clean"), "{:?}", error.observations());
    let again = format!("symposium agent deny api --if-asks {second}");
    assert!(error.hints().join("\n").contains(&again), "{:?}", error.hints());
    assert!(!is_pressed(&context));
}

#[test]
fn a_dialog_that_only_the_screen_shows_is_not_answered_for_an_earlier_one() {
    // Codex has no hook that reports a dialog.
    let context = TestContext::new();
    agent(&context, "codex", Status::Working, CODEX_APPROVAL);
    ScreenObserver(&context).output_changed("api", OutputChange::Silence).unwrap();
    let asked = context.stored("api").status.current_question().unwrap();
    assert!(asked.text.contains("touch touched-by-agent"), "{}", asked.text);
    context.advance_seconds(5);
    context.tmux.show(PANE, &CODEX_APPROVAL.replace("touched-by-agent", "other-file"));
    let error = answer(&context, ApprovalAnswer::Approve, Some(&asked.id)).unwrap_err();
    assert_eq!(error.code(), Code::OtherQuestion);
    assert!(error.observations().join("\n").contains("other-file"), "{:?}", error.observations());
    assert!(!error.hints().join("\n").contains(&asked.id), "{:?}", error.hints());
    assert!(!is_pressed(&context));
}

#[test]
fn an_option_is_chosen_by_its_number_or_label_and_nothing_else() {
    for (given, key) in [("4", "4"), ("no", "4"), ("1", "1")] {
        let context = TestContext::new();
        asking(&context);
        context.tmux.show_after(PANE, key, BUSY);
        Approvals(&context).answer_with(&agent_name("api"), given, None).unwrap();
        assert!(is_key_pressed(&context, key), "{given}: {:?}", context.tmux.received());
    }
    let context = TestContext::new();
    asking(&context);
    for given in ["5", "0", "maybe", ""] {
        let error = Approvals(&context).answer_with(&agent_name("api"), given, None).unwrap_err();
        assert_eq!(error.code(), Code::NoSuchOption, "{given}");
        assert!(error.observations().join("\n").contains("4. No"), "{:?}", error.observations());
    }
    let error = Approvals(&context).answer_with(&agent_name("api"), "1", Some("earlier")).unwrap_err();
    assert_eq!(error.code(), Code::OtherQuestion);
    assert!(!is_pressed(&context));
}

#[test]
fn an_agent_answers_only_for_its_descendants() {
    let id = AgentId::fresh();
    let context =
        TestContext::of_caller(&[("SYMPOSIUM_AGENT", "me"), ("SYMPOSIUM_AGENT_ID", &id.to_string())]);
    asking(&context);
    context.agent_with("me", Status::Working, |record| record.id = id);
    let error = answer(&context, ApprovalAnswer::Approve, None).unwrap_err();
    assert_eq!(error.code(), Code::NotYours);
    assert!(!is_pressed(&context));
    context.edit("api", |record| record.parent = Some(agent_name("me")));
    context.tmux.show_after(PANE, "1", BUSY);
    answer(&context, ApprovalAnswer::Approve, None).unwrap();
}
