//! Questions that have no room in the detail pane or in their window.

use super::picture;
use crate::dashboard::state::testing::{asking, press, state};
use crate::model::{Agent, Extent};

/// Returns an agent that asks for approval of a long command.
fn asking_at_length() -> Agent {
    let mut agent = asking("a", "q");
    let question = agent.question.as_mut().unwrap();
    let parts: Vec<String> = (1..=120).map(|part| format!("part-{part} &&")).collect();
    question.text = format!("Bash: {} rm -rf END", parts.join(" "));
    question.extent = Extent::Cut;
    agent
}

#[test]
fn a_question_without_room_says_how_much_of_it_is_hidden() {
    let mut state = state((80, 24), vec![asking_at_length()]);
    let pane = picture(&state);
    assert!(!pane.contains("rm -rf END") && !pane.contains("3. No"), "{pane}");
    assert!(pane.contains("more lines · y n show all of it"), "{pane}");
    press(&mut state, "y");
    let window = picture(&state);
    assert!(!window.contains("rm -rf END") && !window.contains("n deny ·"), "{window}");
    assert!(window.contains("more lines ") && window.contains("Down PageDown show the rest"), "{window}");
    press(&mut state, "PageDown PageDown");
    let window = picture(&state);
    for text in ["rm -rf END", "longer than what is kept", "3. No", "lines above"] {
        assert!(window.contains(text), "{text} in\n{window}");
    }
    assert!(window.contains("y approve · n deny · 1–3 choose · s skip"), "{window}");
}

#[test]
fn no_column_of_a_question_is_cut_in_a_wide_terminal() {
    let mut long = asking("a", "q");
    long.question.as_mut().unwrap().text = format!("{}END", "x".repeat(500));
    let mut state = state((160, 14), vec![long]);
    press(&mut state, "m y");
    let window = picture(&state);
    assert!(window.contains("END") && window.matches('x').count() >= 500, "{window}");
}

#[test]
fn keys_of_a_question_are_left_out_as_a_whole_in_a_narrow_terminal() {
    let mut asking = asking("a", "q");
    asking.question.as_mut().unwrap().options.truncate(2);
    let shown = picture(&state((40, 20), vec![asking]));
    let keys = shown.lines().find(|line| line.contains("approve")).expect("the keys are shown");
    assert_eq!(keys, "▌y approve · n deny · 1–2 choose");
}
