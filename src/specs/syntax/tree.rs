//! Untyped syntax tree with source positions, shared by TOML and YAML.

use crate::base::source_text::Position;

/// A value with its position.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::specs) struct Node {
    pub at: Position,
    pub value: NodeValue,
}

/// The possible values of a file.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::specs) enum NodeValue {
    /// A quoted text.
    Text(String),
    /// An unquoted YAML scalar. Its type depends on the key, so that `restart: no` is a policy.
    Bare(String),
    /// A whole number.
    Int(i64),
    /// `true` or `false`.
    Flag(bool),
    /// A list of values.
    List(Vec<Node>),
    /// Keys and values, in the order of the file.
    Table(Table),
    /// A type that no key accepts, with its description.
    Other(&'static str),
}

/// Keys and values, in the order of the file.
pub(in crate::specs) type Table = Vec<(KeyNode, Node)>;

/// A key with its position.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::specs) struct KeyNode {
    pub at: Position,
    pub text: String,
}

impl Node {
    /// Returns the description of the value's type for error messages.
    pub fn sort(&self) -> &'static str {
        match &self.value {
            NodeValue::Text(_) => "a text",
            NodeValue::Bare(text) if text.is_empty() => "nothing",
            NodeValue::Bare(_) => "a text",
            NodeValue::Int(_) => "a number",
            NodeValue::Flag(_) => "`true` or `false`",
            NodeValue::List(_) => "a list",
            NodeValue::Table(_) => "a table",
            NodeValue::Other(name) => name,
        }
    }

    /// Returns the value if it is a text.
    pub fn text(&self) -> Option<&str> {
        match &self.value {
            NodeValue::Text(text) | NodeValue::Bare(text) => Some(text),
            _ => None,
        }
    }

    /// Returns the value if it is a number.
    pub fn int(&self) -> Option<i64> {
        match &self.value {
            NodeValue::Int(number) => Some(*number),
            NodeValue::Bare(text) => text.parse().ok(),
            _ => None,
        }
    }

    /// Returns the value if it is a boolean.
    pub fn flag(&self) -> Option<bool> {
        match &self.value {
            NodeValue::Flag(flag) => Some(*flag),
            NodeValue::Bare(text) => text.parse().ok(),
            _ => None,
        }
    }

    /// Returns the members if the value is a list.
    pub fn list(&self) -> Option<&[Node]> {
        match &self.value {
            NodeValue::List(list) => Some(list),
            _ => None,
        }
    }

    /// Returns the keys and values if the value is a table.
    pub fn table(&self) -> Option<&Table> {
        match &self.value {
            NodeValue::Table(table) => Some(table),
            _ => None,
        }
    }

    /// Returns the value of a key if this is a table that contains it.
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.table()?.iter().find(|(name, _)| name.text == key).map(|(_, node)| node)
    }
}
