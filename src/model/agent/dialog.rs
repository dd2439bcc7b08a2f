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
    /// Where it stands relative to the other options.
    #[serde(skip)]
    pub placement: OptionPlacement,
}

/// How the options of a dialog are laid out, which decides the arrow keys that move its marker.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum OptionPlacement {
    /// Each option has a line of its own: Up and Down move the marker.
    #[default]
    Line,
    /// The options are buttons in one row: Left and Right move the marker.
    Row,
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
    /// The options from top to bottom or from left to right; empty where the answer is typed.
    pub options: Vec<DialogOption>,
}
