//! Keys for the agent that the user types into. Keys that arrive while tmux or the
//! connection to another host is busy are sent together.

use std::sync::mpsc::Receiver;

use crate::dashboard::effects::{EventSender, remote, sentence};
use crate::dashboard::state::event::{AgentTarget, DashboardEvent};
use crate::error::Error;
use crate::manager::{AgentInput, Context};

/// Something that the user typed.
#[derive(Debug)]
pub(super) enum TypedInput {
    Key(AgentTarget, String),
    Paste(AgentTarget, String),
}

/// Types until the dashboard ends.
pub(super) fn run(context: &Context, events: &EventSender, typed: &Receiver<TypedInput>) {
    while let Ok(first) = typed.recv() {
        let mut batch: Option<(AgentTarget, Vec<String>)> = None;
        for input in std::iter::once(first).chain(typed.try_iter()) {
            match input {
                TypedInput::Key(target, key) => match &mut batch {
                    Some((same, keys)) if *same == target => keys.push(key),
                    _ => {
                        flush(context, events, batch.take());
                        batch = Some((target, vec![key]));
                    }
                },
                TypedInput::Paste(target, text) => {
                    flush(context, events, batch.take());
                    report_failure(events, paste(context, &target, &text));
                }
            }
        }
        flush(context, events, batch);
    }
}

fn flush(context: &Context, events: &EventSender, batch: Option<(AgentTarget, Vec<String>)>) {
    if let Some((target, keys)) = batch {
        report_failure(events, press(context, &target, &keys));
    }
}

fn press(context: &Context, target: &AgentTarget, keys: &[String]) -> Result<(), Error> {
    match remote::remote_host(target)? {
        None => AgentInput(context).press_keys(&target.name, keys),
        Some(host) => remote::press(context, &host, &target.name, keys),
    }
}

fn paste(context: &Context, target: &AgentTarget, text: &str) -> Result<(), Error> {
    match remote::remote_host(target)? {
        None => AgentInput(context).paste_text(&target.name, text),
        Some(host) => remote::paste(context, &host, &target.name, text),
    }
}

fn report_failure(events: &EventSender, outcome: Result<(), Error>) {
    if let Err(error) = outcome {
        events.send(DashboardEvent::Finished(Err(sentence(&error))));
    }
}
