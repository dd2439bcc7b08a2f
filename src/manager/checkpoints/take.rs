//! Takes a checkpoint: before each turn in a process of its own, and before a restore.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::error::{Code, Error};
use crate::failpoint;
use crate::git::{self, Branches, CheckpointPlan, CheckpointStore, Index};
use crate::manager::checkpoints::{CheckpointState, Checkpoints, SkippedCheckpoint};
use crate::manager::review::Reviews;
use crate::manager::workspace::Workspaces;
use crate::model::{
    AgentId, AgentName, AgentRecord, Checkpoint, CheckpointNote, CheckpointReason, Workspace,
};
use crate::process::{self, Run};
use crate::rules::status::decide::PLAIN_COMMAND;
use crate::rules::status::from_hook::one_line;
use crate::rules::workspace::checkpoints::{CheckpointCandidate, expired, next_number, refs_of, select};
use crate::store::{AgentLocks, RunFiles, Staging};

/// Variable that passes the first line of the prompt to the process that takes the checkpoint. Other users can read
/// the arguments of a process, but not its environment.
const CHECKPOINT_PROMPT: &str = "SYMPOSIUM_CHECKPOINT_PROMPT";

/// A checkpoint, with the temporary directory that has the index of its working tree.
pub(in crate::manager) struct TakenCheckpoint {
    pub(in crate::manager) checkpoint: Checkpoint,
    pub(in crate::manager) scratch: Staging,
}

impl Checkpoints<'_> {
    /// Starts a process that takes a checkpoint, and returns at once. Does nothing for an agent outside of a
    /// repository, or if checkpoints are disabled.
    pub(in crate::manager) fn begin_turn(&self, record: &AgentRecord, prompt: &str) {
        let is_wanted = record.kind != PLAIN_COMMAND && self.0.settings().checkpoints.enabled;
        if !is_wanted || Reviews(self.0).working_tree(record).is_err() {
            return;
        }
        let home = self.0.home.path.to_string_lossy().into_owned();
        let words = ["--home", &home, "take-checkpoint", record.name.as_str(), &record.id.to_string()];
        let words = words.map(str::to_owned);
        // Without the id of the agent, which would make the process one of the agent's own.
        let mut env: Vec<(OsString, OsString)> = self.0.env.for_supervisor();
        env.push((CHECKPOINT_PROMPT.into(), one_line(prompt).into()));
        let program = self.0.own_program();
        let run = Run { program: &program, args: &words, dir: Some(Path::new("/")), env: Some(&env) };
        let _ = process::start_detached(&run);
    }

    /// Takes the checkpoint of a turn. The process leaves the session of the agent first.
    pub fn take_for_turn(&self, name: &AgentName, id: AgentId) -> Result<(), Error> {
        let _ = process::leave_session();
        let record = self.0.record(name, "checkpoint")?;
        if record.id != id {
            return Ok(());
        }
        // While another checkpoint of the agent is taken, a second one would not be older than its first change.
        let Some(_lock) = AgentLocks(&self.0.store).lock_checkpoints(name, Duration::ZERO)? else {
            return Ok(());
        };
        let prompt = self.0.env.var(CHECKPOINT_PROMPT).and_then(|text| text.to_str()).map(str::to_owned);
        let top = Reviews(self.0).working_tree(&record)?;
        let note = CheckpointNote { reason: CheckpointReason::Turn, prompt, ..CheckpointNote::default() };
        let taken = self.take(&record, &top, note, &[]);
        let skipped = taken.as_ref().err().map(|error| {
            let observed = error.observations().first();
            let reason = observed.cloned().unwrap_or_else(|| error.to_string());
            SkippedCheckpoint { at: self.0.now(), reason }
        });
        // A turn that begins makes an interrupted restore obsolete.
        let state = CheckpointState { repository: git::repository(&top), skipped, unfinished_restore: None };
        self.write_state(&record, &state)?;
        taken.map(drop)
    }

    /// Takes a checkpoint. Stores also the files `also`, which git may ignore. The caller holds the lock for the
    /// checkpoints of the agent.
    pub(in crate::manager) fn take(
        &self,
        record: &AgentRecord,
        top: &Path,
        note: CheckpointNote,
        also: &[PathBuf],
    ) -> Result<TakenCheckpoint, Error> {
        let failed = |why: git::GitError| not_taken(record, &why.to_string());
        // git may outlive this process here: it only adds objects and one ref. Ending each git with this process would
        // start this binary twelve more times, about 2 ms each.
        let git = self.0.git().with_long_timeout().without_wrapper().with_changed_line_ends();
        if record.workspace == Workspace::Worktree {
            // Without the check of `core.worktree`, which git does not use in a linked worktree here.
            git::verify_link(top, &Workspaces(self.0).worktree_note(record).repository).map_err(failed)?;
        }
        let (prefix, config) = (refs_of(record.id), self.0.settings());
        let scratch = RunFiles(&self.0.store).staging()?;
        // Each git costs about 3 ms, so settings and lists are read once.
        let git = git.with_settings_of(top).map_err(failed)?;
        let mut listing = Index(&git).list_changes(top).map_err(failed)?;
        let (embedded, changed): (Vec<_>, Vec<_>) =
            std::mem::take(&mut listing.changed).into_iter().partition(|(path, _)| path.ends_with('/'));
        let candidates: Vec<CheckpointCandidate> =
            changed.into_iter().map(|(path, bytes)| CheckpointCandidate { path, bytes }).collect();
        let selection =
            select(git::tracked_files(top), &candidates).map_err(|why| not_taken(record, &why))?;
        let embedded = embedded.into_iter().map(|(path, _)| path.trim_end_matches('/').to_owned());
        let left_out: Vec<String> = self
            .never_stored(record)
            .into_iter()
            .chain(embedded)
            .chain(selection.left_out.iter().cloned())
            .map(|path| format!(":(top,exclude,literal){path}"))
            .collect();
        let (known, head) = CheckpointStore(&git).list_with_head(top, &prefix).map_err(failed)?;
        let note = CheckpointNote {
            branch: Branches(&git).current(top).map_err(failed)?,
            left_out_count: selection.left_out.len(),
            left_out: selection.named,
            ..note
        };
        let plan = CheckpointPlan {
            prefix: &prefix,
            number: next_number(&known),
            at: self.0.now(),
            note: &note,
            head: head.as_deref(),
            listing: &listing,
            newest: known.last(),
            expired: &expired(&known, &config.checkpoints, 1, self.0.now()),
            left_out: &left_out,
            also,
            scratch: scratch.path(),
        };
        failpoint::reached("checkpoint.planned");
        let checkpoint = CheckpointStore(&git).store(top, plan).map_err(failed)?;
        failpoint::reached("checkpoint.stored");
        Ok(TakenCheckpoint { checkpoint, scratch })
    }

    /// Returns the files that were copied into a worktree at its creation. They may hold secrets, and git does not
    /// track them.
    pub(in crate::manager) fn never_stored(&self, record: &AgentRecord) -> Vec<String> {
        let copied: Vec<PathBuf> = Workspaces(self.0).worktree_note(record).copied;
        copied.iter().map(|path| path.to_string_lossy().into_owned()).collect()
    }
}

fn not_taken(record: &AgentRecord, why: &str) -> Error {
    Error::new(Code::Workspace, format!("no checkpoint of agent `{}` was taken", record.name)).saw(why)
}
