//! The steps of an import: workspace, conversation, queue. Each step is logged before it is executed.

use std::fs::{self, DirBuilder, File};
use std::io::{self, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use super::destination::ImportTarget;
use super::import::ImportInProgress;
use super::{OpenedHandoff, QueueImport};
use crate::base::atomic_file::{directory_of, private_temp};
use crate::base::plural::counted;
use crate::error::{Code, Error};
use crate::failpoint;
use crate::git::{BranchPlan, Branches, Bundles, ChangeStage, Patches};
use crate::kinds;
use crate::ledger::TaskTransition;
use crate::manager::handoff::HandoffImport;
use crate::manager::launch::Launcher;
use crate::manager::queue::TaskQueue;
use crate::manager::registry::RegistryWriter;
use crate::manager::status::StatusTracker;
use crate::manager::workspace::withdraw::RollbackLog;
use crate::manager::workspace::worktree::work_refused;
use crate::manager::workspace::{WorkInspection, Workspaces};
use crate::model::{
    AgentRecord, Assignee, HandedWork, NewMessage, NewTask, Part, Prompt, Recipient, TaskId, TaskState,
};
use crate::rules::workspace::handoff::{branches, handed_mail, handed_on};
use crate::store::StartLock;

/// The sender of tasks and messages that were imported with a hand-off.
const SOURCE: &str = "handoff";

impl HandoffImport<'_> {
    /// Removes the files of an earlier agent with this name. Fails if they include unsaved work.
    pub(super) fn remove_earlier_files(&self, record: &AgentRecord) -> Result<(), Error> {
        self.0.store.begin()?;
        StatusTracker(self.0).move_renamed_instance(&record.name)?;
        WorkInspection(self.0).refuse_to_overwrite_work(record)?;
        Ok(self.0.store.instance(&record.name).remove()?)
    }

    /// Creates the workspace with the agent's work. The record is stored first, so that an agent whose import was
    /// interrupted appears in lists, and `rm` removes what was created.
    pub(super) fn move_in(
        &self,
        record: &mut AgentRecord,
        moving: &mut ImportInProgress<'_>,
        alone: &mut Option<StartLock>,
    ) -> Result<(), Error> {
        let opened = moving.opened;
        let instance = self.0.store.instance(&record.name);
        instance.create()?;
        let mut note = RollbackLog::default();
        self.note_moving(record, &note)?;
        match (&moving.landing, &opened.manifest.work) {
            (ImportTarget::Worktree(top), Some(work)) => {
                let branch = self.take_commits(record, opened, (top, work), &mut note)?;
                if work.branch.as_deref() != Some(branch.as_str()) {
                    moving.remarks.push(format!("its work is on a new branch, `{branch}`"));
                }
                let at = BranchPlan::At { branch, commit: work.head.clone() };
                let spawn_request = (&moving.spawn_request, &moving.chosen);
                let plan = Workspaces(self.0).plan_handed(
                    at,
                    (top, Path::new(&work.below)),
                    changes(opened),
                    spawn_request,
                )?;
                Workspaces(self.0).create_worktree(record, &moving.spawn_request, &plan, alone)?;
                self.stay_inside(record);
            }
            (ImportTarget::Fresh(dir), Some(work)) => {
                self.begin_repository(record, opened, (dir, work), &mut note)?
            }
            (ImportTarget::Scratch, _) => {
                record.working_directory = instance.create_workspace()?.to_string_lossy().into_owned();
                record.project = Some(record.working_directory.clone());
                record.branch = None;
                RegistryWriter(self.0).write(|edit| edit.put(record.clone()))?;
            }
            _ => drop(RegistryWriter(self.0).write(|edit| edit.put(record.clone()))?),
        }
        failpoint::reached("handoff.settled");
        Ok(())
    }

    /// Fetches the commits into a repository and chooses an unused branch name for them.
    fn take_commits(
        &self,
        record: &AgentRecord,
        opened: &OpenedHandoff,
        (top, work): (&Path, &HandedWork),
        note: &mut RollbackLog,
    ) -> Result<String, Error> {
        let git = self.0.git().with_long_timeout();
        self.0.progress("importing its commits");
        Bundles(&git)
            .import_objects(top, &opened.part(Part::Bundle), &work.head)
            .map_err(|why| work_refused(&why))?;
        failpoint::reached("handoff.commits");
        let names = branches(work.branch.as_deref(), &record.name);
        let free = Branches(&git).free_name(top, &names).map_err(|why| work_refused(&why))?;
        let branch = free.ok_or_else(|| {
            Error::new(Code::Workspace, format!("no branch is free for the work of `{}`", record.name))
                .saw("nothing was changed")
                .hint("choose another name with `--name`")
        })?;
        note.branch = Some((top.to_owned(), branch.clone(), work.head.clone()));
        self.note_moving(record, note)?;
        failpoint::reached("handoff.noted");
        Ok(branch)
    }

    fn begin_repository(
        &self,
        record: &mut AgentRecord,
        opened: &OpenedHandoff,
        (dir, work): (&Path, &HandedWork),
        note: &mut RollbackLog,
    ) -> Result<(), Error> {
        let git = self.0.git().with_long_timeout();
        fs::create_dir(dir).map_err(Error::io(format!("cannot make {}", dir.display())))?;
        // Logged only now: a directory that another process created in the meantime must not be removed by a rollback.
        note.made = Some(dir.to_owned());
        self.note_moving(record, note)?;
        record.working_directory = dir.join(&work.below).to_string_lossy().trim_end_matches('/').to_owned();
        record.project = dir.to_str().map(str::to_owned);
        RegistryWriter(self.0).write(|edit| edit.put(record.clone()))?;
        let names = branches(work.branch.as_deref(), &record.name);
        // If git rejects the first name, the second one is tried.
        let begin = |name: &&String| Bundles(&git).create_repository(dir, name, &work.head).is_ok();
        let branch = names.iter().take(2).find(begin).ok_or_else(|| {
            Error::new(Code::Workspace, format!("cannot create a repository in `{}`", dir.display()))
                .saw("nothing was changed")
                .hint("check whether git works there: `git init`")
        })?;
        Bundles(&git)
            .import_objects(dir, &opened.part(Part::Bundle), &work.head)
            .map_err(|why| work_refused(&why))?;
        failpoint::reached("handoff.commits");
        Bundles(&git).create_first_branch(dir, branch, &work.head).map_err(|why| work_refused(&why))?;
        for (patch, stage) in changes(opened) {
            Patches(&git).apply(dir, &patch, stage).map_err(|why| work_refused(&why))?;
        }
        record.branch = Some(branch.clone());
        if !Path::new(&record.working_directory).is_dir() {
            record.working_directory = dir.to_string_lossy().into_owned();
        }
        self.stay_inside(record);
        Ok(())
    }

    /// Moves the working directory to the top of the workspace if it is reached through a symbolic link, which may lead
    /// out of the repository.
    fn stay_inside(&self, record: &mut AgentRecord) {
        let dir = PathBuf::from(&record.working_directory);
        let real = dir.canonicalize();
        if real.as_deref().ok() != Some(dir.as_path()) {
            let top =
                crate::git::project(&dir).filter(|top| top.canonicalize().is_ok_and(|real| real == *top));
            let own = Workspaces(self.0).workspace_of(record);
            let top = if dir.starts_with(&own) { own } else { top.unwrap_or(dir) };
            record.working_directory = top.to_string_lossy().into_owned();
        }
    }

    /// Copies the conversation to where the agent CLI expects it here. Returns its id, or `None` if it cannot be
    /// resumed.
    pub(super) fn bring_conversation(
        &self,
        record: &AgentRecord,
        moving: &mut ImportInProgress<'_>,
    ) -> Result<Option<String>, Error> {
        let (opened, kind, remarks) = (moving.opened, &moving.chosen.kind, &mut moving.remarks);
        let files = &kind.conversation_files;
        let id = opened.manifest.conversation.id.clone();
        let root = Launcher(self.0).conversation_root(files, &[]);
        let (Some(id), Some(root), true, false) =
            (id, root, opened.manifest.has(Part::Conversation), kind.conversation.resume.is_empty())
        else {
            if opened.manifest.conversation.begun {
                remarks.push("begins a new conversation with a summary of the former one".into());
            }
            return Ok(None);
        };
        let all = self.0.store.read(self.0.now())?;
        let is_in_it = |other: &AgentRecord| {
            other.id != record.id && other.kind == record.kind && other.conversation.id.as_ref() == Some(&id)
        };
        let taken = all.iter().any(is_in_it) || kinds::find_conversation(files, &root, &id).is_some();
        let new_id = if taken { uuid::Uuid::new_v4().to_string() } else { id.clone() };
        let now = self.0.now();
        let Some(target) =
            kinds::import_conversation(files, &root, &record.working_directory, (&new_id, now))
        else {
            remarks.push(
                "begins a new conversation: the path of its directory is too long for the former one".into(),
            );
            return Ok(None);
        };
        let mut note = self.moving_note(record);
        note.files.push(target.clone());
        self.note_moving(record, &note)?;
        let failed = || Error::io(format!("cannot write the conversation {}", target.display()));
        let mut changes = vec![(id.clone(), new_id.clone())];
        if !files.directory_key.is_empty() {
            let named = |dir: &str| format!("\"{}\":{}", files.directory_key, serde_json::Value::from(dir));
            changes.push((named(&opened.record.directory), named(&record.working_directory)));
        }
        changes.retain(|(old, new)| old != new);
        if let Err(error) = copy_private(&opened.part(Part::Conversation), &target, &changes) {
            // The existing file may belong to another process that created it first.
            note.files.pop();
            self.note_moving(record, &note)?;
            return Err(failed()(error));
        }
        failpoint::reached("handoff.placed");
        remarks.push(match taken {
            true => format!("conversation {id} already exists here: it continues with a copy, {new_id}"),
            false => format!("continues conversation {id}"),
        });
        Ok(Some(new_id))
    }

    /// Puts tasks and mail on the new queue and returns the ids of the tasks.
    pub(super) fn bring_queue(
        &self,
        record: &AgentRecord,
        moving: &mut ImportInProgress<'_>,
        queue: QueueImport,
    ) -> Result<Vec<TaskId>, Error> {
        let (opened, remarks) = (moving.opened, &mut moving.remarks);
        let (mut queued, mut places, mut left) = (Vec::new(), Vec::new(), 0);
        if queue == QueueImport::Leave {
            return Ok(queued);
        }
        for task in &opened.tasks {
            let text = handed_on(task);
            if text.parse::<Prompt>().is_err() {
                left += 1;
                places.push(None);
                continue;
            }
            let after = task.after.iter().filter_map(|at| *places.get(*at)?).collect();
            let assignee = Assignee::Agent(record.id, record.name.clone());
            let plain = NewTask::plain(assignee, text, SOURCE);
            let (priority, timeout_s, retries) = (task.urgency(), task.timeout_s, task.retries.min(100));
            let new = NewTask { priority, after, timeout_s, retries, ..plain };
            let id = TaskQueue(self.0).queue(&new).inspect_err(|_| self.cancel_queue(&queued))?;
            places.push(Some(id));
            queued.push(id);
        }
        let mail: Vec<NewMessage> = opened
            .messages
            .iter()
            .filter_map(|message| {
                let text = handed_mail(message);
                let to = Recipient::Agent(record.id, record.name.clone());
                text.parse::<Prompt>().ok()?;
                Some(NewMessage { from: SOURCE.into(), to, project: None, text, wake: message.wake })
            })
            .collect();
        if !mail.is_empty() {
            TaskQueue(self.0).open_queues()?;
            let added = RegistryWriter(self.0).with_ledger(|ledger| ledger.add_messages(&mail, self.0.now()));
            added.inspect_err(|_| self.cancel_queue(&queued))?;
        }
        if !queued.is_empty() || !mail.is_empty() {
            let tasks = counted(queued.len(), "task", "tasks");
            let messages = counted(mail.len(), "message", "messages");
            let wait = if queued.len() + mail.len() == 1 { "waits" } else { "wait" };
            remarks.push(format!("{tasks} and {messages} {wait} on its queue"));
        }
        if left > 0 {
            let tasks = counted(left, "task was", "tasks were");
            remarks.push(format!("{tasks} left out because the text cannot be typed"));
        }
        Ok(queued)
    }

    /// Cancels the imported tasks after the agent could not be started.
    pub(super) fn cancel_queue(&self, queued: &[TaskId]) {
        let from = [TaskState::Queued];
        let step = TaskTransition::plain(&from, TaskState::Cancelled, "its agent could not be imported");
        for id in queued {
            let _ = RegistryWriter(self.0).with_ledger(|ledger| ledger.move_task(*id, &step, self.0.now()));
        }
    }
}

/// Returns the patches of a hand-off in the order in which they are applied.
fn changes(opened: &OpenedHandoff) -> Vec<(PathBuf, ChangeStage)> {
    let both = [(Part::Staged, ChangeStage::Staged), (Part::Unstaged, ChangeStage::Unstaged)];
    let there = both.into_iter().filter(|(part, _)| opened.manifest.has(*part));
    there.map(|(part, stage)| (opened.part(part), stage)).collect()
}

/// Copies a conversation to a new file that only its owner can read, and replaces texts in it. Fails if the file
/// exists.
fn copy_private(from: &Path, to: &Path, changes: &[(String, String)]) -> io::Result<()> {
    let dir = directory_of(to);
    DirBuilder::new().recursive(true).mode(0o700).create(dir)?;
    let mut temp = private_temp(dir, ".handoff-")?;
    if changes.is_empty() {
        io::copy(&mut File::open(from)?, temp.as_file_mut())?;
    } else {
        let text = String::from_utf8_lossy(&fs::read(from)?).into_owned();
        let text = changes.iter().fold(text, |text, (old, new)| text.replace(old, new));
        temp.as_file_mut().write_all(text.as_bytes())?;
    }
    temp.persist_noclobber(to).map(drop).map_err(|error| error.error)
}
