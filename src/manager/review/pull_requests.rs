//! The pull requests of agents' branches: `gh` lists them once for each repository, and the list is kept for a minute.
//!
//! A failure is kept as well, so that a forge that does not answer delays one list a minute.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use crate::base::sanitize::shown;
use crate::git;
use crate::git::Publication;
use crate::manager::review::Reviews;
use crate::manager::review::forge::ForgeRunner;
use crate::model::{Agent, AgentRecord, PullRequest};
use crate::rules::workspace::finish::pull_request::{ForgeProgram, host, owner};
use crate::rules::workspace::pull_requests::{LIST_ARGUMENTS, ListedPullRequest, of_branch, parse};
use crate::store::RunFiles;

/// The file in `run/` with the pull requests of all repositories.
const CACHE_FILE: &str = "pull-requests.json";

/// How long a list of pull requests is shown.
const LIST_MAX_AGE: SignedDuration = SignedDuration::from_mins(1);

/// How long the list of a repository stays in the file. A repository without agents needs none.
const KEPT_FOR: SignedDuration = SignedDuration::from_hours(24);

/// Time limit for a list. `gh` takes about a second for 50 pull requests with checks.
const LIST_TIMEOUT: Duration = Duration::from_secs(10);

/// Number of repositories that are listed at the same time.
const MAX_CONCURRENT_LISTS: usize = 8;

/// The pull requests of one repository.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct CachedPullRequests {
    /// Time of the query.
    asked_at: Timestamp,
    /// The pull requests of branches in the remotes of the repository.
    listed: Vec<ListedPullRequest>,
    /// Why the forge did not answer.
    failure: Option<String>,
}

/// The pull requests of several repositories, by path.
type PullRequestCache = BTreeMap<PathBuf, CachedPullRequests>;

/// The pull requests of the repositories of some agents.
#[derive(Debug, Default)]
pub(in crate::manager::review) struct PullRequests(PullRequestCache);

impl PullRequests {
    /// Returns the pull request of an agent's branch, or why it is unknown.
    pub(in crate::manager::review) fn of(
        &self,
        agent: &Agent,
        top: &Path,
    ) -> Result<Option<PullRequest>, String> {
        let Some(cached) = self.0.get(&git::repository(top)) else { return Ok(None) };
        match (&cached.failure, &agent.branch) {
            (Some(failure), Some(_)) => Err(failure.clone()),
            (None, Some(branch)) => Ok(of_branch(&cached.listed, branch, agent.created_at)),
            (_, None) => Ok(None),
        }
    }
}

impl Reviews<'_> {
    /// Returns the pull requests of the branches of these agents of this machine in the same order, `None` where there
    /// is none or it is unknown. Runs `gh` if its last answer is old.
    pub fn branch_pull_requests(&self, agents: &[Agent]) -> Vec<Option<PullRequest>> {
        let records: Vec<Option<AgentRecord>> =
            agents.iter().map(|agent| self.0.record(&agent.name, "show").ok()).collect();
        let requests = self.pull_requests(records.iter().flatten());
        let of_branch = |(agent, record): (&Agent, &Option<AgentRecord>)| {
            let top = self.working_tree(record.as_ref()?).ok()?;
            requests.of(agent, &top).ok().flatten()
        };
        agents.iter().zip(&records).map(of_branch).collect()
    }

    /// Lists the pull requests of the repositories of these agents. Asks the forge about those whose list is old.
    pub(in crate::manager::review) fn pull_requests<'r>(
        &self,
        records: impl Iterator<Item = &'r AgentRecord>,
    ) -> PullRequests {
        let Some(gh) = ForgeRunner(self.0).program_path(ForgeProgram::Gh) else {
            return PullRequests::default();
        };
        let now = self.0.now();
        let tops = records.filter_map(|record| self.working_tree(record).ok());
        let repositories: BTreeMap<PathBuf, PathBuf> = tops.map(|top| (git::repository(&top), top)).collect();
        let mut known = self.cached_pull_requests();
        known.retain(|_, cached| is_younger(cached, now, LIST_MAX_AGE));
        let due: Vec<_> = repositories.iter().filter(|(path, _)| !known.contains_key(*path)).collect();
        let ask_together = |due: &[(&PathBuf, &PathBuf)]| {
            std::thread::scope(|scope| {
                let begin = |(path, top): &(&PathBuf, &PathBuf)| {
                    let (path, top) = (PathBuf::clone(path), PathBuf::clone(top));
                    let gh = &gh;
                    (path, scope.spawn(move || self.ask_for_pull_requests(gh, &top, now)))
                };
                let asked: Vec<_> = due.iter().map(begin).collect();
                let answers = asked.into_iter().filter_map(|(path, asked)| Some((path, asked.join().ok()?)));
                answers.collect::<Vec<_>>()
            })
        };
        let fresh: PullRequestCache = due.chunks(MAX_CONCURRENT_LISTS).flat_map(ask_together).collect();
        if !fresh.is_empty() {
            self.keep_pull_requests(&fresh);
        }
        known.extend(fresh);
        PullRequests(known)
    }

    /// Removes the cached lists, so that the next list asks the forge.
    pub(in crate::manager) fn forget_pull_requests(&self) {
        let _ = RunFiles(&self.0.store).remove(CACHE_FILE);
    }

    fn cached_pull_requests(&self) -> PullRequestCache {
        let text = RunFiles(&self.0.store).read(CACHE_FILE).unwrap_or_default();
        serde_json::from_slice(&text).unwrap_or_default()
    }

    /// Stores lists beside those of other repositories. Two commands at a time may lose one, which costs only time.
    fn keep_pull_requests(&self, fresh: &PullRequestCache) {
        let mut all = self.cached_pull_requests();
        all.retain(|_, cached| is_younger(cached, self.0.now(), KEPT_FOR));
        all.extend(fresh.clone());
        if let Ok(text) = serde_json::to_vec(&all) {
            let _ = RunFiles(&self.0.store).write(CACHE_FILE, &text);
        }
    }

    fn ask_for_pull_requests(&self, gh: &Path, top: &Path, now: Timestamp) -> CachedPullRequests {
        let asked = self.list_pull_requests(gh, top);
        let failure = asked.as_ref().err().cloned();
        CachedPullRequests { asked_at: now, listed: asked.unwrap_or_default(), failure }
    }

    /// Lists the pull requests of a repository. A repository without a remote on a forge has none.
    fn list_pull_requests(&self, gh: &Path, top: &Path) -> Result<Vec<ListedPullRequest>, String> {
        let git = self.0.git();
        let urls = Publication(&git).remote_urls(top).map_err(|why| shown(&why.to_string()))?;
        let is_candidate = |url: &&String| {
            !host(url).is_empty() && ForgeProgram::choose(url, |_| true) == Some(ForgeProgram::Gh)
        };
        let urls: Vec<&String> = urls.iter().filter(is_candidate).collect();
        let owners = urls.iter().filter_map(|url| owner(url)).map(|name| name.to_lowercase());
        let owners: BTreeSet<String> = owners.collect();
        if owners.is_empty() {
            return Ok(Vec::new());
        }
        let settings = Publication(&git).executing_settings(top).map_err(|why| shown(&why.to_string()))?;
        if let Some(key) = settings.first() {
            return Err(format!("the configuration of the repository sets `{}`", shown(key)));
        }
        let args = LIST_ARGUMENTS.map(str::to_owned);
        let output =
            ForgeRunner(self.0).run(gh, &args, top, LIST_TIMEOUT).map_err(|why| shown(&why.to_string()))?;
        if output.exit.code != Some(0) {
            // `gh` may know a GitHub server with any name, and fails for servers that it does not know.
            if !urls.iter().any(|url| host(url).contains("github")) {
                return Ok(Vec::new());
            }
            let text = String::from_utf8_lossy(&output.stderr).into_owned();
            let line = text.lines().find(|line| !line.trim().is_empty()).unwrap_or("it failed");
            return Err(format!("`gh pr list`: {}", shown(line)));
        }
        let mut listed = parse(&output.stdout).map_err(|why| format!("`gh pr list`: {why}"))?;
        // A branch in the fork of another user may have the same name.
        listed
            .retain(|entry| entry.owner.as_ref().is_some_and(|owner| owners.contains(&owner.to_lowercase())));
        Ok(listed)
    }
}

/// Returns whether a list is younger than a limit. A time in the future, after the clock was set back, is not.
fn is_younger(cached: &CachedPullRequests, now: Timestamp, limit: SignedDuration) -> bool {
    let age = now.duration_since(cached.asked_at);
    !age.is_negative() && age < limit
}
