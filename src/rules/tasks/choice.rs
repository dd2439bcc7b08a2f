//! Decides which option of a dialog an answer means, and which keys select it.

use std::cmp::Ordering;

use crate::model::{DialogOption, OptionPlacement};

/// Whether keys were already sent for an option. A digit confirms an option at once in some dialogs, and only selects
/// it in others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Attempt {
    /// No key was sent yet.
    First,
    /// Keys were sent, and the dialog is still on the screen.
    Later,
}

/// Returns the index of the option that an answer means: its number, its whole label, or the only option whose label
/// starts with the answer, ignoring case.
pub fn chosen(options: &[DialogOption], answer: &str) -> Option<usize> {
    let answer = answer.trim();
    if let Ok(number) = answer.trim_end_matches('.').parse::<u32>() {
        let by_number = options.iter().position(|option| option.number == Some(number));
        let by_place = || (number as usize).checked_sub(1).filter(|at| *at < options.len());
        let is_numbered = options.iter().any(|option| option.number.is_some());
        return if is_numbered { by_number } else { by_place() };
    }
    let wanted = answer.to_lowercase();
    let label = |option: &DialogOption| option.label.to_lowercase();
    if let Some(at) = options.iter().position(|option| label(option) == wanted) {
        return Some(at);
    }
    let mut alike =
        (0..options.len()).filter(|at| !wanted.is_empty() && label(&options[*at]).starts_with(&wanted));
    alike.next().filter(|_| alike.next().is_none())
}

/// Returns the next keys to reach an option: its digit in the first attempt, if it has one; otherwise one arrow key, so
/// that no key is in transit while the marker is read; Enter once the option is selected.
pub fn keys(options: &[DialogOption], wanted: usize, attempt: Attempt) -> Vec<String> {
    let digit = options.get(wanted).and_then(|option| option.number).filter(|number| *number < 10);
    if let Some(number) = digit.filter(|_| attempt == Attempt::First) {
        return vec![number.to_string()];
    }
    let Some(at) = options.iter().position(|option| option.is_selected) else { return vec![] };
    let key = match (at.cmp(&wanted), options[at].placement) {
        (Ordering::Equal, _) => "Enter",
        (Ordering::Less, OptionPlacement::Line) => "Down",
        (Ordering::Greater, OptionPlacement::Line) => "Up",
        (Ordering::Less, OptionPlacement::Row) => "Right",
        (Ordering::Greater, OptionPlacement::Row) => "Left",
    };
    vec![key.to_owned()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(labels: &[&str], selected: usize, is_numbered: bool) -> Vec<DialogOption> {
        let option = |(at, label): (usize, &&str)| DialogOption {
            number: is_numbered.then_some(at as u32 + 1),
            label: (*label).to_owned(),
            is_selected: at == selected,
            placement: OptionPlacement::Line,
        };
        labels.iter().enumerate().map(option).collect()
    }

    #[test]
    fn an_answer_is_a_number_or_the_beginning_of_one_label() {
        let colours = options(&["Red", "Blue", "Blue-green"], 0, true);
        for (answer, expected) in [
            ("2", Some(1)),
            ("2.", Some(1)),
            ("blue", Some(1)),
            ("Blue-", Some(2)),
            ("r", Some(0)),
            ("b", None),
            ("4", None),
            ("0", None),
            ("", None),
            ("green", None),
        ] {
            assert_eq!(chosen(&colours, answer), expected, "{answer}");
        }
        let trust = options(&["No, exit", "Yes, I trust this folder"], 0, false);
        assert_eq!(
            (chosen(&trust, "2"), chosen(&trust, "yes"), chosen(&trust, "0")),
            (Some(1), Some(1), None)
        );
    }

    #[test]
    fn keys_lead_to_the_option_and_confirm_it() {
        let numbered = options(&["Red", "Blue"], 0, true);
        assert_eq!(keys(&numbered, 1, Attempt::First), ["2"]);
        assert_eq!(keys(&numbered, 1, Attempt::Later), ["Down"]);
        let plain = options(&["a", "b", "c"], 2, false);
        assert_eq!(keys(&plain, 0, Attempt::First), ["Up"]);
        assert_eq!(keys(&plain, 2, Attempt::First), ["Enter"]);
        let row: Vec<DialogOption> = options(&["a", "b", "c"], 1, false)
            .into_iter()
            .map(|option| DialogOption { placement: OptionPlacement::Row, ..option })
            .collect();
        assert_eq!([0, 1, 2].map(|at| keys(&row, at, Attempt::First)), [["Left"], ["Enter"], ["Right"]]);
    }
}
