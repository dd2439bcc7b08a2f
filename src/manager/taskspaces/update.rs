//! `update_taskspace`: changes the title and description of a taskspace.

use serde_json::Value;

use crate::error::Error;
use crate::manager::registry::RegistryWriter;
use crate::manager::taskspaces::Taskspaces;
use crate::model::{AgentName, Taskspace, Title};
use crate::store::AgentLocks;

/// The changes; fields that are `None` stay unchanged.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TaskspaceUpdate {
    /// Free text for lists and the status line.
    pub title: Option<String>,
    /// The new description of the task.
    pub description: Option<String>,
}

impl Taskspaces<'_> {
    /// Changes title and description. Fields of other programs in the file are kept.
    pub fn taskspace_update(&self, name: &AgentName, update: &TaskspaceUpdate) -> Result<Taskspace, Error> {
        {
            let _lock = AgentLocks(&self.0.store).lock(name, "taskspace update")?;
            self.taskspace(name)?;
            if let Some(description) = &update.description {
                self.rewrite_taskspace(name, |file| {
                    file.insert("description".into(), Value::from(description.trim()));
                    Some(())
                })?;
            }
            if let Some(title) = &update.title {
                let title = Title::clean(title).map(String::from);
                RegistryWriter(self.0).write(|edit| {
                    if let Ok(Some(mut record)) = edit.get(name) {
                        record.title = title;
                        edit.put(record);
                    }
                })?;
            }
        }
        self.taskspace(name)
    }
}
