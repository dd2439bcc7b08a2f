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
pub(super) struct Place<'a> {
    /// The directory of the conversation files.
    pub dir: &'a Path,
    /// The working directory of the agent.
    pub cwd: &'a str,
}

/// An open conversation.
#[derive(Debug)]
pub(super) struct Conversation {
    pub id: String,
    /// The path of its file.
    pub path: PathBuf,
    /// The entries that the file had when it was opened.
    pub entries: Vec<Entry>,
    cwd: String,
}

/// One line of the file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub(super) enum Entry {
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
pub(super) enum Refused {
    /// No conversation has this id.
    #[error("No conversation found with session ID: {0}")]
    NoSuch(String),
    /// No conversation exists for this directory.
    #[error("No conversation found to continue")]
    Nothing,
    /// A conversation with this id already exists.
    #[error("Error: Session ID {0} is already in use.")]
    InUse(String),
    /// The id is not valid as a file name.
    #[error("Error: Invalid session ID. Only letters, digits, `-` and `_` can be in it.")]
    BadId,
    /// A file operation failed.
    #[error("Error: cannot open the conversation: {0}")]
    Disk(#[from] io::Error),
}

impl Conversation {
    /// Opens the conversation that the arguments select.
    pub(super) fn open(args: &DemoArgs, place: Place) -> Result<Conversation, Refused> {
        if let Some(id) = &args.resume {
            return Conversation::read(id, place)
                .and_then(|found| found.ok_or_else(|| Refused::NoSuch(id.clone())));
        }
        if args.continue_last {
            return Conversation::last(place)?.ok_or(Refused::Nothing);
        }
        let id = args.session_id.clone().unwrap_or_else(|| uuid::Uuid::new_v4().to_string());
        match Conversation::read(&id, place)? {
            Some(_) => Err(Refused::InUse(id)),
            None => Ok(Conversation::named(&id, place)),
        }
    }

    /// Appends an entry to the file.
    pub(super) fn append(&mut self, entry: Entry) -> io::Result<()> {
        if !self.path.exists() {
            if let Some(dir) = self.path.parent() {
                DirBuilder::new().recursive(true).mode(0o700).create(dir)?;
                // The umask may have removed even the owner's permissions.
                std::fs::set_permissions(dir, Permissions::from_mode(0o700))?;
            }
            self.write(&Entry::Start { cwd: self.cwd.clone() })?;
        }
        self.write(&entry)
    }

    fn named(id: &str, place: Place) -> Conversation {
        let path = place.dir.join(format!("{id}.jsonl"));
        Conversation { id: id.to_owned(), path, entries: Vec::new(), cwd: place.cwd.to_owned() }
    }

    fn read(id: &str, place: Place) -> Result<Option<Conversation>, Refused> {
        if id.is_empty()
            || id.len() > 100
            || !id.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b))
        {
            return Err(Refused::BadId);
        }
        let mut conversation = Conversation::named(id, place);
        let text = match std::fs::read(&conversation.path) {
            Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        conversation.entries = text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        Ok(Some(conversation))
    }

    fn last(place: Place) -> Result<Option<Conversation>, Refused> {
        let files = match std::fs::read_dir(place.dir) {
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
        let here = Entry::Start { cwd: place.cwd.to_owned() };
        for (_, path) in found.into_iter().rev() {
            let Some(id) = path.file_stem().and_then(|stem| stem.to_str()) else { continue };
            if let Ok(Some(conversation)) = Conversation::read(id, place)
                && conversation.entries.first() == Some(&here)
            {
                return Ok(Some(conversation));
            }
        }
        Ok(None)
    }

    fn write(&self, entry: &Entry) -> io::Result<()> {
        let mut file =
            OpenOptions::new().append(true).create(true).read(true).mode(0o600).open(&self.path)?;
        file.set_permissions(Permissions::from_mode(0o600))?;
        let mut line = serde_json::to_string(entry)?;
        line.push('\n');
        if was_cut(&file)? {
            line.insert(0, '\n');
        }
        file.write_all(line.as_bytes())
    }
}

/// Checks whether the last line is incomplete because its writer died.
fn was_cut(file: &File) -> io::Result<bool> {
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

    fn user(text: &str) -> Entry {
        Entry::User { text: text.to_owned() }
    }

    fn new(id: &str) -> DemoArgs {
        DemoArgs { session_id: Some(id.to_owned()), ..DemoArgs::default() }
    }

    fn resume(id: &str) -> DemoArgs {
        DemoArgs { resume: Some(id.to_owned()), ..DemoArgs::default() }
    }

    #[test]
    fn a_conversation_is_there_from_its_first_prompt_on() {
        let dir = tempfile::tempdir().unwrap();
        let place = Place { dir: &dir.path().join("conversations"), cwd: "/a" };
        let mut one = Conversation::open(&new("one"), place).unwrap();
        assert!(matches!(Conversation::open(&resume("one"), place), Err(Refused::NoSuch(_))));
        one.append(user("hi\nyou")).unwrap();
        let mode = std::fs::metadata(&one.path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        assert!(matches!(Conversation::open(&new("one"), place), Err(Refused::InUse(_))));
        let again = Conversation::open(&resume("one"), place).unwrap();
        assert_eq!(again.entries, [Entry::Start { cwd: "/a".into() }, user("hi\nyou")]);
    }

    #[test]
    fn a_line_that_was_cut_costs_only_itself() {
        let dir = tempfile::tempdir().unwrap();
        let place = Place { dir: dir.path(), cwd: "/a" };
        let mut one = Conversation::open(&new("one"), place).unwrap();
        one.append(user("first")).unwrap();
        OpenOptions::new().append(true).open(&one.path).unwrap().write_all(b"{\"type\":\"us").unwrap();
        one.append(user("third")).unwrap();
        let again = Conversation::open(&resume("one"), place).unwrap();
        assert_eq!(again.entries[1..], [user("first"), user("third")]);
    }

    #[test]
    fn the_last_one_is_that_of_the_directory() {
        let dir = tempfile::tempdir().unwrap();
        let last = DemoArgs { continue_last: true, ..DemoArgs::default() };
        let (a, b) = (Place { dir: dir.path(), cwd: "/a" }, Place { dir: dir.path(), cwd: "/b" });
        assert!(matches!(Conversation::open(&last, a), Err(Refused::Nothing)));
        for (id, place) in [("one", a), ("two", b)] {
            Conversation::open(&new(id), place).unwrap().append(user(id)).unwrap();
        }
        assert_eq!(Conversation::open(&last, a).unwrap().id, "one");
        assert_eq!(Conversation::open(&last, b).unwrap().id, "two");
    }

    #[test]
    fn an_id_cannot_leave_its_directory() {
        let dir = tempfile::tempdir().unwrap();
        for id in ["../x", "", "a/b", "a.b", "ü"] {
            let place = Place { dir: dir.path(), cwd: "/a" };
            assert!(matches!(Conversation::open(&resume(id), place), Err(Refused::BadId)), "{id}");
        }
    }
}
