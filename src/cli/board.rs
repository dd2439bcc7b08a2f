//! The `symposium board` commands.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};

use super::render::agent_table::clean;
use super::render::columns::columns;
use super::render::times::age;
use super::{Invocation, render::ui};
use crate::env::Env;
use crate::error::Error;
use crate::manager::Messages;
use crate::manager::Writing;
use crate::model::BoardEntry;

#[derive(Debug, Subcommand)]
pub(super) enum Verb {
    /// Print a note
    Get(Get),
    /// Write a note and replace its text
    Set(Writ),
    /// Append to a note
    Append(Writ),
    /// List the notes of the project with size, author and time
    #[command(visible_alias = "ls")]
    List(Place),
    /// Remove a note
    #[command(visible_aliases = ["remove", "delete"])]
    Rm(Rm),
}

#[derive(Debug, Args)]
pub(super) struct Place {
    /// Project of the board [default: the project of the agent or of this directory]
    #[arg(long, value_name = "DIR")]
    project: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(super) struct Get {
    /// Key of the note
    #[arg(allow_hyphen_values = true)]
    key: String,
    /// Write the note to this file
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    place: Place,
}

#[derive(Debug, Args)]
pub(super) struct Writ {
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
    place: Place,
}

#[derive(Debug, Args)]
pub(super) struct Rm {
    /// Key of the note
    #[arg(allow_hyphen_values = true)]
    key: String,
    #[command(flatten)]
    place: Place,
}

pub(super) fn run(verb: Verb, context: &Invocation) -> Result<u8, Error> {
    match verb {
        Verb::Get(args) => get(&args, context),
        Verb::Set(args) => write(args, Writing::Set, context),
        Verb::Append(args) => write(args, Writing::Append, context),
        Verb::List(place) => list(&place, context),
        Verb::Rm(args) => rm(&args, context),
    }
}

fn get(args: &Get, context: &Invocation) -> Result<u8, Error> {
    let note = Messages(&context.manager).board_get(args.place.project(), &args.key)?;
    let value = note.value.as_deref().unwrap_or_default();
    if let Some(file) = &args.output {
        Messages(&context.manager).note_to_file(&note, file)?;
        context.ui.say(&format!("{} bytes are in {}", note.size, file.display()));
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

fn write(args: Writ, writing: Writing, context: &Invocation) -> Result<u8, Error> {
    let value = match (args.value, args.file) {
        (_, Some(file)) => Messages(&context.manager).note_from_file(&args.key, &file)?,
        (Some(value), None) if value == "-" => {
            ui::standard_input().map_err(Error::io("cannot read the note from stdin"))?
        }
        (value, None) => value.unwrap_or_default(),
    };
    let note =
        Messages(&context.manager).board_write(args.place.project(), &args.key, (&value, writing), None)?;
    if context.ui.json {
        context.ui.json(&BoardEntry { value: None, ..note });
    } else {
        context.ui.say(&format!("note `{}` has {} bytes now", clean(&note.key), note.size));
    }
    Ok(0)
}

fn list(place: &Place, context: &Invocation) -> Result<u8, Error> {
    let notes = Messages(&context.manager).board_list(place.project())?;
    if context.ui.json {
        context.ui.json(&notes);
    } else if notes.is_empty() {
        context.ui.say("the board is empty; `symposium board set KEY TEXT` writes on it");
    } else {
        let rows: Vec<_> = notes.iter().map(row).collect();
        context.ui.data(&columns(["SIZE", "BY", "WHEN", "KEY"], &rows, ui::width()));
    }
    Ok(0)
}

fn row(note: &BoardEntry) -> [String; 4] {
    [size(note.size), note.author.clone(), age(note.at, Env::now()), note.key.clone()]
}

fn size(bytes: u64) -> String {
    match bytes {
        0..=9_999 => format!("{bytes}"),
        _ => format!("{}K", bytes.div_ceil(1024)),
    }
}

fn rm(args: &Rm, context: &Invocation) -> Result<u8, Error> {
    if !Messages(&context.manager).board_remove(args.place.project(), &args.key)? {
        // Fails with an error that lists the existing notes.
        Messages(&context.manager).board_get(args.place.project(), &args.key)?;
    }
    if context.ui.json {
        context.ui.json(&serde_json::json!({ "removed": args.key }));
    } else {
        context.ui.say(&format!("note `{}` is gone", clean(&args.key)));
    }
    Ok(0)
}

impl Place {
    fn project(&self) -> Option<&Path> {
        self.project.as_deref()
    }
}
