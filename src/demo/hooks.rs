//! Runs the hooks from `--settings` in sequence on a separate thread, so that the screen never waits for them.

use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

use regex_lite::Regex;
use serde::Deserialize;
use serde_json::{Value, json};

use super::event::HookEvent;
use crate::base::child::{ChildCommand, KillScope, memory_file};
use crate::base::wait::deadline::deadline_after;

/// Default time limit of a hook, the same as in Claude Code.
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(60);

/// The hooks of one run.
pub(super) struct DemoHooks {
    settings: Settings,
    common: Value,
    queue: Sender<Job>,
    done: Receiver<()>,
}

/// A hook command with its input and time limit.
#[derive(Debug, PartialEq, Eq)]
struct Job {
    command: String,
    payload: String,
    timeout: Duration,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Settings {
    hooks: std::collections::BTreeMap<String, Vec<Group>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Group {
    matcher: String,
    hooks: Vec<Hook>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Hook {
    command: String,
    timeout: Option<u64>,
}

/// The fields that are common to all events of a run.
#[derive(Debug, Clone)]
pub(super) struct HookContext<'a> {
    /// The id of the conversation.
    pub session_id: &'a str,
    /// The path of the conversation file.
    pub transcript_path: &'a str,
    /// The working directory of the agent.
    pub cwd: &'a str,
}

impl DemoHooks {
    /// Reads the hooks from a `--settings` value: JSON, or the path of a JSON file.
    pub(super) fn new(settings: Option<&str>, about: &HookContext) -> Result<DemoHooks, String> {
        let settings = settings.map(read).transpose()?.unwrap_or_default();
        let common = json!({
            "session_id": about.session_id, "transcript_path": about.transcript_path, "cwd": about.cwd,
        });
        let (queue, jobs) = mpsc::channel::<Job>();
        let (finished, done) = mpsc::channel();
        thread::spawn(move || {
            for job in jobs {
                job.run();
            }
            drop(finished);
        });
        Ok(DemoHooks { settings, common, queue, done })
    }

    /// Queues the hooks of an event.
    pub(super) fn fire(&self, event: &HookEvent) {
        for job in jobs(&self.settings, &self.common, event) {
            let _ = self.queue.send(job);
        }
    }

    /// Waits until every hook has run, at most for `limit`.
    pub(super) fn finish(self, limit: Duration) {
        drop(self.queue);
        let waited: Result<(), RecvTimeoutError> = self.done.recv_timeout(limit);
        debug_assert!(waited.is_err(), "nothing is ever sent");
    }
}

fn read(settings: &str) -> Result<Settings, String> {
    let text = if settings.trim_start().starts_with('{') {
        settings.to_owned()
    } else {
        std::fs::read_to_string(settings)
            .map_err(|error| format!("Error: Settings file not found: {settings} ({error})"))?
    };
    serde_json::from_str(&text)
        .map_err(|error| format!("Error: Invalid JSON provided to --settings: {error}"))
}

fn jobs(settings: &Settings, common: &Value, event: &HookEvent) -> Vec<Job> {
    let mut payload = common.clone();
    payload["hook_event_name"] = event.name().into();
    if let Value::Object(fields) = event.fields() {
        for (key, value) in fields {
            payload[key.as_str()] = value;
        }
    }
    settings
        .hooks
        .get(event.name())
        .into_iter()
        .flatten()
        .filter(|group| event.subject().is_none_or(|subject| matches(&group.matcher, subject)))
        .flat_map(|group| &group.hooks)
        .filter(|hook| !hook.command.is_empty())
        .map(|hook| Job {
            command: hook.command.clone(),
            payload: payload.to_string(),
            timeout: hook.timeout.map_or(DEFAULT_TIMEOUT, Duration::from_secs),
        })
        .collect()
}

fn matches(matcher: &str, subject: &str) -> bool {
    matches!(matcher, "" | "*")
        || Regex::new(&format!("^(?:{matcher})$")).is_ok_and(|regex| regex.is_match(subject))
}

impl Job {
    /// Runs the hook. A hook that fails or exceeds its time limit is ignored.
    fn run(&self) {
        let _ = self.try_run();
    }

    fn try_run(&self) -> std::io::Result<()> {
        // A file instead of a pipe: a hook that does not read its input cannot block the demo agent.
        let input = memory_file(self.payload.as_bytes())?;
        let hook = ChildCommand::new("sh", KillScope::Program).args(["-c", &self.command]);
        hook.input(input).without_output().spawn()?.wait(deadline_after(Instant::now(), self.timeout))?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::event::DemoTool;
    use super::*;

    const ABOUT: HookContext = HookContext { session_id: "id", transcript_path: "/t", cwd: "/c" };

    #[test]
    fn a_hook_gets_the_event_on_its_standard_input() {
        let dir = tempfile::tempdir().unwrap();
        let out = dir.path().join("out");
        let command = format!("cat >> '{}'", out.display());
        let settings =
            json!({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": command}]}]}}).to_string();
        let hooks = DemoHooks::new(Some(&settings), &ABOUT).unwrap();
        hooks.fire(&HookEvent::SessionStart("startup"));
        hooks.fire(&HookEvent::Stop("bye\n'".into()));
        hooks.finish(Duration::from_secs(20));
        let written: Value = serde_json::from_str(&std::fs::read_to_string(out).unwrap()).unwrap();
        let expected = json!({
            "session_id": "id", "transcript_path": "/t", "cwd": "/c", "hook_event_name": "Stop",
            "stop_hook_active": false, "last_assistant_message": "bye\n'",
        });
        assert_eq!(written, expected);
    }

    #[test]
    fn hook_beyond_its_time_limit_is_killed() {
        let job =
            Job { command: "exec sleep 1000".into(), payload: "x".repeat(1 << 20), timeout: Duration::ZERO };
        job.run();
    }

    #[test]
    fn matchers_select_hooks() {
        for (matcher, yes) in
            [("", true), ("*", true), ("Bash|Edit", true), ("Ba", false), ("B.*", true), ("(", false)]
        {
            assert_eq!(matches(matcher, "Bash"), yes, "{matcher}");
        }
        let settings =
            read(r#"{"hooks":{"PostToolUse":[{"matcher":"Edit","hooks":[{"command":"x"}]}]},"other":1}"#)
                .unwrap();
        assert!(jobs(&settings, &json!({}), &HookEvent::PostToolUse(DemoTool::Bash("x".into()))).is_empty());
    }

    #[test]
    fn unreadable_settings_are_reported() {
        assert!(read("{").unwrap_err().contains("Invalid JSON"));
        assert!(read("/nowhere/at/all").unwrap_err().contains("Settings file not found"));
    }
}
