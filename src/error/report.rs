//! What is shown of an error: a code for programs, an exit code, a message, what we saw, hints to paste.

/// An error in its words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// For programs.
    pub code: &'static str,
    /// The exit code.
    pub exit: u8,
    /// What happened.
    pub message: String,
    /// What we saw.
    pub saw: Vec<String>,
    /// What to do.
    pub hints: Vec<String>,
}

impl Report {
    /// As a program reads it.
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
