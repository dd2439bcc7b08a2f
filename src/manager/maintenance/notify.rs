//! Sends notices to the user: on the desktop, in the status line of attached terminals, by the bell, and to a command
//! of the user.

use std::collections::{BTreeSet, HashMap};
use std::time::Duration;

use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::env::Env;
use crate::error::Error;
use crate::ledger::Query;
use crate::manager::maintenance::Maintenance;
use crate::manager::registry::RegistryWriter;
use crate::manager::specs::SpecCatalog;
use crate::manager::status::StatusTracker;
use crate::model::{Agent, AgentId, Channels, LedgerEvent, Notice, Notify, NotifyOn, What};
use crate::notify;
use crate::rules::notify::notice::{Wishes, may_be_told, notices};
use crate::rules::notify::rate_limit::{Allowed, RateLimiter, channels};
use crate::rules::status::unsettled::SettledRows;
use crate::tmux::{Audience, Bell};

/// The name of this module's ledger cursor.
const READER: &str = "notices";
/// Maximum number of ledger rows that are read at once.
const AT_ONCE: usize = 1000;

/// The state that is kept between two rounds of notices. If it is lost, some rows are announced twice.
#[derive(Debug)]
pub struct Announcer {
    /// Bounds the number of notices per minute.
    pub limiter: RateLimiter,
    /// Ledger rows that were announced although a row before them still waits for the registry.
    announced: BTreeSet<i64>,
}

impl Announcer {
    /// Creates the state for a supervisor that has announced nothing yet.
    pub fn new(per_minute: u32) -> Announcer {
        Announcer { limiter: RateLimiter::new(per_minute), announced: BTreeSet::new() }
    }
}

/// Result of one round of notices.
#[derive(Debug, Default)]
pub struct NotifyReport {
    /// The notices that were sent.
    pub told: Vec<Told>,
    /// For each status change, the time until it was detected.
    pub waits: Vec<Duration>,
    /// When to announce rows that still wait for the registry.
    pub retry_at: Option<Timestamp>,
}

/// A notice that was sent.
#[derive(Debug)]
pub struct Told {
    /// The content of the notice.
    pub notice: Notice,
    /// The channels that failed, with the reason.
    pub failures: Vec<String>,
}

impl Maintenance<'_> {
    /// Sends notices about all events since the last round. Returns the notices, the channels that failed, and the age
    /// of the events.
    pub fn tell(&self, announcer: &mut Announcer) -> Result<NotifyReport, Error> {
        let mut telling = self.tell_news(announcer)?;
        if let Some(notice) = announcer.limiter.rest(Env::now()) {
            let failures = self.tell_one(&notice, &self.0.settings().notify);
            telling.told.push(Told { notice, failures });
        }
        Ok(telling)
    }

    fn tell_news(&self, announcer: &mut Announcer) -> Result<NotifyReport, Error> {
        let settled = self.announceable_rows(READER, &announcer.announced)?;
        let happened: Vec<_> = settled.ready.iter().map(|(_, happening)| happening.clone()).collect();
        let ago = |happening: &LedgerEvent| Duration::try_from(Env::now().duration_since(happening.at)).ok();
        let is_change = |happening: &&LedgerEvent| matches!(happening.what, What::Status { .. });
        let waits = happened.iter().filter(is_change).filter_map(ago).collect();
        let told = self.announce(&happened, &mut announcer.limiter)?;
        announcer.announced.extend(settled.ready.iter().map(|(id, _)| *id));
        // The cursor is stored last: if the supervisor is killed in between, a notice is sent twice, which is better
        // than not at all.
        if let Some(cursor) = settled.cursor {
            RegistryWriter(self.0).with_ledger(|ledger| ledger.set_cursor(READER, cursor))?;
            announcer.announced.retain(|id| *id > cursor);
        }
        Ok(NotifyReport { told, waits, retry_at: settled.retry_at })
    }

    fn announce(&self, happened: &[LedgerEvent], limiter: &mut RateLimiter) -> Result<Vec<Told>, Error> {
        // tmux is queried for attached clients only if there may be a notice to send.
        if !happened.iter().any(|happening| may_be_told(&happening.what)) {
            return Ok(vec![]);
        }
        let config = self.0.settings();
        let mut told = Vec::new();
        let agents = StatusTracker(self.0).current_agents()?.agents;
        let wishes = Wishes { usual: config.notify.on.clone(), own: self.own_wishes(happened, &agents) };
        for mut notice in notices(happened, &agents, &wishes, &TimeZone::system()) {
            // Notices that require an action of the user are never held back.
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
        Ok(told)
    }

    /// Returns the `notify` settings of the specs of agents that have new events.
    fn own_wishes(&self, happened: &[LedgerEvent], agents: &[Agent]) -> HashMap<AgentId, Vec<NotifyOn>> {
        let has_news = |agent: &&Agent| {
            happened.iter().any(|happening| happening.agent == agent.id && may_be_told(&happening.what))
        };
        let own = agents.iter().filter(has_news).filter_map(|agent| {
            Some((agent.id, SpecCatalog(self.0).spawn_manifest(&agent.name)?.spec?.notify?))
        });
        own.collect()
    }

    /// Reads the rows after a reader's cursor and splits them by whether the registry has caught up with them.
    pub(in crate::manager) fn announceable_rows(
        &self,
        reader: &str,
        handled: &BTreeSet<i64>,
    ) -> Result<SettledRows, Error> {
        let after = RegistryWriter(self.0).with_ledger(|ledger| ledger.cursor(reader))?;
        let query = Query { agent: None, since: None, after: Some(after), limit: AT_ONCE };
        let rows = RegistryWriter(self.0).with_ledger(|ledger| ledger.happenings(&query))?;
        if rows.is_empty() {
            return Ok(SettledRows::default());
        }
        let now = Env::now();
        let changes = self.0.store.read(now)?.into_iter().map(|record| (record.id, record.changes)).collect();
        Ok(SettledRows::split(rows, &changes, handled, now))
    }

    /// Sends a notice over all channels, even if some of them fail. Returns the failures.
    fn tell_one(&self, notice: &Notice, config: &Notify) -> Vec<String> {
        let Channels { command, desktop, status_line, bell } =
            channels(config, Env::now(), &TimeZone::system());
        let mut failures = Vec::new();
        if command {
            let json = serde_json::to_vec(notice).unwrap_or_default();
            // The command is not waited for, so that a slow one delays nothing.
            failures.extend(
                notify::command(&config.command, &json, self.0.env.all()).err().map(|e| e.to_string()),
            );
        }
        let bus = notify::session_bus(
            self.0.env.var("DBUS_SESSION_BUS_ADDRESS"),
            self.0.env.var("XDG_RUNTIME_DIR"),
        );
        if let Some(bus) = bus.filter(|_| desktop) {
            let failed = notify::desktop(notice, &bus).err().filter(|error| !error.is_absence());
            failures.extend(failed.map(|error| error.to_string()));
        }
        if status_line || bell {
            let text = match notice.body.as_str() {
                "" => notice.title.clone(),
                body => format!("{}: {body}", notice.title),
            };
            let bell = if bell { Bell::Ring } else { Bell::Silent };
            let told = self.0.tmux().and_then(|tmux| {
                Ok(tmux.tell_clients(Audience::AllBut(notice.agent.as_str()), &text, bell)?)
            });
            failures.extend(told.err().map(|error| error.to_string()));
        }
        failures
    }
}
