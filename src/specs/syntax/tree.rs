//! What a file says before anybody asks what it means: values with their places, whether TOML or YAML said them.

use crate::specs::syntax::position::Place;

/// A value and where it stands.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::specs) struct Node {
    pub at: Place,
    pub value: Value,
}

/// What a file can say.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::specs) enum Value {
    /// A text in quotes.
    Text(String),
    /// A bare word of YAML: what it is depends on what is asked for, so that `restart: no` is a policy.
    Bare(String),
    /// A whole number.
    Int(i64),
    /// `true` or `false`.
    Flag(bool),
    /// A list.
    List(Vec<Node>),
    /// Keys and values, in the order of the file.
    Table(Table),
    /// Something no key takes; what to call it.
    Other(&'static str),
}

/// Keys and values, in the order of the file.
pub(in crate::specs) type Table = Vec<(KeyNode, Node)>;

/// A key and where it stands.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::specs) struct KeyNode {
    pub at: Place,
    pub text: String,
}

impl Node {
    /// What a person calls such a value.
    pub fn sort(&self) -> &'static str {
        match &self.value {
            Value::Text(_) => "a text",
            Value::Bare(text) if text.is_empty() => "nothing",
            Value::Bare(_) => "a text",
            Value::Int(_) => "a number",
            Value::Flag(_) => "`true` or `false`",
            Value::List(_) => "a list",
            Value::Table(_) => "a table",
            Value::Other(name) => name,
        }
    }

    /// The text, when it is one.
    pub fn text(&self) -> Option<&str> {
        match &self.value {
            Value::Text(text) | Value::Bare(text) => Some(text),
            _ => None,
        }
    }

    /// The number, when it is one.
    pub fn int(&self) -> Option<i64> {
        match &self.value {
            Value::Int(number) => Some(*number),
            Value::Bare(text) => text.parse().ok(),
            _ => None,
        }
    }

    /// The flag, when it is one.
    pub fn flag(&self) -> Option<bool> {
        match &self.value {
            Value::Flag(flag) => Some(*flag),
            Value::Bare(text) => text.parse().ok(),
            _ => None,
        }
    }

    /// The members, when it is a list.
    pub fn list(&self) -> Option<&[Node]> {
        match &self.value {
            Value::List(list) => Some(list),
            _ => None,
        }
    }

    /// The keys and values, when it is a table.
    pub fn table(&self) -> Option<&Table> {
        match &self.value {
            Value::Table(table) => Some(table),
            _ => None,
        }
    }

    /// The value of a key, when it is a table that has it.
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.table()?.iter().find(|(name, _)| name.text == key).map(|(_, node)| node)
    }
}
