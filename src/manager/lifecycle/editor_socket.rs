//! The way from an agent back to the editor it is looked at in. `code FILE` asks the socket that a variable names, and
//! the socket goes with its window or terminal, while the agent keeps its environment. So the agent is given the name
//! of a link, and whoever attaches from an editor points the link anew.

use crate::manager::lifecycle::Lifecycle;
use std::path::PathBuf;

use crate::model::AgentId;
use crate::store::StoreError;

/// Where VS Code, on the machine where the agents are, says which window is meant.
pub(in crate::manager) const EDITOR: &str = "VSCODE_IPC_HOOK_CLI";
/// What an address of a socket may have on Linux and on macOS, the shorter of the two.
const LONGEST: usize = 103;

fn file(id: AgentId) -> String {
    format!("editor-{id}")
}

impl Lifecycle<'_> {
    /// Points the link of an agent to the editor that this command runs in, if it does.
    pub(in crate::manager) fn point_to_editor(&self, id: AgentId) {
        let Some(socket) = self.0.env.var(EDITOR) else { return };
        // One that was inherited from an agent is a link already, and must not point to itself.
        let is_link = self.0.store.run_link(&file(id)).is_some_and(|link| link.as_os_str() == socket);
        if !is_link && let Err(error) = self.0.store.link_run(&file(id), socket.as_ref()) {
            self.0.notice(format!("`code` in the agent will not find this editor: {error}"));
        }
    }

    /// The link of an agent that has one.
    pub(in crate::manager) fn way_to_editor(&self, id: AgentId) -> Option<PathBuf> {
        self.0.store.run_link(&file(id)).filter(|link| link.as_os_str().len() <= LONGEST)
    }

    /// Removes it.
    pub(in crate::manager) fn forget_editor(&self, id: AgentId) -> Result<(), StoreError> {
        self.0.store.remove_run(&file(id))
    }
}
