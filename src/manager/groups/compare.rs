//! `agent compare`: the work of several agents side by side. Runs no checks unless they are requested, and changes no
//! files, refs or index.

use serde::{Deserialize, Serialize};

use crate::error::{Code, Error};
use crate::git::{CommitWriter, Git, GitError, History, MergedTree, Merges, ObjectStore, Objects};
use crate::manager::finish::Finishing;
use crate::manager::finish::compute::WorkState;
use crate::manager::finish::facts::git_failed;
use crate::manager::finish::request::{CheckPolicy, FinishRequest};
use crate::manager::groups::Groups;
use crate::manager::recaps::Recaps;
use crate::manager::review::{DiffPart, DiffRequest, Reviews};
use crate::manager::status::AgentLookup;
use crate::model::{
    AgentName, AgentRecord, CheckResult, ComparedAgent, FinishCheck, MergeForecast, Status, WorkAmount,
    WorkDiff,
};
use crate::rules::workspace::finish::facts::FinishFacts;
use crate::store::RunFiles;

/// The state file with the result of the checks.
const CHECKS_FILE: &str = "checks.json";

/// Whether a comparison runs the checks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ComparedChecks {
    /// Only results that are known already are shown.
    Known,
    /// The checks run on the work of each agent that is not in the middle of a turn.
    Run(CheckPolicy),
}

/// The stored result of the checks, with the content that they ran on.
#[derive(Debug, Serialize, Deserialize)]
struct StoredChecks {
    /// Id of the tree.
    tree: String,
    #[serde(flatten)]
    result: CheckResult,
}

impl Groups<'_> {
    /// Compares the work of these agents. A single name means all agents of its group.
    pub fn compare(&self, names: &[AgentName], checks: ComparedChecks) -> Result<Vec<ComparedAgent>, Error> {
        let names = match names {
            [only] => self.members(only)?,
            several => several.to_vec(),
        };
        let records: Result<Vec<AgentRecord>, Error> =
            names.iter().map(|name| self.0.record(name, "compare")).collect();
        records?.iter().map(|record| self.compared(record, checks)).collect()
    }

    fn compared(&self, record: &AgentRecord, checks: ComparedChecks) -> Result<ComparedAgent, Error> {
        let agent = AgentLookup(self.0).show(&record.name)?;
        let mut remarks = Vec::new();
        let request = DiffRequest { name: record.name.clone(), base: None, part: DiffPart::All };
        let work = match Reviews(self.0).diff(&request) {
            Ok(session) => Some(amount(&session.diff)),
            Err(error) => {
                remarks.push(error.to_string());
                None
            }
        };
        let words = Recaps(self.0).recap_of(record, self.0.now())?.last_words.unwrap_or_default();
        let last_line = words.lines().rev().find(|line| !line.trim().is_empty()).map(str::to_owned);
        let mut compared = ComparedAgent {
            name: agent.name,
            kind: agent.kind,
            status: agent.status,
            waiting_for: agent.waiting_for,
            work,
            merge: MergeForecast::Unknown { reason: String::new() },
            checks: None,
            last_line,
            remarks,
        };
        match Finishing(self.0).facts(record, None) {
            Ok(facts) => self.add_forecast(record, &facts, checks, &mut compared)?,
            Err(error) => compared.merge = MergeForecast::Unknown { reason: error.to_string() },
        }
        Ok(compared)
    }

    /// Adds whether the work would merge, and the result of its checks.
    fn add_forecast(
        &self,
        record: &AgentRecord,
        facts: &FinishFacts,
        checks: ComparedChecks,
        compared: &mut ComparedAgent,
    ) -> Result<(), Error> {
        let staging = RunFiles(&self.0.store).staging()?;
        let read = || Finishing(self.0).work_state(record, facts, (ObjectStore::Scratch, &staging));
        let forecast = read().and_then(|(git, state)| Ok((forecast_merge(&git, facts, &state)?, state)));
        let state = match forecast {
            Ok((merge, state)) => {
                compared.merge = merge;
                state
            }
            Err(why) => {
                compared.merge = MergeForecast::Unknown { reason: why.to_string() };
                return Ok(());
            }
        };
        compared.checks = self.known_checks(record, &state);
        let ComparedChecks::Run(policy) = checks else { return Ok(()) };
        let lines = self.checks_of(record, facts, policy)?;
        if compared.status == Status::Working || lines.is_empty() {
            compared.remarks.push(match lines.is_empty() {
                true => "there are no checks: `[finish] checks` in config.toml names them".to_owned(),
                false => "its checks were not run, because it is working".to_owned(),
            });
            return Ok(());
        }
        let result = self.run_checks(record, facts, &lines)?;
        let (_, after) = read().map_err(|why| git_failed(record, &why))?;
        if after == state {
            self.store_checks(record, StoredChecks { tree: state.tree, result: result.clone() })?;
        } else {
            compared.remarks.push("its work changed while the checks ran".to_owned());
        }
        compared.checks = Some(result);
        Ok(())
    }

    fn checks_of(
        &self,
        record: &AgentRecord,
        facts: &FinishFacts,
        checks: CheckPolicy,
    ) -> Result<Vec<FinishCheck>, Error> {
        let request = FinishRequest {
            name: record.name.clone(),
            into: None,
            method: None,
            message: None,
            keeps: true,
            checks,
            opens_pull_request: false,
        };
        Finishing(self.0).checks(record, facts, &request)
    }

    /// Runs the checks in the worktree as it is, until one fails.
    fn run_checks(
        &self,
        record: &AgentRecord,
        facts: &FinishFacts,
        checks: &[FinishCheck],
    ) -> Result<CheckResult, Error> {
        self.0.progress(&format!("checks of `{}`", record.name));
        let mut failed = None;
        for check in checks {
            match Finishing(self.0).run_check(record, &facts.work.directory, check) {
                Ok(()) => {}
                Err(error) if error.code() == Code::CheckFailed => {
                    failed = Some(check.line.clone());
                    break;
                }
                Err(error) => return Err(error),
            }
        }
        Ok(CheckResult { passed: failed.is_none(), failed, at: self.0.now() })
    }

    /// Returns the stored result of the checks if they ran on exactly this content.
    fn known_checks(&self, record: &AgentRecord, state: &WorkState) -> Option<CheckResult> {
        let text = self.0.store.instance(&record.name).read_state(CHECKS_FILE).ok().flatten()?;
        let stored: StoredChecks = serde_json::from_slice(&text).ok()?;
        (stored.tree == state.tree).then_some(stored.result)
    }

    fn store_checks(&self, record: &AgentRecord, checks: StoredChecks) -> Result<(), Error> {
        let text = serde_json::to_vec_pretty(&checks)
            .map_err(|error| Error::io(format!("cannot write {CHECKS_FILE}"))(error.into()))?;
        Ok(self.0.store.instance(&record.name).write_state(CHECKS_FILE, &text)?)
    }
}

fn amount(diff: &WorkDiff) -> WorkAmount {
    WorkAmount {
        base: diff.base.name.clone().or_else(|| diff.base.commit.clone()),
        commits: diff.commits.len(),
        uncommitted: diff.uncommitted.len(),
        files: diff.files.len(),
        insertions: diff.files.iter().filter_map(|file| file.added).sum(),
        deletions: diff.files.iter().filter_map(|file| file.removed).sum(),
    }
}

/// Merges the work, with its uncommitted files, into the base branch, as objects that are thrown away.
fn forecast_merge(git: &Git, facts: &FinishFacts, state: &WorkState) -> Result<MergeForecast, GitError> {
    let top = &facts.work.directory;
    let tip = match facts.work.uncommitted.is_empty() {
        true => state.head.clone(),
        false => CommitWriter(git).write_temporary(top, &state.tree, &state.head)?,
    };
    if History(git).is_ancestor(top, &tip, &state.base)? {
        return Ok(MergeForecast::Nothing);
    }
    Ok(match Merges(git).merged_tree(top, None, (&state.base, &tip))? {
        MergedTree::Clean(tree) if tree == Objects(git).tree_of(top, &state.base)? => MergeForecast::Nothing,
        MergedTree::Clean(_) => MergeForecast::Clean,
        MergedTree::Conflicts(paths) => MergeForecast::Conflicts { paths },
    })
}
