//! `agent attach HOST:NAME`: attaches this terminal to an agent on another machine, and reconnects when the connection
//! is lost.
//!
//! The agent is not affected by a lost connection. Each attachment has an id by which the remote side recognizes its
//! previous connection, so that a client with a dead connection does not remain the driver.

use std::time::Duration;

use crate::env::Env;
use crate::error::{Error, shown};
use crate::manager::hosts::Hosts;
use crate::manager::hosts::manage::connection_error;
use crate::manager::status::AgentLookup;
use crate::model::{AgentName, HostName};
use crate::process;
use crate::rules::remote::{is_refused, never_connected, pause};
use crate::ssh::{LostConnection, RemoteAttachArgs};
use crate::store::{RequestSpool, RunFiles};
use crate::tmux::AttachAs;

/// The option that takes over from the current driver.
pub const TAKE: &str = "--take";

/// The option that reports a tmux between the user and this terminal.
pub const WITHIN_TMUX: &str = "--within-tmux";

/// How long an attachment with a lost connection is remembered.
const MAX_ABSENCE: Duration = Duration::from_secs(86_400);

/// Arguments of an attachment to a remote agent.
#[derive(Debug, Clone)]
pub struct RemoteAttach {
    /// The host of the agent.
    pub host: HostName,
    /// The agent's name on the host.
    pub name: AgentName,
    /// Whether to attach as driver or observer.
    pub observe: AttachAs,
    /// Options that are passed on, all of them constants.
    pub options: Vec<&'static str>,
}

/// A change of the connection of an attached terminal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LinkEvent {
    /// The connection was lost, with ssh's reason if there is one. The next attempt starts after this time.
    Lost(Duration, Option<String>),
    /// A new attempt starts now.
    Trying,
    /// The connection ended regularly, with this last message.
    Left(String),
}

/// The previous client of an attachment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PreviousClient {
    /// There was none: this is the first connection.
    NotAttached,
    /// The client has left, or was not the driver.
    Gone,
    /// The client was the driver until now.
    Driver,
}

impl Hosts<'_> {
    /// Attaches and reconnects until the user leaves. Returns the exit code of the remote side. Calls `last` if this
    /// process receives a signal to end meanwhile.
    pub fn attach_remote(
        &self,
        request: &RemoteAttach,
        on_event: &mut dyn FnMut(LinkEvent),
        last: impl Fn() + Send + Clone + 'static,
    ) -> Result<u8, Error> {
        process::on_end(last).map_err(Error::io("cannot wait for a signal"))?;
        let host = self.host(&request.host)?;
        let ssh = self.ssh()?;
        let link = uuid::Uuid::new_v4();
        let mut options = request.options.clone();
        if request.observe == AttachAs::Observer {
            options.push("--observe");
        }
        let (mut tries, mut was_there) = (0, false);
        loop {
            let began = std::time::Instant::now();
            let (name, host_name) = (&request.name, &request.host);
            let words = RemoteAttachArgs {
                name,
                options: &options,
                link,
                host: host_name,
                tie: process::WITH_PARENT,
            };
            let (exit, output) = ssh.attach(&host, &words)?;
            let lost = |code| LostConnection {
                code: Some(code),
                output: output.clone(),
                ..LostConnection::default()
            };
            match exit.code {
                Some(code) if code != 255 => {
                    if !was_there && matches!(code, 126 | 127) {
                        return Err(connection_error(&host, &lost(code)));
                    }
                    on_event(LinkEvent::Left(output));
                    return Ok(u8::try_from(code).unwrap_or(1));
                }
                _ => {}
            }
            let is_cut = !never_connected(&output);
            if !is_cut && (!was_there || is_refused(&output)) {
                return Err(connection_error(&host, &lost(255)));
            }
            was_there = true;
            // A reconnect does not repeat the take-over, because another client may have taken over since. A client
            // that was the driver until the loss becomes the driver again.
            options.retain(|option| *option != TAKE);
            ssh.retire_connection(&host);
            // The backoff starts again after a connection that lasted for a while; otherwise the delay grows.
            tries = if is_cut && began.elapsed() > pause(u32::MAX) { 1 } else { tries + 1 };
            let wait = pause(tries);
            let why = output.lines().last().map(shown).filter(|_| !is_cut);
            on_event(LinkEvent::Lost(wait, why));
            std::thread::sleep(wait);
            on_event(LinkEvent::Trying);
        }
    }

    /// Replaces the client that was attached under this id before, if its connection was lost. Returns its role.
    pub fn take_link(&self, name: &AgentName, link: uuid::Uuid) -> Result<PreviousClient, Error> {
        let file = format!("link-{link}");
        let before = RunFiles(&self.0.store).read(&file).and_then(|bytes| String::from_utf8(bytes).ok());
        let before = before.as_deref().and_then(|text| text.split_once(' '));
        let mut was = if before.is_some() { PreviousClient::Gone } else { PreviousClient::NotAttached };
        if let Some((pid, tty)) = before
            && let Ok(pid) = pid.parse()
            && !process::wait_exit(pid, Duration::ZERO).unwrap_or(true)
        {
            let clients = AgentLookup(self.0).agent(name, "attach")?.clients;
            if clients.iter().any(|client| client.driver && client.tty == tty) {
                was = PreviousClient::Driver;
            }
            self.0.tmux()?.detach(name.as_str(), Some(tty))?;
        } else if let Some((pid, tty)) = before
            && self.0.tmux()?.was_last_driver(name, &format!("{pid}@{tty}"))?
        {
            // If several connections were lost at once, each client gets its former role back, in whatever order they
            // return.
            was = PreviousClient::Driver;
        }
        // The tmux client will have the process id and terminal of this process.
        let tty = Env::terminal().unwrap_or_default();
        RunFiles(&self.0.store).write(&file, format!("{} {tty}", std::process::id()).as_bytes())?;
        let long_ago = self.0.now() - MAX_ABSENCE;
        let is_gone = |pid| process::wait_exit(pid, Duration::ZERO).unwrap_or(false);
        RequestSpool(&self.0.store).forget_links(&file, long_ago, is_gone);
        Ok(was)
    }
}
