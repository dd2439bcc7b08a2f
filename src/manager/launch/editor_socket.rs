//! Connects `code FILE` in an agent to the editor that the agent is shown in.
//!
//! `code` uses the socket that a variable names. The socket disappears with its window or terminal, while the agent
//! keeps its environment. Therefore the variable names a symbolic link, and each attach from an editor updates the
//! link.

use std::path::PathBuf;

use crate::manager::launch::Launcher;
use crate::model::AgentId;
use crate::store::{RunFiles, StoreError};

/// Variable in which VS Code, on the machine where the agents run, names the socket of the current window.
pub(in crate::manager) const EDITOR: &str = "VSCODE_IPC_HOOK_CLI";
/// Maximum length of a socket address in bytes: the smaller of the limits of Linux and macOS.
const MAX_SOCKET_PATH: usize = 103;

fn file(id: AgentId) -> String {
    format!("editor-{id}")
}

impl Launcher<'_> {
    /// Points the agent's link to the editor that this command runs in. Does nothing outside an editor.
    pub(in crate::manager) fn point_to_editor(&self, id: AgentId) {
        let Some(socket) = self.0.env.var(EDITOR) else { return };
        // A value inherited from an agent is the link itself, which must not point to itself.
        let is_link =
            RunFiles(&self.0.store).link_path(&file(id)).is_some_and(|link| link.as_os_str() == socket);
        if !is_link && let Err(error) = RunFiles(&self.0.store).link(&file(id), socket.as_ref()) {
            self.0.notice(format!("`code` in the agent will not find this editor: {error}"));
        }
    }

    /// Returns the agent's link if it has one and the path fits into a socket address.
    pub(in crate::manager) fn editor_link(&self, id: AgentId) -> Option<PathBuf> {
        RunFiles(&self.0.store).link_path(&file(id)).filter(|link| link.as_os_str().len() <= MAX_SOCKET_PATH)
    }

    /// Removes the agent's link.
    pub(in crate::manager) fn forget_editor(&self, id: AgentId) -> Result<(), StoreError> {
        RunFiles(&self.0.store).remove(&file(id))
    }
}
