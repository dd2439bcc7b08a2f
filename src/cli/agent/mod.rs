//! The `symposium agent` commands, with one file for each command. The folders have the names of the domains of
//! `manager`, so `agent/lifecycle/kill.rs` calls `manager/lifecycle/kill.rs`:
//!
//! - `comments`: review
//! - `checkpoint`: list, diff and restore the checkpoints of an agent
//! - `finish`: finish
//! - `groups`: fork, compare, and the part of spawn that starts several agents
//! - `handoff`: export, import
//! - `lifecycle`: spawn, kill, restart, resume, hibernate, rename
//! - `recaps`: recap, of one agent or of all
//! - `removal`: rm, discard, prune, sweep, recover
//! - `restore`: restore
//! - `review`: diff
//! - `sharing`: share, unshare, and the guest's side of attach and list
//! - `status`: list, show
//! - `terminal`: attach, detach, send, approve, deny, answer, interrupt, peek, logs, wait, shell, edit
//!
//! The folders are declared here and have no `mod.rs`, so that a new command is declared and listed in one file: this one. `GROUP` lists the
//! commands in the order of the help.

pub(in crate::cli) mod comments {
    pub(in crate::cli) mod review;
}
pub(in crate::cli) mod checkpoint;
pub(in crate::cli) mod finish;
pub(in crate::cli) mod groups {
    pub(in crate::cli) mod compare;
    pub(in crate::cli) mod discard_others;
    pub(in crate::cli) mod fork;
    pub(in crate::cli) mod spawn_group;
}
pub(in crate::cli) mod handoff;
pub(in crate::cli) mod lifecycle {
    pub(in crate::cli) mod hibernate;
    pub(in crate::cli) mod kill;
    pub(in crate::cli) mod rename;
    pub(in crate::cli) mod restart;
    pub(in crate::cli) mod resume;
    pub(in crate::cli) mod spawn;
}
pub(in crate::cli) mod recaps {
    pub(in crate::cli) mod digest;
    pub(in crate::cli) mod recap;
}
pub(in crate::cli) mod removal {
    pub(in crate::cli) mod discard;
    pub(in crate::cli) mod prune;
    pub(in crate::cli) mod recover;
    pub(in crate::cli) mod remove;
    pub(in crate::cli) mod sweep;
}
pub(in crate::cli) mod restore;
pub(in crate::cli) mod review {
    pub(in crate::cli) mod diff;
}
pub(in crate::cli) mod sharing {
    pub(in crate::cli) mod attach_shared;
    pub(in crate::cli) mod share;
    pub(in crate::cli) mod unshare;
}
pub(in crate::cli) mod status {
    pub(in crate::cli) mod list;
    pub(in crate::cli) mod show;
}
pub(in crate::cli) mod terminal {
    pub(in crate::cli) mod answer;
    pub(in crate::cli) mod approve;
    pub(in crate::cli) mod attach;
    pub(in crate::cli) mod deny;
    pub(in crate::cli) mod detach;
    pub(in crate::cli) mod interrupt;
    pub(in crate::cli) mod logs;
    pub(in crate::cli) mod peek;
    pub(in crate::cli) mod send;
    pub(in crate::cli) mod shell;
    pub(in crate::cli) mod wait;
}

use crate::cli::grammar::definition::CommandDefinition;

pub(super) const GROUP: CommandDefinition = CommandDefinition::group(
    "agent",
    "Start, list, attach to, prompt, end and restore agents",
    &[
        lifecycle::spawn::COMMAND,
        groups::fork::COMMAND,
        status::list::COMMAND,
        status::show::COMMAND,
        terminal::attach::COMMAND,
        terminal::detach::COMMAND,
        sharing::share::COMMAND,
        sharing::unshare::COMMAND,
        terminal::send::COMMAND,
        terminal::peek::COMMAND,
        terminal::logs::COMMAND,
        recaps::recap::COMMAND,
        review::diff::COMMAND,
        comments::review::COMMAND,
        checkpoint::GROUP,
        groups::compare::COMMAND,
        finish::COMMAND,
        terminal::wait::COMMAND,
        terminal::approve::COMMAND,
        terminal::deny::COMMAND,
        terminal::answer::COMMAND,
        terminal::shell::COMMAND,
        terminal::shell::EDIT_COMMAND,
        terminal::interrupt::COMMAND,
        lifecycle::kill::COMMAND,
        lifecycle::restart::COMMAND,
        lifecycle::resume::COMMAND,
        restore::COMMAND,
        lifecycle::hibernate::COMMAND,
        handoff::GROUP,
        lifecycle::rename::COMMAND,
        removal::remove::COMMAND,
        removal::discard::COMMAND,
        removal::prune::COMMAND,
        removal::sweep::COMMAND,
        removal::recover::COMMAND,
    ],
);
