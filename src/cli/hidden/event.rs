//! The hidden `symposium event` command, which must be fast and silent and always exit with 0, because it must never
//! delay an agent.

use std::ffi::OsString;
use std::io::Read;
use std::path::Path;

use clap::{Args, Subcommand};

use crate::cli::grammar::definition::{CommandDefinition, parsed};
use crate::env::Env;
use crate::manager::Context;
use crate::manager::Events;
use crate::model::{Exit, OutputChange, TmuxEvent};

pub(in crate::cli) const COMMAND: CommandDefinition =
    CommandDefinition::standalone("event", "Report an event of tmux or of an agent", |args, alone| {
        Ok(run(parsed(args)?, alone.home))
    })
    .arguments::<Arguments>()
    .fast()
    .hidden();

/// Upper bound for the input of a hook. A prompt of this size would not fit through a terminal.
const MAX_PAYLOAD_BYTES: u64 = 16 * 1024 * 1024;

#[derive(Debug, Args)]
pub(in crate::cli) struct Arguments {
    #[command(subcommand)]
    what: EventSource,
}

#[derive(Debug, Subcommand)]
enum EventSource {
    /// A pane's process ended
    PaneDied {
        #[arg(long, allow_hyphen_values = true)]
        session: String,
        #[arg(long)]
        pane: String,
        #[arg(long, default_value = "")]
        code: String,
        #[arg(long, default_value = "")]
        signal: String,
    },
    /// A session was closed
    SessionClosed {
        #[arg(long, allow_hyphen_values = true)]
        session: String,
    },
    /// A terminal was attached
    ClientAttached {
        #[arg(long, allow_hyphen_values = true)]
        session: String,
    },
    /// A terminal switched to another session
    ClientMoved {
        #[arg(long, allow_hyphen_values = true)]
        session: String,
    },
    /// A terminal was detached
    ClientDetached {
        #[arg(long, allow_hyphen_values = true)]
        session: String,
    },
    /// A pane became active, became silent or rang the bell
    Edge {
        #[arg(long, allow_hyphen_values = true)]
        session: String,
        #[arg(long)]
        edge: EdgeWord,
    },
    /// A hook of an agent CLI, as JSON on stdin or as the last argument
    Agent {
        #[arg(allow_hyphen_values = true)]
        payload: Option<OsString>,
    },
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum EdgeWord {
    Activity,
    Silence,
    Bell,
}

fn run(args: Arguments, home: Option<&Path>) -> u8 {
    let Ok(manager) = Context::open(Env::capture(), home) else { return 0 };
    let event = match args.what {
        EventSource::PaneDied { session, pane, code, signal } => TmuxEvent::PaneDied {
            session,
            pane,
            exit: Exit { code: code.parse().ok(), signal: signal.parse().ok() },
        },
        EventSource::SessionClosed { session } => TmuxEvent::SessionClosed { session },
        EventSource::ClientAttached { session } => TmuxEvent::ClientAttached { session },
        EventSource::ClientMoved { session: _ } => TmuxEvent::ClientMoved,
        EventSource::ClientDetached { session } => TmuxEvent::ClientDetached { session },
        EventSource::Edge { session, edge } => {
            let edge = match edge {
                EdgeWord::Activity => OutputChange::Activity,
                EdgeWord::Silence => OutputChange::Silence,
                EdgeWord::Bell => OutputChange::Bell,
            };
            TmuxEvent::Edge { session, edge }
        }
        EventSource::Agent { payload: Some(payload) } => {
            let _ = Events(&manager).agent_event(payload.as_encoded_bytes());
            return 0;
        }
        EventSource::Agent { payload: None } => {
            let mut payload = Vec::new();
            if std::io::stdin().lock().take(MAX_PAYLOAD_BYTES).read_to_end(&mut payload).is_ok() {
                let _ = Events(&manager).agent_event(&payload);
            }
            return 0;
        }
    };
    let _ = Events(&manager).tmux_event(&event);
    0
}
