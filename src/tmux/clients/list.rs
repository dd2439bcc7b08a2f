//! Lists the clients of all sessions and applies corrections after a client left or attached without our commands.

use jiff::Timestamp;

use crate::model::{AgentName, AttachedClient, AttachedClients, ClientChange};
use crate::tmux::clients::driver::{
    OBSERVER, SHOWN_MS, in_words, known_as, let_type, name_in, observer_message, wants, wants_no_more,
};
use crate::tmux::clients::guests::{GuestPermission, guest_in};
use crate::tmux::script::{Script, command};
use crate::tmux::snapshot::clock;
use crate::tmux::{
    Tmux, TmuxError,
    clients::{size, variables},
    target,
};

const CLIENT_FORMAT: &str = "#{client_readonly}|#{m:*ignore-size*,#{client_flags}}|#{@symposium_sizer}|#{client_created}|#{@symposium_driver}|#{@symposium_wanting}|#{@symposium_guests}|#{client_user}|#{client_pid}@#{client_name}|#{session_name}";

impl Tmux {
    /// Returns the clients of all sessions that have any.
    pub fn attached_clients(&self) -> Result<Vec<AttachedClients>, TmuxError> {
        self.list_clients_in(&["list-clients", "-F", CLIENT_FORMAT])
    }

    /// Returns the clients of one session, or `None` if it has none.
    pub fn clients_of(&self, session: &AgentName) -> Result<Option<AttachedClients>, TmuxError> {
        let at = target::session(session.as_str());
        self.list_clients_in(&["list-clients", "-t", &at, "-F", CLIENT_FORMAT])
            .map(|mut attached| attached.pop())
    }

    fn list_clients_in(&self, list: &[&str]) -> Result<Vec<AttachedClients>, TmuxError> {
        let text = match self.run_words("list the terminals", list) {
            Err(other) if other.is_absence() => return Ok(Vec::new()),
            other => other?,
        };
        let mut lines: Vec<ClientLine<'_>> = text.lines().filter_map(ClientLine::parse).collect();
        lines.sort_by_key(|entry| entry.since);
        let mut all: Vec<AttachedClients> = Vec::new();
        for entry in lines {
            let at = all.iter().position(|attached| attached.session == entry.session).unwrap_or_else(|| {
                let (driver, waiting) = (Some(entry.driver).filter(|key| !key.is_empty()), entry.waiting);
                all.push(AttachedClients {
                    session: entry.session.to_owned(),
                    driver: driver.map(str::to_owned),
                    waiting: waiting.split_whitespace().map(key_in).collect(),
                    sizer: Some(entry.sizer).filter(|name| !name.is_empty()).map(str::to_owned),
                    terminals: Vec::new(),
                });
                all.len() - 1
            });
            all[at].terminals.push(entry.terminal());
        }
        Ok(all)
    }

    /// Returns `true` if this client, which has left, is the last that asked to drive and did, and no client that
    /// became the driver since is attached.
    pub fn was_last_driver(&self, session: &AgentName, key: &str) -> Result<bool, TmuxError> {
        let mut script = Script::default();
        let at = target::pane_of(session.as_str());
        script.then(&command(&["display-message", "-p", "-t", &at, "#{@symposium_chosen}"]));
        let session = target::session(session.as_str());
        script.then(&command(&["list-clients", "-t", &session, "-F", "#{client_pid}@#{client_name}"]));
        let output = match self.run_script("find the driver", script) {
            Err(other) if other.is_absence() => return Ok(false),
            other => other?,
        };
        let mut lines = output.lines();
        let mut chosen = lines.next().unwrap_or_default().split_whitespace();
        let there: Vec<&str> = lines.collect();
        Ok(chosen.next() == Some(key) && !chosen.any(|successor| there.contains(&successor)))
    }

    /// Removes clients that have left from the list of waiting clients.
    pub fn forget_terminals(&self, keys: &[String]) -> Result<(), TmuxError> {
        let mut script = Script::default();
        keys.iter().for_each(|key| wants_no_more(key, &mut script));
        match self.run_script("forget terminals", script) {
            Err(other) if other.is_absence() => Ok(()),
            other => other.map(drop),
        }
    }

    /// Applies the changes, unless the driver has changed since `attached` was read.
    pub fn apply_roles(
        &self,
        attached: &AttachedClients,
        steps: &[ClientChange],
        now: Timestamp,
    ) -> Result<(), TmuxError> {
        let (session, at) = (&attached.session, target::pane_of(&attached.session));
        let mut commands = Script::default();
        for step in steps {
            step.done(attached, now, &mut commands);
        }
        if steps.iter().any(|step| {
            matches!(step, ClientChange::Drive(_) | ClientChange::Watch(_) | ClientChange::Size(_))
        }) {
            size::fitted(session, &mut commands)?;
        }
        let (name, seen) = (target::in_format(session), attached.driver.as_deref().unwrap_or_default());
        let test = format!("#{{&&:#{{==:#{{session_name}},{name}}},#{{==:#{{@symposium_driver}},{seen}}}}}");
        let mut script = Script::default();
        script.then(&command(&["if-shell", "-F", "-t", &at, &test])).word(commands.finish("terminals")?);
        match self.run_script("seat terminals", script) {
            // The client has left meanwhile. tmux reports that with an event, which triggers another check.
            Err(TmuxError::Refused { output, .. }) if output.starts_with("can't find client") => Ok(()),
            Err(other) if other.is_absence() => Ok(()),
            other => other.map(drop),
        }
    }
}

impl ClientChange {
    fn done(&self, attached: &AttachedClients, now: Timestamp, script: &mut Script) {
        let at = target::pane_of(&attached.session);
        let terminal = |key: &str| attached.terminals.iter().find(|terminal| terminal.key == key);
        match self {
            ClientChange::Drive(key) => {
                let words = terminal(key).map(|terminal| terminal.words.as_str()).unwrap_or_default();
                let session = &attached.session;
                variables::set(session, "@symposium_driver", key, script);
                let (words, since) = (format!("{words} since {}", clock(now)), now.as_second().to_string());
                variables::set(session, "@symposium_driver_words", &words, script);
                variables::set(session, "@symposium_driver_since", &since, script);
                variables::set(
                    session,
                    "@symposium_chosen",
                    &format!("#{{@symposium_chosen}} {key}"),
                    script,
                );
                variables::redraw_session(session, script);
                wants_no_more(key, script);
                // A client that can already type is left unchanged, because `switch-client` would cancel a prefix key
                // that was just pressed.
                match terminal(key).is_some_and(|terminal| terminal.guest || terminal.types) {
                    true => size::counted(Some(name_in(key)), script),
                    false => let_type(&attached.session, name_in(key), script),
                }
                let text = "you drive now";
                script.then(&command(&["display-message", "-d", SHOWN_MS, "-c", name_in(key), text]));
            }
            ClientChange::Watch(key) => {
                let name = name_in(key);
                script.then(&command(&["refresh-client", "-t", name, "-f", OBSERVER]));
                script.then(&command(&["display-popup", "-C", "-c", name]));
                wants(&attached.session, key, now, script);
                let text = observer_message(&known_as(&attached.session, key));
                script.then(&command(&["display-message", "-d", SHOWN_MS, "-c", name, "-t", &at, &text]));
            }
            ClientChange::Type(key) => {
                wants_no_more(key, script);
                if terminal(key).is_some_and(|terminal| !terminal.guest) {
                    let_type(&attached.session, name_in(key), script);
                }
                script.then(&command(&["refresh-client", "-t", name_in(key), "-f", "ignore-size"]));
                size::add_size_candidate(&attached.session, name_in(key), script);
            }
            ClientChange::Size(key) => {
                for other in attached.terminals.iter().filter(|client| client.counts && client.key != *key) {
                    script.then(&command(&["refresh-client", "-t", other.name(), "-f", "ignore-size"]));
                    size::add_size_candidate(&attached.session, other.name(), script);
                }
                size::add_size_candidate(&attached.session, name_in(key), script);
                variables::set(&attached.session, "@symposium_sizer", name_in(key), script);
                size::counted(Some(name_in(key)), script);
            }
            ClientChange::Vacate => {
                size::clear_driver(&attached.session, script);
                variables::redraw_session(&attached.session, script);
            }
        }
    }
}

/// Returns the key of an entry in the list of waiting clients.
fn key_in(entry: &str) -> String {
    entry.split('=').next().unwrap_or_default().to_owned()
}

/// Parsed line about a client.
struct ClientLine<'t> {
    types: bool,
    counts: bool,
    sizer: &'t str,
    since: i64,
    driver: &'t str,
    waiting: &'t str,
    guests: &'t str,
    user: &'t str,
    key: &'t str,
    session: &'t str,
}

impl<'t> ClientLine<'t> {
    fn parse(line: &'t str) -> Option<ClientLine<'t>> {
        let mut fields = line.splitn(10, '|');
        let [readonly, ignored, sizer, since, driver, waiting, guests, user, key, session] =
            std::array::from_fn(|_| fields.next());
        // The key becomes part of a regular expression.
        let is_plain = |key: &&str| key.chars().all(|c| c.is_ascii_alphanumeric() || "/_-@".contains(c));
        Some(ClientLine {
            types: readonly? == "0",
            counts: ignored? == "0",
            sizer: sizer?,
            since: since?.parse().ok()?,
            driver: driver?,
            waiting: waiting?,
            guests: guests?,
            user: user?,
            key: key.filter(is_plain)?,
            session: session?,
        })
    }

    fn terminal(&self) -> AttachedClient {
        let guest = guest_in(self.guests, self.key);
        let user = guest.map_or_else(|| self.user.to_owned(), |(guest, _)| format!("guest {guest}"));
        let is_turn = self.driver.is_empty() || self.driver == self.key;
        AttachedClient {
            key: self.key.to_owned(),
            // For tmux a guest is read-only; symposium types on the guest's behalf.
            types: guest.map_or(self.types, |(_, may)| may == GuestPermission::Type && is_turn),
            counts: self.counts,
            words: in_words(&user, name_in(self.key), None),
            guest: guest.is_some(),
            is_stalled: false,
        }
    }
}
