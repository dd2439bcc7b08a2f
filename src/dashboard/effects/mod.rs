//! The workers: threads that call use cases and report back through the channel of the event loop. The input path never
//! waits for tmux, git or the disk.
//!
//! - `list`: the list of agents after every change, and the agents of other hosts
//! - `load`: the contents of tabs
//! - `diff`: the changes of the reviewed agent, and comments on them
//! - `typing`: keys for the agent that the user types into
//! - `work`: positions of branches and uncommitted files, asked from git, and pull requests
//! - `activity`: the last tool or the last line of output of working agents
//! - `spawn`: the form that starts agents
//! - `remote`: the same for agents of other hosts, with the commands that the command line runs there
//! - `act`: answers, prompts and operations, each in a thread of its own
//! - `outcomes`: one sentence about an action on several agents

mod act;
mod activity;
mod diff;
mod list;
mod load;
mod outcomes;
pub(crate) mod remote;
mod spawn;
mod typing;
mod work;

use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::thread;

use jiff::Timestamp;

use crate::dashboard::app::LoopEvent;
use crate::dashboard::canvas::SharedCanvas;
use crate::dashboard::grid::tiles::LiveGrid;
use crate::dashboard::live::LiveSlot;
use crate::dashboard::live::feed::{FeedSignal, LiveFeed};
use crate::dashboard::live::screen::{HISTORY_LINES, TILE_HISTORY_LINES};
use crate::dashboard::state::DashboardState;
use crate::dashboard::state::agent_key::AgentKey;
use crate::dashboard::state::event::{DashboardEffect, DashboardEvent};
use crate::error::Error;
use crate::manager::{Context, WatchNudge};
use crate::model::{Agent, AgentName, Status, without_deception};
use activity::ActivitySignal;
use diff::ReviewRequest;
use load::LoadRequest;
use typing::TypedInput;
use work::WorkSchedule;

/// The channels to all workers.
pub(crate) struct Workers {
    context: Arc<Context>,
    events: EventSender,
    output: OutputSender,
    feed: Sender<FeedSignal>,
    loader: Sender<LoadRequest>,
    typist: Sender<TypedInput>,
    reviewer: Sender<ReviewRequest>,
    counter: Sender<Vec<Agent>>,
    activity: Sender<ActivitySignal>,
    /// Working agents whose rows were visible last.
    visible: Vec<(AgentName, AgentKey)>,
    forge: Sender<Vec<Agent>>,
    counted: WorkSchedule,
    hosts: Sender<()>,
    /// Lists the agents again after input of the user.
    inputs: Sender<()>,
    /// The feeds of the tiles of the grid.
    tiles: Vec<Sender<FeedSignal>>,
}

/// Sends events to the event loop.
#[derive(Clone)]
pub(crate) struct EventSender(Sender<LoopEvent>);

impl EventSender {
    /// Sends events to this channel.
    pub(crate) fn of(events: &Sender<LoopEvent>) -> EventSender {
        EventSender(events.clone())
    }

    /// Sends an event. Does nothing after the loop has ended.
    pub(crate) fn send(&self, event: DashboardEvent) {
        let _ = self.0.send(LoopEvent::Event(event));
    }
}

/// Reports output of agents.
#[derive(Clone)]
pub(crate) struct OutputSender {
    pub(crate) canvas: SharedCanvas,
    pub(crate) events: EventSender,
}

impl OutputSender {
    /// Shows that a live screen has changed: at once, or as soon as the event loop can draw it.
    pub(crate) fn show(&self, now: Timestamp) {
        if !self.canvas.draw_output(now) {
            self.events.send(DashboardEvent::LiveChanged);
        }
    }
}

impl Workers {
    /// Starts all workers.
    pub(crate) fn start(
        context: &Arc<Context>,
        output: OutputSender,
        live: &LiveSlot,
    ) -> Result<Workers, Error> {
        let events = output.events.clone();
        let (feed, signals) = channel();
        let (loader, requests) = channel();
        let (typist, typed) = channel();
        let (reviewer, reviews) = channel();
        let (painter, uncoloured) = channel();
        let (counter, lists) = channel();
        let (forge, branches) = channel();
        let (hosts, refresh) = channel();
        let (activity, printed) = channel();
        let wake = activity.clone();
        let live_feed = LiveFeed {
            context: Arc::clone(context),
            slot: live.clone(),
            history_lines: HISTORY_LINES,
            signals,
            wake: feed.clone(),
            output: output.clone(),
        };
        let shared = || (Arc::clone(context), events.clone());
        let (one, two, three, four, five, six) = (shared(), shared(), shared(), shared(), shared(), shared());
        let (seven, eight, nine) = (shared(), shared(), shared());
        let nudge = WatchNudge::default();
        let watched = nudge.clone();
        let (inputs, noted) = channel();
        start("inputs", move || list::check_after_input(&nudge, &noted))?;
        start("list", move || list::watch(&one.0, &one.1, &watched))?;
        start("hosts", move || list::watch_hosts(&two.0, &two.1, &refresh))?;
        start("live", move || live_feed.run())?;
        start("load", move || load::run(&three.0, &three.1, &requests))?;
        start("type", move || typing::run(&four.0, &four.1, &typed))?;
        start("diff", move || diff::run(&seven.0, &seven.1, (&reviews, &painter)))?;
        start("colours", move || diff::paint(&eight.1, &uncoloured))?;
        start("activity", move || activity::run(&six.0, &six.1, (&printed, wake)))?;
        start("work", move || work::run(&five.0, &five.1, &lists))?;
        start("forge", move || work::read_pull_requests(&nine.0, &nine.1, &branches))?;
        Ok(Workers {
            context: Arc::clone(context),
            events,
            output,
            feed,
            loader,
            typist,
            reviewer,
            counter,
            activity,
            visible: Vec::new(),
            forge,
            counted: WorkSchedule::default(),
            hosts,
            inputs,
            tiles: Vec::new(),
        })
    }

    /// Starts an effect and returns at once.
    pub(crate) fn perform(&self, effect: DashboardEffect) {
        match effect {
            DashboardEffect::Follow(target) => drop(self.feed.send(FeedSignal::Follow(target))),
            DashboardEffect::Load { target, tab } => drop(self.loader.send(LoadRequest { target, tab })),
            DashboardEffect::CompareWork(target) => self.review(ReviewRequest::Compare(target)),
            DashboardEffect::ReadPatch { target, path, extent } => {
                self.review(ReviewRequest::Patch { target, path, extent });
            }
            DashboardEffect::Comment { target, file, rows, text } => {
                self.review(ReviewRequest::Comment { target, file, rows, text });
            }
            DashboardEffect::ToggleReviewed { target, path } => {
                self.review(ReviewRequest::ToggleReviewed(target, path));
            }
            DashboardEffect::Press { target, key } => drop(self.typist.send(TypedInput::Key(target, key))),
            DashboardEffect::Paste { target, text } => {
                drop(self.typist.send(TypedInput::Paste(target, text)));
            }
            other => {
                let (context, events) = (Arc::clone(&self.context), self.events.clone());
                let hosts = self.hosts.clone();
                let begun = start("act", move || {
                    let is_remote = remote::concerns_hosts(&other);
                    act::perform(&context, &events, other);
                    if is_remote {
                        let _ = hosts.send(());
                    }
                });
                if let Err(error) = begun {
                    self.events.send(DashboardEvent::Finished(Err(sentence(&error))));
                }
            }
        }
    }

    fn review(&self, request: ReviewRequest) {
        let _ = self.reviewer.send(request);
    }

    /// Compares the branches of the visible agents with their bases, as far as their work may have changed.
    pub(crate) fn count_work(&mut self, state: &DashboardState) {
        let due = self.counted.take_due(state);
        if !due.is_empty() {
            let _ = self.counter.send(due.clone());
            let _ = self.forge.send(due);
        }
    }

    /// Makes the next frame compare all visible branches again.
    pub(crate) fn recount_work(&mut self) {
        self.counted.forget();
    }

    /// Reads the activity of these agents from now on, as far as they work on this machine.
    pub(crate) fn show_activity<'a>(&mut self, agents: impl Iterator<Item = &'a Agent>) {
        let is_read = |agent: &&Agent| agent.status == Status::Working && agent.host.is_none();
        let visible: Vec<(AgentName, AgentKey)> =
            agents.filter(is_read).map(|agent| (agent.name.clone(), AgentKey::of(agent))).collect();
        if visible != self.visible {
            self.visible.clone_from(&visible);
            let _ = self.activity.send(ActivitySignal::Visible(visible));
        }
    }

    /// Ends the feeds of the tiles and starts those of this grid.
    pub(crate) fn follow_tiles(&mut self, grid: Option<&LiveGrid>) {
        for feed in self.tiles.drain(..) {
            let _ = feed.send(FeedSignal::End);
        }
        for tile in grid.iter().flat_map(|grid| &grid.tiles) {
            let (feed, signals) = channel();
            let live_feed = LiveFeed {
                context: Arc::clone(&self.context),
                slot: tile.slot.clone(),
                history_lines: TILE_HISTORY_LINES,
                signals,
                wake: feed.clone(),
                output: self.output.clone(),
            };
            let _ = feed.send(FeedSignal::Follow(Some(tile.follow_target())));
            if let Err(error) = start("tile", move || live_feed.run()) {
                self.events.send(DashboardEvent::Finished(Err(sentence(&error))));
            }
            self.tiles.push(feed);
        }
    }

    /// Lists the agents again soon. Nothing reports that the tmux server does not answer any more, so a user who comes
    /// back would see a list that is a minute old.
    pub(crate) fn note_input(&self) {
        let _ = self.inputs.send(());
    }

    /// Lists the agents of other hosts again.
    pub(crate) fn list_hosts(&self) {
        let _ = self.hosts.send(());
    }
}

fn start(name: &str, run: impl FnOnce() + Send + 'static) -> Result<(), Error> {
    let begun = thread::Builder::new().name(name.into()).spawn(run);
    begun.map(drop).map_err(Error::io("cannot start a thread"))
}

/// Returns an error in one line, with its first hint.
pub(crate) fn sentence(error: &Error) -> String {
    let text = match error.hints().first() {
        Some(hint) => format!("{error} ({hint})"),
        None => error.to_string(),
    };
    without_deception(&text).replace('\n', " ")
}
