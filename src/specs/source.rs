//! One spec file, parsed and validated against the table of keys. References to other specs are resolved later.

use std::path::{Path, PathBuf};

use super::project::sha256;
use super::syntax::tree::{KeyNode, Node, NodeValue, Table};
use super::validation::keys::{Scope, keys};
use super::validation::validate::{check_table, shown, wrong_sort};
use super::{
    claude, kebab,
    syntax::{agents_toml, file, front_matter, yaml},
};
use crate::base::source_text::{LocatedMistake, Position};
use crate::base::suggest::allowed;
use crate::model::{AgentName, FoundIn, SpecMistake};

/// A spec file and its content.
#[derive(Debug)]
pub(super) struct SpecSource {
    pub path: PathBuf,
    pub found_in: FoundIn,
    /// Errors of the file as a whole, which make all of its content unusable.
    pub mistakes: Vec<LocatedMistake>,
    pub defaults: Option<Layer>,
    /// The specs by name, in the order of the file.
    pub agents: Vec<(String, Layer)>,
    /// Whether it is an `agents.toml`, whose `[defaults]` apply to the implicit spec.
    pub is_agents_toml: bool,
    /// SHA-256 of its text; `None` if it could not be read, and for files of `.claude/agents`.
    pub sha256: Option<[u8; 32]>,
}

/// The values of one table in a file.
#[derive(Debug)]
pub(super) struct Layer {
    pub table: Table,
    /// Errors in these values.
    pub wrong: Vec<LocatedMistake>,
    pub remarks: Vec<String>,
}

impl Layer {
    fn checked(table: Table, scope: Scope) -> Layer {
        let mut wrong = Vec::new();
        check_table(&keys(scope), &table, None, &mut wrong);
        Layer { table, wrong, remarks: Vec::new() }
    }

    fn broken(wrong: LocatedMistake) -> Layer {
        Layer { table: Table::new(), wrong: vec![wrong], remarks: Vec::new() }
    }

    /// Returns the value of a key.
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.table.iter().find(|(name, _)| name.text == key).map(|(_, node)| node)
    }
}

impl SpecSource {
    /// Reads an `agents.toml`.
    pub fn agents_toml(path: &Path, found_in: FoundIn) -> SpecSource {
        let mut source = SpecSource::empty(path, found_in);
        source.is_agents_toml = true;
        let text = file::read(path);
        source.sha256 = text.as_deref().ok().map(sha256);
        match text.map_err(|wrong| vec![wrong]).and_then(|text| agents_toml::parse(&text)) {
            Ok(table) => table.into_iter().for_each(|(key, node)| source.take(key, node)),
            Err(wrong) => source.mistakes = wrong,
        }
        source
    }

    /// Reads a Markdown file with front matter. `called` is the name of the spec unless the file sets another one.
    pub fn markdown(path: &Path, called: &str, found_in: FoundIn) -> SpecSource {
        let mut source = SpecSource::empty(path, found_in);
        let text = file::read(path);
        source.sha256 = text.as_deref().ok().map(sha256);
        let layer = text.and_then(|text| front(&text, yaml_layer)).unwrap_or_else(Layer::broken);
        source.name(layer, &kebab::case(called));
        source
    }

    /// Reads a file of `.claude/agents`. Returns `None` for a file without front matter, which is not a spec.
    pub fn claude(path: &Path, called: &str, found_in: FoundIn) -> Option<SpecSource> {
        let text = file::read(path);
        let has_no_front = |text: &String| front_matter::split(text).is_ok_and(|cut| cut.front.is_none());
        if text.as_ref().is_ok_and(has_no_front) {
            return None;
        }
        let mut source = SpecSource::empty(path, found_in);
        let read = |front: &str| {
            let (table, remarks) = claude::read(front);
            Ok(Layer { remarks, ..Layer::checked(table, Scope::FrontMatter) })
        };
        let layer = text.and_then(|text| front(&text, read));
        source.name(layer.unwrap_or_else(Layer::broken), called);
        Some(source)
    }

    /// Returns the directory of the project that the file belongs to, if any.
    pub fn project(&self) -> Option<&Path> {
        let FoundIn::Project(_) = self.found_in else { return None };
        let is_root = |dir: &&Path| dir.ends_with(".symposium") || dir.ends_with(".claude");
        self.path.ancestors().find(is_root)?.parent()
    }

    /// Returns the values of the spec with this name.
    pub fn layer(&self, name: &str) -> Option<&Layer> {
        self.agents.iter().find(|(known, _)| known == name).map(|(_, layer)| layer)
    }

    /// Adds an error to every spec of the file.
    pub fn refuse(&mut self, why: &str) {
        for (_, layer) in &mut self.agents {
            layer.wrong.push(LocatedMistake::new(Position::START, why));
        }
    }

    /// Converts an error to the form that is shown to the user.
    pub fn mistake(&self, wrong: &LocatedMistake) -> SpecMistake {
        SpecMistake {
            path: self.path.display().to_string(),
            line: wrong.at.line,
            column: wrong.at.column,
            message: wrong.message.clone(),
        }
    }

    fn empty(path: &Path, found_in: FoundIn) -> SpecSource {
        let path = path.to_owned();
        SpecSource {
            path,
            found_in,
            mistakes: vec![],
            defaults: None,
            agents: vec![],
            is_agents_toml: false,
            sha256: None,
        }
    }

    /// Processes one top-level key of an `agents.toml`.
    fn take(&mut self, key: KeyNode, node: Node) {
        let at = node.at;
        match (key.text.as_str(), node.value) {
            ("defaults", NodeValue::Table(table)) => {
                self.defaults = Some(Layer::checked(table, Scope::Defaults));
            }
            ("agents", NodeValue::Table(table)) => {
                table.into_iter().for_each(|(key, node)| self.add(key, node))
            }
            (name @ ("defaults" | "agents"), value) => {
                wrong_sort(name, "a table", &Node { at, value }, &mut self.mistakes);
            }
            (name, _) => {
                let message =
                    format!("unknown key `{}`{}", shown(name), allowed(name, &["defaults", "agents"]));
                self.mistakes.push(LocatedMistake::new(key.at, message));
            }
        }
    }

    fn add(&mut self, key: KeyNode, node: Node) {
        if let Err(why) = key.text.parse::<AgentName>() {
            let message = format!("`{}` cannot be the name of a spec: {why}", shown(&key.text));
            return self.mistakes.push(LocatedMistake::new(key.at, message));
        }
        match node.value {
            NodeValue::Table(table) => {
                self.agents.push((key.text, Layer::checked(table, Scope::Agent)));
            }
            value => wrong_sort(
                &format!("agents.{}", key.text),
                "a table",
                &Node { at: node.at, value },
                &mut self.mistakes,
            ),
        }
    }

    /// Adds a layer under its own name, or under the given one.
    fn name(&mut self, mut layer: Layer, called: &str) {
        let own = layer.get("name").and_then(Node::text);
        let name = own.unwrap_or(called).to_owned();
        if own.is_none()
            && let Err(why) = name.parse::<AgentName>()
        {
            let message = format!("`{}` cannot be the name of a spec: {why}; say `name:`", shown(called));
            layer.wrong.push(LocatedMistake::new(Position::START, message));
        }
        self.agents.push((name, layer));
    }
}

/// Returns the layer of a Markdown file: its front matter, with its body as the system prompt.
fn front(text: &str, read: impl Fn(&str) -> Result<Layer, LocatedMistake>) -> Result<Layer, LocatedMistake> {
    let cut = front_matter::split(text)?;
    let mut layer = read(cut.front.unwrap_or_default())?;
    if cut.body.is_empty() {
        return Ok(layer);
    }
    if let Some((key, _)) = layer.table.iter().find(|(key, _)| key.text == "system_prompt") {
        layer.wrong.push(LocatedMistake::new(
            key.at,
            "`system_prompt` is already given by the text below the front matter",
        ));
        return Ok(layer);
    }
    // Stored as a table, so that a body of one word is not interpreted as a path.
    let key = |text: &str| KeyNode { at: cut.body_at, text: text.to_owned() };
    let body = Node { at: cut.body_at, value: NodeValue::Text(cut.body.to_owned()) };
    let prompt = Node { at: cut.body_at, value: NodeValue::Table(vec![(key("text"), body)]) };
    let entry = vec![(key("system_prompt"), prompt)];
    check_table(&keys(Scope::FrontMatter), &entry, None, &mut layer.wrong);
    layer.table.extend(entry);
    Ok(layer)
}

fn yaml_layer(front: &str) -> Result<Layer, LocatedMistake> {
    Ok(Layer::checked(yaml::parse(front, 2)?, Scope::FrontMatter))
}
