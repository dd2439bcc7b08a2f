//! The command line interface: parses arguments, calls one use case of the manager and renders the result. It uses
//! neither tmux nor files directly.
//!
//! In `symposium COMMAND SUBCOMMAND`, the subcommand names the file here, in `manager/` and in `tests/cli/`.

mod agent;
mod board;
mod completions;
mod config;
mod conversation;
mod doctor;
mod env;
mod fast_path;
mod hidden;
mod host;
mod man;
mod mcp;
mod message;
mod metrics;
mod recap;
mod remote;
mod render;
mod service;
mod shortcuts;
mod spec;
mod supervisor;
mod task;
mod taskspace;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Args, CommandFactory, Parser, Subcommand};

use crate::demo::{self, DemoArgs};
use crate::env::Env;
use crate::error::Error;
use crate::manager::Context;
use crate::manager::RegistryWriter;
pub(crate) use agent::recap::text as recap_text;
pub(crate) use render::agent_table::status_word;
use render::ui::{Color, Ui};

/// Keep AI coding agents running in tmux: start, leave, come back, attach
///
/// Each agent runs in its own tmux session, all on one tmux server that is separate from yours. Agents outlive the
/// terminal, editor or SSH connection that started them. Attach to one with `symposium attach NAME` and leave it with
/// C-b d; it goes on.
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
    #[command(subcommand)]
    noun: Noun,
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
    /// Use colour
    #[arg(long, global = true, value_enum, default_value_t = Color::Auto, value_name = "WHEN")]
    color: Color,
    /// Run on this machine (see `host add`); HOST:NAME does the same, and `agent list` takes `all`
    #[arg(long, global = true, value_name = "HOST", allow_hyphen_values = true)]
    host: Option<String>,
    /// COLUMNSxLINES of the terminal that another machine shows this in
    #[arg(long, global = true, hide = true, value_parser = crate::cli::render::ui::screen)]
    screen: Option<crate::cli::render::ui::Screen>,
}

#[derive(Debug, Subcommand)]
enum Noun {
    /// Start, list, attach, send to, end and bring back agents
    #[command(subcommand)]
    Agent(Box<agent::Verb>),
    /// List, show, check and create specs, the blueprints of agents
    #[command(subcommand)]
    Spec(spec::Verb),
    /// Manage the background supervisor (restarts, task queue, notifications)
    #[command(subcommand)]
    Supervisor(supervisor::Verb),
    /// Add, list and follow tasks on the queues of agents
    #[command(subcommand)]
    Task(task::Verb),
    /// Manage taskspaces: a worktree, an agent and its task, created and deleted together
    #[command(subcommand)]
    Taskspace(taskspace::Verb),
    /// Send, list and read mail between agents and people
    #[command(subcommand)]
    Message(message::Verb),
    /// Read and write the board of a project, notes that its agents share
    #[command(subcommand)]
    Board(board::Verb),
    /// List the conversations of an agent
    #[command(subcommand)]
    Conversation(conversation::Verb),
    /// Manage other machines, reached over OpenSSH: HOST:NAME is an agent there
    #[command(subcommand)]
    Host(host::Verb),
    /// Manage environments: separate registries, tmux servers and supervisors
    #[command(subcommand, name = "env")]
    Environment(env::Verb),
    /// Serve the Model Context Protocol on stdin and stdout
    Mcp,
    /// Print metrics for Prometheus
    Metrics,
    /// Start agents with the machine: a systemd unit, or launchd on macOS
    #[command(subcommand)]
    Service(service::Verb),
    /// Apply changes of the configuration to what is running
    #[command(subcommand)]
    Config(config::Verb),
    /// Check tmux, directories, registry, server and agent CLIs
    Doctor,
    /// Run an interactive stand-in for an agent CLI
    DemoAgent(DemoArgs),
    /// Print a completion script for a shell
    Completions(completions::Arguments),
    /// Show the manual; print it as roff when piped
    Man,
    /// What happened in tmux or in an agent
    #[command(hide = true)]
    Event(crate::cli::hidden::event::Arguments),
    /// Keeps the door to an agent that is shared
    #[command(hide = true)]
    ShareDoor(crate::cli::agent::share::DoorArguments),
    /// One command of another machine
    #[command(hide = true)]
    Remote(crate::cli::remote::serve::Arguments),
    /// Standard input into an agent's transcript
    #[command(hide = true)]
    Transcript(crate::cli::hidden::event::TranscriptArguments),
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
        return crate::cli::hidden::event::write_transcript(
            &crate::cli::hidden::event::TranscriptArguments { dir: dir.into() },
        );
    }
    // The same applies to every git process that writes.
    if let Some(why) = Context::die_with_parent(&args) {
        let report = Error::io("cannot start a program")(why).report();
        return Ui::new(false, false, Color::Never).error(&report);
    }
    if completions::answer(&args, || shortcuts::with_short_forms(Cli::command())) {
        return 0;
    }
    let args = shortcuts::expand(args);
    let parsed = fast_path::parse(&args).map_or_else(|| Cli::try_parse_from(&args), Ok);
    let parsed = parsed.map_err(|error| shortcuts::suggest(error, &args, &Cli::command()));
    let cli = match parsed {
        Ok(cli) => cli,
        // An agent's hook must not fail because of this program, whatever its arguments are.
        Err(_) if is_an_event(&args) => return 0,
        Err(error) if error.use_stderr() && asks_for_json(&args) => {
            let what = first_words(&error.render().to_string());
            let usage = Error::Usage { what, hint: Some("`--help` behind the command tells more".into()) };
            return Ui::new(true, false, Color::Auto).error(&usage.report());
        }
        Err(error) => {
            Ui::clap_message(&error);
            return u8::try_from(error.exit_code()).unwrap_or(2);
        }
    };
    let ui = Ui::new(cli.global.json, cli.global.quiet, cli.global.color);
    crate::cli::render::ui::assume(cli.global.screen);
    if let Noun::Agent(verb) = &cli.noun
        && let agent::Verb::Spawn(spawn) = verb.as_ref()
        && let Err(error) = spawn.refuse_no_command(&args)
    {
        return ui.error(&error.report());
    }
    let far = if remote::is_mentioned(&args) { remote::run(&args, &cli.global, &ui) } else { None };
    match far.unwrap_or_else(|| dispatch(cli, &ui)) {
        Ok(code) => code,
        Err(error) => ui.error(&error.report()),
    }
}

/// Returns the error of clap in one line: its first line, and the list below that.
fn first_words(said: &str) -> String {
    let mut lines = said.lines().take_while(|line| !line.trim().is_empty()).map(str::trim);
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

fn dispatch(cli: Cli, ui: &Ui) -> Result<u8, Error> {
    let home = cli.global.home.as_deref();
    match cli.noun {
        Noun::Completions(args) => completions::run(&args, ui),
        Noun::Man => man::run(&Cli::command(), ui),
        Noun::Event(args) => Ok(crate::cli::hidden::event::run(args, home)),
        Noun::ShareDoor(args) => {
            crate::cli::agent::share::keep_door(&args, Context::open(Env::capture(), home)?)
        }
        Noun::Transcript(args) => Ok(crate::cli::hidden::event::write_transcript(&args)),
        Noun::DemoAgent(args) => {
            let home = Env::capture().home(home).map(|home| home.path).unwrap_or_else(|| "/tmp".into());
            let code = demo::run(args, &home.join("demo")).map_err(Error::io("the demo agent failed"))?;
            Ok(u8::try_from(code).unwrap_or(1))
        }
        Noun::Config(verb) => config::run(&verb, &Invocation::open(home, ui)?),
        Noun::Doctor => doctor::run(Context::open(Env::capture(), home), ui),
        Noun::Supervisor(verb) => {
            let context =
                Invocation { manager: Arc::new(Context::open(Env::capture(), home)?), ui: ui.clone() };
            supervisor::run(verb, context)
        }
        Noun::Conversation(verb) => {
            let context = Invocation::open(home, ui)?;
            let outcome = conversation::run(verb, &context);
            context.tell_notices();
            outcome
        }
        Noun::Host(verb) => host::run(verb, &Invocation::open(home, ui)?),
        Noun::Remote(args) => crate::cli::remote::serve::run(&args, home, ui),
        Noun::Environment(verb) => env::run(verb, ui),
        Noun::Mcp => mcp::run(home),
        Noun::Metrics => {
            let context =
                Invocation { manager: Arc::new(Context::open(Env::capture(), home)?), ui: ui.clone() };
            metrics::run(&context)
        }
        Noun::Agent(verb) => {
            let context = Invocation::open(home, ui)?;
            let outcome = agent::run(*verb, &context);
            context.tell_notices();
            outcome
        }
        Noun::Spec(verb) => spec::run(verb, &Invocation::open(home, ui)?),
        Noun::Task(verb) => {
            let context = Invocation::open(home, ui)?;
            let outcome = task::run(verb, &context);
            context.tell_notices();
            outcome
        }
        Noun::Taskspace(verb) => {
            let context = Invocation::open(home, ui)?;
            let outcome = taskspace::run(verb, &context);
            context.tell_notices();
            outcome
        }
        Noun::Message(verb) => {
            let context = Invocation::open(home, ui)?;
            let outcome = message::run(verb, &context);
            context.tell_notices();
            outcome
        }
        Noun::Board(verb) => {
            let context = Invocation::open(home, ui)?;
            let outcome = board::run(verb, &context);
            context.tell_notices();
            outcome
        }
        Noun::Service(verb) => {
            let context =
                Invocation { manager: Arc::new(Context::open(Env::capture(), home)?), ui: ui.clone() };
            service::run(verb, &context)
        }
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

    fn tell_notices(&self) {
        let notices = self.manager.notices();
        // A program that reads JSON does not show stderr to the user.
        let untold = if self.ui.json { vec![] } else { RegistryWriter(&self.manager).untold() };
        for notice in untold.iter().filter(|one| !notices.contains(one)).chain(&notices) {
            self.ui.warn(notice);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn every_visible_command_says_whether_it_can_run_on_another_machine() {
        let root = Cli::command();
        let visible = |command: &clap::Command| !command.is_hide_set() && command.get_name() != "help";
        let mut missing = Vec::new();
        for noun in root.get_subcommands().filter(|noun| visible(noun)) {
            let verbs: Vec<&str> =
                noun.get_subcommands().filter(|verb| visible(verb)).map(clap::Command::get_name).collect();
            let verbs = if verbs.is_empty() { vec![""] } else { verbs };
            let unlisted =
                verbs.into_iter().filter(|verb| !crate::rules::remote::is_listed(noun.get_name(), verb));
            missing.extend(unlisted.map(|verb| format!("{} {verb}", noun.get_name())));
        }
        assert!(missing.is_empty(), "add these to the table in rules/remote.rs: {missing:?}");
    }
}
