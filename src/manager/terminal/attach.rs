//! `agent attach`: hands this terminal over to tmux.
//!
//! The first process of a terminal becomes the tmux client: programs that open terminals, such as the VS Code
//! extension, match their process with `clients[].pid`. Below a shell this process starts the client and waits for it,
//! because a tmux server that is killed leaves the terminal raw, and the client ends without touching it. Only a
//! process that the shell waits for can restore the terminal in time: bash keeps the modes that it finds when a program
//! has ended.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::error::{Code, Error, shown};
use crate::git;
use crate::manager::launch::Launcher;
use crate::manager::lifecycle::Hibernation;
use crate::manager::registry::RegistryWriter;
use crate::manager::status::lookup::is_in_terminal;
use crate::manager::status::{AgentLookup, StatusTracker};
use crate::manager::supervisor::ServiceInstallation;
use crate::manager::terminal::Attachments;
use crate::model::{Agent, AgentName, Exit, HostName};
use crate::process::{self, Run, WITH_PARENT, terminfo};
use crate::tmux::{AttachAs, AttachEntry, AttachSurroundings, CoverPage, JoinReason};

/// The options of `agent attach`.
#[derive(Debug, Clone, Copy)]
pub struct AttachRequest<'a> {
    /// The agent to attach to.
    pub name: &'a AgentName,
    /// Whether to attach as driver, to take over, or to observe.
    pub how: AttachAs,
    /// The name that the user's machine has for this host.
    pub host: Option<&'a HostName>,
    /// Whether this is a new client or replaces one whose connection was lost.
    pub arrival: JoinReason,
    /// Whether the terminal is a plain one or a pane of the user's own tmux.
    pub around: AttachSurroundings,
    /// The page that covers the screen until a key is pressed.
    pub cover: Option<&'a CoverPage>,
    /// Whether this process may become the client.
    pub process: ClientProcess,
}

/// The process that becomes the tmux client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClientProcess {
    /// This process, if it is the first one of its terminal; otherwise a child.
    SelfOrChild,
    /// Always a child, for a program that continues after the client has detached.
    Child,
}

/// The outcome of an attach, if the process was not replaced.
#[derive(Debug, PartialEq, Eq)]
pub enum Attaching {
    /// The terminal was already inside our tmux server and shows the agent now.
    Switched,
    /// The terminal was attached, and the client has ended.
    Left(Exit),
}

impl Attachments<'_> {
    /// Attaches this terminal. Calls `before` as the last step, with the prefix key. In the first process of a terminal
    /// this function returns only if the client was switched inside our tmux server, or on failure.
    pub fn attach(
        &self,
        request: AttachRequest<'_>,
        before: impl FnOnce(&Agent, &str),
    ) -> Result<Attaching, Error> {
        self.refuse_terminal(Some(request.name))?;
        Hibernation(self.0).wake(request.name)?;
        let agent = self.attachable(request.name)?;
        RegistryWriter(self.0).write(|edit| {
            if let Ok(Some(mut record)) = edit.get(request.name) {
                record.last_attached = Some(self.0.now());
                edit.put(record);
            }
        })?;
        if request.how != AttachAs::Observer {
            Launcher(self.0).point_to_editor(agent.id);
        }
        let tmux = self.0.tmux()?;
        let from = self.0.env.var("SSH_CONNECTION").and_then(|text| process::address_of(text.to_str()?));
        let user = ServiceInstallation(self.0).user();
        let entry = AttachEntry {
            session: request.name,
            how: request.how,
            policy: self.0.settings().attach.policy,
            user: user.as_deref().unwrap_or("unknown user"),
            host: request.host,
            arrival: request.arrival,
            owner: None,
            from: from.as_deref(),
            now: self.0.now(),
            // The page covers the pane, so guests would read it too; they are permitted to see the screen only.
            cover: request.cover.filter(|_| !agent.clients.iter().any(|client| client.guest)),
            around: request.around,
        };
        let facts = tmux.before_attach(request.name)?;
        if !facts.shows_needing_answer {
            RegistryWriter(self.0).show_needing_answer();
        }
        before(&agent, &facts.prefix);
        if tmux.is_inside(self.0.env.var("TMUX")) {
            tmux.switch_own_client(&entry, self.0.env.all())?;
            return Ok(Attaching::Switched);
        }
        let env = self.0.env.for_terminals();
        let needs_child = request.process == ClientProcess::Child || !process::is_session_leader();
        if needs_child && let Some(words) = tied_words(&facts.client, tmux.attach_words(&entry)?) {
            // A client whose parent was killed must also release the terminal to the shell.
            let run = Run { program: Path::new(WITH_PARENT[0]), args: &words, dir: None, env: Some(&env) };
            let exit = process::run_in_job(&run).map_err(Error::io("cannot start tmux"))?;
            if exit.signal.is_some() {
                // The server resets the terminal of a client that was killed, and clears its screen. An answer means that
                // it has done so; the shell's prompt, which comes next, would be cleared otherwise.
                let _ = tmux.snapshot();
            }
            return Ok(Attaching::Left(exit));
        }
        Err(tmux.attach(&entry, &facts.client, env).into())
    }

    /// Returns an agent that has a screen in tmux, or an error that explains why it has none.
    pub(in crate::manager) fn attachable(&self, name: &AgentName) -> Result<Agent, Error> {
        // Many clients may attach at once, so usually tmux is asked for this session only.
        if let Some(agent) = AgentLookup(self.0).settled_agent(name)? {
            return Ok(agent);
        }
        let current_agents = StatusTracker(self.0).current_agents()?;
        let Some(agent) = current_agents.agents.into_iter().find(|agent| agent.name == *name) else {
            return Err(self.0.no_such_agent(name, "attach"));
        };
        if is_in_terminal(&agent) {
            return Err(Error::in_terminal(&agent.name));
        }
        if agent.tmux.is_none() {
            let status = format!("{} ({})", agent.status, agent.reason);
            return Err(current_agents.silence.unwrap_or(Error::not_running(&agent.name, status)));
        }
        Ok(agent)
    }

    /// Returns an error if no agent has this name.
    pub fn refuse_unknown(&self, name: &AgentName) -> Result<(), Error> {
        match self.0.store.find(name, self.0.now())? {
            Some(_) => Ok(()),
            // The agent may exist in tmux only; the lookup records it.
            None => AgentLookup(self.0).agent(name, "attach").map(drop),
        }
    }

    /// Returns an error if tmux cannot draw on this terminal, before anything is changed.
    pub fn refuse_terminal(&self, name: Option<&AgentName>) -> Result<(), Error> {
        let term = self.0.env.var("TERM").map(|term| term.to_string_lossy().into_owned()).unwrap_or_default();
        let home = self.0.env.user_home();
        let terminfo_dirs = terminfo::TerminfoDirs {
            own: self.0.env.var("TERMINFO").map(PathBuf::from),
            more: self.0.env.var("TERMINFO_DIRS"),
            home: home.as_deref(),
        };
        match terminfo::can_show(&term, &terminfo_dirs) {
            true => Ok(()),
            false => Err(bad_terminal(&term, name)),
        }
    }

    /// Returns what surrounds this terminal when it attaches to an agent of this machine.
    pub fn around(&self) -> AttachSurroundings {
        let tmux = self.0.tmux();
        // Inside our own server the client is switched, and its keys stay as they are.
        if !self.0.is_within_tmux() || tmux.as_ref().is_ok_and(|ours| ours.is_inside(self.0.env.var("TMUX")))
        {
            return AttachSurroundings::Terminal;
        }
        match tmux.and_then(|tmux| Ok(tmux.prefix()?)) {
            Ok(prefix) if !self.0.own_tmux_takes(&prefix) => AttachSurroundings::Terminal,
            _ => AttachSurroundings::OwnTmux,
        }
    }

    /// Returns the agents that an attach without a name may refer to: those of this project, otherwise all, sorted for
    /// display.
    pub fn candidates(&self) -> Result<Vec<Agent>, Error> {
        let current_agents = StatusTracker(self.0).current_agents()?;
        if let Some(silence) = current_agents.silence {
            return Err(silence);
        }
        let mut agents = current_agents.agents;
        agents.retain(|agent| agent.tmux.is_some());
        crate::rules::status::display_order::sort_for_display(&mut agents);
        let here = self.project_here();
        let (ours, others): (Vec<_>, Vec<_>) = agents
            .into_iter()
            .partition(|agent| here.is_some() && agent.project.as_deref() == here.as_deref());
        Ok(if ours.is_empty() { others } else { ours })
    }

    /// Returns the project around a directory, if the text is a path.
    pub fn project_named(&self, text: &str) -> Option<String> {
        let is_path = text.contains('/') || matches!(text, "." | "..");
        let dir = self.0.env.cwd()?.join(Some(text).filter(|_| is_path)?).canonicalize().ok()?;
        git::project(&dir).unwrap_or(dir).to_str().map(str::to_owned)
    }

    /// Returns the project around the current directory.
    pub fn project_here(&self) -> Option<String> {
        let cwd: PathBuf = self.0.env.cwd()?.canonicalize().ok()?;
        let project = git::project(&cwd).unwrap_or(cwd);
        project.to_str().map(str::to_owned)
    }

    /// Returns whether these agents belong to the current project.
    pub fn are_of_this_project(&self, agents: &[Agent]) -> bool {
        let here = self.project_here();
        here.is_some() && agents.first().is_some_and(|agent| agent.project == here)
    }
}

/// Returns the arguments that make our binary run a program that dies with this process, or `None` if an argument is
/// not valid UTF-8.
fn tied_words(program: &Path, words: Vec<OsString>) -> Option<Vec<String>> {
    let program = program.as_os_str().to_owned();
    let all = [WITH_PARENT[1].into(), program].into_iter().chain(words);
    all.map(|word| word.into_string().ok()).collect()
}

/// Returns the error for a terminal type that cannot display an agent's screen.
fn bad_terminal(term: &str, name: Option<&AgentName>) -> Error {
    let what = match term {
        "" => "this terminal cannot show an agent: TERM is not set".to_owned(),
        term => format!(
            "this terminal cannot show an agent: TERM is `{}`, which lacks required capabilities",
            shown(term)
        ),
    };
    let error = Error::new(Code::BadTerminal, what);
    match name {
        Some(name) => error
            .hint(format!(
                "most terminals are compatible with this: `TERM=xterm-256color symposium agent attach {name}`"
            ))
            .hint(format!("or look with `symposium agent peek {name}`")),
        None => error
            .saw("nothing was started")
            .hint("most terminals are compatible with this: `export TERM=xterm-256color`"),
    }
}
