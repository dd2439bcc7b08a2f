//! `symposium event`: the door through which tmux and agents' own hooks tell us what happened.
//!
//! Quick, silent, never an error to the caller: an agent must never be held up by us. What changes nothing is
//! found out without a lock and costs one read of the registry.

use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};

use super::Manager;
use super::reconcile::mark_of;
use super::workspace::branch_now;
use crate::env::{AGENT, AGENT_ID, Env};
use crate::error::Error;
use crate::kinds;
use crate::model::{Agent, AgentId, AgentName, AgentRecord, HookSignal, Status, TmuxEvent, What};
use crate::process;
use crate::rules::conversation;
use crate::rules::hook::prompt_line;
use crate::rules::reconcile::Change;
use crate::rules::reset_time::reset_time;
use crate::rules::status::{Evidence, decide, ended};

/// What an agent said last, in the instance's state directory.
pub(super) const WORDS: &str = "last-words";
/// No more of it is kept: a recap fits on one screen.
const MOST_WORDS: usize = 16 * 1024;
/// What an agent's CLI said it took as its last prompt, in the instance's state directory.
const PROMPT: &str = "prompt.json";

/// A prompt that an agent's CLI said it took.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct HeardPrompt {
    /// When.
    #[serde(with = "crate::model::json_time")]
    pub(super) at: jiff::Timestamp,
    /// To the letter.
    pub(super) text: String,
}

/// Says that a hook of the agent's CLI has spoken since it was started, in the instance's state directory.
pub(super) const HEARD: &str = "heard";

impl Manager {
    /// Something happened in tmux.
    pub fn tmux_event(&self, event: &TmuxEvent) -> Result<(), Error> {
        match event {
            TmuxEvent::PaneDied { session, pane, exit } => {
                let Some(record) = self.of_session(session)? else { return Ok(()) };
                let own = record.tmux.as_ref().is_some_and(|place| place.pane == *pane);
                // A process that runs in the pane by now is not the one that died: this is late news of the former.
                let is_late = record.pid.is_some_and(|pid| process::is_alive(pid, &mark_of(&record)));
                if !own || is_late {
                    return Ok(());
                }
                if record.status.status.is_live() && !self.was_asked_to_stop(&record) {
                    let (before, decision) = (record.clone(), ended(*exit, Env::now()));
                    self.write_changes(vec![Change { before, decision, found: None }])?;
                }
                self.end_shares_of_the_dead(&record)
            }
            TmuxEvent::SessionClosed { session } => match self.of_session(session)? {
                Some(record) if record.status.status.is_live() => {
                    self.survey()?;
                    self.end_shares_of_the_dead(&record)
                }
                _ => Ok(()),
            },
            TmuxEvent::ClientAttached { session } => self.seat_terminals().and(self.came(session)),
            TmuxEvent::ClientMoved | TmuxEvent::ClientDetached { .. } => {
                self.seat_terminals().and(self.note_attendance())
            }
            TmuxEvent::Edge { session, edge } => self.edge(session, *edge),
        }
    }

    /// Closes the doors to an agent that has ended, when whoever works on it is done: it may have been shared or
    /// started again at that moment.
    fn end_shares_of_the_dead(&self, record: &AgentRecord) -> Result<(), Error> {
        if !self.may_be_shared(&record.name) {
            return Ok(());
        }
        let _lock = self.store.lock_agent(&record.name, "event")?;
        let Some(now) = self.store.find(&record.name, Env::now())? else { return Ok(()) };
        if now.id == record.id && self.own_pane(&now)?.is_none_or(|pane| pane.dead.is_some()) {
            self.end_shares(&record.name);
        }
        Ok(())
    }

    /// An agent's own hook spoke; who it is stands in its environment.
    pub fn agent_event(&self, payload: &[u8]) -> Result<(), Error> {
        let (mut signal, conversation) = kinds::read_hook(payload)?;
        if let HookSignal::TurnFailed(failure) | HookSignal::TurnPaused(failure) = &mut signal {
            let in_message = || reset_time(&failure.message, Env::now(), &TimeZone::system());
            failure.resets_at = failure.resets_at.or_else(in_message);
        }
        let Some(record) = self.speaker()? else { return Ok(()) };
        let is_first = self.note_heard(&record, &signal);
        // That it is up is late news of one that was seen at work meanwhile.
        let is_late = is_first && signal == HookSignal::Ready && record.status.status == Status::Working;
        let signal = if is_late { HookSignal::Busy } else { signal };
        let heard = Heard { signal, conversation };
        // Before the status: whoever sees that the turn is over finds what was said in it.
        if let Some(words) = heard.last_words() {
            let words: String = words.chars().take(MOST_WORDS).collect();
            let _ = self.store.instance(&record.name).write_state(WORDS, words.as_bytes());
        }
        // Asked to leave it denies what it asks for and is back at its prompt for a moment, which is not to be done.
        let is_end =
            matches!(heard.signal, HookSignal::Ready | HookSignal::TurnOver(_) | HookSignal::TurnFailed(_));
        let is_leaving = is_end && self.is_being_ended(&record);
        let changed = match heard.change(&record).filter(|_| !is_leaving) {
            None => None,
            Some(_) => {
                // Before the registry is locked: the directory may be on a disk that does not answer.
                let branch = is_end.then(|| branch_now(&record));
                self.write(|edit| {
                    let now = edit.get(&record.name).ok().flatten()?;
                    let mut changed = heard.change(&now)?;
                    if let Some(branch) = branch {
                        changed.branch = branch;
                    }
                    Some((edit.put(changed), now))
                })?
            }
        };
        // After the status: whoever hears that the prompt was taken must find the agent working.
        if let HookSignal::Prompted(text) = &heard.signal {
            self.note_prompt(&record.name, HeardPrompt { at: Env::now(), text: text.clone() });
            self.happened(&record, What::Prompted, crate::rules::hook::one_line(text));
            self.heard_taken(&record, text);
        }
        if heard.shows_a_turn() {
            self.forget_first(&record.name);
        }
        if let Some((now, before)) = changed {
            self.show_status(&now);
            // The answer to a dialog is told by no hook before the tool is done: its first output tells.
            let is_paused = now.status.failure().is_some_and(|failure| failure.paused);
            if now.status.status == Status::Waiting && before.status.status != Status::Waiting && !is_paused {
                self.rearm(&now);
            }
        }
        Ok(())
    }

    fn note_prompt(&self, name: &AgentName, heard: HeardPrompt) {
        let Ok(bytes) = serde_json::to_vec(&heard) else { return };
        let _ = self.store.instance(name).write_state(PROMPT, &bytes);
    }

    /// The last prompt that its hooks told of.
    pub(super) fn heard_prompt(&self, name: &AgentName) -> Option<HeardPrompt> {
        serde_json::from_slice(&self.store.instance(name).read_state(PROMPT).ok()??).ok()
    }

    /// Notes that its hooks work, before anything they say; whether this is the first word since it was started. What it
    /// says when it leaves may come after it was started again.
    fn note_heard(&self, record: &AgentRecord, signal: &HookSignal) -> bool {
        let instance = self.store.instance(&record.name);
        let is_first = *signal != HookSignal::Ending && instance.state_written(HEARD).is_none();
        if is_first {
            let _ = instance.write_state(HEARD, b"");
        }
        is_first
    }

    /// Shows in the status line of the agent's session what it does by now: two events may come to this in another order
    /// than they were written down in.
    pub(super) fn show_status(&self, record: &AgentRecord) {
        let found = self.store.find(&record.name, Env::now()).ok().flatten();
        let record = &found.filter(|now| now.id == record.id).unwrap_or_else(|| record.clone());
        let text = match record.status.waiting_for {
            Some(what) => format!("{}({what})", record.status.status),
            None => record.status.status.to_string(),
        };
        if let Ok(tmux) = self.tmux() {
            let _ = tmux.note_status(record.name.as_str(), record.id, &text);
        }
    }

    /// The agent in whose process tree this command runs: by its id, which outlives a rename.
    pub(super) fn speaker(&self) -> Result<Option<AgentRecord>, Error> {
        let text = |key| self.env.var(key).and_then(|value| value.to_str());
        let id: Option<AgentId> = text(AGENT_ID).and_then(|id| id.parse().ok());
        let name: Option<AgentName> = text(AGENT).and_then(|name| name.parse().ok());
        let now = Env::now();
        if let Some(record) = name.as_ref().map(|name| self.written_down(name)).transpose()?.flatten()
            // The name alone is anybody's to say.
            && id == Some(record.id)
        {
            return Ok(Some(record));
        }
        let Some(id) = id else { return Ok(None) };
        Ok(self.store.read(now)?.into_iter().find(|record| record.id == id))
    }

    pub(super) fn of_session(&self, session: &str) -> Result<Option<AgentRecord>, Error> {
        let Ok(name) = session.parse::<AgentName>() else { return Ok(None) };
        self.written_down(&name)
    }

    /// The record, also when the agent speaks before its spawn has written it down: that holds the lock till then.
    fn written_down(&self, name: &AgentName) -> Result<Option<AgentRecord>, Error> {
        if let Some(record) = self.store.find(name, Env::now())? {
            return Ok(Some(record));
        }
        let spawned = self.store.lock_agent(name, "event")?;
        let record = self.store.find(name, Env::now())?;
        if record.is_none() {
            // News of an agent that is no more, or never was, leaves nothing behind.
            spawned.retire();
        }
        Ok(record)
    }

    /// A terminal was put on an agent.
    fn came(&self, session: &str) -> Result<(), Error> {
        let Some(record) = self.of_session(session)? else { return Ok(()) };
        self.write(|edit| {
            if let Ok(Some(mut now)) = edit.get(&record.name) {
                now.last_attached = Some(Env::now());
                edit.put(now);
            }
        })?;
        self.happened(&record, What::Attached, "a terminal was attached".into());
        Ok(())
    }

    /// A terminal left or went to another agent by tmux's own keys. tmux does not say which one it was, so the agents whose
    /// last terminal left, and those that have one again, are found by a look. Observers do not count.
    fn note_attendance(&self) -> Result<(), Error> {
        let agents = self.survey()?.agents;
        let (attended, alone): (Vec<Agent>, Vec<Agent>) =
            agents.into_iter().partition(|agent| agent.clients.iter().any(|client| !client.observer));
        let (came, left) = self.write(|edit| {
            let (mut came, mut left) = (Vec::new(), Vec::new());
            for agent in alone.iter().filter(|agent| agent.last_attached.is_some()) {
                if let Ok(Some(mut record)) = edit.get(&agent.name)
                    && record.last_detached < record.last_attached
                {
                    record.last_detached = Some(Env::now());
                    left.push(edit.put(record));
                }
            }
            for agent in &attended {
                if let Ok(Some(mut record)) = edit.get(&agent.name)
                    && (record.last_attached.is_none() || record.last_attached < record.last_detached)
                {
                    record.last_attached = Some(Env::now());
                    came.push(edit.put(record));
                }
            }
            (came, left)
        })?;
        for record in came {
            self.happened(&record, What::Attached, "a terminal came from another agent".into());
        }
        for record in left {
            self.happened(&record, What::Detached, "the last terminal left".into());
        }
        Ok(())
    }
}

/// What a hook said.
struct Heard {
    signal: HookSignal,
    conversation: Option<String>,
}

impl Heard {
    /// The record after it, when that is another one.
    fn change(&self, record: &AgentRecord) -> Option<AgentRecord> {
        let mut now = record.clone();
        let is_live = now.status.status.is_live();
        let alive = is_live || now.pid.is_some_and(|pid| process::is_alive(pid, &mark_of(&now)));
        let decision = decide(&now, Evidence::Hook { signal: &self.signal, alive }, Env::now());
        now.status = decision.note;
        now.exit = decision.exit;
        if let Some(id) = &self.conversation {
            conversation::moved(&mut now, id, Env::now());
        }
        now.conversation.begun |= self.shows_a_turn();
        if let HookSignal::Prompted(text) = &self.signal {
            now.prompt = prompt_line(text);
        }
        (now != *record).then_some(now)
    }

    /// Whether it is in a turn, or was: what it was started with is taken. A CLI may not tell of the first prompt.
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

    /// The last message of a turn that is over, or the error that ended it.
    fn last_words(&self) -> Option<&str> {
        match &self.signal {
            HookSignal::TurnOver(words) => words.as_deref(),
            HookSignal::TurnFailed(failure) => Some(&failure.message),
            _ => None,
        }
    }
}
