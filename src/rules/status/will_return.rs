//! Decides whether an agent without a process comes back without the user, so that waiting for it is useful.

use crate::model::{Agent, RestartPolicy, Status};
use crate::rules::lifecycle::restart::GIVEN_UP;

/// Returns whether only the user can bring the agent back: it was stopped, or it ended and its policy does not restart
/// it.
pub fn is_over(agent: &Agent) -> bool {
    let policy = agent.restart.policy;
    match agent.status {
        Status::Stopped => true,
        Status::Exited => policy != RestartPolicy::Always,
        Status::Crashed => policy == RestartPolicy::No || agent.reason.starts_with(GIVEN_UP),
        // Lost agents are restored together, and hibernated agents are resumed when they are needed.
        _ => false,
    }
}

/// Returns whether the agent has ended and waits for its restart.
pub fn comes_back(agent: &Agent) -> bool {
    matches!(agent.status, Status::Exited | Status::Crashed) && !is_over(agent)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::lifecycle::capacity::tests::agent;

    #[test]
    fn only_agents_without_automatic_restart_are_over() {
        use RestartPolicy::*;
        for status in Status::ALL {
            for policy in RestartPolicy::ALL {
                let mut agent = agent("a", status);
                agent.restart.policy = policy;
                let expected = match status {
                    Status::Stopped => true,
                    Status::Exited => policy != Always,
                    Status::Crashed => policy == No,
                    _ => false,
                };
                assert_eq!(is_over(&agent), expected, "{status} {policy}");
                let ended = matches!(status, Status::Exited | Status::Crashed);
                assert_eq!(comes_back(&agent), ended && !expected, "{status} {policy}");
            }
        }
        let mut given_up = agent("a", Status::Crashed);
        given_up.restart.policy = Always;
        given_up.reason = format!("{GIVEN_UP}5 restarts in 10 min: it ended with code 3");
        assert!(is_over(&given_up));
    }
}
