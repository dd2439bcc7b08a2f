//! `agent interrupt`: stops the turn an agent is in, by its own key for that, and makes sure that it stopped.

use crate::manager::status::StatusTracker;
use crate::manager::terminal::Terminals;
use std::time::{Duration, Instant};

use crate::env::Env;
use crate::error::{Error, Typed};
use crate::model::{AgentName, AgentRecord, Kind, ScreenReading, ScreenState, Status};
use crate::rules::status::from_screen::ToldBy;

/// How long a turn may take to stop.
const EFFECT: Duration = Duration::from_secs(5);
/// Between two looks when no event says that something changed.
const BETWEEN_LOOKS: Duration = Duration::from_millis(100);
/// How long a turn that hooks have told of may take to be on the screen: Claude Code on a busy machine needed more than one
/// second, and a key that is pressed before is not known to have been heard.
const SHOWN: Duration = Duration::from_secs(4);
/// A screen that was drawn and has not changed for so long is all there.
const QUIET: Duration = Duration::from_millis(200);
/// The same of a turn that had just begun: Claude Code gives a prompt back that nothing was answered to yet, some frames after
/// it shows that the turn is over, and on a busy machine those take their time.
const QUIET_AT_FIRST: Duration = Duration::from_millis(1500);
/// So long a turn is one that has just begun.
const AT_FIRST: i64 = 30;

/// A turn that was stopped.
#[derive(Debug)]
pub struct Interrupted {
    /// What was pressed.
    pub keys: Vec<String>,
    /// By what it is known that it stopped; none for a program whose screen nobody knows.
    pub seen: Option<&'static str>,
    /// The prompt that it had given back, and that was taken out of its input line: the next one would join it.
    pub put_back: Option<String>,
}

impl Terminals<'_> {
    /// Presses the kind's interrupt keys, `C-c` for a plain command.
    pub fn interrupt(&self, name: &AgentName) -> Result<Interrupted, Error> {
        let agent = StatusTracker(self.0).running(name, "interrupt")?;
        let kind = self.0.kinds()?.get(&agent.kind).cloned().unwrap_or_default();
        let keys = match kind.interrupt_keys.as_slice() {
            [] => vec!["C-c".to_owned()],
            keys => keys.to_vec(),
        };
        let pane = agent.tmux.map(|tmux| tmux.pane).unwrap_or_default();
        let record = self.0.record(name, "interrupt")?;
        let before = self.reading_at_work(&record, &kind)?;
        if let Some(ScreenState::Setup(line)) = before.state {
            return Err(Error::NotConfirmed {
                name: name.clone(),
                why: "it stands at a first-run question, which the key would answer; nothing was pressed"
                    .into(),
                saw: vec![line],
                typed: Typed::Nothing,
            });
        }
        self.0.tmux()?.keys(&pane, &keys)?;
        if kind.screen.busy.is_empty() {
            return Ok(Interrupted { keys, seen: None, put_back: None });
        }
        let seen = Some(self.until_stopped(&record, &kind)?);
        // What stood there before is somebody's draft, unless it is what the turn is about.
        let is_own = |draft: &String| {
            StatusTracker(self.0).heard_prompt(name).is_some_and(|heard| heard.text == *draft)
        };
        let put_back = match before.draft.filter(|draft| !is_own(draft)) {
            None if !kind.clear_keys.is_empty() => self.clear_input(&record, &kind, &pane)?,
            _ => None,
        };
        Ok(Interrupted { keys, seen, put_back })
    }

    /// The screen of one that works, when it shows that: a hook tells of a turn a moment earlier, while the prompt still
    /// stands in the input line and looks like somebody's draft.
    fn reading_at_work(&self, record: &AgentRecord, kind: &Kind) -> Result<ScreenReading, Error> {
        let watch = self.0.store.watch_instance(&record.name)?;
        let begun = Instant::now();
        loop {
            let reading = StatusTracker(self.0).reading(record, kind)?;
            let at_prompt = reading.state.as_ref().is_some_and(ScreenState::is_at_prompt);
            let is_late = record.status.status == Status::Working && at_prompt;
            if !is_late || kind.screen.busy.is_empty() || begun.elapsed() > SHOWN {
                return Ok(reading);
            }
            watch.changed(BETWEEN_LOOKS);
        }
    }

    /// Empties the input line when something stands there, or is put there in the next moment; says what that was.
    fn clear_input(&self, record: &AgentRecord, kind: &Kind, pane: &str) -> Result<Option<String>, Error> {
        let watch = self.0.store.watch_instance(&record.name)?;
        let begun = Instant::now();
        let worked = Env::now().duration_since(record.status.since).as_secs();
        let quiet = if worked < AT_FIRST { QUIET_AT_FIRST } else { QUIET };
        let draft = loop {
            match StatusTracker(self.0).reading(record, kind)?.draft {
                Some(draft) => break draft,
                None if !watch.changed(quiet) || begun.elapsed() > EFFECT => return Ok(None),
                None => {}
            }
        };
        self.0.tmux()?.keys(pane, &kind.clear_keys)?;
        let begun = Instant::now();
        while StatusTracker(self.0).reading(record, kind)?.draft.is_some() {
            if begun.elapsed() > EFFECT {
                return Err(Error::NotConfirmed {
                    name: record.name.clone(),
                    why: "its turn has stopped, and it has put the prompt back into its input line".into(),
                    saw: vec![draft],
                    typed: Typed::Something,
                });
            }
            watch.changed(BETWEEN_LOOKS);
        }
        Ok(Some(draft))
    }

    /// Waits until the screen no longer shows work. No hook tells of a turn that was interrupted.
    fn until_stopped(&self, record: &AgentRecord, kind: &Kind) -> Result<&'static str, Error> {
        let watch = self.0.store.watch_instance(&record.name)?;
        let begun = Instant::now();
        let mut last;
        loop {
            let now = self.0.record(&record.name, "interrupt")?;
            match StatusTracker(self.0).reading(&now, kind)?.state {
                Some(ScreenState::Ready | ScreenState::Failed(_)) => {
                    let now = StatusTracker(self.0).note_interrupted(&now)?;
                    if StatusTracker(self.0).told_by(&now.name, kind) != ToldBy::Hooks {
                        StatusTracker(self.0).rearm(&now);
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
                    saw: StatusTracker(self.0).last_lines(record),
                    typed: Typed::Something,
                });
            }
            watch.changed(BETWEEN_LOOKS);
        }
    }
}
