//! Tells people what they would want to know: on the desktop, in the status line of attached terminals, by the
//! bell, and to a program of theirs.

use std::collections::HashMap;
use std::time::Duration;

use jiff::tz::TimeZone;

use super::Manager;
use crate::env::Env;
use crate::error::Error;
use crate::ledger::Query;
use crate::model::{Agent, AgentId, Channels, Happening, Notice, Notify, NotifyOn, What};
use crate::notice;
use crate::rules::notice::{Wishes, may_be_told, notices};
use crate::rules::quiet::{Allowed, Limiter, channels};
use crate::tmux::{Audience, Bell};

/// How far the ledger was read for this.
const READER: &str = "notices";
/// After so many seconds a change that only the ledger knows will never be in the registry.
const HALF_WRITTEN: i64 = 10;
/// How much is read at once.
const AT_ONCE: usize = 1000;

/// What came of one round of telling.
#[derive(Debug, Default)]
pub struct Telling {
    /// What was told.
    pub told: Vec<Told>,
    /// For each change of a status, how long it took until we heard of it.
    pub waits: Vec<Duration>,
}

/// A notice that was told.
#[derive(Debug)]
pub struct Told {
    /// What.
    pub notice: Notice,
    /// Ways on which that failed, and why.
    pub failures: Vec<String>,
}

impl Manager {
    /// Tells of what has happened since the last time; says what was told, which ways failed, and how long ago it was.
    pub fn tell(&self, limiter: &mut Limiter) -> Result<Telling, Error> {
        let mut telling = self.tell_news(limiter)?;
        if let Some(notice) = limiter.rest(Env::now()) {
            let failures = self.tell_one(&notice, &self.settings().notify);
            telling.told.push(Told { notice, failures });
        }
        Ok(telling)
    }

    fn tell_news(&self, limiter: &mut Limiter) -> Result<Telling, Error> {
        let after = self.with_ledger(|ledger| ledger.cursor(READER))?;
        let query = Query { agent: None, since: None, after: Some(after), limit: AT_ONCE };
        let mut rows = self.with_ledger(|ledger| ledger.happenings(&query))?;
        rows.truncate(self.settled_rows(&rows)?);
        let Some((last, _)) = rows.last() else { return Ok(Telling::default()) };
        let last = *last;
        let happened: Vec<_> = rows.into_iter().map(|(_, happening)| happening).collect();
        let config = self.settings();
        let mut told = Vec::new();
        let ago = |happening: &Happening| Duration::try_from(Env::now().duration_since(happening.at)).ok();
        let is_change = |happening: &&Happening| matches!(happening.what, What::Status { .. });
        let waits = happened.iter().filter(is_change).filter_map(ago).collect();
        // tmux is asked who is attached only when there may be something to tell.
        if happened.iter().any(|happening| may_be_told(&happening.what)) {
            let agents = self.survey()?.agents;
            let wishes = Wishes { usual: config.notify.on.clone(), own: self.own_wishes(&happened, &agents) };
            for mut notice in notices(&happened, &agents, &wishes) {
                // What needs a person is never held back.
                let matters = matches!(notice.on, NotifyOn::GaveUp | NotifyOn::Waiting);
                match limiter.allow(Env::now()) {
                    Allowed::Yes { suppressed: 0 } => {}
                    Allowed::Yes { suppressed } => {
                        notice.body = format!("{} (and {suppressed} more before)", notice.body);
                    }
                    Allowed::No if matters => {}
                    Allowed::No => {
                        limiter.hold_back(notice);
                        continue;
                    }
                }
                let failures = self.tell_one(&notice, &config.notify);
                told.push(Told { notice, failures });
            }
        }
        // Afterwards: killed in between, something is told twice, which is better than not at all.
        self.with_ledger(|ledger| ledger.set_cursor(READER, last))?;
        Ok(Telling { told, waits })
    }

    /// What the specs chose of which those agents were born to whom something happened.
    fn own_wishes(&self, happened: &[Happening], agents: &[Agent]) -> HashMap<AgentId, Vec<NotifyOn>> {
        let has_news = |agent: &&Agent| {
            happened.iter().any(|happening| happening.agent == agent.id && may_be_told(&happening.what))
        };
        let own = agents
            .iter()
            .filter(has_news)
            .filter_map(|agent| Some((agent.id, self.birth_note(&agent.name)?.spec?.notify?)));
        own.collect()
    }

    /// How many of these the registry says too. The ledger is written first: what is only there yet is told when it
    /// is true, and what a killed command left there is passed over after a while.
    pub(super) fn settled_rows(&self, rows: &[(i64, Happening)]) -> Result<usize, Error> {
        if rows.is_empty() {
            return Ok(0);
        }
        let changes: HashMap<AgentId, u64> =
            self.store.read(Env::now())?.into_iter().map(|record| (record.id, record.changes)).collect();
        let is_ahead = |happening: &Happening| match happening.what {
            What::Status { seq, .. } => {
                // What is still to come was written before the clock was set back, and is old.
                let age = Env::now().duration_since(happening.at).as_secs();
                let young = (0..HALF_WRITTEN).contains(&age);
                young && changes.get(&happening.agent).copied().unwrap_or_default() < seq
            }
            _ => false,
        };
        Ok(rows.iter().position(|(_, happening)| is_ahead(happening)).unwrap_or(rows.len()))
    }

    /// A way that fails does not keep the others from being tried.
    fn tell_one(&self, notice: &Notice, config: &Notify) -> Vec<String> {
        let Channels { command, desktop, status_line, bell } =
            channels(config, Env::now(), &TimeZone::system());
        let mut failures = Vec::new();
        if command {
            let json = serde_json::to_vec(notice).unwrap_or_default();
            // Not waited for: a slow program of the user's holds nobody up.
            failures
                .extend(notice::command(&config.command, &json, self.env.all()).err().map(|e| e.to_string()));
        }
        let bus =
            notice::session_bus(self.env.var("DBUS_SESSION_BUS_ADDRESS"), self.env.var("XDG_RUNTIME_DIR"));
        if let Some(bus) = bus.filter(|_| desktop) {
            let failed = notice::desktop(notice, &bus).err().filter(|error| !error.is_absence());
            failures.extend(failed.map(|error| error.to_string()));
        }
        if status_line || bell {
            let text = match notice.body.as_str() {
                "" => notice.title.clone(),
                body => format!("{}: {body}", notice.title),
            };
            let bell = if bell { Bell::Ring } else { Bell::Silent };
            let told = self.tmux().and_then(|tmux| {
                Ok(tmux.tell_clients(Audience::AllBut(notice.agent.as_str()), &text, bell)?)
            });
            failures.extend(told.err().map(|error| error.to_string()));
        }
        failures
    }
}
