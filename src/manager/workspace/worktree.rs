//! The git worktree of an agent, from the request to the last setup command.
//!
//! The record is stored before the worktree is created, so that an agent whose creation was interrupted appears in
//! lists and `rm` removes it. `state/workspace.json` records the progress and what a removal has to undo.

use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde::Serialize;

use crate::env::Env;
use crate::error::Error;
use crate::failpoint;
use crate::git;
use crate::git::{BranchPlan, BranchWish, GitError, Refusal, Stage, Submodule};
use crate::manager::registry::RegistryWriter;
use crate::manager::specs::launch_plan::LaunchPlan;
use crate::manager::specs::spawn_request::SpawnRequest;
use crate::manager::specs::spawn_request::UncommittedChanges;
use crate::manager::workspace::Workspaces;
use crate::manager::workspace::setup::WorktreeSetup;
use crate::model::{AgentName, AgentRecord, LogEntry, Taskspace, Workspace};
use crate::model::{ChangedFile, is_deceptive};
use crate::rules::status::decide::PLAIN_COMMAND;
use crate::rules::workspace::unsaved_work::named;
use crate::store::{Staging, StartLock};

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
    /// Uncommitted changes that are applied to the worktree.
    changes: Vec<(PathBuf, Stage)>,
    /// Holds the files of `changes` that were taken from the original tree.
    staging: Option<Staging>,
    /// Uncommitted files of the original tree that are not copied.
    left_behind: Vec<ChangedFile>,
}

impl Workspaces<'_> {
    /// Plans an agent's worktree. Returns `None` if the agent needs none. Changes nothing.
    pub(in crate::manager) fn plan_worktree(
        &self,
        record: &AgentRecord,
        request: &SpawnRequest,
        chosen: &LaunchPlan,
    ) -> Result<Option<WorktreePlan>, Error> {
        self.refuse_to_bury_work(record)?;
        if record.workspace != Workspace::Worktree {
            let option = match (&request.branch, request.changes) {
                (Some(_), _) => "--branch",
                (None, UncommittedChanges::TakeAlong) => "--with-changes",
                (None, UncommittedChanges::StayBehind) => return Ok(None),
            };
            let hint = Some("add `--workspace worktree`".into());
            return Err(Error::Usage { what: format!("`{option}` is for a worktree"), hint });
        }
        let dir = Path::new(&record.working_directory);
        let Some(top) = git::project(dir) else {
            return Err(Error::NoRepository { path: record.working_directory.clone() });
        };
        let own = format!("symposium/{}", record.name);
        let wish = request.branch.as_deref().map_or(BranchWish::Own(&own), BranchWish::Named);
        let at = self.workspace_of(record);
        let branch =
            self.0.git().patient().plan_branch(dir, wish, &at).map_err(|why| refused(why, record))?;
        let below = dir.strip_prefix(&top).unwrap_or(Path::new("")).to_owned();
        let readying = self.readying(request, chosen)?;
        let (mut changes, mut left_behind, mut staging) = (Vec::new(), Vec::new(), None);
        match request.changes {
            UncommittedChanges::TakeAlong => {
                let room = self.0.store.staging()?;
                changes = self.copy_changes(&top, room.path())?;
                staging = Some(room);
            }
            UncommittedChanges::StayBehind => {
                left_behind = self.0.git().uncommitted(&top).unwrap_or_default();
            }
        }
        Ok(Some(WorktreePlan { branch, top, below, readying, changes, staging, left_behind }))
    }

    /// Plans the worktree of an imported agent in the repository at `top`.
    pub(in crate::manager) fn plan_handed(
        &self,
        branch: BranchPlan,
        (top, below): (&Path, &Path),
        changes: Vec<(PathBuf, Stage)>,
        (request, chosen): (&SpawnRequest, &LaunchPlan),
    ) -> Result<WorktreePlan, Error> {
        let readying = self.readying(request, chosen)?;
        let (top, below) = (top.to_owned(), below.to_owned());
        Ok(WorktreePlan { branch, top, below, readying, changes, staging: None, left_behind: Vec::new() })
    }

    /// Reports how many uncommitted files a new worktree does not get.
    fn warn_of_changes_left_behind(&self, plan: &WorktreePlan, copied: &[PathBuf]) {
        let is_missing = |file: &&ChangedFile| !copied.iter().any(|path| path == Path::new(&file.path));
        let files: Vec<ChangedFile> = plan.left_behind.iter().filter(is_missing).cloned().collect();
        if !files.is_empty() {
            let named = named("uncommitted file", &files);
            self.0.notice(format!("not in the new worktree: {named} (`--with-changes` takes them along)"));
        }
    }

    /// Writes the uncommitted changes of a tree as patches into a directory. The tree stays as it is.
    fn copy_changes(&self, top: &Path, room: &Path) -> Result<Vec<(PathBuf, Stage)>, Error> {
        let (staged, unstaged) = (room.join("staged.patch"), room.join("unstaged.patch"));
        let others = self.0.git().patient().patches(top, &[], room, [&staged, &unstaged]);
        let others = others.map_err(|why| changes_refused(&why))?;
        for path in others {
            let path = path.replace(is_deceptive, " ");
            self.0.notice(format!("`{path}` is a repository of its own and is not taken along"));
        }
        let both = [(staged, Stage::Staged), (unstaged, Stage::Unstaged)];
        Ok(both.into_iter().filter(|(path, _)| path.exists()).collect())
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
        };
        record.working_directory = at.join(&plan.below).to_string_lossy().trim_end_matches('/').to_owned();
        record.project = Some(note.repository.to_string_lossy().into_owned());
        record.branch = Some(note.branch.clone());
        self.write_worktree_note(record, &note)?;
        RegistryWriter(self.0).write(|edit| edit.put(record.clone()))?;
        drop(alone.take());
        failpoint::reached("worktree.noted");
        self.0.progress(&format!("making a worktree on branch `{}`", note.branch));
        let git = self.0.git().patient();
        git.add_worktree(&from, &plan.branch, &at).map_err(|why| refused(why.into(), record))?;
        failpoint::reached("worktree.added");
        for (patch, stage) in &plan.changes {
            let refuse = if plan.staging.is_some() { changes_refused } else { work_refused };
            git.apply(&at, patch, *stage).map_err(|why| refuse(&why))?;
        }
        let filled = git.fill_submodules(&at, plan.branch.counted_from());
        let (submodules, remarks) = filled.map_err(|why| refused(why.into(), record))?;
        remarks.into_iter().for_each(|remark| self.0.notice(remark));
        note.submodules = submodules;
        self.write_worktree_note(record, &note)?;
        note.copied = self.copy_setup_files(&plan.readying, &plan.top, &at);
        self.warn_of_changes_left_behind(plan, &note.copied);
        if !Path::new(&record.working_directory).is_dir() {
            self.0.notice(format!(
                "`{}` is not in the new worktree: the agent begins at its top",
                plan.below.display()
            ));
            record.working_directory = at.to_string_lossy().into_owned();
        }
        self.write_worktree_note(record, &note)?;
        failpoint::reached("worktree.copied");
        self.begin_taskspace(record, request, &at)?;
        self.run_setup(record, &plan.readying, &at)?;
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

    fn write_worktree_note(&self, record: &AgentRecord, note: &WorktreeNote) -> Result<(), Error> {
        let text = serde_json::to_vec_pretty(note)
            .map_err(|error| Error::io(format!("cannot write {NOTE}"))(error.into()))?;
        Ok(self.0.store.instance(&record.name).write_state(NOTE, &text)?)
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
        })
    }

    /// Refuses to start an agent whose worktree setup was interrupted, because files that it needs may be missing.
    pub(in crate::manager) fn refuse_unfinished(&self, record: &AgentRecord) -> Result<(), Error> {
        if self.is_half_moved(record) {
            return Err(Error::Workspace {
                what: format!("agent `{}` was never taken over to the end", record.name),
                saw: vec!["the command that did it was cut short".into()],
                hint: format!(
                    "`symposium agent rm {}`, then `symposium agent handoff import` again",
                    record.name
                ),
            });
        }
        if record.workspace != Workspace::Worktree || self.worktree_note(record).finished {
            return Ok(());
        }
        Err(Error::Workspace {
            what: format!("the worktree of agent `{}` was never finished", record.name),
            saw: vec!["the command that made it was cut short".into()],
            hint: format!("`symposium agent rm {}`, then spawn it again", record.name),
        })
    }

    /// Updates git's path of a worktree after its agent was renamed.
    pub(in crate::manager) fn mend_worktree(&self, record: &AgentRecord) {
        if record.workspace != Workspace::Worktree {
            return;
        }
        let (note, at, git) = (self.worktree_note(record), self.workspace_of(record), self.0.git().patient());
        let mut mended = git.repair_worktree(&note.repository, &at);
        for inner in &note.submodules {
            mended = mended.and(git.repair_worktree(&inner.repository, &at.join(&inner.path)));
        }
        if let Err(error) = mended {
            self.0
                .notice(format!("git does not know where the worktree of `{}` is now: {error}", record.name));
        }
    }

    /// Warns if another agent writes into the same directory, because the agents would interfere with each other.
    pub(in crate::manager) fn warn_of_company(&self, record: &AgentRecord) -> Result<(), Error> {
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
        let all = self.0.store.read(crate::env::Env::now())?;
        if let Some(other) = all.iter().find(|other| beside(other)) {
            self.0.notice(format!(
                "agent `{}` works in this directory too; `symposium agent spawn --workspace worktree` gives an agent its own",
                other.name
            ));
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
        let log = vec![LogEntry { at: Env::now(), text: "it was made".into() }];
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

/// Returns the error for uncommitted changes that do not apply to the new worktree.
fn changes_refused(why: &GitError) -> Error {
    Error::Workspace {
        what: format!("the uncommitted changes cannot be taken along: {why}").replace(is_deceptive, " "),
        saw: vec!["nothing was started; the changes are still where they were".into()],
        hint: "commit or stash them, and spawn without `--with-changes`".into(),
    }
}

/// Converts a refusal of git to an error for the user.
fn refused(why: Refusal, record: &AgentRecord) -> Error {
    let hint = match &why {
        Refusal::NoRepository => return Error::NoRepository { path: record.working_directory.clone() },
        Refusal::NoCommit => "make a first commit: `git commit --allow-empty -m start`".to_owned(),
        Refusal::BadBranch(_) => "name another with `--branch`".to_owned(),
        Refusal::CheckedOut { .. } => {
            "name another with `--branch`; a branch is in one worktree only".to_owned()
        }
        Refusal::HasCommits { branch, .. } => {
            format!("go on with it: `--branch {branch}`; or choose another name")
        }
        Refusal::Git(_) => "see whether git works there: `git status`".to_owned(),
    };
    Error::Workspace {
        // Names from a repository or a patch are untrusted.
        what: format!("no worktree was made: {why}").replace(is_deceptive, " "),
        saw: vec!["nothing was started".into()],
        hint,
    }
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
    Error::Workspace {
        what: format!("its work cannot be taken over: {why}").replace(is_deceptive, " "),
        saw: vec!["nothing was changed".into()],
        hint: "ask its author for another: `symposium agent handoff export`".into(),
    }
}
