//! The events that the demo agent reports to its hooks, in the format of Claude Code. Pure.

use serde_json::{Value, json};

/// An event for which hooks can be configured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum HookEvent {
    /// The agent has started, with the source `startup` or `resume`.
    SessionStart(&'static str),
    /// The agent accepted a prompt.
    UserPromptSubmit(String),
    /// The agent asks for approval before it uses a tool.
    PermissionRequest(DemoTool),
    /// The agent has used a tool.
    PostToolUse(DemoTool),
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
pub(super) enum DemoTool {
    /// Runs a command.
    Bash(String),
    /// Asks the user a question.
    AskUserQuestion(String),
}

impl HookEvent {
    /// Returns the name of the event.
    pub(super) fn name(&self) -> &'static str {
        match self {
            HookEvent::SessionStart(_) => "SessionStart",
            HookEvent::UserPromptSubmit(_) => "UserPromptSubmit",
            HookEvent::PermissionRequest(_) => "PermissionRequest",
            HookEvent::PostToolUse(_) => "PostToolUse",
            HookEvent::Notification(..) => "Notification",
            HookEvent::Stop(_) => "Stop",
            HookEvent::StopFailure(..) => "StopFailure",
            HookEvent::SessionEnd(_) => "SessionEnd",
        }
    }

    /// Returns the value that a hook's matcher is compared with, or `None` for events without matchers.
    pub(super) fn subject(&self) -> Option<&'static str> {
        match self {
            HookEvent::SessionStart(source) => Some(source),
            HookEvent::PermissionRequest(tool) | HookEvent::PostToolUse(tool) => Some(tool.name()),
            HookEvent::Notification(kind, _) => Some(kind),
            HookEvent::SessionEnd(reason) => Some(reason),
            HookEvent::UserPromptSubmit(_) | HookEvent::Stop(_) | HookEvent::StopFailure(..) => None,
        }
    }

    /// Returns the fields that are specific to the event.
    pub(super) fn fields(&self) -> Value {
        match self {
            HookEvent::SessionStart(source) => json!({"source": source}),
            HookEvent::UserPromptSubmit(prompt) => json!({"prompt": prompt}),
            HookEvent::PermissionRequest(tool) => {
                json!({"tool_name": tool.name(), "tool_input": tool.input()})
            }
            HookEvent::PostToolUse(tool) => {
                json!({"tool_name": tool.name(), "tool_input": tool.input(), "tool_response": {}})
            }
            HookEvent::Notification(kind, message) => json!({"notification_type": kind, "message": message}),
            HookEvent::Stop(text) => json!({"stop_hook_active": false, "last_assistant_message": text}),
            HookEvent::StopFailure(code, message) => {
                json!({"error": code, "last_assistant_message": message})
            }
            HookEvent::SessionEnd(reason) => json!({"reason": reason}),
        }
    }
}

impl DemoTool {
    fn name(&self) -> &'static str {
        match self {
            DemoTool::Bash(_) => "Bash",
            DemoTool::AskUserQuestion(_) => "AskUserQuestion",
        }
    }

    fn input(&self) -> Value {
        match self {
            DemoTool::Bash(command) => json!({"command": command}),
            DemoTool::AskUserQuestion(question) => json!({"questions": [{"question": question}]}),
        }
    }
}
