//! The hidden `symposium event` command, which must be fast and silent and always exit with 0, because it must never
//! delay an agent.

use std::ffi::OsString;
use std::io::Read;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};

use crate::env::Env;
use crate::manager::Context;
use crate::manager::{Events, Terminals};
use crate::model::{Edge, Exit, TmuxEvent};

/// Upper bound for the input of a hook. A prompt of this size would not fit through a terminal.
const LARGEST_PAYLOAD: u64 = 16 * 1024 * 1024;

#[derive(Debug, Args)]
pub(in crate::cli) struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
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
    /// A session is gone
    SessionClosed {
        #[arg(long, allow_hyphen_values = true)]
        session: String,
    },
    /// A terminal was attached
    ClientAttached {
        #[arg(long, allow_hyphen_values = true)]
        session: String,
    },
    /// A terminal went to another session
    ClientMoved {
        #[arg(long, allow_hyphen_values = true)]
        session: String,
    },
    /// A terminal was detached
    ClientDetached {
        #[arg(long, allow_hyphen_values = true)]
        session: String,
    },
    /// A pane began to print, fell quiet or rang
    Edge {
        #[arg(long, allow_hyphen_values = true)]
        session: String,
        #[arg(long)]
        edge: EdgeWord,
    },
    /// An agent's own hook, as JSON on stdin or as the last argument
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

#[derive(Debug, Args)]
pub(in crate::cli) struct TranscriptArguments {
    /// The instance directory
    pub(in crate::cli) dir: PathBuf,
}

pub(in crate::cli) fn run(args: Arguments, home: Option<&Path>) -> u8 {
    let Ok(manager) = Context::open(Env::capture(), home) else { return 0 };
    let event = match args.what {
        What::PaneDied { session, pane, code, signal } => TmuxEvent::PaneDied {
            session,
            pane,
            exit: Exit { code: code.parse().ok(), signal: signal.parse().ok() },
        },
        What::SessionClosed { session } => TmuxEvent::SessionClosed { session },
        What::ClientAttached { session } => TmuxEvent::ClientAttached { session },
        What::ClientMoved { session: _ } => TmuxEvent::ClientMoved,
        What::ClientDetached { session } => TmuxEvent::ClientDetached { session },
        What::Edge { session, edge } => {
            let edge = match edge {
                EdgeWord::Activity => Edge::Activity,
                EdgeWord::Silence => Edge::Silence,
                EdgeWord::Bell => Edge::Bell,
            };
            TmuxEvent::Edge { session, edge }
        }
        What::Agent { payload: Some(payload) } => {
            let _ = Events(&manager).agent_event(payload.as_encoded_bytes());
            return 0;
        }
        What::Agent { payload: None } => {
            let mut payload = Vec::new();
            if std::io::stdin().lock().take(LARGEST_PAYLOAD).read_to_end(&mut payload).is_ok() {
                let _ = Events(&manager).agent_event(&payload);
            }
            return 0;
        }
    };
    let _ = Events(&manager).tmux_event(&event);
    0
}

pub(in crate::cli) fn write_transcript(args: &TranscriptArguments) -> u8 {
    u8::from(Terminals::write_transcript(&args.dir, &Env::capture()).is_err())
}
