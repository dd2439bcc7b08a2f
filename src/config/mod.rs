//! The configuration adapter: reads the user's `config.toml`. A missing file counts as an empty one.
//!
//! All errors are reported together, each with its position. The file belongs to the user, so it must never be
//! written here.
//!
//! - `keys`: the keys with their sections, names and setters
//! - `values`: parses values
//! - `notice_channels`: parses `[notify.ntfy]` and `[notify.webhook]`
//! - `mistakes`: errors with their positions

mod keys;
mod mistakes;
mod notice_channels;
#[cfg(test)]
mod tests;
mod values;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::base::source_text::LocatedMistake;
use crate::model::Config;
use mistakes::Mistakes;

/// Why the configuration cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file exists and cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Unreadable {
        /// The path of the file.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// The content of the file is invalid.
    #[error("{}", mistakes::list(path, mistakes))]
    Mistakes {
        /// The path of the file.
        path: PathBuf,
        /// All errors, in the order of the file.
        mistakes: Vec<LocatedMistake>,
    },
}

/// Reads the configuration from a file and uses defaults for all other keys.
pub fn load(path: &Path) -> Result<Config, ConfigError> {
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Config::default()),
        Err(source) => return Err(ConfigError::Unreadable { path: path.to_owned(), source }),
    };
    read(&text).map_err(|mistakes| ConfigError::Mistakes { path: path.to_owned(), mistakes })
}

/// Parses the file of a project with `checks` in a section `[finish]`. Its other keys have no effect.
pub fn checks(text: &str, path: &Path) -> Result<Vec<String>, ConfigError> {
    let config = read(text).map_err(|mistakes| ConfigError::Mistakes { path: path.to_owned(), mistakes })?;
    Ok(config.finish.checks)
}

/// Parses a configuration text, or returns all of its errors.
fn read(text: &str) -> Result<Config, Vec<LocatedMistake>> {
    let mut mistakes = Mistakes::default();
    let (table, errors) = DeTable::parse_recoverable(text);
    mistakes.extend(errors.into_iter().map(LocatedMistake::from));
    let mut config = Config::default();
    for (key, value) in table.get_ref() {
        match value.get_ref() {
            DeValue::Table(inside) if keys::is_section(key.get_ref()) => {
                for (inner, value) in inside {
                    set(&mut config, (key.get_ref(), inner, value), &mut mistakes);
                }
            }
            _ if keys::is_section(key.get_ref()) => {
                let message = format!("`{0}` is a section, written `[{0}]`", key.get_ref());
                mistakes.add(key.span().start, message);
            }
            _ => set(&mut config, ("", key, value), &mut mistakes),
        }
    }
    if mistakes.is_empty() && config.restart.first_delay > config.restart.max_delay {
        let at = place(table.get_ref(), "restart", "first")
            .or_else(|| place(table.get_ref(), "restart", "longest"));
        mistakes.add(at.unwrap_or_default(), "in `[restart]`, `first` is longer than `longest`");
    }
    mistakes.into_result(config, text)
}

type ConfigEntry<'a, 't> = (&'a str, &'a Spanned<std::borrow::Cow<'t, str>>, &'a Spanned<DeValue<'t>>);

fn set(config: &mut Config, (section, key, value): ConfigEntry<'_, '_>, mistakes: &mut Mistakes) {
    match keys::setter(section, key.get_ref()) {
        Some(setter) => mistakes.extend(setter(config, value).err().into_iter().flatten()),
        None => mistakes.add(key.span().start, keys::unknown(section, key.get_ref())),
    }
}

/// Returns the position at which the value of a key begins.
fn place(table: &DeTable<'_>, section: &str, key: &str) -> Option<usize> {
    Some(table.get(section)?.get_ref().as_table()?.get(key)?.span().start)
}
