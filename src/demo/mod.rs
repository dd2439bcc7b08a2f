//! `symposium demo-agent`: an interactive substitute for an agent CLI, with which everything can be tried without a
//! real one.
//!
//! It behaves like Claude Code where Symposium can observe it: flags, composer, spinner, approval dialog, hooks,
//! conversations on disk, exit codes. `script` defines the effect of a prompt and `agent` makes the decisions. Only
//! this file, `terminal`, `screen`, `conversation`, `hooks` and `stray` have side effects.

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

use self::agent::{Agent, Effect, Ending, Memory, Permission};
use self::conversation::{Conversation, Entry, Place};
use self::event::Event;
use self::hooks::{About, Hooks};
use self::screen::{Plain, Screen, Surface};
use self::terminal::{Input, Terminal};

/// Time limit for the last hooks at exit.
const LAST_HOOKS: Duration = Duration::from_secs(2);

/// Interval at which an idle screen checks its size, because there is no signal handler that reports a change.
const LOOK: Duration = Duration::from_millis(500);

/// Runs the demo agent until it exits and returns its exit code. Conversations are kept as `<dir>/<id>.jsonl`.
pub fn run(args: DemoArgs, home_state: &Path) -> io::Result<i32> {
    let cwd = rustix::process::getcwd(Vec::new())?.to_string_lossy().into_owned();
    let place = Place { dir: home_state, cwd: &cwd };
    let conversation = match Conversation::open(&args, place) {
        Ok(conversation) => conversation,
        Err(refused) => return refuse(&refused.to_string()),
    };
    let transcript = conversation.path.to_string_lossy().into_owned();
    let about = About { session_id: &conversation.id, transcript_path: &transcript, cwd: &cwd };
    let hooks = match Hooks::new(args.settings.as_deref(), &about) {
        Ok(hooks) => hooks,
        Err(message) => return refuse(&message),
    };
    let mut session = Session::new(&args, conversation, hooks);
    let ending = if io::stdin().is_terminal() && io::stdout().is_terminal() {
        interactive(&mut session, args.prompt)
    } else {
        lines::run(&mut session, args.prompt)
    };
    session.hooks.finish(LAST_HOOKS);
    match ending? {
        Ending::Exit(code) => Ok(code),
        Ending::Abort => abort(),
    }
}

/// The agent with its conversation and hooks.
struct Session {
    agent: Agent,
    conversation: Conversation,
    hooks: Hooks,
    banner: String,
}

impl Session {
    fn new(args: &DemoArgs, conversation: Conversation, hooks: Hooks) -> Session {
        let mut memory = Memory::default();
        for entry in &conversation.entries {
            if let Entry::User { text } = entry {
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
        hooks.fire(&Event::SessionStart(source));
        let agent = Agent::new(memory, permission, Instant::now());
        Session { agent, conversation, hooks, banner }
    }

    /// Performs the effects that the agent decided on. Returns how the agent exits, if it does.
    fn perform(&mut self, effects: Vec<Effect>, surface: &mut impl Surface) -> io::Result<Option<Ending>> {
        for effect in effects {
            match effect {
                Effect::Print(text) => surface.print(&text)?,
                Effect::Fire(event) => self.hooks.fire(&event),
                Effect::SavePrompt(text) => self.conversation.append(Entry::User { text })?,
                Effect::SaveAnswer(text) => self.conversation.append(Entry::Assistant { text })?,
                Effect::Flood(bytes) => surface.flood(bytes)?,
                Effect::SpawnChild => match stray::spawn() {
                    Ok(pid) => {
                        surface.print(&format!("● Started a child in a session of its own: pid {pid}"))?
                    }
                    Err(error) => surface.print(&format!("● Could not start a child: {error}"))?,
                },
                Effect::Leave(ending) => return Ok(Some(ending)),
            }
        }
        Ok(None)
    }
}

fn interactive(session: &mut Session, prompt: Option<String>) -> io::Result<Ending> {
    let mut terminal = Terminal::enter()?;
    let mut screen = Screen::new(Terminal::size());
    screen.print(&session.banner.clone())?;
    let ending = converse(session, &mut terminal, &mut screen, prompt);
    screen.leave()?;
    if matches!(ending, Ok(Ending::Exit(0))) && session.conversation.path.exists() {
        screen.print(&format!("Resume this conversation with: --resume {}", session.conversation.id))?;
        screen.leave()?;
    }
    ending
}

fn converse(
    session: &mut Session,
    terminal: &mut Terminal,
    screen: &mut Screen,
    prompt: Option<String>,
) -> io::Result<Ending> {
    let mut effects = prompt.map(|text| session.agent.submit(text, Instant::now())).unwrap_or_default();
    loop {
        if let Some(ending) = session.perform(effects, screen)? {
            return Ok(ending);
        }
        let now = Instant::now();
        screen.draw(&session.agent.view(now), Terminal::size())?;
        let keys = match terminal.read(session.agent.wake(now).unwrap_or(LOOK))? {
            Input::Keys(keys) => keys,
            Input::Closed => return Ok(Ending::Exit(1)),
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
