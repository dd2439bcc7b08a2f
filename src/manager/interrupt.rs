//! `agent interrupt`: stops the turn an agent is in, by its own key for that, and makes sure that it stopped.

use std::time::{Duration, Instant};

use super::Manager;
use crate::error::{Error, Typed};
use crate::model::{AgentName, AgentRecord, Kind, ScreenState};
use crate::rules::screen::ToldBy;

/// How long a turn may take to stop.
const EFFECT: Duration = Duration::from_secs(5);
/// Between two looks when no event says that something changed.
const BETWEEN_LOOKS: Duration = Duration::from_millis(100);

/// A turn that was stopped.
#[derive(Debug)]
pub struct Interrupted {
    /// What was pressed.
    pub keys: Vec<String>,
    /// By what it is known that it stopped; none for a program whose screen nobody knows.
    pub seen: Option<&'static str>,
}

impl Manager {
    /// Presses the kind's interrupt keys, `C-c` for a plain command.
    pub fn interrupt(&self, name: &AgentName) -> Result<Interrupted, Error> {
        let agent = self.running(name, "interrupt")?;
        let kind = self.kinds()?.get(&agent.kind).cloned().unwrap_or_default();
        let keys = match kind.interrupt_keys.as_slice() {
            [] => vec!["C-c".to_owned()],
            keys => keys.to_vec(),
        };
        let pane = agent.tmux.map(|tmux| tmux.pane).unwrap_or_default();
        let record = self.record(name, "interrupt")?;
        if let Some(ScreenState::Setup(line)) = self.reading(&record, &kind)?.state {
            return Err(Error::NotConfirmed {
                name: name.clone(),
                why: "it stands at a first-run question, which the key would answer; nothing was pressed"
                    .into(),
                saw: vec![line],
                typed: Typed::Nothing,
            });
        }
        self.tmux()?.keys(&pane, &keys)?;
        let seen = match kind.screen.busy.is_empty() {
            true => None,
            false => Some(self.until_stopped(&record, &kind)?),
        };
        Ok(Interrupted { keys, seen })
    }

    /// Waits until the screen no longer shows work. No hook tells of a turn that was interrupted.
    fn until_stopped(&self, record: &AgentRecord, kind: &Kind) -> Result<&'static str, Error> {
        let watch = self.store.watch_instance(&record.name)?;
        let begun = Instant::now();
        let mut last;
        loop {
            let now = self.record(&record.name, "interrupt")?;
            match self.reading(&now, kind)?.state {
                Some(ScreenState::Ready) => {
                    let now = self.note_interrupted(&now)?;
                    if self.told_by(&now.name, kind) != ToldBy::Hooks {
                        self.rearm(&now);
                    }
                    return Ok("it is back at its prompt");
                }
                Some(ScreenState::Busy) => last = "its screen still shows that it works",
                None => last = "its screen shows nothing we know",
                Some(_) => last = "it shows a dialog",
            }
            if begun.elapsed() > EFFECT {
                return Err(Error::NotConfirmed {
                    name: record.name.clone(),
                    why: last.into(),
                    saw: self.last_lines(record),
                    typed: Typed::Something,
                });
            }
            watch.changed(BETWEEN_LOOKS);
        }
    }
}
