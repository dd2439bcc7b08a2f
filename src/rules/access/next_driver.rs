//! Decides which of several attached clients drives an agent: the client that attached first, until it detaches; then
//! the client that has wanted to drive for the longest time. A client that asked to watch only never becomes the
//! driver.
//!
//! When a client attaches, tmux itself decides in one atomic step (see `tmux/clients/driver.rs`). These rules correct the
//! state afterwards: when a client detached, and when a client attached without going through Symposium.

use crate::model::{AttachPolicy, AttachedClient, AttachedClients, ClientChange};

/// Returns the keys of the clients that wanted to drive and are no longer attached to any session.
pub fn departed_clients(all: &[AttachedClients]) -> Vec<String> {
    let is_there =
        |key: &String| all.iter().flat_map(|clients| &clients.terminals).any(|client| client.key == *key);
    let wanting = all.first().map(|clients| clients.waiting.as_slice()).unwrap_or_default();
    wanting.iter().filter(|key| !is_there(key)).cloned().collect()
}

/// Returns the changes that make the clients of a session conform to the policy.
pub fn client_changes(clients: &AttachedClients, policy: AttachPolicy) -> Vec<ClientChange> {
    let terminal = |key: &str| clients.terminals.iter().find(|terminal| terminal.key == key);
    if policy == AttachPolicy::Shared {
        let waiting = clients.waiting.iter().filter(|key| terminal(key).is_some_and(|client| !client.types));
        let vacate = clients.driver.iter().map(|_| ClientChange::Vacate);
        return vacate
            .chain(waiting.map(|key| ClientChange::Type(key.clone())))
            .chain(sized(clients))
            .collect();
    }
    let drives = |key: &&str| terminal(key).is_some_and(|client| client.types);
    // A driver whose terminal is not being read yields to a client that waits to drive.
    let yields =
        |key: &&str| terminal(key).is_some_and(|client| client.is_stalled) && waits(clients).is_some();
    let driver = clients.driver.as_deref().filter(drives).filter(|key| !yields(key));
    let typing = || clients.terminals.iter().filter(|client| client.types).map(|client| client.key.as_str());
    let successor = || typing().find(|key| !yields(key)).or_else(|| waits(clients));
    let (chosen, is_new) = match driver {
        Some(driver) => (Some(driver), false),
        None => (successor(), true),
    };
    let Some(chosen) = chosen else { return clients.driver.iter().map(|_| ClientChange::Vacate).collect() };
    let first = is_new.then(|| ClientChange::Drive(chosen.to_owned()));
    let others = typing().filter(|key| *key != chosen).map(|key| ClientChange::Watch(key.to_owned()));
    first.into_iter().chain(others).collect()
}

/// If all clients may type, one of them determines the size: a client that attached without going through Symposium,
/// else the current one, else the client that attached last.
fn sized(clients: &AttachedClients) -> Option<ClientChange> {
    let is_sizer = |client: &AttachedClient| clients.sizer.as_deref() == Some(client.name());
    let typing = || clients.terminals.iter().filter(|client| client.types);
    if let Some(joining) = typing().rfind(|client| client.counts && !is_sizer(client)) {
        return Some(ClientChange::Size(joining.key.clone()));
    }
    let is_there = typing().any(is_sizer);
    typing().next_back().filter(|_| !is_there).map(|last| ClientChange::Size(last.key.clone()))
}

/// Returns the client that has waited longest to drive, is still attached and is being read.
fn waits(clients: &AttachedClients) -> Option<&str> {
    let is_here = |key: &&String| {
        clients.terminals.iter().any(|terminal| terminal.key == **key && !terminal.is_stalled)
    };
    clients.waiting.iter().find(is_here).map(String::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Parses clients: `a!` may type, `a+` also counts for the size, `a` watches; the prefix `~` means that it is not
    /// being read.
    fn clients(driver: &str, waiting: &str, terminals: &str) -> AttachedClients {
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        let terminal = |word: String| AttachedClient {
            key: word.trim_matches(['!', '+', '~']).to_owned(),
            types: word.ends_with(['!', '+']),
            counts: word.ends_with('+'),
            words: String::new(),
            guest: false,
            is_stalled: word.starts_with('~'),
        };
        AttachedClients {
            session: "s".to_owned(),
            driver: Some(driver.to_owned()).filter(|driver| !driver.is_empty()),
            waiting: words(waiting),
            sizer: None,
            terminals: words(terminals).into_iter().map(terminal).collect(),
        }
    }

    fn step_names(steps: &[ClientChange]) -> String {
        let words = steps.iter().map(|step| match step {
            ClientChange::Drive(key) => format!("drive {key}"),
            ClientChange::Watch(key) => format!("watch {key}"),
            ClientChange::Type(key) => format!("type {key}"),
            ClientChange::Size(key) => format!("size {key}"),
            ClientChange::Vacate => "vacate".to_owned(),
        });
        words.collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn one_client_drives_and_all_can_take_over() {
        for (driver, waiting, terminals, steps) in [
            // Nothing to do.
            ("", "", "", ""),
            ("a", "", "a!", ""),
            ("a", "b c", "a! b c", ""),
            ("", "", "watcher", ""),
            // The driver left.
            ("a", "b c", "b c", "drive b"),
            ("a", "b c", "c", "drive c"),
            ("a", "c b", "b c", "drive c"),
            ("a", "b", "b watcher", "drive b"),
            ("a", "", "watcher", "vacate"),
            ("a", "b", "", "vacate"),
            // The driver chose to watch only.
            ("a", "", "a", "vacate"),
            ("a", "b", "a b", "drive b"),
            ("a", "gone", "a!", ""),
            // A client attached that had to watch another session.
            ("", "b", "b", "drive b"),
            ("", "b c", "watcher c", "drive c"),
            ("a", "b", "a! b", ""),
            // A client attached without going through Symposium.
            ("", "", "x!", "drive x"),
            ("a", "", "a! x!", "watch x"),
            ("a", "b", "b x!", "drive x"),
            ("", "", "x! y! z!", "drive x, watch y, watch z"),
            // The driver's terminal is not being read.
            ("a", "", "~a!", ""),
            ("a", "", "~a! watcher", ""),
            ("a", "b", "~a! b", "drive b, watch a"),
            ("a", "b c", "~a! ~b c", "drive c, watch a"),
            ("a", "b", "~a! ~b", ""),
        ] {
            let steps_of = client_changes(&clients(driver, waiting, terminals), AttachPolicy::SingleDriver);
            assert_eq!(
                step_names(&steps_of),
                steps,
                "driver {driver:?}, waiting {waiting:?}, there {terminals:?}"
            );
        }
    }

    #[test]
    fn records_without_any_trace_are_dropped() {
        let here = clients("a", "x b c y", "a! b");
        let there = clients("", "x b c y", "c");
        assert_eq!(departed_clients(&[here.clone(), there]), ["x", "y"]);
        assert_eq!(departed_clients(&[here]), ["x", "c", "y"]);
        assert_eq!(departed_clients(&[]), Vec::<String>::new());
    }

    #[test]
    fn shared_session_lets_waiting_clients_type() {
        for (driver, waiting, terminals, steps) in [
            ("", "", "a! s+ watcher", ""),
            ("a", "b", "a! b s+ watcher", "vacate, type b"),
            ("", "b gone", "s+ b", "type b"),
            ("", "s", "s+", ""),
        ] {
            let clients =
                AttachedClients { sizer: Some("s".to_owned()), ..clients(driver, waiting, terminals) };
            let steps_of = client_changes(&clients, AttachPolicy::Shared);
            assert_eq!(
                step_names(&steps_of),
                steps,
                "driver {driver:?}, waiting {waiting:?}, there {terminals:?}"
            );
        }
    }

    #[test]
    fn shared_session_has_one_client_that_sets_the_size() {
        for (sizer, terminals, steps) in [
            ("", "", ""),
            ("", "watcher", ""),
            ("a", "watcher", ""),
            ("a", "a+ b! watcher", ""),
            // The sizing client detached.
            ("a", "b! c! watcher", "size c"),
            // The sizing client only watches now.
            ("a", "b! a", "size b"),
            // The policy was different before, or a client attached with plain tmux.
            ("", "a+ watcher", "size a"),
            ("a", "a+ x+", "size x"),
        ] {
            let sizer = Some(sizer.to_owned()).filter(|name| !name.is_empty());
            let steps_of = client_changes(
                &AttachedClients { sizer, ..clients("", "", terminals) },
                AttachPolicy::Shared,
            );
            assert_eq!(step_names(&steps_of), steps, "there {terminals:?}");
        }
    }
}
