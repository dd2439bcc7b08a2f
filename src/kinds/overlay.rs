//! Applies a user's kinds on top of the built-in ones, key by key, and reports errors with their positions.

use std::collections::BTreeMap;

use regex_lite::Regex;
use serde::Deserialize;
use toml::{Spanned, Table, Value};

use crate::base::source_text::LocatedMistake;
use crate::model::Kind;

/// Keys that cannot confirm an approval dialog that is open when the agent is asked to exit.
pub(super) const SAFE_KEYS: [&str; 3] = ["C-c", "C-d", "Escape"];

/// The names of keys that tmux accepts; an unknown name would be typed as text, letter by letter.
const NAMED_KEYS: [&str; 14] = [
    "Enter", "Escape", "Tab", "BTab", "Space", "BSpace", "Up", "Down", "Left", "Right", "Home", "End",
    "PageUp", "PageDown",
];

/// Returns the names of the tables in a text, in their order.
pub(super) fn names_in_order(text: &str) -> Vec<String> {
    let Ok(table) = toml::de::DeTable::parse(text) else { return Vec::new() };
    let mut names: Vec<(usize, String)> =
        table.get_ref().keys().map(|name| (name.span().start, name.get_ref().to_string())).collect();
    names.sort();
    names.into_iter().map(|(_, name)| name).collect()
}

/// Returns the built-in kinds with the user's kinds applied to them.
pub(super) fn overlay(ours: &str, users: &str) -> Result<BTreeMap<String, Kind>, LocatedMistake<usize>> {
    // Each kind of the user is parsed separately first, because its position is lost after the merge.
    let _: BTreeMap<String, Kind> = toml::from_str(users)?;
    let placed: BTreeMap<String, PlacedKind> = toml::from_str(users)?;
    placed.values().try_for_each(PlacedKind::check)?;

    let mut merged: Table = toml::from_str(ours)?;
    let plain = merged.get("command").cloned();
    for (name, value) in toml::from_str::<Table>(users)? {
        let below = merged.entry(name.clone()).or_insert_with(|| base_of(&name, plain.clone()));
        merge(below, value);
    }
    Ok(Value::Table(merged).try_into()?)
}

/// Returns the base of a kind that is not built in.
fn base_of(name: &str, plain: Option<Value>) -> Value {
    let mut ground = match plain {
        Some(Value::Table(table)) => table,
        _ => Table::new(),
    };
    ground.insert("title".into(), name.into());
    ground.insert("program".into(), Value::Array(vec![name.into()]));
    Value::Table(ground)
}

fn merge(below: &mut Value, above: Value) {
    match (below, above) {
        (Value::Table(below), Value::Table(above)) => {
            for (key, value) in above {
                match below.get_mut(&key) {
                    Some(there) => merge(there, value),
                    None => {
                        below.insert(key, value);
                    }
                }
            }
        }
        (below, above) => *below = above,
    }
}

type Args = Option<Spanned<Vec<String>>>;

/// The parts of a kind with additional rules, with their positions.
#[derive(Default, Deserialize)]
#[serde(default)]
struct PlacedKind {
    prompt: PlacedPrompt,
    model: Args,
    system_prompt: Args,
    tools: Args,
    conversation: PlacedConversation,
    mcp: PlacedMcp,
    exit_keys: Vec<Spanned<String>>,
    interrupt_keys: Vec<Spanned<String>>,
    clear_keys: Vec<Spanned<String>>,
    approve_keys: Vec<Spanned<String>>,
    deny_keys: Vec<Spanned<String>>,
    deny_reason: PlacedDenyReason,
    screen: BTreeMap<String, Vec<Spanned<String>>>,
}

#[derive(Default, Deserialize)]
#[serde(from = "PromptForms")]
struct PlacedPrompt {
    args: Args,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
enum PromptForms {
    Args(Spanned<Vec<String>>),
    Keys,
}

impl From<PromptForms> for PlacedPrompt {
    fn from(form: PromptForms) -> PlacedPrompt {
        match form {
            PromptForms::Args(args) => PlacedPrompt { args: Some(args) },
            PromptForms::Keys => PlacedPrompt { args: None },
        }
    }
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct PlacedConversation {
    choose: Args,
    resume: Args,
    fork: Args,
    missing: Vec<Spanned<String>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct PlacedDenyReason {
    option: Option<Spanned<String>>,
    keys: Vec<Spanned<String>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct PlacedMcp {
    args: Args,
}

impl PlacedKind {
    fn check(&self) -> Result<(), LocatedMistake<usize>> {
        for (args, placeholder) in [
            (&self.prompt.args, "{prompt}"),
            (&self.model, "{model}"),
            (&self.system_prompt, "{system_prompt}"),
            // Matches `{tools}` or `{tool}`.
            (&self.tools, "{tool"),
            (&self.conversation.choose, "{conversation}"),
            (&self.conversation.resume, "{conversation}"),
            (&self.conversation.fork, "{conversation}"),
            // Matches `{mcp}` or `{mcp_toml}`.
            (&self.mcp.args, "{mcp"),
        ] {
            let Some(args) = args else { continue };
            let list = args.get_ref();
            if !list.is_empty() && !list.iter().any(|arg| arg.contains(placeholder)) {
                let placeholder = match placeholder {
                    "{tool" => "{tools}` or `{tool}",
                    "{mcp" => "{mcp}` or `{mcp_toml}",
                    other => other,
                };
                let message = format!("one of these arguments must contain `{placeholder}`");
                return Err(LocatedMistake::new(args.span().start, message));
            }
        }
        if let Some(key) = self.exit_keys.iter().find(|key| !SAFE_KEYS.contains(&key.get_ref().as_str())) {
            let message = format!(
                "`{}` is not a key that is safe in any state; allowed: {}",
                key.get_ref(),
                SAFE_KEYS.join(", ")
            );
            return Err(LocatedMistake::new(key.span().start, message));
        }
        let pressed = [
            &self.interrupt_keys,
            &self.clear_keys,
            &self.approve_keys,
            &self.deny_keys,
            &self.deny_reason.keys,
        ];
        if let Some(key) = pressed.into_iter().flatten().find(|key| !is_one_key(key.get_ref())) {
            let message = format!(
                "`{}` is not one key; allowed: a character, {}, and C- or M- before one",
                key.get_ref(),
                NAMED_KEYS.join(", ")
            );
            return Err(LocatedMistake::new(key.span().start, message));
        }
        let patterns = self.screen.values().flatten().chain(&self.conversation.missing);
        for pattern in patterns.chain(&self.deny_reason.option) {
            if let Err(error) = Regex::new(pattern.get_ref()) {
                let message = format!("`{}` is not a regular expression: {error}", pattern.get_ref());
                return Err(LocatedMistake::new(pattern.span().start, message));
            }
        }
        Ok(())
    }
}

/// Checks whether tmux accepts this as a single key.
fn is_one_key(key: &str) -> bool {
    let plain = key.trim_start_matches("C-").trim_start_matches("M-");
    NAMED_KEYS.contains(&plain) || matches!(plain.as_bytes(), [b'!'..=b'~'])
}
