//! Switches attached clients from one session to another.

use std::ffi::OsString;

use crate::model::AttachedClient;
use crate::tmux::clients::attach::{AttachAs, AttachEntry};
use crate::tmux::clients::driver::{JoiningClient, OBSERVER, wants_no_more};
use crate::tmux::script::{Script, command};
use crate::tmux::{Tmux, TmuxError, clients::size, target};

impl Tmux {
    /// Switches the client that this command runs in, which belongs to our server, to the session. `env` identifies the
    /// client.
    pub fn switch_own_client(
        &self,
        entry: &AttachEntry<'_>,
        env: &[(OsString, OsString)],
    ) -> Result<(), TmuxError> {
        self.switch_client(entry, &self.own_client(env)?)
    }

    /// Switches an attached client to the session. The server decides in the same call whether the client drives it.
    pub fn switch_client(&self, entry: &AttachEntry<'_>, client: &AttachedClient) -> Result<(), TmuxError> {
        let name = client.name();
        let session = entry.session.as_str();
        let target = target::session(session);
        let mut script = Script::default();
        let switch = ["switch-client", "-c", name, "-t", &target];
        match entry.if_driven() {
            None if entry.how == AttachAs::Observer => {
                size::kept(session, &mut script);
                script.then(&command(&switch));
                script.then(&command(&["refresh-client", "-t", name, "-f", OBSERVER]));
                wants_no_more(&client.key, &mut script);
                size::not_by(session, name, &mut script)?;
            }
            None => {
                script.then(&command(&["refresh-client", "-t", name, "-f", "read-only"]));
                script.then(&command(&["switch-client", "-c", name, "-r", "-t", &target]));
                size::size_by_client(session, Some(name), &mut script)?;
            }
            Some(meeting) => {
                script.then(&command(&["refresh-client", "-t", name, "-f", "ignore-size"]));
                script.then(&command(&switch));
                let words = entry.words(name);
                let joining = JoiningClient {
                    session: entry.session,
                    named: Some(client),
                    words: &words,
                    now: entry.now,
                    arrival: entry.arrival,
                };
                script.append(&joining.claim_commands(meeting, Script::default())?);
            }
        }
        self.run_script("switch", script).map(drop)
    }

    /// Finds the client in which the caller runs.
    fn own_client(&self, env: &[(OsString, OsString)]) -> Result<AttachedClient, TmuxError> {
        let pane = env.iter().find(|(key, _)| key == "TMUX_PANE").and_then(|(_, value)| value.to_str());
        let pane = target::pane(pane.unwrap_or_default())?;
        let words = ["display-message", "-p", "-t", pane, "#{session_name}"];
        let session = self.run_words("switch", &words)?;
        let mut script = Script::default();
        let format = "#{client_activity} #{client_pid}@#{client_name}";
        script.then(&command(&[
            "list-clients",
            "-t",
            &target::session(session.trim_end_matches('\n')),
            "-F",
            format,
        ]));
        let clients = self.run_script("switch", script)?;
        // The client with the latest activity is the one that called us.
        let latest = clients.lines().filter_map(|line| line.split_once(' '));
        let latest = latest.max_by_key(|(activity, _)| activity.parse::<u64>().unwrap_or(0));
        match latest {
            Some((_, key)) => Ok(AttachedClient {
                key: key.to_owned(),
                types: true,
                counts: true,
                words: String::new(),
                guest: false,
                is_stalled: false,
            }),
            None => {
                Err(TmuxError::Refused { what: "switch", output: "no terminal shows this pane".to_owned() })
            }
        }
    }
}
