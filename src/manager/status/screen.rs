//! Reads the screen of an agent when output starts, stops or rings the bell, and records the resulting status.

use jiff::SignedDuration;
use jiff::tz::TimeZone;

use crate::error::Error;
use crate::kinds;
use crate::manager::registry::RegistryWriter;
use crate::manager::status::evidence::LAST_WORDS_FILE;
use crate::manager::status::{AgentEvidence, AgentLookup, ScreenObserver, StatusTracker};
use crate::model::{Agent, AgentRecord, Kind, OutputChange, ScreenReading, ScreenState, Status};
use crate::rules::status::decide::{Evidence, PLAIN_COMMAND, decide};
use crate::rules::status::from_hook::one_line;
use crate::rules::status::from_screen::{
    ScreenObservation, StatusSource, is_fresh, may_precede_dialog, may_still_speak,
};
use crate::rules::status::reset_time::reset_time;
use crate::tmux::Capture;

/// How long after the end of a turn a late screen reading may still have shown work.
const LATE_READING_SPAN: SignedDuration = SignedDuration::from_secs(3);

impl ScreenObserver<'_> {
    /// Handles a change of output activity: reads the screen of the agent that the session belongs to.
    pub(in crate::manager) fn output_changed(&self, session: &str, edge: OutputChange) -> Result<(), Error> {
        let Some(record) = AgentLookup(self.0).of_session(session)? else { return Ok(()) };
        if record.kind == PLAIN_COMMAND || !record.status.status.is_live() {
            return Ok(());
        }
        let kind = self.0.kind_of(&record)?;
        let reading = self.reading(&record, &kind)?;
        let status_source = AgentEvidence(self.0).status_source(&record.name, &kind);
        let observation = ScreenObservation { state: reading.state.as_ref(), edge, status_source };
        if may_precede_dialog(&record.status, observation, self.0.now()) {
            self.rearm(&record);
            return Ok(());
        }
        let now = self.note_reading(&record, observation)?;
        if edge == OutputChange::Activity && needs_another(&now, status_source) {
            self.rearm(&now);
        }
        let is_early =
            is_fresh(&now.status, self.0.now()) || may_still_speak(&now.status, status_source, self.0.now());
        if edge == OutputChange::Silence && is_early {
            // No other event would report a turn that was interrupted as soon as it began, or a start without output.
            self.rearm_silence(&now);
        }
        Ok(())
    }

    /// Reads the screens of agents whose status comes from the screen only, for a tmux event that never arrived: an
    /// agent that rewrites its title every second is never silent.
    pub fn read_screens(&self, agents: &[Agent]) -> Result<(), Error> {
        let kinds = self.0.kinds()?;
        for agent in agents.iter().filter(|agent| agent.status.is_live() && agent.tmux.is_some()) {
            let Some(kind) = kinds.get(&agent.kind).filter(|_| agent.kind != PLAIN_COMMAND) else {
                continue;
            };
            if AgentEvidence(self.0).status_source(&agent.name, kind) != StatusSource::Hooks {
                let record = self.0.record(&agent.name, "look at")?;
                let reading = self.reading(&record, kind)?;
                // Not treated as silence, because the agent may be printing at this moment.
                let observation = ScreenObservation {
                    state: reading.state.as_ref(),
                    edge: OutputChange::Activity,
                    status_source: StatusSource::Hooks,
                };
                self.note_reading(&record, observation)?;
            }
        }
        Ok(())
    }

    /// Returns what an agent's screen shows now.
    pub(in crate::manager) fn reading(
        &self,
        record: &AgentRecord,
        kind: &Kind,
    ) -> Result<ScreenReading, Error> {
        let pane = record.tmux.as_ref().map(|location| location.pane.as_str()).unwrap_or_default();
        let mut reading = kinds::read_screen(kind, &self.0.tmux()?.capture(pane, Capture::ScreenStyled)?);
        if let Some(ScreenState::Failed(failure)) = &mut reading.state {
            failure.resets_at = reset_time(&failure.message, self.0.now(), &TimeZone::system());
        }
        Ok(reading)
    }

    /// Records the result of a screen observation. Returns the updated record.
    pub(in crate::manager) fn note_reading(
        &self,
        record: &AgentRecord,
        observation: ScreenObservation<'_>,
    ) -> Result<AgentRecord, Error> {
        self.note_seen(record, Evidence::Screen(observation))
    }

    /// Records that the turn was interrupted on request. Returns the updated record.
    pub(in crate::manager) fn note_interrupted(&self, record: &AgentRecord) -> Result<AgentRecord, Error> {
        self.note_seen(record, Evidence::Interrupted)
    }

    fn note_seen(&self, record: &AgentRecord, evidence: Evidence<'_>) -> Result<AgentRecord, Error> {
        let moved = |record: &AgentRecord| {
            let decision = decide(record, evidence, self.0.now());
            (decision.note != record.status).then_some(decision)
        };
        // The exit keys end the turn first; an agent that is back at its prompt because of them is not done with its
        // task.
        if moved(record).is_none() || StatusTracker(self.0).is_being_ended(record) {
            return Ok(record.clone());
        }
        let is_unreported = || {
            self.0.kind_of(record).is_ok_and(|kind| {
                AgentEvidence(self.0).status_source(&record.name, &kind) == StatusSource::HooksSilent
            })
        };
        let written = RegistryWriter(self.0).write(|edit| {
            let mut now = edit.get(&record.name).ok().flatten()?;
            // A report that arrived after the screen was read is newer than the screen.
            if now.status != record.status {
                return None;
            }
            let decision = moved(&now)?;
            let is_over = decision.note.status == Status::Idle && matches!(evidence, Evidence::Screen(_));
            let words = is_over.then(|| self.words_of_turn(&now)).flatten();
            now.conversation.begun |= decision.note.status == Status::Working && is_unreported();
            now.status = decision.note;
            if let Some(words) = words {
                now.status.reason = words;
            }
            now.exit = decision.exit;
            Some(edit.put(now))
        })?;
        let Some(now) = written else { return Ok(record.clone()) };
        // For an agent CLI that does not report prompts, only this shows that it accepted its initial prompt.
        if matches!(now.status.status, Status::Working | Status::Idle)
            && self.0.kind_of(&now).is_ok_and(|kind| {
                match AgentEvidence(self.0).status_source(&now.name, &kind) {
                    StatusSource::Screen => true,
                    // The agent may be at its prompt for a moment before it accepts its initial prompt.
                    StatusSource::HooksSilent => now.status.status == Status::Working,
                    StatusSource::Hooks => false,
                }
            })
        {
            RegistryWriter(self.0).forget_initial_prompt(&now.name);
        }
        StatusTracker(self.0).show_status(&now);
        Ok(now)
    }

    /// Returns the last message of a turn that a hook reported as over while a late screen reading still showed work.
    fn words_of_turn(&self, record: &AgentRecord) -> Option<String> {
        let instance = self.0.store.instance(&record.name);
        let begun = record.status.since.checked_sub(LATE_READING_SPAN).ok()?;
        instance.state_written(LAST_WORDS_FILE).filter(|replied_at| *replied_at >= begun)?;
        let words = String::from_utf8(instance.read_state(LAST_WORDS_FILE).ok()??).ok()?;
        Some(one_line(&words)).filter(|words| !words.is_empty())
    }

    /// Makes tmux report the next silence again.
    fn rearm_silence(&self, record: &AgentRecord) {
        if let (Ok(tmux), Some(location)) = (self.0.tmux(), &record.tmux) {
            let _ = tmux.rearm_silence(&location.pane);
        }
    }

    /// Makes tmux report the next output.
    pub(in crate::manager) fn rearm(&self, record: &AgentRecord) {
        if let (Ok(tmux), Some(location)) = (self.0.tmux(), &record.tmux) {
            let _ = tmux.rearm_activity(&location.pane);
        }
    }
}

/// Returns whether the next output may be the beginning of work that no other event reports.
fn needs_another(record: &AgentRecord, status_source: StatusSource) -> bool {
    // OpenCode draws a spinner while it waits for a rate limit, and a hook reports when it continues.
    if record.status.failure().is_some_and(|failure| failure.paused) {
        return false;
    }
    match (record.status.status, status_source) {
        (Status::Working, _) => false,
        (Status::Waiting | Status::Starting, _) => true,
        (_, StatusSource::Screen | StatusSource::HooksSilent) => true,
        (_, StatusSource::Hooks) => false,
    }
}
