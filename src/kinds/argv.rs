//! Composes the arguments an agent CLI is started with. Pure: the same wish gives the same list.
//!
//! A text of the user's goes into exactly one argument and is never split, quoted for a shell or taken for a flag.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use super::hook::{HookCommand, settings_json};
use crate::model::{Approval, Hooks, Kind, PromptVia};

/// What lasts as long as the agent does.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Wish {
    /// Which model.
    pub model: Option<String>,
    /// What to append to the system prompt.
    pub system_prompt: Option<String>,
    /// How freely it may act.
    pub tier: Option<Tier>,
}

/// How freely an agent may act.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tier {
    /// Runs what it likes.
    Free,
    /// Edits by itself, asks before commands.
    Review,
    /// Asks before everything that changes something.
    Approve,
}

impl Tier {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Tier::Free => "free",
            Tier::Review => "review",
            Tier::Approve => "approve",
        }
    }

    fn args(self, approval: &Approval) -> &[String] {
        match self {
            Tier::Free => &approval.free,
            Tier::Review => &approval.review,
            Tier::Approve => &approval.approve,
        }
    }
}

impl fmt::Display for Tier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}

/// A text that is none of the tiers.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a tier of approval; known: free, review, approve")]
pub struct UnknownTier(pub String);

impl FromStr for Tier {
    type Err = UnknownTier;

    fn from_str(text: &str) -> Result<Self, UnknownTier> {
        [Tier::Free, Tier::Review, Tier::Approve]
            .into_iter()
            .find(|tier| tier.word() == text)
            .ok_or_else(|| UnknownTier(text.to_owned()))
    }
}

/// Which conversation a start opens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Opening<'a> {
    /// A new one, under an id of our choice when the CLI lets us choose.
    New {
        /// The id.
        conversation: Option<&'a str>,
    },
    /// The one of this id. A CLI that cannot say it (`conversation.resume` is empty) starts a new one.
    Resume {
        /// The id.
        conversation: &'a str,
    },
    /// The last one in the directory.
    ResumeLast,
}

/// One start of an agent.
#[derive(Debug, Clone, Copy)]
pub struct CommandLine<'a> {
    /// Program and lasting arguments, as [`base`] made them.
    pub base: &'a [String],
    /// Which conversation.
    pub opening: Opening<'a>,
    /// The first prompt.
    pub prompt: Option<&'a str>,
    /// Who is to be told what the agent does.
    pub hook: Option<&'a HookCommand>,
}

/// The program and its lasting arguments, and what of the wish this kind cannot say, as sentences.
pub fn base(kind: &Kind, program: &Path, wish: &Wish) -> (Vec<String>, Vec<String>) {
    let mut args = vec![program.to_string_lossy().into_owned()];
    let mut unsaid = Vec::new();
    args.extend_from_slice(&kind.args);
    if let Some(model) = &wish.model {
        match kind.model.as_slice() {
            [] => unsaid.push(format!("{} cannot be told which model to use", kind.title)),
            template => args.extend(fill(template, "{model}", model)),
        }
    }
    if let Some(text) = &wish.system_prompt {
        match kind.system_prompt.as_slice() {
            [] => unsaid.push(format!("{} cannot be given a system prompt", kind.title)),
            template => args.extend(fill(template, "{system_prompt}", text)),
        }
    }
    if let Some(tier) = wish.tier {
        match tier.args(&kind.approval) {
            [] => unsaid.push(format!("{} cannot be told the approval tier `{tier}`", kind.title)),
            flags => args.extend_from_slice(flags),
        }
    }
    (args, unsaid)
}

/// Everything one start is given: base, conversation, hooks, prompt.
///
/// A prompt that a kind takes by keys only is left out; so is an empty one.
pub fn argv(kind: &Kind, line: &CommandLine) -> Vec<String> {
    let mut args = line.base.to_vec();
    match line.opening {
        Opening::New { conversation: Some(id) } => {
            args.extend(fill(&kind.conversation.choose, "{conversation}", id));
        }
        Opening::New { conversation: None } => {}
        Opening::Resume { conversation } => {
            args.extend(fill(&kind.conversation.resume, "{conversation}", conversation));
        }
        Opening::ResumeLast => args.extend_from_slice(&kind.conversation.resume_last),
    }
    if let (Hooks::ClaudeSettings, Some(hook)) = (kind.hooks, line.hook) {
        args.extend(["--settings".to_owned(), settings_json(hook)]);
    }
    if let (PromptVia::Args(template), Some(prompt)) =
        (&kind.prompt, line.prompt.filter(|text| !text.is_empty()))
    {
        args.extend(fill(template, "{prompt}", prompt));
    }
    args
}

/// A template with a text in place of its placeholder: as many arguments as the template has, always.
fn fill(template: &[String], placeholder: &str, text: &str) -> Vec<String> {
    let quoted = format!("\"{placeholder}\"");
    template
        .iter()
        .enumerate()
        .map(|(at, arg)| {
            if arg.contains(&quoted) {
                // Between quotes stands a TOML string; what JSON escapes, TOML reads.
                let string = serde_json::Value::from(text).to_string().replace('\u{7f}', "\\u007f");
                arg.replacen(&quoted, &string, 1)
            } else if arg == placeholder && could_be_taken_for_something_else(template, at, text) {
                format!(" {text}")
            } else {
                arg.replacen(placeholder, text, 1)
            }
        })
        .collect()
}

/// Whether a CLI could take this text for a flag, or for a subcommand where it stands alone (`claude update`).
fn could_be_taken_for_something_else(template: &[String], at: usize, text: &str) -> bool {
    let after = at.checked_sub(1).and_then(|before| template.get(before)).map(String::as_str);
    match after {
        Some("--") => false,
        Some(_) => text.starts_with('-'),
        None => text.starts_with('-') || !text.contains(char::is_whitespace),
    }
}

#[cfg(test)]
mod tests;
