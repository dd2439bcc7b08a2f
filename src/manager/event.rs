//! `symposium event`: the door through which tmux and agents' own hooks tell us what happened.
//!
//! Quick, silent, never an error to the caller: an agent must never be held up by us.

use super::Manager;
use super::reconcile::mark_of;
use crate::env::{AGENT, AGENT_ID, Env};
use crate::error::Error;
use crate::kinds;
use crate::model::{AgentId, AgentName, AgentRecord, HookSignal, TmuxEvent};
use crate::process;
use crate::rules::hook::note_after;
use crate::rules::reconcile::Change;
use crate::rules::status::ended;

/// What an agent's CLI said it took as its last prompt, in the instance's state directory.
pub(super) const PROMPT: &str = "prompt.json";

impl Manager {
    /// Something happened in tmux.
    pub fn tmux_event(&self, event: &TmuxEvent) -> Result<(), Error> {
        match event {
            TmuxEvent::PaneDied { session, pane, exit } => {
                let Some(record) = self.of_session(session)? else { return Ok(()) };
                let own = record.tmux.as_ref().is_some_and(|place| place.pane == *pane);
                // A process that runs in the pane by now is not the one that died: this is late news of the former.
                let is_late = record.pid.is_some_and(|pid| process::is_alive(pid, &mark_of(&record)));
                if !own || is_late || !record.status.status.is_live() || self.was_asked_to_stop(&record) {
                    return Ok(());
                }
                let decision = ended(*exit, Env::now());
                self.write_changes(vec![Change { before: record, decision, found: None }])
            }
            TmuxEvent::SessionClosed { session } => match self.of_session(session)? {
                Some(record) if record.status.status.is_live() => self.survey().map(|_| ()),
                _ => Ok(()),
            },
            TmuxEvent::ClientAttached { session } => {
                self.touch(session, |record| record.last_attached = Some(Env::now()))
            }
            TmuxEvent::ClientDetached { session } => {
                self.touch(session, |record| record.last_activity = Some(Env::now()))
            }
        }
    }

    /// An agent's own hook spoke; who it is stands in its environment.
    pub fn agent_event(&self, payload: &[u8]) -> Result<(), Error> {
        let (signal, conversation) = kinds::read_hook(payload)?;
        let Some(record) = self.speaker()? else { return Ok(()) };
        let changed = self.store.update(Env::now(), |edit| {
            let mut now = edit.get(&record.name).ok().flatten()?;
            let before = now.clone();
            // Whoever was noted as ended by mistake and speaks with a living process is back.
            let lives = || now.pid.is_some_and(|pid| process::is_alive(pid, &mark_of(&now)));
            if (now.status.status.is_live() || lives())
                && let Some(note) = note_after(&now.status, &signal, Env::now())
            {
                now.status = note;
                now.exit = None;
            }
            if conversation.is_some() {
                now.conversation.id = conversation;
            }
            now.conversation.begun |= matches!(signal, HookSignal::Prompted(_));
            if now == before {
                return None;
            }
            edit.put(now.clone());
            Some(now)
        })?;
        // After the status: whoever hears that the prompt was taken must find the agent working.
        if let HookSignal::Prompted(text) = &signal {
            let heard = serde_json::json!({ "at": Env::now(), "text": text });
            let _ = self.store.instance(&record.name).write_state(PROMPT, heard.to_string().as_bytes());
        }
        if let Some(now) = changed {
            let _ = self.tmux()?.note_status(now.name.as_str(), now.id, now.status.status.word());
        }
        Ok(())
    }

    /// The agent in whose process tree this command runs: by its id, which outlives a rename.
    fn speaker(&self) -> Result<Option<AgentRecord>, Error> {
        let text = |key| self.env.var(key).and_then(|value| value.to_str());
        let id: Option<AgentId> = text(AGENT_ID).and_then(|id| id.parse().ok());
        let name: Option<AgentName> = text(AGENT).and_then(|name| name.parse().ok());
        let now = Env::now();
        if let Some(record) = name.as_ref().map(|name| self.written_down(name)).transpose()?.flatten()
            && id.is_none_or(|id| id == record.id)
        {
            return Ok(Some(record));
        }
        let Some(id) = id else { return Ok(None) };
        Ok(self.store.read(now)?.into_iter().find(|record| record.id == id))
    }

    fn of_session(&self, session: &str) -> Result<Option<AgentRecord>, Error> {
        let Ok(name) = session.parse::<AgentName>() else { return Ok(None) };
        self.written_down(&name)
    }

    /// The record, also when the agent speaks before its spawn has written it down: that holds the lock till then.
    fn written_down(&self, name: &AgentName) -> Result<Option<AgentRecord>, Error> {
        if let Some(record) = self.store.find(name, Env::now())? {
            return Ok(Some(record));
        }
        let _spawned = self.store.lock_agent(name, "event")?;
        Ok(self.store.find(name, Env::now())?)
    }

    fn touch(&self, session: &str, change: impl FnOnce(&mut AgentRecord)) -> Result<(), Error> {
        let Ok(name) = session.parse::<AgentName>() else { return Ok(()) };
        self.store.update(Env::now(), |edit| {
            if let Ok(Some(mut record)) = edit.get(&name) {
                change(&mut record);
                edit.put(record);
            }
        })?;
        Ok(())
    }
}
