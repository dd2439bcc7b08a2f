//! The link `run/symposium` in the state directory, by which hooks start this program.
//!
//! The hooks of agent CLIs and of the tmux server live as long as an agent does, and the binary may be moved or replaced in
//! that time. So they name this link, and every command that a user types points it at the binary of that command. A command
//! of another version takes over the hooks of all agents, as if it had been installed in the place of the former one.

use crate::manager::Context;
use std::path::PathBuf;

use crate::env::{AGENT_ID, Env};

/// The name of the link in `run/`.
const LINK: &str = "symposium";

impl Context {
    /// Points the link at the binary of this process, for a command that a user typed. Inside an agent only a link that
    /// leads to no executable is changed: an agent may see other directories than its hooks do.
    pub fn claim_hook_link(&self) {
        if self.env.is_set(AGENT_ID) {
            return self.mend_hook_link();
        }
        let target = self.store.run_link_target(LINK);
        if let Some(binary) = Env::running_binary().filter(|binary| target.as_ref() != Some(binary)) {
            // Hooks that are started meanwhile follow the former link. If it cannot be replaced, `doctor` and an
            // unconfirmed `agent send` tell when it leads nowhere.
            let _ = self.store.link_run(LINK, &binary);
        }
    }

    /// Points the link at the binary of this process if it leads to no executable.
    pub fn mend_hook_link(&self) {
        if self.store.can_execute_run(LINK) {
            return;
        }
        if let Some(binary) = Env::running_binary() {
            let _ = self.store.link_run(LINK, &binary);
        }
    }

    /// The program that hooks of new processes start: the link, or this binary where the link cannot be used.
    pub(super) fn hook_program(&self) -> PathBuf {
        match self.store.can_execute_run(LINK) {
            true => self.store.run_dir().join(LINK),
            false => self.env.exe().to_path_buf(),
        }
    }

    /// The program for processes of this command: its binary, or the one that hooks start if the binary has been moved since
    /// this process started.
    pub(super) fn own_program(&self) -> PathBuf {
        match Env::running_binary() {
            Some(binary) => binary,
            None if self.env.exe().is_file() => self.env.exe().to_path_buf(),
            None => self.hook_program(),
        }
    }

    /// What keeps the hooks of agents from starting this program; `None` if they can.
    pub(super) fn hook_link_fault(&self) -> Option<String> {
        if self.store.can_execute_run(LINK) {
            return None;
        }
        let link = self.store.run_dir().join(LINK);
        Some(match self.store.run_link_target(LINK) {
            Some(target) => format!(
                "{} leads to {}, which cannot be executed: agents and tmux cannot report what happens",
                link.display(),
                target.display()
            ),
            None => format!("{} is missing: agents and tmux cannot report what happens", link.display()),
        })
    }
}
