//! Lists the clients of all sessions and applies corrections after a client left or attached without our commands.

use jiff::Timestamp;

use crate::model::{AgentName, AttachedClients, Step, Terminal};
use crate::tmux::clients::driver::{
    OBSERVER, SHOWN_MS, in_words, known_as, let_type, name_in, told, wants, wants_no_more,
};
use crate::tmux::clients::guests::{GuestMay, guest_in};
use crate::tmux::script::{Script, command};
use crate::tmux::snapshot::clock;
use crate::tmux::{Tmux, TmuxError, clients::size, target};

const SEAT: &str = "#{client_readonly}|#{m:*ignore-size*,#{client_flags}}|#{@symposium_sizer}|#{client_created}|#{@symposium_driver}|#{@symposium_wanting}|#{@symposium_guests}|#{client_user}|#{client_pid}@#{client_name}|#{session_name}";

impl Tmux {
    /// Returns the clients of all sessions that have any.
    pub fn seats(&self) -> Result<Vec<AttachedClients>, TmuxError> {
        let text = match self.ask("look for terminals", &["list-clients", "-F", SEAT]) {
            Err(other) if other.is_absence() => return Ok(Vec::new()),
            other => other?,
        };
        let mut lines: Vec<Seat<'_>> = text.lines().filter_map(Seat::parse).collect();
        lines.sort_by_key(|seat| seat.since);
        let mut all: Vec<AttachedClients> = Vec::new();
        for seat in lines {
            let at = all.iter().position(|seats| seats.session == seat.session).unwrap_or_else(|| {
                let (driver, waiting) = (Some(seat.driver).filter(|key| !key.is_empty()), seat.waiting);
                all.push(AttachedClients {
                    session: seat.session.to_owned(),
                    driver: driver.map(str::to_owned),
                    waiting: waiting.split_whitespace().map(key_in).collect(),
                    sizer: Some(seat.sizer).filter(|name| !name.is_empty()).map(str::to_owned),
                    terminals: Vec::new(),
                });
                all.len() - 1
            });
            all[at].terminals.push(seat.terminal());
        }
        Ok(all)
    }

    /// Returns `true` if this client, which has left, is the last that asked to drive and did, and no client that
    /// became the driver since is attached.
    pub fn drove_last(&self, session: &AgentName, key: &str) -> Result<bool, TmuxError> {
        let mut script = Script::default();
        let at = target::pane_of(session.as_str());
        script.then(&command(&["display-message", "-p", "-t", &at, "#{@symposium_chosen}"]));
        let session = target::session(session.as_str());
        script.then(&command(&["list-clients", "-t", &session, "-F", "#{client_pid}@#{client_name}"]));
        let said = match self.tell("look who drove", script) {
            Err(other) if other.is_absence() => return Ok(false),
            other => other?,
        };
        let mut lines = said.lines();
        let mut chosen = lines.next().unwrap_or_default().split_whitespace();
        let there: Vec<&str> = lines.collect();
        Ok(chosen.next() == Some(key) && !chosen.any(|heir| there.contains(&heir)))
    }

    /// Removes clients that have left from the list of waiting clients.
    pub fn forget_terminals(&self, keys: &[String]) -> Result<(), TmuxError> {
        let mut script = Script::default();
        keys.iter().for_each(|key| wants_no_more(key, &mut script));
        match self.tell("forget terminals", script) {
            Err(other) if other.is_absence() => Ok(()),
            other => other.map(drop),
        }
    }

    /// Applies the changes, unless the driver has changed since `seats` was read.
    pub fn reseat(&self, seats: &AttachedClients, steps: &[Step], now: Timestamp) -> Result<(), TmuxError> {
        let (session, at) = (&seats.session, target::pane_of(&seats.session));
        let mut deed = Script::default();
        for step in steps {
            step.done(seats, now, &mut deed);
        }
        if steps.iter().any(|step| matches!(step, Step::Drive(_) | Step::Watch(_) | Step::Size(_))) {
            size::fitted(session, &mut deed)?;
        }
        let (name, seen) = (target::in_format(session), seats.driver.as_deref().unwrap_or_default());
        let test = format!("#{{&&:#{{==:#{{session_name}},{name}}},#{{==:#{{@symposium_driver}},{seen}}}}}");
        let mut script = Script::default();
        script.then(&command(&["if-shell", "-F", "-t", &at, &test])).word(deed.finish("terminals")?);
        match self.tell("seat terminals", script) {
            // The client has left meanwhile. tmux reports that with an event, which triggers another check.
            Err(TmuxError::Refused { said, .. }) if said.starts_with("can't find client") => Ok(()),
            Err(other) if other.is_absence() => Ok(()),
            other => other.map(drop),
        }
    }
}

impl Step {
    fn done(&self, seats: &AttachedClients, now: Timestamp, script: &mut Script) {
        let at = target::pane_of(&seats.session);
        let terminal = |key: &str| seats.terminals.iter().find(|terminal| terminal.key == key);
        match self {
            Step::Drive(key) => {
                let words = terminal(key).map(|terminal| terminal.words.as_str()).unwrap_or_default();
                script.then(&command(&["set-option", "-t", &at, "@symposium_driver", key]));
                let (words, since) = (format!("{words} since {}", clock(now)), now.as_second().to_string());
                script.then(&command(&["set-option", "-t", &at, "@symposium_driver_words", &words]));
                script.then(&command(&["set-option", "-t", &at, "@symposium_driver_since", &since]));
                script.then(&command(&[
                    "set-option",
                    "-a",
                    "-t",
                    &at,
                    "@symposium_chosen",
                    &format!(" {key}"),
                ]));
                wants_no_more(key, script);
                // A client that can already type is left unchanged, because `switch-client` would cancel a prefix key
                // that was just pressed.
                match terminal(key).is_some_and(|terminal| terminal.guest || terminal.types) {
                    true => size::counted(Some(name_in(key)), script),
                    false => let_type(&seats.session, name_in(key), script),
                }
                let text = "you drive now";
                script.then(&command(&["display-message", "-d", SHOWN_MS, "-c", name_in(key), text]));
            }
            Step::Watch(key) => {
                let name = name_in(key);
                script.then(&command(&["refresh-client", "-t", name, "-f", OBSERVER]));
                script.then(&command(&["display-popup", "-C", "-c", name]));
                wants(&seats.session, key, now, script);
                let text = told(&known_as(&seats.session, key));
                script.then(&command(&["display-message", "-d", SHOWN_MS, "-c", name, "-t", &at, &text]));
            }
            Step::Type(key) => {
                wants_no_more(key, script);
                if terminal(key).is_some_and(|terminal| !terminal.guest) {
                    let_type(&seats.session, name_in(key), script);
                }
                script.then(&command(&["refresh-client", "-t", name_in(key), "-f", "ignore-size"]));
                size::typist(&seats.session, name_in(key), script);
            }
            Step::Size(key) => {
                for other in seats.terminals.iter().filter(|one| one.counts && one.key != *key) {
                    script.then(&command(&["refresh-client", "-t", other.name(), "-f", "ignore-size"]));
                    size::typist(&seats.session, other.name(), script);
                }
                size::typist(&seats.session, name_in(key), script);
                script.then(&command(&["set-option", "-t", &at, "@symposium_sizer", name_in(key)]));
                size::counted(Some(name_in(key)), script);
            }
            Step::Vacate => size::vacated(&seats.session, script),
        }
    }
}

/// Returns the key of an entry in the list of waiting clients.
fn key_in(entry: &str) -> String {
    entry.split('=').next().unwrap_or_default().to_owned()
}

/// Parsed line about a client.
struct Seat<'t> {
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

impl<'t> Seat<'t> {
    fn parse(line: &'t str) -> Option<Seat<'t>> {
        let mut fields = line.splitn(10, '|');
        let [readonly, ignored, sizer, since, driver, waiting, guests, user, key, session] =
            std::array::from_fn(|_| fields.next());
        // The key becomes part of a regular expression.
        let is_plain = |key: &&str| key.chars().all(|c| c.is_ascii_alphanumeric() || "/_-@".contains(c));
        Some(Seat {
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

    fn terminal(&self) -> Terminal {
        let guest = guest_in(self.guests, self.key);
        let user = guest.map_or_else(|| self.user.to_owned(), |(guest, _)| format!("guest {guest}"));
        let is_turn = self.driver.is_empty() || self.driver == self.key;
        Terminal {
            key: self.key.to_owned(),
            // For tmux a guest is read-only; symposium types on the guest's behalf.
            types: guest.map_or(self.types, |(_, may)| may == GuestMay::Type && is_turn),
            counts: self.counts,
            words: in_words(&user, name_in(self.key), None),
            guest: guest.is_some(),
            is_stalled: false,
        }
    }
}
