//! What the help says in situations other than the usual one.

use super::picture;
use crate::dashboard::state::testing::{agent, press, state};
use crate::model::Status;

#[test]
fn the_help_finds_keys_by_the_name_of_their_action() {
    let mut state = state((100, 30), vec![agent("a", Status::Idle)]);
    press(&mut state, "? g r i d");
    assert!(picture(&state).contains("side by side"), "{}", picture(&state));
    press(&mut state, "z z z");
    assert!(picture(&state).contains("no key matches"), "{}", picture(&state));
}
