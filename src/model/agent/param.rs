//! Parameters that a spec declares, and their values.

use std::fmt;

use serde::{Deserialize, Serialize};

/// One parameter of a spec; a parameter without a default is required.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Param {
    /// Type of the parameter.
    #[serde(flatten)]
    pub sort: ParamSort,
    /// Value that is used if none is given.
    #[serde(default)]
    pub default: Option<ParamValue>,
    /// Purpose of the parameter.
    #[serde(default)]
    pub description: Option<String>,
}

/// Type of a parameter.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum ParamSort {
    /// Any text without NUL characters.
    String,
    /// A whole number.
    Int,
    /// `true` or `false`.
    Bool,
    /// One of a list of texts.
    Choice {
        /// Texts that are allowed.
        choices: Vec<String>,
    },
}

/// The value of a parameter.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum ParamValue {
    /// `true` or `false`.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A text, or the selected choice.
    Text(String),
}

/// Value of a parameter of one agent, given at spawn or taken from the default.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GivenParam {
    /// Name of the parameter.
    pub name: String,
    /// Value of the parameter.
    pub value: ParamValue,
}

/// Error for a text that is not a valid value of the parameter.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{given}` is not {wanted}")]
pub struct BadValue {
    /// Text that was given.
    pub given: String,
    /// Description of the allowed values.
    pub wanted: String,
}

impl ParamSort {
    /// Names of the types, as a spec file writes them.
    pub const WORDS: [&str; 4] = ["string", "int", "bool", "choice"];

    /// Parses a value from text.
    pub fn read(&self, text: &str) -> Result<ParamValue, BadValue> {
        let value = match self {
            ParamSort::String => (!text.contains('\0')).then(|| ParamValue::Text(text.to_owned())),
            ParamSort::Int => text.parse().ok().map(ParamValue::Int),
            ParamSort::Bool => text.parse().ok().map(ParamValue::Bool),
            ParamSort::Choice { choices } => {
                choices.iter().find(|choice| *choice == text).cloned().map(ParamValue::Text)
            }
        };
        value.ok_or_else(|| BadValue { given: text.escape_debug().to_string(), wanted: self.to_string() })
    }

    /// Returns whether a value has this type.
    pub fn allows(&self, value: &ParamValue) -> bool {
        match (self, value) {
            (ParamSort::String, ParamValue::Text(text)) => !text.contains('\0'),
            (ParamSort::Int, ParamValue::Int(_)) | (ParamSort::Bool, ParamValue::Bool(_)) => true,
            (ParamSort::Choice { choices }, ParamValue::Text(text)) => choices.contains(text),
            _ => false,
        }
    }
}

impl fmt::Display for ParamSort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ParamSort::String => f.write_str("a text"),
            ParamSort::Int => f.write_str("a whole number"),
            ParamSort::Bool => f.write_str("`true` or `false`"),
            ParamSort::Choice { choices } => write!(f, "one of {}", choices.join(", ")),
        }
    }
}

impl fmt::Display for ParamValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ParamValue::Bool(flag) => flag.fmt(f),
            ParamValue::Int(number) => number.fmt(f),
            ParamValue::Text(text) => f.pad(text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_of_the_wrong_type_is_refused_with_the_allowed_values() {
        let choice = ParamSort::Choice { choices: vec!["europe".into(), "asia".into()] };
        for (sort, text, expected) in [
            (&ParamSort::String, "a $(b)", Ok(ParamValue::Text("a $(b)".into()))),
            (&ParamSort::Int, "-3", Ok(ParamValue::Int(-3))),
            (&ParamSort::Int, "3.5", Err("`3.5` is not a whole number")),
            (&ParamSort::Bool, "true", Ok(ParamValue::Bool(true))),
            (&ParamSort::Bool, "yes", Err("`yes` is not `true` or `false`")),
            (&choice, "asia", Ok(ParamValue::Text("asia".into()))),
            (&choice, "Asia", Err("`Asia` is not one of europe, asia")),
            (&ParamSort::String, "a\0", Err("`a\\0` is not a text")),
        ] {
            let read = sort.read(text);
            assert!(read.as_ref().is_ok_and(|value| sort.allows(value)) || read.is_err());
            assert_eq!(read.map_err(|error| error.to_string()), expected.map_err(str::to_owned), "{text}");
        }
    }

    #[test]
    fn stored_request_is_read_back() {
        let sort = ParamSort::Choice { choices: vec!["1".into()] };
        let param = Param { sort, default: Some(ParamValue::Text("1".into())), description: None };
        let text = serde_json::to_string(&param).unwrap();
        assert_eq!(text, r#"{"type":"choice","choices":["1"],"default":"1","description":null}"#);
        assert_eq!(serde_json::from_str::<Param>(&text).unwrap(), param);
    }
}
