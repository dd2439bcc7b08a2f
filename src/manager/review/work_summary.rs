//! The work of many agents for lists: numbers, position relative to the base, and expected conflicts.
//!
//! A summary takes about twenty runs of git, so it is stored with a fingerprint of the refs, the index and the changed
//! files that it depends on. While the fingerprint stays the same, only the changed files are asked from git. No lock
//! is held meanwhile.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use crate::git::{
    self, BaseSearch, Branches, CommitWriter, Git, GitError, History, MergeDetection, MergedTree, Merges,
    ObjectStore, Objects, SnapshotPlan, Snapshots, WorkingTreeChanges,
};
use crate::manager::parallel::in_parallel;
use crate::manager::review::Reviews;
use crate::manager::review::pull_requests::PullRequests;
use crate::manager::workspace::{WorkInspection, Workspaces};
use crate::model::{
    Agent, AgentName, AgentRecord, BasePosition, ChangedFile, MergeForecast, MergeState, MergedWork,
    WorkSummary, Workspace,
};
use crate::store::RunFiles;

/// The state file with the last summary of an agent.
const SUMMARY_FILE: &str = "work-summary.json";

/// How long the measured size of a workspace is shown. Ignored files change it without changing the fingerprint.
const SIZE_MAX_AGE: SignedDuration = SignedDuration::from_mins(5);

/// Whether the size of a workspace is needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SizeUse {
    /// The size is measured if it is old.
    Shown,
    /// The last known size is kept. Measuring it reads all directories of the workspace.
    Unused,
}

/// A summary and what it was computed from.
#[derive(Debug, Serialize, Deserialize)]
struct StoredSummary {
    /// Fingerprint of the refs and the working tree.
    fingerprint: String,
    /// Time of the measurement.
    #[serde(with = "crate::base::json_time")]
    measured_at: Timestamp,
    /// The computed summary.
    summary: WorkSummary,
}

/// The fingerprints of the refs of repositories, each of which is computed once for a list.
#[derive(Debug, Default)]
struct RefsFingerprints(Mutex<HashMap<PathBuf, Arc<OnceLock<Option<String>>>>>);

impl RefsFingerprints {
    fn of(&self, git: &Git, top: &Path) -> Option<String> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let own = Arc::clone(known.entry(git::repository(top)).or_default());
        drop(known);
        own.get_or_init(|| git::refs_fingerprint(git, top).ok()).clone()
    }
}

impl Reviews<'_> {
    /// Returns the work of these agents in the same order. Runs git for several agents at a time, and `gh` meanwhile. An
    /// agent of another machine has an empty summary.
    pub fn work_summaries(&self, agents: &[Agent]) -> Vec<WorkSummary> {
        let records = self.0.store.read(self.0.now()).unwrap_or_default();
        let records: HashMap<AgentName, AgentRecord> =
            records.into_iter().map(|record| (record.name.clone(), record)).collect();
        let own: Vec<AgentName> =
            agents.iter().filter(|agent| agent.host.is_none()).map(|agent| agent.name.clone()).collect();
        let refs = RefsFingerprints::default();
        let (summaries, requests) = std::thread::scope(|scope| {
            let requests =
                scope.spawn(|| self.pull_requests(own.iter().filter_map(|name| records.get(name))));
            let summaries = in_parallel(&own, |name| {
                let record = records.get(name);
                record.map(|record| self.work_summary(record, &refs, SizeUse::Shown)).unwrap_or_default()
            });
            (summaries, requests.join().unwrap_or_default())
        });
        let mut summaries = summaries.into_iter().map(|(_, summary)| summary);
        let in_order = agents.iter().map(|agent| match (&agent.host, records.get(&agent.name)) {
            (None, Some(record)) => {
                let summary = summaries.next().unwrap_or_default();
                self.with_pull_request(summary, (agent, record), &requests)
            }
            (None, None) => summaries.next().unwrap_or_default(),
            (Some(_), _) => WorkSummary::default(),
        });
        in_order.collect()
    }

    fn with_pull_request(
        &self,
        summary: WorkSummary,
        (agent, record): (&Agent, &AgentRecord),
        requests: &PullRequests,
    ) -> WorkSummary {
        match self.working_tree(record).map_or(Ok(None), |top| requests.of(agent, &top)) {
            Ok(pull_request) => WorkSummary { pull_request, ..summary },
            Err(why) => WorkSummary { pull_request_error: Some(why), ..summary },
        }
    }

    /// Returns the work of one agent for a row that shows neither its size nor its pull request.
    pub(in crate::manager::review) fn work_without_size(&self, record: &AgentRecord) -> WorkSummary {
        self.work_summary(record, &RefsFingerprints::default(), SizeUse::Unused)
    }

    fn work_summary(&self, record: &AgentRecord, refs: &RefsFingerprints, size: SizeUse) -> WorkSummary {
        let now = self.0.now();
        let Ok(top) = self.working_tree(record) else {
            let counts = WorkInspection(self.0).counts_of(record);
            return WorkSummary { counts, ..WorkSummary::default() };
        };
        let changed = self.changed_files(record, &top);
        let fingerprint = changed.as_deref().and_then(|changed| self.fingerprint(record, changed, refs));
        let stored = self.stored_summary(record);
        if let Some(stored) = &stored
            && fingerprint.as_ref() == Some(&stored.fingerprint)
            && (size == SizeUse::Unused || now.duration_since(stored.measured_at) < SIZE_MAX_AGE)
        {
            return stored.summary.clone();
        }
        let mut summary = self.computed_summary(record, &top, changed.unwrap_or_default());
        let measured_at;
        (summary.counts.size, measured_at) = match (size, stored) {
            (SizeUse::Shown, _) => (WorkInspection(self.0).measured_size(record), now),
            (SizeUse::Unused, Some(stored)) => (stored.summary.counts.size, stored.measured_at),
            (SizeUse::Unused, None) => (None, Timestamp::UNIX_EPOCH),
        };
        // The state is read before the computation. A change in the meantime makes the next fingerprint another one.
        if let Some(fingerprint) = fingerprint {
            self.store_summary(record, &StoredSummary { fingerprint, measured_at, summary: summary.clone() });
        }
        summary
    }

    fn changed_files(&self, record: &AgentRecord, top: &Path) -> Option<Vec<ChangedFile>> {
        let mut changed = WorkingTreeChanges(&self.0.git()).list_all(top).ok()?;
        if record.workspace == Workspace::Worktree {
            WorkInspection(self.0).leave_out_copies(record, &mut changed);
        }
        Some(changed)
    }

    /// Returns the fingerprint of everything that a summary depends on. A tree with submodules has none, because the
    /// work in them counts as well.
    fn fingerprint(
        &self,
        record: &AgentRecord,
        changed: &[ChangedFile],
        refs: &RefsFingerprints,
    ) -> Option<String> {
        let top = self.working_tree(record).ok().filter(|top| !top.join(".gitmodules").exists())?;
        let tree = git::tree_fingerprint(&top, changed)?;
        let refs = refs.of(&self.0.git(), &top)?;
        let chosen = self.remembered_base(record).unwrap_or_default();
        Some(format!("1 {tree} {refs} {} {chosen}", record.id))
    }

    fn stored_summary(&self, record: &AgentRecord) -> Option<StoredSummary> {
        let text = self.0.store.instance(&record.name).read_state(SUMMARY_FILE).ok().flatten()?;
        serde_json::from_slice(&text).ok()
    }

    /// Stores a summary. A failure costs only time at the next list.
    fn store_summary(&self, record: &AgentRecord, stored: &StoredSummary) {
        if let Ok(text) = serde_json::to_vec(stored) {
            let _ = self.0.store.instance(&record.name).write_state(SUMMARY_FILE, &text);
        }
    }

    fn computed_summary(&self, record: &AgentRecord, top: &Path, changed: Vec<ChangedFile>) -> WorkSummary {
        let counts = WorkInspection(self.0).counts_without_size(record);
        let mut summary = WorkSummary { counts, ..WorkSummary::default() };
        // Without numbers, git does not recognize the directory as the worktree of this agent.
        if counts.changed.is_none() {
            return summary;
        }
        let git = self.0.git();
        if record.workspace != Workspace::Worktree {
            let base = self.comparison(top).ok().flatten();
            let position = base.and_then(|base| History(&git).ahead_and_behind(top, &base).ok().flatten());
            summary.base = position.map(|(ahead, behind)| BasePosition { name: None, ahead, behind });
            return summary;
        }
        let Ok(base) = self.base(record, top, None) else { return summary };
        let Some(reference) = base.name.clone().or(base.commit) else { return summary };
        let Ok(reference) = BaseSearch(&git).full_name(top, &reference) else { return summary };
        let position = History(&git).ahead_and_behind(top, &reference).ok().flatten();
        summary.base = position.map(|(ahead, behind)| BasePosition { name: base.name, ahead, behind });
        summary.merged = self.merged_work(record, top, &reference).ok();
        let forecast = self.forecast(record, (top, &reference), &changed);
        summary.merge =
            Some(forecast.unwrap_or_else(|why| MergeForecast::Unknown { reason: why.to_string() }));
        summary
    }

    /// Determines whether the commits of a worktree are in its base, or in a main branch.
    fn merged_work(&self, record: &AgentRecord, top: &Path, reference: &str) -> Result<MergedWork, GitError> {
        let (git, note) = (self.0.git(), Workspaces(self.0).worktree_note(record));
        let start = note.base.as_ref().map(|base| base.commit.as_str());
        let branch = note.base.as_ref().and_then(|base| base.branch.as_deref());
        let own = Branches(&git).current(top)?.unwrap_or(note.branch);
        let mut targets = MergeDetection(&git).targets(top, branch, Some(&own))?;
        targets.insert(0, reference.to_owned());
        let head = git.head(top)?.unwrap_or_default();
        let scratch =
            RunFiles(&self.0.store).staging().map_err(|why| GitError::Unverified(why.to_string()))?;
        Ok(match MergeDetection(&git).state(top, (&head, start), &targets, scratch.path())? {
            MergeState::Empty | MergeState::Gone => MergedWork::Empty,
            MergeState::Merged => MergedWork::Merged,
            MergeState::Unmerged(_) => MergedWork::Unmerged,
        })
    }

    /// Merges the work with its uncommitted files into the base, as objects in a temporary directory.
    fn forecast(
        &self,
        record: &AgentRecord,
        (top, reference): (&Path, &str),
        changed: &[ChangedFile],
    ) -> Result<MergeForecast, GitError> {
        let scratch =
            RunFiles(&self.0.store).staging().map_err(|why| GitError::Unverified(why.to_string()))?;
        let plain = self.0.git().with_changed_line_ends();
        let copies = Workspaces(self.0).unchanged_copies(record);
        let copies = copies.iter().map(|path| path.to_string_lossy().into_owned());
        let left_out: Vec<String> = copies
            .chain(WorkingTreeChanges(&plain).repositories_below(top)?)
            .map(|path| format!(":(top,exclude,literal){path}"))
            .collect();
        let plan =
            SnapshotPlan { left_out: &left_out, scratch: scratch.path(), objects: ObjectStore::Scratch };
        let git = Snapshots(&plain).git_for(top, plan)?;
        let Some(head) = git.head(top)? else { return Ok(MergeForecast::Nothing) };
        let tip = match changed.is_empty() {
            true => head,
            false => CommitWriter(&git).write_temporary(top, &Snapshots(&git).write(top, plan)?, &head)?,
        };
        if History(&git).is_ancestor(top, &tip, reference)? {
            return Ok(MergeForecast::Nothing);
        }
        Ok(match Merges(&git).merged_tree(top, None, (reference, &tip))? {
            MergedTree::Clean(tree) if tree == Objects(&git).tree_of(top, reference)? => {
                MergeForecast::Nothing
            }
            MergedTree::Clean(_) => MergeForecast::Clean,
            MergedTree::Conflicts(paths) => MergeForecast::Conflicts { paths },
        })
    }
}
