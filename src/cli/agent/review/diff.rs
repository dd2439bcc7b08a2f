//! The `agent diff` command.

use std::io::Write;

use clap::{ArgGroup, Args};

use crate::base::plural::counted;
use crate::cli::grammar::definition::{ArgumentValue, CommandDefinition, parsed};
use crate::cli::remote::remote_use::Remote;
use crate::cli::render::patch::PatchPrinter;
use crate::cli::render::ui;
use crate::cli::{Invocation, agent::sharing::attach_shared};
use crate::error::Error;
use crate::manager::{DiffPart, DiffRequest, DiffSession, Reviews};
use crate::model::{FileChange, WorkDiff};
use crate::text::fit::clean;

pub(in crate::cli) const COMMAND: CommandDefinition = CommandDefinition::new(
    "diff",
    "Show everything an agent changed since its base",
    Remote::READ_ONLY.unchanged_in_pipes(),
    |args, context| run(parsed(args)?, context),
)
.arguments::<Arguments>()
.values(&[("name", ArgumentValue::Agent)])
.short_forms(&["diff"]);

#[derive(Debug, Args)]
#[command(after_long_help = JSON, group = ArgGroup::new("form"), group = ArgGroup::new("part"))]
pub(in crate::cli) struct Arguments {
    /// Name of the agent
    #[arg(allow_hyphen_values = true)]
    name: String,
    /// Compare with this branch or commit from now on
    #[arg(long, value_name = "REF", allow_hyphen_values = true)]
    base: Option<String>,
    #[command(flatten)]
    form: DiffFormFlags,
    /// Show the diff with git's diff.external or in your pager, such as less or delta
    #[arg(long, group = "form")]
    tool: bool,
    /// Show only committed changes
    #[arg(long, group = "part")]
    commits: bool,
    /// Show only changes that are not committed
    #[arg(long, group = "part")]
    uncommitted: bool,
}

const JSON: &str = "\
The base is the branch from which the worktree was created, unless --base names another one. \
Commits, uncommitted and untracked files are shown together.

JSON:
  agent        name of the agent
  directory    root of the working tree
  branch       branch that is checked out, or the beginning of the commit id
  base         {name, commit, source}: what the work is compared with; source is
               chosen, spawn, main-branch, reflog, head or checkpoint
  commits      commits since the base, the newest first: [{id, subject, at}]
  files        changed files: [{path, old_path, kind, added, removed}]; kind is added, deleted,
               modified, renamed, copied, type-changed or submodule
  uncommitted  paths with uncommitted changes
  remarks      what the diff cannot show, as sentences";

pub(in crate::cli) fn run(args: Arguments, context: &Invocation) -> Result<u8, Error> {
    let name = attach_shared::own(&args.name)?;
    let part = match (args.commits, args.uncommitted) {
        (true, _) => DiffPart::Committed,
        (_, true) => DiffPart::Uncommitted,
        _ => DiffPart::All,
    };
    let reviews = Reviews(&context.manager);
    let session = reviews.diff(&DiffRequest { name, base: args.base, part })?;
    if args.tool && !context.ui.json {
        session.diff.remarks.iter().for_each(|remark| context.ui.say(remark));
        if !ui::is_interactive() {
            return Err(Error::usage("`--tool` needs a terminal"));
        }
        let exit = reviews.show_with_tool(&session)?;
        return Ok(exit.code.and_then(|code| u8::try_from(code).ok()).unwrap_or(1));
    }
    print(&session, args.form.form(), context)?;
    Ok(0)
}

/// How a diff is printed as text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::cli) enum DiffForm {
    /// The complete patch.
    Patch,
    /// The changed files with numbers of lines.
    Stat,
    /// The paths of the changed files.
    Names,
}

/// The flags of commands that print a diff.
#[derive(Debug, Clone, Copy, Args)]
pub(in crate::cli) struct DiffFormFlags {
    /// Show the changed files with numbers of lines
    #[arg(long, group = "form")]
    stat: bool,
    /// Show the paths of the changed files only
    #[arg(long, group = "form")]
    name_only: bool,
}

impl DiffFormFlags {
    /// Returns the form that the flags ask for. clap accepts only one of them.
    pub(in crate::cli) fn form(self) -> DiffForm {
        match (self.stat, self.name_only) {
            (true, _) => DiffForm::Stat,
            (_, true) => DiffForm::Names,
            _ => DiffForm::Patch,
        }
    }
}

/// Prints a diff as JSON or text, with its remarks and a summary.
pub(in crate::cli) fn print(
    session: &DiffSession,
    form: DiffForm,
    context: &Invocation,
) -> Result<(), Error> {
    if context.ui.json {
        context.ui.json(&session.diff);
        return Ok(());
    }
    session.diff.remarks.iter().for_each(|remark| context.ui.say(remark));
    match form {
        DiffForm::Names => {
            let paths = session.diff.files.iter().map(|file| clean(&file.path));
            context.ui.data(&paths.collect::<Vec<_>>().join("\n"));
        }
        DiffForm::Stat => context.ui.data(&stat(&session.diff)),
        DiffForm::Patch => print_patch(session, context)?,
    }
    context.ui.say(&summary(&session.diff));
    Ok(())
}

fn print_patch(session: &DiffSession, context: &Invocation) -> Result<(), Error> {
    let written = match ui::is_shown() {
        true => {
            let mut printer = PatchPrinter::to_stdout();
            session.write_patch(&[], &mut printer).and_then(|()| printer.flush().map_err(cannot_print()))
        }
        false => {
            let mut out = context.ui.raw();
            session.write_patch(&[], &mut out).and_then(|()| out.flush().map_err(cannot_print()))
        }
    };
    match written {
        Err(error) if error.io_kind() == Some(std::io::ErrorKind::BrokenPipe) => Ok(()),
        other => other,
    }
}

fn cannot_print() -> impl FnOnce(std::io::Error) -> Error {
    Error::io("cannot print")
}

/// Returns one line for each file: letter, added and removed lines, path.
fn stat(diff: &WorkDiff) -> String {
    let count = |number: Option<u64>, sign: char| number.map_or("bin".to_owned(), |n| format!("{sign}{n}"));
    let rows: Vec<[String; 3]> = diff
        .files
        .iter()
        .map(|file| [count(file.added, '+'), count(file.removed, '-'), path(file)])
        .collect();
    let width = |column: usize| rows.iter().map(|row| row[column].len()).max().unwrap_or_default();
    let (added, removed) = (width(0), width(1));
    let lines = rows.iter().zip(&diff.files).map(|(row, file)| {
        format!("{} {:>added$} {:>removed$}  {}", file.kind.letter(), row[0], row[1], row[2])
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn path(file: &FileChange) -> String {
    match &file.old_path {
        Some(old) => format!("{} → {}", clean(old), clean(&file.path)),
        None => clean(&file.path),
    }
}

/// Returns the whole diff as one sentence.
fn summary(diff: &WorkDiff) -> String {
    let sum = |of: fn(&FileChange) -> Option<u64>| diff.files.iter().filter_map(of).sum::<u64>();
    let id = diff.base.commit.as_deref().map(|id| id.chars().take(12).collect::<String>());
    let base = match (&diff.base.name, id) {
        (Some(name), Some(id)) => format!(" since {name} ({id})"),
        (None, Some(id)) => format!(" since {id}"),
        _ => String::new(),
    };
    format!(
        "{} changed, +{} -{}; {} and {} with uncommitted changes{base}",
        counted(diff.files.len() as u64, "file", "files"),
        sum(|file| file.added),
        sum(|file| file.removed),
        counted(diff.commits.len() as u64, "commit", "commits"),
        counted(diff.uncommitted.len() as u64, "file", "files"),
    )
}
