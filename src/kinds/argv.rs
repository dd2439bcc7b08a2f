//! Composes the arguments an agent CLI is started with. Pure: the same wish gives the same list.
//!
//! A text of the user's goes into exactly one argument and is never split, quoted for a shell or taken for a flag.

use crate::model::{Kind, PromptVia, Tier};

/// What lasts as long as the agent does.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Wish {
    /// Which model.
    pub model: Option<String>,
    /// What to append to the system prompt.
    pub system_prompt: Option<String>,
    /// How freely it may act.
    pub tier: Option<Tier>,
    /// The tools it may use without asking.
    pub tools: Vec<String>,
}

/// What lasts, as the CLI is told it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Base {
    /// The program and its lasting arguments.
    pub args: Vec<String>,
    /// What of the wish this kind cannot say, as sentences.
    pub unsaid: Vec<String>,
}

/// The kind cannot be held to a tier: it would act more freely than was asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{title} cannot be held to the approval tier `{tier}`")]
pub struct Looser {
    /// What people call the kind.
    pub title: String,
    /// What was asked.
    pub tier: Tier,
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
    /// The arguments that switch its hooks on.
    pub hook_args: &'a [String],
}

/// The program with what stands behind it and its lasting arguments; refused when it would be looser than asked.
pub fn base(kind: &Kind, command: &[String], wish: &Wish) -> Result<Base, Looser> {
    let mut args = command.to_vec();
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
    if !wish.tools.is_empty() {
        match kind.tools.as_slice() {
            [] => unsaid.push(format!("{} cannot be told which tools need no approval", kind.title)),
            template => args.extend(tool_args(template, &wish.tools)),
        }
    }
    if let Some(asked) = wish.tier {
        let (flags, told) = tier_args(asked, kind)?;
        args.extend_from_slice(flags);
        unsaid.extend(told);
    }
    Ok(Base { args, unsaid })
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
    args.extend_from_slice(line.hook_args);
    if let (PromptVia::Args(template), Some(prompt)) =
        (&kind.prompt, line.prompt.filter(|text| !text.is_empty()))
    {
        args.extend(fill(template, "{prompt}", prompt));
    }
    args
}

/// The flags of a tier, or of the next stricter one that the kind knows, with what is to be said about that.
fn tier_args(asked: Tier, kind: &Kind) -> Result<(&[String], Option<String>), Looser> {
    let flags = |tier| match tier {
        Tier::Free => kind.approval.free.as_slice(),
        Tier::Review => kind.approval.review.as_slice(),
        Tier::Approve => kind.approval.approve.as_slice(),
    };
    let no_looser = Tier::ALL.into_iter().skip_while(|tier| *tier != asked);
    let found = no_looser.map(|tier| (tier, flags(tier))).find(|(_, flags)| !flags.is_empty());
    let title = &kind.title;
    match found {
        Some((tier, flags)) if tier == asked => Ok((flags, None)),
        Some((tier, flags)) => {
            Ok((flags, Some(format!("{title} does not know the approval tier `{asked}`, it gets `{tier}`"))))
        }
        // Whatever it does by itself, it is not freer than this.
        None if asked == Tier::Free => Ok((
            &[],
            Some(format!("{title} cannot be told the approval tier `{asked}`, it asks as it likes")),
        )),
        None => Err(Looser { title: title.clone(), tier: asked }),
    }
}

/// What holds `{tool}` once for each tool, and all tools in place of `{tools}`.
fn tool_args(template: &[String], tools: &[String]) -> Vec<String> {
    let all = fill(template, "{tools}", &tools.join(","));
    let each = |arg: String| match arg.contains("{tool}") && template.contains(&arg) {
        true => tools.iter().map(|tool| arg.replacen("{tool}", tool, 1)).collect(),
        false => vec![arg],
    };
    all.into_iter().flat_map(each).collect()
}

/// A template with a text in place of its placeholder: as many arguments as the template has, always.
fn fill(template: &[String], placeholder: &str, text: &str) -> Vec<String> {
    let quoted = format!("\"{placeholder}\"");
    template
        .iter()
        .enumerate()
        .map(|(at, arg)| {
            if arg.contains(&quoted) {
                arg.replacen(&quoted, &toml_string(text), 1)
            } else if arg == placeholder && could_be_taken_for_something_else(template, at, text) {
                format!(" {text}")
            } else {
                arg.replacen(placeholder, text, 1)
            }
        })
        .collect()
}

/// A text as a TOML string, quotes and all: what JSON escapes, TOML reads.
pub(super) fn toml_string(text: &str) -> String {
    serde_json::Value::from(text).to_string().replace('\u{7f}', "\\u007f")
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
