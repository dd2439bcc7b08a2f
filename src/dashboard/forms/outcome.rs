//! What workers report to the form.

use crate::manager::SpawnOptions;
use crate::model::TrustReview;

/// What is known about a directory that was typed into the form.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct DirectorySurvey {
    /// The text of the field that this is about.
    pub(crate) typed: String,
    /// Whether no such directory exists, so that the text may be the beginning of a path.
    pub(crate) is_incomplete: bool,
    /// The texts that the typed one can be completed to.
    pub(crate) completions: Vec<String>,
    /// What can be spawned there, or why nothing can.
    pub(crate) options: Result<SpawnOptions, String>,
}

/// Why an agent was not started.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SpawnRefusal {
    /// The error, its observations and its hints.
    pub(crate) lines: Vec<String>,
    /// The specs of the project, if the user has to trust them first.
    pub(crate) review: Option<TrustReview>,
}

/// Returns the longest text that all completions begin with.
pub(crate) fn common_beginning(completions: &[String]) -> String {
    let Some(first) = completions.first() else { return String::new() };
    let is_common =
        |length: usize| completions.iter().all(|completion| completion.starts_with(&first[..length]));
    let ends = first.char_indices().map(|(at, c)| at + c.len_utf8());
    let length = ends.take_while(|end| is_common(*end)).last().unwrap_or(0);
    first[..length].to_owned()
}
