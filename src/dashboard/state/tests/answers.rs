//! Answers reach only questions that the user has seen to their end.

use crate::dashboard::state::agent_key::AgentKey;
use crate::dashboard::state::event::{AnswerChoice, DashboardEffect, DashboardEvent};
use crate::dashboard::state::modal::Modal;
use crate::dashboard::state::mouse::{MouseAction, MouseInput};
use crate::dashboard::state::testing::{self, agent, asking, list, press, read, state};
use crate::dashboard::state::tests::{SIZE, some_agents};
use crate::dashboard::state::{DashboardState, Tone, update};
use crate::model::{Agent, Status};

/// Returns the answers among effects as text.
fn answered(effects: Vec<DashboardEffect>) -> Vec<String> {
    let text = |effect| match effect {
        DashboardEffect::Answer { target, question, choice } => {
            format!("{} {question} {choice:?}", target.name)
        }
        other => format!("{other:?}"),
    };
    effects.into_iter().map(text).collect()
}

/// Returns the agent and the position of the question that the review shows.
fn reviewed(state: &DashboardState) -> Option<(String, usize)> {
    let Some(Modal::Review(window)) = state.modals.last() else { return None };
    Some((window.questions[window.at].target.name.to_string(), window.scroll))
}

/// Presses a key without a frame before it.
fn press_unseen(state: &mut DashboardState, key: &str) -> Vec<DashboardEffect> {
    update(state, DashboardEvent::Key(key.parse().unwrap()))
}

/// Returns an agent that asks a question of this many lines.
fn asking_at_length(name: &str, lines: usize) -> Agent {
    let mut agent = asking(name, "long");
    let question = agent.question.as_mut().unwrap();
    question.text = (1..=lines).map(|line| format!("part-{line}")).collect::<Vec<_>>().join("\n");
    agent
}

#[test]
fn marked_agents_are_approved_one_after_the_other_and_each_is_shown() {
    let mut state =
        state(SIZE, vec![asking("a", "q1"), asking("b", "q2"), asking("c", "q3"), agent("d", Status::Idle)]);
    press(&mut state, "M");
    assert_eq!(press(&mut state, "y"), []);
    read(&mut state);
    assert_eq!(answered(press(&mut state, "y")), ["a q1 Approve"]);
    assert_eq!(reviewed(&state), Some(("b".into(), 0)));
    // A newer question does not get the answer to the one that is shown.
    list(&mut state, vec![asking("a", "q1"), asking("b", "newer"), asking("c", "q3")]);
    read(&mut state);
    assert_eq!(answered(press(&mut state, "n s")), ["b q2 Deny"]);
    assert!(state.modals.is_empty());
}

#[test]
fn a_held_key_approves_no_question_of_a_review() {
    let mut state = state(SIZE, vec![asking("a", "q1"), asking("b", "q2"), asking("c", "q3")]);
    press(&mut state, "M y");
    for _ in 0..3 {
        assert_eq!(press_unseen(&mut state, "y"), [], "the question was not drawn");
    }
    state.note_drawn();
    // The keyboard repeats a key about 30 times a second.
    for _ in 0..60 {
        state.now += std::time::Duration::from_millis(33);
        assert_eq!(press(&mut state, "y"), []);
    }
    assert_eq!(reviewed(&state), Some(("a".into(), 0)));
    read(&mut state);
    assert_eq!(answered(press(&mut state, "y")), ["a q1 Approve"]);
    assert_eq!(press_unseen(&mut state, "y"), []);
}

#[test]
fn a_question_below_a_review_is_not_answered_by_the_last_key_of_it() {
    let mut state = state(SIZE, vec![asking("a", "q1"), asking("b", "q2")]);
    press(&mut state, "j m k y");
    read(&mut state);
    assert_eq!(answered(press(&mut state, "y")), ["b q2 Approve"]);
    assert_eq!(press(&mut state, "y"), [], "`a` is selected and asks, too");
}

#[test]
fn a_question_without_room_is_answered_after_its_last_line_was_shown() {
    let mut state = state((80, 24), vec![asking_at_length("a", 40)]);
    for key in ["y", "n", "2"] {
        assert_eq!(press(&mut state, key), [], "{key}");
        assert_eq!(reviewed(&state), Some(("a".into(), 0)));
        read(&mut state);
        assert_eq!(press(&mut state, key), [], "the end is not visible");
        press(&mut state, "PageDown PageDown PageDown");
        assert_eq!(press_unseen(&mut state, key), [], "the end was not drawn");
        press(&mut state, "PageDown");
        assert_eq!(press(&mut state, key), [], "the end has just appeared");
        press(&mut state, "Escape");
    }
    press(&mut state, "y");
    for _ in 0..20 {
        let kind = MouseAction::WheelDown;
        update(&mut state, DashboardEvent::Mouse(MouseInput { kind, column: 5, line: 5 }));
    }
    read(&mut state);
    // The beginning can be read again before the answer.
    press(&mut state, "PageUp");
    assert_eq!(answered(press(&mut state, "2")), ["a long Text(\"2\")"]);
    assert!(state.modals.is_empty());
}

#[test]
fn a_terminal_without_a_detail_pane_shows_the_question_before_it_is_answered() {
    let mut state = state((80, 12), vec![asking("a", "q1")]);
    assert!(state.areas().body.is_empty());
    assert_eq!(press(&mut state, "y"), []);
    read(&mut state);
    assert_eq!(answered(press(&mut state, "y")), ["a q1 Approve"]);
}

#[test]
fn a_long_question_without_approval_is_not_approved() {
    let mut long = asking_at_length("a", 40);
    long.waiting_for = Some(crate::model::WaitingFor::Question);
    let mut state = state((80, 24), vec![long]);
    assert_eq!(press(&mut state, "y"), []);
    assert_eq!(reviewed(&state), None);
    assert!(state.flash.as_ref().unwrap().text.contains("does not ask for approval"));
    assert_eq!(press(&mut state, "1 End PageDown PageDown PageDown PageDown"), []);
    read(&mut state);
    assert_eq!(press(&mut state, "n"), []);
    read(&mut state);
    assert_eq!(answered(press(&mut state, "1")), ["a long Text(\"1\")"]);
}

#[test]
fn an_answer_is_for_the_question_that_is_shown() {
    let mut state = state(SIZE, vec![asking("a", "q1")]);
    let effects = press(&mut state, "y");
    let DashboardEffect::Answer { question, choice, .. } = &effects[0] else { panic!("{effects:?}") };
    assert_eq!((question.as_str(), choice), ("q1", &AnswerChoice::Approve));
    assert_eq!(press(&mut state, "y"), [], "it is answered once only");
    let key = AgentKey::of(&state.agents[0]);
    assert_eq!(state.taken[&key].label, "approving…");
    list(&mut state, vec![asking("a", "q2")]);
    assert_eq!(press(&mut state, "3"), [], "the key applied to the former question");
    state.now = testing::now() + std::time::Duration::from_secs(1);
    let effects = press(&mut state, "3");
    let DashboardEffect::Answer { question, choice, .. } = &effects[0] else { panic!("{effects:?}") };
    assert_eq!((question.as_str(), choice), ("q2", &AnswerChoice::Text("3".into())));
}

#[test]
fn a_question_that_was_not_drawn_yet_is_not_answered() {
    let mut state = state(SIZE, vec![agent("a", Status::Idle)]);
    state.note_drawn();
    list(&mut state, vec![asking("a", "q1")]);
    assert_eq!(update(&mut state, DashboardEvent::Key("y".parse().unwrap())), []);
    assert_eq!(press(&mut state, "y").len(), 1);
}

#[test]
fn an_answer_that_failed_can_be_given_again() {
    let mut state = state(SIZE, vec![asking("a", "q1")]);
    press(&mut state, "n");
    let key = AgentKey::of(&state.agents[0]);
    update(&mut state, DashboardEvent::AnswerFinished { key, outcome: Err("no".into()) });
    assert_eq!(state.flash.as_ref().map(|flash| flash.tone), Some(Tone::Bad));
    assert_eq!(press(&mut state, "n").len(), 1);
}

#[test]
fn keys_without_a_question_answer_nothing() {
    let mut state = state(SIZE, vec![agent("a", Status::Idle)]);
    assert_eq!(press(&mut state, "y n 1"), []);
    list(&mut state, vec![asking("a", "q1")]);
    assert_eq!(press(&mut state, "9"), [], "the question has no such option");
}

#[test]
fn an_answer_without_a_question_says_so() {
    let mut state = state(SIZE, some_agents());
    let shown = |state: &mut DashboardState, keys| {
        assert_eq!(press(state, keys), []);
        state.flash.clone().map(|flash| flash.text).unwrap_or_default()
    };
    for key in ["y", "n", "1"] {
        assert_eq!(shown(&mut state, key), "`b2` has no open question");
    }
    press(&mut state, "k");
    assert_eq!(shown(&mut state, "y"), "no agent is selected");
}

#[test]
fn an_option_beyond_the_ninth_is_chosen_with_two_digits() {
    let mut many = asking("a", "q1");
    many.question.as_mut().unwrap().options = (1..=12).map(|option| format!("option {option}")).collect();
    let mut state = state(SIZE, vec![many]);
    assert_eq!(press(&mut state, "1"), []);
    assert_eq!(reviewed(&state), Some(("a".into(), 0)));
    read(&mut state);
    assert_eq!(press(&mut state, "5 Enter"), [], "there is no option 15");
    assert!(state.flash.as_ref().unwrap().text.contains("no option 15"));
    press(&mut state, "1 9 BSpace");
    read(&mut state);
    assert_eq!(answered(press(&mut state, "1 Enter")), ["a q1 Text(\"11\")"]);
    assert!(state.modals.is_empty());
}
