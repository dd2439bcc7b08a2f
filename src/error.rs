//! The error that a user encounters: a code for programs, a message, observations, and hints that can be pasted.
//!
//! An error is built where the failure happens. A situation that occurs in several places has one constructor, in the
//! file of its topic below this module.

mod agents;
mod code;
mod delivery;
mod hosts;
mod questions;
mod refusals;
mod sharing;
mod specs;
mod text;
mod unknown_names;

use std::io;

pub(crate) use crate::base::sanitize::shown;
pub(crate) use code::Code;
pub(crate) use delivery::{TypedText, Undelivered};
pub(crate) use text::{indented, listed, seconds};
pub(crate) use unknown_names::UnknownName;

type Source = Box<dyn std::error::Error + Send + Sync>;

/// An error as a user encounters it.
#[derive(Debug)]
pub struct Error {
    code: Code,
    message: String,
    saw: Vec<String>,
    hints: Vec<String>,
    source: Option<Source>,
}

impl Error {
    /// Creates an error with a message: lower case, the subject in backticks, and what happened.
    pub(crate) fn new(code: Code, message: impl Into<String>) -> Error {
        Error { code, message: message.into(), saw: Vec::new(), hints: Vec::new(), source: None }
    }

    /// Returns a function that wraps an I/O error with the operation that failed.
    pub(crate) fn io(what: impl Into<String>) -> impl FnOnce(io::Error) -> Error {
        let what = what.into();
        move |source| Error::new(Code::SystemCall, format!("{what}: {source}")).caused_by(source)
    }

    /// Adds an observation that led to the error.
    pub(crate) fn saw(mut self, line: impl Into<String>) -> Error {
        self.saw.push(line.into());
        self
    }

    /// Adds several observations, in their order.
    pub(crate) fn saw_all(mut self, lines: impl IntoIterator<Item = impl Into<String>>) -> Error {
        self.saw.extend(lines.into_iter().map(Into::into));
        self
    }

    /// Adds a suggestion, with a command that can be pasted.
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Error {
        self.hints.push(hint.into());
        self
    }

    /// Adds several suggestions, in their order.
    pub(crate) fn hint_all(mut self, hints: impl IntoIterator<Item = impl Into<String>>) -> Error {
        self.hints.extend(hints.into_iter().map(Into::into));
        self
    }

    /// Adds the cause, for callers that need its data.
    pub(crate) fn caused_by(mut self, source: impl Into<Source>) -> Error {
        self.source = Some(source.into());
        self
    }

    /// Replaces the observations.
    pub(crate) fn with_observation(mut self, line: impl Into<String>) -> Error {
        self.saw = vec![line.into()];
        self
    }

    /// Rewrites the message and each hint.
    pub(crate) fn rewritten(mut self, message: String, hint: impl Fn(&str) -> String) -> Error {
        self.message = message;
        self.hints = self.hints.iter().map(|text| hint(text)).collect();
        self
    }

    /// Returns the situation that the error describes.
    pub(crate) fn code(&self) -> Code {
        self.code
    }

    /// Returns the exit code of the process.
    pub(crate) fn exit(&self) -> u8 {
        self.code.exit()
    }

    /// Returns the observations that led to the error.
    pub(crate) fn observations(&self) -> &[String] {
        &self.saw
    }

    /// Returns the suggestions, with commands that can be pasted.
    pub(crate) fn hints(&self) -> &[String] {
        &self.hints
    }

    /// Returns the cause if it has this type.
    pub(crate) fn cause<T: std::error::Error + 'static>(&self) -> Option<&T> {
        self.source.as_ref()?.downcast_ref()
    }

    /// Returns the kind of the I/O error that caused this error, if one did.
    pub(crate) fn io_kind(&self) -> Option<io::ErrorKind> {
        self.cause::<io::Error>().map(io::Error::kind)
    }

    /// Returns whether this machine lacks a usable tmux.
    pub(crate) fn is_without_tmux(&self) -> bool {
        matches!(self.code, Code::TmuxMissing | Code::TmuxTooOld)
    }

    /// Returns the hints as one line of advice.
    pub(crate) fn advice(&self) -> String {
        self.hints.join("; ")
    }

    /// Returns the error as the command line prints it, without colours.
    pub(crate) fn text(&self) -> String {
        let saw = self.saw.iter().map(|line| format!("\n  {line}"));
        let hints = self.hints.iter().map(|hint| format!("\nhint: {hint}"));
        std::iter::once(format!("error: {}", self.message)).chain(saw).chain(hints).collect()
    }

    /// Returns the error as JSON.
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::json!({
            "error": {
                "code": self.code.as_str(), "message": self.message, "saw": self.saw, "hints": self.hints
            }
        })
    }
}

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_ref().map(|source| source.as_ref() as _)
    }
}

#[cfg(test)]
mod tests;
