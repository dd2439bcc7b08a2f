//! `share-door`: the process in the tmux session of a share. It accepts the connections of one guest until the share
//! expires.
//!
//! It holds a lock while it lives, through which other processes find and end it. It stores nothing: the share ends
//! with the process, and a later change by another command must not be overwritten.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use crate::env::Env;
use crate::error::{Code, Error};
use crate::manager::Context;
use crate::manager::access::Access;
use crate::manager::sharing::Sharing;
use crate::manager::status::AgentLookup;
use crate::model::{Agent, AgentId, AgentName, Share};
use crate::process;
use crate::rules::access::share_expiry::listener_time_left;
use crate::share::{ConnectPurpose, Guest, GuestInput, GuestListener, GuestTerminal, ShareDir, ShareFacts};
use crate::store::ShareLocks;
use crate::tmux::{
    AttachAs, AttachEntry, AttachSurroundings, GuestClient, GuestKeys, GuestPermission, JoinReason, Sizer,
};

/// Maximum number of simultaneous terminals of a guest.
const MAX_SCREENS: usize = 8;

impl Sharing<'_> {
    /// Accepts connections until the share expires or this process is ended.
    pub fn run_listener(context: Context, name: &AgentName, id: AgentId, uid: u32) -> Result<(), Error> {
        let context = Arc::new(context);
        let granted = || Access(&context).written_shares(name).into_iter().find(|share| share.uid == uid);
        let refused = || Error::not_shared_with(name, &uid.to_string());
        let share = granted().ok_or_else(refused)?;
        let held = ShareLocks(&context.store).lock(name, &share)?.ok_or_else(|| {
            Error::not_safe(format!("another process already serves the share of `{name}` for user {uid}"))
                .hint(format!("end it with `symposium agent unshare {name}`"))
        })?;
        // Checks again: before this process held its lock, an `unshare` could not find it.
        if granted().as_ref() != Some(&share) {
            return Err(refused());
        }
        let share_dir = ShareDir::of(Env::uid(), uid);
        let listener = GuestListener::open(&share_dir, uid, name)?;
        let (name, manager, screens) = (name.clone(), Arc::clone(&context), AtomicUsize::new(0));
        let host = ShareHost { manager, name: name.clone(), id, share: share.clone(), screens };
        let begun = Instant::now();
        let left = || listener_time_left(&share, context.now(), begun.elapsed());
        let kept = listener.serve(left, move |guest| host.receive(guest));
        share_dir.remove(&name);
        held.release_and_remove();
        kept.map_err(Error::io("the share cannot be served"))
    }
}

/// Accepts the guests of one share.
struct ShareHost {
    manager: Arc<Context>,
    name: AgentName,
    id: AgentId,
    share: Share,
    screens: AtomicUsize,
}

impl ShareHost {
    fn receive(&self, mut guest: Guest) {
        let agent = match AgentLookup(&self.manager).running(&self.name, "attach") {
            // Another agent with the same name is not the one that was shared.
            Ok(agent) if agent.id == self.id => agent,
            Ok(_) => return guest.disconnect("the agent is not running"),
            Err(error) if matches!(error.code(), Code::NotRunning | Code::InTerminal | Code::NoSuchAgent) => {
                return guest.disconnect("the agent is not running");
            }
            Err(_) => return guest.disconnect("it cannot be shown at the moment"),
        };
        let how = match guest.hello.want {
            ConnectPurpose::Ask => {
                let (read_only, until) = (self.share.read_only, self.share.until);
                let _ = guest.send_facts(&ShareFacts { read_only, until, status: agent.status.to_string() });
                return;
            }
            ConnectPurpose::Take if self.share.read_only => {
                return guest.disconnect("it is shared with you for watching only");
            }
            ConnectPurpose::Observe => AttachAs::Observer,
            _ if self.share.read_only => AttachAs::Observer,
            ConnectPurpose::Drive => AttachAs::Driver,
            ConnectPurpose::Take => AttachAs::Taker,
        };
        let why = if self.screens.fetch_add(1, Ordering::Relaxed) >= MAX_SCREENS {
            format!("you already have {MAX_SCREENS} terminals attached")
        } else {
            match self.show(&agent, how, &mut guest) {
                Ok(()) => "it was ended on the other side".to_owned(),
                Err(error) => error.to_string(),
            }
        };
        self.screens.fetch_sub(1, Ordering::Relaxed);
        guest.disconnect(&why);
    }

    fn show(&self, agent: &Agent, how: AttachAs, guest: &mut Guest) -> Result<(), Error> {
        let tmux = self.manager.tmux()?;
        let may = if how == AttachAs::Observer { GuestPermission::Watch } else { GuestPermission::Type };
        let user = format!("guest {}", self.share.with);
        let entry = AttachEntry {
            session: &self.name,
            how,
            policy: self.manager.settings().attach.policy,
            user: &user,
            owner: Some(&owner()),
            host: None,
            arrival: JoinReason::New,
            from: None,
            now: self.manager.now(),
            cover: None,
            around: if guest.hello.within_tmux {
                AttachSurroundings::OwnTmux
            } else {
                AttachSurroundings::Terminal
            },
        };
        let words = tmux.guest_words(&entry, may)?;
        let mut env = self.manager.env.for_server();
        env.retain(|(key, _)| key != "TERM");
        env.push(("TERM".into(), guest.hello.term.clone().into()));
        let size = (guest.hello.columns, guest.hello.rows);
        let mut screen = GuestTerminal::open(&tmux.client_program_to_attach()?, &words, &env, size)
            .map_err(Error::io("no terminal"))?;
        let key = screen.key();
        let pane = agent.tmux.as_ref().map(|share_dir| share_dir.pane.clone()).unwrap_or_default();
        let guest_client = GuestClient { pane: &pane, key: &key };
        let typed = |typed: GuestInput, screen: &GuestTerminal| {
            if may == GuestPermission::Type {
                let typed = match &typed {
                    GuestInput::Bytes(bytes) => GuestKeys::Bytes(bytes),
                    GuestInput::Paste(text) => GuestKeys::Paste(text),
                    GuestInput::Key(name) => GuestKeys::Key(name),
                };
                // If the pane is gone, the guest's terminal ends with it.
                if let Ok(Sizer::Another) = tmux.guest_types(guest_client, typed) {
                    screen.note_use();
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
