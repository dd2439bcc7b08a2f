//! Finds the pull request of a branch in the output of `gh pr list`, and reduces its checks to one result.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::model::{CheckState, PullRequest, PullRequestState, is_deceptive};

/// Arguments of `gh` that list the newest pull requests of a repository. The filter drops names and addresses of checks,
/// which would make the output of a large repository exceed its limit.
pub const LIST_ARGUMENTS: [&str; 6] = [
    "pr",
    "list",
    "--state=all",
    "--limit=50",
    "--json=number,url,state,headRefName,headRepositoryOwner,closedAt,statusCheckRollup",
    "--jq=[.[] | .statusCheckRollup |= [.[]? | {status, conclusion, state}]]",
];

/// A pull request with the branch that it merges.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListedPullRequest {
    /// Name of the branch.
    pub branch: String,
    /// The account whose repository has the branch; `None` if that repository was deleted.
    pub owner: Option<String>,
    /// Time at which it was closed or merged.
    pub closed_at: Option<Timestamp>,
    /// The pull request itself.
    pub pull_request: PullRequest,
}

/// A pull request as `gh` prints it.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct GhPullRequest {
    number: u64,
    url: String,
    state: String,
    head_ref_name: String,
    head_repository_owner: Option<GhOwner>,
    closed_at: Option<Timestamp>,
    status_check_rollup: Option<Vec<GhCheck>>,
}

#[derive(Deserialize)]
struct GhOwner {
    login: String,
}

/// A check as `gh` prints it. A check run has a status and a conclusion, a commit status has a state.
#[derive(Deserialize)]
struct GhCheck {
    status: Option<String>,
    conclusion: Option<String>,
    state: Option<String>,
}

/// Parses the output of `gh` for `LIST_ARGUMENTS`. Leaves out pull requests in an unknown state.
pub fn parse(output: &[u8]) -> Result<Vec<ListedPullRequest>, serde_json::Error> {
    let listed: Vec<GhPullRequest> = serde_json::from_slice(output)?;
    Ok(listed.into_iter().filter_map(known).collect())
}

fn known(listed: GhPullRequest) -> Option<ListedPullRequest> {
    let state = match listed.state.as_str() {
        "OPEN" => PullRequestState::Open,
        "CLOSED" => PullRequestState::Closed,
        "MERGED" => PullRequestState::Merged,
        _ => return None,
    };
    let checks = checks(&listed.status_check_rollup.unwrap_or_default());
    let url = listed.url.replace(is_deceptive, "");
    Some(ListedPullRequest {
        branch: listed.head_ref_name,
        owner: listed.head_repository_owner.map(|owner| owner.login).filter(|login| !login.is_empty()),
        closed_at: listed.closed_at,
        pull_request: PullRequest { number: listed.number, url, state, checks },
    })
}

/// Reduces checks to one result: a failure counts most, then a check that has not ended.
fn checks(all: &[GhCheck]) -> Option<CheckState> {
    let results: Vec<CheckState> = all.iter().map(check).collect();
    let any = |state: CheckState| results.contains(&state).then_some(state);
    any(CheckState::Fail).or_else(|| any(CheckState::Pending)).or_else(|| any(CheckState::Pass))
}

/// Groups the results as `gh pr checks` does.
fn check(check: &GhCheck) -> CheckState {
    let has_ended = check.status.as_deref().is_none_or(|status| status == "COMPLETED");
    let result = [&check.conclusion, &check.state].into_iter().flatten().find(|text| !text.is_empty());
    match result.map(String::as_str) {
        _ if !has_ended => CheckState::Pending,
        Some("SUCCESS" | "NEUTRAL" | "SKIPPED") => CheckState::Pass,
        Some("ACTION_REQUIRED" | "CANCELLED" | "ERROR" | "FAILURE" | "STARTUP_FAILURE" | "TIMED_OUT") => {
            CheckState::Fail
        }
        _ => CheckState::Pending,
    }
}

/// Returns the pull request of a branch: an open one, or the newest one. A pull request that was closed before the agent
/// existed belongs to an earlier branch of the same name.
pub fn of_branch(
    listed: &[ListedPullRequest],
    branch: &str,
    agent_created_at: Timestamp,
) -> Option<PullRequest> {
    let is_current =
        |listed: &&ListedPullRequest| listed.closed_at.is_none_or(|closed| closed >= agent_created_at);
    let found = listed.iter().filter(|listed| listed.branch == branch).filter(is_current);
    let found = found.map(|listed| &listed.pull_request);
    found.max_by_key(|found| (found.state == PullRequestState::Open, found.number)).cloned()
}

/// Describes a pull request in a few words. Checks matter only as long as it is open.
pub fn pull_request_words(pull_request: &PullRequest) -> String {
    let number = pull_request.number;
    match (pull_request.state, pull_request.checks) {
        (PullRequestState::Merged, _) => format!("#{number} merged"),
        (PullRequestState::Closed, _) => format!("#{number} closed"),
        (PullRequestState::Open, None) => format!("#{number} open"),
        (PullRequestState::Open, Some(CheckState::Pass)) => format!("#{number} open, checks pass"),
        (PullRequestState::Open, Some(CheckState::Fail)) => format!("#{number} open, checks fail"),
        (PullRequestState::Open, Some(CheckState::Pending)) => format!("#{number} open, checks pending"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    fn listed(number: u64, state: &str, closed_at: Option<&str>) -> Value {
        json!({
            "number": number, "url": format!("https://h.example/pull/{number}"), "state": state,
            "headRefName": "fix", "headRepositoryOwner": {"id": "1", "login": "me"}, "closedAt": closed_at,
            "statusCheckRollup": [],
        })
    }

    fn of_fix(values: &[Value]) -> Option<u64> {
        let parsed = parse(json!(values).to_string().as_bytes()).unwrap();
        of_branch(&parsed, "fix", at("2026-01-02T00:00:00Z")).map(|found| found.number)
    }

    #[test]
    fn open_pull_request_comes_before_newer_ones() {
        assert_eq!(of_fix(&[]), None);
        let closed = listed(9, "CLOSED", Some("2026-01-03T00:00:00Z"));
        assert_eq!(of_fix(&[closed.clone(), listed(7, "OPEN", None)]), Some(7));
        assert_eq!(of_fix(&[listed(8, "MERGED", Some("2026-01-03T00:00:00Z")), closed]), Some(9));
        assert_eq!(of_fix(&[listed(8, "LATER", None)]), None);
    }

    #[test]
    fn pull_request_closed_before_the_agent_existed_is_not_its_own() {
        assert_eq!(of_fix(&[listed(3, "MERGED", Some("2026-01-01T00:00:00Z"))]), None);
    }

    #[test]
    fn a_failed_check_counts_more_than_a_running_one() {
        let run = |status: &str, conclusion: &str| json!({"status": status, "conclusion": conclusion});
        let status = |state: &str| json!({"state": state, "context": "ci"});
        for (all, expected) in [
            (json!([]), None),
            (Value::Null, None),
            (json!([run("COMPLETED", "SUCCESS"), run("COMPLETED", "SKIPPED")]), Some(CheckState::Pass)),
            (json!([status("SUCCESS"), run("IN_PROGRESS", "")]), Some(CheckState::Pending)),
            (json!([status("PENDING"), status("SUCCESS")]), Some(CheckState::Pending)),
            (json!([run("QUEUED", ""), run("COMPLETED", "TIMED_OUT")]), Some(CheckState::Fail)),
            (json!([status("ERROR")]), Some(CheckState::Fail)),
        ] {
            let mut entry = listed(1, "OPEN", None);
            entry["statusCheckRollup"] = all;
            let parsed = parse(json!([entry]).to_string().as_bytes()).unwrap();
            assert_eq!(parsed[0].pull_request.checks, expected, "{entry}");
        }
    }

    #[test]
    fn checks_are_named_while_a_pull_request_is_open() {
        let words = |state, checks| {
            pull_request_words(&PullRequest { number: 12, url: String::new(), state, checks })
        };
        assert_eq!(words(PullRequestState::Open, None), "#12 open");
        assert_eq!(words(PullRequestState::Open, Some(CheckState::Pending)), "#12 open, checks pending");
        assert_eq!(words(PullRequestState::Merged, Some(CheckState::Fail)), "#12 merged");
    }
}
