//! Checks whether the terminfo database of the system describes a terminal type. Searches the directories that ncurses
//! searches, without parsing the entries.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Directories in which systems keep their terminfo database.
const USUAL_DIRECTORIES: [&str; 7] = [
    "/etc/terminfo",
    "/lib/terminfo",
    "/usr/share/terminfo",
    "/usr/lib/terminfo",
    "/usr/local/share/terminfo",
    "/usr/share/lib/terminfo",
    "/run/current-system/sw/share/terminfo",
];
/// Terminal types that every database contains.
const KNOWN_EVERYWHERE: [&str; 3] = ["xterm-256color", "xterm", "vt100"];
/// Terminal types without cursor movement.
const WITHOUT_CURSOR_MOVEMENT: [&str; 3] = ["", "dumb", "unknown"];

/// Additional directories of a user.
#[derive(Debug, Default)]
pub struct TerminfoDirs<'a> {
    /// Value of `TERMINFO`.
    pub own: Option<PathBuf>,
    /// Value of `TERMINFO_DIRS`.
    pub more: Option<&'a OsStr>,
    /// Home directory of the user.
    pub home: Option<&'a Path>,
}

/// Returns `true` if a program can draw on this terminal type, or if that cannot be determined.
pub fn can_show(term: &str, dirs: &TerminfoDirs<'_>) -> bool {
    if WITHOUT_CURSOR_MOVEMENT.contains(&term) || term.contains('/') {
        return false;
    }
    let below_home = |part: &str| dirs.home.map(|home| home.join(part));
    let more = dirs.more.map(std::env::split_paths);
    let dirs: Vec<PathBuf> = (dirs.own.iter().cloned())
        .chain(below_home(".terminfo"))
        .chain(below_home(".nix-profile/share/terminfo"))
        .chain(more.into_iter().flatten())
        .chain(USUAL_DIRECTORIES.map(PathBuf::from))
        .collect();
    let knows = |term: &str| dirs.iter().any(|dir| has_entry(dir, term));
    // If not even these are found, the system stores its database in an unknown format.
    knows(term) || !KNOWN_EVERYWHERE.iter().any(|term| knows(term))
}

/// Returns `true` if the directory has an entry for the terminal type. Entries are in subdirectories named after their
/// first letter, or after the code of that letter on file systems that ignore case.
fn has_entry(dir: &Path, term: &str) -> bool {
    let Some(&first) = term.as_bytes().first() else { return false };
    let letter = char::from(first).to_string();
    [letter, format!("{first:x}")].iter().any(|part| dir.join(part).join(term).is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_in_terminfo_is_usable() {
        let dirs = TerminfoDirs::default();
        for (term, expected) in
            [("xterm-256color", true), ("", false), ("dumb", false), ("../x", false), ("no-such-term", false)]
        {
            assert_eq!(can_show(term, &dirs), expected, "{term:?}");
        }
    }

    #[test]
    fn files_placed_by_the_user_count() {
        let dir = tempfile::tempdir().unwrap();
        let file = |part: &str| {
            std::fs::create_dir_all(dir.path().join(part)).unwrap();
            std::fs::write(dir.path().join(part).join("mine"), "x").unwrap();
        };
        let own = || TerminfoDirs { own: Some(dir.path().into()), ..TerminfoDirs::default() };
        assert!(!can_show("mine", &own()));
        file("6d");
        assert!(can_show("mine", &own()));
        let (more, home) = (dir.path().as_os_str(), dir.path());
        assert!(can_show("mine", &TerminfoDirs { more: Some(more), ..TerminfoDirs::default() }));
        file(".terminfo/m");
        assert!(can_show("mine", &TerminfoDirs { home: Some(home), ..TerminfoDirs::default() }));
    }
}
