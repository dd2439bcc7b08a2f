//! Finds the spec files, in the order in which a name is looked up.
//!
//! The order is: the project's `.symposium/` (the nearest one, walking up), the project's `.claude/agents/`, then the
//! environment. A file that the user named replaces all of them.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::source::SpecSource;
use super::{SpecError, syntax::file};
use crate::model::FoundIn;

/// Location at which specs are searched.
#[derive(Debug, Clone, Copy)]
pub struct SpecSearch<'a> {
    /// The absolute path of the agent's working directory.
    pub dir: &'a Path,
    /// The absolute path of the environment's state directory.
    pub home: &'a Path,
    /// The absolute path from `--config` or `SYMPOSIUM_AGENTS_CONFIG`, which replaces all other files.
    pub config: Option<&'a Path>,
}

/// Returns all files that apply, and remarks about ignored ones.
pub(super) fn sources(search: &SpecSearch) -> Result<(Vec<SpecSource>, Vec<String>), SpecError> {
    if let Some(config) = search.config {
        fs::metadata(config).map_err(|source| SpecError::Unreadable { path: config.to_owned(), source })?;
        return Ok((vec![SpecSource::agents_toml(config, FoundIn::Given(shown(config)))], vec![]));
    }
    let (mut sources, mut remarks) = (Vec::new(), Vec::new());
    let is_project = |root: &Path| is_there(&root.join("agents.toml")) || root.join("specs").is_dir();
    if let Some(root) = nearest(search, ".symposium", &is_project, &mut remarks) {
        root_sources(&root, FoundIn::Project, &mut sources);
    }
    if let Some(root) = nearest(search, ".claude", &|root| root.join("agents").is_dir(), &mut remarks) {
        for path in file::entries(&root.join("agents")) {
            let found_in = FoundIn::Project(shown(&path));
            if let Some(stem) = stem(&path, &["md"]) {
                sources.extend(SpecSource::claude(&path, &stem, found_in));
            }
        }
    }
    root_sources(search.home, FoundIn::Home, &mut sources);
    Ok((sources, remarks))
}

/// Reads the path that a user named: a folder with `agent.md`, such a file, or an `agents.toml`.
pub(super) fn named(path: &Path) -> Result<SpecSource, SpecError> {
    let meta =
        fs::metadata(path).map_err(|source| SpecError::Unreadable { path: path.to_owned(), source })?;
    let refused = |why: &str| SpecError::NotASpec { path: path.to_owned(), why: why.to_owned() };
    let found_in = || FoundIn::Given(shown(path));
    if meta.is_dir() {
        return folder(path, FoundIn::Given)
            .ok_or_else(|| refused("it holds no `agent.md` and no `agent.mdx`"));
    }
    if path.extension().is_some_and(|extension| extension == "toml") {
        return Ok(SpecSource::agents_toml(path, found_in()));
    }
    let stem = stem(path, &["md", "mdx"])
        .ok_or_else(|| refused("a spec is an `agents.toml`, or Markdown: `.md`, `.mdx`"))?;
    if path.parent().is_some_and(|folder| folder.ends_with(".claude/agents")) {
        return SpecSource::claude(path, &stem, found_in()).ok_or_else(|| refused("it has no front matter"));
    }
    let folder = path.parent().and_then(folder_name).filter(|_| stem == "agent");
    Ok(SpecSource::markdown(path, &folder.unwrap_or(stem), found_in()))
}

fn root_sources(root: &Path, found_in: fn(String) -> FoundIn, sources: &mut Vec<SpecSource>) {
    let path = root.join("agents.toml");
    if is_there(&path) {
        sources.push(SpecSource::agents_toml(&path, found_in(shown(&path))));
    }
    sources.extend(file::entries(&root.join("specs")).iter().filter_map(|path| folder(path, found_in)));
}

/// Reads the spec of a folder with `agent.md` or `agent.mdx`.
fn folder(path: &Path, found_in: fn(String) -> FoundIn) -> Option<SpecSource> {
    let files: Vec<PathBuf> =
        ["agent.md", "agent.mdx"].iter().map(|name| path.join(name)).filter(|path| is_there(path)).collect();
    let file = files.first()?;
    let mut source = SpecSource::markdown(file, &folder_name(path)?, found_in(shown(file)));
    if files.len() > 1 {
        source.refuse("exists beside `agent.mdx`; only one of them can be the spec");
    }
    Some(source)
}

/// Returns the nearest directory of this name, walking up, that contains specs and was not created by another user.
fn nearest(
    search: &SpecSearch,
    name: &str,
    holds_specs: &dyn Fn(&Path) -> bool,
    remarks: &mut Vec<String>,
) -> Option<PathBuf> {
    for above in search.dir.ancestors() {
        let root = above.join(name);
        if is_same(&root, search.home) {
            return None;
        }
        if !holds_specs(&root) {
            continue;
        }
        if !is_foreign(above, &root) {
            return Some(root);
        }
        remarks.push(format!("`{}` is ignored: every user can create files there", shown(&root)));
    }
    None
}

/// Checks whether a directory is in a place where every user can create one, such as `/tmp`, and belongs to another
/// user.
fn is_foreign(above: &Path, root: &Path) -> bool {
    let (Ok(above), Ok(root)) = (fs::metadata(above), fs::symlink_metadata(root)) else { return true };
    let anybody_writes = above.mode() & 0o002 != 0;
    anybody_writes && root.uid() != rustix::process::getuid().as_raw()
}

fn is_same(a: &Path, b: &Path) -> bool {
    match (fs::metadata(a), fs::metadata(b)) {
        (Ok(a), Ok(b)) => (a.dev(), a.ino()) == (b.dev(), b.ino()),
        _ => false,
    }
}

/// Checks whether a path exists. A broken symbolic link counts, so that it is reported.
fn is_there(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok()
}

fn folder_name(folder: &Path) -> Option<String> {
    folder.file_name().map(|name| name.to_string_lossy().into_owned())
}

fn stem(path: &Path, extensions: &[&str]) -> Option<String> {
    let extension = path.extension()?.to_str()?;
    extensions
        .contains(&extension)
        .then(|| path.file_stem().map(|stem| stem.to_string_lossy().into_owned()))?
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}
