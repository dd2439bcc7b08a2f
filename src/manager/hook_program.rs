//! The link `run/symposium` in the state directory, through which hooks start this program.
//!
//! The hooks of agent CLIs and of the tmux server live as long as an agent does, and the binary may be moved or
//! replaced in that time. Therefore they name this link, and every command that a user types points it to the binary of
//! that command. A command of another version takes over the hooks of all agents, as if it had been installed in place
//! of the earlier version.

use std::path::PathBuf;

use crate::env::{AGENT_ID, Env};
use crate::manager::Context;
use crate::store::RunFiles;

/// The name of the link in `run/`.
const LINK: &str = "symposium";

impl Context {
    /// Points the link to the binary of this process, for a command that a user typed. Inside an agent, only a link
    /// that does not lead to an executable is changed: an agent may see other directories than its hooks do.
    pub fn claim_hook_link(&self) {
        if self.env.is_set(AGENT_ID) {
            return self.mend_hook_link();
        }
        let target = RunFiles(&self.store).link_target(LINK);
        if let Some(binary) = Env::running_binary().filter(|binary| target.as_ref() != Some(binary)) {
            // Hooks that start in the meantime follow the old link. If the link cannot be replaced and leads nowhere,
            // `doctor` and an unconfirmed `agent send` report it.
            let _ = RunFiles(&self.store).link(LINK, &binary);
        }
    }

    /// Points the link to the binary of this process if it does not lead to an executable.
    pub fn mend_hook_link(&self) {
        if RunFiles(&self.store).can_execute(LINK) {
            return;
        }
        if let Some(binary) = Env::running_binary() {
            let _ = RunFiles(&self.store).link(LINK, &binary);
        }
    }

    /// Returns the program that hooks of new processes start: the link, or this binary if the link cannot be used.
    pub(super) fn hook_program(&self) -> PathBuf {
        match RunFiles(&self.store).can_execute(LINK) {
            true => self.store.run_dir().join(LINK),
            false => self.env.exe().to_path_buf(),
        }
    }

    /// Returns the program for child processes of this command: its binary, or the program that hooks start if the
    /// binary has been moved since this process started.
    pub(super) fn own_program(&self) -> PathBuf {
        match Env::running_binary() {
            Some(binary) => binary,
            None if self.env.exe().is_file() => self.env.exe().to_path_buf(),
            None => self.hook_program(),
        }
    }

    /// Describes why the hooks of agents cannot start this program, or returns `None` if they can.
    pub(super) fn hook_link_fault(&self) -> Option<String> {
        if RunFiles(&self.store).can_execute(LINK) {
            return None;
        }
        let link = self.store.run_dir().join(LINK);
        Some(match RunFiles(&self.store).link_target(LINK) {
            Some(target) => format!(
                "{} leads to {}, which cannot be executed: agents and tmux cannot report events",
                link.display(),
                target.display()
            ),
            None => format!("{} is missing: agents and tmux cannot report events", link.display()),
        })
    }
}
