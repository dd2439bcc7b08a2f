//! One tick of the supervisor.
//!
//! Once a minute it first repairs the ledger, writes pending ledger lines and reconciles with tmux. Every tick then runs
//! these stages in order: restarts, dispatch of tasks, heartbeats, notices, questions of children, timers of tmux;
//! transcript writers are checked last. A stage that fails is logged and does not prevent the others.
//!
//! Everything that starts or ends agents, and the clean-up once an hour, run beside the loop: that takes seconds, and
//! notices must not wait for it.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use jiff::Timestamp;

use super::background_stage::BackgroundStage;
use super::clock_jump::ClockJumpDetector;
use super::dispatch_pool::DispatchPool;
use super::timer_coalescer::TimerCoalescer;
use crate::error::Error;
use crate::manager::{
    AgentInput, AgentRemoval, AutoRestart, Capacity, Diagnostics, Dispatcher, HangDetection, Maintenance,
    Notifications, RegistryWriter, ScreenObserver, StatusTracker, SupervisorControl, SupervisorWatchdog,
    TaskCompletion, TranscriptWriters,
};
use crate::manager::{Announcer, Context, RemovedEphemeral, WriterRepair, WriterRepairs};
use crate::model::{Agent, AgentName, Status};
use crate::rules::report::prometheus::Latency;

/// Interval of work without urgency: old ledger entries, deleted projects.
const HOUSEKEEPING_INTERVAL: Duration = Duration::from_secs(60 * 60);

/// Delay before an interrupted delivery or a restart that is due is checked again.
const RECHECK_DELAY: Duration = Duration::from_millis(500);

/// How long a supervisor that was told to end waits for a restart in progress. `supervisor stop` waits five seconds.
const RESTART_TIMEOUT: Duration = Duration::from_secs(3);

/// Minimum interval between two recorded signs of life.
const SIGN_INTERVAL: Duration = Duration::from_secs(1);

/// How much a tick examines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TickScope {
    /// Only files, because a file changed.
    Changes,
    /// Files, tmux and processes.
    Everything,
}

/// Executes ticks and holds the state between them.
pub(super) struct Ticker {
    manager: Arc<Context>,
    fully_checked_at: Option<Instant>,
    tidied: Option<Instant>,
    announcer: Announcer,
    latency: Latency,
    newest: VecDeque<Duration>,
    timer_coalescer: TimerCoalescer,
    dispatching: DispatchPool,
    /// The restarts that are due.
    restarting: BackgroundStage,
    /// The stages that end agents.
    ending: [BackgroundStage; 2],
    cleaning: BackgroundStage,
    steady: ClockJumpDetector,
    writers: WriterRepairs,
    writers_due: Option<Instant>,
    /// Time at which a sign of life was last recorded.
    alive_noted: Option<Instant>,
    /// The modification time and size of the ledger file at the last check.
    ledger_checked: Option<(SystemTime, u64)>,
}

impl Ticker {
    pub(super) fn new(manager: Arc<Context>) -> Ticker {
        log_failure("recover", RegistryWriter(&manager).mend_ledger());
        let announcer = Announcer::new(manager.settings().notify.per_minute);
        let (latency, newest) = Default::default();
        let (calm, dispatching, steady, writers) = Default::default();
        let (fully_checked_at, tidied, writers_due, ledger_checked) = (None, None, None, None);
        Ticker {
            manager,
            fully_checked_at,
            tidied,
            announcer,
            latency,
            newest,
            timer_coalescer: calm,
            dispatching,
            restarting: BackgroundStage::new(restart_due_agents),
            ending: [BackgroundStage::new(hibernate_surplus), BackgroundStage::new(remove_ephemeral)],
            cleaning: BackgroundStage::new(clean_up),
            steady,
            writers,
            writers_due,
            ledger_checked,
            alive_noted: None,
        }
    }

    /// Executes one tick. Returns when the next is due at the latest, if anything is.
    pub(super) fn tick(&mut self, reach: TickScope) -> Option<Timestamp> {
        self.note_sign_of_life();
        if reach == TickScope::Everything {
            // Skipped in the first tick, because a supervisor that is killed often must start quickly.
            if self.fully_checked_at.replace(Instant::now()).is_some() {
                self.repair_ledger();
            }
            self.timer_coalescer.note_activity();
            log_failure("recover", RegistryWriter(&self.manager).store_pending_events());
            self.reconcile();
        }
        let stages: [fn(&mut Ticker) -> Option<Timestamp>; 7] = [
            Ticker::restart,
            Ticker::dispatch,
            Ticker::heartbeat,
            Ticker::end_agents,
            Ticker::notify,
            Ticker::forward_questions,
            Ticker::coalesce_timers,
        ];
        let mut next = None;
        for stage in stages {
            // A stage may take long; only a supervisor that is stuck in one gives no sign of life.
            self.note_sign_of_life();
            next = stage(self).into_iter().chain(next).min();
        }
        self.repair_writers();
        for notice in self.manager.notices() {
            tracing::warn!(notice, "noticed");
        }
        next
    }

    /// Records that something changed since the last tick.
    pub(super) fn note_activity(&mut self) {
        self.timer_coalescer.note_activity();
    }

    /// Returns how long to sleep: until something is due, or until the next periodic check.
    pub(super) fn sleep_for(&self, next: Option<Timestamp>, now: Timestamp) -> Duration {
        let until_due = next.map(|at| Duration::try_from(at.duration_since(now)).unwrap_or_default());
        let sooner = until_due.into_iter().chain(self.timer_coalescer.due_in(Instant::now()));
        sooner.fold(self.until_look(), Duration::min)
    }

    /// Waits for a restart in progress before the supervisor ends, so that it is not cut off.
    pub(super) fn finish_restarts(&self) {
        self.restarting.finish(RESTART_TIMEOUT);
    }

    /// Returns how much the tick after a sleep examines.
    pub(super) fn reach(&self) -> TickScope {
        if self.until_look().is_zero() { TickScope::Everything } else { TickScope::Changes }
    }

    fn until_look(&self) -> Duration {
        let every = self.manager.settings().supervisor.reconcile;
        self.fully_checked_at
            .map_or(Duration::ZERO, |fully_checked_at| every.saturating_sub(fully_checked_at.elapsed()))
    }

    fn note_sign_of_life(&mut self) {
        if self.alive_noted.is_none_or(|at| at.elapsed() > SIGN_INTERVAL) {
            SupervisorWatchdog(&self.manager).note_sign_of_life();
            self.alive_noted = Some(Instant::now());
        }
    }

    /// Checks the whole ledger if its file changed. Most changes go to the write-ahead log beside it.
    fn repair_ledger(&mut self) {
        let file = self.manager.home().join("ledger.db");
        let stamp = std::fs::metadata(file).ok().and_then(|meta| Some((meta.modified().ok()?, meta.len())));
        if self.ledger_checked != stamp {
            log_failure("recover", RegistryWriter(&self.manager).repair_ledger());
            self.ledger_checked = stamp;
        }
    }

    fn reconcile(&mut self) {
        let steady_since = self.steady.observe(self.manager.now(), Instant::now());
        self.manager.mend_hook_link();
        let Some(current_agents) = log_failure("reconcile", StatusTracker(&self.manager).current_agents())
        else {
            return;
        };
        if let Some(silence) = &current_agents.silence {
            tracing::warn!(%silence, "tmux did not answer");
            return;
        }
        self.find_hung(&current_agents.agents, steady_since);
        for name in
            log_failure("directories", Maintenance(&self.manager).mark_directories(&current_agents.agents))
                .unwrap_or_default()
        {
            tracing::warn!(agent = %name, "its directory is gone");
        }
        log_failure("screens", ScreenObserver(&self.manager).read_screens(&current_agents.agents));
        if self.tidied.is_none_or(|at| at.elapsed() > HOUSEKEEPING_INTERVAL) {
            self.tidied = Some(Instant::now());
            self.cleaning.request(&self.manager);
        }
    }

    /// Searches for hung agents beside the loop, because those that are to be restarted are ended.
    fn find_hung(&self, agents: &[Agent], steady_since: Option<Timestamp>) {
        let working = |agent: &&Agent| agent.status == Status::Working;
        let agents: Vec<Agent> = agents.iter().filter(working).cloned().collect();
        if agents.is_empty() {
            return;
        }
        let manager = Arc::clone(&self.manager);
        tokio::task::spawn_blocking(move || {
            let found = log_failure("hang", HangDetection(&manager).find_hung(&agents, steady_since));
            for name in found.unwrap_or_default() {
                tracing::warn!(agent = %name, "is hung");
            }
        });
    }

    fn restart(&mut self) -> Option<Timestamp> {
        let schedule = log_failure("restart", AutoRestart(&self.manager).plan_restarts())?;
        for name in &schedule.gave_up {
            tracing::warn!(agent = %name, "given up");
        }
        if schedule.is_due {
            self.restarting.request(&self.manager);
        }
        // Checked again, because another process may hold the lock of an agent whose restart is due.
        let recheck = schedule.is_due.then(|| self.manager.now() + RECHECK_DELAY);
        schedule.next.into_iter().chain(recheck).min()
    }

    /// Finishes completed tasks, recovers interrupted deliveries, and starts the deliveries that are possible. Returns
    /// when to come back.
    fn dispatch(&mut self) -> Option<Timestamp> {
        let settled =
            log_failure("dispatch", TaskCompletion(&self.manager).finish_tasks()).unwrap_or_default();
        for task in &settled.over {
            tracing::info!(task = task.id.0, agent = %task.assignee_name(), "task is over");
        }
        for name in settled.too_long {
            let manager = Arc::clone(&self.manager);
            tokio::task::spawn_blocking(move || {
                log_failure("dispatch", AgentInput(&manager).interrupt(&name).map(drop))
            });
        }
        let open =
            log_failure("dispatch", Dispatcher(&self.manager).recover_deliveries()).unwrap_or_default();
        let unavailable_agents = self.dispatching.unavailable_agents();
        let due = log_failure("dispatch", Dispatcher(&self.manager).dispatchable(&unavailable_agents))
            .unwrap_or_default();
        let later = self.dispatching.begin(&self.manager, due);
        let recheck = (open > 0).then(|| self.manager.now() + RECHECK_DELAY);
        let released = log_failure("dispatch", TaskCompletion(&self.manager).next_release()).flatten();
        settled.next.into_iter().chain(later).chain(recheck).chain(released).min()
    }

    fn heartbeat(&mut self) -> Option<Timestamp> {
        let report = log_failure("heartbeat", Maintenance(&self.manager).queue_due_heartbeats())?;
        for name in &report.queued {
            tracing::info!(agent = %name, "heartbeat");
        }
        report.next
    }

    /// Starts the stages that end agents beside the loop.
    fn end_agents(&mut self) -> Option<Timestamp> {
        self.ending.iter().for_each(|stage| stage.request(&self.manager));
        None
    }

    fn forward_questions(&mut self) -> Option<Timestamp> {
        for name in
            log_failure("questions", Maintenance(&self.manager).forward_questions()).unwrap_or_default()
        {
            tracing::info!(agent = %name, "asks its parent");
        }
        None
    }

    /// Repairs stopped transcript writers. Also called between two ticks, while an agent prints.
    pub(super) fn repair_writers(&mut self) {
        let seen =
            log_failure("transcripts", TranscriptWriters(&self.manager).repair_writers(&mut self.writers))
                .unwrap_or_default();
        for (name, repair) in seen.repaired {
            match repair {
                WriterRepair::Continued => {
                    tracing::warn!(agent = %name, "its transcript writer was stopped and has been continued")
                }
                WriterRepair::Replaced => {
                    tracing::warn!(agent = %name, "its transcript writer did not continue and was replaced")
                }
            }
        }
        self.writers_due = seen.again_in.map(|pause| Instant::now() + pause);
    }

    /// Returns the time until the next check of the transcript writers.
    pub(super) fn writers_due_in(&self) -> Duration {
        let until = |due: Instant| due.saturating_duration_since(Instant::now());
        self.writers_due.map_or(HOUSEKEEPING_INTERVAL, until)
    }

    /// Sends notices about new events. Returns when to come back for notices that were held back.
    fn notify(&mut self) -> Option<Timestamp> {
        self.announcer.limiter.set(self.manager.settings().notify.per_minute);
        let report =
            log_failure("notify", Notifications(&self.manager).send_due_notices(&mut self.announcer))
                .unwrap_or_default();
        if !report.waits.is_empty() {
            self.latency.add(&report.waits, &mut self.newest);
            log_failure("metrics", Diagnostics(&self.manager).note_latency(&self.latency));
        }
        for sent in report.sent {
            let agent = sent.notice.agent.as_ref().map(AgentName::as_str);
            tracing::info!(agent, title = sent.notice.title, "notification sent");
            for failure in sent.failures {
                tracing::warn!(agent, failure, "a notification channel failed");
            }
        }
        for failure in report.desktop_failures {
            tracing::warn!(failure, "the desktop showed no notification");
        }
        for failure in report.network_failures {
            tracing::warn!(failure, "a notification was not delivered");
        }
        report.retry_at.into_iter().chain(self.announcer.limiter.next_permit_at(self.manager.now())).min()
    }

    /// Coalesces tmux's timers. Runs after all other stages, because it restarts the timers that tmux is waiting for.
    fn coalesce_timers(&mut self) -> Option<Timestamp> {
        let now = Instant::now();
        if self.timer_coalescer.due_in(now).is_some_and(|due| due.is_zero()) {
            log_failure("timers", SupervisorControl(&self.manager).gather_silences());
            self.timer_coalescer.record_coalesced(now);
        }
        None
    }
}

/// Restarts the agents whose restart is due, one after the other.
fn restart_due_agents(manager: &Context) {
    for record in log_failure("restart", AutoRestart(manager).due_restarts()).unwrap_or_default() {
        match AutoRestart(manager).restart(&record) {
            Some(Ok(how)) => tracing::info!(agent = %record.name, how, "started again"),
            Some(Err(error)) => tracing::warn!(agent = %record.name, %error, "could not be restarted"),
            None => {}
        }
    }
}

/// Hibernates agents in excess of `max_agents`.
fn hibernate_surplus(manager: &Context) {
    for name in log_failure("capacity", Capacity(manager).hibernate_surplus()).unwrap_or_default() {
        tracing::info!(agent = %name, "hibernated");
    }
}

/// Removes the ephemeral agents whose task is done.
fn remove_ephemeral(manager: &Context) {
    for RemovedEphemeral { name, outcome } in
        log_failure("ephemeral", AgentRemoval(manager).remove_ephemeral()).unwrap_or_default()
    {
        match outcome {
            Ok(()) => tracing::info!(agent = %name, "removed: its task is done"),
            Err(error) => tracing::warn!(agent = %name, %error, "kept: it is no longer ephemeral"),
        }
    }
}

/// Removes what is no longer needed: old ledger entries, copies of removed work, agents of deleted projects.
fn clean_up(manager: &Context) {
    let Some(current_agents) = log_failure("tidy", StatusTracker(manager).current_agents()) else { return };
    // The status of agents is not known while tmux does not answer.
    if current_agents.silence.is_some() {
        return;
    }
    let done = log_failure("tidy", Maintenance(manager).clean_up(&current_agents.agents));
    for done in done.unwrap_or_default() {
        tracing::info!(done, "tidied");
    }
}

/// Returns the result of a stage, or logs its error and returns `None`.
pub(super) fn log_failure<T>(stage: &'static str, outcome: Result<T, Error>) -> Option<T> {
    outcome.map_err(|error| tracing::error!(stage, %error, "a stage failed")).ok()
}
