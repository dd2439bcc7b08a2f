//! The README and the book: their commands are run, their examples are parsed, and their links are followed.

mod commands;
mod examples;
mod links;

use std::fs;
use std::path::{Path, PathBuf};

/// The root of the repository.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The text of a page, by its path from the root of the repository.
pub(crate) fn text_of(page: &str) -> String {
    fs::read_to_string(root().join(page)).unwrap_or_else(|error| panic!("{page}: {error}"))
}

/// The Markdown files of a directory, as sorted paths from the root of the repository.
fn markdown_in(directory: &str) -> Vec<String> {
    let entries = fs::read_dir(root().join(directory)).expect(directory);
    let paths = entries.map(|entry| entry.expect("a directory entry").path());
    let markdown = paths.filter(|path: &PathBuf| path.extension().is_some_and(|ending| ending == "md"));
    let mut pages: Vec<String> = markdown
        .filter_map(|path| path.file_name().map(|name| format!("{directory}/{}", name.to_string_lossy())))
        .collect();
    pages.sort();
    pages
}

/// A fenced code block of a page.
pub(crate) struct Block {
    /// The language after the opening fence, such as `sh` or `toml`.
    pub(crate) language: String,
    /// The lines between the fences.
    pub(crate) text: String,
}

/// All fenced code blocks of a page, in order.
pub(crate) fn blocks(page: &str) -> Vec<Block> {
    let text = text_of(page);
    let mut blocks = Vec::new();
    let mut open: Option<Block> = None;
    for line in text.lines() {
        match (line.trim_start().strip_prefix("```"), open.take()) {
            (Some(language), None) => {
                open = Some(Block { language: language.to_owned(), text: String::new() });
            }
            (Some(_), Some(block)) => blocks.push(block),
            (None, Some(mut block)) => {
                block.text.push_str(line);
                block.text.push('\n');
                open = Some(block);
            }
            (None, None) => {}
        }
    }
    assert!(open.is_none(), "{page}: a code block has no end");
    blocks
}

/// Returns the lines of all `sh` blocks of a page, which are run unchanged.
pub(crate) fn commands(page: &str) -> Vec<String> {
    let shell = blocks(page).into_iter().filter(|block| block.language == "sh");
    shell
        .flat_map(|block| block.text.lines().map(str::to_owned).collect::<Vec<_>>())
        .filter(|line| !line.is_empty())
        .collect()
}
