//! The demo agent without a terminal: reads lines, answers each, and exits at the end of the input.

use std::io::{self, BufRead};
use std::thread;
use std::time::Instant;

use super::agent::{DemoExit, Effect, ExpectedInput};
use super::event::HookEvent;
use super::keys::DemoKey;
use super::view::ViewBody;
use super::{DemoSession, PlainOutput, Surface};

/// Runs until the input ends or a line requests the exit.
pub(super) fn run(session: &mut DemoSession, prompt: Option<String>) -> io::Result<DemoExit> {
    let mut plain = PlainOutput(io::stdout());
    plain.print(&session.banner.clone())?;
    let effects = prompt.map(|text| session.agent.submit(text, Instant::now())).unwrap_or_default();
    if let Some(ending) = run_until_idle(session, &mut plain, effects)? {
        return Ok(ending);
    }
    for line in io::stdin().lock().lines() {
        let now = Instant::now();
        let keys = keys(&line?, session.agent.expected_input());
        let effects = keys.into_iter().flat_map(|key| session.agent.key(key, now)).collect();
        if let Some(ending) = run_until_idle(session, &mut plain, effects)? {
            return Ok(ending);
        }
    }
    session.hooks.fire(&HookEvent::SessionEnd("other"));
    Ok(DemoExit::Exit(0))
}

/// Translates a line into the equivalent keys.
fn keys(line: &str, wants: ExpectedInput) -> Vec<DemoKey> {
    match wants {
        ExpectedInput::Decision => line.trim().chars().take(1).map(DemoKey::Char).collect(),
        ExpectedInput::Text | ExpectedInput::Nothing => {
            vec![DemoKey::Paste(line.to_owned()), DemoKey::Enter]
        }
    }
}

/// Lets the agent work until it waits for input.
fn run_until_idle(
    session: &mut DemoSession,
    plain: &mut PlainOutput,
    effects: Vec<Effect>,
) -> io::Result<Option<DemoExit>> {
    if let Some(ending) = session.perform(effects, plain)? {
        return Ok(Some(ending));
    }
    while session.agent.expected_input() == ExpectedInput::Nothing {
        match session.agent.time_until_due(Instant::now()) {
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
        (ViewBody::Approval(command), _) => {
            plain.print(&format!("{command}\nDo you want to proceed? (y/n)"))?
        }
        (_, Some(question)) => plain.print(&question)?,
        _ => {}
    }
    Ok(None)
}
