//! Operations on existing sessions: their records, names, status and end. A session is changed only if it carries the
//! id of the given agent, and the server checks this in the same command.

use super::script::{Script, command};
use super::{Tmux, TmuxError, target};
use crate::model::{AgentId, AgentName};

/// Delays a kill until the server has read and forwarded the last output of a program whose end it has not noticed yet,
/// because tmux discards the pipe with the session. One iteration of the server's event loop is nearly always enough, a
/// few always are.
const FINAL_COMMANDS: [&str; 2] = ["run-shell -d 0.001", "run-shell -d 0.01"];

impl Tmux {
    /// Returns the record of each of our sessions as JSON, with the name of the session.
    pub fn records(&self) -> Result<Vec<(String, String)>, TmuxError> {
        // The length of the name comes first, because the user may have renamed the session to anything.
        let format = "#{n:session_name} #{session_name}#{@symposium_record}";
        let text = match self.run_words("records", &["list-sessions", "-F", format]) {
            Err(other) if other.is_absence() => return Ok(Vec::new()),
            other => other?,
        };
        let parse = |line: &str| {
            let (length, rest) = line.split_once(' ')?;
            let (name, record) = rest.split_at_checked(length.parse().ok()?)?;
            Some((name.to_owned(), record.to_owned()))
        };
        Ok(text.lines().filter_map(parse).filter(|(_, record)| !record.is_empty()).collect())
    }

    /// Renames an agent's session and stores the new record in it.
    pub fn rename_session(
        &self,
        id: AgentId,
        from: &str,
        to: &AgentName,
        record: &str,
    ) -> Result<(), TmuxError> {
        let (old, new) = (target::session(from), target::pane_of(to.as_str()));
        let mut commands = Script::default();
        commands.then(&command(&["rename-session", "-t", &old, "--", to.as_str()]));
        commands.then(&command(&["set-option", "-t", &new, "@symposium_record", record]));
        commands.then(&command(&["set-option", "-w", "-t", &new, "@symposium_name", to.as_str()]));
        match self.run_if_owned("rename", OwnedSession { session: from, id }, commands)? {
            true => Ok(()),
            false => Err(TmuxError::NoSession { session: from.to_owned() }),
        }
    }

    /// Kills the session with exactly this name if it belongs to the agent. Returns whether there was one.
    pub fn kill_session(&self, session: &str, id: AgentId) -> Result<bool, TmuxError> {
        let mut commands = Script::default();
        let pane = target::pane_of(session);
        for wait in FINAL_COMMANDS {
            commands.then(&command(&["if-shell", "-F", "-t", &pane, "#{pane_dead}", "", wait]));
        }
        commands.then(&command(&["kill-session", "-t", &target::session(session)]));
        absence_is_false(self.run_if_owned("kill", OwnedSession { session, id }, commands))
    }

    /// Ends our server and all its sessions. Succeeds if no server is running.
    pub fn end(&self) -> Result<(), TmuxError> {
        match self.run_words("end the server", &["kill-server"]) {
            Err(other) if other.is_absence() => Ok(()),
            other => other.map(drop),
        }
    }

    /// Shows the agent's status in its status line. Returns whether the agent has a session.
    pub fn set_status_option(&self, session: &str, id: AgentId, text: &str) -> Result<bool, TmuxError> {
        let mut commands = Script::default();
        commands.then(&command(&["set-option", "-t", &target::pane_of(session), "@symposium_status", text]));
        absence_is_false(self.run_if_owned("note a status", OwnedSession { session, id }, commands))
    }

    /// Shows in the status lines of all sessions how many agents need an answer. The key `n` visits them in this order.
    pub fn set_needing_answer(&self, names: &[AgentName]) -> Result<(), TmuxError> {
        let list: String = names.iter().map(|name| format!("{name} ")).collect();
        let mut script = Script::default();
        script.then(&command(&["set-option", "-s", "@symposium_needing", &list]));
        script.then(&command(&["set-option", "-s", "@symposium_needing_count", &names.len().to_string()]));
        match self.run_script("show waiting agents", script) {
            Err(other) if other.is_absence() => Ok(()),
            other => other.map(drop),
        }
    }

    /// Requests another event when the pane prints, without waiting until it falls silent first.
    pub fn rearm_activity(&self, pane: &str) -> Result<(), TmuxError> {
        let pane = target::pane(pane)?;
        self.run_words("watch a pane", &["set-option", "-w", "-t", pane, "monitor-activity", "on"]).map(drop)
    }

    /// Requests another event for the pane's silence if it is still silent.
    pub fn rearm_silence(&self, pane: &str) -> Result<(), TmuxError> {
        let pane = target::pane(pane)?;
        // `kill-session -C` kills nothing: it clears the alert.
        let words =
            ["set-option", "-w", "-t", pane, "@symposium_quiet", "0", ";", "kill-session", "-C", "-t", pane];
        self.run_words("watch a pane", &words).map(drop)
    }

    /// Makes the silence timers of all windows expire together from now on. tmux wakes up for each of them every two
    /// seconds, also in windows that have been silent for a long time, and checks every pane whenever it wakes up.
    /// Pending silence events arrive up to two seconds later. Succeeds if no server is running.
    pub fn align_silence_timers(&self) -> Result<(), TmuxError> {
        // Setting the option, even to its current value, restarts the silence timers of all windows.
        let again = ["set-option", "-gF", "monitor-silence", "#{monitor-silence}"];
        match self.run_words("gather silences", &again) {
            Err(other) if other.is_absence() => Ok(()),
            other => other.map(drop),
        }
    }

    /// Runs the commands if the session belongs to the agent. Returns whether it does.
    fn run_if_owned(
        &self,
        what: &'static str,
        owned: OwnedSession<'_>,
        mut commands: Script,
    ) -> Result<bool, TmuxError> {
        let OwnedSession { session, id } = owned;
        commands.then(&command(&["display-message", "-p", "done"]));
        // The name is compared too, because tmux evaluates the condition for another session if this one does not
        // exist.
        let name = target::in_format(session);
        let test = format!("#{{&&:#{{==:#{{session_name}},{name}}},#{{==:#{{@symposium_id}},{id}}}}}");
        let mut script = Script::default();
        script.then(&command(&["if-shell", "-F", "-t", &target::pane_of(session), &test]));
        script.word(commands.finish(what)?);
        Ok(self.run_script(what, script)?.lines().any(|line| line == "done"))
    }
}

/// A session and the agent that it must belong to.
struct OwnedSession<'a> {
    session: &'a str,
    id: AgentId,
}

/// Converts the absence of the session to `false`.
fn absence_is_false(answer: Result<bool, TmuxError>) -> Result<bool, TmuxError> {
    match answer {
        Err(other) if other.is_absence() => Ok(false),
        other => other,
    }
}
