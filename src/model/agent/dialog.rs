//! A dialog of an agent CLI as the screen shows it: the line that asks and the options to choose from.

use serde::Serialize;

use crate::base::sanitize::visible;

/// One option of a dialog.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DialogOption {
    /// Number in front of the option; `None` in dialogs without numbers.
    pub number: Option<u32>,
    /// Text of the option without its number.
    pub label: String,
    /// Whether the dialog's selection marker is on this option.
    pub is_selected: bool,
    /// Position of the option relative to the others.
    #[serde(skip)]
    pub placement: OptionPlacement,
}

/// Layout of a dialog's options, which determines the arrow keys that move its marker.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum OptionPlacement {
    /// Each option has its own line: Up and Down move the marker.
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
    /// Line of the dialog that asks the question.
    pub asks: String,
    /// Options from top to bottom or from left to right; empty if the answer is typed.
    pub options: Vec<DialogOption>,
}

impl Dialog {
    /// Returns the question and its options for a terminal, one per line.
    pub fn lines(&self) -> Vec<String> {
        let options = self.options.iter().map(|option| format!("  {}", option.line()));
        std::iter::once(self.asks.clone()).chain(options).flat_map(|line| visible(&line)).collect()
    }
}
