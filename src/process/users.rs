//! Looks up users of this machine by name and by id: in `/etc/passwd`, otherwise with `getent`.

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::path::Path;
use std::time::Duration;

use super::{Run, run_bounded};

/// Time limit for a lookup with `getent`.
const LOOKUP_TIMEOUT: Duration = Duration::from_secs(5);

/// Time limit for a lookup of several names. The caller can show ids instead.
const GROUP_LOOKUP_TIMEOUT: Duration = Duration::from_secs(1);
const GETENT: &str = "/usr/bin/getent";

/// Returns the id of a user.
pub fn user_id(name: &str) -> Option<u32> {
    entry(name, |entry| entry.0 == name).map(|(_, uid)| uid)
}

/// Returns the name of a user.
pub fn user_name(uid: u32) -> Option<String> {
    entry(&uid.to_string(), |entry| entry.1 == uid).map(|(name, _)| name)
}

/// Returns the names of these users, as far as they are known. Unknown users are looked up with a single call.
pub fn user_names(uids: impl IntoIterator<Item = u32>) -> HashMap<u32, String> {
    let mut unknown: BTreeSet<u32> = uids.into_iter().collect();
    let local = fs::read_to_string("/etc/passwd").unwrap_or_default();
    let mut names = HashMap::new();
    let mut learn = |text: &str, unknown: &mut BTreeSet<u32>| {
        for (name, uid) in text.lines().filter_map(parse) {
            if unknown.remove(&uid) {
                names.insert(uid, name);
            }
        }
    };
    learn(&local, &mut unknown);
    if !unknown.is_empty() {
        let args: Vec<String> =
            ["passwd".to_owned()].into_iter().chain(unknown.iter().map(u32::to_string)).collect();
        let run = Run { program: Path::new(GETENT), args: &args, dir: None, env: None };
        if let Ok(output) = run_bounded(&run, GROUP_LOOKUP_TIMEOUT) {
            learn(&String::from_utf8_lossy(&output.stdout), &mut unknown);
        }
    }
    names
}

fn entry(key: &str, is_meant: impl Fn(&(String, u32)) -> bool) -> Option<(String, u32)> {
    let local = fs::read_to_string("/etc/passwd").unwrap_or_default();
    local.lines().filter_map(parse).find(&is_meant).or_else(|| {
        let args = ["passwd".to_owned(), key.to_owned()];
        let run = Run { program: Path::new(GETENT), args: &args, dir: None, env: None };
        let output = run_bounded(&run, LOOKUP_TIMEOUT).ok()?;
        String::from_utf8_lossy(&output.stdout).lines().filter_map(parse).find(&is_meant)
    })
}

/// Parses a line of the form `name:password:uid:…`.
fn parse(line: &str) -> Option<(String, u32)> {
    let mut fields = line.split(':');
    let name = fields.next().filter(|name| !name.is_empty())?;
    Some((name.to_owned(), fields.nth(1)?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn users_are_found_by_name_and_by_id() {
        assert_eq!((user_id("root"), user_name(0).as_deref()), (Some(0), Some("root")));
        assert_eq!(user_id("no-such-user-here"), None);
        assert_eq!(user_id("--help"), None);
        assert_eq!(user_name(4_000_000_001), None);
        assert_eq!(user_names([0, 4_000_000_001, 0]), HashMap::from([(0, "root".to_owned())]));
    }
}
