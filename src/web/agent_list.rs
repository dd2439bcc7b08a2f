//! The list of agents after every change. One thread reads it for all viewers, woken like `agent list --watch`.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use serde_json::json;
use tokio::sync::watch;

use crate::error::Error;
use crate::manager::{AgentList, AgentWatch, Approvals, Context, Sharing, WatchCause, WatchControl};
use crate::model::{Agent, visible, without_deception};
use crate::rules::status::display_order;
use crate::text::agent::{Location, about, status_word};

/// Time between two checks without a change. The watch itself has its own interval.
const WATCH_INTERVAL: Duration = Duration::from_secs(3600);
/// Pause after the agents could not be listed at all, for example because the registry is damaged.
const RETRY_AFTER_FAILURE: Duration = Duration::from_secs(30);

/// Starts the thread and returns the list as JSON, now and after each change.
pub(super) fn start(context: &Arc<Context>) -> Result<watch::Receiver<Option<Arc<str>>>, Error> {
    let (sender, receiver) = watch::channel(None);
    let context = Arc::clone(context);
    let begun = thread::Builder::new().name("list".into()).spawn(move || run(&context, &sender));
    begun.map_err(Error::io("cannot start a thread"))?;
    Ok(receiver)
}

fn run(context: &Context, sender: &watch::Sender<Option<Arc<str>>>) {
    loop {
        let outcome = AgentWatch(context).watch(WATCH_INTERVAL, |woken| {
            if let WatchCause::Changed(list) = woken {
                publish(sender, &listing(context, list));
            }
            WatchControl::Continue
        });
        if let Err(error) = outcome {
            let why = without_deception(&error.to_string());
            publish(sender, &json!({ "agents": [], "rows": [], "silence": why }).to_string());
        }
        thread::sleep(RETRY_AFTER_FAILURE);
    }
}

/// Stores a list if it differs from the last one.
fn publish(sender: &watch::Sender<Option<Arc<str>>>, text: &str) {
    sender.send_if_modified(|last| {
        let is_new = last.as_deref() != Some(text);
        if is_new {
            *last = Some(text.into());
        }
        is_new
    });
}

/// Returns the list as JSON: the agents as `agent list --json` prints them, in the order that the dashboard begins with,
/// and for each the words that the dashboard shows.
fn listing(context: &Context, list: AgentList) -> String {
    let silence = list.without_tmux().or_else(|| list.silence.as_ref().map(ToString::to_string));
    let mut agents = shown_agents(context, list.agents);
    display_order::by_project(&mut agents);
    let home = context.user_home();
    let row = |agent: &Agent| {
        json!({
            "status": status_word(agent),
            "about": without_deception(&about(agent)),
            "location": Location::of(agent, home.as_deref()).to_string(),
        })
    };
    let rows: Vec<_> = agents.iter().map(row).collect();
    json!({ "agents": agents, "rows": rows, "silence": silence.map(|why| without_deception(&why)) })
        .to_string()
}

/// Returns agents in the order of `agent list`, with the options of their dialogs and their shares. Invisible characters
/// of questions are written out: the user approves what the page shows.
pub(super) fn shown_agents(context: &Context, mut agents: Vec<Agent>) -> Vec<Agent> {
    Approvals(context).add_options(&mut agents);
    Sharing(context).add_shares(&mut agents);
    display_order::sort_for_display(&mut agents);
    for question in agents.iter_mut().filter_map(|agent| agent.question.as_mut()) {
        question.text = visible(&question.text).join("\n");
        question.options.iter_mut().for_each(|option| *option = visible(option).join("\n"));
    }
    agents
}
