//! `board get`, `list`, `set`, `append` and `rm`: notes that the agents of a project share, each with its last author
//! and time. All worktrees of a repository share one board.

use std::fs;
use std::io::Read;
use std::path::Path;

use crate::base::sanitize::shell_word;
use crate::base::suggest::nearest;
use crate::error::{Code, Error, shown};
use crate::manager::messages::Messages;
use crate::manager::registry::RegistryWriter;

pub use crate::ledger::NoteWrite;
use crate::manager::messages::mail::signature;
use crate::model::{AgentName, BoardEntry};

/// The longest note, in bytes. Longer texts belong in a file that the note refers to.
pub const MAX_NOTE_BYTES: u64 = 1024 * 1024;
/// The longest key, in bytes: it fits into a line of an error message.
const MAX_KEY_CHARS: usize = 200;

impl Messages<'_> {
    /// Returns a note with its text.
    pub fn board_get(&self, project: Option<&Path>, key: &str) -> Result<BoardEntry, Error> {
        check_key(key)?;
        let project = self.board_of(project, None)?;
        let note = RegistryWriter(self.0).with_existing_ledger(|ledger| ledger.board_get(&project, key))?;
        match note {
            Some(note) => Ok(note),
            None => Err(self.no_such_note(&project, key)),
        }
    }

    /// Returns the notes of a project by name, without their texts.
    pub fn board_list(&self, project: Option<&Path>) -> Result<Vec<BoardEntry>, Error> {
        let project = self.board_of(project, None)?;
        RegistryWriter(self.0).with_existing_ledger(|ledger| ledger.board_list(&project))
    }

    /// Sets or appends to a note and returns the result.
    pub fn board_write(
        &self,
        project: Option<&Path>,
        key: &str,
        (value, writing): (&str, NoteWrite),
        by: Option<&AgentName>,
    ) -> Result<BoardEntry, Error> {
        check_key(key)?;
        let project = self.board_of(project, by)?;
        let author = signature(self.sender(by)?.as_ref())?;
        let written = RegistryWriter(self.0).with_ledger(|ledger| {
            let note = (value, writing);
            ledger.board_write((&project, key), note, (&author, self.0.now()), MAX_NOTE_BYTES)
        })?;
        written.map_err(|size| too_long(key, size))?;
        let note = RegistryWriter(self.0).with_ledger(|ledger| ledger.board_get(&project, key))?;
        note.ok_or_else(|| self.no_such_note(&project, key))
    }

    /// Deletes a note. Returns whether it existed.
    pub fn board_remove(&self, project: Option<&Path>, key: &str) -> Result<bool, Error> {
        check_key(key)?;
        let project = self.board_of(project, None)?;
        if RegistryWriter(self.0).with_existing_ledger(|ledger| ledger.board_get(&project, key))?.is_none() {
            return Ok(false);
        }
        RegistryWriter(self.0).with_ledger(|ledger| ledger.board_remove(&project, key))
    }

    /// Reads the text of a note from a file.
    pub fn note_from_file(&self, key: &str, file: &Path) -> Result<String, Error> {
        let path = self.0.env.cwd().map_or_else(|| file.to_owned(), |cwd| cwd.join(file));
        let failed = || Error::io(format!("cannot read `{}`", path.display()));
        let size = fs::metadata(&path).map_err(failed())?.len();
        if size > MAX_NOTE_BYTES {
            return Err(too_long(key, size));
        }
        let mut text = String::new();
        // A pipe has no known size, so one byte more than the limit is read to detect a text that is too long.
        let mut file = fs::File::open(&path).map_err(failed())?.take(MAX_NOTE_BYTES + 1);
        file.read_to_string(&mut text).map_err(failed())?;
        Ok(text)
    }

    /// Writes the text of a note to a file.
    pub fn note_to_file(&self, note: &BoardEntry, file: &Path) -> Result<(), Error> {
        let path = self.0.env.cwd().map_or_else(|| file.to_owned(), |cwd| cwd.join(file));
        let value = note.value.as_deref().unwrap_or_default();
        fs::write(&path, value).map_err(Error::io(format!("cannot write `{}`", path.display())))
    }

    /// Returns the project of the board: the given one, else the calling agent's, else that of the current directory.
    fn board_of(&self, project: Option<&Path>, by: Option<&AgentName>) -> Result<String, Error> {
        if let Some(named) = project {
            let dir = self.0.working_directory(Some(named)).map_err(|error| match error.code() {
                Code::BadDirectory => {
                    Error::usage(format!("`{}` is not a project directory", shown(&named.to_string_lossy())))
                        .saw(error.to_string())
                        .hint("choose a directory with `--project`")
                }
                _ => error,
            })?;
            return Ok(self.project_at(&dir));
        }
        match self.sender(by)? {
            Some(record) => Ok(self.project_of(&record)),
            None => Ok(self.project_at(&self.0.working_directory(None)?)),
        }
    }

    fn no_such_note(&self, project: &str, key: &str) -> Error {
        let known = RegistryWriter(self.0)
            .with_existing_ledger(|ledger| ledger.board_list(project))
            .unwrap_or_default();
        let keys: Vec<String> = known.into_iter().map(|note| note.key).collect();
        unknown_note(key, project, &keys)
    }
}

fn too_long(key: &str, size: u64) -> Error {
    Error::new(
        Code::NoteTooLong,
        format!("note `{}` would have {size} bytes, at most {MAX_NOTE_BYTES} are allowed", shown(key)),
    )
    .saw("nothing was changed")
    .hint("put the text into a file, and write the path of the file on the board")
}

fn check_key(key: &str) -> Result<(), Error> {
    let why = match key.len() {
        0 => "it is empty".to_owned(),
        1..=MAX_KEY_CHARS if key.chars().any(char::is_control) => "it holds a control character".to_owned(),
        1..=MAX_KEY_CHARS => return Ok(()),
        length => format!("it has {length} bytes, at most {MAX_KEY_CHARS} are allowed"),
    };
    Err(Error::new(Code::BadNoteKey, format!("`{}` cannot be the name of a note: {why}", shown(key)))
        .hint("a key is any line of at most 200 bytes, such as `plan` or `auth/next`"))
}

fn unknown_note(key: &str, project: &str, known: &[String]) -> Error {
    let error = Error::new(Code::NoSuchNote, format!("the board has no note `{}`", shown(key)))
        .saw(format!("the board of {}", shown(project)));
    match (nearest(key, known.iter().map(String::as_str)), known.is_empty()) {
        (Some(near), _) => error.hint(format!("did you mean `symposium board get {}`?", shell_word(near))),
        (None, true) => error.saw("it is empty").hint(format!(
            "`symposium board set {} TEXT` writes one; `--project DIR` names another board",
            shell_word(shown(key))
        )),
        (None, false) => error.hint("`symposium board list` shows them"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_key_is_short_and_printable() {
        let longest = "x".repeat(200);
        for (key, is_fine) in [
            ("plan", true),
            ("auth/tokens: next steps", true),
            ("Überblick", true),
            (longest.as_str(), true),
            ("", false),
            ("a\nb", false),
            ("a\u{1b}[2J", false),
            (&format!("{longest}x"), false),
        ] {
            assert_eq!(check_key(key).is_ok(), is_fine, "{key:?}");
        }
    }
}
