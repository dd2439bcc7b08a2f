//! `agent recover`: lists the copies of removed work and brings one back. Nothing that exists is overwritten, and the
//! copy is kept until it expires.

use std::path::{Path, PathBuf};

use crate::base::sanitize::shown;
use crate::error::{Code, Error};
use crate::git::Branches;
use crate::manager::removal::AgentRemoval;
use crate::model::RecoveredWork;
use crate::rules::workspace::recovery::is_expired;
use crate::store::RecoveredCopies;

/// Branch or directory that a recovery created.
#[derive(Debug)]
pub struct Recovery {
    /// The copy that was brought back.
    pub copy: RecoveredWork,
    /// Repositories that have the work as a branch now.
    pub repositories: Vec<PathBuf>,
    /// Name of that branch.
    pub branch: String,
    /// Directory with the files that git could not store.
    pub folder: Option<PathBuf>,
}

impl AgentRemoval<'_> {
    /// Returns all copies of removed work that have not expired, the newest first.
    pub fn recoverable(&self) -> Vec<RecoveredWork> {
        let now = self.0.now();
        let copies = RecoveredCopies(&self.0.store).list().into_iter().map(|(_, copy)| copy);
        let mut copies: Vec<RecoveredWork> = copies.filter(|copy| !is_expired(copy.at, now)).collect();
        copies.sort_by(|left, right| right.at.cmp(&left.at).then_with(|| left.name.cmp(&right.name)));
        copies
    }

    /// Brings a copy back: its commits as branch `recovered/COPY`, other files as directory `COPY` in the
    /// current directory. `name` is the name of a copy, or of an agent, whose newest copy is meant.
    pub fn recover(&self, name: &str) -> Result<Recovery, Error> {
        let copies = self.recoverable();
        let named = copies.iter().find(|copy| copy.name == name);
        let copy = named.or_else(|| copies.iter().find(|copy| copy.agent.as_str() == name)).cloned();
        let Some(copy) = copy else {
            return Err(Error::new(
                Code::NoSuchCopy,
                format!("there is no copy of removed work named `{}`", shown(name)),
            )
            .hint("`symposium agent recover` lists all copies"));
        };
        let branch = format!("recovered/{}", copy.name);
        let git = self.0.git().with_long_timeout();
        let mut repositories = Vec::new();
        for saved in &copy.refs {
            Branches(&git).create_at(&saved.repository, &branch, &saved.reference).map_err(|why| {
                Error::new(Code::Workspace, format!("cannot bring `{}` back", copy.name))
                    .saw(format!("repository {}", saved.repository.display()))
                    .saw(why.to_string())
            })?;
            repositories.push(saved.repository.clone());
        }
        let mut folder = None;
        if let Some(from) = &copy.folder {
            let to = self.0.env.cwd().unwrap_or(Path::new("/")).join(&copy.name);
            if to.symlink_metadata().is_ok() {
                let why = format!("`{}` exists already", shown(&to.to_string_lossy()));
                return Err(Error::new(Code::Workspace, why)
                    .hint("run the command in another directory, or rename the one that exists"));
            }
            RecoveredCopies(&self.0.store).copy(from, &to)?;
            folder = Some(to);
        }
        Ok(Recovery { copy, repositories, branch, folder })
    }
}
