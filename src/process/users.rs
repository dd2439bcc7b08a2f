//! Users of this machine, by name and by number: from `/etc/passwd`, else from whatever directory `getent` knows.

use std::fs;
use std::path::Path;
use std::time::Duration;

use super::{Run, run_bounded};

/// How long a directory of users may take.
const BOUND: Duration = Duration::from_secs(5);

/// The number of a user.
pub fn user_id(name: &str) -> Option<u32> {
    entry(name, |entry| entry.0 == name).map(|(_, uid)| uid)
}

/// The name of a user.
pub fn user_name(uid: u32) -> Option<String> {
    entry(&uid.to_string(), |entry| entry.1 == uid).map(|(name, _)| name)
}

fn entry(key: &str, is_meant: impl Fn(&(String, u32)) -> bool) -> Option<(String, u32)> {
    let local = fs::read_to_string("/etc/passwd").unwrap_or_default();
    local.lines().filter_map(parse).find(&is_meant).or_else(|| {
        let args = ["passwd".to_owned(), key.to_owned()];
        let run = Run { program: Path::new("/usr/bin/getent"), args: &args, dir: None, env: None };
        let said = run_bounded(&run, BOUND).ok()?;
        String::from_utf8_lossy(&said.stdout).lines().filter_map(parse).find(&is_meant)
    })
}

/// `name:password:uid:…`
fn parse(line: &str) -> Option<(String, u32)> {
    let mut fields = line.split(':');
    let name = fields.next().filter(|name| !name.is_empty())?;
    Some((name.to_owned(), fields.nth(1)?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn users_are_known_both_ways() {
        assert_eq!((user_id("root"), user_name(0).as_deref()), (Some(0), Some("root")));
        assert_eq!(user_id("no-such-user-here"), None);
        assert_eq!(user_id("--help"), None);
        assert_eq!(user_name(4_000_000_001), None);
    }
}
