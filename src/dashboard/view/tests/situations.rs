//! What the footer and the help say in situations other than the usual one.

use super::picture;
use crate::dashboard::state::DashboardState;
use crate::dashboard::state::testing::{agent, list, press, state};
use crate::model::Status;

fn footer(state: &DashboardState) -> String {
    picture(state).lines().last().unwrap_or_default().to_owned()
}

#[test]
fn the_help_finds_keys_by_the_name_of_their_action() {
    let mut state = state((100, 30), vec![agent("a", Status::Idle)]);
    press(&mut state, "? g r i d");
    assert!(picture(&state).contains("side by side"), "{}", picture(&state));
    press(&mut state, "z z z");
    assert!(picture(&state).contains("no key matches"), "{}", picture(&state));
}

#[test]
fn the_footer_offers_what_the_selected_row_can_do() {
    let mut state = state((100, 30), vec![agent("a", Status::Idle)]);
    assert!(footer(&state).starts_with(" Enter type  a attach  Space prompt"), "{}", footer(&state));
    press(&mut state, "k");
    assert!(footer(&state).starts_with(" Enter fold  w next"), "{}", footer(&state));
    press(&mut state, "j");
    list(&mut state, vec![agent("a", Status::Stopped)]);
    let ended = footer(&state);
    assert!(
        ended.starts_with(" r resume  ") && !ended.contains("attach") && !ended.contains("prompt"),
        "{ended}"
    );
    list(&mut state, vec![]);
    let empty = footer(&state);
    assert!(
        empty.starts_with(" N new agent  ") && !empty.contains("type") && !empty.contains("stop"),
        "{empty}"
    );
}

#[test]
fn the_footer_says_what_enter_does_in_a_sidebar_and_in_a_popup() {
    let mut state = state((100, 30), vec![agent("a", Status::Idle)]);
    state.surroundings.is_sidebar = true;
    assert!(footer(&state).starts_with(" Enter attach  Space prompt"), "{}", footer(&state));
    state.surroundings.is_sidebar = false;
    state.surroundings.switched_client = Some("/dev/pts/1".into());
    assert!(footer(&state).starts_with(" Enter switch  Space prompt"), "{}", footer(&state));
}
