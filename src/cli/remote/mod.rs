//! Runs commands with `HOST:NAME` or `--host` on another machine. This works the same way for every command: the host
//! is removed from the names, and the remaining command line is run on the host unchanged.

mod argv;
mod attach;
mod list;
mod output;
pub(in crate::cli) mod serve;

use std::ffi::OsString;
use std::time::Duration;

use clap::{ArgMatches, CommandFactory};

use super::{Cli, Global, Invocation, host, render::ui};
use crate::error::Error;
use crate::manager::Hosts;
use crate::manager::{As, FarCommand, Heed, Piece, Showing};
use crate::model::{AgentName, HostName, Times};
use crate::rules::remote::{Face, Way, manner, mark, names, telling_flag, way};
use argv::Taken;
use output::{How, Shown};

/// The machines on which a command runs.
enum Where {
    One(HostName),
    All,
}

/// Returns the name of the agent that was started, from the output of the command.
fn started(printed: &[u8], host: &HostName) -> Result<AgentName, Error> {
    let name = match serde_json::from_slice::<serde_json::Value>(printed) {
        Ok(value) => value["name"].as_str().unwrap_or_default().to_owned(),
        Err(_) => String::from_utf8_lossy(printed).lines().next().unwrap_or_default().to_owned(),
    };
    name.parse().map_err(|_| Error::FarFailed {
        name: host.clone(),
        said: vec!["it did not say what was started".to_owned()],
    })
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
pub(super) fn run(args: &[OsString], global: &Global, ui: &ui::Ui) -> Option<Result<u8, Error>> {
    let mut command = Cli::command();
    command.build();
    let matches = command.clone().try_get_matches_from(args).ok()?;
    let (noun, below) = matches.subcommand()?;
    let (verb, inner) = below.subcommand().unwrap_or(("", below));
    let described = command.find_subcommand(noun)?;
    let described = described.find_subcommand(verb).unwrap_or(described);
    // In `agent handoff export`, the arguments with names are one level deeper.
    let (described, inner) = match inner.subcommand() {
        Some((deeper, inner)) => (described.find_subcommand(deeper).unwrap_or(described), inner),
        None => (described, inner),
    };
    let taken = match argv::take(described, inner, names(noun, verb)) {
        Ok(taken) => taken,
        Err(error) => return Some(Err(error)),
    };
    let place = match place(global, &taken) {
        Ok(place) => place?,
        Err(error) => return Some(Err(error)),
    };
    let asked = Asked { noun, verb, inner, taken, global };
    Some(asked.go(&place, ui))
}

fn place(global: &Global, taken: &Taken) -> Result<Option<Where>, Error> {
    let named = taken.host.clone();
    match (global.host.as_deref(), named) {
        (None, named) => Ok(named.map(Where::One)),
        (Some("all"), None) => Ok(Some(Where::All)),
        (Some(given), None) => Ok(Some(Where::One(host::name(given)?))),
        (Some(given), Some(named)) if given == named.as_str() => Ok(Some(Where::One(named))),
        (Some(given), Some(named)) => Err(Error::Usage {
            what: format!("`--host {given}` and a name on `{named}` are two machines"),
            hint: Some("leave one of them away".to_owned()),
        }),
    }
}

struct Asked<'a> {
    noun: &'a str,
    verb: &'a str,
    inner: &'a ArgMatches,
    taken: Taken,
    global: &'a Global,
}

impl Asked<'_> {
    fn go(&self, place: &Where, ui: &ui::Ui) -> Result<u8, Error> {
        let what = format!("{} {}", self.noun, self.verb).trim_end().to_owned();
        let flags: Vec<&str> = self.taken.given.iter().map(String::as_str).collect();
        let way = way(self.noun, self.verb, &flags);
        let context = Invocation::open(self.global.home.as_deref(), ui)?;
        if let Way::Here(why) = way {
            let host = match place {
                Where::One(host) => Hosts(&context.manager).host(host)?.for_ssh(),
                Where::All => "HOST".to_owned(),
            };
            return Err(Error::LocalOnly { what, why: why.to_owned(), host });
        }
        let host = match (place, way) {
            (Where::One(host), _) => Hosts(&context.manager).host(host)?.name,
            (Where::All, Way::List) => return list::run(self.inner, None, &context),
            (Where::All, _) => {
                let flag = telling_flag(self.noun, self.verb, &flags);
                let flag = flag.map(|flag| format!(" --{flag}")).unwrap_or_default();
                return Err(Error::Usage {
                    what: format!("`{what}{flag}` asks one machine at a time"),
                    hint: Some(
                        "name one with `--host HOST`; `agent list --host all` asks them all".to_owned(),
                    ),
                });
            }
        };
        match way {
            Way::List => list::run(self.inner, Some(&host), &context),
            Way::Attach => attach::run(self.inner, &self.taken, host, &context),
            Way::Start => self.start(host, &context),
            Way::Run(Times::Once) => self.run(host, Showing::Once, &context),
            Way::Run(Times::Any) => self.run(host, Showing::Whole, &context),
            Way::Show => self.run(host, Showing::RestartPlan, &context),
            Way::Follow => self.run(host, Showing::UntilLost, &context),
            Way::Here(_) => Ok(0),
        }
    }

    /// Runs the command on the host and then attaches to the agent that it started.
    fn start(&self, host: HostName, context: &Invocation) -> Result<u8, Error> {
        if !ui::is_interactive() {
            let name = self.taken.names.first().map(|name| format!("{host}:{name}"));
            return Err(Error::NoTerminal { verb: "attach", name });
        }
        let mut printed = Vec::new();
        match self.talk(host.clone(), Showing::Once, Some(&mut printed), context)? {
            0 => attach::to(started(&printed, &host)?, host, As::Driver, vec![], context),
            code => Ok(code),
        }
    }

    fn run(&self, host: HostName, showing: Showing, context: &Invocation) -> Result<u8, Error> {
        self.talk(host, showing, None, context)
    }

    /// Runs the command on the host. Its output is shown, or collected in `kept` if the caller has to read it first.
    fn talk(
        &self,
        host: HostName,
        showing: Showing,
        mut kept: Option<&mut Vec<u8>>,
        context: &Invocation,
    ) -> Result<u8, Error> {
        let mut argv = self.outer(context);
        argv.push(self.noun.to_owned());
        if !self.verb.is_empty() {
            argv.push(self.verb.to_owned());
        }
        // The terminal is on this machine, so `--attach` is not passed on. The words after `--` belong to another
        // program.
        let (ours, others) = self.taken.words.split_at(self.taken.options);
        argv.extend(ours.iter().filter(|word| kept.is_none() || *word != "--attach").cloned());
        argv.extend(others.iter().cloned());
        let stdin = match self.taken.reads_stdin {
            true => ui::standard_bytes().map_err(Error::io("cannot read the text from stdin"))?,
            false => vec![],
        };
        let face = Face { json: context.ui.json, coloured: ui::is_colored(), shown: ui::is_shown() };
        let flags: Vec<&str> = self.taken.given.iter().map(String::as_str).collect();
        let words = (self.noun, self.verb);
        let mark = mark(words, self.taken.names.first().map(String::as_str), face.json);
        let mut shown = Shown::of(&host, How { showing, manner: manner(words, &flags, face), face, mark });
        let limit = self.inner.try_get_one::<Duration>("timeout").ok().flatten().copied();
        let command = FarCommand { host, argv, stdin, showing, limit };
        let code = Hosts(&context.manager).far(&command, &mut |piece| match piece {
            Piece::Out(bytes) => {
                let is_read = match &mut kept {
                    Some(kept) => {
                        kept.extend_from_slice(bytes);
                        true
                    }
                    None => shown.out(bytes),
                };
                // A command that changes something continues even if its output is no longer read.
                if is_read || showing == Showing::Once { Heed::On } else { Heed::Enough }
            }
            Piece::Err(bytes) => {
                shown.err(bytes);
                Heed::On
            }
            Piece::Link(text) => {
                shown.lost();
                context.ui.warn(text);
                Heed::On
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
