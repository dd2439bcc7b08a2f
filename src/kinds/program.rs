//! Finds the program of an agent CLI without running it.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::model::Kind;

/// The program name that stands for our own binary; callers use its path instead of searching for it.
pub const SELF: &str = "symposium";

/// Returns the absolute path of the first of a kind's programs that exists. Relative entries are resolved against
/// `dir`.
pub fn find_program(kind: &Kind, path: Option<&OsStr>, dir: &Path) -> Option<PathBuf> {
    let found = kind.program.iter().find_map(|name| which::which_in(name, path, dir).ok())?;
    Some(if found.is_absolute() { found } else { dir.join(found) })
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn the_first_name_that_is_a_program_in_path_is_taken() {
        let dir = tempfile::tempdir().unwrap();
        for (name, mode) in [("one", 0o644), ("two", 0o755), ("three", 0o755)] {
            let file = dir.path().join(name);
            std::fs::write(&file, "").unwrap();
            std::fs::set_permissions(&file, PermissionsExt::from_mode(mode)).unwrap();
        }
        let kind = |names: &[&str]| Kind {
            program: names.iter().map(|name| (*name).to_owned()).collect(),
            ..Kind::default()
        };
        let here = dir.path();
        let path = Some(here.as_os_str());
        assert_eq!(find_program(&kind(&["zero", "one", "two", "three"]), path, here), Some(here.join("two")));
        assert_eq!(find_program(&kind(&["one"]), path, here), None);
        assert_eq!(find_program(&kind(&["two"]), None, here), None);
        assert_eq!(find_program(&kind(&[]), path, here), None);
        let relative = find_program(&kind(&["two"]), Some(OsStr::new(".")), here).unwrap();
        assert!(relative.is_absolute() && relative.ends_with("two"));
    }
}
