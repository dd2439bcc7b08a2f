//! Whether it is of use to wait for an agent that has no process: who comes back without a person, and who does not.

use crate::model::{Agent, RestartPolicy, Status};
use crate::rules::lifecycle::restart::GIVEN_UP;

/// Whether only a person can bring it back: it was stopped, or it ended and its policy lets it be.
pub fn is_over(agent: &Agent) -> bool {
    let policy = agent.restart.policy;
    match agent.status {
        Status::Stopped => true,
        Status::Exited => policy != RestartPolicy::Always,
        Status::Crashed => policy == RestartPolicy::No || agent.reason.starts_with(GIVEN_UP),
        // The lost are brought back together, and sleepers wake for whoever needs them.
        _ => false,
    }
}

/// Whether it has ended and waits for its restart.
pub fn comes_back(agent: &Agent) -> bool {
    matches!(agent.status, Status::Exited | Status::Crashed) && !is_over(agent)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::lifecycle::evict::tests::agent;

    #[test]
    fn only_what_nobody_but_a_person_brings_back_is_over() {
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
