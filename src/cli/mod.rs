//! The command line interface: parses arguments, calls one use case of the manager and renders the result. It uses
//! neither tmux nor files directly.
//!
//! In `symposium COMMAND SUBCOMMAND`, the subcommand names the file. The folders of `agent` are named like the domains in
//! `manager/`. Each command exports its definition, and `grammar/commands.rs` has the list from which everything else is
//! derived.
//!
//! - `grammar`: the list of all commands and what is derived from it
//! - `render`: tables, colours, ages and choosers; the only part that prints
//! - `remote`: runs a command on another machine
//! - `agent`: the commands of `symposium agent`, by domain
//! - `task`: the commands of `symposium task`
//! - `taskspace`: the commands of `symposium taskspace`
//! - `message`: the commands of `symposium message`
//! - `board`: the commands of `symposium board`
//! - `conversation`: the commands of `symposium conversation`
//! - `spec`: the commands of `symposium spec`
//! - `env`: the commands of `symposium env`
//! - `host`: the commands of `symposium host`
//! - `config`: the commands of `symposium config`
//! - `dashboard`: starts the dashboard
//! - `web`: the commands of `symposium web`
//! - `mcp`: runs the MCP server
//! - `supervisor`: the commands of `symposium supervisor`
//! - `service`: installs and uninstalls the service that starts the supervisor
//! - `doctor`: checks the environment
//! - `metrics`: prints metrics
//! - `demo_agent`: runs the stand-in for an agent CLI
//! - `hidden`: commands that programs call

mod agent;
mod board;
mod config;
mod conversation;
mod dashboard;
mod demo_agent;
mod doctor;
mod env;
mod grammar;
mod hidden;
mod host;
mod mcp;
mod message;
mod metrics;
mod remote;
mod render;
mod service;
mod spec;
mod supervisor;
mod task;
mod taskspace;
mod web;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Args, FromArgMatches, Parser};

use crate::env::Env;
use crate::error::Error;
use crate::manager::Context;
use crate::manager::RegistryWriter;
use grammar::commands::{self, ParsedLine};
use grammar::definition::{CommandAction, Opening, Standalone};
use grammar::{completions, fast_path, shortcuts};
use hidden::transcript;
use render::ui::{Color, Ui};

/// Keep AI coding agents running in tmux: start, leave, come back, attach
///
/// Each agent runs in its own tmux session, all on one tmux server that is separate from yours. Agents outlive the
/// terminal, editor or SSH connection that started them. Attach to one with `symposium attach NAME`, and detach with
/// C-b d; it keeps running.
#[derive(Debug, Parser)]
#[command(
    name = "symposium",
    version,
    propagate_version = true,
    arg_required_else_help = true,
    after_help = shortcuts::help(),
    after_long_help = shortcuts::long_help()
)]
struct Cli {
    #[command(flatten)]
    global: Global,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Global options")]
struct Global {
    /// Use this state directory, or @NAME of an environment [default: SYMPOSIUM_HOME or ~/.symposium]
    #[arg(long, global = true, value_name = "DIR")]
    home: Option<PathBuf>,
    /// Print JSON on stdout, and warnings and errors as JSON on stderr
    #[arg(long, global = true)]
    json: bool,
    /// Print nothing but errors on stderr
    #[arg(short, long, global = true)]
    quiet: bool,
    /// When to use colour
    #[arg(long, global = true, value_enum, default_value_t = Color::Auto, value_name = "WHEN")]
    color: Color,
    /// Run on this host, as HOST:NAME does; `agent list` accepts `all`
    #[arg(long, global = true, value_name = "HOST", allow_hyphen_values = true)]
    host: Option<String>,
    /// COLUMNSxLINES of the terminal on the calling machine
    #[arg(long, global = true, hide = true, value_parser = crate::cli::render::ui::screen)]
    screen: Option<crate::cli::render::ui::ScreenSize>,
}

/// The context and output settings that every command receives.
struct Invocation {
    manager: Arc<Context>,
    ui: Ui,
}

/// Runs one command line and returns the exit code.
pub fn run(args: impl IntoIterator<Item = OsString>) -> u8 {
    Context::survive_file_size_limit();
    let args: Vec<OsString> = args.into_iter().collect();
    // Every spawn starts this command as a child process, so it runs before the other commands are described to clap.
    if let [_, verb, dir] = &args[..]
        && verb == "transcript"
        && !dir.to_string_lossy().starts_with('-')
    {
        return transcript::write_transcript(&transcript::TranscriptArguments { dir: dir.into() });
    }
    // The same applies to every git process that writes.
    if let Some(why) = Context::die_with_parent(&args) {
        let report = Error::io("cannot start a program")(why);
        Color::Never.apply();
        return Ui { json: false, quiet: false }.error(&report);
    }
    if completions::answer(&args) {
        return 0;
    }
    let args = shortcuts::expand(web::with_default_command(dashboard::as_default(args)));
    let parsed = fast_path::parse(&args).map_or_else(|| commands::parse(&args), Ok);
    let parsed = parsed.and_then(|line| Ok((Global::from_arg_matches(&line.matches)?, line)));
    let (global, line) = match parsed.map_err(|error| shortcuts::suggest(error, &args)) {
        Ok(parsed) => parsed,
        // An agent's hook must not fail because of this program, whatever its arguments are.
        Err(_) if is_an_event(&args) => return 0,
        Err(error) if error.use_stderr() && asks_for_json(&args) => {
            let what = first_words(&error.render().to_string());
            let usage = Error::usage(what).hint("add `--help` to the command to see its options");
            Color::Auto.apply();
            return Ui { json: true, quiet: false }.error(&usage);
        }
        Err(error) => {
            Ui::clap_message(&error);
            return u8::try_from(error.exit_code()).unwrap_or(2);
        }
    };
    global.color.apply();
    let ui = Ui { json: global.json, quiet: global.quiet };
    crate::cli::render::ui::set_remote_screen(global.screen);
    if let Err(error) = (line.definition.check)(&line.matches, &args) {
        return ui.error(&error);
    }
    let remote = if remote::is_mentioned(&args) { remote::run(&line, &global, &ui) } else { None };
    match remote.unwrap_or_else(|| dispatch(&line, &global, &ui)) {
        Ok(code) => code,
        Err(error) => ui.error(&error),
    }
}

/// Returns the error of clap in one line: its first line, and the list below that.
fn first_words(help: &str) -> String {
    let mut lines = help.lines().take_while(|line| !line.trim().is_empty()).map(str::trim);
    let what = lines.next().unwrap_or_default().trim_start_matches("error: ").to_owned();
    let list: Vec<&str> = lines.collect();
    if list.is_empty() { what } else { format!("{what} {}", list.join(", ")) }
}

/// Checks whether a command line that could not be parsed is `symposium event`.
fn is_an_event(args: &[OsString]) -> bool {
    let mut words = args.iter().skip(1);
    while let Some(word) = words.next() {
        if word == "--home" {
            words.next();
        } else if !word.to_string_lossy().starts_with('-') {
            return word == "event";
        }
    }
    false
}

/// Checks whether a command line that could not be parsed contains `--json`.
fn asks_for_json(args: &[OsString]) -> bool {
    args.iter().take_while(|arg| *arg != "--").any(|arg| arg == "--json")
}

/// Opens the environment as the definition of the command requires, and runs the command.
fn dispatch(line: &ParsedLine, global: &Global, ui: &Ui) -> Result<u8, Error> {
    let home = global.home.as_deref();
    match line.definition.action {
        CommandAction::InEnvironment(opening, run) => {
            let context = match opening {
                Opening::WithNotices | Opening::WithoutNotices => Invocation::open(home, ui)?,
                Opening::Unclaimed => {
                    Invocation { manager: Arc::new(Context::open(Env::capture(), home)?), ui: ui.clone() }
                }
            };
            let outcome = run(&line.matches, &context);
            if opening == Opening::WithNotices {
                context.print_notices();
            }
            outcome
        }
        CommandAction::Standalone(run) => run(&line.matches, &Standalone { home, ui }),
        // clap accepts no command line that ends with a group.
        CommandAction::Group(_) => Ok(2),
    }
}

impl Invocation {
    fn open(home: Option<&Path>, ui: &Ui) -> Result<Invocation, Error> {
        let manager = Context::open(Env::capture(), home)?;
        let progress = ui.clone();
        manager.claim_hook_link();
        manager.on_progress(move |text| progress.say(text));
        Ok(Invocation { manager: Arc::new(manager), ui: ui.clone() })
    }

    fn print_notices(&self) {
        let notices = self.manager.notices();
        // Repairs stay unreported until a command shows them to the user.
        let unreported_notices = match self.ui.shows_warnings() {
            true => RegistryWriter(&self.manager).unreported_notices(),
            false => vec![],
        };
        for notice in unreported_notices.iter().filter(|notice| !notices.contains(notice)).chain(&notices) {
            self.ui.warn(notice);
        }
    }
}
