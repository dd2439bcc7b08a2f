//! A dialog of an agent CLI with options to choose from, as it stands on the screen.

use serde::Serialize;

/// One option of a dialog.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DialogOption {
    /// The number in front of the option; `None` in dialogs without numbers.
    pub number: Option<u32>,
    /// The text of the option.
    pub label: String,
    /// Whether the marker of the dialog stands on it.
    pub is_selected: bool,
}

impl DialogOption {
    /// Returns the option as a line: `2. Blue`.
    pub fn line(&self) -> String {
        match self.number {
            Some(number) => format!("{number}. {}", self.label),
            None => self.label.clone(),
        }
    }
}

/// The dialog that an agent shows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Dialog {
    /// The line that asks.
    pub asks: String,
    /// The options from top to bottom; empty where the answer is typed.
    pub options: Vec<DialogOption>,
}
