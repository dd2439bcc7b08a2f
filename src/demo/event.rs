//! The events that the demo agent reports to its hooks, in the format of Claude Code. Pure.

use serde_json::{Value, json};

/// An event for which hooks can be configured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Event {
    /// The agent has started, with the source `startup` or `resume`.
    SessionStart(&'static str),
    /// The agent accepted a prompt.
    UserPromptSubmit(String),
    /// The agent asks for approval before it uses a tool.
    PermissionRequest(Tool),
    /// The agent has used a tool.
    PostToolUse(Tool),
    /// The agent needs attention, with a type and a message.
    Notification(&'static str, &'static str),
    /// The turn has ended, with the last reply.
    Stop(String),
    /// The turn ended with an error: its code and its message.
    StopFailure(String, String),
    /// The agent exits.
    SessionEnd(&'static str),
}

/// A tool that the agent pretends to have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Tool {
    /// Runs a command.
    Bash(String),
    /// Asks the user a question.
    AskUserQuestion(String),
}

impl Event {
    /// Returns the name of the event.
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

    /// Returns the value that a hook's matcher is compared with, or `None` for events without matchers.
    pub(super) fn subject(&self) -> Option<&'static str> {
        match self {
            Event::SessionStart(source) => Some(source),
            Event::PermissionRequest(tool) | Event::PostToolUse(tool) => Some(tool.name()),
            Event::Notification(kind, _) => Some(kind),
            Event::SessionEnd(reason) => Some(reason),
            Event::UserPromptSubmit(_) | Event::Stop(_) | Event::StopFailure(..) => None,
        }
    }

    /// Returns the fields that are specific to the event.
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
