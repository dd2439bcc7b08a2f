//! Gives an agent CLI its hooks for one run: arguments, variables and files of our own, never a file of the user's.
//!
//! A hook costs a process and must never hold up or fail an agent, so each CLI is asked for few events, our command
//! prints nothing, and where the CLI knows a time bound it is a short one. What could only be had by switching a
//! protection off (Codex's trust in hooks), or only by root (Gemini's system files), is left alone.

mod aider;
mod claude;
mod codex;
mod copilot;
mod opencode;
mod qwen;

use std::path::{Path, PathBuf};

use crate::model::{Hooks, Kind};

/// Seconds until a CLI goes on without our hook.
const TIMEOUT: u32 = 5;

/// The program that a hook tells what the agent does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookCommand {
    /// Our binary, by its absolute path.
    pub binary: PathBuf,
    /// The environment the agent belongs to.
    pub home: PathBuf,
}

impl HookCommand {
    /// The hook as an argument list.
    pub fn words(&self) -> Vec<String> {
        let path = |path: &Path| path.to_string_lossy().into_owned();
        vec![path(&self.binary), "--home".into(), path(&self.home), "event".into(), "agent".into()]
    }

    /// The hook as a line for `sh`.
    pub fn shell(&self) -> String {
        // A path cannot hold NUL, the one thing that cannot be quoted.
        shlex::try_join(self.words().iter().map(String::as_str)).unwrap_or_default()
    }
}

/// What one run is given so that its hooks speak.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HookSetup {
    /// Arguments, to stand before the prompt.
    pub args: Vec<String>,
    /// Variables, to be set over all others.
    pub env: Vec<(String, String)>,
    /// Files by name, to be written into the instance's state directory before the start.
    pub files: Vec<(&'static str, String)>,
}

/// What a run of this kind is given; `env` tells what a variable would be without us.
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
