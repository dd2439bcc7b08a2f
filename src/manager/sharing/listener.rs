//! `share-door`: the process in the tmux session of a share. It accepts the connections of one guest until the share
//! expires.
//!
//! It holds a lock while it lives, through which other processes find and end it. It stores nothing: the share ends
//! with the process, and a later change by another command must not be overwritten.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use crate::env::Env;
use crate::error::Error;
use crate::manager::Context;
use crate::manager::access::Access;
use crate::manager::sharing::Sharing;
use crate::manager::status::StatusTracker;
use crate::model::{Agent, AgentId, AgentName, Share};
use crate::process;
use crate::rules::access::share::time_left_at_door;
use crate::share::{Door, Facts, Guest, Place, Screen, Typed, Want};
use crate::tmux::{Around, AttachAs, Entry, GuestMay, GuestSeat, GuestTypes, JoinReason, Sizer};

/// Maximum number of simultaneous terminals of a guest.
const MOST_SCREENS: usize = 8;

impl Sharing<'_> {
    /// Accepts connections until the share expires or this process is ended.
    pub fn keep_door(context: Context, name: &AgentName, id: AgentId, uid: u32) -> Result<(), Error> {
        let context = Arc::new(context);
        let granted = || Access(&context).written_shares(name).into_iter().find(|share| share.uid == uid);
        let refused = || Error::NotSharedWith { name: name.clone(), with: uid.to_string() };
        let share = granted().ok_or_else(refused)?;
        let held = context.store.hold_door(name, &share)?.ok_or_else(|| Error::Unsafe {
            what: format!("another process keeps the door to `{name}` for user {uid}"),
            hint: format!("close it with `symposium agent unshare {name}`"),
        })?;
        // Checks again: before this process held its lock, an `unshare` could not find it.
        if granted().as_ref() != Some(&share) {
            return Err(refused());
        }
        let place = Place::of(Env::uid(), uid);
        let door = Door::open(&place, uid, name)?;
        let (name, manager, screens) = (name.clone(), Arc::clone(&context), AtomicUsize::new(0));
        let host = Host { manager, name: name.clone(), id, share: share.clone(), screens };
        let begun = Instant::now();
        let left = || time_left_at_door(&share, Env::now(), begun.elapsed());
        let kept = door.keep(left, move |guest| host.receive(guest));
        place.remove(&name);
        held.retire();
        kept.map_err(Error::io("the door cannot be kept"))
    }
}

/// Accepts the guests of one share.
struct Host {
    manager: Arc<Context>,
    name: AgentName,
    id: AgentId,
    share: Share,
    screens: AtomicUsize,
}

impl Host {
    fn receive(&self, mut guest: Guest) {
        let agent = match StatusTracker(&self.manager).running(&self.name, "attach") {
            // Another agent with the same name is not the one that was shared.
            Ok(agent) if agent.id == self.id => agent,
            Ok(_) | Err(Error::NotRunning { .. } | Error::InTerminal { .. } | Error::NoSuchAgent { .. }) => {
                return guest.dismiss("the agent does not run");
            }
            Err(_) => return guest.dismiss("it cannot be shown at the moment"),
        };
        let how = match guest.hello.want {
            Want::Ask => {
                let (read_only, until) = (self.share.read_only, self.share.until);
                let _ = guest.tell(&Facts { read_only, until, status: agent.status.to_string() });
                return;
            }
            Want::Take if self.share.read_only => {
                return guest.dismiss("it is shared with you for watching only");
            }
            Want::Observe => AttachAs::Observer,
            _ if self.share.read_only => AttachAs::Observer,
            Want::Drive => AttachAs::Driver,
            Want::Take => AttachAs::Taker,
        };
        let why = if self.screens.fetch_add(1, Ordering::Relaxed) >= MOST_SCREENS {
            format!("{MOST_SCREENS} terminals of yours are there already")
        } else {
            match self.show(&agent, how, &mut guest) {
                Ok(()) => "it was ended on the other side".to_owned(),
                Err(error) => error.to_string(),
            }
        };
        self.screens.fetch_sub(1, Ordering::Relaxed);
        guest.dismiss(&why);
    }

    fn show(&self, agent: &Agent, how: AttachAs, guest: &mut Guest) -> Result<(), Error> {
        let tmux = self.manager.tmux()?;
        let may = if how == AttachAs::Observer { GuestMay::Watch } else { GuestMay::Type };
        let user = format!("guest {}", self.share.with);
        let entry = Entry {
            session: &self.name,
            how,
            policy: self.manager.settings().attach.policy,
            user: &user,
            owner: Some(&owner()),
            host: None,
            arrival: JoinReason::Anew,
            from: None,
            now: Env::now(),
            cover: None,
            around: if guest.hello.within_tmux { Around::OwnTmux } else { Around::Terminal },
        };
        let words = tmux.guest_words(&entry, may)?;
        let mut env = self.manager.env.for_server();
        env.retain(|(key, _)| key != "TERM");
        env.push(("TERM".into(), guest.hello.term.clone().into()));
        let size = (guest.hello.columns, guest.hello.rows);
        let mut screen =
            Screen::open(&tmux.client_program()?, &words, &env, size).map_err(Error::io("no terminal"))?;
        let key = screen.key();
        let pane = agent.tmux.as_ref().map(|place| place.pane.clone()).unwrap_or_default();
        let seat = GuestSeat { pane: &pane, key: &key };
        let typed = |typed: Typed, screen: &Screen| {
            if may == GuestMay::Type {
                let typed = match &typed {
                    Typed::Bytes(bytes) => GuestTypes::Bytes(bytes),
                    Typed::Paste(text) => GuestTypes::Paste(text),
                    Typed::Key(name) => GuestTypes::Key(name),
                };
                // If the pane is gone, the guest's terminal ends with it.
                if let Ok(Sizer::Another) = tmux.guest_types(seat, typed) {
                    screen.is_used();
                }
            }
        };
        let watched = guest.watch(&mut screen, typed);
        drop(screen);
        let _ = tmux.forget_guest(&self.name, &key);
        watched.map_err(Error::io("the connection broke"))
    }
}

/// Returns the name by which guests address the owner.
pub(in crate::manager) fn owner() -> String {
    process::user_name(Env::uid()).unwrap_or_else(|| Env::uid().to_string())
}
