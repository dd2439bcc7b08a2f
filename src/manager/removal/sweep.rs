//! `agent sweep`: removes worktrees and branches that are not needed any more. The decision is in
//! `rules/workspace/sweep.rs`; the facts are examined again under the agent's lock before anything is removed.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::error::{Code, Error};
use crate::failpoint;
use crate::git::{
    self, Branches, GitError, MergeDetection, SetAsideCommits, Submodules, UnsavedWorkSearch, UnusedBranch,
    Worktrees,
};
use crate::manager::removal::AgentRemoval;
use crate::manager::removal::remove::Removal;
use crate::manager::status::StatusTracker;
use crate::manager::status::shared_directory::is_live_below;
use crate::manager::workspace::worktree::WorktreeNote;
use crate::manager::workspace::{BranchRemoval, WorkInspection, Workspaces};
use crate::model::{
    Agent, AgentRecord, CreatedWork, KeptWork, MergeState, RecoveredWork, SweptWork, Workspace, is_deceptive,
};
use crate::rules::workspace::sweep::{SweepFacts, decide};
use crate::store::{AgentLocks, RunFiles};

/// Prefix of the branches that Symposium creates.
const BRANCH_PREFIX: &str = "symposium/";

/// The worktrees and branches that Symposium created, divided by the decision.
#[derive(Debug, Default)]
pub struct SweepPlan {
    /// Work that is not needed any more.
    pub proposed: Vec<SweptWork>,
    /// Work that is kept.
    pub kept: Vec<KeptWork>,
}

impl SweepPlan {
    fn add(&mut self, work: CreatedWork, facts: &SweepFacts) {
        match decide(facts) {
            Ok(reason) => self.proposed.push(SweptWork { work, reason, recovered: None }),
            Err(reason) => {
                self.kept.push(KeptWork { work, reason: reason.replace(is_deceptive, " ") });
            }
        }
    }
}

impl AgentRemoval<'_> {
    /// Returns the worktrees of agents and the branches of removed agents, with the decision about each. Changes
    /// nothing.
    pub fn plan_sweep(&self) -> Result<SweepPlan, Error> {
        let (agents, mut plan) = (self.examined_agents()?, SweepPlan::default());
        let (mut repositories, mut used) = (BTreeSet::new(), BTreeSet::new());
        for agent in &agents {
            let Ok(record) = self.0.record(&agent.name, "sweep") else { continue };
            if record.workspace != Workspace::Worktree {
                continue;
            }
            let note = Workspaces(self.0).worktree_note(&record);
            used.insert((note.repository.clone(), note.branch.clone()));
            repositories.insert(note.repository.clone());
            let (work, facts) = self.examine_worktree((agent, &agents), &record, &note);
            plan.add(work, &facts);
        }
        let here = self.0.env.cwd().and_then(git::project);
        repositories.extend(here.map(|top| git::repository(&top)));
        for repository in repositories.into_iter().filter(|repository| repository.is_dir()) {
            let Ok(branches) = Branches(&self.0.git()).unused(&repository, BRANCH_PREFIX) else { continue };
            for branch in branches {
                if !used.contains(&(repository.clone(), branch.name.clone())) {
                    let (work, facts) = self.examine_branch(&repository, branch);
                    plan.add(work, &facts);
                }
            }
        }
        Ok(plan)
    }

    /// Removes a worktree with its agent, or a branch, if the facts still allow it. Returns the copy of commits that
    /// only the reflog of the worktree had.
    pub fn sweep(&self, swept: &SweptWork) -> Result<Option<RecoveredWork>, Error> {
        let work = &swept.work;
        let Some(name) = &work.agent else { return self.sweep_branch(work).map(|()| None) };
        let lock = AgentLocks(&self.0.store).lock(name, "sweep")?;
        let record = self.0.record(name, "sweep")?;
        StatusTracker(self.0).finish_move(&record)?;
        let agents = self.examined_agents()?;
        let Some(agent) = agents.iter().find(|agent| agent.name == *name) else {
            return Err(self.0.no_such_agent(name, "sweep"));
        };
        let note = Workspaces(self.0).worktree_note(&record);
        let (now, facts) = self.examine_worktree((agent, &agents), &record, &note);
        decide(&facts).map_err(|why| kept(&format!("the worktree of agent `{name}`"), why))?;
        let (git, at) = (self.0.git().with_long_timeout(), Workspaces(self.0).workspace_of(&record));
        let failed = |why: GitError| kept(&format!("the worktree of agent `{name}`"), why.to_string());
        let kept = self.keep_unsaved_work(&record, Removal::Careful)?;
        for inner in note.submodules.iter().rev() {
            let _ = Submodules(&git).forget(&at, inner);
        }
        if note.repository.is_dir() {
            Worktrees(&git).forget(&note.repository, &at).map_err(failed)?;
            failpoint::reached("sweep.worktree");
            // Deleted here, because the removal of an agent keeps a branch whose commits were squashed.
            if let (Some(branch), Some(commit)) = (&now.branch, &now.commit) {
                Branches(&git).delete_at(&note.repository, branch, commit).map_err(failed)?;
            }
            failpoint::reached("sweep.branch");
        }
        self.remove_locked(&record, BranchRemoval::IfEmpty, &lock)?;
        lock.release_and_remove();
        Ok(kept.recovered)
    }

    fn sweep_branch(&self, work: &CreatedWork) -> Result<(), Error> {
        let (Some(name), Some(commit)) = (&work.branch, &work.commit) else { return Ok(()) };
        let what = format!("branch `{name}`").replace(is_deceptive, " ");
        let failed = |why: GitError| kept(&what, why.to_string());
        let git = self.0.git().with_long_timeout();
        let branches = Branches(&git).unused(&work.repository, BRANCH_PREFIX).map_err(failed)?;
        let is_same = |branch: &UnusedBranch| branch.name == *name && branch.commit == *commit;
        let Some(branch) = branches.into_iter().find(is_same) else {
            return Err(kept(&what, "it has changed, or is checked out".into()));
        };
        decide(&self.examine_branch(&work.repository, branch).1).map_err(|why| kept(&what, why))?;
        Branches(&git).delete_at(&work.repository, name, commit).map_err(failed)
    }

    /// Returns all agents. Fails if tmux does not answer, because an agent could be alive then.
    fn examined_agents(&self) -> Result<Vec<Agent>, Error> {
        let current = StatusTracker(self.0).current_agents()?;
        match current.silence.filter(|silence| !silence.is_without_tmux()) {
            Some(silence) => Err(silence),
            None => Ok(current.agents),
        }
    }

    fn examine_worktree(
        &self,
        (agent, agents): (&Agent, &[Agent]),
        record: &AgentRecord,
        note: &WorktreeNote,
    ) -> (CreatedWork, SweepFacts) {
        let at = Workspaces(self.0).workspace_of(record);
        let has_directory = at.join(".git").exists();
        let branch = Some(note.branch.clone()).filter(|branch| note.made_branch && !branch.is_empty());
        let mut work = CreatedWork {
            agent: Some(record.name.clone()),
            repository: note.repository.clone(),
            branch,
            commit: None,
            path: at.is_dir().then(|| at.clone()),
            size: self.0.store.instance(&record.name).workspace_size(),
            ignored: Vec::new(),
        };
        let mut facts = SweepFacts {
            status: Some(agent.status),
            in_use: self.use_of((agent, agents), record),
            unknown: None,
            is_finished: note.merged_into.is_some(),
            has_directory,
            uncommitted: 0,
            stashes: 0,
            merge: MergeState::Gone,
        };
        match self.examine_work(record, note, (&mut work, &mut facts)) {
            Ok(()) if has_directory => work.ignored = WorkInspection(self.0).ignored_files(record),
            Ok(()) => {}
            Err(why) => facts.unknown = Some(why),
        }
        (work, facts)
    }

    /// Returns why an agent is in use, regardless of its status.
    fn use_of(&self, (agent, agents): (&Agent, &[Agent]), record: &AgentRecord) -> Option<String> {
        let at = Workspaces(self.0).workspace_of(record);
        if let Some(other) = agents.iter().find(|other| other.id != record.id && is_live_below(other, &at)) {
            return Some(format!("agent `{}` works in it", other.name));
        }
        let reasons = [
            (!agent.clients.is_empty(), "a client is attached"),
            (agent.tasks.queued + agent.tasks.running > 0, "it has tasks"),
            (self.has_processes(record).unwrap_or(true), "it has running processes"),
        ];
        reasons.into_iter().find(|(is_so, _)| *is_so).map(|(_, why)| why.to_owned())
    }

    fn examine_work(
        &self,
        record: &AgentRecord,
        note: &WorktreeNote,
        (work, facts): (&mut CreatedWork, &mut SweepFacts),
    ) -> Result<(), String> {
        let at = Workspaces(self.0).workspace_of(record);
        if Workspaces(self.0).is_half_moved(record) || !note.finished {
            return Err("it was not created completely; `agent rm` removes it".to_owned());
        }
        let failed = |why: GitError| why.to_string();
        let git = self.0.git().with_long_timeout();
        if !facts.has_directory && at.read_dir().is_ok_and(|mut entries| entries.next().is_some()) {
            return Err("git no longer recognizes it as a working tree".to_owned());
        }
        let mut tips = Vec::new();
        if facts.has_directory {
            let unsaved = WorkInspection(self.0).unsaved_work(record);
            if let Some(why) = unsaved.unknown {
                return Err(why);
            }
            (facts.uncommitted, facts.stashes) = (unsaved.files.len(), unsaved.stashes);
            for (path, state) in UnsavedWorkSearch(&git).in_submodules(&at).map_err(failed)? {
                if state.commits + state.stashes > 0 {
                    return Err(format!("submodule `{}` has commits of its own", path.display()));
                }
            }
            tips.extend(git.head(&at).map_err(failed)?);
            tips.extend(SetAsideCommits(&git).list(&at).map_err(failed)?);
        }
        if !note.repository.is_dir() {
            return match facts.has_directory {
                true => Err("its repository does not exist any more".to_owned()),
                false => Ok(()),
            };
        }
        if !note.branch.is_empty() {
            let commit = Branches(&git).tip(&note.repository, &note.branch).map_err(failed)?;
            work.commit = commit.clone().filter(|_| work.branch.is_some());
            tips.extend(commit);
        }
        tips.dedup();
        let base = note.base.as_ref();
        let (branch, start) =
            (base.and_then(|base| base.branch.as_deref()), base.map(|base| &base.commit[..]));
        let own = Some(note.branch.as_str()).filter(|name| !name.is_empty());
        let targets = MergeDetection(&git).targets(&note.repository, branch, own).map_err(failed)?;
        for tip in &tips {
            let found = self.merge_state(&note.repository, (tip, start), &targets)?;
            facts.merge = match (facts.merge, found) {
                (MergeState::Unmerged(known), MergeState::Unmerged(found)) => {
                    MergeState::Unmerged(known.max(found))
                }
                (MergeState::Unmerged(known), _) => MergeState::Unmerged(known),
                (MergeState::Merged, MergeState::Empty) => MergeState::Merged,
                (_, found) => found,
            };
        }
        Ok(())
    }

    fn examine_branch(&self, repository: &Path, branch: UnusedBranch) -> (CreatedWork, SweepFacts) {
        let targets = MergeDetection(&self.0.git()).targets(repository, None, Some(&branch.name));
        let merge = targets
            .map_err(|why| why.to_string())
            .and_then(|targets| self.merge_state(repository, (&branch.commit, None), &targets));
        let facts = SweepFacts {
            status: None,
            in_use: None,
            unknown: merge.as_ref().err().cloned(),
            is_finished: false,
            has_directory: false,
            uncommitted: 0,
            stashes: 0,
            merge: merge.unwrap_or(MergeState::Unmerged(0)),
        };
        let work = CreatedWork {
            agent: None,
            repository: PathBuf::from(repository),
            branch: Some(branch.name),
            commit: Some(branch.commit),
            path: None,
            size: 0,
            ignored: Vec::new(),
        };
        (work, facts)
    }

    fn merge_state(
        &self,
        repository: &Path,
        commits: (&str, Option<&str>),
        targets: &[String],
    ) -> Result<MergeState, String> {
        let scratch = RunFiles(&self.0.store).staging().map_err(|why| why.to_string())?;
        let git = self.0.git().with_long_timeout();
        MergeDetection(&git)
            .state(repository, commits, targets, scratch.path())
            .map_err(|why| why.to_string())
    }
}

fn kept(what: &str, why: String) -> Error {
    Error::new(Code::Unsafe, format!("{what} is kept: {why}").replace(is_deceptive, " "))
}
