//! The live screen of an agent on another machine. `symposium agent-screen` on the host sends a capture and then what
//! the agent prints; this side receives it.
//!
//! The parts have a head line with a word and a length: `screen N` precedes a capture as JSON, `output N` precedes
//! bytes that the agent has printed. Captures are repeated when the output pauses, because a capture and the output
//! are not synchronised.

use std::io::Write;

use crate::error::Error;
use crate::manager::hosts::Hosts;
use crate::manager::hosts::list::remote_error;
use crate::manager::hosts::manage::{HELLO, connection_error, remote_request};
use crate::manager::hosts::run::refuse_older;
use crate::manager::terminal::{AgentScreens, CaptureHistory, ScreenPart, ScreenSignals};
use crate::model::{AgentName, HostName, RemoteFrame, Replay};
use crate::ssh::{FrameFlow, Interaction, RequestOutcome, RequestTimeouts};
use crate::tmux::PaneScreen;

/// Maximum size of a part: more than a capture of the largest screen with its history.
const MAX_PART_BYTES: usize = 8 << 20;
/// Maximum number of columns and of lines of a screen. The emulator allocates memory for each cell.
const MAX_SIDE: u16 = 1000;
/// Exit code of a symposium that does not know the command.
const USAGE: u8 = 2;

impl Hosts<'_> {
    /// Writes the screen of an agent of this machine and everything that it prints, until the agent has no screen any
    /// more or the reader is gone.
    pub fn send_screen(&self, name: &AgentName, history: usize, out: &mut dyn Write) -> Result<(), Error> {
        let history = CaptureHistory { whole: history, check: history };
        let (_, signals) = ScreenSignals::new();
        AgentScreens(self.0).follow_parts(name, history, signals, &mut |part| {
            match part {
                ScreenPart::Screen(capture) | ScreenPart::Check(capture) => {
                    send(out, "screen", &serde_json::to_vec(&capture).unwrap_or_default())?;
                }
                ScreenPart::Output(bytes) => send(out, "output", &bytes)?,
                ScreenPart::Alive => {}
            }
            Ok(FrameFlow::Continue)
        })
    }

    /// Receives the live screen of an agent on another machine until `each` returns [`FrameFlow::Stop`] or the
    /// connection ends.
    pub fn receive_screen(
        &self,
        host: &HostName,
        (name, history): (&AgentName, usize),
        each: &mut dyn FnMut(ScreenPart) -> FrameFlow,
    ) -> Result<(), Error> {
        let host = self.host(host)?;
        let words = ["--json", "agent-screen", "--history"].map(str::to_owned).to_vec();
        let argv = [words, vec![history.to_string(), name.to_string()]].concat();
        let request = remote_request(Replay::Any, argv, 0);
        let bounds = RequestTimeouts { hello: HELLO, whole: None, asking: Interaction::Never };
        let (mut hello, mut pending, mut err, mut is_garbled) = (None, Vec::new(), Vec::new(), false);
        let outcome = self.ssh()?.exchange(&host, (&request, b""), bounds, &mut |frame| match frame {
            RemoteFrame::Hello(greeting) => {
                hello = Some(greeting);
                FrameFlow::Continue
            }
            RemoteFrame::Out(bytes) => {
                pending.extend(bytes);
                loop {
                    match next_part(&mut pending) {
                        Ok(Some(part)) => {
                            if each(part) == FrameFlow::Stop {
                                return FrameFlow::Stop;
                            }
                        }
                        Ok(None) => return each(ScreenPart::Alive),
                        Err(()) => {
                            is_garbled = true;
                            return FrameFlow::Stop;
                        }
                    }
                }
            }
            RemoteFrame::Err(bytes) => {
                err.extend(bytes);
                err.truncate(MAX_PART_BYTES);
                each(ScreenPart::Alive)
            }
            RemoteFrame::Alive | RemoteFrame::End(_) | RemoteFrame::Unknown => each(ScreenPart::Alive),
        })?;
        if let Some(hello) = &hello {
            refuse_older(&host, hello)?;
        }
        let version = hello.map(|hello| hello.version);
        match outcome {
            _ if is_garbled => {
                Err(Error::unexpected_answer(&host.name, vec!["it did not send a screen".to_owned()]))
            }
            RequestOutcome::Ended(0) | RequestOutcome::Stopped => Ok(()),
            RequestOutcome::Ended(USAGE) => Err(Error::host_older(&host.name, version.as_deref())),
            RequestOutcome::Ended(code) => Err(remote_error(&host.name, code, &err)
                .unwrap_or_else(|| Error::unexpected_answer(&host.name, vec![]))),
            RequestOutcome::Unknown => Err(Error::outcome_unknown(&host.name, None)),
            RequestOutcome::Lost(lost) => Err(connection_error(&host, &lost)),
        }
    }
}

fn send(out: &mut dyn Write, word: &str, bytes: &[u8]) -> Result<(), Error> {
    let written = writeln!(out, "{word} {}", bytes.len()).and_then(|()| out.write_all(bytes));
    written.and_then(|()| out.flush()).map_err(Error::io("cannot send the screen"))
}

/// Takes the first complete part from the bytes that have arrived. Fails on bytes that are no part.
fn next_part(pending: &mut Vec<u8>) -> Result<Option<ScreenPart>, ()> {
    const MAX_HEAD_BYTES: usize = 32;
    let Some(end) = pending.iter().position(|byte| *byte == b'\n') else {
        return if pending.len() > MAX_HEAD_BYTES { Err(()) } else { Ok(None) };
    };
    let head = std::str::from_utf8(&pending[..end]).map_err(drop)?;
    let (word, length) = head.split_once(' ').ok_or(())?;
    let length: usize = length.parse().map_err(drop)?;
    if length > MAX_PART_BYTES || !matches!(word, "screen" | "output") {
        return Err(());
    }
    let whole = end + 1 + length;
    if pending.len() < whole {
        return Ok(None);
    }
    let is_screen = word == "screen";
    let body: Vec<u8> = pending.drain(..whole).skip(end + 1).collect();
    if !is_screen {
        return Ok(Some(ScreenPart::Output(body)));
    }
    let screen: PaneScreen = serde_json::from_slice(&body).map_err(drop)?;
    match screen.width <= MAX_SIDE && screen.height <= MAX_SIDE {
        true => Ok(Some(ScreenPart::Screen(screen))),
        false => Err(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn screen(width: u16) -> PaneScreen {
        PaneScreen {
            width,
            height: 2,
            cursor: (1, 0),
            has_cursor: true,
            alternate: false,
            history: vec!["old".into()],
            lines: vec!["\x1b[31mred".into(), String::new()],
        }
    }

    #[test]
    fn parts_arrive_whole_also_if_they_are_split() {
        let mut sent = Vec::new();
        send(&mut sent, "screen", &serde_json::to_vec(&screen(80)).unwrap()).unwrap();
        send(&mut sent, "output", b"a\nb").unwrap();
        let (mut pending, mut parts) = (Vec::new(), Vec::new());
        for byte in sent {
            pending.push(byte);
            parts.extend(next_part(&mut pending).unwrap());
        }
        assert_eq!(parts, [ScreenPart::Screen(screen(80)), ScreenPart::Output(b"a\nb".to_vec())]);
        assert!(pending.is_empty());
    }

    #[test]
    fn a_host_cannot_make_this_side_allocate_without_limit() {
        let mut huge = Vec::new();
        send(&mut huge, "screen", &serde_json::to_vec(&screen(60_000)).unwrap()).unwrap();
        for bytes in [huge, b"output 999999999999\n".to_vec(), b"nonsense\n".to_vec(), vec![b'x'; 64]] {
            assert_eq!(next_part(&mut bytes.clone()), Err(()));
        }
    }
}
