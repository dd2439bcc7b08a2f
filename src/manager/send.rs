//! `agent send`: types a prompt into an agent, once, and makes sure that it arrived.
//!
//! Nothing is typed before the agent is seen to be ready and its input line to be empty. Once the text was
//! pasted it is never pasted again; only the Enter behind it is repeated, once, when it was plainly not taken.

use std::path::Path;
use std::time::{Duration, Instant};

use super::Manager;
use super::event::PROMPT;
use super::reconcile::mark_of;
use crate::env::Env;
use crate::error::{Error, Typed};
use crate::failpoint;
use crate::kinds;
use crate::model::{Agent, AgentName, AgentRecord, Edge, Kind, Prompt, ScreenState, Status};
use crate::process::{self, TtyState};
use crate::rules::confirm::{is_same, is_same_but_for_tabs, shows};
use crate::rules::delivery::{Lines, Reader, Typing, typing};
use crate::rules::screen::{Sight, ToldBy};
use crate::rules::status::PLAIN_COMMAND;
use crate::store::{AgentLock, Watch};
use crate::tmux::{Capture, Paste};
use crate::transcript;

/// How long a typed text may take to show, and an Enter to be taken.
const EFFECT: Duration = Duration::from_secs(4);
/// Between two looks when no event says that something changed.
const BETWEEN_LOOKS: Duration = Duration::from_millis(200);
/// How long a first prompt that cannot be an argument waits for its agent.
const FIRST: Duration = Duration::from_secs(30);
/// How often one is woken that falls asleep again before its turn comes.
const WAKES: usize = 3;
/// How many lines of a screen an error shows.
const SHOWN: usize = 8;

/// What a user asked for.
#[derive(Debug, Clone)]
pub struct SendRequest {
    /// The agent.
    pub name: AgentName,
    /// The text.
    pub text: String,
    /// What several lines mean.
    pub lines: Lines,
    /// How long to wait until the agent would take it.
    pub timeout: Duration,
}

impl Manager {
    /// Delivers a prompt and confirms it; says by what it was confirmed.
    pub fn send(&self, request: &SendRequest) -> Result<&'static str, Error> {
        // What cannot be sent wakes nobody.
        request.text.parse::<Prompt>().map_err(Error::Unsendable)?;
        self.tmux()?;
        let is = |record: &AgentRecord, status| record.status.status == status;
        for _ in 0..WAKES {
            self.wake(&request.name)?;
            failpoint::reached("send.woken");
            let record = self.record(&request.name, "send")?;
            if !record.status.status.is_live() && !is(&record, Status::Hibernated) {
                self.running(&request.name, "send")?;
            }
            // Whoever puts it to sleep has this turn until it sleeps, and cannot begin while we have it.
            let turn = self.store.lock_typing(&request.name)?;
            if !is(&self.record(&request.name, "send")?, Status::Hibernated) {
                return self.send_in_turn(request, &turn);
            }
        }
        Err(Error::Busy { name: request.name.clone(), by: "it falls asleep again and again".into() })
    }

    /// Delivers a prompt while nobody else may type.
    pub(super) fn send_in_turn(
        &self,
        request: &SendRequest,
        _turn: &AgentLock,
    ) -> Result<&'static str, Error> {
        let delivery = self.delivery(&request.name, &request.text)?;
        delivery
            .wait_until_it_would_take_it(request.timeout)
            .map_err(|error| delivery.or_its_end(error, Typed::Nothing))?;
        let by =
            delivery.deliver(request.lines).map_err(|error| delivery.or_its_end(error, Typed::Something))?;
        self.note_begun(&request.name)?;
        self.note_taken(&request.name, &delivery.kind)?;
        Ok(by)
    }

    /// Presses Enter behind a text that was typed in before and stands unsent in the input line.
    pub(super) fn submit_in_turn(
        &self,
        name: &AgentName,
        text: &str,
        _turn: &AgentLock,
    ) -> Result<&'static str, Error> {
        let delivery = self.delivery(name, text)?;
        let by =
            delivery.press_enter(Env::now()).map_err(|error| delivery.or_its_end(error, Typed::Something))?;
        self.note_begun(name)?;
        self.note_taken(name, &delivery.kind)?;
        Ok(by)
    }

    fn delivery(&self, name: &AgentName, text: &str) -> Result<Delivery<'_>, Error> {
        let prompt: Prompt = text.parse().map_err(Error::Unsendable)?;
        let agent = self.running(name, "send")?;
        let kind = self.kinds()?.get(&agent.kind).cloned().unwrap_or_default();
        let watch = self.store.watch_instance(&agent.name)?;
        let pane = agent.tmux.as_ref().map(|tmux| tmux.pane.clone()).unwrap_or_default();
        Ok(Delivery { manager: self, agent, kind, pane, prompt, watch })
    }

    /// Notes that there is a conversation to go on with, for a CLI that does not say so itself.
    fn note_begun(&self, name: &AgentName) -> Result<(), Error> {
        self.forget_first(name);
        if self.record(name, "send")?.conversation.begun {
            return Ok(());
        }
        self.write(|edit| {
            if let Ok(Some(mut record)) = edit.get(name) {
                record.conversation.begun = true;
                edit.put(record);
            }
        })?;
        Ok(())
    }

    /// Notes that it works, for a CLI that does not say so itself; its screen tells when it is done.
    fn note_taken(&self, name: &AgentName, kind: &Kind) -> Result<(), Error> {
        let record = self.record(name, "send")?;
        if record.kind == PLAIN_COMMAND || self.told_by(name, kind) == ToldBy::Hooks {
            return Ok(());
        }
        let sight = Sight { state: Some(&ScreenState::Busy), edge: Edge::Activity, told_by: ToldBy::Screen };
        self.note_sight(&record, sight).map(|_| ())
    }

    /// Types the first prompt of a program that takes none as an argument.
    pub(super) fn send_first(&self, name: &AgentName, task: &str) -> Result<(), Error> {
        let request =
            SendRequest { name: name.clone(), text: task.to_owned(), lines: Lines::Together, timeout: FIRST };
        self.send(&request).map(|_| ())
    }
}

struct Delivery<'a> {
    manager: &'a Manager,
    agent: Agent,
    kind: Kind,
    pane: String,
    prompt: Prompt,
    watch: Watch,
}

impl Delivery<'_> {
    fn wait_until_it_would_take_it(&self, at_most: Duration) -> Result<(), Error> {
        if self.agent.kind == PLAIN_COMMAND {
            return Ok(());
        }
        let mut last = String::from("it did not look ready");
        let ready = self.until(at_most, || {
            let reading = kinds::read_screen(&self.kind, &self.styled()?);
            if let Some(draft) = reading.draft.filter(|draft| !draft.trim().is_empty()) {
                return Err(self.unconfirmed(
                    "an unsent draft stands in its input line; nothing was typed",
                    vec![draft],
                ));
            }
            match (reading.state, self.noted()?) {
                (
                    Some(
                        ScreenState::Approval(line) | ScreenState::Question(line) | ScreenState::Setup(line),
                    ),
                    _,
                ) => Err(self
                    .unconfirmed("it waits for an answer to its own dialog; nothing was typed", vec![line])),
                (_, Status::Waiting) => {
                    Err(self.unconfirmed("it waits for a person; nothing was typed", self.screen_end()))
                }
                (Some(ScreenState::Ready), Status::Working) if self.tells_of_prompts() => {
                    last = "it is working".into();
                    Ok(false)
                }
                (Some(ScreenState::Ready), _) => Ok(true),
                (Some(ScreenState::Busy), _) => {
                    last = "it is working".into();
                    Ok(false)
                }
                (None, status) if self.kind.screen.ready.is_empty() => self.reads_keys(status),
                (None, _) => Ok(false),
            }
        })?;
        if ready {
            Ok(())
        } else {
            Err(self.unconfirmed(&format!("{last}; nothing was typed"), self.screen_end()))
        }
    }

    /// Whether a CLI of whose prompt nothing is known would take one: it has said so, or its terminal is set up.
    fn reads_keys(&self, status: Status) -> Result<bool, Error> {
        if self.kind.hooks.tell_of_prompts() {
            return Ok(status != Status::Starting);
        }
        Ok(!self.kind.bracketed_paste || self.reader()? == Reader::Bracketed)
    }

    fn deliver(&self, lines: Lines) -> Result<&'static str, Error> {
        let reader = self.reader().map_err(|error| self.or_its_end(error, Typed::Nothing))?;
        let how = typing(&self.prompt, reader, lines)
            .map_err(|why| Error::Refused { name: self.agent.name.clone(), why })?;
        match how {
            Typing::WholeLines => self.type_lines(reader),
            Typing::PasteThenEnter => self.type_then_enter(Paste::Bracketed),
            Typing::KeysThenEnter => self.type_then_enter(Paste::Raw),
        }
    }

    fn reader(&self) -> Result<Reader, Error> {
        let tty = self.tty()?;
        let dir = self.manager.store.instance(&self.agent.name);
        let bracketed = match transcript::modes(dir.dir()) {
            Ok(Some(modes)) => modes.bracketed_paste,
            _ => self.kind.bracketed_paste,
        };
        Ok(match (tty.cooked, bracketed) {
            (true, _) => Reader::Cooked,
            (false, true) => Reader::Bracketed,
            (false, false) => Reader::Raw,
        })
    }

    /// Complete lines in one go: the kernel hands each to the program when it reads.
    fn type_lines(&self, reader: Reader) -> Result<&'static str, Error> {
        let end = if reader == Reader::Cooked { "\n" } else { "\r" };
        let text = format!("{}{end}", self.prompt.as_str().replace('\n', end));
        let before = self.printed();
        self.manager.tmux()?.paste(&self.pane, text.as_bytes(), Paste::Raw)?;
        failpoint::reached("send.pasted");
        let last_line = self.prompt.as_str().lines().last().unwrap_or_default().to_owned();
        let read = self.until(EFFECT, || {
            let (queued, echo) = self.unread()?;
            Ok(queued == 0 && (!echo || self.printed_since(before, &last_line)))
        })?;
        if read {
            return Ok("the program has read it");
        }
        let (queued, _) = self.unread()?;
        let saw = if queued > 0 {
            format!("{queued} bytes wait unread in its terminal: the program is not reading")
        } else {
            "the program's terminal did not echo it".to_owned()
        };
        Err(self.unconfirmed("typed, but the program has not read it", vec![saw]))
    }

    fn type_then_enter(&self, paste: Paste) -> Result<&'static str, Error> {
        let sent_at = Env::now();
        let tmux = self.manager.tmux()?;
        let before = self.screen()?;
        tmux.paste(&self.pane, self.prompt.as_str().as_bytes(), paste)?;
        failpoint::reached("send.pasted");
        let pause = Instant::now();
        let arrived = self.until(EFFECT, || Ok(self.is_in_composer(&self.screen()?, &before)))?;
        if !arrived {
            return Err(self.unconfirmed(
                "typed, but it does not show in its input line; Enter was not pressed",
                self.screen_end(),
            ));
        }
        // Some programs take an Enter that follows a burst too closely for a line end of the paste.
        std::thread::sleep(
            Duration::from_millis(self.kind.enter_delay_ms.max(200)).saturating_sub(pause.elapsed()),
        );
        crate::failpoint::reached("send.typed");
        self.press_enter(sent_at)
    }

    fn press_enter(&self, sent_at: jiff::Timestamp) -> Result<&'static str, Error> {
        let tmux = self.manager.tmux()?;
        for attempt in 0..2 {
            let typed = self.screen()?;
            tmux.paste(&self.pane, b"\r", Paste::Raw)?;
            if let Some(by) = self.taken(sent_at, &typed)? {
                return Ok(by);
            }
            let still_there = kinds::read_screen(&self.kind, &self.styled()?).draft.is_some();
            if attempt == 1 || !still_there {
                break;
            }
        }
        Err(self.unconfirmed("typed and submitted, but nothing shows that it was taken", self.screen_end()))
    }

    fn is_in_composer(&self, screen: &str, before: &str) -> bool {
        let placeholder =
            || {
                self.kind.screen.pasted.iter().any(|pattern| {
                    regex_lite::Regex::new(pattern).is_ok_and(|pattern| pattern.is_match(screen))
                })
            };
        screen != before && (shows(screen, self.prompt.as_str()) || placeholder())
    }

    /// By what it is known that the Enter was taken, if it is.
    fn taken(&self, sent_at: jiff::Timestamp, typed: &str) -> Result<Option<&'static str>, Error> {
        if self.tells_of_prompts() {
            let mut heard = None;
            self.until(EFFECT, || {
                heard = self.heard_since(sent_at);
                Ok(heard.is_some())
            })?;
            return match heard {
                Some(text) if is_same(self.prompt.as_str(), &text) => {
                    Ok(Some("the agent says it took it, to the letter"))
                }
                Some(text) if is_same_but_for_tabs(self.prompt.as_str(), &text) => {
                    Ok(Some("the agent says it took it, with spaces for tabs"))
                }
                Some(text) => {
                    Err(self.unconfirmed("the agent took a different text", vec![crate::error::shown(&text)]))
                }
                None => Ok(None),
            };
        }
        let taken = self.until(EFFECT, || {
            let (queued, _) = self.unread()?;
            let draft = kinds::read_screen(&self.kind, &self.styled()?).draft;
            Ok(queued == 0 && draft.is_none_or(|draft| draft.trim().is_empty()) && self.screen()? != typed)
        })?;
        Ok(taken.then_some("its screen shows that it was taken"))
    }

    fn heard_since(&self, sent_at: jiff::Timestamp) -> Option<String> {
        let bytes = self.manager.store.instance(&self.agent.name).read_state(PROMPT).ok()??;
        let heard: serde_json::Value = serde_json::from_slice(&bytes).ok()?;
        let at: jiff::Timestamp = heard.get("at")?.as_str()?.parse().ok()?;
        (at >= sent_at).then(|| heard.get("text")?.as_str().map(str::to_owned))?
    }

    fn tells_of_prompts(&self) -> bool {
        self.manager.told_by(&self.agent.name, &self.kind) == ToldBy::Hooks
    }

    fn noted(&self) -> Result<Status, Error> {
        let record = self.manager.record(&self.agent.name, "send")?;
        if !record.status.status.is_live() {
            return Err(Error::NotRunning { name: record.name, status: record.status.reason });
        }
        Ok(record.status.status)
    }

    fn styled(&self) -> Result<String, Error> {
        Ok(self.manager.tmux()?.capture(&self.pane, Capture::ScreenStyled)?)
    }

    fn screen(&self) -> Result<String, Error> {
        Ok(self.manager.tmux()?.capture(&self.pane, Capture::Screen)?)
    }

    fn screen_end(&self) -> Vec<String> {
        let text = self.screen().unwrap_or_default();
        let lines: Vec<&str> = text.lines().map(str::trim_end).filter(|line| !line.is_empty()).collect();
        let mut end = vec!["its screen ends with:".to_owned()];
        end.extend(lines[lines.len().saturating_sub(SHOWN)..].iter().map(|line| format!("  {line}")));
        end
    }

    /// How many bytes of input the program has not read, and whether its terminal echoes.
    fn unread(&self) -> Result<(usize, bool), Error> {
        let tty = self.tty()?;
        Ok((tty.queued, tty.echo && tty.cooked))
    }

    /// Its terminal now. That of a dead pane is nobody's, or somebody else's by now.
    fn tty(&self) -> Result<TtyState, Error> {
        let facts = self.manager.tmux()?.pane_facts(&self.pane)?;
        let gone = || Error::NotRunning { name: self.agent.name.clone(), status: "its pane is gone".into() };
        let facts = facts.filter(|facts| !facts.dead).ok_or_else(gone)?;
        process::tty_state(Path::new(&facts.tty)).map_err(Error::io("cannot look at its terminal"))
    }

    fn transcript(&self) -> std::path::PathBuf {
        self.manager.store.instance(&self.agent.name).transcript()
    }

    fn printed(&self) -> u64 {
        std::fs::metadata(self.transcript()).map_or(0, |meta| meta.len())
    }

    fn printed_since(&self, before: u64, text: &str) -> bool {
        let Ok(bytes) = std::fs::read(self.transcript()) else { return false };
        let from = usize::try_from(before).unwrap_or(0);
        let new = bytes.get(from..).unwrap_or(&bytes);
        shows(&String::from_utf8_lossy(new), text)
    }

    fn until(&self, at_most: Duration, mut is: impl FnMut() -> Result<bool, Error>) -> Result<bool, Error> {
        let begun = Instant::now();
        loop {
            if is()? {
                return Ok(true);
            }
            let left = at_most.saturating_sub(begun.elapsed());
            if left.is_zero() {
                return Ok(false);
            }
            self.watch.changed(left.min(BETWEEN_LOOKS));
        }
    }

    /// The error, unless the agent has ended over it: then that is what went wrong.
    fn or_its_end(&self, error: Error, typed: Typed) -> Error {
        if matches!(error, Error::Refused { .. } | Error::EndedMeanwhile { .. }) {
            return error;
        }
        let Ok(Some(record)) = self.manager.record_by_id(self.agent.id) else { return error };
        if record.pid.is_some_and(|pid| process::is_alive(pid, &mark_of(&record))) {
            return error;
        }
        let exit = self.manager.exit_of(&record).ok().flatten().or(record.exit);
        let last_lines = self.manager.last_lines(&record);
        Error::EndedMeanwhile { name: record.name, exit, last_lines, typed }
    }

    fn unconfirmed(&self, why: &str, saw: Vec<String>) -> Error {
        let typed = if why.ends_with("nothing was typed") { Typed::Nothing } else { Typed::Something };
        Error::NotConfirmed { name: self.agent.name.clone(), why: why.to_owned(), saw, typed }
    }
}
