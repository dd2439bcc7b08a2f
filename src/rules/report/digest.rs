//! Builds a digest from the recaps of single agents: groups them by project and selects the agents and tasks that need
//! the user.

use std::collections::BTreeMap;

use jiff::Timestamp;

use crate::model::{AgentId, Digest, DigestProject, NeedsYou, Recap, Task, TaskState};
use crate::rules::status::attention::needs_user;
use crate::rules::status::display_order::natural;

/// One agent in a digest.
#[derive(Debug, Clone)]
pub struct DigestAgent {
    /// Id of the agent.
    pub id: AgentId,
    /// Project of the agent.
    pub project: Option<String>,
    /// Recap of the agent.
    pub recap: Recap,
}

/// Returns whether the agent of a recap needs the user.
fn is_user_needed(recap: &Recap) -> bool {
    needs_user(recap.status, recap.waiting_for, recap.failure.as_ref())
}

/// Builds the digest from the recaps of all agents and the tasks that ended in the period.
pub fn digest(agents: Vec<DigestAgent>, tasks: Vec<Task>, span: (Timestamp, Timestamp)) -> Digest {
    let project_of: BTreeMap<_, _> =
        agents.iter().map(|digest_agent| (digest_agent.id.0, digest_agent.project.clone())).collect();
    let mut needing: Vec<&Recap> =
        agents.iter().map(|digest_agent| &digest_agent.recap).filter(|recap| is_user_needed(recap)).collect();
    needing.sort_by(|a, b| {
        a.status.rank().cmp(&b.status.rank()).then_with(|| natural(a.name.as_str(), b.name.as_str()))
    });
    let needs_you = NeedsYou {
        agents: needing.into_iter().map(|recap| recap.name.clone()).collect(),
        tasks: tasks.iter().filter(|task| task.state == TaskState::Failed).map(|task| task.id).collect(),
    };
    let mut projects: BTreeMap<Option<String>, DigestProject> = BTreeMap::new();
    let empty =
        |project: &Option<String>| DigestProject { project: project.clone(), agents: vec![], tasks: vec![] };
    for digest_agent in agents.into_iter().filter(|digest_agent| is_reported(&digest_agent.recap)) {
        let project =
            projects.entry(digest_agent.project.clone()).or_insert_with(|| empty(&digest_agent.project));
        project.agents.push(digest_agent.recap);
    }
    for task in tasks {
        let project = task.agent.and_then(|id| project_of.get(&id.0).cloned()).flatten();
        projects.entry(project.clone()).or_insert_with(|| empty(&project)).tasks.push(task);
    }
    for project in projects.values_mut() {
        project.agents.sort_by(|a, b| natural(a.name.as_str(), b.name.as_str()));
    }
    // Tasks without a project belonged to an agent that no longer exists, and come last.
    let (without, with): (Vec<_>, Vec<_>) =
        projects.into_values().partition(|project| project.project.is_none());
    Digest { since: span.0, until: span.1, needs_you, projects: [with, without].concat() }
}

/// Returns whether a recap is included: something happened, or the agent needs the user.
fn is_reported(recap: &Recap) -> bool {
    let committed = recap.commits.as_ref().is_some_and(|commits| !commits.is_empty());
    let counts = [recap.changes.len(), recap.prompts as usize, recap.restarts as usize, recap.messages.len()];
    is_user_needed(recap) || committed || counts.iter().any(|count| *count > 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Status;
    use crate::rules::report::recap::{RecapSources, build_recap};
    use crate::rules::status::decide::tests::{at, record};

    fn digest_agent(name: &str, project: &str, status: Status, prompts: u32) -> DigestAgent {
        let record = record(name, status);
        let mut recap = build_recap(RecapSources {
            record: &record,
            since: at(100),
            until: at(200),
            events: &[],
            tasks: &[],
            messages: &[],
            commits: None,
            uncommitted: None,
            last_prompt: None,
            last_words: None,
        });
        recap.prompts = prompts;
        DigestAgent { id: record.id, project: Some(project.into()), recap }
    }

    #[test]
    fn agents_are_grouped_and_those_that_need_a_person_are_named_first() {
        let agents = vec![
            digest_agent("r10", "/shop", Status::Idle, 1),
            digest_agent("r2", "/shop", Status::Crashed, 0),
            digest_agent("docs", "/docs", Status::Waiting, 2),
            digest_agent("quiet", "/quiet", Status::Idle, 0),
        ];
        let digest = digest(agents, vec![], (at(100), at(200)));
        let names: Vec<&str> = digest.needs_you.agents.iter().map(|name| name.as_str()).collect();
        assert_eq!(names, ["docs", "r2"]);
        let projects: Vec<(Option<&str>, Vec<&str>)> = digest
            .projects
            .iter()
            .map(|group| {
                (group.project.as_deref(), group.agents.iter().map(|agent| agent.name.as_str()).collect())
            })
            .collect();
        assert_eq!(projects, [(Some("/docs"), vec!["docs"]), (Some("/shop"), vec!["r2", "r10"])]);
    }
}
