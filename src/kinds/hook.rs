//! Configures the hooks of an agent CLI for one run, with arguments, variables and our own files, never with a file
//! of the user.
//!
//! A hook costs a process and must never delay an agent or make it fail. Therefore each CLI is asked for few events,
//! our command prints nothing, and the timeout is short where the CLI supports one. Hooks that would require
//! disabling a protection (Codex's trust in hooks) or root privileges (Gemini's system files) are not used.

mod aider;
mod claude;
mod codex;
mod copilot;
mod opencode;
mod qwen;

use std::path::{Path, PathBuf};

use crate::model::{Hooks, Kind};

/// Timeout in seconds after which a CLI continues without our hook.
const TIMEOUT: u32 = 5;

/// The command to which a hook reports what the agent does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookCommand {
    /// The absolute path of our binary.
    pub binary: PathBuf,
    /// The state directory of the agent's environment.
    pub home: PathBuf,
}

impl HookCommand {
    /// Returns the hook as an argument list.
    pub fn words(&self) -> Vec<String> {
        let path = |path: &Path| path.to_string_lossy().into_owned();
        vec![path(&self.binary), "--home".into(), path(&self.home), "event".into(), "agent".into()]
    }

    /// Returns the hook as a command line for `sh`.
    pub fn shell(&self) -> String {
        // A path cannot contain NUL, the only character that cannot be quoted.
        shlex::try_join(self.words().iter().map(String::as_str)).unwrap_or_default()
    }
}

/// The settings that enable the hooks of one run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HookSetup {
    /// Arguments, which belong before the prompt.
    pub args: Vec<String>,
    /// Variables, which override all others.
    pub env: Vec<(String, String)>,
    /// Files by name, which are written to the state directory of the instance before the start.
    pub files: Vec<(&'static str, String)>,
}

/// Returns the hook settings for a run of this kind. `env` returns the value that a variable would have otherwise.
pub fn hooks(
    kind: &Kind,
    hook: &HookCommand,
    state_dir: &Path,
    env: &dyn Fn(&str) -> Option<String>,
) -> HookSetup {
    let owner = env("SYMPOSIUM_AGENT_ID");
    match kind.hooks {
        Hooks::None => HookSetup::default(),
        Hooks::ClaudeSettings => claude::setup(hook),
        Hooks::CodexNotify => codex::setup(hook),
        Hooks::QwenDefaults => qwen::setup(hook, state_dir, owner.as_deref()),
        Hooks::CopilotPlugin => copilot::setup(hook, state_dir),
        Hooks::OpencodePlugin => {
            let before = env("OPENCODE_CONFIG_CONTENT");
            opencode::setup(hook, state_dir, before.as_deref(), owner.as_deref())
        }
        Hooks::AiderNotifications => aider::setup(hook),
    }
}

#[cfg(test)]
mod tests;
