//! The agents of one host after every change: `agent list --watch` there, over one connection.

use serde_json::Value;

use crate::error::{Code, Error};
use crate::manager::hosts::Hosts;
use crate::manager::hosts::list::{MAX_AGENTS, MAX_ANSWER_BYTES, RemoteAgentList, remote_error, too_much};
use crate::manager::hosts::manage::{HELLO, connection_error, remote_request};
use crate::manager::hosts::run::refuse_older;
use crate::model::{Host, HostName, RemoteFrame, Replay};
use crate::ssh::{FrameFlow, Interaction, RequestOutcome, RequestTimeouts};

impl Hosts<'_> {
    /// Returns the last known agents of a host, without asking it.
    pub fn last_known_agents(&self, host: &Host) -> RemoteAgentList {
        let connecting = format!("connecting to host `{}`", host.name);
        self.listed(host, Err(Error::new(Code::HostUnreachable, connecting)))
    }

    /// Follows the agents of a host until `each` returns [`FrameFlow::Stop`] or the connection ends. Calls `each` with
    /// every list, and every few seconds with `None` while nothing changes.
    pub fn watch_agents(
        &self,
        name: &HostName,
        each: &mut dyn FnMut(Option<RemoteAgentList>) -> FrameFlow,
    ) -> Result<(), Error> {
        let host = self.host(name)?;
        let words = ["--json", "agent", "list", "--watch"].map(str::to_owned).to_vec();
        let request = remote_request(Replay::Any, words, 0);
        let bounds = RequestTimeouts { hello: HELLO, whole: None, asking: Interaction::Never };
        let (mut hello, mut pending, mut err, mut wrong) = (None, Vec::new(), Vec::new(), None);
        let outcome = self.ssh()?.exchange(&host, (&request, b""), bounds, &mut |frame| match frame {
            RemoteFrame::Hello(greeting) => {
                hello = Some(greeting);
                each(None)
            }
            RemoteFrame::Out(bytes) => {
                pending.extend(bytes);
                // Only the newest list counts.
                let Some(line) = last_line(&mut pending) else {
                    let is_too_long = pending.len() > MAX_ANSWER_BYTES;
                    wrong = is_too_long.then(|| too_much(MAX_ANSWER_BYTES));
                    return if is_too_long { FrameFlow::Stop } else { each(None) };
                };
                match (serde_json::from_slice::<Vec<Value>>(&line), &hello) {
                    (Ok(agents), Some(hello)) if agents.len() <= MAX_AGENTS => {
                        each(Some(self.listed(&host, Ok((hello.clone(), agents)))))
                    }
                    _ => {
                        wrong = Some("it did not list its agents".to_owned());
                        FrameFlow::Stop
                    }
                }
            }
            RemoteFrame::Err(bytes) => {
                err.extend(bytes);
                err.truncate(MAX_ANSWER_BYTES);
                each(None)
            }
            RemoteFrame::Alive | RemoteFrame::End(_) | RemoteFrame::Unknown => each(None),
        })?;
        if let Some(hello) = &hello {
            refuse_older(&host, hello)?;
        }
        match (outcome, wrong) {
            (_, Some(wrong)) => Err(Error::unexpected_answer(name, vec![wrong])),
            (RequestOutcome::Stopped | RequestOutcome::Ended(0), None) => Ok(()),
            (RequestOutcome::Lost(lost), None) => Err(connection_error(&host, &lost)),
            (RequestOutcome::Ended(code), None) => {
                Err(remote_error(name, code, &err).unwrap_or_else(|| Error::unexpected_answer(name, vec![])))
            }
            (RequestOutcome::Unknown, None) => Err(Error::outcome_unknown(name, None)),
        }
    }
}

/// Takes all complete lines from the bytes that have arrived, and returns the last one.
fn last_line(pending: &mut Vec<u8>) -> Option<Vec<u8>> {
    let end = pending.iter().rposition(|byte| *byte == b'\n')?;
    let rest = pending.split_off(end + 1);
    let lines = std::mem::replace(pending, rest);
    lines[..end].rsplit(|byte| *byte == b'\n').next().map(<[u8]>::to_vec)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_complete_line_counts() {
        for (arrived, expected, rest) in [
            ("[1]", None, "[1]"),
            ("[1]\n", Some("[1]"), ""),
            ("[1]\n[2]\n[3", Some("[2]"), "[3"),
            ("\n", Some(""), ""),
        ] {
            let mut pending = arrived.as_bytes().to_vec();
            assert_eq!(last_line(&mut pending).as_deref(), expected.map(str::as_bytes), "{arrived:?}");
            assert_eq!(pending, rest.as_bytes());
        }
    }
}
