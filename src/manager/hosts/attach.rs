//! `agent attach HOST:NAME`: this terminal on an agent of another machine, back by itself when the connection was lost.
//!
//! The agent never notices. Each attaching has an id by which the far side knows the one that came before, so that a
//! terminal whose connection is dead does not stay behind as one that may type.

use crate::manager::hosts::Hosts;
use crate::manager::status::StatusTracker;
use std::time::Duration;

use crate::env::Env;
use crate::error::{Error, shown};
use crate::manager::As;
use crate::manager::hosts::manage::unreached;
use crate::model::{AgentName, HostName};
use crate::process;
use crate::rules::remote::{is_refused, never_connected, pause};
use crate::ssh::{AttachWords, Lost};

/// The option that takes over.
pub const TAKE: &str = "--take";

/// The option that tells that there is a tmux between the person and this terminal.
pub const WITHIN_TMUX: &str = "--within-tmux";

/// Whose connection was lost is expected back for so long.
const LONGEST_ABSENCE: Duration = Duration::from_secs(86_400);

/// What a user asked for.
#[derive(Debug, Clone)]
pub struct FarAttach {
    /// The machine.
    pub host: HostName,
    /// The agent there.
    pub name: AgentName,
    /// Whether only to watch.
    pub observe: As,
    /// Options that are passed on, all of them fixed words.
    pub options: Vec<&'static str>,
}

/// What happens to an attached terminal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LinkNews {
    /// The connection is gone, for this reason where ssh tells one; it is tried again after this long.
    Lost(Duration, Option<String>),
    /// It is tried again now.
    Trying,
    /// The connection ended as it should, and this was said.
    Left(String),
}

/// Who was attached under an id before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Before {
    /// Nobody: this is the first time.
    Nobody,
    /// Somebody who has left, or who did not drive.
    Gone,
    /// Somebody who drove until now.
    Driver,
}

impl Hosts<'_> {
    /// Attaches, and comes back until the person leaves; the exit code of the far side. `last` is done when this process
    /// is asked to end meanwhile.
    pub fn far_attach(
        &self,
        request: &FarAttach,
        news: &mut dyn FnMut(LinkNews),
        last: impl Fn() + Send + Clone + 'static,
    ) -> Result<u8, Error> {
        process::on_end(last).map_err(Error::io("cannot wait for a signal"))?;
        let host = self.host(&request.host)?;
        let ssh = self.ssh()?;
        let link = uuid::Uuid::new_v4();
        let mut options = request.options.clone();
        if request.observe == As::Observer {
            options.push("--observe");
        }
        let (mut tries, mut was_there) = (0, false);
        loop {
            let began = std::time::Instant::now();
            let (name, host_name) = (&request.name, &request.host);
            let words = AttachWords { name, options: &options, link, host: host_name, tie: process::TIE };
            let (exit, said) = ssh.attach(&host, &words)?;
            let lost = |code| Lost { code: Some(code), said: said.clone(), ..Lost::default() };
            match exit.code {
                Some(code) if code != 255 => {
                    if !was_there && matches!(code, 126 | 127) {
                        return Err(unreached(&host, &lost(code)));
                    }
                    news(LinkNews::Left(said));
                    return Ok(u8::try_from(code).unwrap_or(1));
                }
                _ => {}
            }
            let is_cut = !never_connected(&said);
            if !is_cut && (!was_there || is_refused(&said)) {
                return Err(unreached(&host, &lost(255)));
            }
            was_there = true;
            // Taken over once, it is not taken back from somebody who did so since; who drove until now does again.
            options.retain(|option| *option != TAKE);
            ssh.let_go(&host);
            // One that held for a while begins anew; a machine that is still away is asked ever later.
            tries = if is_cut && began.elapsed() > pause(u32::MAX) { 1 } else { tries + 1 };
            let wait = pause(tries);
            let why = said.lines().last().map(shown).filter(|_| !is_cut);
            news(LinkNews::Lost(wait, why));
            std::thread::sleep(wait);
            news(LinkNews::Trying);
        }
    }

    /// Takes the place of the terminal that was attached under this id before, when its connection was lost; who that
    /// was.
    pub fn take_link(&self, name: &AgentName, link: uuid::Uuid) -> Result<Before, Error> {
        let file = format!("link-{link}");
        let before = self.0.store.read_run(&file).and_then(|bytes| String::from_utf8(bytes).ok());
        let before = before.as_deref().and_then(|text| text.split_once(' '));
        let mut was = if before.is_some() { Before::Gone } else { Before::Nobody };
        if let Some((pid, tty)) = before
            && let Ok(pid) = pid.parse()
            && !process::wait_exit(pid, Duration::ZERO).unwrap_or(true)
        {
            let clients = StatusTracker(self.0).agent(name, "attach")?.clients;
            if clients.iter().any(|client| client.driver && client.tty == tty) {
                was = Before::Driver;
            }
            self.0.tmux()?.detach(name.as_str(), Some(tty))?;
        } else if let Some((pid, tty)) = before
            && self.0.tmux()?.drove_last(name, &format!("{pid}@{tty}"))?
        {
            // Of several whose connection was lost at once each comes back as what it was, whoever is first.
            was = Before::Driver;
        }
        // What becomes the client of tmux has our number and our terminal.
        let tty = Env::terminal().unwrap_or_default();
        self.0.store.write_run(&file, format!("{} {tty}", std::process::id()).as_bytes())?;
        let long_ago = Env::now() - LONGEST_ABSENCE;
        let is_gone = |pid| process::wait_exit(pid, Duration::ZERO).unwrap_or(false);
        self.0.store.forget_links(&file, long_ago, is_gone);
        Ok(was)
    }
}
