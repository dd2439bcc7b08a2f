//! The event loop. It waits for one channel, applies events, starts effects and draws if something has changed.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use crate::dashboard::canvas::{Canvas, SharedCanvas};
use crate::dashboard::effects::remote::remote_host;
use crate::dashboard::effects::{EventSender, OutputSender, Workers};
use crate::dashboard::frames::{Staleness, staleness_after};
use crate::dashboard::input::InputThread;
use crate::dashboard::state::event::{AgentTarget, DashboardEffect, DashboardEvent, ForegroundProgram};
use crate::dashboard::state::{DashboardState, update};
use crate::dashboard::terminal::FullScreen;
use crate::dashboard::view;
use crate::dashboard::view::theme::Theme;
use crate::error::{Code, Error};
use crate::failpoint;
use crate::manager::{
    As, AttachRequest, Attaching, Attachments, ClientProcess, Context, CoverPage, Hosts, JoinReason, Recaps,
    WorkspaceProgram, WorkspaceShell,
};
use crate::model::{AgentName, HostName};

/// How long the first frame waits for the list of agents.
const FIRST_FRAME_WAIT: Duration = Duration::from_millis(200);
/// Interval of the check whether an age has changed, while an agent has a status for less than a minute.
const SECONDS_TICK: Duration = Duration::from_secs(10);
/// The same interval while all ages are in minutes or more. The list of agents arrives once a minute, also without a
/// change, and ages are checked then; another timer would only wake this process more often.
const MINUTES_TICK: Duration = Duration::from_secs(3600);

/// What the loop waits for.
#[derive(Debug)]
pub(crate) enum LoopEvent {
    Event(DashboardEvent),
    /// A signal, or the end of the terminal.
    Quit,
}

/// Whether the loop goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LoopState {
    Running,
    Ended,
}

/// The running dashboard.
pub(crate) struct App {
    context: Arc<Context>,
    canvas: SharedCanvas,
    input: InputThread,
    workers: Workers,
    events: Receiver<LoopEvent>,
    /// Effects that wait for the next frame.
    deferred: Vec<DashboardEffect>,
    /// Whether the user has done something since the last frame.
    has_input: bool,
}

impl App {
    /// Takes over the terminal and starts the workers.
    pub(crate) fn start(context: Arc<Context>, state: DashboardState, theme: Theme) -> Result<App, Error> {
        let (send, events): (Sender<LoopEvent>, _) = channel();
        let canvas = SharedCanvas::default();
        let output = OutputSender { canvas: canvas.clone(), events: EventSender::of(&send) };
        let workers = Workers::start(&context, output, &state.live)?;
        let mut screen = FullScreen::enter().map_err(Error::io("cannot use the terminal"))?;
        let input = InputThread::start(send).map_err(Error::io("cannot read the terminal"))?;
        // A popup of tmux does not answer.
        if theme.is_automatic() && state.surroundings.switched_client.is_none() {
            screen.ask_for_background().map_err(Error::io("cannot use the terminal"))?;
        }
        *canvas.lock() = Some(Canvas::new(state, theme, screen));
        Ok(App { context, canvas, input, workers, events, deferred: Vec::new(), has_input: false })
    }

    /// Runs until the user leaves.
    pub(crate) fn run(mut self) -> Result<(), Error> {
        let mut stale = Staleness::Outdated;
        let started = Instant::now();
        let shared = self.canvas.clone();
        // Only released to wait: output that is drawn between a change of the state and its frame would have the layout of
        // the new state.
        let mut guard = shared.lock();
        loop {
            let Some(canvas) = guard.as_mut() else { return Ok(()) };
            let is_first = !canvas.state.is_loaded && started.elapsed() < FIRST_FRAME_WAIT;
            let is_due = match stale {
                Staleness::Outdated => !is_first,
                Staleness::Output => canvas.output_delay().is_zero(),
                Staleness::Current => false,
            };
            if is_due {
                self.draw(canvas, stale)?;
                stale = Staleness::Current;
            }
            self.perform_deferred();
            let timeout = match stale {
                Staleness::Outdated => FIRST_FRAME_WAIT.saturating_sub(started.elapsed()),
                Staleness::Output => canvas.output_delay(),
                Staleness::Current => tick(&canvas.state),
            };
            drop(guard);
            let received = self.events.recv_timeout(timeout);
            guard = shared.lock();
            let Some(canvas) = guard.as_mut() else { return Ok(()) };
            match received {
                Ok(first) => {
                    let all: Vec<LoopEvent> = std::iter::once(first).chain(self.events.try_iter()).collect();
                    for event in all {
                        match self.take(canvas, event)? {
                            (LoopState::Ended, _) => return Ok(()),
                            (LoopState::Running, new) => stale = stale.max(new),
                        }
                    }
                }
                Err(RecvTimeoutError::Timeout) if stale == Staleness::Output => {}
                Err(RecvTimeoutError::Timeout) => {
                    canvas.state.now = self.context.now();
                    if view::ages(&canvas.state) != canvas.screen.ages() {
                        stale = Staleness::Outdated;
                    }
                }
                Err(RecvTimeoutError::Disconnected) => return Ok(()),
            }
        }
    }

    fn draw(&mut self, canvas: &mut Canvas, stale: Staleness) -> Result<(), Error> {
        canvas.state.now = self.context.now();
        canvas.draw(stale).map_err(Error::io("cannot draw"))?;
        failpoint::reached("dashboard.drawn");
        canvas.state.note_drawn();
        self.workers.count_work(&canvas.state);
        self.workers.show_activity(canvas.state.visible_agents());
        Ok(())
    }

    /// Starts the work that waited for the frame, so that it does not compete with the frame for the processor.
    fn perform_deferred(&mut self) {
        self.deferred.drain(..).for_each(|effect| self.workers.perform(effect));
        if std::mem::take(&mut self.has_input) {
            self.workers.note_input();
        }
    }

    /// Applies an event and returns what it changed.
    fn take(&mut self, canvas: &mut Canvas, event: LoopEvent) -> Result<(LoopState, Staleness), Error> {
        let LoopEvent::Event(event) = event else { return Ok((LoopState::Ended, Staleness::Current)) };
        if matches!(event, DashboardEvent::Key(_) | DashboardEvent::Mouse(_) | DashboardEvent::Paste(_)) {
            self.has_input = true;
        }
        if let DashboardEvent::BackgroundReported(background) = event {
            canvas.theme = canvas.theme.on(background);
        }
        // A terminal that was smaller for a moment has lost what had no room, also if it has its former size again.
        if matches!(event, DashboardEvent::Resized(..)) {
            canvas.screen.clear().map_err(Error::io("cannot draw"))?;
        }
        canvas.state.now = self.context.now();
        let staleness = staleness_after(&event, &canvas.state, canvas.screen.ages());
        for effect in update(&mut canvas.state, event) {
            match effect {
                DashboardEffect::Quit => return Ok((LoopState::Ended, Staleness::Current)),
                DashboardEffect::Redraw => {
                    canvas.screen.clear().map_err(Error::io("cannot draw"))?;
                    self.workers.list_hosts();
                    self.workers.recount_work();
                }
                DashboardEffect::CountWork => self.workers.recount_work(),
                DashboardEffect::FollowTiles => self.workers.follow_tiles(canvas.state.grid.as_ref()),
                DashboardEffect::Suspend => self.run_foreground(canvas, Foreground::Suspension)?,
                DashboardEffect::Foreground(program) => {
                    self.run_foreground(canvas, Foreground::Program(program))?
                }
                DashboardEffect::Copy(text) => canvas.screen.copy(&text).map_err(Error::io("cannot draw"))?,
                other if waits_for_frame(&other) => self.deferred.push(other),
                other => self.workers.perform(other),
            }
        }
        Ok((LoopState::Running, staleness))
    }

    /// Gives the terminal to another program, or back to the shell.
    fn run_foreground(&mut self, canvas: &mut Canvas, foreground: Foreground) -> Result<(), Error> {
        self.input.pause();
        let context = Arc::clone(&self.context);
        let cannot = Error::io("cannot use the terminal");
        let outcome = match foreground {
            Foreground::Suspension => canvas.screen.suspend().map(|()| Ok(None)),
            Foreground::Program(program) => canvas.screen.suspend_while(|| run_program(&context, program)),
        };
        let outcome = outcome.map_err(cannot)?;
        self.input.resume();
        // The user may have changed files or committed them.
        self.workers.recount_work();
        let (width, height) = FullScreen::size();
        update(&mut canvas.state, DashboardEvent::Resized(width, height));
        match outcome {
            Ok(Some(text)) => drop(update(&mut canvas.state, DashboardEvent::Edited(text))),
            Ok(None) => {}
            Err(error) => canvas.state.show_error(crate::dashboard::effects::sentence(&error)),
        }
        Ok(())
    }
}

impl Drop for App {
    /// Returns the terminal to the shell. Threads that draw have the canvas, too.
    fn drop(&mut self) {
        drop(self.canvas.lock().take());
    }
}

/// Returns when ages may have changed.
fn tick(state: &DashboardState) -> Duration {
    let is_young = |since: jiff::Timestamp| state.now.duration_since(since).as_secs() < 60;
    match state.agents.iter().any(|agent| is_young(agent.status_since)) {
        true => SECONDS_TICK,
        false => MINUTES_TICK,
    }
}

/// Returns whether an effect only reads what is shown later.
fn waits_for_frame(effect: &DashboardEffect) -> bool {
    matches!(effect, DashboardEffect::Follow(_) | DashboardEffect::Load { .. })
}

/// What gets the terminal.
enum Foreground {
    Suspension,
    Program(ForegroundProgram),
}

/// Runs a program in the terminal. Returns the text that the user has written, if any.
fn run_program(context: &Context, program: ForegroundProgram) -> Result<Option<String>, Error> {
    let shell = WorkspaceShell(context);
    match program {
        ForegroundProgram::Attach(target) => match remote_host(&target)? {
            None => attach(context, &target.name).map(|_| None),
            Some(host) => attach_remote(context, &host, &target).map(|()| None),
        },
        ForegroundProgram::Editor(name) => {
            shell.run_in_workspace(&name, WorkspaceProgram::Editor(vec![])).map(|_| None)
        }
        ForegroundProgram::EditText(text) => shell.edit_text(&text).map(Some),
    }
}

/// Attaches the terminal to an agent on another machine until the user detaches.
fn attach_remote(context: &Context, host: &HostName, target: &AgentTarget) -> Result<(), Error> {
    let exit = Hosts(context).attach_in_child(host, &target.name)?;
    match exit.code {
        Some(0) => Ok(()),
        _ => Err(Error::new(Code::FailedOnHost(1), format!("cannot attach to `{}`", target.address()))
            .hint(format!("`symposium attach {}` shows the reason", target.address()))),
    }
}

/// Attaches the terminal until the user detaches.
fn attach(context: &Context, name: &AgentName) -> Result<Attaching, Error> {
    let recaps = Recaps(context);
    let since = recaps.absent_since(name);
    let cover = since.map(|since| CoverPage { argv: recaps.recap_command(name, since) });
    let request = AttachRequest {
        name,
        how: As::Driver,
        host: None,
        arrival: JoinReason::New,
        around: Attachments(context).around(),
        cover: cover.as_ref(),
        process: ClientProcess::Child,
    };
    Attachments(context).attach(request, |_, _| ())
}
