//! The `agent spawn` command.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{ArgMatches, Args, ValueEnum};

use crate::cli::grammar::definition::{ArgumentValue, CommandDefinition, parsed};
use crate::cli::remote::remote_use::{Remote, RemoteMode};
use crate::cli::spec::ask_trust::{TrustFlag, with_trust};
use crate::cli::{Invocation, agent::groups::spawn_group, agent::terminal::attach, render::ui};
use crate::error::Error;
use crate::manager::{Attachments, Spawning};
use crate::manager::{GroupSize, Lifetime, SpawnRequest, SpawnTarget, UncommittedChanges};
use crate::model::{AgentName, RestartPolicy, Workspace};

pub(in crate::cli) const COMMAND: CommandDefinition = CommandDefinition::new(
    "spawn",
    "Start an agent: a spec or kind, or any command after `--`",
    Remote::ONCE
        .flags(&[
            ("foreground", RemoteMode::LocalOnly("`--foreground` runs it in this terminal")),
            ("attach", RemoteMode::Start),
        ])
        .host_before_first_line(),
    |args, context| run(parsed(args)?, context),
)
.arguments::<Arguments>()
.values(&[
    ("spec", ArgumentValue::Spec),
    ("name", ArgumentValue::NewAgent),
    ("restart", ArgumentValue::RestartPolicy),
    ("parent", ArgumentValue::Agent),
    ("kinds", ArgumentValue::Spec),
])
.aliases(&["new"])
.short_forms(&["new", "spawn"])
.check(refuse_no_command)
.fast();

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
    /// Look for specs in this file only
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Workspace [default: from the spec, else in-place]
    #[arg(long, value_enum)]
    workspace: Option<WorkspaceArguments>,
    /// Branch of the worktree, existing or new [default: symposium/NAME]
    #[arg(long, value_name = "B", allow_hyphen_values = true)]
    branch: Option<String>,
    #[command(flatten)]
    changes: ChangesFlag,
    /// Conversation of the agent CLI to continue, or a name for the new one
    #[arg(long, value_name = "C", allow_hyphen_values = true)]
    conversation: Option<String>,
    /// Parameter of the spec: `{{K}}` in prompts, SYMPOSIUM_PARAM_K in the environment
    #[arg(long = "param", value_name = "K=V", value_parser = parameter, allow_hyphen_values = true)]
    params: Vec<(String, String)>,
    /// Environment variable, stored in spec.json; not for secrets
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
    /// Start this many agents on the task, each in its own worktree: NAME-1, NAME-2, …
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=MAX_COUNT), conflicts_with_all = SINGLE)]
    count: Option<u8>,
    /// Start one agent of each kind or spec on the task, each in its own worktree
    #[arg(long, value_name = "K,K", value_delimiter = ',', conflicts_with_all = ["spec", "command", "count"], conflicts_with_all = SINGLE)]
    kinds: Vec<String>,
    /// Attach this terminal immediately
    #[arg(long, conflicts_with = "foreground")]
    attach: bool,
    /// Run in this terminal, without tmux
    #[arg(long)]
    foreground: bool,
    #[command(flatten)]
    trust: TrustFlag,
    /// Command to run instead of a spec or kind
    #[arg(last = true, value_name = "CMD")]
    command: Vec<String>,
}

/// Maximum number of agents that one command starts: a mistyped number should not fill the disk with worktrees.
const MAX_COUNT: i64 = 20;

/// Options that are for a single agent.
const SINGLE: [&str; 4] = ["branch", "conversation", "attach", "foreground"];

/// Flags without a value. A `--` after any other option would be the value of that option.
const FLAGS: [&str; 7] =
    ["--attach", "--with-changes", "--foreground", "--ephemeral", "--trust", "--json", "--quiet"];

/// Rejects a `--` without a command behind it, which clap does not distinguish from no `--`.
fn refuse_no_command(matches: &ArgMatches, line: &[OsString]) -> Result<(), Error> {
    let is_meant = match line {
        [.., before, last] if last == "--" => {
            let before = before.to_string_lossy();
            !before.starts_with("--") || FLAGS.contains(&before.as_ref()) || before.contains('=')
        }
        _ => false,
    };
    match !matches.contains_id("command") && is_meant {
        true => Err(Error::usage("no command was given after `--`")
            .hint("`symposium agent spawn -- make watch`; without `--`, the default agent is started")),
        false => Ok(()),
    }
}

/// Options for the directory of the agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum WorkspaceArguments {
    /// The directory itself
    InPlace,
    /// A separate git worktree and branch
    Worktree,
    /// A new empty directory
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
    text.parse().map_err(|why| Error::bad_name(text, why))
}

/// The flag of commands that create a worktree.
#[derive(Debug, Clone, Copy, Args)]
pub(in crate::cli) struct ChangesFlag {
    /// Copy uncommitted and untracked changes into the new worktree
    #[arg(long)]
    with_changes: bool,
}

impl ChangesFlag {
    /// Returns what happens to uncommitted changes.
    pub(in crate::cli) fn policy(self) -> UncommittedChanges {
        if self.with_changes { UncommittedChanges::TakeAlong } else { UncommittedChanges::StayBehind }
    }
}

pub(in crate::cli) fn run(mut args: Arguments, context: &Invocation) -> Result<u8, Error> {
    let name = args.name.as_deref().map(name).transpose()?;
    if args.attach && !ui::is_interactive() {
        return Err(Error::no_terminal("spawn --attach", name.map(|name| name.to_string())));
    }
    if args.attach {
        Attachments(&context.manager).refuse_terminal(None)?;
    }
    let size = match args.count {
        Some(count) => Some(GroupSize::Count(count.into())),
        None => (!args.kinds.is_empty()).then(|| GroupSize::Kinds(std::mem::take(&mut args.kinds))),
    };
    let Arguments { attach, foreground, trust, .. } = args;
    let request = request(args, name)?;
    if let Some(size) = size {
        return spawn_group::run(&request, &size, trust, context);
    }
    if foreground {
        return run_in_foreground(&request, trust, context);
    }
    let spawned = with_trust(context, trust, || Spawning(&context.manager).spawn(request.clone()))?;
    for warning in &spawned.warnings {
        context.ui.warn(warning);
    }
    for remark in &spawned.remarks {
        context.ui.say(remark);
    }
    if attach {
        return attach::to(&spawned.agent.name, crate::manager::As::Driver, context);
    }
    if context.ui.json {
        context.ui.json(&spawned.agent);
    } else {
        context.ui.data(spawned.agent.name.as_str());
        if ui::is_stderr_terminal() {
            context.ui.say(&format!("attach with: symposium agent attach {}", spawned.agent.name));
        }
    }
    Ok(0)
}

/// Translates the arguments. Reads the task from standard input if it is `-`.
fn request(args: Arguments, name: Option<AgentName>) -> Result<SpawnRequest, Error> {
    let task = match args.task.as_deref() {
        Some("-") => Some(ui::standard_input().map_err(Error::io("cannot read the task from stdin"))?),
        _ => args.task,
    };
    Ok(SpawnRequest {
        body: if args.command.is_empty() {
            SpawnTarget::Spec(args.spec)
        } else {
            SpawnTarget::Command(args.command)
        },
        name,
        dir: args.dir,
        task,
        called_for: None,
        title: args.title,
        config: args.config,
        workspace: args.workspace.map(|place| match place {
            WorkspaceArguments::InPlace => Workspace::InPlace,
            WorkspaceArguments::Worktree => Workspace::Worktree,
            WorkspaceArguments::Scratch => Workspace::Scratch,
        }),
        branch: args.branch,
        changes: args.changes.policy(),
        fork_of: None,
        taskspace: None,
        conversation: args.conversation,
        params: args.params,
        env: args.env,
        parent: args.parent.as_deref().map(self::name).transpose()?,
        group: None,
        lifetime: args.ephemeral.then_some(Lifetime::Task),
        restart: args.restart,
        size: ui::agent_terminal_size(),
    })
}

/// Runs the agent in this terminal and returns its exit code.
fn run_in_foreground(request: &SpawnRequest, trust: TrustFlag, context: &Invocation) -> Result<u8, Error> {
    let terminal = ui::SavedTerminal::save();
    let (name, exit) = with_trust(context, trust, || {
        Spawning(&context.manager).spawn_foreground(request, || context.print_notices())
    })?;
    // An agent that was killed by a signal has not restored the terminal modes.
    if exit.signal.is_some() && ui::is_interactive() {
        terminal.restore_and_say("");
    }
    context.ui.say(&format!("agent `{name}` ended with {exit}"));
    let code = exit.code.unwrap_or_else(|| 128 + exit.signal.unwrap_or(0));
    Ok(u8::try_from(code).unwrap_or(1))
}
