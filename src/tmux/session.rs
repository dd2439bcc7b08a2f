//! Sessions that are there: their records, their names, their end. A session is touched only when it carries
//! the id of the agent that is meant, and the check and the deed are one step inside the server.

use super::script::{Script, command};
use super::{Tmux, TmuxError, target};
use crate::model::{AgentId, AgentName};

/// Lets the server read and hand on what a program printed last, when it has not yet seen that the program ended:
/// with the session, its pipe is thrown away. One turn of its loop is nearly always enough, a few always are.
const LAST_WORDS: [&str; 2] = ["run-shell -d 0.001", "run-shell -d 0.01"];

impl Tmux {
    /// The record that each of our sessions carries, as JSON.
    pub fn records(&self) -> Result<Vec<(String, String)>, TmuxError> {
        // The name's length comes first, because a session that somebody renamed may be called anything.
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

    /// Gives an agent's session another name, and the record that says so.
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

    /// Ends the session called exactly that, if it is this agent's; says whether there was one.
    pub fn kill_session(&self, session: &str, id: AgentId) -> Result<bool, TmuxError> {
        let mut deed = Script::default();
        let pane = target::pane_of(session);
        for wait in LAST_WORDS {
            deed.then(&command(&["if-shell", "-F", "-t", &pane, "#{pane_dead}", "", wait]));
        }
        deed.then(&command(&["kill-session", "-t", &target::session(session)]));
        gone_is_false(self.when_owned("kill", Owned { session, id }, deed))
    }

    /// Ends our server.
    pub fn end(&self) -> Result<(), TmuxError> {
        match self.ask("end the server", &["kill-server"]) {
            Err(other) if other.is_absence() => Ok(()),
            other => other.map(drop),
        }
    }

    /// Shows what the agent does in its status line; says whether it has a session.
    pub fn note_status(&self, session: &str, id: AgentId, text: &str) -> Result<bool, TmuxError> {
        let mut deed = Script::default();
        deed.then(&command(&["set-option", "-t", &target::pane_of(session), "@symposium_status", text]));
        gone_is_false(self.when_owned("note a status", Owned { session, id }, deed))
    }

    /// Shows how many agents need an answer in the status lines of all sessions, and lets the key `N` go to them in this order.
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

    /// Keeps a newer record with the agent's session; says whether it has one.
    pub fn note_record(&self, session: &str, id: AgentId, record: &str) -> Result<bool, TmuxError> {
        let mut deed = Script::default();
        deed.then(&command(&["set-option", "-t", &target::pane_of(session), "@symposium_record", record]));
        gone_is_false(self.when_owned("note a record", Owned { session, id }, deed))
    }

    /// Wants to be told again when this pane prints, without waiting for it to fall quiet first.
    pub fn rearm_activity(&self, pane: &str) -> Result<(), TmuxError> {
        let pane = target::pane(pane)?;
        self.ask("watch a pane", &["set-option", "-w", "-t", pane, "monitor-activity", "on"]).map(drop)
    }

    /// Has the server tell once more that the pane is quiet, when it still is.
    pub fn rearm_silence(&self, pane: &str) -> Result<(), TmuxError> {
        let pane = target::pane(pane)?;
        // `kill-session -C` kills nothing: it forgets that an alert was given.
        let words =
            ["set-option", "-w", "-t", pane, "@symposium_quiet", "0", ";", "kill-session", "-C", "-t", pane];
        self.ask("watch a pane", &words).map(drop)
    }

    /// Has the timers of all windows' silences run out together from now on. tmux wakes for each of them every two
    /// seconds, also when it has long been quiet, and looks at every pane whenever it wakes. What is being waited
    /// for comes up to two seconds later. Nothing happens when there is no server.
    pub fn gather_silences(&self) -> Result<(), TmuxError> {
        // Set to what it is: that begins every window's silence anew.
        let again = ["set-option", "-gF", "monitor-silence", "#{monitor-silence}"];
        match self.ask("gather silences", &again) {
            Err(other) if other.is_absence() => Ok(()),
            other => other.map(drop),
        }
    }

    /// Runs the deed if the session is the agent's, and says whether it was.
    fn when_owned(&self, what: &'static str, whose: Owned<'_>, mut deed: Script) -> Result<bool, TmuxError> {
        let Owned { session, id } = whose;
        deed.then(&command(&["display-message", "-p", "done"]));
        // The name is asked again: for a session that is not there tmux tests the condition on another one.
        let name = target::in_format(session);
        let test = format!("#{{&&:#{{==:#{{session_name}},{name}}},#{{==:#{{@symposium_id}},{id}}}}}");
        let mut script = Script::default();
        script.then(&command(&["if-shell", "-F", "-t", &target::pane_of(session), &test]));
        script.word(deed.finish(what)?);
        Ok(self.tell(what, script)?.lines().any(|line| line == "done"))
    }
}

/// A session and the agent it must belong to.
struct Owned<'a> {
    session: &'a str,
    id: AgentId,
}

/// To find nothing is an answer here, not an error.
fn gone_is_false(answer: Result<bool, TmuxError>) -> Result<bool, TmuxError> {
    match answer {
        Err(other) if other.is_absence() => Ok(false),
        other => other,
    }
}
