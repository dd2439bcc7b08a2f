//! The demo agent as a pure state machine: keys and the time are the input, effects are the output.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use super::composer::Composer;
use super::event::{Event, Tool};
use super::keys::Key;
use super::script::{self, Act, Reply};
use super::stream::Stream;
use super::view::{Body, View, spinner};

/// Time within which a second Ctrl-C exits.
const ARMED: Duration = Duration::from_secs(2);

/// Interval between two frames of the spinner.
const FRAME: Duration = Duration::from_millis(250);

/// An action that the caller performs for the agent.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Effect {
    /// Print these lines into the history.
    Print(String),
    /// Run the hooks of this event.
    Fire(Event),
    /// Append a prompt to the conversation file.
    SavePrompt(String),
    /// Append an answer to the conversation file.
    SaveAnswer(String),
    /// Print this number of bytes.
    Flood(u64),
    /// Leave a stray process behind.
    SpawnChild,
    /// Exit in this way.
    Leave(Ending),
}

/// How the agent exits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    /// With this exit code.
    Exit(i32),
    /// By the signal SIGABRT.
    Abort,
}

/// Whether the agent asks for approval before it runs a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Permission {
    Ask,
    Bypass,
}

/// The input that the agent waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wants {
    /// A prompt, or the answer to a question.
    Text,
    /// A yes or no.
    Decision,
    /// Nothing, because it is working or hanging.
    Nothing,
}

/// The agent's knowledge of its conversation.
#[derive(Debug, Default)]
pub(super) struct Memory {
    /// The number of prompts so far.
    pub prompts: usize,
    /// The texts that it was asked to remember.
    pub remembered: Vec<String>,
}

/// The state of the demo agent.
pub(super) struct Agent {
    phase: Phase,
    since: Instant,
    composer: Composer,
    queue: VecDeque<String>,
    armed: Option<Instant>,
    memory: Memory,
    permission: Permission,
}

enum Phase {
    Idle,
    Thinking { until: Instant, answer: String },
    Answering { stream: Stream, answer: String },
    Asking(String),
    Questioning(String),
    Hung,
}

impl Agent {
    /// Creates an idle agent with this memory.
    pub(super) fn new(memory: Memory, permission: Permission, now: Instant) -> Agent {
        Agent {
            phase: Phase::Idle,
            since: now,
            composer: Composer::default(),
            queue: VecDeque::new(),
            armed: None,
            memory,
            permission,
        }
    }

    /// Accepts a prompt, which is processed now or after the current turn.
    pub(super) fn submit(&mut self, prompt: String, now: Instant) -> Vec<Effect> {
        match &self.phase {
            Phase::Idle => self.begin(prompt, now),
            Phase::Questioning(question) => {
                let tool = Tool::AskUserQuestion(question.clone());
                let mut effects =
                    vec![Effect::Print(format!("❯ {prompt}")), Effect::Fire(Event::PostToolUse(tool))];
                effects.extend(self.answer(Duration::ZERO, format!("You answered: {prompt}"), now));
                effects
            }
            _ => {
                self.queue.push_back(prompt);
                Vec::new()
            }
        }
    }

    /// Processes a key.
    pub(super) fn key(&mut self, key: Key, now: Instant) -> Vec<Effect> {
        if matches!(self.phase, Phase::Hung) {
            return Vec::new();
        }
        let armed = self.armed.take().is_some_and(|until| now < until);
        match (key, &self.phase) {
            (Key::CtrlC, _) if armed => leave("prompt_input_exit"),
            (Key::CtrlC, _) => {
                self.armed = Some(now + ARMED);
                self.composer.clear();
                self.interrupt(now)
            }
            (Key::CtrlD, _) if self.composer.is_empty() => leave("prompt_input_exit"),
            (Key::Esc, _) => self.interrupt(now),
            (Key::Enter | Key::Char('1' | 'y' | 'Y'), Phase::Asking(command)) => {
                let command = command.clone();
                self.run(command, now)
            }
            (Key::Char('2' | 'n' | 'N'), Phase::Asking(_)) => self.interrupt(now),
            (_, Phase::Asking(_)) => Vec::new(),
            (key, _) => match self.composer.key(&key) {
                Some(prompt) => self.submit(prompt, now),
                None => Vec::new(),
            },
        }
    }

    /// Performs all actions that are due.
    pub(super) fn tick(&mut self, now: Instant) -> Vec<Effect> {
        self.armed = self.armed.filter(|until| now < *until);
        match &mut self.phase {
            Phase::Thinking { until, answer } if now >= *until => {
                let answer = std::mem::take(answer);
                self.phase = Phase::Answering { stream: Stream::new(&answer, now), answer };
                Vec::new()
            }
            Phase::Answering { stream, answer } => {
                let mut effects: Vec<Effect> = stream.due(now).into_iter().map(Effect::Print).collect();
                if stream.is_over() {
                    let answer = std::mem::take(answer);
                    effects.extend(self.over(answer, now));
                }
                effects
            }
            _ => Vec::new(),
        }
    }

    /// Returns the time until the next action is due if no key is pressed.
    pub(super) fn wake(&self, now: Instant) -> Option<Duration> {
        let due = match &self.phase {
            Phase::Thinking { until, .. } => Some(until.saturating_duration_since(now).min(FRAME)),
            Phase::Answering { .. } => Some(Stream::PACE),
            _ => None,
        };
        let disarm = self.armed.map(|until| until.saturating_duration_since(now));
        due.into_iter().chain(disarm).min()
    }

    /// Returns the input that the agent waits for.
    pub(super) fn wants(&self) -> Wants {
        match self.phase {
            Phase::Idle | Phase::Questioning(_) => Wants::Text,
            Phase::Asking(_) => Wants::Decision,
            Phase::Thinking { .. } | Phase::Answering { .. } | Phase::Hung => Wants::Nothing,
        }
    }

    /// Returns the content of the bottom of the screen.
    pub(super) fn view(&self, now: Instant) -> View {
        let working = spinner(now.saturating_duration_since(self.since));
        let mut view = View {
            queued: self.queue.iter().cloned().collect(),
            body: Body::Composer(self.composer.shown()),
            hint: if self.armed.is_some() { "Press Ctrl-C again to exit" } else { "/help for help" },
            fresh: self.memory.prompts == 0,
            ..View::default()
        };
        match &self.phase {
            Phase::Idle => {}
            Phase::Thinking { .. } => view.status = Some(working),
            Phase::Answering { stream, .. } => {
                view.live = stream.live().to_owned();
                view.status = Some(working);
            }
            Phase::Asking(command) => view.body = Body::Approval(command.clone()),
            Phase::Questioning(question) => view.status = Some(format!("? {question} (type your answer)")),
            Phase::Hung => view.status = Some(spinner(Duration::from_secs(1))),
        }
        view
    }

    fn begin(&mut self, prompt: String, now: Instant) -> Vec<Effect> {
        self.since = now;
        self.memory.prompts += 1;
        self.memory.remembered.extend(script::remembered(&prompt));
        let mut effects = vec![
            Effect::Print(format!("❯ {prompt}")),
            Effect::SavePrompt(prompt.clone()),
            Effect::Fire(Event::UserPromptSubmit(prompt.clone())),
        ];
        effects.extend(match script::parse(&prompt) {
            Act::Answer { after, reply } => {
                let answer = self.memory.reply(&reply, &prompt);
                self.answer(after, answer, now)
            }
            Act::Ask(command) if self.permission == Permission::Bypass => self.run(command, now),
            Act::Ask(command) => self.ask(Tool::Bash(command)),
            Act::Question(question) => self.ask(Tool::AskUserQuestion(question)),
            Act::Flood(bytes) => {
                let mut flood = vec![Effect::Flood(bytes)];
                flood.extend(self.answer(Duration::ZERO, format!("Flooded {bytes} bytes."), now));
                flood
            }
            Act::Fail(code, message) => {
                let effects = vec![
                    Effect::Print(format!("● API Error: {message}\n")),
                    Effect::Fire(Event::StopFailure(code, message)),
                ];
                self.next(effects, now)
            }
            Act::Crash(code) => {
                vec![
                    Effect::Print(format!("fatal: told to crash with code {code}")),
                    Effect::Leave(Ending::Exit(code)),
                ]
            }
            Act::Abort => vec![Effect::Leave(Ending::Abort)],
            Act::Hang => {
                self.phase = Phase::Hung;
                Vec::new()
            }
            Act::SpawnChild => {
                let mut spawn = vec![Effect::SpawnChild];
                spawn.extend(self.answer(Duration::ZERO, "Left a stray process behind.".to_owned(), now));
                spawn
            }
            Act::Exit => leave("prompt_input_exit"),
        });
        effects
    }

    fn ask(&mut self, tool: Tool) -> Vec<Effect> {
        let message = match &tool {
            Tool::Bash(command) => {
                self.phase = Phase::Asking(command.clone());
                Event::Notification("permission_prompt", "The demo agent needs your permission to use Bash")
            }
            Tool::AskUserQuestion(question) => {
                self.phase = Phase::Questioning(question.clone());
                Event::Notification("agent_needs_input", "The demo agent asks a question")
            }
        };
        vec![Effect::Fire(Event::PermissionRequest(tool)), Effect::Fire(message)]
    }

    fn run(&mut self, command: String, now: Instant) -> Vec<Effect> {
        let mut effects = vec![
            Effect::Print(format!("● Bash({command})\n  ⎿  (only pretended)")),
            Effect::Fire(Event::PostToolUse(Tool::Bash(command.clone()))),
        ];
        effects.extend(self.answer(Duration::ZERO, format!("Approved: {command}"), now));
        effects
    }

    fn answer(&mut self, after: Duration, answer: String, now: Instant) -> Vec<Effect> {
        self.phase = Phase::Thinking { until: now + after, answer };
        Vec::new()
    }

    fn over(&mut self, answer: String, now: Instant) -> Vec<Effect> {
        let seconds = now.saturating_duration_since(self.since).as_secs();
        let effects = vec![
            Effect::Print(format!("\n✻ Done in {seconds}s\n")),
            Effect::SaveAnswer(answer.clone()),
            Effect::Fire(Event::Stop(answer)),
        ];
        self.next(effects, now)
    }

    /// Interrupts the current activity: a dialog is denied, and a turn is ended together with the queued prompts.
    fn interrupt(&mut self, now: Instant) -> Vec<Effect> {
        match std::mem::replace(&mut self.phase, Phase::Idle) {
            Phase::Idle => Vec::new(),
            Phase::Hung => {
                self.phase = Phase::Hung;
                Vec::new()
            }
            Phase::Asking(command) => self.over_with(format!("Denied: {command}"), now),
            Phase::Questioning(_) => self.over_with("The question was declined.".to_owned(), now),
            Phase::Thinking { .. } | Phase::Answering { .. } => {
                self.queue.clear();
                vec![
                    Effect::Print("  ⎿  Interrupted\n".to_owned()),
                    // Claude Code reports nothing for a minute and then sends this notification.
                    Effect::Fire(Event::Notification(
                        "idle_prompt",
                        "The demo agent is waiting for your input",
                    )),
                ]
            }
        }
    }

    fn over_with(&mut self, answer: String, now: Instant) -> Vec<Effect> {
        let mut effects = vec![Effect::Print(format!("● {answer}"))];
        effects.extend(self.over(answer, now));
        effects
    }

    fn next(&mut self, mut effects: Vec<Effect>, now: Instant) -> Vec<Effect> {
        self.phase = Phase::Idle;
        if let Some(prompt) = self.queue.pop_front() {
            effects.extend(self.begin(prompt, now));
        }
        effects
    }
}

impl Memory {
    fn reply(&self, reply: &Reply, prompt: &str) -> String {
        match reply {
            Reply::Echo => format!("You said: {prompt}\n(prompt {} of this conversation)", self.prompts),
            Reply::Remembered(what) => format!("I will remember: {what}"),
            Reply::Recall if self.remembered.is_empty() => "I remember nothing.".to_owned(),
            Reply::Recall => format!("I remember: {}", self.remembered.join("; ")),
            Reply::Text(text) => text.clone(),
        }
    }
}

fn leave(reason: &'static str) -> Vec<Effect> {
    vec![Effect::Fire(Event::SessionEnd(reason)), Effect::Leave(Ending::Exit(0))]
}

#[cfg(test)]
mod tests;
