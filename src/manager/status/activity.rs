//! What a working agent does now: the tool that its hook reported last, or the last line of its output.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use crate::error::Error;
use crate::manager::status::StatusTracker;
use crate::manager::status::evidence::{HOOK_SEEN_FILE, LAST_PROMPT_FILE, LAST_TOOL_FILE};
use crate::manager::status::last_lines::SCREEN;
use crate::model::{AgentName, without_deception};
use crate::transcript::{self, OutputWatcher};

/// Bytes of the transcript in which the last line is searched.
const TAIL_BYTES: u64 = 8 * 1024;

/// Reports output of some agents, whose activity may have changed then.
pub struct ActivityWatch<'a> {
    tracker: StatusTracker<'a>,
    watcher: OutputWatcher,
    watched: HashMap<AgentName, PathBuf>,
}

impl<'a> StatusTracker<'a> {
    /// Starts a watch that calls `printed` with the name of an agent after each output. It watches no agents yet.
    pub fn watch_activity(
        &self,
        printed: impl Fn(AgentName) + Send + 'static,
    ) -> Result<ActivityWatch<'a>, Error> {
        let tell = move |dir: &Path| {
            if let Some(Ok(name)) = dir.file_name().and_then(|name| name.to_str()).map(str::parse) {
                printed(name);
            }
        };
        let watcher = OutputWatcher::new(tell).map_err(Error::io("cannot watch transcripts"))?;
        Ok(ActivityWatch { tracker: *self, watcher, watched: HashMap::new() })
    }

    /// Returns the tool that a working agent uses, or the last line of its output if no hook reports tools. Returns
    /// `None` if neither is known.
    pub fn activity(&self, name: &AgentName) -> Option<String> {
        let instance = self.0.store.instance(name);
        if instance.state_written(HOOK_SEEN_FILE).is_some() {
            let reported = instance.state_written(LAST_TOOL_FILE)?;
            let prompted = instance.state_written(LAST_PROMPT_FILE);
            if prompted.is_some_and(|prompted| reported < prompted) {
                return None;
            }
            let tool = instance.read_state(LAST_TOOL_FILE).ok()??;
            return Some(without_deception(&String::from_utf8_lossy(&tool)));
        }
        let tail = transcript::tail(instance.dir(), TAIL_BYTES).ok()?;
        let mut text = Vec::new();
        transcript::plain(&tail[..], &mut text, SCREEN).ok()?;
        let text = String::from_utf8_lossy(&text);
        let last = text.lines().rev().map(str::trim).find(|line| !line.is_empty())?;
        Some(without_deception(last))
    }
}

impl ActivityWatch<'_> {
    /// Watches exactly these agents from now on. Returns those that were not watched before.
    pub fn watch_only(&mut self, names: &[AgentName]) -> Vec<AgentName> {
        let gone: Vec<AgentName> =
            self.watched.keys().filter(|name| !names.contains(name)).cloned().collect();
        for dir in gone.iter().filter_map(|name| self.watched.remove(name)) {
            // The directory of an agent that was removed is not watched any more.
            let _ = self.watcher.unwatch(&dir);
        }
        let mut added = Vec::new();
        for name in names.iter().filter(|name| !self.watched.contains_key(name)).cloned().collect::<Vec<_>>()
        {
            let dir = self.tracker.0.store.instance(&name).dir().to_owned();
            if self.watcher.watch(&dir).is_ok() {
                self.watched.insert(name.clone(), dir);
            }
            added.push(name);
        }
        added
    }
}
