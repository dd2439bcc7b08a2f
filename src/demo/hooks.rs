//! Runs the hooks from `--settings` in sequence on a separate thread, so that the screen never waits for them.

use std::io::{Seek, Write};
use std::process::{Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

use regex_lite::Regex;
use serde::Deserialize;
use serde_json::{Value, json};

use super::event::Event;

/// Default time limit of a hook, the same as in Claude Code.
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(60);

/// Interval at which a running hook is polled; a hook takes about this long.
const LOOK: Duration = Duration::from_millis(5);

/// The hooks of one run.
pub(super) struct Hooks {
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
pub(super) struct About<'a> {
    /// The id of the conversation.
    pub session_id: &'a str,
    /// The path of the conversation file.
    pub transcript_path: &'a str,
    /// The working directory of the agent.
    pub cwd: &'a str,
}

impl Hooks {
    /// Reads the hooks from a `--settings` value: JSON, or the path of a JSON file.
    pub(super) fn new(settings: Option<&str>, about: &About) -> Result<Hooks, String> {
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
        Ok(Hooks { settings, common, queue, done })
    }

    /// Queues the hooks of an event.
    pub(super) fn fire(&self, event: &Event) {
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

fn jobs(settings: &Settings, common: &Value, event: &Event) -> Vec<Job> {
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
        let mut input = tempfile::tempfile()?;
        input.write_all(self.payload.as_bytes())?;
        input.rewind()?;
        #[expect(clippy::disallowed_methods, reason = "hooks are what this file runs")]
        let mut child = Command::new("sh")
            .args(["-c", &self.command])
            .stdin(input)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        let deadline = Instant::now() + self.timeout;
        while child.try_wait()?.is_none() {
            if Instant::now() >= deadline {
                child.kill()?;
                child.wait()?;
                break;
            }
            thread::sleep(LOOK);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::event::Tool;
    use super::*;

    const ABOUT: About = About { session_id: "id", transcript_path: "/t", cwd: "/c" };

    #[test]
    fn a_hook_gets_the_event_on_its_standard_input() {
        let dir = tempfile::tempdir().unwrap();
        let out = dir.path().join("out");
        let command = format!("cat >> '{}'", out.display());
        let settings =
            json!({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": command}]}]}}).to_string();
        let hooks = Hooks::new(Some(&settings), &ABOUT).unwrap();
        hooks.fire(&Event::SessionStart("startup"));
        hooks.fire(&Event::Stop("bye\n'".into()));
        hooks.finish(Duration::from_secs(20));
        let told: Value = serde_json::from_str(&std::fs::read_to_string(out).unwrap()).unwrap();
        let expected = json!({
            "session_id": "id", "transcript_path": "/t", "cwd": "/c", "hook_event_name": "Stop",
            "stop_hook_active": false, "last_assistant_message": "bye\n'",
        });
        assert_eq!(told, expected);
    }

    #[test]
    fn a_hook_that_never_ends_is_ended() {
        let job =
            Job { command: "exec sleep 1000".into(), payload: "x".repeat(1 << 20), timeout: Duration::ZERO };
        job.run();
    }

    #[test]
    fn matchers_choose() {
        for (matcher, yes) in
            [("", true), ("*", true), ("Bash|Edit", true), ("Ba", false), ("B.*", true), ("(", false)]
        {
            assert_eq!(matches(matcher, "Bash"), yes, "{matcher}");
        }
        let settings =
            read(r#"{"hooks":{"PostToolUse":[{"matcher":"Edit","hooks":[{"command":"x"}]}]},"other":1}"#)
                .unwrap();
        assert!(jobs(&settings, &json!({}), &Event::PostToolUse(Tool::Bash("x".into()))).is_empty());
    }

    #[test]
    fn settings_that_cannot_be_read_are_told() {
        assert!(read("{").unwrap_err().contains("Invalid JSON"));
        assert!(read("/nowhere/at/all").unwrap_err().contains("Settings file not found"));
    }
}
