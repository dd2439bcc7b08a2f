//! A tmux server for unit tests of the layers above: its state is data, and it records the commands that it receives.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::transport::call::{CommandOutput, TmuxCall};
use super::{Tmux, TmuxError, TmuxSetup, Transport};
use crate::model::{LiveClient, LivePane, LiveServer, ServerIdentity, TmuxSnapshot};

/// A server without a process. Clones of a [`Tmux`] share it.
#[derive(Debug)]
pub struct FakeServer(Mutex<FakeState>);

#[derive(Debug)]
struct FakeState {
    snapshot: TmuxSnapshot,
    is_silent: bool,
    screens: HashMap<String, String>,
    /// What a pane shows after input, in the order in which it was set: pane, a word of the input, screen.
    screens_after_input: Vec<(String, String, String)>,
    records: Vec<(String, String)>,
    received: Vec<String>,
    after_snapshot: Option<SnapshotCallback>,
}

/// A callback that runs right after a snapshot was taken.
struct SnapshotCallback(Box<dyn FnOnce() + Send>);

impl fmt::Debug for SnapshotCallback {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SnapshotCallback")
    }
}

impl Tmux {
    /// Returns an adapter that talks to a fake server.
    pub fn with_fake_server(setup: TmuxSetup, server: Arc<FakeServer>) -> Tmux {
        Tmux { setup, program: "tmux".into(), version: "3.4".into(), transport: Transport::Fake(server) }
    }
}

impl Default for FakeServer {
    fn default() -> FakeServer {
        // The process id 0 belongs to no process, so that no signal is ever sent to it.
        let server = LiveServer {
            identity: ServerIdentity("1700000000:0".into()),
            version: "3.4".into(),
            panes: vec![],
            clients: vec![],
        };
        FakeServer(Mutex::new(FakeState {
            snapshot: TmuxSnapshot::Running(server),
            is_silent: false,
            screens: HashMap::new(),
            screens_after_input: vec![],
            records: vec![],
            received: vec![],
            after_snapshot: None,
        }))
    }
}

impl FakeServer {
    /// Changes the running server. Starts one if none runs.
    pub fn change(&self, change: impl FnOnce(&mut LiveServer)) {
        let mut state = self.state();
        if state.snapshot == TmuxSnapshot::NoServer {
            state.snapshot = FakeServer::default().state().snapshot.clone();
        }
        if let TmuxSnapshot::Running(server) = &mut state.snapshot {
            change(server);
        }
    }

    /// Ends the server with all its sessions.
    pub fn end(&self) {
        self.state().snapshot = TmuxSnapshot::NoServer;
    }

    /// Makes every further call time out.
    pub fn fall_silent(&self) {
        self.state().is_silent = true;
    }

    /// Calls a function once, right after the next snapshot was taken: the caller gets the state before the function.
    pub fn after_next_snapshot(&self, call: impl FnOnce() + Send + 'static) {
        self.state().after_snapshot = Some(SnapshotCallback(Box::new(call)));
    }

    /// Sets the text on the screen of a pane.
    pub fn show(&self, pane: &str, screen: &str) {
        self.state().screens.insert(pane.to_owned(), screen.to_owned());
    }

    /// Sets the text that a pane shows once it has received a key, given by its tmux name, or `paste-buffer`. It
    /// happens once.
    pub fn show_after(&self, pane: &str, input: &str, screen: &str) {
        let after = (pane.to_owned(), input.to_owned(), screen.to_owned());
        self.state().screens_after_input.push(after);
    }

    /// Sets the record that a session carries.
    pub fn set_record(&self, session: &str, record: String) {
        self.state().records.push((session.to_owned(), record));
    }

    /// Returns the commands that were received, without queries of the snapshot.
    pub fn received(&self) -> Vec<String> {
        self.state().received.clone()
    }

    fn state(&self) -> MutexGuard<'_, FakeState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn answer(&self, call: &TmuxCall<'_>) -> Result<CommandOutput, TmuxError> {
        let words: Vec<String> = match call.direct {
            Some(words) => words.iter().map(|word| String::from_utf8_lossy(word).into_owned()).collect(),
            None => call.words.iter().map(|word| (*word).to_owned()).collect(),
        };
        let mut state = self.state();
        if call.what != "look" {
            let script = call.stdin.filter(|_| call.direct.is_none()).unwrap_or_default();
            state.received.push(unescaped(&format!(
                "{} {}",
                words.join(" "),
                String::from_utf8_lossy(script)
            )));
        }
        if state.is_silent {
            return Err(call.timed_out());
        }
        let TmuxSnapshot::Running(server) = state.snapshot.clone() else {
            return Ok(CommandOutput {
                success: false,
                out: vec![],
                err: "no server running on /fake".into(),
            });
        };
        let out: String = words.split(|word| word == ";").map(|words| state.run(&server, words)).collect();
        let after = state.after_snapshot.take_if(|_| call.what == "look");
        drop(state);
        if let Some(SnapshotCallback(call)) = after {
            call();
        }
        Ok(CommandOutput { success: true, out: out.into_bytes(), err: String::new() })
    }
}

impl FakeState {
    /// Returns the output of one command.
    fn run(&mut self, server: &LiveServer, words: &[String]) -> String {
        let last = words.last().map_or("", String::as_str);
        let target = words.iter().skip_while(|word| *word != "-t").nth(1).map_or("", String::as_str);
        match words.first().map(String::as_str) {
            Some("display-message") if last.starts_with("S|") => {
                format!("S|{}|{}\n", server.identity, server.version)
            }
            Some("display-message") => format!("{last}\n"),
            Some("list-panes") if last.starts_with("P|") => server.panes.iter().map(pane_line).collect(),
            Some("list-panes") => format!("{target}|/dev/null|80|24|0|0|0|0|0\n"),
            Some("list-clients") if last.starts_with("C|") => {
                server.clients.iter().map(client_line).collect()
            }
            Some("list-clients") => {
                let key = |client: &LiveClient| format!("{}@{}", client.pid.unwrap_or_default(), client.tty);
                server
                    .clients
                    .iter()
                    .map(|client| format!("0|{}||{}\n", key(client), client.session))
                    .collect()
            }
            Some("list-sessions") => {
                let line = |(name, json): &(String, String)| format!("{} {name}{json}\n", name.len());
                self.records.iter().map(line).collect()
            }
            Some("capture-pane") => self.screens.get(target).cloned().unwrap_or_default(),
            Some("if-shell") => self.run_if_owned(server, words),
            _ => String::new(),
        }
    }

    /// Runs commands that are guarded by the id of an agent, or by the life of the pane that is their target.
    fn run_if_owned(&mut self, server: &LiveServer, words: &[String]) -> String {
        let is_named = |pane: &&LivePane| {
            pane.agent.is_some_and(|id| words.iter().any(|word| word.contains(&id.to_string())))
        };
        let target = words.iter().skip_while(|word| *word != "-t").nth(1);
        let is_live_target = |pane: &&LivePane| Some(&pane.pane) == target && pane.dead.is_none();
        let found = server.panes.iter().find(is_named).or_else(|| server.panes.iter().find(is_live_target));
        let Some(pane) = found else { return String::new() };
        self.react(&pane.pane, &unescaped(&words.join(" ")));
        if words.iter().any(|word| word.contains("kill-session"))
            && let TmuxSnapshot::Running(now) = &mut self.snapshot
        {
            now.panes.retain(|other| other.session != pane.session);
        }
        "done\n".into()
    }

    /// Shows the screen that was set for this input. A script has each of its words in quotes.
    fn react(&mut self, pane: &str, commands: &str) {
        let is_input = commands.contains("\"send-keys\"") || commands.contains("\"paste-buffer\"");
        let expected = |(at, input, _): &(String, String, String)| {
            at == pane && is_input && commands.contains(&format!("\"{input}\""))
        };
        if let Some(found) = self.screens_after_input.iter().position(expected) {
            let (pane, _, screen) = self.screens_after_input.remove(found);
            self.screens.insert(pane, screen);
        }
    }
}

/// Replaces the octal escapes of a script by the characters that they mean.
fn unescaped(text: &str) -> String {
    let mut parts = text.split('\\');
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        match part.get(..3).and_then(|digits| u8::from_str_radix(digits, 8).ok()) {
            Some(byte) => plain.extend([char::from(byte)].into_iter().chain(part[3..].chars())),
            None => plain.extend(['\\'].into_iter().chain(part.chars())),
        }
    }
    plain
}

fn pane_line(pane: &LivePane) -> String {
    let number = |number: Option<i64>| number.map(|number| number.to_string()).unwrap_or_default();
    let exit = pane.dead.as_ref().map(|dead| dead.exit);
    format!(
        "P|{}|{}|{}|{}|{}|{}|{}|{}|{}\n",
        pane.pane,
        number(pane.pid.map(i64::from)),
        u8::from(pane.dead.is_some()),
        number(exit.and_then(|exit| exit.code).map(i64::from)),
        number(exit.and_then(|exit| exit.signal).map(i64::from)),
        number(pane.dead.as_ref().and_then(|dead| dead.at).map(|at| at.as_second())),
        number(pane.activity.map(|at| at.as_second())),
        pane.agent.map(|id| id.to_string()).unwrap_or_default(),
        pane.session,
    )
}

fn client_line(client: &LiveClient) -> String {
    let pid = client.pid.unwrap_or_default();
    let since = client.since.map_or(0, |at| at.as_second());
    let driver = if client.driver { format!("{pid}@{}", client.tty) } else { String::new() };
    format!(
        "C|{}|{}|{pid}|{since}|{driver}|{since}|||{}|{}|{}\n",
        u8::from(client.observer),
        u8::from(client.focused),
        client.user.as_deref().unwrap_or_default(),
        client.tty,
        client.session,
    )
}
