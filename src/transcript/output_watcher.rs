//! Reports which of several agents print something. One watcher serves all of them, because the number of watchers of
//! a user is limited.

use std::io;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use notify::{Event, RecommendedWatcher, RecursiveMode, Watcher};

use super::follow::failed;
use super::live_tail::is_write;

/// Pause after an event, in which further events are collected. Agents that print continuously would otherwise wake this
/// process hundreds of times in a second.
const COLLECTING_PAUSE: Duration = Duration::from_millis(250);
/// Time in which the events that were collected during a pause are read.
const READING_TIME: Duration = Duration::from_millis(5);

/// Watches the transcripts of several agents.
#[derive(Debug)]
pub struct OutputWatcher(RecommendedWatcher);

impl OutputWatcher {
    /// Starts a watcher that calls `printed` with the directory of the agent after a write to a transcript. The first
    /// write is reported immediately, and those that follow within a quarter of a second are reported together.
    pub fn new(printed: impl Fn(&Path) + Send + 'static) -> io::Result<OutputWatcher> {
        let mut last_pause: Option<Instant> = None;
        let report = move |event: notify::Result<Event>| {
            if let Ok(event) = event
                && is_write(&event)
            {
                event.paths.iter().filter_map(|path| path.parent()).for_each(&printed);
                if last_pause.is_none_or(|end| end.elapsed() > READING_TIME) {
                    thread::sleep(COLLECTING_PAUSE);
                    last_pause = Some(Instant::now());
                }
            }
        };
        Ok(OutputWatcher(notify::recommended_watcher(report).map_err(failed)?))
    }

    /// Watches the transcript in this directory too.
    pub fn watch(&mut self, dir: &Path) -> io::Result<()> {
        self.0.watch(dir, RecursiveMode::NonRecursive).map_err(failed)
    }

    /// Ends the watch of a directory.
    pub fn unwatch(&mut self, dir: &Path) -> io::Result<()> {
        self.0.unwatch(dir).map_err(failed)
    }
}
