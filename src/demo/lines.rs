//! The demo agent without a terminal: reads lines, answers each, and exits at the end of the input.

use std::io::{self, BufRead};
use std::thread;
use std::time::Instant;

use super::agent::{Effect, Ending, Wants};
use super::event::Event;
use super::keys::Key;
use super::view::Body;
use super::{Plain, Session, Surface};

/// Runs until the input ends or a line requests the exit.
pub(super) fn run(session: &mut Session, prompt: Option<String>) -> io::Result<Ending> {
    let mut plain = Plain(io::stdout());
    plain.print(&session.banner.clone())?;
    let effects = prompt.map(|text| session.agent.submit(text, Instant::now())).unwrap_or_default();
    if let Some(ending) = settle(session, &mut plain, effects)? {
        return Ok(ending);
    }
    for line in io::stdin().lock().lines() {
        let now = Instant::now();
        let keys = keys(&line?, session.agent.wants());
        let effects = keys.into_iter().flat_map(|key| session.agent.key(key, now)).collect();
        if let Some(ending) = settle(session, &mut plain, effects)? {
            return Ok(ending);
        }
    }
    session.hooks.fire(&Event::SessionEnd("other"));
    Ok(Ending::Exit(0))
}

/// Translates a line into the equivalent keys.
fn keys(line: &str, wants: Wants) -> Vec<Key> {
    match wants {
        Wants::Decision => line.trim().chars().take(1).map(Key::Char).collect(),
        Wants::Text | Wants::Nothing => vec![Key::Paste(line.to_owned()), Key::Enter],
    }
}

/// Lets the agent work until it waits for input.
fn settle(session: &mut Session, plain: &mut Plain, effects: Vec<Effect>) -> io::Result<Option<Ending>> {
    if let Some(ending) = session.perform(effects, plain)? {
        return Ok(Some(ending));
    }
    while session.agent.wants() == Wants::Nothing {
        match session.agent.wake(Instant::now()) {
            Some(pause) => thread::sleep(pause),
            None => thread::park(),
        }
        let effects = session.agent.tick(Instant::now());
        if let Some(ending) = session.perform(effects, plain)? {
            return Ok(Some(ending));
        }
    }
    let view = session.agent.view(Instant::now());
    match (view.body, view.status) {
        (Body::Approval(command), _) => plain.print(&format!("{command}\nDo you want to proceed? (y/n)"))?,
        (_, Some(question)) => plain.print(&question)?,
        _ => {}
    }
    Ok(None)
}
