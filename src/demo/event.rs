//! What the demo agent tells its hooks, in the form of Claude Code. Pure.

use serde_json::{Value, json};

/// Something a hook can be run for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Event {
    /// It is up: `startup` or `resume`.
    SessionStart(&'static str),
    /// It took a prompt.
    UserPromptSubmit(String),
    /// It asks a person before it uses a tool.
    PermissionRequest(Tool),
    /// It has used a tool.
    PostToolUse(Tool),
    /// It wants somebody to look: the type and a message.
    Notification(&'static str, &'static str),
    /// Its turn is over, with these last words.
    Stop(String),
    /// Its turn ended with an error: the code and the message.
    StopFailure(String, String),
    /// It leaves.
    SessionEnd(&'static str),
}

/// A tool it pretends to have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Tool {
    /// Runs a command.
    Bash(String),
    /// Asks a question.
    AskUserQuestion(String),
}

impl Event {
    /// Its name.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Event::SessionStart(_) => "SessionStart",
            Event::UserPromptSubmit(_) => "UserPromptSubmit",
            Event::PermissionRequest(_) => "PermissionRequest",
            Event::PostToolUse(_) => "PostToolUse",
            Event::Notification(..) => "Notification",
            Event::Stop(_) => "Stop",
            Event::StopFailure(..) => "StopFailure",
            Event::SessionEnd(_) => "SessionEnd",
        }
    }

    /// What a hook's matcher is held against; none where hooks have no matcher.
    pub(super) fn subject(&self) -> Option<&'static str> {
        match self {
            Event::SessionStart(source) => Some(source),
            Event::PermissionRequest(tool) | Event::PostToolUse(tool) => Some(tool.name()),
            Event::Notification(kind, _) => Some(kind),
            Event::SessionEnd(reason) => Some(reason),
            Event::UserPromptSubmit(_) | Event::Stop(_) | Event::StopFailure(..) => None,
        }
    }

    /// Its own fields.
    pub(super) fn fields(&self) -> Value {
        match self {
            Event::SessionStart(source) => json!({"source": source}),
            Event::UserPromptSubmit(prompt) => json!({"prompt": prompt}),
            Event::PermissionRequest(tool) => json!({"tool_name": tool.name(), "tool_input": tool.input()}),
            Event::PostToolUse(tool) => {
                json!({"tool_name": tool.name(), "tool_input": tool.input(), "tool_response": {}})
            }
            Event::Notification(kind, message) => json!({"notification_type": kind, "message": message}),
            Event::Stop(text) => json!({"stop_hook_active": false, "last_assistant_message": text}),
            Event::StopFailure(code, message) => json!({"error": code, "last_assistant_message": message}),
            Event::SessionEnd(reason) => json!({"reason": reason}),
        }
    }
}

impl Tool {
    fn name(&self) -> &'static str {
        match self {
            Tool::Bash(_) => "Bash",
            Tool::AskUserQuestion(_) => "AskUserQuestion",
        }
    }

    fn input(&self) -> Value {
        match self {
            Tool::Bash(command) => json!({"command": command}),
            Tool::AskUserQuestion(question) => json!({"questions": [{"question": question}]}),
        }
    }
}
