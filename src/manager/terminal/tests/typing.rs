//! Interrupts and keys, and what is seen of a screen.

use super::{BUSY, PANE, READY, agent, is_key_pressed, is_pressed};
use crate::error::Code;
use crate::manager::terminal::{AgentInput, AgentScreens, PeekedFrom, TerminalClients};
use crate::manager::testing::{TestContext, agent_name};
use crate::model::Status;

const DEMO_BUSY: &str = include_str!("../../../../tests/golden/screens/demo-busy.txt");
const DRAFT: &str = include_str!("../../../../tests/golden/screens/claude-draft.txt");
const SETUP: &str = include_str!("../../../../tests/golden/screens/claude-setup.txt");

#[test]
fn an_interrupt_presses_the_key_and_sees_that_the_turn_stopped() {
    let context = TestContext::new();
    agent(&context, "demo", Status::Working, DEMO_BUSY);
    context.tmux.show_after(PANE, "Escape", READY);
    let done = AgentInput(&context).interrupt(&agent_name("api")).unwrap();
    assert_eq!((done.keys, done.seen), (vec!["Escape".to_owned()], Some("it is back at its prompt")));
    assert_eq!(context.stored("api").status.status, Status::Idle);
}

#[test]
fn a_prompt_that_an_interrupt_puts_back_is_removed_and_reported() {
    let context = TestContext::new();
    agent(&context, "claude", Status::Working, BUSY);
    context.tmux.show_after(PANE, "Escape", DRAFT);
    context.tmux.show_after(PANE, "C-c", READY);
    let done = AgentInput(&context).interrupt(&agent_name("api")).unwrap();
    assert!(done.put_back.unwrap().starts_with("a draft that"));
}

#[test]
fn an_interrupt_neither_answers_a_first_run_question_nor_reaches_an_ended_agent() {
    let context = TestContext::new();
    agent(&context, "claude", Status::Starting, SETUP);
    let error = AgentInput(&context).interrupt(&agent_name("api")).unwrap_err();
    assert!(error.to_string().contains("first-run question"), "{error}");
    context.set_status("api", Status::Stopped, "it was ended on request");
    let error = AgentInput(&context).interrupt(&agent_name("api")).unwrap_err();
    assert_eq!(error.code(), Code::NotRunning);
    assert!(!is_pressed(&context));
}

#[test]
fn a_command_is_interrupted_with_control_c() {
    let context = TestContext::new();
    agent(&context, "command", Status::Working, "compiling\n");
    let done = AgentInput(&context).interrupt(&agent_name("api")).unwrap();
    assert_eq!((done.keys, done.seen), (vec!["C-c".to_owned()], None));
    assert!(is_key_pressed(&context, "C-c"));
}

#[test]
fn a_caller_that_only_observes_presses_no_key_while_a_terminal_drives() {
    let context = TestContext::new();
    agent(&context, "demo", Status::Idle, READY);
    let keys = ["Enter".to_owned()];
    AgentInput(&context).press_keys_if_undriven(&agent_name("api"), &keys).unwrap();
    context.attach_driver("api");
    let sent = context.tmux.received().len();
    let error = AgentInput(&context).press_keys_if_undriven(&agent_name("api"), &keys).unwrap_err();
    assert_eq!(error.code(), Code::Driven);
    assert!(error.to_string().contains("/dev/pts/900"), "{error}");
    let later = context.tmux.received();
    assert!(!later[sent..].iter().any(|command| command.contains("send-keys")), "{later:?}");
}

#[test]
fn keys_for_an_agent_that_has_ended_are_refused() {
    let context = TestContext::new();
    agent(&context, "demo", Status::Idle, READY);
    context.set_status("api", Status::Exited, "it exited by itself");
    let error = AgentInput(&context).paste_text(&agent_name("api"), "hello").unwrap_err();
    assert_eq!(error.code(), Code::NotRunning);
    assert!(!is_pressed(&context));
}

#[test]
fn peek_shows_the_transcript_only_if_there_is_no_screen() {
    let context = TestContext::new();
    agent(&context, "demo", Status::Idle, "the screen\n\n");
    let peeked = AgentScreens(&context).peek(&agent_name("api")).unwrap();
    assert_eq!((peeked.text.as_str(), peeked.from), ("the screen", PeekedFrom::Screen));
    context.set_status("api", Status::Stopped, "it was ended on request");
    context.close_session("api");
    let peeked = AgentScreens(&context).peek(&agent_name("api")).unwrap();
    assert_eq!((peeked.from, peeked.status), (PeekedFrom::Transcript, Status::Stopped));
    assert!(peeked.silence.is_none());
    assert_eq!(AgentScreens(&context).peek(&agent_name("ap")).unwrap_err().code(), Code::NoSuchAgent);
}

#[test]
fn detach_without_a_name_needs_the_terminal_of_an_agent() {
    let context = TestContext::new();
    context.agent("api", Status::Idle);
    assert_eq!(TerminalClients(&context).detach(Some(&agent_name("api")), None).unwrap(), 0);
    let error = TerminalClients(&context).detach(None, None).unwrap_err();
    assert_eq!(error.code(), Code::Usage);
    assert!(error.hints().join("\n").contains("symposium agent detach NAME"), "{:?}", error.hints());
}
