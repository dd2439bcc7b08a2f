//! The `spec list` command.

use clap::Args;
use unicode_width::UnicodeWidthStr;

use super::SpecSearchArguments;
use crate::cli::Invocation;
use crate::cli::grammar::definition::{CommandDefinition, Opening, parsed};
use crate::cli::remote::remote_use::Remote;
use crate::error::Error;
use crate::manager::SpecCatalog;
use crate::manager::{KindLine, SpecLine, SpecLocation};
use crate::model::FoundIn;
use crate::text::fit::clean;

pub(in crate::cli) const COMMAND: CommandDefinition = CommandDefinition::new(
    "list",
    "List the specs available in this directory",
    Remote::READ_ONLY.without_host_in_json(),
    |args, context| run(parsed(args)?, context),
)
.arguments::<Arguments>()
.aliases(&["ls"])
.opening(Opening::WithoutNotices);

#[derive(Debug, Args)]
pub(in crate::cli) struct Arguments {
    #[command(flatten)]
    looking: SpecSearchArguments,
    /// List kinds, and whether their programs are installed
    #[arg(long, conflicts_with = "config")]
    kinds: bool,
}

pub(super) fn run(args: Arguments, context: &Invocation) -> Result<u8, Error> {
    let location = SpecLocation::from(args.looking);
    if args.kinds {
        let kinds = SpecCatalog(&context.manager).kind_list(&location)?;
        match context.ui.json {
            true => context.ui.json(&kinds),
            false => context.ui.data(&kind_lines(&kinds)),
        }
        return Ok(0);
    }
    let list = SpecCatalog(&context.manager).spec_list(&location)?;
    list.warnings.iter().for_each(|warning| context.ui.warn(warning));
    if context.ui.json {
        context.ui.json(&list.specs);
    } else {
        context.ui.data(&lines(&list.specs));
    }
    if list.specs.iter().any(|spec| !spec.wrong.is_empty()) {
        context.ui.warn("some of these specs have mistakes; `symposium spec check` lists them");
    }
    Ok(0)
}

fn kind_lines(kinds: &[KindLine]) -> String {
    let width = kinds.iter().map(|kind| kind.name.width()).max().unwrap_or(0).max("KIND".len());
    let line = |name: &str, here: &str| format!("{name}{:pad$}{here}\n", "", pad = width - name.width() + 2);
    let rows = kinds.iter().map(|kind| line(&clean(&kind.name), if kind.installed { "yes" } else { "no" }));
    std::iter::once(line("KIND", "INSTALLED")).chain(rows).collect()
}

fn lines(specs: &[SpecLine]) -> String {
    let rows: Vec<[String; 4]> = std::iter::once(["SPEC", "KIND", "FROM", "WHAT FOR"].map(str::to_owned))
        .chain(specs.iter().map(row))
        .collect();
    let width = |at: usize| rows.iter().map(|row| row[at].width()).max().unwrap_or(0);
    let widths = [width(0), width(1), width(2)];
    let line = |row: &[String; 4]| {
        let cell = |at: usize| format!("{}{:pad$}", row[at], "", pad = widths[at] - row[at].width() + 2);
        format!("{}{}{}{}", cell(0), cell(1), cell(2), row[3]).trim_end().to_owned() + "\n"
    };
    rows.iter().map(line).collect()
}

fn row(spec: &SpecLine) -> [String; 4] {
    let from = match &spec.found_in {
        FoundIn::BuiltIn => "-",
        FoundIn::Project(path) | FoundIn::Home(path) | FoundIn::Given(path) => path,
    };
    let first = spec.description.as_deref().and_then(|text| text.lines().next()).unwrap_or_default();
    let what = if spec.wrong.is_empty() { first } else { "(wrong)" };
    [spec.name.as_str(), spec.kind.as_deref().unwrap_or("-"), from, what].map(clean)
}
