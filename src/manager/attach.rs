//! `agent attach`: hands this terminal over to tmux.
//!
//! The first process of a terminal becomes the tmux client: programs that open terminals, such as the VS Code extension, match
//! their process with `clients[].pid`. Below a shell this process starts the client and waits for it, because a tmux server
//! that is killed leaves the terminal raw, and the client ends without touching it. Only a process that the shell waits for
//! can restore the terminal in time: bash keeps the modes that it finds when a program has ended.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::Manager;
use super::foreground::is_in_terminal;
use crate::env::Env;
use crate::error::Error;
use crate::git;
use crate::model::{Agent, AgentName, Exit, HostName};
use crate::process::{self, Run, TIE, terminfo};
use crate::tmux::{Around, Arrival, AttachAs, CoverPage, Entry};

/// What a user asked for.
#[derive(Debug, Clone, Copy)]
pub struct AttachRequest<'a> {
    /// The agent.
    pub name: &'a AgentName,
    /// What for.
    pub how: AttachAs,
    /// What the machine that the person sits at calls this one.
    pub host: Option<&'a HostName>,
    /// Whether for the first time.
    pub arrival: Arrival,
    /// What is around the terminal.
    pub around: Around,
    /// The page that covers the screen until a key is pressed.
    pub cover: Option<&'a CoverPage>,
}

/// How far attaching got, when the process was not replaced.
#[derive(Debug, PartialEq, Eq)]
pub enum Attaching {
    /// The terminal was inside our own server already and shows the agent now.
    Switched,
    /// The terminal was attached, and the client has ended.
    Left(Exit),
}

impl Manager {
    /// Attaches this terminal, `before` being the last that is done in it; it is told the prefix key too. The first process of
    /// a terminal returns only when it was switched inside our own server, or failed.
    pub fn attach(
        &self,
        request: AttachRequest<'_>,
        before: impl FnOnce(&Agent, &str),
    ) -> Result<Attaching, Error> {
        self.refuse_terminal(Some(request.name))?;
        self.wake(request.name)?;
        let survey = self.survey()?;
        let Some(agent) = survey.agents.into_iter().find(|agent| agent.name == *request.name) else {
            return Err(self.no_such_agent(request.name, "attach"));
        };
        if is_in_terminal(&agent) {
            return Err(Error::InTerminal { name: agent.name });
        }
        if agent.tmux.is_none() {
            let status = format!("{} ({})", agent.status, agent.reason);
            return Err(survey.silence.unwrap_or(Error::NotRunning { name: agent.name, status }));
        }
        self.write(|edit| {
            if let Ok(Some(mut record)) = edit.get(request.name) {
                record.last_attached = Some(Env::now());
                edit.put(record);
            }
        })?;
        if request.how != AttachAs::Observer {
            self.point_to_editor(agent.id);
        }
        let tmux = self.tmux()?;
        let from = self.env.var("SSH_CONNECTION").and_then(|text| process::address_of(text.to_str()?));
        let user = self.user();
        let entry = Entry {
            session: request.name,
            how: request.how,
            policy: self.settings().attach.policy,
            user: user.as_deref().unwrap_or("somebody"),
            host: request.host,
            arrival: request.arrival,
            owner: None,
            from: from.as_deref(),
            now: Env::now(),
            // The page covers the pane, so guests would read it too; they were let in to the screen only.
            cover: request.cover.filter(|_| !agent.clients.iter().any(|client| client.guest)),
            around: request.around,
        };
        let facts = tmux.before_attach(request.name)?;
        if !facts.shows_needing_answer {
            self.show_needing_answer();
        }
        before(&agent, &facts.prefix);
        if tmux.is_inside(self.env.var("TMUX")) {
            tmux.switch_client(&entry, self.env.all())?;
            return Ok(Attaching::Switched);
        }
        let env = self.env.for_terminals();
        if !process::is_session_leader()
            && let Some(words) = tied_words(&facts.client, tmux.attach_words(&entry)?)
        {
            // Also a client whose parent was killed must leave the terminal, to the shell.
            let run = Run { program: Path::new(TIE[0]), args: &words, dir: None, env: Some(&env) };
            return process::run_in_job(&run).map(Attaching::Left).map_err(Error::io("cannot start tmux"));
        }
        Err(tmux.attach(&entry, &facts.client, env).into())
    }

    /// Says no to a name that no agent has.
    pub fn refuse_unknown(&self, name: &AgentName) -> Result<(), Error> {
        match self.store.find(name, Env::now())? {
            Some(_) => Ok(()),
            // It may be in tmux alone, and is written down by a look at it.
            None => self.agent(name, "attach").map(drop),
        }
    }

    /// Says no to a terminal that tmux could not draw on, before anything is done for it.
    pub fn refuse_terminal(&self, name: Option<&AgentName>) -> Result<(), Error> {
        let term = self.env.var("TERM").map(|term| term.to_string_lossy().into_owned()).unwrap_or_default();
        let home = self.env.user_home();
        let places = terminfo::Places {
            own: self.env.var("TERMINFO").map(PathBuf::from),
            more: self.env.var("TERMINFO_DIRS"),
            home: home.as_deref(),
        };
        match terminfo::can_show(&term, &places) {
            true => Ok(()),
            false => Err(Error::BadTerminal { term, name: name.cloned() }),
        }
    }

    /// What is around this terminal, for one that comes to an agent of this machine.
    pub fn around(&self) -> Around {
        // Inside our own server the terminal is switched, and the keys stay as they are.
        match self.is_within_tmux() && !self.tmux().is_ok_and(|ours| ours.is_inside(self.env.var("TMUX"))) {
            true => Around::OwnTmux,
            false => Around::Terminal,
        }
    }

    /// Whether there is any tmux between the person and this terminal: on the way to another machine ours is one too.
    pub fn is_within_tmux(&self) -> bool {
        self.env.var("TMUX").is_some()
    }

    /// The agents one may mean by naming none: those of this project, else all; what can be attached to first.
    pub fn candidates(&self) -> Result<Vec<Agent>, Error> {
        let survey = self.survey()?;
        if let Some(silence) = survey.silence {
            return Err(silence);
        }
        let mut agents = survey.agents;
        agents.retain(|agent| agent.tmux.is_some());
        crate::rules::order::for_people(&mut agents);
        let here = self.project_here();
        let (ours, others): (Vec<_>, Vec<_>) = agents
            .into_iter()
            .partition(|agent| here.is_some() && agent.project.as_deref() == here.as_deref());
        Ok(if ours.is_empty() { others } else { ours })
    }

    /// The project around a directory, when the text names one by a path.
    pub fn project_named(&self, text: &str) -> Option<String> {
        let is_path = text.contains('/') || matches!(text, "." | "..");
        let dir = self.env.cwd()?.join(Some(text).filter(|_| is_path)?).canonicalize().ok()?;
        git::project(&dir).unwrap_or(dir).to_str().map(str::to_owned)
    }

    /// The project around the current directory.
    pub fn project_here(&self) -> Option<String> {
        let cwd: PathBuf = self.env.cwd()?.canonicalize().ok()?;
        let project = git::project(&cwd).unwrap_or(cwd);
        project.to_str().map(str::to_owned)
    }

    /// Whether agents of the current project are among these.
    pub fn are_of_this_project(&self, agents: &[Agent]) -> bool {
        let here = self.project_here();
        here.is_some() && agents.first().is_some_and(|agent| agent.project == here)
    }
}

/// The arguments that make our binary a program that ends with this process; `None` if they are not text.
fn tied_words(program: &Path, words: Vec<OsString>) -> Option<Vec<String>> {
    let program = program.as_os_str().to_owned();
    let all = [TIE[1].into(), program].into_iter().chain(words);
    all.map(|word| word.into_string().ok()).collect()
}
