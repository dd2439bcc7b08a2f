//! Runs commands with `HOST:NAME` or `--host` on another machine. This works the same way for every command: the host
//! is removed from the names, and the remaining command line is run on the host unchanged.
//!
//! - `remote_use`: how a command runs on another host
//! - `host_names`: removes the host from the names of a command line
//! - `output`: sanitizes remote output and passes it on
//! - `output_prefix`: adds the name of the host to remote output
//! - `pasted`: commands in remote output that the user may paste
//! - `list`: `agent list` of other machines
//! - `attach`: `agent attach HOST:NAME`
//! - `serve`: the remote side: executes the command of another machine

mod attach;
mod host_names;
mod list;
mod output;
mod output_prefix;
pub(in crate::cli) mod pasted;
pub(in crate::cli) mod remote_use;
pub(in crate::cli) mod serve;

use std::ffi::OsString;
use std::time::Duration;

use super::{Global, Invocation, host, render::ui};
use crate::cli::grammar::commands::ParsedLine;
use crate::error::Error;
use crate::manager::Hosts;
use crate::manager::{As, FrameFlow, OutputChunk, OutputPlan, RemoteCommand};
use crate::model::{AgentName, HostName, Replay};
use host_names::LocalArgv;
use output::{OutputOptions, RemoteOutput};
use remote_use::{OutputFormat, RemoteMode};

/// The machines on which a command runs.
enum CommandTarget {
    One(HostName),
    All,
}

/// Returns the name of the agent that was started, from the output of the command.
fn started(printed: &[u8], host: &HostName) -> Result<AgentName, Error> {
    let name = match serde_json::from_slice::<serde_json::Value>(printed) {
        Ok(value) => value["name"].as_str().unwrap_or_default().to_owned(),
        Err(_) => String::from_utf8_lossy(printed).lines().next().unwrap_or_default().to_owned(),
    };
    name.parse()
        .map_err(|_| Error::unexpected_answer(host, vec!["it did not report the started agent".to_owned()]))
}

/// Checks whether a command line may address another machine. Most do not, and return early at no cost.
pub(super) fn is_mentioned(args: &[OsString]) -> bool {
    // The arguments of a hook may contain any text, and a hook must not be delayed.
    if crate::cli::is_an_event(args) {
        return false;
    }
    args.iter()
        .skip(1)
        .any(|arg| arg.as_encoded_bytes().contains(&b':') || arg.to_string_lossy().starts_with("--host"))
}

/// Runs a command line on another machine. Returns `None` if it addresses this machine.
pub(super) fn run(line: &ParsedLine, global: &Global, ui: &ui::Ui) -> Option<Result<u8, Error>> {
    let taken = match host_names::take(line.definition, &line.matches) {
        Ok(taken) => taken,
        Err(error) => return Some(Err(error)),
    };
    let place = match place(global, &taken) {
        Ok(place) => place?,
        Err(error) => return Some(Err(error)),
    };
    Some(RequestedCommand { line, taken, global }.execute(&place, ui))
}

fn place(global: &Global, taken: &LocalArgv) -> Result<Option<CommandTarget>, Error> {
    let named = taken.host.clone();
    match (global.host.as_deref(), named) {
        (None, named) => Ok(named.map(CommandTarget::One)),
        (Some("all"), None) => Ok(Some(CommandTarget::All)),
        (Some(given), None) => Ok(Some(CommandTarget::One(host::name(given)?))),
        (Some(given), Some(named)) if given == named.as_str() => Ok(Some(CommandTarget::One(named))),
        (Some(given), Some(named)) => {
            Err(Error::usage(format!("`--host {given}` and a name on `{named}` are different hosts"))
                .hint("omit one of them".to_owned()))
        }
    }
}

struct RequestedCommand<'a> {
    line: &'a ParsedLine,
    taken: LocalArgv,
    global: &'a Global,
}

impl RequestedCommand<'_> {
    fn execute(&self, place: &CommandTarget, ui: &ui::Ui) -> Result<u8, Error> {
        let what = self.line.path.join(" ");
        let flags: Vec<&str> = self.taken.given.iter().map(String::as_str).collect();
        let remote = self.line.definition.remote;
        let mode = remote.mode(&flags);
        let context = Invocation::open(self.global.home.as_deref(), ui)?;
        if let RemoteMode::LocalOnly(why) = mode {
            let host = match place {
                CommandTarget::One(host) => Hosts(&context.manager).host(host)?.for_ssh(),
                CommandTarget::All => "HOST".to_owned(),
            };
            return Err(Error::local_only(&what, why, &host));
        }
        let host = match (place, mode) {
            (CommandTarget::One(host), _) => Hosts(&context.manager).host(host)?.name,
            (CommandTarget::All, RemoteMode::List) => return list::run(&self.line.matches, None, &context),
            (CommandTarget::All, _) => {
                let flag = remote.deciding_flag(&flags);
                let flag = flag.map(|flag| format!(" --{flag}")).unwrap_or_default();
                return Err(Error::usage(format!("`{what}{flag}` works on one host at a time")).hint(
                    "choose one with `--host HOST`; `agent list --host all` lists the agents of all hosts"
                        .to_owned(),
                ));
            }
        };
        match mode {
            RemoteMode::List => list::run(&self.line.matches, Some(&host), &context),
            RemoteMode::Attach => attach::run(&self.line.matches, &self.taken, host, &context),
            RemoteMode::Start => self.start(host, &context),
            RemoteMode::Run(Replay::Once) => self.run(host, OutputPlan::Once, &context),
            RemoteMode::Run(Replay::Any) => self.run(host, OutputPlan::Whole, &context),
            RemoteMode::Redraw => self.run(host, OutputPlan::FromBeginning, &context),
            RemoteMode::Follow => self.run(host, OutputPlan::UntilLost, &context),
            RemoteMode::LocalOnly(_) => Ok(0),
        }
    }

    /// Runs the command on the host and then attaches to the agent that it started.
    fn start(&self, host: HostName, context: &Invocation) -> Result<u8, Error> {
        if !ui::is_interactive() {
            let name = self.taken.names.first().map(|name| format!("{host}:{name}"));
            return Err(Error::no_terminal("attach", name));
        }
        let mut printed = Vec::new();
        match self.exchange(host.clone(), OutputPlan::Once, Some(&mut printed), context)? {
            0 => attach::to(started(&printed, &host)?, host, As::Driver, vec![], context),
            code => Ok(code),
        }
    }

    fn run(&self, host: HostName, showing: OutputPlan, context: &Invocation) -> Result<u8, Error> {
        self.exchange(host, showing, None, context)
    }

    /// Runs the command on the host. Its output is shown, or collected in `kept` if the caller has to read it first.
    fn exchange(
        &self,
        host: HostName,
        showing: OutputPlan,
        mut kept: Option<&mut Vec<u8>>,
        context: &Invocation,
    ) -> Result<u8, Error> {
        let mut argv = self.outer(context);
        argv.extend(self.line.path.iter().map(|word| (*word).to_owned()));
        // The terminal is on this machine, so `--attach` is not passed on. The words after `--` belong to another
        // program.
        let (ours, others) = self.taken.words.split_at(self.taken.options);
        argv.extend(ours.iter().filter(|word| kept.is_none() || *word != "--attach").cloned());
        argv.extend(others.iter().cloned());
        let stdin = match self.taken.reads_stdin {
            true => ui::standard_bytes().map_err(Error::io("cannot read the text from stdin"))?,
            false => vec![],
        };
        let face = OutputFormat { json: context.ui.json, coloured: ui::is_colored(), shown: ui::is_shown() };
        let flags: Vec<&str> = self.taken.given.iter().map(String::as_str).collect();
        let remote = self.line.definition.remote;
        let mark = remote.host_mark(self.taken.names.first().map(String::as_str), face);
        let manner = remote.output_mode(&flags, face);
        let mut shown = RemoteOutput::of(&host, OutputOptions { showing, manner, face, mark });
        let limit = self.line.matches.try_get_one::<Duration>("timeout").ok().flatten().copied();
        let command = RemoteCommand { host, argv, stdin, showing, limit };
        let code = Hosts(&context.manager).run_on_host(&command, &mut |piece| match piece {
            OutputChunk::Out(bytes) => {
                let is_read = match &mut kept {
                    Some(kept) => {
                        kept.extend_from_slice(bytes);
                        true
                    }
                    None => shown.out(bytes),
                };
                // A command that changes something continues even if its output is no longer read.
                if is_read || showing == OutputPlan::Once { FrameFlow::Continue } else { FrameFlow::Stop }
            }
            OutputChunk::Err(bytes) => {
                shown.err(bytes);
                FrameFlow::Continue
            }
            OutputChunk::Link(text) => {
                shown.lost();
                context.ui.warn(text);
                FrameFlow::Continue
            }
        });
        let whole = shown.finish();
        code.and_then(|code| whole.map(|()| code))
    }

    /// Returns the global options for the host, so that its output matches this terminal.
    fn outer(&self, context: &Invocation) -> Vec<String> {
        let color = if ui::is_colored() { "always" } else { "never" };
        let mut words = vec![format!("--color={color}")];
        words.extend(ui::screen_word());
        if context.ui.json {
            words.push("--json".to_owned());
        }
        if self.global.quiet {
            words.push("--quiet".to_owned());
        }
        words
    }
}
