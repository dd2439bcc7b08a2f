//! Locates the conversation files of agent CLIs: the existing file, and the path that the CLI would read for another
//! directory. The content is never read.

use std::fs;
use std::path::{Path, PathBuf};

use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};

use crate::model::{ConversationFiles, is_pattern, matches};

/// Maximum length of the directory name that Claude Code derives from a path; a longer name gets a checksum.
const MAX_DIRECTORY_CHARS: usize = 200;

/// Returns the file of a conversation below the CLI's directory, regardless of where it was started. A symbolic link
/// is not followed to it.
pub fn find_conversation(files: &ConversationFiles, root: &Path, id: &str) -> Option<PathBuf> {
    if files.file.is_empty() || !is_id(id) {
        return None;
    }
    let filled = fill(&files.file, id, |_| Some("*".to_owned()))?;
    let mut found = vec![root.to_owned()];
    for step in filled.split('/') {
        found = found.into_iter().flat_map(|dir| named(&dir, step)).collect();
    }
    found.into_iter().find(|path| fs::symlink_metadata(path).is_ok_and(|meta| meta.is_file()))
}

/// Returns where the CLI would look for a conversation of this id in this directory, or `None` if that cannot be
/// determined.
pub fn import_conversation(
    files: &ConversationFiles,
    root: &Path,
    dir: &str,
    (id, now): (&str, Timestamp),
) -> Option<PathBuf> {
    if files.file.is_empty() || !is_id(id) {
        return None;
    }
    // The CLIs use the local time zone.
    let time: Zoned = now.to_zoned(TimeZone::system());
    let filled = fill(&files.file, id, |name| match name {
        "directory" => Some(dashed(dir)).filter(|name| name.len() <= MAX_DIRECTORY_CHARS),
        "year" => Some(time.strftime("%Y").to_string()),
        "month" => Some(time.strftime("%m").to_string()),
        "day" => Some(time.strftime("%d").to_string()),
        "stamp" => Some(time.strftime("%Y-%m-%dT%H-%M-%S").to_string()),
        _ => None,
    })?;
    Some(root.join(filled))
}

/// Converts a path to a single name like Claude Code, which counts UTF-16 units.
fn dashed(path: &str) -> String {
    path.encode_utf16()
        .map(|unit| char::from_u32(u32::from(unit)).filter(char::is_ascii_alphanumeric).unwrap_or('-'))
        .collect()
}

/// Fills in the placeholders of a template. Returns `None` if one of them has no value.
fn fill(template: &str, id: &str, value: impl Fn(&str) -> Option<String>) -> Option<String> {
    let (mut text, mut rest) = (String::new(), template);
    while let Some((before, behind)) = rest.split_once('{') {
        let (name, behind) = behind.split_once('}')?;
        text.push_str(before);
        text.push_str(&if name == "conversation" { id.to_owned() } else { value(name)? });
        rest = behind;
    }
    Some(text + rest)
}

fn named(dir: &Path, step: &str) -> Vec<PathBuf> {
    if !is_pattern(step) {
        return vec![dir.join(step)];
    }
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    entries
        .filter(|entry| matches(step, &entry.file_name().to_string_lossy()))
        .map(|entry| entry.path())
        .collect()
}

fn is_id(id: &str) -> bool {
    !id.is_empty() && id.len() <= 100 && id.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kinds::Kinds;

    fn files(kind: &str) -> ConversationFiles {
        Kinds::builtin().get(kind).unwrap().conversation_files.clone()
    }

    #[test]
    fn placed_conversation_file_is_found() {
        let dir = tempfile::tempdir().unwrap();
        for kind in ["claude", "codex", "demo"] {
            let files = files(kind);
            let at = (("id-1"), Timestamp::UNIX_EPOCH);
            let path = import_conversation(&files, dir.path(), "/home/u/.x/wörk", at).unwrap();
            assert_eq!(find_conversation(&files, dir.path(), "id-1"), None);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, "x").unwrap();
            assert_eq!(find_conversation(&files, dir.path(), "id-1"), Some(path), "{kind}");
        }
    }

    #[test]
    fn a_directory_is_one_name() {
        assert_eq!(dashed("/home/u/.symposium/a_b c"), "-home-u--symposium-a-b-c");
        assert_eq!(dashed("/ö😀"), "----");
        let long = format!("/{}", "x".repeat(200));
        assert_eq!(
            import_conversation(&files("claude"), Path::new("/r"), &long, ("i", Timestamp::UNIX_EPOCH)),
            None
        );
    }

    #[test]
    fn an_id_cannot_leave_its_directory() {
        for id in ["../x", "", "a/b", "a.b", "*", "ü"] {
            for kind in ["claude", "codex", "demo"] {
                assert_eq!(find_conversation(&files(kind), Path::new("/"), id), None);
                let at = (id, Timestamp::UNIX_EPOCH);
                assert_eq!(import_conversation(&files(kind), Path::new("/"), "/x", at), None);
            }
        }
    }

    #[test]
    fn kind_without_conversation_files_has_no_path() {
        assert_eq!(find_conversation(&files("opencode"), Path::new("/"), "id"), None);
    }
}
