//! The git worktree of an agent, from the request to the last setup command.
//!
//! The record is stored before the worktree is created, so that an agent whose creation was interrupted appears in
//! lists and `rm` removes it. `state/workspace.json` records the progress and what a removal has to undo.

use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde::Serialize;

use crate::base::sanitize::shell_word;
use crate::error::{Code, Error};
use crate::failpoint;
use crate::git;
use crate::git::{
    BranchPlan, Branches, ChangeStage, GitError, RequestedBranch, Submodule, Submodules, WorktreeError,
    Worktrees,
};
use crate::manager::registry::RegistryWriter;
use crate::manager::specs::launch_plan::LaunchPlan;
use crate::manager::specs::spawn_request::SpawnRequest;
use crate::manager::specs::spawn_request::UncommittedChanges;
use crate::manager::workspace::carry_changes::CarriedChanges;
use crate::manager::workspace::setup::WorktreeSetup;
use crate::manager::workspace::unsaved_work::same;
use crate::manager::workspace::{WorkInspection, WorkspaceSetup, Workspaces};
use crate::model::is_deceptive;
use crate::model::{AgentName, AgentRecord, LogEntry, Taskspace, Workspace};
use crate::rules::status::decide::PLAIN_COMMAND;
use crate::store::StartLock;

/// The file in the worktree that describes its taskspace.
pub(in crate::manager) const TASKSPACE_FILE: &str = "taskspace.json";
/// The state file about a worktree.
const NOTE: &str = "workspace.json";

/// The worktree that was created for an agent, and what a removal has to undo.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(in crate::manager) struct WorktreeNote {
    /// The top directory of the repository.
    pub repository: PathBuf,
    /// The branch at the creation of the worktree.
    pub branch: String,
    /// Whether the branch was created for the agent.
    pub made_branch: bool,
    /// Whether the setup was completed before the agent first ran.
    #[serde(default)]
    pub finished: bool,
    /// The submodules of the worktree.
    #[serde(default)]
    pub submodules: Vec<Submodule>,
    /// Files that were copied from another tree, relative to the top directory.
    #[serde(default)]
    pub copied: Vec<PathBuf>,
    /// The tree that the files were copied from.
    #[serde(default)]
    pub copied_from: PathBuf,
    /// The branch and commit from which a new branch was created. Missing in the notes of earlier versions.
    #[serde(default)]
    pub base: Option<WorktreeBase>,
    /// The branch that got the work when the agent was finished and its worktree removed.
    #[serde(default)]
    pub merged_into: Option<String>,
}

/// Commit and branch from which the branch of a worktree started.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(in crate::manager) struct WorktreeBase {
    /// The branch that was checked out, or `None` if HEAD was detached.
    pub branch: Option<String>,
    /// Id of the commit.
    pub commit: String,
}

/// The checked plan of a worktree.
pub(in crate::manager) struct WorktreePlan {
    branch: BranchPlan,
    /// The top directory of the tree that contains the requested directory.
    top: PathBuf,
    /// The requested directory, relative to `top`.
    below: PathBuf,
    /// The setup of the worktree.
    readying: WorktreeSetup,
    /// The uncommitted changes of the original tree.
    changes: CarriedChanges,
}

impl Workspaces<'_> {
    /// Plans an agent's worktree. Returns `None` if the agent needs none. Changes nothing.
    pub(in crate::manager) fn plan_worktree(
        &self,
        record: &AgentRecord,
        request: &SpawnRequest,
        chosen: &LaunchPlan,
    ) -> Result<Option<WorktreePlan>, Error> {
        WorkInspection(self.0).refuse_to_overwrite_work(record)?;
        if record.workspace != Workspace::Worktree {
            let option = match (&request.branch, request.changes) {
                (Some(_), _) => "--branch",
                (None, UncommittedChanges::TakeAlong) => "--with-changes",
                (None, UncommittedChanges::StayBehind) => return Ok(None),
            };
            return Err(
                Error::usage(format!("`{option}` is for a worktree")).hint("add `--workspace worktree`")
            );
        }
        let dir = Path::new(&record.working_directory);
        let Some(top) = git::project(dir) else {
            return Err(Error::no_repository(&record.working_directory));
        };
        let own = format!("symposium/{}", record.name);
        let requested = request.branch.as_deref().map_or(RequestedBranch::Own(&own), RequestedBranch::Named);
        let at = self.workspace_of(record);
        let branch = Worktrees(&self.0.git().with_long_timeout())
            .plan_branch(dir, requested, &at)
            .map_err(|why| refused(why, record))?;
        let below = dir.strip_prefix(&top).unwrap_or(Path::new("")).to_owned();
        let readying = WorkspaceSetup(self.0).setup_of(request, chosen)?;
        let changes = self.plan_changes(&top, request.changes)?;
        Ok(Some(WorktreePlan { branch, top, below, readying, changes }))
    }

    /// Plans the worktree of an imported agent in the repository at `top`.
    pub(in crate::manager) fn plan_handed(
        &self,
        branch: BranchPlan,
        (top, below): (&Path, &Path),
        changes: Vec<(PathBuf, ChangeStage)>,
        (request, chosen): (&SpawnRequest, &LaunchPlan),
    ) -> Result<WorktreePlan, Error> {
        let readying = WorkspaceSetup(self.0).setup_of(request, chosen)?;
        let (top, below) = (top.to_owned(), below.to_owned());
        Ok(WorktreePlan { branch, top, below, readying, changes: CarriedChanges::imported(changes) })
    }

    /// Creates the worktree and sets it up; a failure leaves nothing behind. Releases `alone`, so that other agents may
    /// be counted, as soon as the record is stored, because a setup takes minutes.
    pub(in crate::manager) fn create_worktree(
        &self,
        record: &mut AgentRecord,
        request: &SpawnRequest,
        plan: &WorktreePlan,
        alone: &mut Option<StartLock>,
    ) -> Result<(), Error> {
        let made = self.make_worktree(record, request, plan, alone);
        made.inspect_err(|_| self.withdraw(record))
    }

    fn make_worktree(
        &self,
        record: &mut AgentRecord,
        request: &SpawnRequest,
        plan: &WorktreePlan,
        alone: &mut Option<StartLock>,
    ) -> Result<(), Error> {
        let from = PathBuf::from(&record.working_directory);
        let at = self.workspace_of(record);
        let mut note = WorktreeNote {
            repository: git::repository(&plan.top),
            branch: plan.branch.branch().to_owned(),
            made_branch: plan.branch.makes_branch(),
            finished: false,
            submodules: Vec::new(),
            copied: Vec::new(),
            copied_from: plan.top.clone(),
            base: self.base_of_new_branch(plan, request).map_err(|why| refused(why.into(), record))?,
            merged_into: None,
        };
        record.working_directory = at.join(&plan.below).to_string_lossy().trim_end_matches('/').to_owned();
        record.project = Some(note.repository.to_string_lossy().into_owned());
        record.branch = Some(note.branch.clone());
        self.write_worktree_note(record, &note)?;
        RegistryWriter(self.0).write(|edit| edit.put(record.clone()))?;
        drop(alone.take());
        failpoint::reached("worktree.noted");
        self.0.progress(&format!("creating a worktree on branch `{}`", note.branch));
        let git = self.0.git().with_long_timeout();
        Worktrees(&git).add(&from, &plan.branch, &at).map_err(|why| refused(why.into(), record))?;
        failpoint::reached("worktree.added");
        plan.changes.apply(&git, &at)?;
        let filled = Submodules(&git).fill(&at, plan.branch.counted_from());
        let (submodules, remarks) = filled.map_err(|why| refused(why.into(), record))?;
        remarks.into_iter().for_each(|remark| self.0.notice(remark));
        note.submodules = submodules;
        self.write_worktree_note(record, &note)?;
        note.copied = WorkspaceSetup(self.0).copy_setup_files(&plan.readying, &plan.top, &at);
        self.warn_of_changes_left_behind(&plan.changes, &note.copied);
        if !Path::new(&record.working_directory).is_dir() {
            self.0.notice(format!(
                "`{}` is not in the new worktree: the agent starts in its top directory",
                plan.below.display()
            ));
            record.working_directory = at.to_string_lossy().into_owned();
        }
        self.write_worktree_note(record, &note)?;
        failpoint::reached("worktree.copied");
        self.begin_taskspace(record, request, &at)?;
        WorkspaceSetup(self.0).run_setup(record, &plan.readying, &at)?;
        note.finished = true;
        self.write_worktree_note(record, &note)?;
        failpoint::reached("worktree.ready");
        Ok(())
    }

    /// Returns the directory of an agent's own workspace, as git spells it.
    pub(in crate::manager) fn workspace_of(&self, record: &AgentRecord) -> PathBuf {
        self.workspace_under(&record.name)
    }

    /// Returns the workspace directory for an agent name.
    pub(in crate::manager) fn workspace_under(&self, name: &AgentName) -> PathBuf {
        let path = self.0.store.instance(name).workspace();
        match (path.strip_prefix(&self.0.home.path), self.0.home.path.canonicalize()) {
            (Ok(below), Ok(home)) => home.join(below),
            _ => path,
        }
    }

    pub(in crate::manager) fn write_worktree_note(
        &self,
        record: &AgentRecord,
        note: &WorktreeNote,
    ) -> Result<(), Error> {
        let text = serde_json::to_vec_pretty(note)
            .map_err(|error| Error::io(format!("cannot write {NOTE}"))(error.into()))?;
        Ok(self.0.store.instance(&record.name).write_state(NOTE, &text)?)
    }

    /// Returns the error for an agent whose directory is gone. For a finished agent, it says where the work is and how
    /// the conversation continues.
    pub(in crate::manager) fn directory_gone(&self, record: &AgentRecord) -> Error {
        let (note, at) = (self.worktree_note(record), self.workspace_of(record));
        let base = note.merged_into.filter(|_| record.workspace == Workspace::Worktree && !at.exists());
        let Some(base) = base else {
            return Error::directory_gone(&record.name, &record.working_directory);
        };
        let exists =
            Branches(&self.0.git()).tip(&note.repository, &note.branch).is_ok_and(|tip| tip.is_some());
        let (branch, place) = (shell_word(&note.branch), shell_word(&at));
        let from = match exists {
            true => format!("{place} {branch}"),
            false => format!("-b {branch} {place} {}", shell_word(&base)),
        };
        let (name, repository) = (&record.name, shell_word(&note.repository));
        let add = format!("git -C {repository} worktree add {from}").replace(is_deceptive, " ");
        let what =
            format!("agent `{name}` is finished: its work is in `{base}`, and its worktree was removed");
        Error::new(Code::BadDirectory, what.replace(is_deceptive, " "))
            .hint(format!("show what it did: `symposium agent recap {name}`"))
            .hint(format!(
                "continue its conversation in a new worktree: `{add}`, then `symposium agent resume {name}`"
            ))
    }

    /// Returns the note about an agent's worktree, or one derived from the record if the note is lost.
    pub(in crate::manager) fn worktree_note(&self, record: &AgentRecord) -> WorktreeNote {
        let read = self.0.store.instance(&record.name).read_state(NOTE).ok().flatten();
        read.and_then(|text| serde_json::from_slice(&text).ok()).unwrap_or_else(|| WorktreeNote {
            repository: record.project.clone().unwrap_or_default().into(),
            branch: record.branch.clone().unwrap_or_default(),
            made_branch: false,
            finished: true,
            submodules: Vec::new(),
            copied: Vec::new(),
            copied_from: PathBuf::new(),
            base: None,
            merged_into: None,
        })
    }

    /// Returns where a branch starts that is created from HEAD. A branch that exists already started elsewhere, and the
    /// branch of a fork has the base of the original.
    fn base_of_new_branch(
        &self,
        plan: &WorktreePlan,
        request: &SpawnRequest,
    ) -> Result<Option<WorktreeBase>, GitError> {
        let original = request.fork_of.as_ref().and_then(|name| self.0.record(name, "fork").ok());
        if let Some(original) = original.filter(|original| original.workspace == Workspace::Worktree) {
            return Ok(self.worktree_note(&original).base);
        }
        if !matches!(plan.branch, BranchPlan::New(_) | BranchPlan::Reset(_)) {
            return Ok(None);
        }
        let (git, top) = (self.0.git(), &plan.top);
        let branch = Branches(&git).current(top)?;
        Ok(git.head(top)?.map(|commit| WorktreeBase { branch, commit }))
    }

    /// Returns the files that were copied into the worktree at its creation and have not changed.
    pub(in crate::manager) fn unchanged_copies(&self, record: &AgentRecord) -> Vec<PathBuf> {
        let (note, at) = (self.worktree_note(record), self.workspace_of(record));
        let is_same = |path: &PathBuf| same(&note.copied_from.join(path), &at.join(path));
        note.copied.into_iter().filter(is_same).collect()
    }

    /// Refuses to start an agent whose worktree setup was interrupted, because files that it needs may be missing.
    pub(in crate::manager) fn refuse_unfinished(&self, record: &AgentRecord) -> Result<(), Error> {
        if self.is_half_moved(record) {
            return Err(Error::new(
                Code::Workspace,
                format!("agent `{}` was not imported completely", record.name),
            )
            .saw("the import was interrupted")
            .hint(format!(
                "`symposium agent rm {}`, then `symposium agent handoff import` again",
                record.name
            )));
        }
        if record.workspace != Workspace::Worktree || self.worktree_note(record).finished {
            return Ok(());
        }
        Err(Error::new(
            Code::Workspace,
            format!("the worktree of agent `{}` was not created completely", record.name),
        )
        .saw("the command that created it was interrupted")
        .hint(format!("`symposium agent rm {}`, then spawn it again", record.name)))
    }

    /// Updates git's path of a worktree after its agent was renamed.
    pub(in crate::manager) fn mend_worktree(&self, record: &AgentRecord) {
        if record.workspace != Workspace::Worktree {
            return;
        }
        if let Some(old) = &record.renamed_from {
            self.move_ports(old, &record.name);
        }
        let (note, at, git) =
            (self.worktree_note(record), self.workspace_of(record), self.0.git().with_long_timeout());
        let mut mended = Worktrees(&git).repair(&note.repository, &at);
        for inner in &note.submodules {
            mended = mended.and(Worktrees(&git).repair(&inner.repository, &at.join(&inner.path)));
        }
        if let Err(error) = mended {
            self.0
                .notice(format!("git does not know where the worktree of `{}` is now: {error}", record.name));
        }
    }

    /// Warns if another agent writes into the same directory, because the agents would interfere with each other.
    pub(in crate::manager) fn warn_of_shared_directory(&self, record: &AgentRecord) -> Result<(), Error> {
        if record.workspace != Workspace::InPlace || record.kind == PLAIN_COMMAND {
            return Ok(());
        }
        let beside = |other: &AgentRecord| {
            other.id != record.id
                && other.kind != PLAIN_COMMAND
                && other.workspace == Workspace::InPlace
                && other.working_directory == record.working_directory
                && other.status.status.is_live()
        };
        let all = self.0.store.read(self.0.now())?;
        if let Some(other) = all.iter().find(|other| beside(other)) {
            // A worktree needs a repository.
            let advice = match git::project(Path::new(&record.working_directory)) {
                Some(_) => "`symposium agent spawn --workspace worktree` gives an agent its own",
                None => "`symposium agent spawn --workspace scratch` gives an agent an empty one",
            };
            self.0.notice(format!("agent `{}` works in this directory too; {advice}", other.name));
        }
        Ok(())
    }
}

impl Workspaces<'_> {
    /// Writes the taskspace file into a new worktree and excludes it from git.
    pub(in crate::manager) fn begin_taskspace(
        &self,
        record: &AgentRecord,
        request: &SpawnRequest,
        top: &Path,
    ) -> Result<(), Error> {
        let Some(description) = &request.taskspace else { return Ok(()) };
        let path: PathBuf = top.join(TASKSPACE_FILE);
        let log = vec![LogEntry { at: self.0.now(), text: "it was created".into() }];
        let taskspace =
            Taskspace { id: record.id, name: record.name.clone(), description: description.clone(), log };
        let text = serde_json::to_string_pretty(&taskspace).unwrap_or_default() + "\n";
        let cannot = || Error::io(format!("cannot write {}", path.display()));
        git::exclude(top, &format!("/{TASKSPACE_FILE}")).map_err(cannot())?;
        let mut options = std::fs::OpenOptions::new();
        // An existing file of that name belongs to the repository and is not overwritten.
        let mut file = options.write(true).create_new(true).open(&path).map_err(cannot())?;
        std::io::Write::write_all(&mut file, text.as_bytes()).map_err(cannot())
    }
}

/// Converts a refusal of git to an error for the user.
fn refused(why: WorktreeError, record: &AgentRecord) -> Error {
    let hint = match &why {
        WorktreeError::NoRepository => return Error::no_repository(&record.working_directory),
        WorktreeError::NoCommit => "make a first commit: `git commit --allow-empty -m start`".to_owned(),
        WorktreeError::BadBranch(_) => "name another with `--branch`".to_owned(),
        WorktreeError::CheckedOut { .. } => {
            "name another with `--branch`; a branch is in one worktree only".to_owned()
        }
        WorktreeError::HasCommits { branch, .. } => {
            format!("continue on it: `--branch {branch}`; or choose another name")
        }
        WorktreeError::Git(_) => "check whether git works there: `git status`".to_owned(),
    };
    Error::new(
        Code::Workspace, // Names from a repository or a patch are untrusted.
        format!("no worktree was created: {why}").replace(is_deceptive, " "),
    )
    .saw("nothing was started")
    .hint(hint)
}

/// Returns the current branch of an agent that works in place, which may change with each turn, and the initial branch
/// of other agents.
pub(in crate::manager) fn branch_now(record: &AgentRecord) -> Option<String> {
    let dir = Path::new(&record.working_directory);
    match record.workspace {
        Workspace::InPlace if dir.is_dir() => git::branch(dir),
        _ => record.branch.clone(),
    }
}

/// Returns the error for commits or changes of a hand-off that git refuses.
pub(in crate::manager) fn work_refused(why: &GitError) -> Error {
    Error::new(Code::Workspace, format!("its work cannot be imported: {why}").replace(is_deceptive, " "))
        .saw("nothing was changed")
        .hint("ask its author for a new one: `symposium agent handoff export`")
}
