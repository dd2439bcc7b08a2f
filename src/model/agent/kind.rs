//! Description of one agent CLI as data. The values come from `kinds/builtin.toml` and the user's `kinds.toml`.
//!
//! Argument lists may contain the placeholders `{prompt}`, `{model}`, `{system_prompt}`, `{tools}` or `{tool}`,
//! `{conversation}`, `{fork}`, `{settings}`, `{mcp}` and `{mcp_toml}`. A placeholder is replaced inside one argument and never
//! splits it in two.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Description of one agent CLI: how it is started, prompted, resumed and read.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Kind {
    /// Display name of the agent CLI.
    pub title: String,
    /// Possible names of the program; the first one found in `PATH` is used.
    pub program: Vec<String>,
    /// Arguments that always follow the program.
    pub args: Vec<String>,
    /// Instructions for installing the program, shown when it is missing.
    pub install: String,
    /// How the first prompt is passed while the program stays interactive.
    pub prompt: PromptVia,
    /// Arguments that choose a model; empty if the CLI has none.
    pub model: Vec<String>,
    /// Arguments that append to the system prompt; empty if the CLI has none.
    pub system_prompt: Vec<String>,
    /// Arguments that list the tools it may use without asking: `{tools}` is replaced by all of them, separated by
    /// commas; an argument with `{tool}` is repeated for each tool. Empty if the CLI has none.
    pub tools: Vec<String>,
    /// Arguments for each tier.
    pub approval: Approval,
    /// How its conversations are chosen and resumed.
    pub conversation: ConversationFlags,
    /// Location of its conversation files, if each conversation is a file of its own.
    pub conversation_files: ConversationFiles,
    /// Environment variables that are always set, for example to disable self-updates.
    pub env: BTreeMap<String, String>,
    /// tmux key names that ask it to exit; they are safe in every state of the CLI.
    pub exit_keys: Vec<String>,
    /// tmux key names that interrupt its turn.
    pub interrupt_keys: Vec<String>,
    /// tmux key names that clear its input line; sent only if the line contains text.
    pub clear_keys: Vec<String>,
    /// tmux key names that approve an approval dialog once; empty if the CLI has none.
    pub approve_keys: Vec<String>,
    /// tmux key names that deny an approval dialog.
    pub deny_keys: Vec<String>,
    /// How its approval dialog accepts the reason for a denial; empty if it accepts none.
    pub deny_reason: DenyReason,
    /// Seconds of work without output and without a child process after which it counts as hung; 0 disables the check.
    pub hang_after_s: u64,
    /// Whether it accepts bracketed paste.
    pub bracketed_paste: bool,
    /// Delay between the text and the Enter that submits it, in milliseconds.
    pub enter_delay_ms: u64,
    /// Period after the start in which an exit counts as `exited at once`, in milliseconds.
    pub settle_ms: u64,
    /// How its hooks are enabled for one run.
    pub hooks: Hooks,
    /// How our MCP server is configured for one run.
    pub mcp: McpVia,
    /// Regular expressions that recognise its state from the bottom of the visible screen.
    pub screen: ScreenPatterns,
}

/// How our MCP server is configured for one run of an agent CLI, in addition to the user's own servers. All fields are
/// empty if the CLI does not support it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct McpVia {
    /// Arguments that configure the server: `{mcp}` is `{"mcpServers":{"symposium":{…}}}`, `{mcp_toml}` is the server
    /// alone as a TOML table.
    pub args: Vec<String>,
    /// Environment variable that replaces the arguments; it holds a configuration in OpenCode's format.
    pub variable: String,
    /// Further fields of the server's entry besides command, arguments and environment.
    pub server: BTreeMap<String, serde_json::Value>,
    /// Key under which the entry lists the variables that the server inherits, for a CLI that clears all others.
    pub inherits: String,
    /// Arguments that let the agent use our tools without asking.
    pub allow_args: Vec<String>,
    /// Fields of the server's entry that let the agent use our tools without asking.
    pub allow_server: BTreeMap<String, serde_json::Value>,
}

/// How an approval dialog accepts a text together with a denial.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DenyReason {
    /// Regular expression for the label of the option that denies.
    pub option: String,
    /// tmux key names that open the input of that option once it is selected.
    pub keys: Vec<String>,
}

/// How the first prompt is passed to an agent CLI.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PromptVia {
    /// In the arguments, one of which contains `{prompt}`.
    Args(Vec<String>),
    /// Typed in when the CLI is ready.
    #[default]
    Keys,
}

/// Arguments for each tier, that is, how freely the agent may run commands.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Approval {
    /// Arguments for running everything without asking.
    pub free: Vec<String>,
    /// Arguments for editing files without asking and asking before commands.
    pub review: Vec<String>,
    /// Arguments for asking before every action.
    pub approve: Vec<String>,
}

/// Arguments that choose and resume conversations.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ConversationFlags {
    /// Arguments that start a new conversation under an id that we choose.
    pub choose: Vec<String>,
    /// Arguments that resume the conversation with a given id.
    pub resume: Vec<String>,
    /// Arguments that resume the last conversation in the working directory.
    pub resume_last: Vec<String>,
    /// Arguments that start a copy of the conversation with a given id, `{fork}` being the id of the copy; empty if the
    /// CLI cannot copy one.
    pub fork: Vec<String>,
    /// Regular expressions for the message with which the CLI exits if the conversation does not exist.
    pub missing: Vec<String>,
}

/// Location of an agent CLI's conversation files. All fields are empty if a conversation is not one plain file that can
/// be copied to another machine.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ConversationFiles {
    /// Environment variable that names the CLI's directory.
    pub variable: String,
    /// Path of that directory below the user's home directory, used if the variable is not set.
    pub below_home: String,
    /// Path of the file below that directory. `{conversation}` is the id, `{directory}` the working directory with a
    /// dash for every character that is not a letter or digit; `{year}`, `{month}`, `{day}` and `{stamp}` are the time
    /// at which the conversation began.
    pub file: String,
    /// Key under which the file stores the working directory, if the CLI relies on it.
    pub directory_key: String,
}

/// How an agent CLI's hooks are enabled for one run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Hooks {
    /// The CLI has no hooks that can be set per run.
    #[default]
    None,
    /// `--settings JSON` as Claude Code accepts it.
    ClaudeSettings,
    /// Codex's `notify` command, which reports the end of a turn.
    CodexNotify,
    /// A system defaults file for Qwen Code.
    QwenDefaults,
    /// A plugin directory for GitHub Copilot CLI.
    CopilotPlugin,
    /// A plugin for OpenCode.
    OpencodePlugin,
    /// Aider's notification command, which reports that it waits for input.
    AiderNotifications,
}

impl Hooks {
    /// Returns whether the hooks report the start and every accepted prompt; the other hooks report at most the end of
    /// a turn.
    pub fn report_prompts(self) -> bool {
        match self {
            Hooks::None | Hooks::CodexNotify | Hooks::AiderNotifications => false,
            Hooks::ClaudeSettings | Hooks::QwenDefaults | Hooks::CopilotPlugin | Hooks::OpencodePlugin => {
                true
            }
        }
    }
}

/// Regular expressions that are matched against the bottom lines of the visible screen.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ScreenPatterns {
    /// The agent would accept a prompt.
    pub ready: Vec<String>,
    /// The agent is working.
    pub busy: Vec<String>,
    /// The agent asks for an approval.
    pub approval: Vec<String>,
    /// The agent asks a question.
    pub question: Vec<String>,
    /// The agent CLI asks for a login, trust or consent.
    pub setup: Vec<String>,
    /// The input line; group 1 is the text in it.
    pub composer: Vec<String>,
    /// Subject of an approval dialog, if the screen shows it above the question; group 1 is the command.
    pub subject: Vec<String>,
    /// Row of buttons in a dialog; each group is the label of a button. The selected button has a different background.
    pub buttons: Vec<String>,
    /// Placeholder that the input line shows instead of a long paste.
    pub pasted: Vec<String>,
    /// The CLI is not logged in, so the last turn failed or the next one would; group 1 is the message.
    pub failed_login: Vec<String>,
    /// The last turn failed because the account has no credit; group 1 is the message.
    pub failed_credit: Vec<String>,
    /// The last turn failed at a rate or usage limit; group 1 is the message.
    pub failed_limit: Vec<String>,
    /// The last turn failed; group 1 is the message, which determines the cause if none of the other patterns matches.
    pub failed_error: Vec<String>,
}
