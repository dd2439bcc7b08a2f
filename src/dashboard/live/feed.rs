//! The thread that keeps the live slot up to date. It sleeps until the user selects another agent or the agent prints
//! something. The output itself is interpreted and drawn by the thread of the watch on the transcript.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::{Duration, Instant};

use crate::dashboard::effects::OutputSender;
use crate::dashboard::effects::remote::remote_host;
use crate::dashboard::live::output_taker::{OutputSigns, OutputTaker};
use crate::dashboard::live::remote_feed::RemoteFeed;
use crate::dashboard::live::screen::LiveScreen;
use crate::dashboard::live::{LiveContent, LiveSlot};
use crate::dashboard::state::agent_key::AgentKey;
use crate::dashboard::state::event::{AgentTarget, FollowTarget};
use crate::manager::{AgentLogs, AgentScreens, Context, PaneScreen, ScreenFollower};
use crate::model::without_deception;

/// Pause in the output after which the screen is compared with another capture. The transcript is written within
/// milliseconds.
const SETTLED_AFTER: Duration = Duration::from_millis(250);
/// Longest time between two comparisons while the agent prints. It is reached by doubling as long as they agree.
const MAX_UNCHECKED: Duration = Duration::from_secs(60);
/// Shortest time between two comparisons while the agent prints without a pause.
const MIN_UNCHECKED_WITHOUT_PAUSE: Duration = Duration::from_secs(5);
/// Pause before another attempt to read a screen that the agent should have.
const RETRY_INTERVAL: Duration = Duration::from_secs(1);
/// How long an agent of another host must be selected before its screen is requested.
const REMOTE_DELAY: Duration = Duration::from_millis(150);

/// A signal to the thread.
#[derive(Debug)]
pub(crate) enum FeedSignal {
    /// Show this agent, or none.
    Follow(Option<FollowTarget>),
    /// The agent has printed something.
    Printed,
    /// The screen is not shown any more.
    End,
}

/// The thread that follows one agent at a time.
pub(crate) struct LiveFeed {
    pub(crate) context: Arc<Context>,
    pub(crate) slot: LiveSlot,
    /// Lines of history that are kept.
    pub(crate) history_lines: usize,
    pub(crate) signals: Receiver<FeedSignal>,
    /// For the watch on the transcript, which wakes this thread.
    pub(crate) wake: Sender<FeedSignal>,
    pub(crate) output: OutputSender,
}

impl LiveFeed {
    /// Runs until the dashboard ends.
    pub(crate) fn run(self) {
        let mut next = self.signals.recv().ok();
        while let Some(signal) = next {
            next = match signal {
                FeedSignal::Follow(Some(target)) => self.follow(&target),
                FeedSignal::Follow(None) => {
                    self.slot.set(LiveContent::Empty);
                    self.signals.recv().ok()
                }
                FeedSignal::Printed => self.signals.recv().ok(),
                FeedSignal::End => None,
            };
        }
    }

    /// Shows an agent until another one is selected. Returns the signal that ended it.
    fn follow(&self, target: &FollowTarget) -> Option<FeedSignal> {
        // The user may have moved on while the last capture was made.
        if let Some(newer) = self.newest() {
            return Some(newer);
        }
        if target.agent.key.host.is_some() {
            return self.follow_remote(target);
        }
        if !target.has_screen {
            self.show_end(&target.agent, "It is not running. This is the end of its transcript:");
            return self.signals.recv().ok();
        }
        loop {
            match self.begin(&target.agent) {
                Ok(mut following) => return following.run(),
                Err(why) => self.show_end(&target.agent, &why),
            }
            // A tmux that hangs, or an agent that has just been started, is there a moment later.
            match self.signals.recv_timeout(RETRY_INTERVAL) {
                Ok(FeedSignal::Printed) | Err(RecvTimeoutError::Timeout) => {}
                Ok(other) => return Some(other),
                Err(RecvTimeoutError::Disconnected) => return None,
            }
        }
    }

    /// Shows an agent of another host until another one is selected. A thread of its own talks to the host, because a
    /// host may take long to answer.
    fn follow_remote(&self, target: &FollowTarget) -> Option<FeedSignal> {
        let host = match remote_host(&target.agent) {
            Ok(Some(host)) if target.has_screen => host,
            _ => {
                self.show(LiveContent::Text(
                    target.agent.key.clone(),
                    "The agent is not running. The tab `log` shows the end of its transcript.".to_owned(),
                    vec![],
                ));
                return self.signals.recv().ok();
            }
        };
        let waiting = format!("waiting for {host}…");
        self.show(LiveContent::Text(target.agent.key.clone(), waiting, vec![]));
        // The user may only be passing by; each connection costs a process here and on the host.
        match self.signals.recv_timeout(REMOTE_DELAY) {
            Ok(FeedSignal::Printed) | Err(RecvTimeoutError::Timeout) => {}
            Ok(other) => return Some(other),
            Err(RecvTimeoutError::Disconnected) => return None,
        }
        let ended = Arc::new(AtomicBool::new(false));
        let feed = RemoteFeed {
            context: Arc::clone(&self.context),
            slot: self.slot.clone(),
            history_lines: self.history_lines,
            events: self.output.events.clone(),
            host,
            target: target.agent.clone(),
            ended: Arc::clone(&ended),
        };
        if let Err(error) = thread::Builder::new().name("remote".into()).spawn(move || feed.run()) {
            self.show(LiveContent::Text(target.agent.key.clone(), error.to_string(), vec![]));
        }
        let next = loop {
            match self.signals.recv() {
                Ok(FeedSignal::Printed) => {}
                other => break other.ok(),
            }
        };
        ended.store(true, Ordering::SeqCst);
        next
    }

    /// Captures the screen of an agent and follows its output. Returns the reason if it has no screen.
    fn begin(&self, agent: &AgentTarget) -> Result<Following<'_>, String> {
        let taker = Arc::new(OnceLock::<OutputTaker>::new());
        let woken = Arc::clone(&taker);
        let screens = AgentScreens(&self.context);
        let follower = screens.follow_screen(&agent.name, move || {
            // Before the first capture was shown, nothing can be interpreted.
            if let Some(taker) = woken.get() {
                taker.take();
            }
        });
        let mut follower = follower.map_err(|error| error.to_string())?;
        // The history follows when the user stays: it takes ten times as long as the screen, and the user may only
        // pass by.
        let capture = follower.capture(0).map_err(|error| error.to_string())?;
        let capture = capture.ok_or_else(|| "It has no screen.".to_owned())?;
        let _ = follower.skip_output();
        self.show(LiveContent::Screen(agent.key.clone(), self.screen_of(&capture).into()));
        let taker = taker.get_or_init(|| OutputTaker {
            context: Arc::clone(&self.context),
            key: agent.key.clone(),
            slot: self.slot.clone(),
            source: follower.output(),
            output: self.output.clone(),
            wake: self.wake.clone(),
            signs: Arc::default(),
        });
        let (signs, checked) = (Arc::clone(&taker.signs), Instant::now());
        // What was printed since then has woken no taker.
        taker.take();
        let unchecked = SETTLED_AFTER;
        Ok(Following {
            feed: self,
            key: agent.key.clone(),
            follower,
            signs,
            checked,
            unchecked,
            has_history: false,
        })
    }

    /// Shows the end of the transcript of an agent that has no screen.
    fn show_end(&self, target: &AgentTarget, why: &str) {
        let text = AgentLogs(&self.context).logs_tail(&target.name).unwrap_or_default();
        let lines = text.trim_end().lines().map(without_deception).collect();
        self.show(LiveContent::Text(target.key.clone(), without_deception(why), lines));
    }

    fn screen_of(&self, capture: &PaneScreen) -> LiveScreen {
        LiveScreen::with_history(capture, self.history_lines)
    }

    fn show(&self, content: LiveContent) {
        self.slot.set(content);
        self.output.show(self.context.now());
    }

    /// Returns the last request that has arrived, if any.
    fn newest(&self) -> Option<FeedSignal> {
        self.signals.try_iter().filter(|signal| !matches!(signal, FeedSignal::Printed)).last()
    }
}

/// An agent that is being followed.
struct Following<'a> {
    feed: &'a LiveFeed,
    key: AgentKey,
    follower: ScreenFollower<'a>,
    signs: Arc<OutputSigns>,
    /// Time of the last comparison.
    checked: Instant,
    /// Time until the next comparison at least.
    unchecked: Duration,
    /// Whether the history was captured.
    has_history: bool,
}

impl Drop for Following<'_> {
    fn drop(&mut self) {
        self.signs.is_over.store(true, Ordering::SeqCst);
    }
}

impl Following<'_> {
    fn run(&mut self) -> Option<FeedSignal> {
        // Output that was on its way during the capture may appear twice, so the first comparison always happens.
        let mut due = Some(SETTLED_AFTER);
        loop {
            let signal = match due {
                None => self.feed.signals.recv().map_err(|_| RecvTimeoutError::Disconnected),
                Some(pause) => self.feed.signals.recv_timeout(pause),
            };
            match signal {
                Ok(FeedSignal::Printed) => {
                    self.signs.is_pending.store(false, Ordering::SeqCst);
                    if self.signs.has_cleared.swap(false, Ordering::SeqCst) {
                        self.unchecked = SETTLED_AFTER;
                    }
                    due = Some(SETTLED_AFTER.max(self.unchecked.saturating_sub(self.checked.elapsed())));
                    // An agent that never pauses is compared, too.
                    let limit = match self.has_history {
                        true => self.unchecked.max(MIN_UNCHECKED_WITHOUT_PAUSE),
                        false => SETTLED_AFTER,
                    };
                    if self.checked.elapsed() > limit {
                        self.compare();
                    }
                }
                Err(RecvTimeoutError::Timeout) => {
                    self.compare();
                    // Output during the capture may or may not be part of it.
                    due = self.signs.is_pending.load(Ordering::SeqCst).then_some(SETTLED_AFTER);
                }
                Ok(other) => return Some(other),
                Err(RecvTimeoutError::Disconnected) => return None,
            }
        }
    }

    /// Compares the screen with a new capture and replaces it if they differ.
    fn compare(&mut self) {
        self.checked = Instant::now();
        // The history is captured only if it is needed.
        let is_same = match self.follower.capture(0) {
            Ok(Some(capture)) => self.with_screen(|screen| screen.shows(&capture)),
            Ok(None) | Err(_) => Some(true),
        };
        if is_same != Some(false) && self.has_history {
            self.unchecked = (self.unchecked * 2).min(MAX_UNCHECKED);
            return;
        }
        self.unchecked = SETTLED_AFTER;
        if let Ok(Some(capture)) = self.follower.capture(self.feed.history_lines) {
            let _ = self.follower.skip_output();
            self.with_screen(|screen| screen.replace(&capture, self.feed.history_lines));
            self.has_history = true;
            self.feed.output.show(self.feed.context.now());
        }
    }

    /// Gives access to the screen, unless another agent is shown by now.
    fn with_screen<T>(&self, act: impl FnOnce(&mut LiveScreen) -> T) -> Option<T> {
        self.feed.slot.with(|content| match content {
            LiveContent::Screen(key, screen) if *key == self.key => Some(act(screen)),
            _ => None,
        })
    }
}
