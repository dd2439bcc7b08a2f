//! Composes the arguments with which an agent CLI is started. Pure: the same options give the same list.
//!
//! A text of the user becomes exactly one argument and is never split, quoted for a shell or parsed as a flag.

use crate::model::{Kind, PromptVia, Tier};

/// The options that apply for the lifetime of an agent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CliOptions {
    /// The name of the model.
    pub model: Option<String>,
    /// The text to append to the system prompt.
    pub system_prompt: Option<String>,
    /// How freely the agent may act.
    pub tier: Option<Tier>,
    /// The tools that the agent may use without asking.
    pub tools: Vec<String>,
}

/// The lasting options as arguments of the CLI.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BaseArgs {
    /// The program and its lasting arguments.
    pub args: Vec<String>,
    /// The options that this kind does not support, as sentences.
    pub unsupported: Vec<String>,
}

/// The kind cannot enforce a tier: it would act more freely than requested.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{title} cannot enforce the approval tier `{tier}`")]
pub struct TierNotEnforced {
    /// The title of the kind.
    pub title: String,
    /// The requested tier.
    pub tier: Tier,
}

/// The conversation with which an agent starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConversationStart<'a> {
    /// A new conversation, with this id if the CLI accepts one.
    New {
        /// The id of the new conversation.
        conversation: Option<&'a str>,
    },
    /// The conversation with this id. A CLI without `conversation.resume` starts a new one.
    Resume {
        /// The id of the conversation.
        conversation: &'a str,
    },
    /// The last conversation in the directory.
    ResumeLast,
    /// A copy of a conversation.
    Fork {
        /// The id of the conversation to copy.
        from: &'a str,
        /// The id of the copy, if the CLI accepts one.
        conversation: Option<&'a str>,
    },
}

/// The parts of the command line for one start of an agent.
#[derive(Debug, Clone, Copy)]
pub struct CommandLine<'a> {
    /// The program and its lasting arguments, as returned by [`base`].
    pub base: &'a [String],
    /// The conversation to start with.
    pub opening: ConversationStart<'a>,
    /// The first prompt.
    pub prompt: Option<&'a str>,
    /// The arguments that enable its hooks.
    pub hook_args: &'a [String],
}

/// Returns the command with its lasting arguments. Fails if the kind would act more freely than requested.
pub fn base(kind: &Kind, command: &[String], options: &CliOptions) -> Result<BaseArgs, TierNotEnforced> {
    let mut args = command.to_vec();
    let mut unsupported = Vec::new();
    args.extend_from_slice(&kind.args);
    if let Some(model) = &options.model {
        match kind.model.as_slice() {
            [] => unsupported.push(format!("{} has no option to choose a model", kind.title)),
            template => args.extend(fill(template, "{model}", model)),
        }
    }
    if let Some(text) = &options.system_prompt {
        match kind.system_prompt.as_slice() {
            [] => unsupported.push(format!("{} has no option for a system prompt", kind.title)),
            template => args.extend(fill(template, "{system_prompt}", text)),
        }
    }
    if !options.tools.is_empty() {
        match kind.tools.as_slice() {
            [] => unsupported.push(format!("{} has no option to allow tools without approval", kind.title)),
            template => args.extend(tool_args(template, &options.tools)),
        }
    }
    if let Some(tier_asked) = options.tier {
        let (flags, remark) = tier_args(tier_asked, kind)?;
        args.extend_from_slice(flags);
        unsupported.extend(remark);
    }
    Ok(BaseArgs { args, unsupported })
}

/// Returns all arguments of one start: base, conversation, hooks and prompt.
///
/// The prompt is left out if it is empty or if the kind accepts prompts only by keys.
pub fn argv(kind: &Kind, line: &CommandLine) -> Vec<String> {
    let mut args = line.base.to_vec();
    match line.opening {
        ConversationStart::New { conversation: Some(id) } => {
            args.extend(fill(&kind.conversation.choose, "{conversation}", id));
        }
        ConversationStart::New { conversation: None } => {}
        ConversationStart::Resume { conversation } => {
            args.extend(fill(&kind.conversation.resume, "{conversation}", conversation));
        }
        ConversationStart::ResumeLast => args.extend_from_slice(&kind.conversation.resume_last),
        ConversationStart::Fork { from, conversation } => {
            let copied = fill(&kind.conversation.fork, "{conversation}", from);
            args.extend(fill(&copied, "{fork}", conversation.unwrap_or_default()));
        }
    }
    args.extend_from_slice(line.hook_args);
    if let (PromptVia::Args(template), Some(prompt)) =
        (&kind.prompt, line.prompt.filter(|text| !text.is_empty()))
    {
        args.extend(fill(template, "{prompt}", prompt));
    }
    args
}

/// Returns the flags of a tier, or of the next stricter one that the kind supports together with a remark about it.
fn tier_args(tier_asked: Tier, kind: &Kind) -> Result<(&[String], Option<String>), TierNotEnforced> {
    let flags = |tier| match tier {
        Tier::Free => kind.approval.free.as_slice(),
        Tier::Review => kind.approval.review.as_slice(),
        Tier::Approve => kind.approval.approve.as_slice(),
    };
    let no_looser = Tier::ALL.into_iter().skip_while(|tier| *tier != tier_asked);
    let found = no_looser.map(|tier| (tier, flags(tier))).find(|(_, flags)| !flags.is_empty());
    let title = &kind.title;
    match found {
        Some((tier, flags)) if tier == tier_asked => Ok((flags, None)),
        Some((tier, flags)) => Ok((
            flags,
            Some(format!(
                "{title} does not support the approval tier `{tier_asked}`; `{tier}` is used instead"
            )),
        )),
        // The CLI's own default is never freer than this tier.
        None if tier_asked == Tier::Free => Ok((
            &[],
            Some(format!(
                "{title} has no option for the approval tier `{tier_asked}`; it asks as it is configured"
            )),
        )),
        None => Err(TierNotEnforced { title: title.clone(), tier: tier_asked }),
    }
}

/// Expands an argument with `{tool}` once for each tool, and `{tools}` to the list of all tools.
fn tool_args(template: &[String], tools: &[String]) -> Vec<String> {
    let all = fill(template, "{tools}", &tools.join(","));
    let each = |arg: String| match arg.contains("{tool}") && template.contains(&arg) {
        true => tools.iter().map(|tool| arg.replacen("{tool}", tool, 1)).collect(),
        false => vec![arg],
    };
    all.into_iter().flat_map(each).collect()
}

/// Replaces the placeholder of a template by a text. The number of arguments always stays the same.
fn fill(template: &[String], placeholder: &str, text: &str) -> Vec<String> {
    let quoted = format!("\"{placeholder}\"");
    template
        .iter()
        .enumerate()
        .map(|(at, arg)| {
            if arg.contains(&quoted) {
                arg.replacen(&quoted, &toml_string(text), 1)
            } else if arg == placeholder && is_ambiguous(template, at, text) {
                format!(" {text}")
            } else {
                arg.replacen(placeholder, text, 1)
            }
        })
        .collect()
}

/// Formats a text as a quoted TOML string: TOML accepts all escapes of JSON.
pub(super) fn toml_string(text: &str) -> String {
    serde_json::Value::from(text).to_string().replace('\u{7f}', "\\u007f")
}

/// Checks whether a CLI could take this text for a flag, or for a subcommand if it is the only argument (`claude
/// update`).
fn is_ambiguous(template: &[String], at: usize, text: &str) -> bool {
    let after = at.checked_sub(1).and_then(|before| template.get(before)).map(String::as_str);
    match after {
        Some("--") => false,
        Some(_) => text.starts_with('-'),
        None => text.starts_with('-') || !text.contains(char::is_whitespace),
    }
}

#[cfg(test)]
mod tests;
