//! `agent rename`: changes the record first, then the instance directory, then the tmux session. The registry is
//! authoritative, so the next command finishes an interrupted rename.

use std::path::Path;

use crate::error::Error;
use crate::failpoint;
use crate::manager::access::Access;
use crate::manager::lifecycle::Renaming;
use crate::manager::registry::RegistryWriter;
use crate::manager::registry::session_copy::session_record_json;
use crate::manager::status::StatusTracker;
use crate::manager::workspace::Workspaces;
use crate::model::{AgentName, AgentRecord, InvalidName, Workspace};
use crate::store::{AgentLocks, Edit};
use crate::tmux::TmuxError;

/// Changes the parent of an agent's children to `to`, or to none.
pub(in crate::manager) fn adopt(edit: &mut Edit, from: &AgentName, to: Option<&AgentName>) {
    for mut child in edit.all().unwrap_or_default() {
        if child.parent.as_ref() == Some(from) {
            child.parent = to.cloned();
            edit.put(child);
        }
    }
}

/// Returns an error for a name with a special meaning, such as `person`.
pub(in crate::manager) fn refuse_reserved(name: &AgentName) -> Result<(), Error> {
    match name.is_reserved() {
        true => Err(Error::bad_name(name.as_str(), InvalidName::Reserved)),
        false => Ok(()),
    }
}

impl Renaming<'_> {
    /// Renames an agent.
    pub fn rename(&self, old: &AgentName, new: &AgentName) -> Result<AgentRecord, Error> {
        if old == new {
            return self.0.record(old, "rename");
        }
        refuse_reserved(new)?;
        // Locks in a fixed order, so that two opposite renames cannot deadlock.
        let (first, second) = if old < new { (old, new) } else { (new, old) };
        let _first = AgentLocks(&self.0.store).lock(first, "rename")?;
        let _second = AgentLocks(&self.0.store).lock(second, "rename")?;
        StatusTracker(self.0).finish_move(&self.0.record(old, "rename")?)?;
        StatusTracker(self.0).move_renamed_instance(new)?;
        // A share refers to a name: a guest must not reach another agent that gets the old name.
        Access(self.0).end_shares(old);
        let record = self.renamed(old, new)?;
        failpoint::reached("rename.noted");
        let target = self.0.store.instance(new);
        let source = self.0.store.instance(old);
        target.remove()?;
        if source.dir().exists() {
            source.rename_to(&target)?;
        }
        failpoint::reached("rename.moved");
        if record.tmux.is_some() {
            match self.0.tmux()?.rename_session(
                record.id,
                old.as_str(),
                new,
                &session_record_json(&record, self.0.home()),
            ) {
                // A lost agent has no session: it ended with its server, or it was closed.
                Err(
                    TmuxError::NoServer { .. } | TmuxError::NoSessions { .. } | TmuxError::NoSession { .. },
                ) => {}
                other => other?,
            }
        }
        failpoint::reached("rename.session");
        StatusTracker(self.0).finish_move(&record)?;
        Ok(record)
    }

    fn renamed(&self, old: &AgentName, new: &AgentName) -> Result<AgentRecord, Error> {
        let outcome = RegistryWriter(self.0).write(|edit| {
            if edit.contains(new) {
                return Err(Error::name_taken(new));
            }
            let Ok(Some(mut record)) = edit.get(old) else { return Ok(None) };
            record.name = new.clone();
            record.renamed_from = Some(old.clone());
            match record.workspace {
                Workspace::InPlace => {}
                Workspace::Scratch => {
                    record.working_directory =
                        self.0.store.instance(new).workspace().to_string_lossy().into_owned();
                    record.project = Some(record.working_directory.clone());
                }
                Workspace::Worktree => {
                    let dir = Path::new(&record.working_directory);
                    let below =
                        dir.strip_prefix(Workspaces(self.0).workspace_under(old)).unwrap_or(Path::new(""));
                    let dir = Workspaces(self.0).workspace_under(new).join(below);
                    record.working_directory = dir.to_string_lossy().trim_end_matches('/').to_owned();
                }
            }
            if let Some(location) = &mut record.tmux {
                location.session = new.to_string();
            }
            edit.rename(old, record.clone());
            adopt(edit, old, Some(new));
            Ok(Some(record))
        })?;
        outcome?.ok_or_else(|| self.0.no_such_agent(old, "rename"))
    }
}
