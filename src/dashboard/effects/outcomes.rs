//! One sentence about an action on several agents.

/// The outcomes of one action.
pub(super) struct ActionOutcomes {
    /// Names of the agents with what happened, as sentences.
    pub(super) each: Vec<(String, Result<String, String>)>,
}

impl ActionOutcomes {
    /// Returns one report. `done` says what was done with a number of agents, such as "3 agents stopped".
    pub(super) fn summary(mut self, done: impl Fn(usize) -> String) -> Result<String, String> {
        if self.each.len() == 1
            && let Some((_, outcome)) = self.each.pop()
        {
            return outcome;
        }
        let succeeded = self.each.iter().filter(|(_, outcome)| outcome.is_ok()).count();
        let mut parts: Vec<String> = (succeeded > 0).then(|| done(succeeded)).into_iter().collect();
        let failed = self.each.into_iter().filter_map(|(name, outcome)| Some((name, outcome.err()?)));
        parts.extend(failed.map(|(name, why)| format!("`{name}` failed: {why}")));
        match parts.len() == usize::from(succeeded > 0) {
            true => Ok(parts.concat()),
            false => Err(parts.join("; ")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::plural::counted;

    fn summary(outcomes: &[(&str, Result<&str, &str>)]) -> Result<String, String> {
        let own = |(name, outcome): &(&str, Result<&str, &str>)| {
            ((*name).to_owned(), outcome.map(str::to_owned).map_err(str::to_owned))
        };
        let done = |count| format!("{} stopped", counted(count, "agent", "agents"));
        ActionOutcomes { each: outcomes.iter().map(own).collect() }.summary(done)
    }

    #[test]
    fn failures_of_an_action_are_named_beside_its_successes() {
        let (one, two) = (("one", Ok("`one` was stopped")), ("two", Err("it does not run")));
        let three = ("three", Err("tmux hangs"));
        assert_eq!(summary(&[one]), Ok("`one` was stopped".into()));
        assert_eq!(summary(&[two]), Err("it does not run".into()));
        assert_eq!(summary(&[one, one]), Ok("2 agents stopped".into()));
        assert_eq!(summary(&[one, two]), Err("1 agent stopped; `two` failed: it does not run".into()));
        assert_eq!(
            summary(&[two, three]),
            Err("`two` failed: it does not run; `three` failed: tmux hangs".into())
        );
    }
}
