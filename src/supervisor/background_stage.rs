//! A stage that runs beside the main loop, because it ends agents and may take several seconds for each of them.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::manager::Context;

/// A stage of which at most one run is in progress. A request during a run causes one more run after it, so that no
/// change is missed.
pub(super) struct BackgroundStage {
    work: fn(&Context),
    progress: Arc<Mutex<RunProgress>>,
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
        BackgroundStage { work, progress: Arc::new(Mutex::new(RunProgress::Resting)) }
    }

    /// Starts a run, or requests one after the run in progress. Returns at once.
    pub(super) fn request(&self, manager: &Arc<Context>) {
        {
            let mut progress = lock(&self.progress);
            if *progress != RunProgress::Resting {
                *progress = RunProgress::Requested;
                return;
            }
            *progress = RunProgress::Running;
        }
        let (manager, progress, work) = (Arc::clone(manager), Arc::clone(&self.progress), self.work);
        tokio::task::spawn_blocking(move || {
            loop {
                work(&manager);
                let mut progress = lock(&progress);
                match *progress {
                    RunProgress::Requested => *progress = RunProgress::Running,
                    RunProgress::Running | RunProgress::Resting => {
                        *progress = RunProgress::Resting;
                        return;
                    }
                }
            }
        });
    }
}

fn lock(progress: &Mutex<RunProgress>) -> MutexGuard<'_, RunProgress> {
    progress.lock().unwrap_or_else(PoisonError::into_inner)
}
