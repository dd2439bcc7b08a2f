//! The `symposium board` commands.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use jiff::Timestamp;

use super::render::columns::columns;
use super::{Invocation, render::ui};
use crate::base::plural::counted;
use crate::cli::grammar::definition::{CommandDefinition, parsed};
use crate::cli::remote::remote_use::{Remote, RemoteMode};
use crate::error::Error;
use crate::manager::Messages;
use crate::manager::NoteWrite;
use crate::model::BoardEntry;
use crate::text::ages::age;
use crate::text::fit::clean;

pub(super) const GROUP: CommandDefinition = CommandDefinition::group(
    "board",
    "Read and write the board of a project, notes that its agents share",
    &[GET, SET, APPEND, LIST, RM],
);

const GET: CommandDefinition = CommandDefinition::new(
    "get",
    "Print a note",
    Remote::READ_ONLY
        .flags(&[("output", RemoteMode::LocalOnly("`--output` names a file of this machine"))])
        .unchanged_in_pipes(),
    |args, context| get(&parsed(args)?, context),
)
.arguments::<BoardGetArguments>();

const SET: CommandDefinition = CommandDefinition::new(
    "set",
    "Write a note and replace its text",
    Remote::ONCE.flags(&[(
        "file",
        RemoteMode::LocalOnly("`--file` names a file of this machine; `-` takes it from stdin"),
    )]),
    |args, context| write(parsed(args)?, NoteWrite::Set, context),
)
.arguments::<BoardWriteArguments>();

const APPEND: CommandDefinition = CommandDefinition::new(
    "append",
    "Append to a note",
    Remote::ONCE.flags(&[(
        "file",
        RemoteMode::LocalOnly("`--file` names a file of this machine; `-` takes it from stdin"),
    )]),
    |args, context| write(parsed(args)?, NoteWrite::Append, context),
)
.arguments::<BoardWriteArguments>();

const LIST: CommandDefinition = CommandDefinition::new(
    "list",
    "List the notes of the project with size, author and time",
    Remote::READ_ONLY,
    |args, context| list(&parsed(args)?, context),
)
.arguments::<ProjectArguments>()
.aliases(&["ls"]);

const RM: CommandDefinition =
    CommandDefinition::new("rm", "Remove a note", Remote::ONCE, |args, context| rm(&parsed(args)?, context))
        .arguments::<BoardRemoveArguments>()
        .aliases(&["remove", "delete"]);

#[derive(Debug, Args)]
pub(super) struct ProjectArguments {
    /// Project of the board [default: the project of the agent or of this directory]
    #[arg(long, value_name = "DIR")]
    project: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(super) struct BoardGetArguments {
    /// Key of the note
    #[arg(allow_hyphen_values = true)]
    key: String,
    /// Write the note to this file
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    project_args: ProjectArguments,
}

#[derive(Debug, Args)]
pub(super) struct BoardWriteArguments {
    /// Key of the note
    #[arg(allow_hyphen_values = true)]
    key: String,
    /// Text; `-` reads it from stdin
    #[arg(allow_hyphen_values = true, required_unless_present = "file", conflicts_with = "file")]
    value: Option<String>,
    /// Read the text from this file
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,
    #[command(flatten)]
    project_args: ProjectArguments,
}

#[derive(Debug, Args)]
pub(super) struct BoardRemoveArguments {
    /// Key of the note
    #[arg(allow_hyphen_values = true)]
    key: String,
    #[command(flatten)]
    project_args: ProjectArguments,
}

fn get(args: &BoardGetArguments, context: &Invocation) -> Result<u8, Error> {
    let note = Messages(&context.manager).board_get(args.project_args.project(), &args.key)?;
    let value = note.value.as_deref().unwrap_or_default();
    if let Some(file) = &args.output {
        Messages(&context.manager).note_to_file(&note, file)?;
        let written = counted(note.size, "byte is", "bytes are");
        context.ui.say(&format!("{written} in {}", file.display()));
    } else if context.ui.json {
        context.ui.json(&note);
    } else if ui::is_shown() {
        // The value may come from another agent, so control sequences must not reach the terminal.
        context.ui.data(&value.lines().map(clean).collect::<Vec<_>>().join("\n"));
    } else {
        // Byte for byte, for the program that reads it.
        let mut out = context.ui.raw();
        let _ = out.write_all(value.as_bytes()).and_then(|()| out.flush());
    }
    Ok(0)
}

fn write(args: BoardWriteArguments, writing: NoteWrite, context: &Invocation) -> Result<u8, Error> {
    let value = match (args.value, args.file) {
        (_, Some(file)) => Messages(&context.manager).note_from_file(&args.key, &file)?,
        (Some(value), None) if value == "-" => {
            ui::standard_input().map_err(Error::io("cannot read the note from stdin"))?
        }
        (value, None) => value.unwrap_or_default(),
    };
    let note = Messages(&context.manager).board_write(
        args.project_args.project(),
        &args.key,
        (&value, writing),
        None,
    )?;
    if context.ui.json {
        context.ui.json(&BoardEntry { value: None, ..note });
    } else {
        let size = counted(note.size, "byte", "bytes");
        context.ui.say(&format!("note `{}` has {size} now", clean(&note.key)));
    }
    Ok(0)
}

fn list(project_args: &ProjectArguments, context: &Invocation) -> Result<u8, Error> {
    let notes = Messages(&context.manager).board_list(project_args.project())?;
    if context.ui.json {
        context.ui.json(&notes);
    } else if notes.is_empty() {
        context.ui.say("the board is empty; `symposium board set KEY TEXT` writes on it");
    } else {
        let rows: Vec<_> = notes.iter().map(|note| row(note, context.manager.now())).collect();
        context.ui.data(&columns(["SIZE", "BY", "WHEN", "KEY"], &rows, ui::width()));
    }
    Ok(0)
}

fn row(note: &BoardEntry, now: Timestamp) -> [String; 4] {
    [size(note.size), note.author.clone(), age(note.at, now), note.key.clone()]
}

fn size(bytes: u64) -> String {
    match bytes {
        0..=9_999 => format!("{bytes}"),
        _ => format!("{}K", bytes.div_ceil(1024)),
    }
}

fn rm(args: &BoardRemoveArguments, context: &Invocation) -> Result<u8, Error> {
    if !Messages(&context.manager).board_remove(args.project_args.project(), &args.key)? {
        // Fails with an error that lists the existing notes.
        Messages(&context.manager).board_get(args.project_args.project(), &args.key)?;
    }
    if context.ui.json {
        context.ui.json(&serde_json::json!({ "removed": args.key }));
    } else {
        context.ui.say(&format!("note `{}` was removed", clean(&args.key)));
    }
    Ok(0)
}

impl ProjectArguments {
    fn project(&self) -> Option<&Path> {
        self.project.as_deref()
    }
}
