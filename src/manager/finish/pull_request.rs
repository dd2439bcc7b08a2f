//! `agent finish --pr`: commits the work, runs the checks, pushes the branch and opens a pull request. The agent, its
//! worktree and the base branch stay as they are. Each step can be repeated, so an interrupted run needs no journal.
//! A conflict with the base branch changes nothing and can be sent to the agent, as without `--pr`.

use std::path::Path;
use std::time::Duration;

use serde::Serialize;

use crate::base::sanitize::{shell_word, shown};
use crate::error::{Code, Error};
use crate::failpoint;
use crate::git::{History, ObjectStore, Objects, Publication, PushPlan, TreePair};
use crate::manager::finish::Finishing;
use crate::manager::finish::compute::{Computation, MergeOutcome, WorkState};
use crate::manager::finish::conflict::conflict;
use crate::manager::finish::facts::{git_failed, refused};
use crate::manager::finish::journal::FinishJournal;
use crate::manager::finish::request::FinishRequest;
use crate::manager::finish::run::{CompletedStep, changed_meanwhile};
use crate::manager::review::Reviews;
use crate::manager::review::forge::ForgeRunner;
use crate::manager::status::StatusTracker;
use crate::model::{AgentName, AgentRecord, FinishCheck, FinishMethod, FinishPlan, FinishStep};
use crate::rules::workspace::finish::facts::FinishFacts;
use crate::rules::workspace::finish::plan::{FinishChoice, plan};
use crate::rules::workspace::finish::pull_request::{
    ForgeProgram, PullRequestDraft, address, is_open_already, without_credentials,
};
use crate::rules::workspace::finish::{refusal, undo};
use crate::store::{AgentLocks, RunFiles, Staging};

/// Time limit for the program that opens the pull request.
const FORGE_TIMEOUT: Duration = Duration::from_secs(120);

/// A plan for a pull request, and the state that it was made for.
#[derive(Debug)]
pub struct PullRequestPlan {
    /// The plan to show.
    pub plan: FinishPlan,
    state: WorkState,
    /// Target of the push; `None` if there are conflicts.
    push: Option<PushPlan>,
}

/// A pull request that was opened. The field names are a public contract.
#[derive(Debug, Serialize)]
pub struct PullRequestReport {
    /// Name of the agent.
    pub agent: AgentName,
    /// The branch that was pushed.
    pub branch: String,
    /// The branch that gets the work.
    pub base: String,
    /// Name of the remote.
    pub remote: String,
    /// Address of the pull request; `None` if it is not open yet.
    pub url: Option<String>,
    /// The command that opens the pull request, if no program did.
    pub command: Option<String>,
    /// The steps that were done.
    pub steps: Vec<CompletedStep>,
}

/// A computed pull request with its parts.
struct PreparedPullRequest {
    facts: FinishFacts,
    computation: Computation,
    result: String,
    checks: Vec<FinishCheck>,
    push: PushPlan,
    draft: PullRequestDraft,
    program: Option<ForgeProgram>,
    /// Whether the content of files is in Git LFS.
    has_lfs_files: bool,
    plan: FinishPlan,
}

/// Outcome of planning a pull request.
enum PullRequestAttempt {
    /// The pull request can be opened.
    Possible(Box<PreparedPullRequest>),
    /// The work conflicts with the base branch.
    Conflicting {
        /// The plan with the conflicts.
        plan: FinishPlan,
        /// The state that it was made for.
        state: WorkState,
    },
}

impl Finishing<'_> {
    /// Plans a pull request. Changes nothing.
    pub fn pull_request_plan(&self, request: &FinishRequest) -> Result<PullRequestPlan, Error> {
        let record = self.0.record(&request.name, "finish")?;
        self.refuse_interrupted(&record)?;
        let staging = RunFiles(&self.0.store).staging()?;
        Ok(match self.prepare_pull_request(&record, request, (ObjectStore::Scratch, &staging))? {
            PullRequestAttempt::Possible(prepared) => {
                let PreparedPullRequest { plan, computation, push, .. } = *prepared;
                PullRequestPlan { plan, state: computation.state, push: Some(push) }
            }
            PullRequestAttempt::Conflicting { plan, state } => PullRequestPlan { plan, state, push: None },
        })
    }

    /// Pushes the work of an agent and opens a pull request.
    pub fn open_pull_request(
        &self,
        request: &FinishRequest,
        planned: &PullRequestPlan,
    ) -> Result<PullRequestReport, Error> {
        let _lock = AgentLocks(&self.0.store).lock(&request.name, "finish")?;
        let record = self.0.record(&request.name, "finish")?;
        StatusTracker(self.0).finish_move(&record)?;
        let staging = RunFiles(&self.0.store).staging()?;
        let prepared =
            match self.prepare_pull_request(&record, request, (ObjectStore::Repository, &staging))? {
                PullRequestAttempt::Possible(prepared) => prepared,
                PullRequestAttempt::Conflicting { plan, .. } => return Err(conflict(&plan, request)),
            };
        let PreparedPullRequest { facts, computation, result, checks, push, .. } = &*prepared;
        if computation.state != planned.state {
            return Err(changed_meanwhile(request));
        }
        if Some(push) != planned.push.as_ref() {
            return Err(target_changed(push, request));
        }
        self.commit_work(&record, facts, computation)?;
        failpoint::reached("finish.committed");
        let mut head = computation.tip.clone();
        if !checks.is_empty() {
            let new = FinishJournal::new(&facts.base.branch, &computation.state.base, &computation.tip);
            let mut journal = FinishJournal { keeps: true, ..new };
            let brought_in = self.bring_base_in(&record, facts, (computation, result), &mut journal);
            self.remove_journal(&record)?;
            head = brought_in?;
            self.check(&record, facts, (&computation.tip, &head), checks)?;
            let tree = Objects(&computation.git).tree_of(&facts.work.directory, &head);
            let tree = tree.map_err(|why| git_failed(&record, &why))?;
            let expected = WorkState { head: head.clone(), tree, base: computation.state.base.clone() };
            self.verify_after_checks(&record, facts, (&expected, &computation.tip), &staging)?;
        }
        // The agent may have changed the configuration while the checks ran.
        let verified = self.push_plan(&record, facts).and_then(|now| match now == *push {
            true => Ok(()),
            false => Err(target_changed(&now, request)),
        });
        let commit_hints = || self.commit_hints(facts, &computation.tip, &head);
        verified.map_err(|error| error.hint_all(commit_hints()))?;
        self.0.progress(&format!("pushing `{}` to `{}`", push.branch, push.remote));
        let top = &facts.work.directory;
        let pushed = Publication(&self.0.git()).push(top, push, self.0.env.all());
        let by_hand = format!(
            "git -C {} push {} {}",
            shell_word(top),
            shell_word(&push.remote),
            shell_word(&push.branch)
        );
        pushed.map_err(|why| {
            git_failed(&record, &why).hint(format!("push it yourself: `{by_hand}`, then repeat the command"))
        })?;
        failpoint::reached("finish.pushed");
        let report = self.report_pull_request(&record, &prepared, &head)?;
        self.forget_conflict(&record.name)?;
        Ok(report)
    }

    /// Opens the pull request and reports all steps. `head` is the commit that was pushed.
    fn report_pull_request(
        &self,
        record: &AgentRecord,
        prepared: &PreparedPullRequest,
        head: &str,
    ) -> Result<PullRequestReport, Error> {
        let PreparedPullRequest { facts, computation, push, draft, program, has_lfs_files, .. } = prepared;
        let top = &facts.work.directory;
        let mut steps = self.commit_steps(facts, &computation.tip, head);
        steps.push(CompletedStep {
            text: format!("`{}` is pushed to `{}`", push.branch, push.remote),
            undo: Some(undo::delete_pushed(top, &push.remote, &push.branch)),
        });
        steps.extend(has_lfs_files.then(|| CompletedStep { text: lfs_remark(push, top), undo: None }));
        let (mut url, mut command) = (None, None);
        match program {
            Some(program) => {
                let opened = self.run_forge(record, (*program, draft), top)?;
                let place = opened.clone().unwrap_or_else(|| push.branch.clone());
                let undo = Some(undo::close_pull_request(top, *program, &place));
                steps.push(CompletedStep { text: format!("pull request: {place}"), undo });
                url = opened;
            }
            None => command = Some(draft.command(ForgeProgram::suggested(&push.url), top)),
        }
        Ok(PullRequestReport {
            agent: record.name.clone(),
            branch: push.branch.clone(),
            base: draft.base.clone(),
            remote: push.remote.clone(),
            url,
            command,
            steps,
        })
    }

    /// Runs `gh` or `glab`. Returns the address of the pull request, also if it was open already.
    fn run_forge(
        &self,
        record: &AgentRecord,
        (program, draft): (ForgeProgram, &PullRequestDraft),
        top: &Path,
    ) -> Result<Option<String>, Error> {
        let failed = |saw: Vec<String>| {
            Error::new(
                Code::Workspace,
                format!("`{}` cannot open a pull request for `{}`", program.name(), record.name),
            )
            .saw_all(saw)
            .saw(format!("`{}` is pushed", draft.branch))
            .hint(format!("open it yourself: `{}`", draft.command(program, top)))
        };
        let forge = ForgeRunner(self.0);
        let Some(path) = forge.program_path(program) else {
            return Err(failed(vec!["it is not installed".to_owned()]));
        };
        self.0.progress(&format!("opening a pull request with `{}`", program.name()));
        let output = forge.run(&path, &draft.arguments(program), top, FORGE_TIMEOUT);
        let output = output.map_err(|why| failed(vec![why.to_string()]))?;
        // The cached list does not have the new pull request.
        Reviews(self.0).forget_pull_requests();
        let text = [output.stdout, b"\n".to_vec(), output.stderr].concat();
        let text = String::from_utf8_lossy(&text);
        if output.exit.code == Some(0) || is_open_already(&text) {
            return Ok(address(&text));
        }
        let lines = text.lines().filter(|line| !line.trim().is_empty()).map(shown);
        Err(failed(lines.take(10).collect()))
    }

    fn prepare_pull_request(
        &self,
        record: &AgentRecord,
        request: &FinishRequest,
        objects: (ObjectStore, &Staging),
    ) -> Result<PullRequestAttempt, Error> {
        let mut facts = self.facts(record, request.into.as_deref())?;
        // The base branch is not changed here, so it may be checked out and have changes.
        facts.base.directory = None;
        facts.base.other_directories.clear();
        facts.base.operation = None;
        facts.base.changed.clear();
        if let Some(refusal) = refusal::refusal(&facts) {
            return Err(refused(refusal));
        }
        let push = self.push_plan(record, &facts)?;
        let checks = self.checks(record, &facts, request)?;
        // A squash gives the message for the title; the branch itself keeps its commits.
        let squash = FinishRequest { method: Some(FinishMethod::Squash), keeps: true, ..request.clone() };
        let computation = self.compute(record, &facts, &squash, objects)?;
        if computation.has_stale_index {
            facts.work.uncommitted.clear();
        }
        let mut choice = FinishChoice {
            method: FinishMethod::Squash,
            message: computation.message.clone(),
            files: None,
            keeps: true,
            checks: checks.clone(),
            conflicts: Vec::new(),
        };
        let (result, files) = match &computation.outcome {
            MergeOutcome::Commit { id, files } => (id.clone(), *files),
            MergeOutcome::Conflicts(paths) => {
                choice.conflicts.clone_from(paths);
                let plan = plan(&facts, &choice);
                return Ok(PullRequestAttempt::Conflicting { plan, state: computation.state });
            }
            MergeOutcome::Nothing | MergeOutcome::MergesInTheWay => return Err(nothing_to_open(&facts)),
        };
        choice.files = Some(files);
        let top = &facts.work.directory;
        let trees = TreePair { from: &facts.base.commit, to: &result };
        let has_lfs_files = Publication(&computation.git).has_lfs_files(top, trees);
        let has_lfs_files = has_lfs_files.map_err(|why| git_failed(record, &why))?;
        let messages = History(&computation.git).messages_between(top, &facts.base.commit, &result);
        let message = messages.map_err(|why| git_failed(record, &why))?.pop().unwrap_or_default();
        let draft = PullRequestDraft::new((&push.branch, &facts.base.branch), &message);
        let program =
            ForgeProgram::choose(&push.url, |program| ForgeRunner(self.0).program_path(program).is_some());
        let mut plan = plan(&facts, &choice);
        replace_merge(&mut plan, &push, (program, &draft));
        plan.remarks.extend(has_lfs_files.then(|| lfs_remark(&push, top)));
        let prepared = PreparedPullRequest {
            facts,
            computation,
            result,
            checks,
            push,
            draft,
            program,
            has_lfs_files,
            plan,
        };
        Ok(PullRequestAttempt::Possible(Box::new(prepared)))
    }
}

/// Says that a push without hooks does not upload the content of files in Git LFS.
fn lfs_remark(push: &PushPlan, top: &Path) -> String {
    let (remote, branch) = (shell_word(&push.remote), shell_word(&push.branch));
    format!("files in Git LFS are not uploaded: `git -C {} lfs push {remote} {branch}`", shell_word(top))
}

/// Replaces the steps that change the base branch by a push and a pull request.
fn replace_merge(
    plan: &mut FinishPlan,
    push: &PushPlan,
    (program, draft): (Option<ForgeProgram>, &PullRequestDraft),
) {
    plan.steps.retain(|step| {
        matches!(step, FinishStep::Commit { .. } | FinishStep::BringIn { .. } | FinishStep::Check(_))
    });
    plan.steps.push(FinishStep::Push {
        branch: push.branch.clone(),
        remote: push.remote.clone(),
        url: without_credentials(&push.url),
    });
    plan.steps.push(FinishStep::OpenPullRequest {
        program: program.map(|program| program.name().to_owned()),
        title: draft.title.clone(),
    });
}

/// Reports that the repository names another place to push to than the plan that the user saw.
fn target_changed(push: &PushPlan, request: &FinishRequest) -> Error {
    let now = format!("{} ({})", shown(&push.remote), shown(&without_credentials(&push.url)));
    Error::new(
        Code::Workspace,
        format!("the remote for the work of agent `{}` changed in the meantime", request.name),
    )
    .saw(format!("it is {now} now; nothing was pushed"))
    .hint(format!("run it again: `{}`", request.command(&[])))
}

fn nothing_to_open(facts: &FinishFacts) -> Error {
    let (name, base) = (&facts.agent, &facts.base.branch);
    Error::new(Code::Workspace, format!("`{base}` has all of the work of agent `{name}` already"))
        .saw("nothing was changed")
        .hint(format!("remove the worktree and the branch: `symposium agent finish {name}`"))
}
