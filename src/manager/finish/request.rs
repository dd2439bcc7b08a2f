//! The options of `agent finish`, and the command that has them.

use serde::{Deserialize, Serialize};

use crate::base::sanitize::shell_word;
use crate::model::{AgentName, FinishMethod};

/// The options of `agent finish`.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct FinishRequest {
    /// Name of the agent.
    pub name: AgentName,
    /// The branch that gets the work. The default is the agent's base branch.
    pub into: Option<String>,
    /// How the work gets there. The default is configured.
    pub method: Option<FinishMethod>,
    /// Message of the commits that are made.
    pub message: Option<String>,
    /// Whether agent, worktree and branch stay.
    pub keeps: bool,
    /// Handling of the checks.
    pub checks: CheckPolicy,
    /// Whether a pull request is opened instead.
    #[serde(default)]
    pub opens_pull_request: bool,
}

/// Handling of the checks of the configuration and of the project.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CheckPolicy {
    /// They run. Those of the project need the consent of the user.
    Run,
    /// They run, and the user agrees to those of the project.
    Trust,
    /// They do not run.
    Skip,
}

impl FinishRequest {
    /// Returns a command for the shell that has these options and the additional flags. `--trust` is left out, because
    /// consent is stored as soon as a plan is made, and the command must not agree to other checks than those.
    pub fn command(&self, flags: &[&str]) -> String {
        let mut words: Vec<String> = flags.iter().map(|flag| (*flag).to_owned()).collect();
        words.extend(self.opens_pull_request.then(|| "--pr".to_owned()));
        words.extend(self.method.map(|method| format!("--{method}")));
        words.extend(self.into.as_ref().map(|branch| format!("--into {}", shell_word(branch))));
        words.extend(self.keeps.then(|| "--keep".to_owned()));
        words.extend((self.checks == CheckPolicy::Skip).then(|| "--no-checks".to_owned()));
        words.extend(self.message.as_ref().map(|message| format!("-m {}", shell_word(message))));
        words.push(self.name.to_string());
        format!("symposium agent finish {}", words.join(" "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_printed_command_has_all_options_of_the_request() {
        let plain = FinishRequest {
            name: "fix".parse().unwrap(),
            into: None,
            method: None,
            message: None,
            keeps: false,
            checks: CheckPolicy::Trust,
            opens_pull_request: false,
        };
        assert_eq!(plain.command(&["--yes"]), "symposium agent finish --yes fix");
        let full = FinishRequest {
            into: Some("it's".to_owned()),
            method: Some(FinishMethod::Rebase),
            message: Some("Fix $(it)".to_owned()),
            keeps: true,
            checks: CheckPolicy::Skip,
            ..plain.clone()
        };
        assert_eq!(
            full.command(&[]),
            "symposium agent finish --rebase --into \"it's\" --keep --no-checks -m 'Fix $(it)' fix"
        );
        let pull_request = FinishRequest { opens_pull_request: true, ..plain };
        assert_eq!(pull_request.command(&["--yes"]), "symposium agent finish --yes --pr fix");
    }
}
