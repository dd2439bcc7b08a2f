//! The base of an agent's work. The rule, in this order:
//!
//! 1. the ref that the user chose with `--base`, now or before;
//! 2. for a worktree, the branch from which it was created: its local or a remote copy, whichever is nearer to HEAD, or
//!    the recorded commit if the branch is gone;
//! 3. for an agent in place, the commit that was checked out when the agent was created, as far as the reflog goes
//!    back; otherwise HEAD;
//! 4. for a worktree without a record, the nearest main branch of the repository or of one of its remotes.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::base::sanitize::shown;
use crate::error::{Code, Error};
use crate::git::{self, BaseCandidate, BaseSearch, Branches, GitError, History};
use crate::manager::review::Reviews;
use crate::manager::workspace::Workspaces;
use crate::model::{AgentName, AgentRecord, BaseSource, DiffBase, Workspace};

/// The state file with the base that the user chose.
const CHOSEN_BASE_FILE: &str = "base.json";

/// The base that the user chose for an agent.
#[derive(Debug, Serialize, Deserialize)]
struct ChosenBase {
    /// The ref as the user wrote it.
    reference: String,
}

impl Reviews<'_> {
    /// Returns the root of the working tree of an agent.
    pub(in crate::manager) fn working_tree(&self, record: &AgentRecord) -> Result<PathBuf, Error> {
        let dir = match record.workspace {
            Workspace::Worktree => Workspaces(self.0).workspace_of(record),
            _ => PathBuf::from(&record.working_directory),
        };
        if !dir.is_dir() {
            return Err(Workspaces(self.0).directory_gone(record));
        }
        // The repository around a scratch folder, such as one of the home directory, has nothing to do with the agent.
        let is_own = |top: &PathBuf| record.workspace != Workspace::Scratch || top.starts_with(&dir);
        git::project(&dir).filter(is_own).ok_or_else(|| {
            Error::new(
                Code::NoRepository,
                format!("the directory of agent `{}` is not in a git repository", record.name),
            )
            .saw(shown(&dir.to_string_lossy()))
        })
    }

    /// Determines the base of an agent's work, and remembers the one that the user names.
    pub(in crate::manager) fn base(
        &self,
        record: &AgentRecord,
        top: &Path,
        requested: Option<&str>,
    ) -> Result<DiffBase, Error> {
        if let Some(reference) = requested {
            let base = self.chosen_base(record, top, reference)?;
            self.remember_base(&record.name, reference)?;
            return Ok(base);
        }
        if let Some(reference) = self.remembered_base(record) {
            return self.chosen_base(record, top, &reference);
        }
        self.detected_base(record, top).map_err(|why| unreadable(record, &why))
    }

    fn detected_base(&self, record: &AgentRecord, top: &Path) -> Result<DiffBase, GitError> {
        let git = self.0.git();
        let Some(head) = git.head(top)? else {
            return Ok(DiffBase { name: None, commit: None, source: BaseSource::Head });
        };
        if record.workspace != Workspace::Worktree {
            let before = History(&git).head_at(top, record.created_at.as_second())?;
            let found = match before {
                Some(commit) => BaseSearch(&git).at(top, &commit)?,
                None => None,
            };
            return Ok(match found {
                Some(found) => from_commit(found.merge_base, BaseSource::Reflog),
                None => from_commit(head, BaseSource::Head),
            });
        }
        let note = Workspaces(self.0).worktree_note(record);
        let own = Branches(&git).current(top)?.unwrap_or(note.branch);
        if let Some(base) = note.base {
            if let Some(branch) = &base.branch
                && let Some(found) = BaseSearch(&git).nearest_copy(top, branch, Some(&own))?
            {
                return Ok(from_candidate(&found, BaseSource::Spawn));
            }
            if let Some(found) = BaseSearch(&git).at(top, &base.commit)? {
                return Ok(from_commit(found.merge_base, BaseSource::Spawn));
            }
        }
        Ok(match BaseSearch(&git).nearest_main_branch(top, Some(&own))? {
            Some(found) => from_candidate(&found, BaseSource::MainBranch),
            None => from_commit(head, BaseSource::Head),
        })
    }

    fn chosen_base(&self, record: &AgentRecord, top: &Path, reference: &str) -> Result<DiffBase, Error> {
        let found = BaseSearch(&self.0.git()).at(top, reference).map_err(|why| unreadable(record, &why))?;
        let Some(found) = found else {
            return Err(Error::usage(format!(
                "`{}` cannot be the base of `{}`",
                shown(reference),
                record.name
            ))
            .saw("it is not a commit in this repository, or shares no history with the agent's branch")
            .hint(format!("`symposium agent diff {} --base main` chooses another one", record.name)));
        };
        Ok(DiffBase {
            name: Some(reference.to_owned()),
            commit: Some(found.merge_base),
            source: BaseSource::Chosen,
        })
    }

    /// Gives a fork the base that the user chose for the original.
    pub(in crate::manager) fn copy_chosen_base(
        &self,
        original: &AgentRecord,
        fork: &AgentName,
    ) -> Result<(), Error> {
        match self.remembered_base(original) {
            Some(reference) => self.remember_base(fork, &reference),
            None => Ok(()),
        }
    }

    fn remember_base(&self, name: &AgentName, reference: &str) -> Result<(), Error> {
        let chosen = ChosenBase { reference: reference.to_owned() };
        let text = serde_json::to_vec_pretty(&chosen)
            .map_err(|error| Error::io(format!("cannot write {CHOSEN_BASE_FILE}"))(error.into()))?;
        Ok(self.0.store.instance(name).write_state(CHOSEN_BASE_FILE, &text)?)
    }

    pub(in crate::manager) fn remembered_base(&self, record: &AgentRecord) -> Option<String> {
        let text = self.0.store.instance(&record.name).read_state(CHOSEN_BASE_FILE).ok().flatten()?;
        serde_json::from_slice::<ChosenBase>(&text).ok().map(|chosen| chosen.reference)
    }
}

fn from_candidate(found: &BaseCandidate, source: BaseSource) -> DiffBase {
    DiffBase { name: Some(found.short_name().to_owned()), commit: Some(found.merge_base.clone()), source }
}

fn from_commit(commit: String, source: BaseSource) -> DiffBase {
    DiffBase { name: None, commit: Some(commit), source }
}

/// Reports that git could not read the repository of an agent.
pub(in crate::manager) fn unreadable(record: &AgentRecord, why: &GitError) -> Error {
    let error =
        Error::new(Code::Workspace, format!("git cannot compare the work of agent `{}`", record.name))
            .saw(why.to_string());
    why.hints().into_iter().fold(error, Error::hint)
}
