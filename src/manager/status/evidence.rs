//! Evidence about the status that hooks of an agent CLI left in the state directory of the instance.

use crate::manager::status::StatusTracker;
use crate::model::AgentName;
use crate::model::Kind;
use crate::rules::status::from_screen::ToldBy;
use serde::{Deserialize, Serialize};

/// What an agent said last, in the instance's state directory.
pub(in crate::manager) const WORDS: &str = "last-words";
/// What an agent's CLI said it took as its last prompt, in the instance's state directory.
pub(in crate::manager) const PROMPT: &str = "prompt.json";
/// Says that a hook of the agent's CLI has spoken since it was started, in the instance's state directory.
pub(in crate::manager) const HEARD: &str = "heard";

/// A prompt that an agent's CLI said it took.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::manager) struct HeardPrompt {
    /// When.
    #[serde(with = "crate::base::json_time")]
    pub(in crate::manager) at: jiff::Timestamp,
    /// To the letter.
    pub(in crate::manager) text: String,
}

impl StatusTracker<'_> {
    /// The last prompt that its hooks told of.
    pub(in crate::manager) fn heard_prompt(&self, name: &AgentName) -> Option<HeardPrompt> {
        serde_json::from_slice(&self.0.store.instance(name).read_state(PROMPT).ok()??).ok()
    }

    /// Who tells what an agent does: its hooks only once they have been heard since it was started.
    pub(in crate::manager) fn told_by(&self, name: &AgentName, kind: &Kind) -> ToldBy {
        let heard = || self.0.store.instance(name).state_written(HEARD).is_some();
        match kind.hooks.tell_of_prompts() {
            false => ToldBy::Screen,
            true if heard() => ToldBy::Hooks,
            true => ToldBy::Unheard,
        }
    }
}
