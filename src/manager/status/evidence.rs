//! Evidence about the status that hooks of an agent CLI left in the state directory of the instance.

use serde::{Deserialize, Serialize};

use crate::manager::status::AgentEvidence;
use crate::model::AgentName;
use crate::model::Kind;
use crate::rules::status::from_screen::StatusSource;

/// State file with the last message of an agent.
pub(in crate::manager) const LAST_WORDS_FILE: &str = "last-words";
/// State file with the tool that the agent uses, or has used last.
pub(in crate::manager) const LAST_TOOL_FILE: &str = "last-tool";
/// State file with the last prompt that the agent CLI reported as accepted.
pub(in crate::manager) const LAST_PROMPT_FILE: &str = "prompt.json";
/// State file that exists if a hook of the agent CLI has reported since the start.
pub(in crate::manager) const HOOK_SEEN_FILE: &str = "heard";

/// A prompt that an agent CLI reported as accepted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::manager) struct AcceptedPrompt {
    /// Time of the report.
    #[serde(with = "crate::base::json_time")]
    pub(in crate::manager) at: jiff::Timestamp,
    /// The exact text of the prompt.
    pub(in crate::manager) text: String,
}

impl AgentEvidence<'_> {
    /// Returns the last prompt that the agent's hooks reported.
    pub(in crate::manager) fn reported_prompt(&self, name: &AgentName) -> Option<AcceptedPrompt> {
        serde_json::from_slice(&self.0.store.instance(name).read_state(LAST_PROMPT_FILE).ok()??).ok()
    }

    /// Returns the source of an agent's status. Hooks count only after they have reported since the start.
    pub(in crate::manager) fn status_source(&self, name: &AgentName, kind: &Kind) -> StatusSource {
        let has_hook_report = || self.0.store.instance(name).state_written(HOOK_SEEN_FILE).is_some();
        match kind.hooks.report_prompts() {
            false => StatusSource::Screen,
            true if has_hook_report() => StatusSource::Hooks,
            true => StatusSource::HooksSilent,
        }
    }
}
