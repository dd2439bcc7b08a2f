//! Operations on existing sessions: their records, names, status and end. A session is changed only if it carries the
//! id of the given agent, and the server checks this in the same command.

use super::script::{Script, command};
use super::{Tmux, TmuxError, target};
use crate::model::{AgentId, AgentName};

/// Delays a kill until the server has read and forwarded the last output of a program whose end it has not noticed yet,
/// because tmux discards the pipe with the session. One iteration of the server's event loop is nearly always enough, a
/// few always are.
const LAST_WORDS: [&str; 2] = ["run-shell -d 0.001", "run-shell -d 0.01"];

impl Tmux {
    /// Returns the record of each of our sessions as JSON, with the name of the session.
    pub fn records(&self) -> Result<Vec<(String, String)>, TmuxError> {
        // The length of the name comes first, because the user may have renamed the session to anything.
        let format = "#{n:session_name} #{session_name}#{@symposium_record}";
        let text = match self.ask("records", &["list-sessions", "-F", format]) {
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
        let mut deed = Script::default();
        deed.then(&command(&["rename-session", "-t", &old, "--", to.as_str()]));
        deed.then(&command(&["set-option", "-t", &new, "@symposium_record", record]));
        deed.then(&command(&["set-option", "-w", "-t", &new, "@symposium_name", to.as_str()]));
        match self.when_owned("rename", Owned { session: from, id }, deed)? {
            true => Ok(()),
            false => Err(TmuxError::NoSession { session: from.to_owned() }),
        }
    }

    /// Kills the session with exactly this name if it belongs to the agent. Returns whether there was one.
    pub fn kill_session(&self, session: &str, id: AgentId) -> Result<bool, TmuxError> {
        let mut deed = Script::default();
        let pane = target::pane_of(session);
        for wait in LAST_WORDS {
            deed.then(&command(&["if-shell", "-F", "-t", &pane, "#{pane_dead}", "", wait]));
        }
        deed.then(&command(&["kill-session", "-t", &target::session(session)]));
        gone_is_false(self.when_owned("kill", Owned { session, id }, deed))
    }

    /// Ends our server and all its sessions. Succeeds if no server is running.
    pub fn end(&self) -> Result<(), TmuxError> {
        match self.ask("end the server", &["kill-server"]) {
            Err(other) if other.is_absence() => Ok(()),
            other => other.map(drop),
        }
    }

    /// Shows the agent's status in its status line. Returns whether the agent has a session.
    pub fn note_status(&self, session: &str, id: AgentId, text: &str) -> Result<bool, TmuxError> {
        let mut deed = Script::default();
        deed.then(&command(&["set-option", "-t", &target::pane_of(session), "@symposium_status", text]));
        gone_is_false(self.when_owned("note a status", Owned { session, id }, deed))
    }

    /// Shows in the status lines of all sessions how many agents need an answer. The key `N` visits them in this order.
    pub fn note_needing_answer(&self, names: &[AgentName]) -> Result<(), TmuxError> {
        let list: String = names.iter().map(|name| format!("{name} ")).collect();
        let mut script = Script::default();
        script.then(&command(&["set-option", "-s", "@symposium_needing", &list]));
        script.then(&command(&["set-option", "-s", "@symposium_needing_count", &names.len().to_string()]));
        match self.tell("show who needs an answer", script) {
            Err(other) if other.is_absence() => Ok(()),
            other => other.map(drop),
        }
    }

    /// Stores a newer record in the agent's session. Returns whether the agent has one.
    pub fn note_record(&self, session: &str, id: AgentId, record: &str) -> Result<bool, TmuxError> {
        let mut deed = Script::default();
        deed.then(&command(&["set-option", "-t", &target::pane_of(session), "@symposium_record", record]));
        gone_is_false(self.when_owned("note a record", Owned { session, id }, deed))
    }

    /// Requests another event when the pane prints, without waiting until it falls silent first.
    pub fn rearm_activity(&self, pane: &str) -> Result<(), TmuxError> {
        let pane = target::pane(pane)?;
        self.ask("watch a pane", &["set-option", "-w", "-t", pane, "monitor-activity", "on"]).map(drop)
    }

    /// Requests another event for the pane's silence if it is still silent.
    pub fn rearm_silence(&self, pane: &str) -> Result<(), TmuxError> {
        let pane = target::pane(pane)?;
        // `kill-session -C` kills nothing: it clears the alert.
        let words =
            ["set-option", "-w", "-t", pane, "@symposium_quiet", "0", ";", "kill-session", "-C", "-t", pane];
        self.ask("watch a pane", &words).map(drop)
    }

    /// Makes the silence timers of all windows expire together from now on. tmux wakes up for each of them every two
    /// seconds, also in windows that have been silent for a long time, and checks every pane whenever it wakes up.
    /// Pending silence events arrive up to two seconds later. Succeeds if no server is running.
    pub fn gather_silences(&self) -> Result<(), TmuxError> {
        // Setting the option, even to its current value, restarts the silence timers of all windows.
        let again = ["set-option", "-gF", "monitor-silence", "#{monitor-silence}"];
        match self.ask("gather silences", &again) {
            Err(other) if other.is_absence() => Ok(()),
            other => other.map(drop),
        }
    }

    /// Runs the commands if the session belongs to the agent. Returns whether it does.
    fn when_owned(&self, what: &'static str, whose: Owned<'_>, mut deed: Script) -> Result<bool, TmuxError> {
        let Owned { session, id } = whose;
        deed.then(&command(&["display-message", "-p", "done"]));
        // The name is compared too, because tmux evaluates the condition for another session if this one does not
        // exist.
        let name = target::in_format(session);
        let test = format!("#{{&&:#{{==:#{{session_name}},{name}}},#{{==:#{{@symposium_id}},{id}}}}}");
        let mut script = Script::default();
        script.then(&command(&["if-shell", "-F", "-t", &target::pane_of(session), &test]));
        script.word(deed.finish(what)?);
        Ok(self.tell(what, script)?.lines().any(|line| line == "done"))
    }
}

/// A session and the agent that it must belong to.
struct Owned<'a> {
    session: &'a str,
    id: AgentId,
}

/// Converts the absence of the session to `false`.
fn gone_is_false(answer: Result<bool, TmuxError>) -> Result<bool, TmuxError> {
    match answer {
        Err(other) if other.is_absence() => Ok(false),
        other => other,
    }
}
