//! `symposium event`: receives the events of tmux and of the agents' hooks.
//!
//! Events are handled quickly and silently and never fail for the caller, because an agent must never be blocked by its
//! hooks. An event that changes nothing is recognized without a lock and costs one read of the registry.

use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::error::Error;
use crate::kinds;
use crate::manager::access::Access;
use crate::manager::agent_process::mark_of;
use crate::manager::checkpoints::Checkpoints;
use crate::manager::dispatch::Dispatcher;
use crate::manager::events::Events;
use crate::manager::registry::RegistryWriter;
use crate::manager::status::evidence::{
    AcceptedPrompt, HOOK_SEEN_FILE, LAST_PROMPT_FILE, LAST_TOOL_FILE, LAST_WORDS_FILE,
};
use crate::manager::status::{AgentLookup, ScreenObserver, StatusTracker, TmuxObserver};
use crate::manager::terminal::TerminalClients;
use crate::manager::workspace::worktree::branch_now;
use crate::model::{Agent, AgentName, AgentRecord, EventKind, Exit, HookSignal, Status, TmuxEvent};
use crate::process;
use crate::rules::lifecycle::conversation;
use crate::rules::status::decide::{Evidence, decide, ended};
use crate::rules::status::from_hook::{one_line, prompt_line};
use crate::rules::status::reconcile::StatusChange;
use crate::rules::status::reset_time::reset_time;
use crate::store::AgentLocks;

/// Maximum number of characters of the last message that are kept, so that a recap fits on one screen.
const MAX_REPLY_CHARS: usize = 16 * 1024;

impl Events<'_> {
    /// Handles a tmux event.
    pub fn tmux_event(&self, event: &TmuxEvent) -> Result<(), Error> {
        match event {
            TmuxEvent::PaneDied { session, pane, exit } => self.pane_died(session, pane, *exit),
            TmuxEvent::SessionClosed { session } => match AgentLookup(self.0).of_session(session)? {
                Some(record) if record.status.status.is_live() => {
                    StatusTracker(self.0).current_agents()?;
                    self.end_shares_of_ended_agents(&record)
                }
                _ => Ok(()),
            },
            TmuxEvent::ClientAttached { session } => match session.parse() {
                Ok(name) => {
                    TerminalClients(self.0).update_clients_of(&name).and(self.record_attached(session))
                }
                Err(_) => Ok(()),
            },
            TmuxEvent::ClientMoved | TmuxEvent::ClientDetached { .. } => {
                TerminalClients(self.0).update_clients().and(self.note_attendance())
            }
            TmuxEvent::Edge { session, edge } => ScreenObserver(self.0).output_changed(session, *edge),
        }
    }

    /// Records the exit of an agent's process, unless the command that ended the agent does so itself.
    fn pane_died(&self, session: &str, pane: &str, exit: Exit) -> Result<(), Error> {
        let Some(record) = AgentLookup(self.0).of_session(session)? else { return Ok(()) };
        // If a process runs in the pane now, it was started after the process that died.
        let is_current = |record: &AgentRecord| {
            record.tmux.as_ref().is_some_and(|location| location.pane == pane)
                && !record.pid.is_some_and(|pid| process::is_alive(pid, &mark_of(record)))
        };
        let is_unrecorded = |record: &AgentRecord| {
            record.status.status.is_live() && !StatusTracker(self.0).has_stop_request(record)
        };
        // A resume removes the location from the record and adds it after the start. A process that exits immediately
        // does so in between.
        let is_being_started = |record: &AgentRecord| {
            record.status.status == Status::Starting && record.tmux.is_none() && record.pid.is_none()
        };
        if !is_current(&record) && !is_being_started(&record) {
            return Ok(());
        }
        if is_unrecorded(&record) || is_being_started(&record) {
            // An agent that exits immediately does so while `spawn` still holds its lock, and no other event follows.
            let lock = AgentLocks(&self.0.store).lock(&record.name, "event")?;
            let now = self.0.store.find(&record.name, self.0.now())?.filter(|now| now.id == record.id);
            if let Some(before) = now.filter(|now| is_current(now) && is_unrecorded(now)) {
                // The event may be about the process that ran in the pane before the resume.
                let exit = match is_being_started(&record) {
                    true => TmuxObserver(self.0).exit_of(&before)?.unwrap_or(exit),
                    false => exit,
                };
                let change = StatusChange { decision: ended(exit, self.0.now()), before, found: None };
                StatusTracker(self.0).write_locked_changes(vec![(change, lock)])?;
            }
        }
        self.end_shares_of_ended_agents(&record)
    }

    /// Ends the shares of an agent that has ended. Waits for the agent's lock and checks again, because the agent may
    /// have been shared or started again at that moment.
    fn end_shares_of_ended_agents(&self, record: &AgentRecord) -> Result<(), Error> {
        if !Access(self.0).may_be_shared(&record.name) {
            return Ok(());
        }
        let _lock = AgentLocks(&self.0.store).lock(&record.name, "event")?;
        let Some(now) = self.0.store.find(&record.name, self.0.now())? else { return Ok(()) };
        if now.id == record.id && TmuxObserver(self.0).own_pane(&now)?.is_none_or(|pane| pane.dead.is_some())
        {
            Access(self.0).end_shares(&record.name);
        }
        Ok(())
    }

    /// Handles an event of an agent's hook. The agent is identified by its environment.
    pub fn agent_event(&self, payload: &[u8]) -> Result<(), Error> {
        let (mut signal, conversation) = kinds::read_hook(payload)?;
        if let HookSignal::TurnFailed(failure) | HookSignal::TurnPaused(failure) = &mut signal {
            let in_message = || reset_time(&failure.message, self.0.now(), &TimeZone::system());
            failure.resets_at = failure.resets_at.or_else(in_message);
        }
        let Some(record) = self.0.calling_agent()? else { return Ok(()) };
        let is_first = self.note_hook_seen(&record, &signal);
        // A readiness report of an agent that was already seen working is late.
        let is_late = is_first && signal == HookSignal::Ready && record.status.status == Status::Working;
        let signal = if is_late { HookSignal::Busy } else { signal };
        // Started first, so that the checkpoint is taken before the agent changes a file.
        if let HookSignal::Prompted(text) = &signal {
            Checkpoints(self.0).begin_turn(&record, text);
        }
        let report = HookReport { signal, conversation };
        // Written before the status, so that a process that sees the end of the turn finds its last message.
        self.note_last_output(&record, &report, payload);
        let changed = self.apply_report(&record, &report)?;
        // Recorded after the status, so that a process that sees the accepted prompt finds the agent working.
        if let HookSignal::Prompted(text) = &report.signal {
            self.note_prompt(&record.name, AcceptedPrompt { at: self.0.now(), text: text.clone() });
            RegistryWriter(self.0).record_event(&record, EventKind::Prompted, one_line(text));
            Dispatcher(self.0).prompt_accepted(&record, text);
        }
        if report.shows_a_turn() {
            RegistryWriter(self.0).forget_initial_prompt(&record.name);
        }
        if let Some((now, before)) = changed {
            StatusTracker(self.0).show_status(&now);
            // No hook reports the answer to a dialog before the tool is done; the first output shows it.
            let is_paused = now.status.failure().is_some_and(|failure| failure.paused);
            if now.status.status == Status::Waiting && before.status.status != Status::Waiting && !is_paused {
                ScreenObserver(self.0).rearm(&now);
            }
        }
        Ok(())
    }

    /// Stores the last message and the last tool that a report names.
    fn note_last_output(&self, record: &AgentRecord, report: &HookReport, payload: &[u8]) {
        let instance = self.0.store.instance(&record.name);
        if let Some(words) = report.last_words() {
            let words: String = words.chars().take(MAX_REPLY_CHARS).collect();
            let _ = instance.write_state(LAST_WORDS_FILE, words.as_bytes());
        }
        if let Some(tool) = kinds::read_tool(payload) {
            let _ = instance.write_state(LAST_TOOL_FILE, tool.as_bytes());
        }
    }

    /// Updates the record after a report. Returns the record after and before the change, or `None` if nothing changed.
    fn apply_report(
        &self,
        record: &AgentRecord,
        report: &HookReport,
    ) -> Result<Option<(AgentRecord, AgentRecord)>, Error> {
        // An agent that is asked to exit denies its own dialog and returns to its prompt for a moment. This is not the
        // end of a turn.
        let is_end =
            matches!(report.signal, HookSignal::Ready | HookSignal::TurnOver(_) | HookSignal::TurnFailed(_));
        let is_leaving = is_end && StatusTracker(self.0).is_being_ended(record);
        if is_leaving || report.change(record, self.0.now()).is_none() {
            return Ok(None);
        }
        // Read before the registry is locked: the directory may be on a disk that does not respond.
        let branch = is_end.then(|| branch_now(record));
        RegistryWriter(self.0).write(|edit| {
            let now = edit.get(&record.name).ok().flatten()?;
            let mut changed = report.change(&now, self.0.now())?;
            if let Some(branch) = branch {
                changed.branch = branch;
            }
            Some((edit.put(changed), now))
        })
    }

    fn note_prompt(&self, name: &AgentName, report: AcceptedPrompt) {
        let Ok(bytes) = serde_json::to_vec(&report) else { return };
        let _ = self.0.store.instance(name).write_state(LAST_PROMPT_FILE, &bytes);
    }

    /// Records that the agent's hooks work, before their report is handled. Returns whether this is the first report
    /// since the start. An exit report is ignored, because it may arrive after the agent was started again.
    fn note_hook_seen(&self, record: &AgentRecord, signal: &HookSignal) -> bool {
        let instance = self.0.store.instance(&record.name);
        let is_first = *signal != HookSignal::Ending && instance.state_written(HOOK_SEEN_FILE).is_none();
        if is_first {
            let _ = instance.write_state(HOOK_SEEN_FILE, b"");
        }
        is_first
    }

    /// Records that a client was attached to an agent.
    fn record_attached(&self, session: &str) -> Result<(), Error> {
        let Some(record) = AgentLookup(self.0).of_session(session)? else { return Ok(()) };
        RegistryWriter(self.0).write(|edit| {
            if let Ok(Some(mut now)) = edit.get(&record.name) {
                now.last_attached = Some(self.0.now());
                edit.put(now);
            }
        })?;
        RegistryWriter(self.0).record_event(&record, EventKind::Attached, "a terminal was attached".into());
        Ok(())
    }

    /// Handles a client that detached or switched to another agent with tmux keys. tmux does not report which client it
    /// was, so a snapshot determines the agents whose last client left and those that have one again. Observers do not
    /// count.
    fn note_attendance(&self) -> Result<(), Error> {
        let agents = StatusTracker(self.0).current_agents()?.agents;
        let (attended, alone): (Vec<Agent>, Vec<Agent>) =
            agents.into_iter().partition(|agent| agent.clients.iter().any(|client| !client.observer));
        let (came, left) = RegistryWriter(self.0).write(|edit| {
            let (mut came, mut left) = (Vec::new(), Vec::new());
            for agent in alone.iter().filter(|agent| agent.last_attached.is_some()) {
                if let Ok(Some(mut record)) = edit.get(&agent.name)
                    && record.last_detached < record.last_attached
                {
                    record.last_detached = Some(self.0.now());
                    left.push(edit.put(record));
                }
            }
            for agent in &attended {
                if let Ok(Some(mut record)) = edit.get(&agent.name)
                    && (record.last_attached.is_none() || record.last_attached < record.last_detached)
                {
                    record.last_attached = Some(self.0.now());
                    came.push(edit.put(record));
                }
            }
            (came, left)
        })?;
        for record in came {
            RegistryWriter(self.0).record_event(
                &record,
                EventKind::Attached,
                "a terminal came from another agent".into(),
            );
        }
        for record in left {
            RegistryWriter(self.0).record_event(
                &record,
                EventKind::Detached,
                "the last terminal left".into(),
            );
        }
        Ok(())
    }
}

/// A report of a hook.
struct HookReport {
    signal: HookSignal,
    conversation: Option<String>,
}

impl HookReport {
    /// Returns the record after the report, or `None` if it does not change.
    fn change(&self, record: &AgentRecord, at: Timestamp) -> Option<AgentRecord> {
        let mut now = record.clone();
        let is_live = now.status.status.is_live();
        let alive = is_live || now.pid.is_some_and(|pid| process::is_alive(pid, &mark_of(&now)));
        let decision = decide(&now, Evidence::Hook { signal: &self.signal, alive }, at);
        now.status = decision.note;
        now.exit = decision.exit;
        if let Some(id) = &self.conversation {
            conversation::moved(&mut now, id, at);
        }
        now.conversation.begun |= self.shows_a_turn();
        if let HookSignal::Prompted(text) = &self.signal {
            now.prompt = prompt_line(text);
        }
        (now != *record).then_some(now)
    }

    /// Returns whether the report shows that a turn has begun, so that the initial prompt was accepted. An agent CLI
    /// may not report its first prompt.
    fn shows_a_turn(&self) -> bool {
        matches!(
            self.signal,
            HookSignal::Prompted(_)
                | HookSignal::Busy
                | HookSignal::TurnOver(_)
                | HookSignal::TurnFailed(_)
                | HookSignal::TurnPaused(_)
        )
    }

    /// Returns the last message of a finished turn, or the error that ended it.
    fn last_words(&self) -> Option<&str> {
        match &self.signal {
            HookSignal::TurnOver(words) => words.as_deref(),
            HookSignal::TurnFailed(failure) => Some(&failure.message),
            _ => None,
        }
    }
}
