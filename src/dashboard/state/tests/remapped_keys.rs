//! Keys that the user has changed apply on every screen that has the action, and the help shows them there.

use crate::dashboard::bindings::{Bindings, KeyScreen};
use crate::dashboard::diff::tests::reviewing;
use crate::dashboard::state::DashboardState;
use crate::dashboard::state::event::{AnswerChoice, DashboardEffect};
use crate::dashboard::state::modal::Modal;
use crate::dashboard::state::testing::{agent, asking, press, read, state};
use crate::dashboard::state::tests::SIZE;
use crate::model::{DashboardAction as Do, DashboardConfig, Status};

/// Gives actions other keys, as `[dashboard.keys]` does.
fn remap(state: &mut DashboardState, keys: &[(Do, &str)]) {
    let keys = keys.iter().map(|(action, key)| (*action, vec![key.parse().unwrap()])).collect();
    state.bindings = Bindings::of(&DashboardConfig { keys, ..DashboardConfig::default() });
}

/// Returns the keys of an action in the help that `?` opens.
fn shown_keys(state: &mut DashboardState, action: Do) -> String {
    press(state, "?");
    let Some(Modal::Help(help)) = state.modals.last() else { panic!("no help") };
    let lines = help.lines(&state.bindings);
    press(state, "Escape");
    lines.into_iter().find(|line| line.what == action.description()).expect("the action has help").keys
}

#[test]
fn the_grid_has_the_keys_of_the_user() {
    let mut state = state((120, 40), vec![agent("a", Status::Working), agent("b", Status::Idle)]);
    remap(&mut state, &[(Do::NextTile, "n"), (Do::ShowInList, "o"), (Do::Close, "Z")]);
    press(&mut state, "G");
    assert_eq!(shown_keys(&mut state, Do::NextTile), "n");
    press(&mut state, "l q Enter");
    assert_eq!(state.grid.as_ref().map(|grid| grid.focus), Some(0), "the default keys do nothing");
    press(&mut state, "n o");
    assert_eq!(state.selected_agent().unwrap().name.as_str(), "b");
    press(&mut state, "G Z");
    assert!(state.modals.is_empty() && state.grid.is_none());
}

#[test]
fn the_review_of_changes_has_the_keys_of_the_user() {
    let mut state = reviewing((120, 30));
    remap(&mut state, &[(Do::Down, "t"), (Do::NextFile, "F3"), (Do::Comment, "j")]);
    assert_eq!(shown_keys(&mut state, Do::Down), "t");
    assert_eq!(shown_keys(&mut state, Do::NextFile), "F3");
    press(&mut state, "g t t");
    let place = |state: &DashboardState| state.diff.as_ref().map(|diff| (diff.file, diff.cursor));
    assert_eq!(place(&state), Some((0, 2)));
    press(&mut state, "Tab");
    assert_eq!(place(&state), Some((0, 2)), "the default key does nothing");
    press(&mut state, "F3");
    assert_eq!(place(&state), Some((1, 0)));
    press(&mut state, "BTab g t t t t t j");
    assert!(matches!(state.modals.last(), Some(Modal::Comment(_))), "the key of another action is free");
}

#[test]
fn questions_in_full_have_the_keys_of_the_user() {
    let mut state = state(SIZE, vec![asking("a", "q1"), asking("b", "q2")]);
    remap(&mut state, &[(Do::Approve, "A"), (Do::Skip, "n"), (Do::Deny, "D")]);
    press(&mut state, "M A");
    read(&mut state);
    assert_eq!(shown_keys(&mut state, Do::Approve), "A");
    assert_eq!(press(&mut state, "y"), [], "the default key does nothing");
    let answer = press(&mut state, "A");
    assert!(
        matches!(&answer[..], [DashboardEffect::Answer { choice: AnswerChoice::Approve, .. }]),
        "{answer:?}"
    );
    read(&mut state);
    assert_eq!(press(&mut state, "n"), [], "the key denies no more");
    assert!(state.modals.is_empty(), "the last question was skipped");
}

#[test]
fn every_window_shows_its_keys_and_a_text_can_have_a_question_mark() {
    let mut state = state(SIZE, vec![agent("a", Status::Idle)]);
    press(&mut state, "g j");
    for (open, key, screen) in [
        ("Space", "F1", KeyScreen::Text),
        ("/", "F1", KeyScreen::Filter),
        (":", "F1", KeyScreen::Palette),
        ("S", "?", KeyScreen::Confirm),
        ("G", "F1", KeyScreen::Grid),
        ("N", "F1", KeyScreen::Form),
    ] {
        press(&mut state, open);
        press(&mut state, key);
        let Some(Modal::Help(help)) = state.modals.last() else { panic!("{open} {key} shows no help") };
        assert_eq!(help.screen, screen);
        press(&mut state, "Escape");
        assert_eq!(state.key_screen(), screen, "the window is open below its help");
        press(&mut state, "Escape");
    }
    press(&mut state, "Space ?");
    let Some(Modal::Prompt(prompt)) = state.modals.last() else { panic!("no prompt") };
    assert_eq!(prompt.input.text(), "?");
}
