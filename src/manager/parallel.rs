//! Performs the same action on many agents, several at a time.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::model::AgentName;

/// Number of concurrent actions. Each is a call to the same tmux server, and mostly waits.
const MAX_CONCURRENT: usize = 8;

/// Calls `act` for each agent and returns the results in the order of the names.
pub(super) fn in_parallel<T: Send>(
    names: &[AgentName],
    act: impl Fn(&AgentName) -> T + Sync,
) -> Vec<(AgentName, T)> {
    if let [name] = names {
        return vec![(name.clone(), act(name))];
    }
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::with_capacity(names.len()));
    std::thread::scope(|scope| {
        for _ in 0..MAX_CONCURRENT.min(names.len()) {
            scope.spawn(|| {
                while let Some((at, name)) =
                    Some(next.fetch_add(1, Ordering::Relaxed)).and_then(|at| Some((at, names.get(at)?)))
                {
                    let outcome = (at, name.clone(), act(name));
                    done.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).push(outcome);
                }
            });
        }
    });
    let mut done = done.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
    done.sort_by_key(|(at, ..)| *at);
    done.into_iter().map(|(_, name, outcome)| (name, outcome)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_item_is_processed_once_and_in_order() {
        let names: Vec<AgentName> = (0..50).map(|n| format!("a{n}").parse().unwrap()).collect();
        let done = in_parallel(&names, |name| name.to_string());
        assert_eq!(done.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>(), names);
        assert!(done.iter().all(|(name, outcome)| name.as_str() == outcome));
    }
}
