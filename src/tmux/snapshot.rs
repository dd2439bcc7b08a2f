//! Queries the state of the server in a single call, independent of the number of agents.
//!
//! Fields are separated by `|`. tmux 3.5 and newer escape tabs and other control characters in their output, so these
//! cannot be separators. A field that may contain any text comes last.

use std::time::Duration;

use jiff::Timestamp;
use rustix::process::{Pid, Signal, kill_process};

use super::clients::driver::watches_since;
use super::clients::guests::{GuestPermission, SHARE_PREFIX, guest_in};
use super::server::supervisor_session::SUPERVISOR_PREFIX;
use super::transport::call::TmuxCall;
use super::{Tmux, TmuxError, target};
use crate::model::{
    AgentName, DeadPane, Exit, LiveClient, LivePane, LiveServer, ServerIdentity, TmuxSnapshot,
};

const SERVER: &str = "S|#{start_time}:#{pid}|#{version}";
const PANE: &str = "P|#{pane_id}|#{pane_pid}|#{pane_dead}|#{pane_dead_status}|#{pane_dead_signal}|#{pane_dead_time}|#{window_activity}|#{@symposium_id}|#{session_name}";
const CLIENT: &str = "C|#{client_readonly}|#{m:*focused*,#{client_flags}}|#{client_pid}|#{client_created}|#{@symposium_driver}|#{@symposium_driver_since}|#{@symposium_wanting}|#{@symposium_guests}|#{client_user}|#{client_name}|#{session_name}";
const FACTS: &str = "#{pane_id}|#{pane_tty}|#{pane_width}|#{pane_height}|#{cursor_x}|#{cursor_y}|#{pane_in_mode}|#{pane_dead}|#{alternate_on}";

/// Exit of a process whose terminal is closed while tmux does not know yet how it ended.
const NOT_REPORTED: Exit = Exit { code: None, signal: None };

/// Details of one pane.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PaneFacts {
    /// Path of the pane's terminal.
    pub tty: String,
    /// Width in columns.
    pub width: u16,
    /// Height in lines.
    pub height: u16,
    /// Column and line of the cursor, counted from 0.
    pub cursor: (u16, u16),
    /// Whether the pane is in copy mode or another tmux mode.
    pub in_mode: bool,
    /// Whether the pane's process has ended.
    pub dead: bool,
    /// Whether the program uses the alternate screen.
    pub alternate: bool,
}

impl Tmux {
    /// Takes a snapshot of all panes and clients of our server, without the supervisor's pane. `NoServer` means that it
    /// is certain that no server is running.
    pub fn snapshot(&self) -> Result<TmuxSnapshot, TmuxError> {
        self.snapshot_within(self.setup.bound)
    }

    /// Takes a snapshot like [`Tmux::snapshot`], with another time limit.
    pub fn snapshot_within(&self, bound: Duration) -> Result<TmuxSnapshot, TmuxError> {
        match self.read_snapshot(bound)? {
            Some((server, ExitStatuses::Complete)) => Ok(TmuxSnapshot::Running(server)),
            Some((server, ExitStatuses::Incomplete)) => {
                remind(&server.identity);
                Ok(self
                    .read_snapshot(bound)?
                    .map_or(TmuxSnapshot::NoServer, |(server, _)| TmuxSnapshot::Running(server)))
            }
            None => Ok(TmuxSnapshot::NoServer),
        }
    }

    fn read_snapshot(&self, bound: Duration) -> Result<Option<(LiveServer, ExitStatuses)>, TmuxError> {
        let words = [
            "display-message",
            "-p",
            SERVER,
            ";",
            "list-panes",
            "-aF",
            PANE,
            ";",
            "list-clients",
            "-F",
            CLIENT,
        ];
        let output = self.run(&TmuxCall { bound, ..self.call("look", &words) })?;
        let text = String::from_utf8_lossy(&output.out).into_owned();
        match self.parse_reply("look", output) {
            // A server without sessions prints its identity and then fails `list-panes -a`.
            Ok(_) | Err(TmuxError::NoSessions { .. }) => parse_snapshot(&text).map(Some),
            Err(TmuxError::NoServer { .. }) => Ok(None),
            Err(other) => Err(other),
        }
    }

    /// Takes a snapshot of one session, whose cost does not depend on the number of agents. Returns `None` if there is no
    /// such session, or if tmux does not know yet how its process ended.
    pub fn snapshot_of_session(&self, session: &AgentName) -> Result<Option<TmuxSnapshot>, TmuxError> {
        let at = target::session(session.as_str());
        let panes = ["list-panes", "-s", "-t", &at, "-F", PANE];
        let clients = ["list-clients", "-t", &at, "-F", CLIENT];
        let words = [&["display-message", "-p", SERVER, ";"][..], &panes, &[";"], &clients].concat();
        match self.run_words("look", &words) {
            Err(other) if other.is_absence() => Ok(None),
            other => match parse_snapshot(&other?)? {
                (server, ExitStatuses::Complete) => Ok(Some(TmuxSnapshot::Running(server))),
                (_, ExitStatuses::Incomplete) => Ok(None),
            },
        }
    }

    /// Returns the details of one pane, or `None` if it certainly does not exist.
    pub fn pane_facts(&self, pane: &str) -> Result<Option<PaneFacts>, TmuxError> {
        // `display-message` would answer for another pane if this one does not exist.
        let text =
            match self.run_words("query a pane", &["list-panes", "-t", target::pane(pane)?, "-F", FACTS]) {
                Err(other) if other.is_absence() => return Ok(None),
                other => other?,
            };
        let Some(line) = text.lines().find(|line| line.split('|').next() == Some(pane)) else {
            return Ok(None);
        };
        match parse_facts(line) {
            Some(facts) => Ok(Some(facts)),
            None => Err(TmuxError::Garbled { what: "query a pane", output: line.to_owned() }),
        }
    }
}

/// Whether tmux has reported the exit status of every ended process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ExitStatuses {
    Complete,
    Incomplete,
}

/// Makes the server reap its children. A busy tmux 3.3a misses the end of one child in a hundred: the process stays a
/// zombie, the pane has no exit status and `pane-died` does not run until the next child ends.
fn remind(server: &ServerIdentity) {
    let pid = server.0.rsplit(':').next().and_then(|pid| pid.parse().ok()).and_then(Pid::from_raw);
    if let Some(pid) = pid {
        let _ = kill_process(pid, Signal::CHILD);
    }
}

fn parse_snapshot(text: &str) -> Result<(LiveServer, ExitStatuses), TmuxError> {
    let mut server: Option<LiveServer> = None;
    let mut completeness = ExitStatuses::Complete;
    for line in text.lines() {
        let parsed = match (line.split_once('|'), &mut server) {
            (Some(("S", rest)), None) => rest.split_once('|').map(|(identity, version)| {
                let identity = ServerIdentity(identity.to_owned());
                let version = version.to_owned();
                server = Some(LiveServer { identity, version, panes: Vec::new(), clients: Vec::new() });
            }),
            (Some(("P", rest)), Some(server)) => parse_pane(rest).map(|mut pane| {
                // Only 3.2, which never reports a signal, leaves both fields empty for good.
                let is_open = pane.dead.as_ref().is_some_and(|dead| dead.exit == NOT_REPORTED);
                if is_open && !server.version.starts_with("3.2") {
                    pane.dead = None;
                    completeness = ExitStatuses::Incomplete;
                }
                if !pane.session.starts_with(SUPERVISOR_PREFIX) && !pane.session.starts_with(SHARE_PREFIX) {
                    server.panes.push(pane);
                }
            }),
            (Some(("C", rest)), Some(server)) => parse_client(rest).map(|client| server.clients.push(client)),
            _ => None,
        };
        parsed.ok_or_else(|| TmuxError::Garbled { what: "look", output: line.to_owned() })?;
    }
    let server = server.ok_or_else(|| TmuxError::Garbled { what: "look", output: text.to_owned() })?;
    Ok((server, completeness))
}

fn parse_pane(rest: &str) -> Option<LivePane> {
    let mut fields = rest.splitn(9, '|');
    let [pane, pid, dead, code, signal, at, activity, agent, session] =
        std::array::from_fn(|_| fields.next());
    let exit = Exit { code: code?.parse().ok(), signal: signal?.parse().ok() };
    Some(LivePane {
        session: session?.to_owned(),
        pane: pane?.to_owned(),
        agent: agent?.parse().ok(),
        pid: pid?.parse().ok(),
        dead: (dead? == "1").then_some(DeadPane { exit, at: time(at?) }),
        activity: time(activity?),
    })
}

fn parse_client(rest: &str) -> Option<LiveClient> {
    let mut fields = rest.splitn(11, '|');
    let [readonly, focused, pid, came, driver, drives_since, wanting, guests, user, tty, session] =
        std::array::from_fn(|_| fields.next());
    let key = format!("{}@{}", pid?, tty?);
    let guest = guest_in(guests?, &key);
    let user = guest.map(|(guest, _)| guest).or(user);
    let is_turn = driver? == key || driver?.is_empty();
    Some(LiveClient {
        session: session?.to_owned(),
        tty: tty?.to_owned(),
        user: user.filter(|user| !user.is_empty()).map(str::to_owned),
        observer: guest.map_or(readonly? == "1", |(_, may)| may == GuestPermission::Watch || !is_turn),
        pid: pid?.parse().ok(),
        // A client that waited drives since it became the driver; a client that lost its place watches since then.
        since: match driver? == key {
            true => time(drives_since?),
            false => watches_since(wanting?, &key).and_then(time),
        }
        .or(time(came?)),
        driver: driver? == key,
        guest: guest.is_some(),
        focused: focused? == "1",
    })
}

fn parse_facts(line: &str) -> Option<PaneFacts> {
    let mut fields = line.split('|').skip(1);
    let tty = fields.next()?.to_owned();
    let mut number = || fields.next()?.parse::<u16>().ok();
    let (width, height, cursor) = (number()?, number()?, (number()?, number()?));
    let mut is_on = || Some(number()? > 0);
    Some(PaneFacts { tty, width, height, cursor, in_mode: is_on()?, dead: is_on()?, alternate: is_on()? })
}

/// Formats a time of day in the local time zone.
pub(super) fn clock(at: Timestamp) -> String {
    at.to_zoned(jiff::tz::TimeZone::system()).strftime("%H:%M").to_string()
}

pub(super) fn time(text: &str) -> Option<Timestamp> {
    text.parse().ok().filter(|seconds| *seconds > 0).and_then(|seconds| Timestamp::from_second(seconds).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_read_field_by_field() {
        let id = "67e55044-10b1-426f-9247-bb680e5fe0c8";
        let text = format!(
            "S|1700000000:42|3.3a\nP|%1|77|0||||1700000001|{id}|api\nP|%2|78|1|3||1700000009|1700000001||odd | name|x\nP|%3|79|1||9||1700000001||z\nC|1|0|8|1700000001|9@/dev/pts/2|1700000007| 8@/dev/pts/1=1700000005 ||guest|/dev/pts/1|api\nC|0|1|9|1700000002|9@client-9|1700000008||||client-9|odd |\nC|1|0|7|1700000002|7@/dev/pts/3||| 7@/dev/pts/3=guest:w|root|/dev/pts/3|api\n"
        );
        let (server, completeness) = parse_snapshot(&text).unwrap();
        assert_eq!(completeness, ExitStatuses::Complete);
        assert_eq!((server.identity.0.as_str(), server.version.as_str()), ("1700000000:42", "3.3a"));
        let [api, odd, killed] = &server.panes[..] else { panic!("{server:?}") };
        assert_eq!((api.agent, &api.dead, api.pid), (id.parse().ok(), &None, Some(77)));
        assert_eq!((odd.session.as_str(), odd.agent), ("odd | name|x", None));
        assert_eq!(odd.dead.as_ref().unwrap().exit, Exit { code: Some(3), signal: None });
        assert_eq!(odd.dead.as_ref().unwrap().at.unwrap().as_second(), 1_700_000_009);
        assert_eq!(killed.dead, Some(DeadPane { exit: Exit { code: None, signal: Some(9) }, at: None }));
        assert_eq!(server.clients[0].user.as_deref(), Some("guest"));
        assert!(server.clients[0].observer && !server.clients[1].observer);
        assert_eq!(server.clients[1].session, "odd |");
        assert!(server.clients[1].driver && !server.clients[0].driver);
        assert!(server.clients[1].focused && !server.clients[0].focused);
        assert_eq!(
            (server.clients[0].pid, server.clients[0].since.unwrap().as_second()),
            (Some(8), 1_700_000_005)
        );
        let since: Vec<_> =
            server.clients.iter().map(|client| client.since.map(Timestamp::as_second)).collect();
        assert_eq!(since, [Some(1_700_000_005), Some(1_700_000_008), Some(1_700_000_002)]);
    }

    #[test]
    fn pane_is_dead_once_its_exit_status_is_known() {
        for (version, fields, dead) in [
            ("3.3a", "1||||", false),
            ("3.3a", "1|0|||", true),
            ("3.3a", "1||9||", true),
            ("3.2a", "1||||", true),
            ("3.2a", "0||||", false),
        ] {
            let text = format!("S|1:2|{version}\nP|%1|7|{fields}1||a\n");
            let (server, completeness) = parse_snapshot(&text).unwrap();
            assert_eq!(server.panes[0].dead.is_some(), dead, "{text}");
            let open = !dead && fields.starts_with('1');
            assert_eq!(
                completeness,
                if open { ExitStatuses::Incomplete } else { ExitStatuses::Complete },
                "{text}"
            );
        }
    }

    #[test]
    fn malformed_answer_is_not_an_empty_one() {
        for text in ["", "P|%1|1|0|||||x|y\n", "S|1:2|3.3a\nhello\n", "S|1:2|3.3a\nP|%1\n"] {
            assert!(matches!(parse_snapshot(text), Err(TmuxError::Garbled { .. })), "{text:?}");
        }
    }
}
