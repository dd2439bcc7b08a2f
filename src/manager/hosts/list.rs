//! Lists the agents of other machines, with all hosts queried in parallel. A host that does not answer in time does not
//! delay the list: its last known agents are shown and marked as stale.

use std::io::ErrorKind;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::error::{Code, Error, shown};
use crate::manager::hosts::Hosts;
use crate::manager::hosts::manage::{connection_error, remote_request};
use crate::manager::hosts::run::refuse_older;
use crate::model::{Host, HostName, RemoteFrame, RemoteHello, RemoteRequest, Replay, is_deceptive};
use crate::ssh::{FrameFlow, Interaction, LostConnection, RequestOutcome, RequestTimeouts, Ssh};
use crate::store::{RunFiles, StoredHosts};

/// Maximum size of a host's answer: more than a list of agents needs, and little enough to hold for all hosts at once.
pub(in crate::manager) const MAX_ANSWER_BYTES: usize = 16 << 20;

/// Maximum number of agents of a host: more than a machine has memory for.
pub(in crate::manager) const MAX_AGENTS: usize = 10_000;

/// Maximum number of lines that are shown of a remote error.
const MAX_LINES: usize = 8;
const MAX_LINE_CHARS: usize = 500;

/// A connection that is silent for this long may be dead: by then ssh itself has probed the other side.
const SILENCE_TIMEOUT: Duration = Duration::from_secs(5);

/// Default time limit for the answer of a host.
pub const HOST_TIMEOUT: Duration = Duration::from_secs(5);

/// Time limit for a host among several that did not answer within the last minute.
const RECENTLY_SILENT_HOST_TIMEOUT: Duration = Duration::from_secs(1);
const RECENT_SECS: i64 = 60;

/// After this delay the hosts that have not answered are reported to the user.
const WAITING_NOTICE_DELAY: Duration = Duration::from_secs(1);

/// The agents of one host.
#[derive(Debug)]
pub struct RemoteAgentList {
    /// The host that answered or was queried.
    pub host: HostName,
    /// The agents as the host reported them, with the added fields `host`, `stale` and `as_of`.
    pub agents: Vec<Value>,
    /// Time of the report, or `None` if the host never answered.
    pub as_of: Option<Timestamp>,
    /// Why the report is not current, if it is not.
    pub silence: Option<Error>,
}

/// The last answer of a host.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(in crate::manager) struct LastAnswer {
    format: u32,
    /// Time of the answer.
    #[serde(with = "crate::base::json_time")]
    pub as_of: Timestamp,
    /// The agents as the host reported them.
    pub agents: Vec<Value>,
}

/// The answer of one host.
pub(in crate::manager) type HostAnswer = Result<(RemoteHello, Vec<Value>), Error>;

impl Hosts<'_> {
    /// Returns all configured hosts.
    pub fn hosts(&self) -> Result<Vec<Host>, Error> {
        Ok(StoredHosts(&self.0.store).list()?)
    }

    /// Queries the hosts in parallel and returns their agents in the order of `hosts`. Calls `slow` with the hosts that
    /// have not answered after a while. Without a time limit, hosts that recently did not answer get less time.
    pub fn remote_agents(
        &self,
        hosts: &[Host],
        within: Option<Duration>,
        slow: &mut dyn FnMut(&[&HostName]),
    ) -> Result<Vec<RemoteAgentList>, Error> {
        let ssh = self.ssh()?;
        let timeout = |host: &Host| within.unwrap_or_else(|| self.timeout_for(&host.name));
        let times: Vec<Duration> = hosts.iter().map(timeout).collect();
        let deadline = Instant::now() + times.iter().max().copied().unwrap_or_default();
        let (sender, receiver) = mpsc::channel();
        for (at, (host, within)) in hosts.iter().cloned().zip(times.iter().copied()).enumerate() {
            let (ssh, sender) = (ssh.clone(), sender.clone());
            std::thread::spawn(move || {
                let answer = query_host(&ssh, &host, within);
                let is_silent = answer.as_ref().is_err_and(timed_out);
                let _ = sender.send((at, answer));
                // This runs after the answer was sent, so no caller waits for it. It closes a dead connection, which
                // would delay the next query. With a shorter time limit the connection is kept: it may only be slow,
                // and then it is ready for the next query.
                if is_silent && within >= SILENCE_TIMEOUT {
                    ssh.retire_connection(&host);
                }
            });
        }
        drop(sender);
        let mut answers: Vec<Option<HostAnswer>> = hosts.iter().map(|_| None).collect();
        // Slightly longer than each query's own limit, so that a query that ends just in time still reports its own
        // error.
        let last = deadline + Duration::from_millis(200);
        let mut next = last.min(Instant::now() + WAITING_NOTICE_DELAY);
        loop {
            match receiver.recv_timeout(next.saturating_duration_since(Instant::now())) {
                Ok((at, answer)) => answers[at] = Some(answer),
                Err(RecvTimeoutError::Timeout) if next < last => {
                    let missing = hosts.iter().zip(&answers).filter(|(_, answer)| answer.is_none());
                    slow(&missing.map(|(host, _)| &host.name).collect::<Vec<_>>());
                    next = last;
                }
                Err(_) => break,
            }
        }
        let timed_out = |host: &Host| {
            Err(connection_error(host, &LostConnection { timed_out: true, ..LostConnection::default() }))
        };
        let answers =
            hosts.iter().zip(answers).map(|(host, answer)| answer.unwrap_or_else(|| timed_out(host)));
        let answers: Vec<HostAnswer> = answers.collect();
        for ((host, answer), within) in hosts.iter().zip(&answers).zip(times) {
            self.note_silence(host, answer, within);
        }
        Ok(hosts.iter().zip(answers).map(|(host, answer)| self.listed(host, answer)).collect())
    }

    /// Returns the time limit for a host, so that a host that hangs does not delay every list.
    fn timeout_for(&self, host: &HostName) -> Duration {
        let silent =
            RunFiles(&self.0.store).read(&silence_file(host)).and_then(|text| String::from_utf8(text).ok());
        let since = silent.and_then(|text| text.parse::<Timestamp>().ok());
        let ago = since.map(|since| self.0.now().duration_since(since).as_secs());
        if ago.is_some_and(|ago| (0..RECENT_SECS).contains(&ago)) {
            RECENTLY_SILENT_HOST_TIMEOUT
        } else {
            HOST_TIMEOUT
        }
    }

    /// Records whether a host timed out. A timeout with a short limit is not recorded, because the host may only be
    /// slow.
    fn note_silence(&self, host: &Host, answer: &HostAnswer, within: Duration) {
        let file = silence_file(&host.name);
        let _ = match answer {
            Ok(_) => RunFiles(&self.0.store).remove(&file),
            Err(error) if timed_out(error) && within >= HOST_TIMEOUT => {
                RunFiles(&self.0.store).write(&file, self.0.now().to_string().as_bytes())
            }
            Err(_) => Ok(()),
        };
    }

    /// Returns the agents of a host from its answer, or else from its last answer.
    pub(in crate::manager) fn listed(&self, host: &Host, answer: HostAnswer) -> RemoteAgentList {
        let (known, silence) = match answer {
            Ok((hello, agents)) => {
                self.note_version(host, &hello.version);
                let known = LastAnswer { format: 1, as_of: self.0.now(), agents };
                let text = serde_json::to_vec(&known).unwrap_or_default();
                // Kept for a later query that the host does not answer.
                let _ = RunFiles(&self.0.store).write(&file(&host.name), &text);
                (Some(known), None)
            }
            Err(error) => (self.last_known(&host.name), Some(error)),
        };
        let as_of = known.as_ref().map(|known| known.as_of);
        let mut agents = known.map(|known| known.agents).unwrap_or_default();
        for agent in &mut agents {
            if let Value::Object(fields) = agent {
                fields.insert("host".into(), host.name.as_str().into());
                fields.insert("stale".into(), silence.is_some().into());
                fields.insert("as_of".into(), as_of.map(|at| at.to_string()).into());
            }
        }
        RemoteAgentList { host: host.name.clone(), agents, as_of, silence }
    }

    pub(in crate::manager) fn last_known(&self, host: &HostName) -> Option<LastAnswer> {
        serde_json::from_slice(&RunFiles(&self.0.store).read(&file(host))?).ok()
    }

    pub(in crate::manager) fn forget_last_known(&self, host: &HostName) -> Result<(), Error> {
        RunFiles(&self.0.store).remove(&silence_file(host))?;
        Ok(RunFiles(&self.0.store).remove(&file(host))?)
    }
}

/// Returns the message for a host whose answer exceeds the limit.
pub(in crate::manager) fn too_much(most: usize) -> String {
    format!("it sent more than {} MiB; its answer is not shown", most >> 20)
}

/// The name of the file with the last answer of a host. It must not be the name of an agent's lock.
fn file(host: &HostName) -> String {
    format!("host-{host}.json")
}

fn silence_file(host: &HostName) -> String {
    format!("host-{host}.silent")
}

/// Parses the error with which the remote symposium ended, if it reported one.
pub(in crate::manager) fn remote_error(host: &HostName, exit: u8, answers: &[u8]) -> Option<Error> {
    let answers = String::from_utf8_lossy(answers);
    let error = answers.lines().rev().find_map(|line| serde_json::from_str::<Value>(line).ok())?;
    let error = error.get("error")?;
    let texts = |key: &str| -> Vec<String> {
        let all = error.get(key).and_then(Value::as_array).into_iter().flatten();
        all.filter_map(Value::as_str).take(MAX_LINES).map(foreign_line).collect()
    };
    let message = foreign_line(error.get("message")?.as_str()?);
    Some(
        Error::new(Code::FailedOnHost(exit), format!("on `{host}`: {message}"))
            .saw_all(texts("saw"))
            .hint_all(texts("hints")),
    )
}

/// Sanitizes a line from another machine for this terminal.
pub(in crate::manager) fn foreign_line(text: &str) -> String {
    text.replace(is_deceptive, " ").chars().take(MAX_LINE_CHARS).collect()
}

fn query_host(ssh: &Ssh, host: &Host, within: Duration) -> HostAnswer {
    let words = ["--json", "agent", "list"].map(str::to_owned).to_vec();
    let request: RemoteRequest = remote_request(Replay::Any, words, 0);
    let bounds = RequestTimeouts { hello: within, whole: Some(within), asking: Interaction::Never };
    let (mut hello, mut out, mut err) = (None, Vec::new(), Vec::new());
    let exchanged = ssh.exchange(host, (&request, b""), bounds, &mut |frame| {
        match frame {
            RemoteFrame::Hello(greeting) => hello = Some(greeting),
            RemoteFrame::Out(bytes) => out.extend(bytes),
            RemoteFrame::Err(bytes) => err.extend(bytes),
            RemoteFrame::Alive | RemoteFrame::End(_) | RemoteFrame::Unknown => {}
        }
        if out.len() + err.len() > MAX_ANSWER_BYTES { FrameFlow::Stop } else { FrameFlow::Continue }
    })?;
    let unexpected = |what: &str| {
        Error::unexpected_answer(
            &host.name,
            std::iter::once(what.to_owned()).chain(String::from_utf8_lossy(&err).lines().take(4).map(shown)),
        )
    };
    match (exchanged, hello) {
        (RequestOutcome::Ended(exit), Some(hello)) => {
            refuse_older(host, &hello)?;
            match serde_json::from_slice::<Vec<Value>>(&out) {
                Ok(agents) if agents.len() > MAX_AGENTS => {
                    Err(unexpected(&format!("it listed more than {MAX_AGENTS} agents")))
                }
                Ok(agents) => Ok((hello, agents)),
                Err(_) => Err(remote_error(&host.name, exit, &err)
                    .unwrap_or_else(|| unexpected("it did not list its agents"))),
            }
        }
        (RequestOutcome::Lost(lost), _) => Err(connection_error(host, &lost)),
        (RequestOutcome::Stopped, _) => {
            Err(Error::unexpected_answer(&host.name, vec![too_much(MAX_ANSWER_BYTES)]))
        }
        (_, _) => Err(unexpected("it ended in the middle")),
    }
}

/// Returns whether a host did not answer in time.
fn timed_out(error: &Error) -> bool {
    error.io_kind() == Some(ErrorKind::TimedOut)
}
