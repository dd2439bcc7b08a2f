//! The presentation of an error: a code for programs, an exit code, a message, observations and hints to paste.

/// An error in presentable form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// The code for programs.
    pub code: &'static str,
    /// The exit code of the process.
    pub exit: u8,
    /// A sentence that states what happened.
    pub message: String,
    /// The observations that led to the error.
    pub saw: Vec<String>,
    /// Suggestions, with commands that can be pasted.
    pub hints: Vec<String>,
}

impl Report {
    /// Returns the error as JSON.
    pub fn json(&self) -> serde_json::Value {
        serde_json::json!({
            "error": { "code": self.code, "message": self.message, "saw": self.saw, "hints": self.hints }
        })
    }

    pub(super) fn saw(mut self, line: impl AsRef<str>) -> Report {
        self.saw.push(line.as_ref().to_owned());
        self
    }

    pub(super) fn saw_all(mut self, lines: &[String]) -> Report {
        self.saw.extend_from_slice(lines);
        self
    }

    pub(super) fn hint(mut self, hint: impl AsRef<str>) -> Report {
        self.hints.push(hint.as_ref().to_owned());
        self
    }

    pub(super) fn maybe(mut self, hint: Option<String>) -> Report {
        self.hints.extend(hint);
        self
    }
}
