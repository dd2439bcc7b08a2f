//! `symposium demo-agent`: an interactive substitute for an agent CLI, with which everything can be tried without a
//! real one.
//!
//! It behaves like Claude Code where Symposium can observe it: flags, composer, spinner, approval dialog, hooks,
//! conversations on disk, exit codes. `script` defines the effect of a prompt and `agent` makes the decisions. Only
//! this file, `terminal`, `screen`, `conversation`, `hooks` and `stray` have side effects.
//!
//! - `args`: the arguments, which are flags of Claude Code
//! - `script`: parses a prompt into an action
//! - `agent`: the state machine of the agent
//! - `keys`: decodes bytes of a terminal into keys
//! - `composer`: the input line
//! - `view`: the bottom of the screen as lines
//! - `stream`: prints an answer word by word
//! - `event`: the events that are reported to hooks
//! - `lines`: the agent without a terminal
//! - `terminal`: reads keys from the terminal and restores it
//! - `screen`: draws the bottom of the screen
//! - `conversation`: the conversation on disk
//! - `hooks`: calls the hooks
//! - `stray`: starts a process outside of this session

mod agent;
mod args;
mod composer;
mod conversation;
mod event;
mod hooks;
mod keys;
mod lines;
mod screen;
mod script;
mod stray;
mod stream;
mod terminal;
mod view;

use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::time::{Duration, Instant};

pub use args::DemoArgs;

use self::agent::{DemoAgent, DemoExit, Effect, Memory, Permission};
use self::conversation::{ConversationEntry, ConversationLocation, DemoConversation};
use self::event::HookEvent;
use self::hooks::{DemoHooks, HookContext};
use self::screen::{DemoScreen, PlainOutput, Surface};
use self::terminal::{KeyboardInput, RawModeTerminal};

/// Time limit for the last hooks at exit.
const HOOK_EXIT_TIMEOUT: Duration = Duration::from_secs(2);

/// Interval at which an idle screen checks its size, because there is no signal handler that reports a change.
const POLL_INTERVAL: Duration = Duration::from_millis(500);

/// Runs the demo agent until it exits and returns its exit code. Conversations are kept as `<dir>/<id>.jsonl`.
pub fn run(args: DemoArgs, home_state: &Path) -> io::Result<i32> {
    let cwd = rustix::process::getcwd(Vec::new())?.to_string_lossy().into_owned();
    let location = ConversationLocation { dir: home_state, cwd: &cwd };
    let conversation = match DemoConversation::open(&args, location) {
        Ok(conversation) => conversation,
        Err(refused) => return refuse(&refused.to_string()),
    };
    let transcript = conversation.path.to_string_lossy().into_owned();
    let about = HookContext { session_id: &conversation.id, transcript_path: &transcript, cwd: &cwd };
    let hooks = match DemoHooks::new(args.settings.as_deref(), &about) {
        Ok(hooks) => hooks,
        Err(message) => return refuse(&message),
    };
    let mut session = DemoSession::new(&args, conversation, hooks);
    let ending = if io::stdin().is_terminal() && io::stdout().is_terminal() {
        interactive(&mut session, args.prompt)
    } else {
        lines::run(&mut session, args.prompt)
    };
    session.hooks.finish(HOOK_EXIT_TIMEOUT);
    match ending? {
        DemoExit::Exit(code) => Ok(code),
        DemoExit::Abort => abort(),
    }
}

/// The agent with its conversation and hooks.
struct DemoSession {
    agent: DemoAgent,
    conversation: DemoConversation,
    hooks: DemoHooks,
    banner: String,
}

impl DemoSession {
    fn new(args: &DemoArgs, conversation: DemoConversation, hooks: DemoHooks) -> DemoSession {
        let mut memory = Memory::default();
        for entry in &conversation.entries {
            if let ConversationEntry::User { text } = entry {
                memory.prompts += 1;
                memory.remembered.extend(script::remembered(text));
            }
        }
        let permission = match args.permission_mode.as_deref() {
            Some("bypassPermissions") => Permission::Bypass,
            _ => Permission::Ask,
        };
        let source = if memory.prompts > 0 { "resume" } else { "startup" };
        let model = args.model.as_deref().unwrap_or("demo");
        let banner = format!("✳ Symposium demo agent · {model} · {}\n", conversation.id);
        hooks.fire(&HookEvent::SessionStart(source));
        let agent = DemoAgent::new(memory, permission, Instant::now());
        DemoSession { agent, conversation, hooks, banner }
    }

    /// Performs the effects that the agent decided on. Returns how the agent exits, if it does.
    fn perform(&mut self, effects: Vec<Effect>, surface: &mut impl Surface) -> io::Result<Option<DemoExit>> {
        for effect in effects {
            match effect {
                Effect::Print(text) => surface.print(&text)?,
                Effect::Fire(event) => self.hooks.fire(&event),
                Effect::SavePrompt(text) => self.conversation.append(ConversationEntry::User { text })?,
                Effect::SaveAnswer(text) => {
                    self.conversation.append(ConversationEntry::Assistant { text })?
                }
                Effect::Flood(bytes) => surface.flood(bytes)?,
                Effect::SpawnChild => match stray::spawn() {
                    Ok(pid) => {
                        surface.print(&format!("● Started a child in a session of its own: pid {pid}"))?
                    }
                    Err(error) => surface.print(&format!("● Could not start a child: {error}"))?,
                },
                Effect::Exit(ending) => return Ok(Some(ending)),
            }
        }
        Ok(None)
    }
}

fn interactive(session: &mut DemoSession, prompt: Option<String>) -> io::Result<DemoExit> {
    let mut terminal = RawModeTerminal::enter()?;
    let mut screen = DemoScreen::new(RawModeTerminal::size());
    screen.print(&session.banner.clone())?;
    let ending = run_conversation(session, &mut terminal, &mut screen, prompt);
    screen.leave()?;
    if matches!(ending, Ok(DemoExit::Exit(0))) && session.conversation.path.exists() {
        screen.print(&format!("Resume this conversation with: --resume {}", session.conversation.id))?;
        screen.leave()?;
    }
    ending
}

fn run_conversation(
    session: &mut DemoSession,
    terminal: &mut RawModeTerminal,
    screen: &mut DemoScreen,
    prompt: Option<String>,
) -> io::Result<DemoExit> {
    let mut effects = prompt.map(|text| session.agent.submit(text, Instant::now())).unwrap_or_default();
    loop {
        if let Some(ending) = session.perform(effects, screen)? {
            return Ok(ending);
        }
        let now = Instant::now();
        screen.draw(&session.agent.view(now), RawModeTerminal::size())?;
        let keys = match terminal.read(session.agent.time_until_due(now).unwrap_or(POLL_INTERVAL))? {
            KeyboardInput::Keys(keys) => keys,
            KeyboardInput::Closed => return Ok(DemoExit::Exit(1)),
        };
        let now = Instant::now();
        effects = keys.into_iter().flat_map(|key| session.agent.key(key, now)).collect();
        effects.extend(session.agent.tick(now));
    }
}

fn refuse(message: &str) -> io::Result<i32> {
    writeln!(io::stderr(), "{message}")?;
    Ok(1)
}

/// Terminates the process like `abort`, but without a core file.
fn abort() -> io::Result<i32> {
    use rustix::process::{Resource, Rlimit, Signal, getpid, kill_process, setrlimit};
    let _ = setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) });
    kill_process(getpid(), Signal::ABORT)?;
    Ok(134)
}
