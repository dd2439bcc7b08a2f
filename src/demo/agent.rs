//! The demo agent as a pure state machine: keys and the time are the input, effects are the output.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use super::composer::Composer;
use super::event::{DemoTool, HookEvent};
use super::keys::DemoKey;
use super::script::{self, PromptAction, Reply};
use super::stream::AnswerStream;
use super::view::{DemoView, ViewBody, spinner};

/// Time within which a second Ctrl-C exits.
const EXIT_CONFIRM_WINDOW: Duration = Duration::from_secs(2);

/// Interval between two frames of the spinner.
const SPINNER_INTERVAL: Duration = Duration::from_millis(250);

/// An action that the caller performs for the agent.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Effect {
    /// Print these lines into the history.
    Print(String),
    /// Run the hooks of this event.
    Fire(HookEvent),
    /// Append a prompt to the conversation file.
    SavePrompt(String),
    /// Append an answer to the conversation file.
    SaveAnswer(String),
    /// Print this number of bytes.
    Flood(u64),
    /// Leave a stray process behind.
    SpawnChild,
    /// Exit in this way.
    Exit(DemoExit),
}

/// How the agent exits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DemoExit {
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
pub(super) enum ExpectedInput {
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
pub(super) struct DemoAgent {
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
    Answering { stream: AnswerStream, answer: String },
    AskingApproval(String),
    AskingQuestion(String),
    Hung,
}

impl DemoAgent {
    /// Creates an idle agent with this memory.
    pub(super) fn new(memory: Memory, permission: Permission, now: Instant) -> DemoAgent {
        DemoAgent {
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
            Phase::Idle => self.start_turn(prompt, now),
            Phase::AskingQuestion(question) => {
                let tool = DemoTool::AskUserQuestion(question.clone());
                let mut effects =
                    vec![Effect::Print(format!("❯ {prompt}")), Effect::Fire(HookEvent::PostToolUse(tool))];
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
    pub(super) fn key(&mut self, key: DemoKey, now: Instant) -> Vec<Effect> {
        if matches!(self.phase, Phase::Hung) {
            return Vec::new();
        }
        let armed = self.armed.take().is_some_and(|until| now < until);
        match (key, &self.phase) {
            (DemoKey::CtrlC, _) if armed => exit_normally("prompt_input_exit"),
            (DemoKey::CtrlC, _) => {
                self.armed = Some(now + EXIT_CONFIRM_WINDOW);
                self.composer.clear();
                self.interrupt(now)
            }
            (DemoKey::CtrlD, _) if self.composer.is_empty() => exit_normally("prompt_input_exit"),
            (DemoKey::Esc, _) => self.interrupt(now),
            (DemoKey::Enter | DemoKey::Char('1' | 'y' | 'Y'), Phase::AskingApproval(command)) => {
                let command = command.clone();
                self.run(command, now)
            }
            (DemoKey::Char('2' | 'n' | 'N'), Phase::AskingApproval(_)) => self.interrupt(now),
            (_, Phase::AskingApproval(_)) => Vec::new(),
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
                self.phase = Phase::Answering { stream: AnswerStream::new(&answer, now), answer };
                Vec::new()
            }
            Phase::Answering { stream, answer } => {
                let mut effects: Vec<Effect> =
                    stream.take_due_lines(now).into_iter().map(Effect::Print).collect();
                if stream.is_over() {
                    let answer = std::mem::take(answer);
                    effects.extend(self.finish_turn(answer, now));
                }
                effects
            }
            _ => Vec::new(),
        }
    }

    /// Returns the time until the next action is due if no key is pressed.
    pub(super) fn time_until_due(&self, now: Instant) -> Option<Duration> {
        let due = match &self.phase {
            Phase::Thinking { until, .. } => Some(until.saturating_duration_since(now).min(SPINNER_INTERVAL)),
            Phase::Answering { .. } => Some(AnswerStream::STEP_INTERVAL),
            _ => None,
        };
        let disarm = self.armed.map(|until| until.saturating_duration_since(now));
        due.into_iter().chain(disarm).min()
    }

    /// Returns the input that the agent waits for.
    pub(super) fn expected_input(&self) -> ExpectedInput {
        match self.phase {
            Phase::Idle | Phase::AskingQuestion(_) => ExpectedInput::Text,
            Phase::AskingApproval(_) => ExpectedInput::Decision,
            Phase::Thinking { .. } | Phase::Answering { .. } | Phase::Hung => ExpectedInput::Nothing,
        }
    }

    /// Returns the content of the bottom of the screen.
    pub(super) fn view(&self, now: Instant) -> DemoView {
        let working = spinner(now.saturating_duration_since(self.since));
        let mut view = DemoView {
            queued: self.queue.iter().cloned().collect(),
            body: ViewBody::Composer(self.composer.display_text()),
            hint: if self.armed.is_some() { "Press Ctrl-C again to exit" } else { "/help for help" },
            fresh: self.memory.prompts == 0,
            ..DemoView::default()
        };
        match &self.phase {
            Phase::Idle => {}
            Phase::Thinking { .. } => view.status = Some(working),
            Phase::Answering { stream, .. } => {
                view.live = stream.live().to_owned();
                view.status = Some(working);
            }
            Phase::AskingApproval(command) => view.body = ViewBody::Approval(command.clone()),
            Phase::AskingQuestion(question) => view.status = Some(format!("? {question} (type your answer)")),
            Phase::Hung => view.status = Some(spinner(Duration::from_secs(1))),
        }
        view
    }

    fn start_turn(&mut self, prompt: String, now: Instant) -> Vec<Effect> {
        self.since = now;
        self.memory.prompts += 1;
        self.memory.remembered.extend(script::remembered(&prompt));
        let mut effects = vec![
            Effect::Print(format!("❯ {prompt}")),
            Effect::SavePrompt(prompt.clone()),
            Effect::Fire(HookEvent::UserPromptSubmit(prompt.clone())),
        ];
        effects.extend(match script::parse(&prompt) {
            PromptAction::Answer { after, reply } => {
                let answer = self.memory.reply(&reply, &prompt);
                self.answer(after, answer, now)
            }
            PromptAction::Ask(command) if self.permission == Permission::Bypass => self.run(command, now),
            PromptAction::Ask(command) => self.ask(DemoTool::Bash(command)),
            PromptAction::Question(question) => self.ask(DemoTool::AskUserQuestion(question)),
            PromptAction::Flood(bytes) => {
                let mut flood = vec![Effect::Flood(bytes)];
                flood.extend(self.answer(Duration::ZERO, format!("Flooded {bytes} bytes."), now));
                flood
            }
            PromptAction::Fail(code, message) => {
                let effects = vec![
                    Effect::Print(format!("● API Error: {message}\n")),
                    Effect::Fire(HookEvent::StopFailure(code, message)),
                ];
                self.start_queued_prompt(effects, now)
            }
            PromptAction::Crash(code) => {
                vec![
                    Effect::Print(format!("fatal: told to crash with code {code}")),
                    Effect::Exit(DemoExit::Exit(code)),
                ]
            }
            PromptAction::Abort => vec![Effect::Exit(DemoExit::Abort)],
            PromptAction::Hang => {
                self.phase = Phase::Hung;
                Vec::new()
            }
            PromptAction::SpawnChild => {
                let mut spawn = vec![Effect::SpawnChild];
                spawn.extend(self.answer(Duration::ZERO, "Left a stray process behind.".to_owned(), now));
                spawn
            }
            PromptAction::Exit => exit_normally("prompt_input_exit"),
        });
        effects
    }

    fn ask(&mut self, tool: DemoTool) -> Vec<Effect> {
        let message = match &tool {
            DemoTool::Bash(command) => {
                self.phase = Phase::AskingApproval(command.clone());
                HookEvent::Notification(
                    "permission_prompt",
                    "The demo agent needs your permission to use Bash",
                )
            }
            DemoTool::AskUserQuestion(question) => {
                self.phase = Phase::AskingQuestion(question.clone());
                HookEvent::Notification("agent_needs_input", "The demo agent asks a question")
            }
        };
        vec![Effect::Fire(HookEvent::PermissionRequest(tool)), Effect::Fire(message)]
    }

    fn run(&mut self, command: String, now: Instant) -> Vec<Effect> {
        let mut effects = vec![
            Effect::Print(format!("● Bash({command})\n  ⎿  (only pretended)")),
            Effect::Fire(HookEvent::PostToolUse(DemoTool::Bash(command.clone()))),
        ];
        effects.extend(self.answer(Duration::ZERO, format!("Approved: {command}"), now));
        effects
    }

    fn answer(&mut self, after: Duration, answer: String, now: Instant) -> Vec<Effect> {
        self.phase = Phase::Thinking { until: now + after, answer };
        Vec::new()
    }

    fn finish_turn(&mut self, answer: String, now: Instant) -> Vec<Effect> {
        let seconds = now.saturating_duration_since(self.since).as_secs();
        let effects = vec![
            Effect::Print(format!("\n✻ Done in {seconds}s\n")),
            Effect::SaveAnswer(answer.clone()),
            Effect::Fire(HookEvent::Stop(answer)),
        ];
        self.start_queued_prompt(effects, now)
    }

    /// Interrupts the current activity: a dialog is denied, and a turn is ended together with the queued prompts.
    fn interrupt(&mut self, now: Instant) -> Vec<Effect> {
        match std::mem::replace(&mut self.phase, Phase::Idle) {
            Phase::Idle => Vec::new(),
            Phase::Hung => {
                self.phase = Phase::Hung;
                Vec::new()
            }
            Phase::AskingApproval(command) => self.finish_turn_with(format!("Denied: {command}"), now),
            Phase::AskingQuestion(_) => self.finish_turn_with("The question was declined.".to_owned(), now),
            Phase::Thinking { .. } | Phase::Answering { .. } => {
                self.queue.clear();
                vec![
                    Effect::Print("  ⎿  Interrupted\n".to_owned()),
                    // Claude Code reports nothing for a minute and then sends this notification.
                    Effect::Fire(HookEvent::Notification(
                        "idle_prompt",
                        "The demo agent is waiting for your input",
                    )),
                ]
            }
        }
    }

    fn finish_turn_with(&mut self, answer: String, now: Instant) -> Vec<Effect> {
        let mut effects = vec![Effect::Print(format!("● {answer}"))];
        effects.extend(self.finish_turn(answer, now));
        effects
    }

    fn start_queued_prompt(&mut self, mut effects: Vec<Effect>, now: Instant) -> Vec<Effect> {
        self.phase = Phase::Idle;
        if let Some(prompt) = self.queue.pop_front() {
            effects.extend(self.start_turn(prompt, now));
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

fn exit_normally(reason: &'static str) -> Vec<Effect> {
    vec![Effect::Fire(HookEvent::SessionEnd(reason)), Effect::Exit(DemoExit::Exit(0))]
}

#[cfg(test)]
mod tests;
