//! A conversation file: `<dir>/<id>.jsonl`, with one entry per line, readable by its owner only.
//!
//! As with real agent CLIs, the file exists from the first prompt on. A truncated line is skipped.

use std::fs::{DirBuilder, File, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::args::DemoArgs;

/// The location of conversation files, and the working directory to look for.
#[derive(Debug, Clone, Copy)]
pub(super) struct ConversationLocation<'a> {
    /// The directory of the conversation files.
    pub dir: &'a Path,
    /// The working directory of the agent.
    pub cwd: &'a str,
}

/// An open conversation.
#[derive(Debug)]
pub(super) struct DemoConversation {
    pub id: String,
    /// The path of its file.
    pub path: PathBuf,
    /// The entries that the file had when it was opened.
    pub entries: Vec<ConversationEntry>,
    cwd: String,
}

/// One line of the file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub(super) enum ConversationEntry {
    /// The beginning of a conversation.
    Start {
        /// The working directory of the agent.
        cwd: String,
    },
    /// A prompt of the user.
    User {
        /// The text of the prompt.
        text: String,
    },
    /// An answer of the agent.
    Assistant {
        /// The text of the answer.
        text: String,
    },
}

/// Why a conversation cannot be opened. The messages are those of Claude Code.
#[derive(Debug, thiserror::Error)]
pub(super) enum OpenConversationError {
    /// No conversation has this id.
    #[error("No conversation found with session ID: {0}")]
    NoSuch(String),
    /// No conversation exists for this directory.
    #[error("No conversation found to continue")]
    Nothing,
    /// A conversation with this id already exists.
    #[error("Error: Session ID {0} is already in use.")]
    InUse(String),
    /// An id was given for a conversation that exists.
    #[error("Error: --session-id can only be used with --resume if --fork-session is also specified.")]
    NotForked,
    /// The id is not valid as a file name.
    #[error("Error: Invalid session ID. Only letters, digits, `-` and `_` can be in it.")]
    BadId,
    /// A file operation failed.
    #[error("Error: cannot open the conversation: {0}")]
    Disk(#[from] io::Error),
}

impl DemoConversation {
    /// Opens the conversation that the arguments select.
    pub(super) fn open(
        args: &DemoArgs,
        location: ConversationLocation,
    ) -> Result<DemoConversation, OpenConversationError> {
        if let Some(id) = &args.resume {
            let found = DemoConversation::read(id, location)?;
            let found = found.ok_or_else(|| OpenConversationError::NoSuch(id.clone()))?;
            return match (args.fork_session, &args.session_id) {
                (false, None) => Ok(found),
                (false, Some(_)) => Err(OpenConversationError::NotForked),
                (true, _) => {
                    let copy = DemoConversation::open_new(args, location)?;
                    Ok(DemoConversation { entries: found.entries, ..copy })
                }
            };
        }
        if args.continue_last {
            return DemoConversation::last(location)?.ok_or(OpenConversationError::Nothing);
        }
        DemoConversation::open_new(args, location)
    }

    fn open_new(
        args: &DemoArgs,
        location: ConversationLocation,
    ) -> Result<DemoConversation, OpenConversationError> {
        let id = args.session_id.clone().unwrap_or_else(|| uuid::Uuid::new_v4().to_string());
        match DemoConversation::read(&id, location)? {
            Some(_) => Err(OpenConversationError::InUse(id)),
            None => Ok(DemoConversation::with_id(&id, location)),
        }
    }

    /// Appends an entry to the file.
    pub(super) fn append(&mut self, entry: ConversationEntry) -> io::Result<()> {
        if !self.path.exists() {
            if let Some(dir) = self.path.parent() {
                DirBuilder::new().recursive(true).mode(0o700).create(dir)?;
                // The umask may have removed even the owner's permissions.
                std::fs::set_permissions(dir, Permissions::from_mode(0o700))?;
            }
            self.write(&ConversationEntry::Start { cwd: self.cwd.clone() })?;
            // A copy begins with the entries of the other conversation.
            let is_text = |entry: &&ConversationEntry| !matches!(entry, ConversationEntry::Start { .. });
            self.entries.iter().filter(is_text).try_for_each(|entry| self.write(entry))?;
        }
        self.write(&entry)
    }

    fn with_id(id: &str, location: ConversationLocation) -> DemoConversation {
        let path = location.dir.join(format!("{id}.jsonl"));
        DemoConversation { id: id.to_owned(), path, entries: Vec::new(), cwd: location.cwd.to_owned() }
    }

    fn read(
        id: &str,
        location: ConversationLocation,
    ) -> Result<Option<DemoConversation>, OpenConversationError> {
        if id.is_empty()
            || id.len() > 100
            || !id.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b))
        {
            return Err(OpenConversationError::BadId);
        }
        let mut conversation = DemoConversation::with_id(id, location);
        let text = match std::fs::read(&conversation.path) {
            Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        conversation.entries = text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        Ok(Some(conversation))
    }

    fn last(location: ConversationLocation) -> Result<Option<DemoConversation>, OpenConversationError> {
        let files = match std::fs::read_dir(location.dir) {
            Ok(files) => files,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let mut found: Vec<_> = files
            .flatten()
            .filter_map(|file| Some((file.metadata().ok()?.modified().ok()?, file.path())))
            .filter(|(_, path)| path.extension().is_some_and(|end| end == "jsonl"))
            .collect();
        found.sort();
        let here = ConversationEntry::Start { cwd: location.cwd.to_owned() };
        for (_, path) in found.into_iter().rev() {
            let Some(id) = path.file_stem().and_then(|stem| stem.to_str()) else { continue };
            if let Ok(Some(conversation)) = DemoConversation::read(id, location)
                && conversation.entries.first() == Some(&here)
            {
                return Ok(Some(conversation));
            }
        }
        Ok(None)
    }

    fn write(&self, entry: &ConversationEntry) -> io::Result<()> {
        let mut file =
            OpenOptions::new().append(true).create(true).read(true).mode(0o600).open(&self.path)?;
        file.set_permissions(Permissions::from_mode(0o600))?;
        let mut line = serde_json::to_string(entry)?;
        line.push('\n');
        if ends_mid_line(&file)? {
            line.insert(0, '\n');
        }
        file.write_all(line.as_bytes())
    }
}

/// Checks whether the last line is incomplete because its writer died.
fn ends_mid_line(file: &File) -> io::Result<bool> {
    use std::os::unix::fs::FileExt;
    let length = file.metadata()?.len();
    let mut last = [b'\n'];
    if length > 0 {
        file.read_exact_at(&mut last, length - 1)?;
    }
    Ok(last != *b"\n")
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn user(text: &str) -> ConversationEntry {
        ConversationEntry::User { text: text.to_owned() }
    }

    fn new(id: &str) -> DemoArgs {
        DemoArgs { session_id: Some(id.to_owned()), ..DemoArgs::default() }
    }

    fn resume(id: &str) -> DemoArgs {
        DemoArgs { resume: Some(id.to_owned()), ..DemoArgs::default() }
    }

    #[test]
    fn conversation_file_exists_from_the_first_prompt() {
        let dir = tempfile::tempdir().unwrap();
        let location = ConversationLocation { dir: &dir.path().join("conversations"), cwd: "/a" };
        let mut conversation = DemoConversation::open(&new("one"), location).unwrap();
        assert!(matches!(
            DemoConversation::open(&resume("one"), location),
            Err(OpenConversationError::NoSuch(_))
        ));
        conversation.append(user("hi\nyou")).unwrap();
        let mode = std::fs::metadata(&conversation.path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        assert!(matches!(
            DemoConversation::open(&new("one"), location),
            Err(OpenConversationError::InUse(_))
        ));
        let again = DemoConversation::open(&resume("one"), location).unwrap();
        assert_eq!(again.entries, [ConversationEntry::Start { cwd: "/a".into() }, user("hi\nyou")]);
    }

    #[test]
    fn copy_keeps_the_entries_and_leaves_the_original_alone() {
        let dir = tempfile::tempdir().unwrap();
        let (a, b) = (
            ConversationLocation { dir: dir.path(), cwd: "/a" },
            ConversationLocation { dir: dir.path(), cwd: "/b" },
        );
        DemoConversation::open(&new("one"), a).unwrap().append(user("hi")).unwrap();
        let fork = DemoArgs { fork_session: true, session_id: Some("two".into()), ..resume("one") };
        let mut copy = DemoConversation::open(&fork, b).unwrap();
        assert!(!copy.path.exists());
        copy.append(user("other")).unwrap();
        let start = |cwd: &str| ConversationEntry::Start { cwd: cwd.into() };
        let entries = |id: &str| DemoConversation::open(&resume(id), b).unwrap().entries;
        assert_eq!(entries("two"), [start("/b"), user("hi"), user("other")]);
        assert_eq!(entries("one"), [start("/a"), user("hi")]);
        let no_fork = DemoArgs { session_id: Some("three".into()), ..resume("one") };
        assert!(matches!(DemoConversation::open(&no_fork, a), Err(OpenConversationError::NotForked)));
    }

    #[test]
    fn truncated_line_loses_only_itself() {
        let dir = tempfile::tempdir().unwrap();
        let location = ConversationLocation { dir: dir.path(), cwd: "/a" };
        let mut conversation = DemoConversation::open(&new("one"), location).unwrap();
        conversation.append(user("first")).unwrap();
        OpenOptions::new()
            .append(true)
            .open(&conversation.path)
            .unwrap()
            .write_all(b"{\"type\":\"us")
            .unwrap();
        conversation.append(user("third")).unwrap();
        let again = DemoConversation::open(&resume("one"), location).unwrap();
        assert_eq!(again.entries[1..], [user("first"), user("third")]);
    }

    #[test]
    fn latest_conversation_is_that_of_the_directory() {
        let dir = tempfile::tempdir().unwrap();
        let last = DemoArgs { continue_last: true, ..DemoArgs::default() };
        let (a, b) = (
            ConversationLocation { dir: dir.path(), cwd: "/a" },
            ConversationLocation { dir: dir.path(), cwd: "/b" },
        );
        assert!(matches!(DemoConversation::open(&last, a), Err(OpenConversationError::Nothing)));
        for (id, location) in [("one", a), ("two", b)] {
            DemoConversation::open(&new(id), location).unwrap().append(user(id)).unwrap();
        }
        assert_eq!(DemoConversation::open(&last, a).unwrap().id, "one");
        assert_eq!(DemoConversation::open(&last, b).unwrap().id, "two");
    }

    #[test]
    fn an_id_cannot_leave_its_directory() {
        let dir = tempfile::tempdir().unwrap();
        for id in ["../x", "", "a/b", "a.b", "ü"] {
            let location = ConversationLocation { dir: dir.path(), cwd: "/a" };
            assert!(
                matches!(DemoConversation::open(&resume(id), location), Err(OpenConversationError::BadId)),
                "{id}"
            );
        }
    }
}
