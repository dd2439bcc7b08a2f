//! Fuzzy filtering of agents, of the palette and of the help.

use nucleo_matcher::pattern::{CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32Str};

use crate::model::Agent;

/// Returns the indices of the agents that match a filter, in their own order. Each word of the filter must match one
/// of the agent's fields.
pub(crate) fn matching_agents<'a>(agents: impl Iterator<Item = &'a Agent>, filter: &str) -> Vec<usize> {
    let parse = |word| Pattern::parse(word, CaseMatching::Smart, Normalization::Smart);
    let words: Vec<Pattern> = filter.split_whitespace().map(parse).collect();
    let mut matcher = Matcher::new(Config::DEFAULT);
    let mut buffer = Vec::new();
    let mut is_match = |agent: &Agent| {
        let fields = fields(agent);
        words.iter().all(|word| {
            fields.iter().any(|field| word.score(Utf32Str::new(field, &mut buffer), &mut matcher).is_some())
        })
    };
    agents.enumerate().filter(|(_, agent)| is_match(agent)).map(|(index, _)| index).collect()
}

/// Returns the indices of the texts that match a filter, the best match first. Texts that have only scattered letters of
/// the filter are left out if another text has all words of the filter.
pub(crate) fn best_first<T: AsRef<str>>(texts: impl Iterator<Item = T>, filter: &str) -> Vec<usize> {
    let texts: Vec<T> = texts.collect();
    let words: Vec<String> = filter.split_whitespace().map(str::to_lowercase).collect();
    let has_words = |text: &T| {
        let text = text.as_ref().to_lowercase();
        words.iter().all(|word| text.contains(word))
    };
    let mut scored = scored(texts.iter(), filter);
    if scored.iter().any(|(index, _)| has_words(&texts[*index])) {
        scored.retain(|(index, _)| has_words(&texts[*index]));
    }
    scored.sort_by_key(|(index, score)| (std::cmp::Reverse(*score), *index));
    scored.into_iter().map(|(index, _)| index).collect()
}

fn scored<T: AsRef<str>>(texts: impl Iterator<Item = T>, filter: &str) -> Vec<(usize, u32)> {
    let pattern = Pattern::parse(filter, CaseMatching::Smart, Normalization::Smart);
    let mut matcher = Matcher::new(Config::DEFAULT);
    let mut buffer = Vec::new();
    let mut score = |text: &str| pattern.score(Utf32Str::new(text, &mut buffer), &mut matcher);
    texts.enumerate().filter_map(|(index, text)| Some((index, score(text.as_ref())?))).collect()
}

/// Returns the texts of an agent that the filter of the list searches.
fn fields(agent: &Agent) -> Vec<&str> {
    let project = agent.project.as_deref().and_then(|path| path.rsplit('/').next()).unwrap_or_default();
    let fields = [
        agent.host.as_deref().unwrap_or_default(),
        agent.name.as_str(),
        agent.kind.as_str(),
        agent.spec.as_str(),
        agent.status.word(),
        project,
        agent.branch.as_deref().unwrap_or_default(),
        agent.title.as_deref().unwrap_or_default(),
    ];
    fields.into_iter().filter(|field| !field.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dashboard::state::testing::agent;
    use crate::model::Status;

    #[test]
    fn each_word_of_a_filter_matches_a_field() {
        let agents = [agent("login-fix", Status::Idle), agent("parser", Status::Working)];
        let found = |filter| matching_agents(agents.iter(), filter);
        assert_eq!(found(""), [0, 1]);
        assert_eq!(found("lgf"), [0]);
        assert_eq!(found("working"), [1]);
        assert_eq!(found("api pars"), [1]);
        assert_eq!(found("api xyz"), Vec::<usize>::new());
    }

    #[test]
    fn the_palette_ranks_the_best_match_first() {
        let texts = ["stop the agent", "restart", "attach"];
        assert_eq!(best_first(texts.iter(), "restart"), [1]);
        assert_eq!(best_first(texts.iter(), ""), [0, 1, 2]);
    }

    #[test]
    fn scattered_letters_are_no_match_beside_a_word() {
        let texts = ["Group by project, status, host, parent or not at all", "End the process (stop)"];
        assert_eq!(best_first(texts.iter(), "stop"), [1]);
        assert_eq!(best_first(texts.iter(), "gbps"), [0]);
    }
}
