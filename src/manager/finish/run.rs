//! `agent finish`: gets the work of an agent into its base branch.
//!
//! The plan is made without a lock and shown to the user. Then everything is computed again under the agent's lock; if
//! the work or the base branch changed since the plan was shown, nothing happens. The base branch moves after the agent
//! has ended and its work is known not to have changed.

use serde::Serialize;

use crate::error::{Code, Error};
use crate::failpoint;
use crate::git::{CommitWriter, History, ObjectStore, Objects, TreePair, TreeUpdates};
use crate::manager::finish::Finishing;
use crate::manager::finish::cleanup::FINISH_GRACE;
use crate::manager::finish::compute::{Computation, MergeOutcome, WorkState};
use crate::manager::finish::conflict::conflict;
use crate::manager::finish::facts::{git_failed, refused};
use crate::manager::finish::journal::{FinishJournal, FinishProgress};
use crate::manager::finish::request::FinishRequest;
use crate::manager::finish::verify::WorktreeChange;
use crate::manager::lifecycle::Termination;
use crate::manager::removal::AgentRemoval;
use crate::manager::status::StatusTracker;
use crate::model::{AgentName, AgentRecord, FinishCheck, FinishMethod, FinishPlan, RecoveredWork};
use crate::rules::workspace::finish::facts::FinishFacts;
use crate::rules::workspace::finish::plan::{FinishChoice, plan};
use crate::rules::workspace::finish::refusal::{self, FinishRefusal};
use crate::store::{AgentLocks, RunFiles, Staging};

/// A plan, and the state that it was made for.
#[derive(Debug)]
pub struct FinishDraft {
    /// The plan to show.
    pub plan: FinishPlan,
    state: WorkState,
}

/// Report of a completed run. The field names are a public contract.
#[derive(Debug, Serialize)]
pub struct FinishReport {
    /// Name of the agent.
    pub finished: AgentName,
    /// The base branch.
    pub base: String,
    /// How the work got into it.
    pub method: FinishMethod,
    /// Commit of the base branch before.
    pub from: String,
    /// Commit of the base branch now; `None` if it had all of the work already.
    pub commit: Option<String>,
    /// The steps that were done.
    pub steps: Vec<CompletedStep>,
    /// A copy of the commits that a squash or rebase replaced.
    pub recovered: Option<RecoveredWork>,
}

/// A step that was done.
#[derive(Debug, Serialize)]
pub struct CompletedStep {
    /// Description of the step in one sentence.
    pub text: String,
    /// The command that reverts it.
    pub undo: Option<String>,
}

/// A computed plan with its parts.
struct PreparedFinish {
    facts: FinishFacts,
    computation: Computation,
    checks: Vec<FinishCheck>,
    plan: FinishPlan,
}

impl Finishing<'_> {
    /// Plans how the work of an agent gets into its base branch. Changes nothing.
    pub fn finish_plan(&self, request: &FinishRequest) -> Result<FinishDraft, Error> {
        let record = self.0.record(&request.name, "finish")?;
        self.refuse_interrupted(&record)?;
        let staging = RunFiles(&self.0.store).staging()?;
        let prepared = self.prepare(&record, request, (ObjectStore::Scratch, &staging))?;
        Ok(FinishDraft { plan: prepared.plan, state: prepared.computation.state })
    }

    /// Carries out a plan.
    pub fn finish(&self, request: &FinishRequest, draft: &FinishDraft) -> Result<FinishReport, Error> {
        let lock = AgentLocks(&self.0.store).lock(&request.name, "finish")?;
        let record = self.0.record(&request.name, "finish")?;
        StatusTracker(self.0).finish_move(&record)?;
        self.refuse_itself(&record, request)?;
        let staging = RunFiles(&self.0.store).staging()?;
        let PreparedFinish { facts, computation, checks, plan } =
            self.prepare(&record, request, (ObjectStore::Repository, &staging))?;
        if !plan.conflicts.is_empty() {
            return Err(conflict(&plan, request));
        }
        if computation.state != draft.state {
            return Err(changed_meanwhile(request));
        }
        let mut journal = FinishJournal {
            to: match &computation.outcome {
                MergeOutcome::Commit { id, .. } => Some(id.clone()),
                _ => None,
            },
            directory: facts.base.directory.clone(),
            method: self.method(request)?,
            keeps: request.keeps,
            ..FinishJournal::new(&facts.base.branch, &computation.state.base, &computation.tip)
        };
        self.write_journal(&record, &journal)?;
        failpoint::reached("finish.prepared");
        let mut state = computation.state.clone();
        let result = journal.to.clone().filter(|_| !checks.is_empty());
        if let Some(result) = &result {
            let checked =
                self.checked_state(&record, (&facts, &checks), (&computation, result), &mut journal);
            let checked = checked.and_then(|checked| {
                let expected = (&checked, &computation.tip[..]);
                self.verify_after_checks(&record, &facts, expected, &staging).map(|()| checked)
            });
            state = match checked {
                Ok(state) => state,
                Err(error) => {
                    // The next run changes files back that are still half changed.
                    if journal.progress != FinishProgress::BringingIn {
                        self.remove_journal(&record)?;
                    }
                    return Err(error);
                }
            };
            journal.tip.clone_from(&state.head);
            self.write_journal(&record, &journal)?;
            failpoint::reached("finish.checked");
        }
        if !request.keeps {
            Termination(self.0).kill_locked(&record, FINISH_GRACE, &lock)?;
            failpoint::reached("finish.ended");
        }
        let ended = facts.is_running && !request.keeps;
        let prepared = PreparedFinish { facts, computation, checks, plan };
        let merged = self.merge((&record, request), &prepared, (&state, &staging), &mut journal);
        let report = merged.and_then(|()| self.clean_up(&record, &journal, &lock));
        report.map_err(|error| if ended { after_end(error, &record) } else { error })
    }

    /// Commits the work, brings the base into the worktree and runs the checks there. Returns the state that the checks saw.
    fn checked_state(
        &self,
        record: &AgentRecord,
        (facts, checks): (&FinishFacts, &[FinishCheck]),
        (computation, result): (&Computation, &str),
        journal: &mut FinishJournal,
    ) -> Result<WorkState, Error> {
        self.commit_work(record, facts, computation)?;
        let head = self.bring_base_in(record, facts, (computation, result), journal)?;
        self.check(record, facts, (&computation.tip, &head), checks)?;
        let tree = Objects(&computation.git).tree_of(&facts.work.directory, &head);
        let tree = tree.map_err(|why| git_failed(record, &why))?;
        Ok(WorkState { head, tree, base: computation.state.base.clone() })
    }

    /// Commits the work if `expected` is still its state, and moves the base branch.
    fn merge(
        &self,
        (record, request): (&AgentRecord, &FinishRequest),
        PreparedFinish { facts, computation, .. }: &PreparedFinish,
        (expected, staging): (&WorkState, &Staging),
        journal: &mut FinishJournal,
    ) -> Result<(), Error> {
        if !journal.keeps {
            // The agent may have changed its worktree until it ended.
            if let Err(error) = self.verify_worktree(record, &facts.work.directory) {
                self.remove_journal(record)?;
                return Err(error.saw("the base branch was not changed"));
            }
            let (_, now) = self
                .work_state(record, facts, (ObjectStore::Repository, staging))
                .map_err(|why| git_failed(record, &why))?;
            if now != *expected {
                self.remove_journal(record)?;
                return Err(changed_meanwhile(request));
            }
        }
        // The work was committed before the checks.
        if expected.head == computation.state.head {
            self.commit_work(record, facts, computation)?;
        }
        failpoint::reached("finish.committed");
        let verified = self.verify_base(record, facts, computation, journal);
        if let Err(error) = verified {
            self.remove_journal(record)?;
            return Err(error);
        }
        self.move_base(record, (&facts.work.directory, request), journal)
    }

    /// Moves the branch of the agent to the commit with its uncommitted work.
    pub(in crate::manager) fn commit_work(
        &self,
        record: &AgentRecord,
        facts: &FinishFacts,
        computation: &Computation,
    ) -> Result<(), Error> {
        let (from, to) = (&computation.state.head, &computation.tip);
        if from == to && !computation.has_stale_index {
            return Ok(());
        }
        let (git, top) = (&computation.git, &facts.work.directory);
        let staging = RunFiles(&self.0.store).staging()?;
        let staged = CommitWriter(git).staged_versions(top, (from, &computation.state.tree), staging.path());
        if let Some(staged) = staged.map_err(|why| git_failed(record, &why))? {
            let copy = AgentRemoval(self.0).keep_commit(record, top, &staged)?;
            self.0.notice(format!(
                "staged versions that differ from the files are kept for 30 days: `symposium agent recover {}`",
                copy.name
            ));
        }
        TreeUpdates(git).advance_head(top, TreePair { from, to }).map_err(|why| git_failed(record, &why))?;
        failpoint::reached("finish.advanced");
        TreeUpdates(git).update_index(top, to).map_err(|why| git_failed(record, &why))
    }

    /// Computes the result and the plan, or explains why the work cannot be finished.
    fn prepare(
        &self,
        record: &AgentRecord,
        request: &FinishRequest,
        objects: (ObjectStore, &Staging),
    ) -> Result<PreparedFinish, Error> {
        let mut facts = self.facts(record, request.into.as_deref())?;
        if let Some(refusal) = refusal::refusal(&facts) {
            return Err(refused(refusal));
        }
        let checks = self.checks(record, &facts, request)?;
        let computation = self.compute(record, &facts, request, objects)?;
        if computation.has_stale_index {
            facts.work.uncommitted.clear();
        }
        if let Some(start) = &computation.start {
            let (top, head) = (&facts.work.directory, &computation.state.head);
            let commits = History(&computation.git).count_between(top, start, head);
            facts.work.commits = commits.map_err(|why| git_failed(record, &why))?;
        }
        let mut conflicts = Vec::new();
        let files = match &computation.outcome {
            MergeOutcome::Nothing => None,
            MergeOutcome::Commit { id, files } => {
                let worktree = match request.keeps || !checks.is_empty() {
                    true => WorktreeChange::Result,
                    false => WorktreeChange::None,
                };
                let in_the_way = self.files_in_the_way(record, &facts, (&computation, id), worktree)?;
                if let Some(refusal) = in_the_way {
                    return Err(refused(refusal));
                }
                Some(*files)
            }
            MergeOutcome::Conflicts(paths) => {
                conflicts.clone_from(paths);
                None
            }
            MergeOutcome::MergesInTheWay => return Err(refused(merges_in_the_way(&facts))),
        };
        let choice = FinishChoice {
            method: self.method(request)?,
            message: computation.message.clone(),
            files,
            keeps: request.keeps,
            checks: checks.clone(),
            conflicts,
        };
        let plan = plan(&facts, &choice);
        Ok(PreparedFinish { facts, computation, checks, plan })
    }

    /// Refuses an agent that wants to finish itself: its end would end this command half-way.
    fn refuse_itself(&self, record: &AgentRecord, request: &FinishRequest) -> Result<(), Error> {
        match self.0.calling_agent()? {
            Some(caller) if caller.id == record.id && !request.keeps => {
                Err(Error::not_permitted(format!("agent `{}` cannot finish itself", record.name))
                    .hint("`--keep` merges its work and lets it continue"))
            }
            _ => Ok(()),
        }
    }
}

/// Adds to an error that the agent was ended before, and how it starts again.
fn after_end(error: Error, record: &AgentRecord) -> Error {
    error
        .saw(format!("agent `{}` was ended", record.name))
        .hint(format!("let it continue: `symposium agent resume {}`", record.name))
}

/// Reports that the plan does not fit any more.
pub(in crate::manager) fn changed_meanwhile(request: &FinishRequest) -> Error {
    Error::new(
        Code::Workspace,
        format!("the work of agent `{}` or its base branch changed in the meantime", request.name),
    )
    .saw("the base branch was not changed")
    .hint(format!("run it again: `{}`", request.command(&[])))
}

fn merges_in_the_way(facts: &FinishFacts) -> FinishRefusal {
    FinishRefusal::new(
        format!("the commits of agent `{}` cannot be rebased", facts.agent),
        vec!["they contain merge commits, whose resolved conflicts would be lost".to_owned()],
        vec!["use `--squash` or `--merge`".to_owned()],
    )
}
