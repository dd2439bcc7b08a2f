//! How one agent CLI is driven, as data. Filled from `kinds/builtin.toml` and the user's `kinds.toml`.
//!
//! Argument lists may hold the placeholders `{prompt}`, `{model}`, `{system_prompt}`, `{tools}` or `{tool}`,
//! `{conversation}`, `{settings}`, `{mcp}` and `{mcp_toml}`; a placeholder is replaced inside one argument and can never become two.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// One agent CLI.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Kind {
    /// What people call it.
    pub title: String,
    /// The programs it may be called, the first that is found in PATH is taken.
    pub program: Vec<String>,
    /// Arguments that are always given, right after the program.
    pub args: Vec<String>,
    /// How to get a missing program.
    pub install: String,
    /// How the first prompt gets in while the program stays interactive.
    pub prompt: PromptVia,
    /// The arguments that choose a model; empty when it cannot be said.
    pub model: Vec<String>,
    /// The arguments that append to the system prompt; empty when it cannot be said.
    pub system_prompt: Vec<String>,
    /// The arguments that name tools it may use without asking: `{tools}` is all of them with commas, and what holds
    /// `{tool}` is given once for each; empty when it cannot be said.
    pub tools: Vec<String>,
    /// The arguments for each tier of approval.
    pub approval: Approval,
    /// How its conversations are chosen, resumed and learned.
    pub conversation: Conversing,
    /// Where it keeps what was said, when that is a file of its own for each conversation.
    pub conversation_files: ConversationFiles,
    /// Environment it is always given, such as self-update off.
    pub env: BTreeMap<String, String>,
    /// tmux key names that ask it to leave, safe in any state it may be in.
    pub exit_keys: Vec<String>,
    /// tmux key names that interrupt its turn.
    pub interrupt_keys: Vec<String>,
    /// tmux key names that empty its input line; they are pressed only when something stands there.
    pub clear_keys: Vec<String>,
    /// tmux key names that say yes, once, to an approval dialog; empty when it cannot be said.
    pub approve_keys: Vec<String>,
    /// tmux key names that say no to it.
    pub deny_keys: Vec<String>,
    /// How its approval dialog takes the reason of a denial; empty where it takes none.
    pub deny_reason: DenyReason,
    /// After how many seconds of work without output and without a child process it is said to hang; 0: never.
    pub hang_after_s: u64,
    /// Whether it takes bracketed paste.
    pub bracketed_paste: bool,
    /// How long between the text and the Enter that submits it, in milliseconds.
    pub enter_delay_ms: u64,
    /// How long an exit right after the start counts as `exited at once`, in milliseconds.
    pub settle_ms: u64,
    /// How its own hooks are switched on.
    pub hooks: Hooks,
    /// How it is given our MCP server for one run.
    pub mcp: McpVia,
    /// What its screen looks like, regular expressions on the bottom of the visible screen.
    pub screen: ScreenPatterns,
}

/// How an agent CLI is given our MCP server for one run, beside those that the user has; all empty when it cannot be.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct McpVia {
    /// The arguments: `{mcp}` is `{"mcpServers":{"symposium":{…}}}`, `{mcp_toml}` the server alone as a TOML table.
    pub args: Vec<String>,
    /// A variable in place of arguments, which holds a configuration in the form of OpenCode.
    pub variable: String,
    /// What the server's entry holds beside command, arguments and environment.
    pub server: BTreeMap<String, serde_json::Value>,
    /// The key under which the entry names the variables that the server inherits, for a CLI that clears the rest.
    pub inherits: String,
    /// The arguments that let it use our tools without asking.
    pub allow_args: Vec<String>,
    /// What the entry holds to the same end.
    pub allow_server: BTreeMap<String, serde_json::Value>,
}

/// How an approval dialog takes a text together with the denial.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DenyReason {
    /// Regular expression for the label of the option that denies.
    pub option: String,
    /// tmux key names that open the input of that option once it is selected.
    pub keys: Vec<String>,
}

/// How the first prompt gets in.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PromptVia {
    /// As arguments, with `{prompt}` in one of them.
    Args(Vec<String>),
    /// Typed in when it is ready.
    #[default]
    Keys,
}

/// Arguments for each tier: how freely it may run commands.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Approval {
    /// Runs what it likes.
    pub free: Vec<String>,
    /// Edits by itself, asks before commands.
    pub review: Vec<String>,
    /// Asks before everything.
    pub approve: Vec<String>,
}

/// How conversations are chosen, resumed and learned.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Conversing {
    /// Start a new conversation under an id of our choice.
    pub choose: Vec<String>,
    /// Go on with the conversation of this id.
    pub resume: Vec<String>,
    /// Go on with the last conversation in this directory.
    pub resume_last: Vec<String>,
    /// What it says when it leaves because there is no such conversation, as regular expressions.
    pub missing: Vec<String>,
}

/// Where an agent CLI keeps a conversation; all empty when it is not one plain file that can be carried elsewhere.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ConversationFiles {
    /// The variable that names its directory.
    pub variable: String,
    /// That directory below the user's home, when the variable is not set.
    pub below_home: String,
    /// The file below that: `{conversation}` is the id, `{directory}` the working directory with a dash for all but
    /// letters and digits, `{year}`, `{month}`, `{day}` and `{stamp}` when it began.
    pub file: String,
    /// The key under which the file itself names the working directory, where the CLI goes by that.
    pub directory_key: String,
}

/// How an agent's own hooks are switched on for one run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Hooks {
    /// It has none that can be given per run.
    #[default]
    None,
    /// `--settings JSON` in the form of Claude Code.
    ClaudeSettings,
    /// Codex's `notify`: the end of a turn.
    CodexNotify,
    /// A file of system defaults for Qwen Code.
    QwenDefaults,
    /// A plugin directory for GitHub Copilot CLI.
    CopilotPlugin,
    /// A plugin for OpenCode.
    OpencodePlugin,
    /// Aider's command for "I wait".
    AiderNotifications,
}

impl Hooks {
    /// Whether it tells of its start and of every prompt it takes; others tell the end of a turn at most.
    pub fn tell_of_prompts(self) -> bool {
        match self {
            Hooks::None | Hooks::CodexNotify | Hooks::AiderNotifications => false,
            Hooks::ClaudeSettings | Hooks::QwenDefaults | Hooks::CopilotPlugin | Hooks::OpencodePlugin => {
                true
            }
        }
    }
}

/// Regular expressions on the bottom lines of the visible screen.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ScreenPatterns {
    /// It would take a prompt.
    pub ready: Vec<String>,
    /// It works.
    pub busy: Vec<String>,
    /// It wants a yes or no.
    pub approval: Vec<String>,
    /// It asks something.
    pub question: Vec<String>,
    /// Login, trust, consent.
    pub setup: Vec<String>,
    /// The composer line; the first group is what stands in it.
    pub composer: Vec<String>,
    /// What an approval dialog is about, where that stands above the question; group 1 is the command.
    pub subject: Vec<String>,
    /// The row of buttons of a dialog; each group is the label of a button. The selected one has another background.
    pub buttons: Vec<String>,
    /// What stands in the composer in place of a long paste.
    pub pasted: Vec<String>,
    /// The last turn failed, or the next one would, because the CLI is not logged in; group 1 is the message.
    pub failed_login: Vec<String>,
    /// The last turn failed because the account has no credit; group 1 is the message.
    pub failed_credit: Vec<String>,
    /// The last turn failed at a rate or usage limit; group 1 is the message.
    pub failed_limit: Vec<String>,
    /// The last turn failed; group 1 is the message, which decides the cause where none of the others matches.
    pub failed_error: Vec<String>,
}
