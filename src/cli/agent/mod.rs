//! The `symposium agent` commands, with one file for each command.

pub(in crate::cli) mod answer;
pub(in crate::cli) mod approve;
pub(in crate::cli) mod attach;
pub(in crate::cli) mod attach_shared;
pub(in crate::cli) mod deny;
pub(in crate::cli) mod detach;
pub(in crate::cli) mod handoff;
pub(in crate::cli) mod hibernate;
pub(in crate::cli) mod interrupt;
pub(in crate::cli) mod kill;
pub(in crate::cli) mod list;
pub(in crate::cli) mod logs;
pub(in crate::cli) mod peek;
pub(in crate::cli) mod prune;
pub(in crate::cli) mod recap;
pub(in crate::cli) mod remove;
pub(in crate::cli) mod rename;
pub(in crate::cli) mod restart;
pub(in crate::cli) mod restore;
pub(in crate::cli) mod resume;
pub(in crate::cli) mod send;
pub(in crate::cli) mod share;
pub(in crate::cli) mod shell;
pub(in crate::cli) mod show;
pub(in crate::cli) mod spawn;
pub(in crate::cli) mod unshare;
pub(in crate::cli) mod wait;

use clap::Subcommand;

use super::*;

#[derive(Debug, Subcommand)]
pub(super) enum Verb {
    /// Start an agent: a spec or kind, or any command after `--`
    #[command(visible_alias = "new")]
    Spawn(Box<spawn::Arguments>),
    /// List agents, those that wait for you first
    #[command(visible_alias = "ls")]
    List(list::Arguments),
    /// Show everything about one agent
    Show(show::Arguments),
    /// Attach this terminal to an agent (leave with C-b d)
    Attach(attach::Arguments),
    /// Detach terminals from an agent; the agent goes on
    Detach(detach::Arguments),
    /// Let another user of this machine attach to one agent
    Share(share::Arguments),
    /// Stop sharing an agent and disconnect its guests
    Unshare(unshare::Arguments),
    /// Deliver a prompt and confirm that the agent took it
    Send(send::Arguments),
    /// Show an agent's screen without attaching
    Peek(peek::Arguments),
    /// Show an agent's transcript
    Logs(logs::Arguments),
    /// Show what happened while you were away, to one agent or to all
    Recap(recap::Arguments),
    /// Wait until an agent has a status
    Wait(wait::Arguments),
    /// Approve what an agent asks, this once
    Approve(answer::Arguments),
    /// Deny what an agent asks
    Deny(deny::DenyArguments),
    /// Choose an option of an agent's dialog, or type the answer to its question
    Answer(answer::AnswerArguments),
    /// Open a shell in an agent's workspace, with its variables
    Shell(shell::Arguments),
    /// Open an agent's workspace in your editor
    Edit(shell::EditArguments),
    /// Interrupt the turn of an agent
    Interrupt(interrupt::Arguments),
    /// End agents with their whole process tree; records and conversations stay
    #[command(visible_alias = "stop")]
    Kill(kill::Arguments),
    /// End an agent and start it again with its conversation
    Restart(restart::Arguments),
    /// Start an agent that has ended again, with its conversation
    Resume(resume::Arguments),
    /// Bring agents back after a reboot or a crash of tmux
    Restore(restore::Arguments),
    /// Put an idle agent to sleep until it is needed
    Hibernate(hibernate::Arguments),
    /// Hand an agent over to another account or machine, as a file
    #[command(subcommand)]
    Handoff(handoff::Verb),
    /// Rename an agent
    Rename(rename::Arguments),
    /// Remove an agent and its files
    #[command(visible_aliases = ["remove", "delete"])]
    Rm(remove::Arguments),
    /// Remove all agents that exited or were stopped
    Prune(prune::Arguments),
}

pub(super) fn run(verb: Verb, context: &Invocation) -> Result<u8, Error> {
    match verb {
        Verb::Spawn(args) => spawn::run(*args, context),
        Verb::List(args) => list::run(args, context),
        Verb::Show(args) => show::run(args, context),
        Verb::Attach(args) => attach::run(args, context),
        Verb::Detach(args) => detach::run(args, context),
        Verb::Share(args) => share::run(args, context),
        Verb::Unshare(args) => unshare::run(args, context),
        Verb::Send(args) => send::run(args, context),
        Verb::Peek(args) => peek::run(args, context),
        Verb::Logs(args) => logs::run(args, context),
        Verb::Recap(args) => recap::run(args, context),
        Verb::Wait(args) => wait::run(args, context),
        Verb::Approve(args) => approve::run(args, context),
        Verb::Deny(args) => deny::run(args, context),
        Verb::Answer(args) => answer::choose(&args, context),
        Verb::Shell(args) => shell::run(args, context),
        Verb::Edit(args) => shell::edit(args, context),
        Verb::Interrupt(args) => interrupt::run(args, context),
        Verb::Kill(args) => kill::run(args, context),
        Verb::Restart(args) => restart::run(args, context),
        Verb::Resume(args) => resume::run(args, context),
        Verb::Restore(args) => restore::run(args, context),
        Verb::Hibernate(args) => hibernate::run(args, context),
        Verb::Handoff(verb) => handoff::run(verb, context),
        Verb::Rename(args) => rename::run(args, context),
        Verb::Rm(args) => remove::run(args, context),
        Verb::Prune(args) => prune::run(args, context),
    }
}
