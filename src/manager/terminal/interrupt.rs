//! `agent interrupt`: stops the current turn of an agent with the kind's interrupt keys, and verifies that it stopped.

use std::time::{Duration, Instant};

use crate::error::{Error, TypedText};
use crate::manager::status::{AgentEvidence, AgentLookup, ScreenObserver};
use crate::manager::terminal::AgentInput;
use crate::model::{AgentName, AgentRecord, Kind, ScreenReading, ScreenState, Status};
use crate::rules::status::from_screen::StatusSource;
use crate::store::Watches;

/// How long a turn may take to stop.
const INTERRUPT_TIMEOUT: Duration = Duration::from_secs(5);
/// Interval between two checks if no event reports a change.
const SCREEN_CHECK_INTERVAL: Duration = Duration::from_millis(100);
/// How long a turn that hooks have reported may take to appear on the screen. Claude Code on a busy machine needed more
/// than one second, and a key that is pressed before that may have no effect.
const TURN_VISIBLE_TIMEOUT: Duration = Duration::from_secs(4);
/// How long the screen must be unchanged to count as completely drawn.
const QUIET_TIME: Duration = Duration::from_millis(200);
/// The same limit for a turn that has just begun. Claude Code puts an unanswered prompt back into the input line some
/// frames after it shows the end of the turn, and a busy machine draws these frames late.
const NEW_TURN_QUIET_TIME: Duration = Duration::from_millis(1500);
/// Number of seconds for which a turn counts as having just begun.
const NEW_TURN_SECS: i64 = 30;

/// The result of an interrupt.
#[derive(Debug)]
pub struct Interrupted {
    /// The keys that were pressed.
    pub keys: Vec<String>,
    /// The evidence that the turn stopped, or `None` if the kind has no screen patterns.
    pub seen: Option<&'static str>,
    /// The prompt that the agent CLI had put back into its input line and that was removed from there, because the next
    /// prompt would be appended to it.
    pub put_back: Option<String>,
}

impl AgentInput<'_> {
    /// Presses the kind's interrupt keys, or `C-c` if it has none.
    pub fn interrupt(&self, name: &AgentName) -> Result<Interrupted, Error> {
        let agent = AgentLookup(self.0).running(name, "interrupt")?;
        let kind = self.0.kinds()?.get(&agent.kind).cloned().unwrap_or_default();
        let keys = match kind.interrupt_keys.as_slice() {
            [] => vec!["C-c".to_owned()],
            keys => keys.to_vec(),
        };
        let pane = agent.tmux.map(|tmux| tmux.pane).unwrap_or_default();
        let record = self.0.record(name, "interrupt")?;
        let before = self.reading_at_work(&record, &kind)?;
        if let Some(ScreenState::Setup(line)) = before.state {
            return Err(Error::not_confirmed(
                name,
                "it shows a first-run question, which the key would answer; nothing was pressed",
                TypedText::Nothing,
            )
            .saw(line));
        }
        self.0.tmux()?.keys(&pane, &keys)?;
        if kind.screen.busy.is_empty() {
            return Ok(Interrupted { keys, seen: None, put_back: None });
        }
        let seen = Some(self.until_stopped(&record, &kind)?);
        // Earlier text in the input line is a user's draft, unless it is the prompt of this turn.
        let is_own = |draft: &String| {
            AgentEvidence(self.0).reported_prompt(name).is_some_and(|prompt| prompt.text == *draft)
        };
        let put_back = match before.draft.filter(|draft| !is_own(draft)) {
            None if !kind.clear_keys.is_empty() => self.clear_input(&record, &kind, &pane)?,
            _ => None,
        };
        Ok(Interrupted { keys, seen, put_back })
    }

    /// Reads the screen of a working agent, and waits until it shows the work. A hook reports a turn slightly earlier,
    /// when the prompt is still in the input line and looks like a user's draft.
    fn reading_at_work(&self, record: &AgentRecord, kind: &Kind) -> Result<ScreenReading, Error> {
        let watch = Watches(&self.0.store).instance(&record.name)?;
        let begun = Instant::now();
        loop {
            let reading = ScreenObserver(self.0).reading(record, kind)?;
            let at_prompt = reading.state.as_ref().is_some_and(ScreenState::is_at_prompt);
            let is_late = record.status.status == Status::Working && at_prompt;
            if !is_late || kind.screen.busy.is_empty() || begun.elapsed() > TURN_VISIBLE_TIMEOUT {
                return Ok(reading);
            }
            watch.changed(SCREEN_CHECK_INTERVAL);
        }
    }

    /// Clears the input line if it contains text or gets some in the next moment. Returns the removed text.
    fn clear_input(&self, record: &AgentRecord, kind: &Kind, pane: &str) -> Result<Option<String>, Error> {
        let watch = Watches(&self.0.store).instance(&record.name)?;
        let begun = Instant::now();
        let worked = self.0.now().duration_since(record.status.since).as_secs();
        let quiet = if worked < NEW_TURN_SECS { NEW_TURN_QUIET_TIME } else { QUIET_TIME };
        let draft = loop {
            match ScreenObserver(self.0).reading(record, kind)?.draft {
                Some(draft) => break draft,
                None if !watch.changed(quiet) || begun.elapsed() > INTERRUPT_TIMEOUT => return Ok(None),
                None => {}
            }
        };
        self.0.tmux()?.keys(pane, &kind.clear_keys)?;
        let begun = Instant::now();
        while ScreenObserver(self.0).reading(record, kind)?.draft.is_some() {
            if begun.elapsed() > INTERRUPT_TIMEOUT {
                return Err(Error::not_confirmed(
                    &record.name,
                    "its turn has stopped, and it has put the prompt back into its input line",
                    TypedText::Something,
                )
                .saw(draft));
            }
            watch.changed(SCREEN_CHECK_INTERVAL);
        }
        Ok(Some(draft))
    }

    /// Waits until the screen no longer shows work. No hook reports an interrupted turn.
    fn until_stopped(&self, record: &AgentRecord, kind: &Kind) -> Result<&'static str, Error> {
        let watch = Watches(&self.0.store).instance(&record.name)?;
        let begun = Instant::now();
        let mut last;
        loop {
            let now = self.0.record(&record.name, "interrupt")?;
            match ScreenObserver(self.0).reading(&now, kind)?.state {
                Some(ScreenState::Ready | ScreenState::Failed(_)) => {
                    let now = ScreenObserver(self.0).note_interrupted(&now)?;
                    if AgentEvidence(self.0).status_source(&now.name, kind) != StatusSource::Hooks {
                        ScreenObserver(self.0).rearm(&now);
                    }
                    return Ok("it is back at its prompt");
                }
                Some(ScreenState::Busy) => last = "its screen still shows that it is working",
                None => last = "its screen shows no known state",
                Some(_) => last = "it shows a dialog",
            }
            if begun.elapsed() > INTERRUPT_TIMEOUT {
                return Err(Error::not_confirmed(&record.name, last, TypedText::Something)
                    .saw_all(AgentEvidence(self.0).last_lines(record)));
            }
            watch.changed(SCREEN_CHECK_INTERVAL);
        }
    }
}
