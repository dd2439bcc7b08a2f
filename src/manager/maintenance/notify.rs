//! Sends notices to the user: on the desktop, in the status line of attached terminals, by the bell, to a command of the
//! user, and to other devices.

use std::collections::{BTreeSet, HashMap};
use std::ffi::{OsStr, OsString};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::error::Error;
use crate::ledger::EventQuery;
use crate::manager::maintenance::Notifications;
use crate::manager::notices::{NetworkNotices, NoticeOutbox};
use crate::manager::registry::RegistryWriter;
use crate::manager::specs::LaunchPlanner;
use crate::manager::status::StatusTracker;
use crate::model::{Agent, AgentId, AgentName, Channels, EventKind, LedgerEvent, Notice, Notify, NotifyOn};
use crate::notify;
use crate::rules::notify::notice::{NotifyChoices, may_be_announced, notices};
use crate::rules::notify::rate_limit::{Permit, RateLimiter, channels};
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
    /// Threads that show notices on the desktop. Each returns its failures.
    desktop: Vec<JoinHandle<Vec<String>>>,
    /// Threads that send notices to other devices.
    outbox: NoticeOutbox,
}

impl Announcer {
    /// Creates the state for a supervisor that has announced nothing yet.
    pub fn new(per_minute: u32) -> Announcer {
        Announcer {
            limiter: RateLimiter::new(per_minute),
            announced: BTreeSet::new(),
            desktop: Vec::new(),
            outbox: NoticeOutbox::default(),
        }
    }

    /// Returns the failures of the desktop notices whose threads have ended.
    fn desktop_failures(&mut self) -> Vec<String> {
        let threads = std::mem::take(&mut self.desktop);
        let (ended, running) = threads.into_iter().partition(JoinHandle::is_finished);
        self.desktop = running;
        let ended: Vec<JoinHandle<Vec<String>>> = ended;
        ended.into_iter().flat_map(|thread| thread.join().unwrap_or_default()).collect()
    }
}

/// Result of one round of notices.
#[derive(Debug, Default)]
pub struct NotifyReport {
    /// The notices that were sent.
    pub sent: Vec<SentNotice>,
    /// For each status change, the time until it was detected.
    pub waits: Vec<Duration>,
    /// Time at which rows that still wait for the registry are announced.
    pub retry_at: Option<Timestamp>,
    /// Why notices of earlier rounds could not be shown on the desktop.
    pub desktop_failures: Vec<String>,
    /// Why notices of earlier rounds did not reach other devices.
    pub network_failures: Vec<String>,
}

/// A notice that was sent.
#[derive(Debug)]
pub struct SentNotice {
    /// The content of the notice.
    pub notice: Notice,
    /// The channels that failed, with the reason.
    pub failures: Vec<String>,
}

impl Notifications<'_> {
    /// Sends notices about all events since the last round. Returns the notices, the channels that failed, and the age
    /// of the events.
    ///
    /// The desktop is not waited for: a notification service that does not answer takes two seconds for each notice.
    pub fn send_due_notices(&self, announcer: &mut Announcer) -> Result<NotifyReport, Error> {
        let mut report = self.announce_events(announcer)?;
        if let Some(notice) = announcer.limiter.take_held_back(self.0.now()) {
            let mut sent = self.send_except_desktop(notice, &self.0.settings().notify);
            sent.failures.extend(NetworkNotices(self.0).send(&mut announcer.outbox, &sent.notice, &[]));
            report.sent.push(sent);
        }
        report.desktop_failures = announcer.desktop_failures();
        report.network_failures = announcer.outbox.take_failures();
        let shown: Vec<Notice> = report.sent.iter().map(|sent| sent.notice.clone()).collect();
        if let Some(bus) = self.desktop_bus(&self.0.settings().notify).filter(|_| !shown.is_empty()) {
            let show = move || shown.iter().filter_map(|notice| desktop_failure(notice, &bus)).collect();
            match thread::Builder::new().name("desktop".into()).spawn(show) {
                Ok(thread) => announcer.desktop.push(thread),
                Err(error) => report.desktop_failures.push(error.to_string()),
            }
        }
        Ok(report)
    }

    fn announce_events(&self, announcer: &mut Announcer) -> Result<NotifyReport, Error> {
        let settled = self.announceable_rows(READER, &announcer.announced)?;
        let happened: Vec<_> = settled.ready.iter().map(|(_, event)| event.clone()).collect();
        let ago = |event: &LedgerEvent| Duration::try_from(self.0.now().duration_since(event.at)).ok();
        let is_change = |event: &&LedgerEvent| matches!(event.what, EventKind::Status { .. });
        let waits = happened.iter().filter(is_change).filter_map(ago).collect();
        let sent = self.announce(&happened, announcer)?;
        announcer.announced.extend(settled.ready.iter().map(|(id, _)| *id));
        // The cursor is stored last: if the supervisor is killed in between, a notice is sent twice, which is better
        // than not at all.
        if let Some(cursor) = settled.cursor {
            RegistryWriter(self.0).with_ledger(|ledger| ledger.set_cursor(READER, cursor))?;
            announcer.announced.retain(|id| *id > cursor);
        }
        Ok(NotifyReport { sent, waits, retry_at: settled.retry_at, ..NotifyReport::default() })
    }

    fn announce(
        &self,
        happened: &[LedgerEvent],
        Announcer { limiter, outbox, .. }: &mut Announcer,
    ) -> Result<Vec<SentNotice>, Error> {
        // tmux is queried for attached clients only if there may be a notice to send.
        if !happened.iter().any(|event| may_be_announced(&event.what)) {
            return Ok(vec![]);
        }
        let config = self.0.settings();
        let mut sent = Vec::new();
        let agents = StatusTracker(self.0).current_agents()?.agents;
        let choices = NotifyChoices {
            usual: config.notify.on.clone(),
            own: self.notify_choices_of_specs(happened, &agents),
        };
        for mut notice in notices(happened, &agents, &choices, &TimeZone::system()) {
            match limiter.allow_notice(notice.on, self.0.now()) {
                Permit::Yes { suppressed: 0 } => {}
                Permit::Yes { suppressed } => {
                    notice.body = format!("{} (and {suppressed} more before)", notice.body);
                }
                Permit::No => {
                    limiter.hold_back(notice);
                    continue;
                }
            }
            let mut done = self.send_except_desktop(notice, &config.notify);
            done.failures.extend(NetworkNotices(self.0).send(outbox, &done.notice, &agents));
            sent.push(done);
        }
        Ok(sent)
    }

    /// Returns the `notify` settings of the specs of agents that have new events.
    fn notify_choices_of_specs(
        &self,
        happened: &[LedgerEvent],
        agents: &[Agent],
    ) -> HashMap<AgentId, Vec<NotifyOn>> {
        let has_events = |agent: &&Agent| {
            happened.iter().any(|event| event.agent == agent.id && may_be_announced(&event.what))
        };
        let own = agents.iter().filter(has_events).filter_map(|agent| {
            Some((agent.id, LaunchPlanner(self.0).spawn_manifest(&agent.name)?.spec?.notify?))
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
        let query = EventQuery { agent: None, since: None, after: Some(after), limit: AT_ONCE };
        let rows = RegistryWriter(self.0).with_ledger(|ledger| ledger.events(&query))?;
        if rows.is_empty() {
            return Ok(SettledRows::default());
        }
        let now = self.0.now();
        let changes = self.0.store.read(now)?.into_iter().map(|record| (record.id, record.changes)).collect();
        Ok(SettledRows::split(rows, &changes, handled, now))
    }

    /// Sends a notice at once over all channels that is not caused by an event of an agent. Returns the channels that
    /// failed.
    pub(in crate::manager) fn send_now(&self, notice: &Notice) -> Vec<String> {
        let config = self.0.settings();
        let SentNotice { mut failures, .. } = self.send_except_desktop(notice.clone(), &config.notify);
        let bus = self.desktop_bus(&config.notify);
        failures.extend(bus.and_then(|bus| desktop_failure(notice, &bus)));
        // The threads of this outbox end when they have sent the notice.
        failures.extend(NetworkNotices(self.0).send(&mut NoticeOutbox::default(), notice, &[]));
        failures
    }

    /// Returns the bus on which notices are shown on the desktop, if they are.
    fn desktop_bus(&self, config: &Notify) -> Option<OsString> {
        let bus = notify::session_bus(
            self.0.env.var("DBUS_SESSION_BUS_ADDRESS"),
            self.0.env.var("XDG_RUNTIME_DIR"),
        );
        bus.filter(|_| channels(config, self.0.now(), &TimeZone::system()).desktop)
    }

    /// Sends a notice over all channels but the desktop, even if some of them fail.
    fn send_except_desktop(&self, notice: Notice, config: &Notify) -> SentNotice {
        let Channels { command, status_line, bell, .. } = channels(config, self.0.now(), &TimeZone::system());
        let mut failures = Vec::new();
        if command {
            let json = serde_json::to_vec(&notice).unwrap_or_default();
            // The command is not waited for, so that a slow one delays nothing.
            failures.extend(
                notify::command(&config.command, &json, self.0.env.all()).err().map(|e| e.to_string()),
            );
        }
        if status_line || bell {
            let text = match notice.body.as_str() {
                "" => notice.title.clone(),
                body => format!("{}: {body}", notice.title),
            };
            let bell = if bell { Bell::Ring } else { Bell::Silent };
            let sent = self.0.tmux().and_then(|tmux| {
                Ok(tmux.message_clients(
                    Audience::AllBut(notice.agent.as_ref().map_or("", AgentName::as_str)),
                    &text,
                    bell,
                )?)
            });
            failures.extend(sent.err().map(|error| error.to_string()));
        }
        SentNotice { notice, failures }
    }
}

/// Shows a notice on the desktop. Returns why that failed, unless there is no desktop.
fn desktop_failure(notice: &Notice, bus: &OsStr) -> Option<String> {
    let failed = notify::desktop(notice, bus).err().filter(|error| !error.is_absence());
    failed.map(|error| error.to_string())
}
