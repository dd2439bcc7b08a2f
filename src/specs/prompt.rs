//! The system prompt: a text, or a file that a spec names.
//!
//! `{ text = … }` is always a text and `{ file = … }` always a file. A plain text is interpreted as a file if it is
//! one word that begins with `./`, `../` or `/`, or ends in `.md`, `.mdx` or `.txt`; a missing file is reported and
//! never interpreted as a text. A project's file may be untrusted, and a prompt is sent to a model: it can only name
//! files of the project, after resolving symbolic links.

use std::path::{Path, PathBuf};

use super::source::SpecSource;
use super::syntax::tree::{Node, NodeValue};
use super::{syntax::file, validation::value_rules};
use crate::base::source_text::{LineIndex, LocatedMistake, Position};

/// Returns the text of a prompt in a spec file.
pub(super) fn text(node: &Node, source: &SpecSource) -> Result<String, LocatedMistake> {
    match path(node) {
        None => Ok(node.get("text").unwrap_or(node).text().unwrap_or_default().to_owned()),
        Some((place, path)) => {
            let path: PathBuf = source.path.parent().unwrap_or(Path::new("")).join(path);
            let refuse = |why: String| {
                LocatedMistake::new(place.at, format!("prompt file `{}` {why}", path.display()))
            };
            let real = path.canonicalize().map_err(|error| refuse(format!("cannot be read: {error}")))?;
            if let Some(project) = source.project()
                && !project.canonicalize().is_ok_and(|project| real.starts_with(project))
            {
                return Err(refuse(format!(
                    "leads out of the project; allowed: files below {}",
                    project.display()
                )));
            }
            let text = file::read(&real).map_err(|wrong| refuse(wrong.message))?;
            value_rules::text(&text).map_err(refuse)?;
            Ok(text.trim_end().to_owned())
        }
    }
}

/// The file in which a prompt is written, and the position at which it begins.
pub(super) struct PromptSource {
    pub path: PathBuf,
    text: String,
    from: Position,
}

impl PromptSource {
    /// Returns the position of `{{name}}` in the file, or the beginning of the prompt if it is written in another
    /// way.
    pub fn position_of(&self, name: &str) -> Position {
        let lines = LineIndex::of(&self.text);
        let is_named = |at: usize| {
            let behind = &self.text[at + 2..];
            behind.find("}}").is_some_and(|end| behind[..end].trim() == name)
        };
        let braces = self.text.match_indices("{{").map(|(at, _)| at).filter(|at| is_named(*at));
        braces.map(|at| lines.position(at)).find(|place| *place >= self.from).unwrap_or(self.from)
    }
}

/// Returns the file in which a prompt is written, or `None` if it cannot be read.
pub(super) fn prompt_source(node: &Node, source: &SpecSource) -> Option<PromptSource> {
    let (path, from) = match path(node) {
        Some((_, path)) => (source.path.parent().unwrap_or(Path::new("")).join(path), Position::START),
        None => (source.path.clone(), node.at),
    };
    let text = file::read(&path).ok()?;
    Some(PromptSource { path, text, from })
}

/// Returns the path that a prompt names, if any, with the node that contains it.
fn path(node: &Node) -> Option<(&Node, &str)> {
    match &node.value {
        NodeValue::Table(_) => node.get("file").and_then(|file| Some((file, file.text()?))),
        _ => node.text().filter(|text| is_prompt_path(text)).map(|text| (node, text)),
    }
}

fn is_prompt_path(text: &str) -> bool {
    let one_word = !text.contains(char::is_whitespace);
    let begins = ["./", "../", "/"].iter().any(|start| text.starts_with(start));
    one_word && (begins || [".md", ".mdx", ".txt"].iter().any(|end| text.ends_with(end)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn path_is_distinguished_from_text() {
        for (text, is_path) in [
            ("prompts/a.md", true),
            ("./prompt", true),
            ("../x/y", true),
            ("/etc/prompt", true),
            ("note.txt", true),
            ("You review code.", false),
            ("Read README.md", false),
            ("Be kind", false),
            ("/compact now", false),
            ("brief", false),
        ] {
            assert_eq!(is_prompt_path(text), is_path, "{text}");
        }
    }
}
