//! Reads the systemd control group of a process. Never changes it.

use std::fs;

/// Returns `true` if the process belongs to the user manager of systemd. Returns `false` if that cannot be determined.
///
/// Processes of the user manager outlive a login; processes of a login session may be ended with it.
pub fn is_kept_by_user_manager(pid: i32) -> bool {
    fs::read_to_string(format!("/proc/{pid}/cgroup")).is_ok_and(|text| is_under_user_manager(&text))
}

/// Parses lines of the form `number:controllers:path`. The lines of systemd have no controllers or `name=systemd`.
fn is_under_user_manager(cgroups: &str) -> bool {
    let path = |line: &str| {
        let (controllers, path) = line.split_once(':')?.1.split_once(':')?;
        ["", "name=systemd"].contains(&controllers).then(|| path.to_owned())
    };
    let is_user_manager = |part: &str| part.starts_with("user@") && part.ends_with(".service");
    cgroups.lines().filter_map(path).any(|path| path.split('/').any(is_user_manager))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unit_of_the_user_manager_differs_from_a_login_session() {
        let unit = "/user.slice/user-1000.slice/user@1000.service/app.slice/symposium.service";
        let login = "/user.slice/user-1000.slice/session-c4.scope";
        for (text, expected) in [
            (format!("0::{unit}\n"), true),
            (format!("8:pids:{login}\n1:name=systemd:{unit}\n0::/\n"), true),
            (format!("8:pids:{unit}\n1:name=systemd:{login}\n0::{login}\n"), false),
            (format!("0::{login}\n"), false),
            ("0::/\n".into(), false),
            ("0::/system.slice/user@home.scope\n".into(), false),
            ("garbage".into(), false),
        ] {
            assert_eq!(is_under_user_manager(&text), expected, "{text}");
        }
    }
}
