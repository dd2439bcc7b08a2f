//! The `agent spawn` command.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::cli::spec::ask_trust::{TrustFlag, with_trust};
use crate::cli::{Invocation, agent::attach, render::ui};
use crate::error::Error;
use crate::manager::{Body, Lifetime, SpawnRequest, UncommittedChanges};
use crate::manager::{Lifecycle, Terminals};
use crate::model::{AgentName, RestartPolicy, Workspace};

#[derive(Debug, Args)]
pub(in crate::cli) struct Arguments {
    /// Spec, kind (claude, codex, …, demo), or folder or file with a spec [default: the spec `default`]
    #[arg(conflicts_with = "command")]
    spec: Option<String>,
    /// Name of the agent [default: derived from spec and task]
    #[arg(long, value_name = "NAME", allow_hyphen_values = true)]
    name: Option<String>,
    /// Directory to work in [default: the current one]
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
    /// First prompt; `-` reads it from stdin
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    task: Option<String>,
    /// Title for lists and the status line
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    title: Option<String>,
    /// TmuxSnapshot for specs in this file only
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Workspace [default: from the spec, else in-place]
    #[arg(long, value_enum)]
    workspace: Option<Where>,
    /// Branch of the worktree, existing or new [default: symposium/NAME]
    #[arg(long, value_name = "B", allow_hyphen_values = true)]
    branch: Option<String>,
    /// Take uncommitted and untracked changes along into the new worktree
    #[arg(long)]
    with_changes: bool,
    /// Conversation of the agent CLI to continue, or a name for the new one
    #[arg(long, value_name = "C", allow_hyphen_values = true)]
    conversation: Option<String>,
    /// Parameter of the spec: `{{K}}` in prompts, SYMPOSIUM_PARAM_K in the environment
    #[arg(long = "param", value_name = "K=V", value_parser = parameter, allow_hyphen_values = true)]
    params: Vec<(String, String)>,
    /// Environment variable, stored in spec.json and set at every start; not for secrets
    #[arg(long, value_name = "K=V", value_parser = variable)]
    env: Vec<(String, String)>,
    /// Restart policy: no, on-failure or always [default: from the spec, else no]
    #[arg(long, value_name = "WHEN")]
    restart: Option<RestartPolicy>,
    /// Remove the agent when its task is done; the result is kept
    #[arg(long)]
    ephemeral: bool,
    /// Parent agent [default: the agent that runs this command]
    #[arg(long, value_name = "NAME", allow_hyphen_values = true)]
    parent: Option<String>,
    /// Attach this terminal right away
    #[arg(long, conflicts_with = "foreground")]
    attach: bool,
    /// Run in this terminal, without tmux
    #[arg(long)]
    foreground: bool,
    #[command(flatten)]
    trust: TrustFlag,
    /// Command to run in place of a spec or kind
    #[arg(last = true, value_name = "CMD")]
    command: Vec<String>,
}

/// Flags without a value. A `--` after any other option would be the value of that option.
const FLAGS: [&str; 7] =
    ["--attach", "--with-changes", "--foreground", "--ephemeral", "--trust", "--json", "--quiet"];

impl Arguments {
    /// Rejects a `--` without a command behind it, which clap does not distinguish from no `--`.
    pub(in crate::cli) fn refuse_no_command(&self, line: &[OsString]) -> Result<(), Error> {
        let is_meant = match line {
            [.., before, last] if last == "--" => {
                let before = before.to_string_lossy();
                !before.starts_with("--") || FLAGS.contains(&before.as_ref()) || before.contains('=')
            }
            _ => false,
        };
        match self.command.is_empty() && is_meant {
            true => Err(Error::Usage {
                what: "no command was given after `--`".into(),
                hint: Some(
                    "`symposium agent spawn -- make watch`; without `--` it is the default agent".into(),
                ),
            }),
            false => Ok(()),
        }
    }
}

/// Where it works.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Where {
    /// The directory as it is
    InPlace,
    /// A git worktree and branch of its own
    Worktree,
    /// An empty folder of its own
    Scratch,
}

pub(in crate::cli) fn parameter(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("expected NAME=VALUE")?;
    Ok((name.to_owned(), value.to_owned()))
}

fn variable(text: &str) -> Result<(String, String), String> {
    let (key, value) = text.split_once('=').ok_or("expected NAME=VALUE")?;
    let is_name = |key: &str| {
        !key.is_empty()
            && !key.starts_with(|c: char| c.is_ascii_digit())
            && key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    if !is_name(key) {
        return Err(format!("`{key}` cannot be the name of a variable"));
    }
    Ok((key.to_owned(), value.to_owned()))
}

pub(in crate::cli) fn name(text: &str) -> Result<AgentName, Error> {
    text.parse().map_err(|why| Error::BadName { given: text.to_owned(), why })
}

/// Translates the flag `--with-changes`.
pub(in crate::cli) fn changes(flag: bool) -> UncommittedChanges {
    if flag { UncommittedChanges::TakeAlong } else { UncommittedChanges::StayBehind }
}

pub(in crate::cli) fn run(args: Arguments, context: &Invocation) -> Result<u8, Error> {
    let name = args.name.as_deref().map(name).transpose()?;
    if args.attach && !ui::is_interactive() {
        return Err(Error::NoTerminal { verb: "spawn --attach", name: name.map(|name| name.to_string()) });
    }
    if args.attach {
        Terminals(&context.manager).refuse_terminal(None)?;
    }
    let task = match args.task.as_deref() {
        Some("-") => Some(ui::standard_input().map_err(Error::io("cannot read the task from stdin"))?),
        _ => args.task,
    };
    let request = SpawnRequest {
        body: if args.command.is_empty() { Body::Spec(args.spec) } else { Body::Command(args.command) },
        name,
        dir: args.dir,
        task,
        called_for: None,
        title: args.title,
        config: args.config,
        workspace: args.workspace.map(|place| match place {
            Where::InPlace => Workspace::InPlace,
            Where::Worktree => Workspace::Worktree,
            Where::Scratch => Workspace::Scratch,
        }),
        branch: args.branch,
        changes: changes(args.with_changes),
        taskspace: None,
        conversation: args.conversation,
        params: args.params,
        env: args.env,
        parent: args.parent.as_deref().map(self::name).transpose()?,
        lifetime: args.ephemeral.then_some(Lifetime::Task),
        restart: args.restart,
        size: ui::agent_terminal_size(),
    };
    if args.foreground {
        let terminal = ui::Terminal::save();
        let (name, exit) = with_trust(context, args.trust, || {
            Lifecycle(&context.manager).spawn_foreground(&request, || context.tell_notices())
        })?;
        // An agent that was killed by a signal has not restored the terminal modes.
        if exit.signal.is_some() && ui::is_interactive() {
            terminal.restore_and_say("");
        }
        context.ui.say(&format!("agent `{name}` ended with {exit}"));
        let code = exit.code.unwrap_or_else(|| 128 + exit.signal.unwrap_or(0));
        return Ok(u8::try_from(code).unwrap_or(1));
    }
    let spawned = with_trust(context, args.trust, || Lifecycle(&context.manager).spawn(request.clone()))?;
    for warning in &spawned.warnings {
        context.ui.warn(warning);
    }
    for remark in &spawned.remarks {
        context.ui.say(remark);
    }
    if args.attach {
        return attach::to(&spawned.agent.name, crate::manager::As::Driver, context);
    }
    if context.ui.json {
        context.ui.json(&spawned.agent);
    } else {
        context.ui.data(spawned.agent.name.as_str());
        if ui::is_watched() {
            context.ui.say(&format!("attach with: symposium agent attach {}", spawned.agent.name));
        }
    }
    Ok(0)
}
