//! `agent spawn --count` and `--kinds`: several agents on one task, each in a worktree of its own.

use crate::error::Error;
use crate::manager::family::Family;
use crate::manager::groups::Groups;
use crate::manager::specs::LaunchPlanner;
use crate::manager::specs::launch_plan::SpawnTarget;
use crate::manager::specs::spawn_request::SpawnRequest;
use crate::model::{AgentName, GroupId, Workspace};
use crate::rules::lifecycle::naming;

/// Which agents are started on one task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GroupSize {
    /// This many of the same spec or kind.
    Count(usize),
    /// One of each of these kinds or specs.
    Kinds(Vec<String>),
}

impl Groups<'_> {
    /// Returns the request of each agent of a new group. Starts nothing.
    pub fn group_requests(
        &self,
        request: &SpawnRequest,
        size: &GroupSize,
    ) -> Result<Vec<SpawnRequest>, Error> {
        if let Some(other) = request.workspace.filter(|workspace| *workspace != Workspace::Worktree) {
            return Err(Error::usage(format!(
                "several agents on one task need a worktree each, and `--workspace` is {other}"
            ))
            .hint("omit `--workspace`"));
        }
        let group = Some(GroupId::fresh());
        let request = SpawnRequest { workspace: Some(Workspace::Worktree), group, ..request.clone() };
        match size {
            GroupSize::Count(count) => {
                let names = match &request.name {
                    Some(name) => (1..).map(|n| name.numbered(n)).take(*count).collect(),
                    None => self.free_names(&request, *count)?,
                };
                let named = |name| SpawnRequest { name: Some(name), ..request.clone() };
                Ok(names.into_iter().map(named).collect())
            }
            GroupSize::Kinds(kinds) => {
                kinds.iter().enumerate().map(|(at, kind)| of_kind(&request, (at, kind), kinds)).collect()
            }
        }
    }

    /// Returns names for the agents of a group that has none.
    fn free_names(&self, request: &SpawnRequest, count: usize) -> Result<Vec<AgentName>, Error> {
        let dir = self.0.working_directory(request.dir.as_deref())?;
        let parent = Family(self.0).parent(request.parent.as_ref())?;
        let chosen = LaunchPlanner(self.0).chosen(request, parent.as_ref(), &dir)?;
        let taken = self.0.store.read(self.0.now())?;
        let is_free = |name: &AgentName| !taken.iter().any(|record| record.name == *name);
        Ok(naming::of_group(&chosen.spec.name, request.task.as_deref()).filter(is_free).take(count).collect())
    }
}

/// Returns the request of the agent of one kind.
fn of_kind(
    request: &SpawnRequest,
    (at, kind): (usize, &String),
    kinds: &[String],
) -> Result<SpawnRequest, Error> {
    if kinds[..at].contains(kind) {
        return Err(Error::usage(format!("`--kinds` names `{kind}` twice"))
            .hint("`--count` starts several agents of one kind"));
    }
    let name = match &request.name {
        Some(name) => {
            let text = format!("{name}-{}", AgentName::slug(kind, 20).map(String::from).unwrap_or_default());
            Some(text.parse().map_err(|why| Error::bad_name(&text, why))?)
        }
        None => None,
    };
    Ok(SpawnRequest { body: SpawnTarget::Spec(Some(kind.clone())), name, ..request.clone() })
}
