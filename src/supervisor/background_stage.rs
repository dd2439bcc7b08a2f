//! A stage that runs beside the main loop, because it starts or ends agents, or removes files, and may take seconds.
//! It has a thread of its own, so that it does not wait for deliveries either.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use crate::manager::Context;

/// A stage of which at most one run is in progress. A request during a run causes one more run after it, so that no
/// change is missed.
pub(super) struct BackgroundStage {
    work: fn(&Context),
    run: Arc<StageRun>,
}

/// The progress of a stage, which its thread and the loop share.
struct StageRun {
    progress: Mutex<RunProgress>,
    /// Notified when the stage comes to rest.
    at_rest: Condvar,
}

/// Whether a run of a stage is in progress.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RunProgress {
    /// No run is in progress.
    Resting,
    /// A run is in progress.
    Running,
    /// A run is in progress, and another one was requested.
    Requested,
}

impl BackgroundStage {
    /// Creates the stage without running it.
    pub(super) fn new(work: fn(&Context)) -> BackgroundStage {
        let run = StageRun { progress: Mutex::new(RunProgress::Resting), at_rest: Condvar::new() };
        BackgroundStage { work, run: Arc::new(run) }
    }

    /// Starts a run, or requests one after the run in progress. Returns at once.
    pub(super) fn request(&self, manager: &Arc<Context>) {
        {
            let mut progress = self.run.lock();
            if *progress != RunProgress::Resting {
                *progress = RunProgress::Requested;
                return;
            }
            *progress = RunProgress::Running;
        }
        let (manager, run, work) = (Arc::clone(manager), Arc::clone(&self.run), self.work);
        let begun = thread::Builder::new().name("stage".into()).spawn(move || {
            loop {
                work(&manager);
                let mut progress = run.lock();
                if *progress != RunProgress::Requested {
                    return run.rest(progress);
                }
                *progress = RunProgress::Running;
            }
        });
        if let Err(error) = begun {
            tracing::error!(%error, "a stage could not be started");
            self.run.rest(self.run.lock());
        }
    }

    /// Waits until no run is in progress, at most for this time. Later runs that were requested are not awaited.
    pub(super) fn finish(&self, at_most: Duration) {
        let mut progress = self.run.lock();
        if *progress == RunProgress::Requested {
            *progress = RunProgress::Running;
        }
        let is_busy = |progress: &mut RunProgress| *progress != RunProgress::Resting;
        // The caller ends the process, also if the run has not ended.
        let _ = self.run.at_rest.wait_timeout_while(progress, at_most, is_busy);
    }
}

impl StageRun {
    fn lock(&self) -> MutexGuard<'_, RunProgress> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn rest(&self, mut progress: MutexGuard<'_, RunProgress>) {
        *progress = RunProgress::Resting;
        self.at_rest.notify_all();
    }
}
