//! Delivery of one prompt: waits until the agent is ready, types the prompt and confirms that it was accepted. Never
//! types it twice.

use std::time::{Duration, Instant};

use crate::base::plural::counted;
use crate::error::{Code, Error, TypedText, Undelivered, shown};
use crate::failpoint;
use crate::kinds;
use crate::manager::Context;
use crate::manager::agent_process::mark_of;
use crate::manager::registry::RegistryWriter;
use crate::manager::status::evidence::AcceptedPrompt;
use crate::manager::status::{AgentEvidence, TmuxObserver};
use crate::model::{Agent, AgentName, Exit, Kind, Prompt, ScreenState, Status};
use crate::process;
use crate::rules::status::decide::PLAIN_COMMAND;
use crate::rules::tasks::confirm::{is_same, is_same_but_for_tabs, shows};
use crate::rules::tasks::typing::{InputReader, LineHandling, Typing, UntypeablePrompt, typing};
use crate::store::StoreWatch;
use crate::tmux::Paste;
use crate::transcript;

/// How long typed text may take to appear, and Enter to take effect.
const CONFIRM_TIMEOUT: Duration = Duration::from_secs(4);
/// Interval between two checks if no event reports a change.
const SCREEN_CHECK_INTERVAL: Duration = Duration::from_millis(200);

pub(in crate::manager) struct PendingPrompt<'a> {
    pub(in crate::manager) manager: &'a Context,
    pub(in crate::manager) agent: Agent,
    pub(in crate::manager) kind: Kind,
    pub(in crate::manager) pane: String,
    pub(in crate::manager) prompt: Prompt,
    pub(in crate::manager) watch: StoreWatch,
}

impl PendingPrompt<'_> {
    pub(in crate::manager) fn wait_until_ready(&self, at_most: Duration) -> Result<(), Error> {
        if self.agent.kind == PLAIN_COMMAND {
            return Ok(());
        }
        let mut last = String::from("it did not look ready");
        let ready = self.until(at_most, || {
            let reading = kinds::read_screen(&self.kind, &self.styled()?);
            if let Some(draft) = reading.draft.filter(|draft| !draft.trim().is_empty()) {
                return Err(self.unconfirmed(
                    "its input line contains an unsent draft; nothing was typed",
                    TypedText::Nothing,
                    vec![draft],
                ));
            }
            match (reading.state, self.noted()?) {
                (
                    Some(
                        ScreenState::Approval(line) | ScreenState::Question(line) | ScreenState::Setup(line),
                    ),
                    _,
                ) => Err(self.unconfirmed(
                    "it is waiting for an answer to its dialog; nothing was typed",
                    TypedText::Nothing,
                    vec![line],
                )),
                (_, Status::Waiting) => Err(self.unconfirmed(
                    "it is waiting for a user; nothing was typed",
                    TypedText::Nothing,
                    self.screen_end(),
                )),
                (Some(ScreenState::Ready | ScreenState::Failed(_)), Status::Working)
                    if self.reports_prompts() =>
                {
                    last = "it is working".into();
                    Ok(false)
                }
                (Some(ScreenState::Ready | ScreenState::Failed(_)), _) => Ok(true),
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
            Err(self.unconfirmed(
                &format!("{last}; nothing was typed"),
                TypedText::Nothing,
                self.screen_end(),
            ))
        }
    }

    /// Returns whether an agent CLI without screen patterns for its input line would accept a prompt: its hook has
    /// reported that it is ready, or its terminal is set up.
    fn reads_keys(&self, status: Status) -> Result<bool, Error> {
        if self.kind.hooks.report_prompts() {
            return Ok(status != Status::Starting);
        }
        Ok(!self.kind.bracketed_paste || self.reader()? == InputReader::Bracketed)
    }

    pub(in crate::manager) fn deliver(&self, lines: LineHandling) -> Result<&'static str, Error> {
        let reader = self.reader().map_err(|error| self.or_its_end(error, TypedText::Nothing))?;
        let how = typing(&self.prompt, reader, lines).map_err(|why| refused(&self.agent.name, &why))?;
        match how {
            Typing::WholeLines => self.type_lines(reader),
            Typing::PasteThenEnter => self.type_then_enter(Paste::Bracketed),
            Typing::KeysThenEnter => self.type_then_enter(Paste::Raw),
        }
    }

    fn reader(&self) -> Result<InputReader, Error> {
        let tty = self.tty()?;
        let dir = self.manager.store.instance(&self.agent.name);
        let bracketed = match transcript::modes(dir.dir()) {
            Ok(Some(modes)) => modes.bracketed_paste,
            _ => self.kind.bracketed_paste,
        };
        Ok(match (tty.cooked, bracketed) {
            (true, _) => InputReader::Cooked,
            (false, true) => InputReader::Bracketed,
            (false, false) => InputReader::Raw,
        })
    }

    /// Types complete lines in one write: the kernel passes each line to the program when it reads.
    fn type_lines(&self, reader: InputReader) -> Result<&'static str, Error> {
        let end = if reader == InputReader::Cooked { "\n" } else { "\r" };
        let text = format!("{}{end}", self.prompt.as_str().replace('\n', end));
        let before = self.printed();
        self.manager.tmux()?.paste(&self.pane, text.as_bytes(), Paste::Raw)?;
        failpoint::reached("send.pasted");
        let last_line = self.prompt.as_str().lines().last().unwrap_or_default().to_owned();
        let read = self.until(CONFIRM_TIMEOUT, || {
            let (queued, echo) = self.unread()?;
            Ok(queued == 0 && (!echo || self.printed_since(before, &last_line)))
        })?;
        if read {
            return Ok("the program has read it");
        }
        let (queued, _) = self.unread()?;
        let saw = if queued > 0 {
            let unread = counted(queued, "byte waits", "bytes wait");
            format!("{unread} unread in its terminal: the program is not reading")
        } else {
            "the program's terminal did not echo it".to_owned()
        };
        Err(self.unconfirmed("typed, but the program has not read it", TypedText::Something, vec![saw]))
    }

    fn type_then_enter(&self, paste: Paste) -> Result<&'static str, Error> {
        let reported_before = self.reported_prompt();
        let tmux = self.manager.tmux()?;
        let before = self.screen()?;
        tmux.paste(&self.pane, self.prompt.as_str().as_bytes(), paste)?;
        failpoint::reached("send.pasted");
        let pause = Instant::now();
        let arrived = self.until(CONFIRM_TIMEOUT, || Ok(self.is_in_composer(&self.screen()?, &before)))?;
        if !arrived {
            return Err(self.unconfirmed(
                "typed, but its input line does not show the text; Enter was not pressed",
                TypedText::Something,
                self.screen_end(),
            ));
        }
        // Some programs interpret an Enter that follows a burst of input too closely as a line ending of the paste.
        std::thread::sleep(
            Duration::from_millis(self.kind.enter_delay_ms.max(200)).saturating_sub(pause.elapsed()),
        );
        crate::failpoint::reached("send.typed");
        self.press_enter(reported_before.as_ref())
    }

    /// Submits the text in the input line. `reported_before` is the prompt that the agent accepted before this one.
    pub(in crate::manager) fn press_enter(
        &self,
        reported_before: Option<&AcceptedPrompt>,
    ) -> Result<&'static str, Error> {
        let tmux = self.manager.tmux()?;
        for attempt in 0..2 {
            let typed = self.screen()?;
            tmux.paste(&self.pane, b"\r", Paste::Raw)?;
            if let Some(by) = self.taken(reported_before, &typed)? {
                return Ok(by);
            }
            let still_there = kinds::read_screen(&self.kind, &self.styled()?).draft.is_some();
            if attempt == 1 || !still_there {
                break;
            }
        }
        Err(self.unconfirmed(
            "typed and submitted, but there is no sign that it was accepted",
            TypedText::Something,
            self.screen_end(),
        ))
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

    /// Returns the evidence that Enter took effect, or `None` if there is none.
    fn taken(
        &self,
        reported_before: Option<&AcceptedPrompt>,
        typed: &str,
    ) -> Result<Option<&'static str>, Error> {
        if self.reports_prompts() {
            let mut reported_prompt = None;
            self.until(CONFIRM_TIMEOUT, || {
                reported_prompt = self.reported_after(reported_before);
                Ok(reported_prompt.is_some())
            })?;
            return match reported_prompt {
                Some(text) if is_same(self.prompt.as_str(), &text) => {
                    Ok(Some("the agent reported exactly this text"))
                }
                Some(text) if is_same_but_for_tabs(self.prompt.as_str(), &text) => {
                    Ok(Some("the agent reported this text, with spaces in place of tabs"))
                }
                Some(text) => Err(self.unconfirmed(
                    "the agent accepted a different text",
                    TypedText::Something,
                    vec![shown(&text)],
                )),
                None => Ok(None),
            };
        }
        let taken = self.until(CONFIRM_TIMEOUT, || {
            let (queued, _) = self.unread()?;
            let draft = kinds::read_screen(&self.kind, &self.styled()?).draft;
            Ok(queued == 0 && draft.is_none_or(|draft| draft.trim().is_empty()) && self.screen()? != typed)
        })?;
        Ok(taken.then_some("its screen shows that the text was accepted"))
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
            self.watch.changed(left.min(SCREEN_CHECK_INTERVAL));
        }
    }

    /// Returns the error, unless the agent has ended in the meantime: then the end of the agent is the error.
    pub(in crate::manager) fn or_its_end(&self, error: Error, typed: TypedText) -> Error {
        if matches!(error.code(), Code::TextRefused | Code::EndedMeanwhile) {
            return error;
        }
        let Ok(Some(record)) = RegistryWriter(self.manager).record_by_id(self.agent.id) else {
            return error;
        };
        if record.pid.is_some_and(|pid| process::is_alive(pid, &mark_of(&record))) {
            return error;
        }
        let exit = TmuxObserver(self.manager).exit_of(&record).ok().flatten().or(record.exit);
        let last_lines = AgentEvidence(self.manager).last_lines(&record);
        ended_meanwhile(&record.name, exit, typed).saw_last_lines(&last_lines)
    }

    fn unconfirmed(&self, why: &str, typed: TypedText, saw: Vec<String>) -> Error {
        Error::not_confirmed(&self.agent.name, why, typed)
            .saw_all(saw)
            .saw_all(self.manager.hook_link_fault())
    }
}

fn refused(name: &AgentName, why: &UntypeablePrompt) -> Error {
    Error::new(Code::TextRefused, format!("agent `{name}` cannot accept this text: {why}"))
        .saw("nothing was typed")
        .hint(match why {
            UntypeablePrompt::ManyLines { .. } => {
                format!("`symposium agent send {name} --as-lines -` sends each line separately")
            }
            _ => "put the text into a file and send the file's name".to_owned(),
        })
}

fn ended_meanwhile(name: &AgentName, exit: Option<Exit>, typed: TypedText) -> Error {
    let why = exit.map_or_else(|| "it has ended".to_owned(), |exit| format!("it ended with {exit}"));
    let nothing_typed = if typed == TypedText::Nothing { "; nothing was typed" } else { "" };
    Error::new(
        Code::EndedMeanwhile,
        format!("delivery to agent `{name}` is not confirmed: {why}{nothing_typed}"),
    )
    .hint(format!(
        "`symposium agent resume {name}` resumes it, `symposium agent logs {name}` shows its output"
    ))
    .caused_by(Undelivered { why, typed })
}
