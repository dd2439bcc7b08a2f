//! Address from which the user of a terminal connected over SSH, as SSH set it in the environment. Linux only, through
//! `/proc`.

use std::fs;
use std::net::IpAddr;

/// Returns the address that the process was connected from, or `None` if it is local or its environment is not
/// readable.
pub fn came_from(pid: i32) -> Option<String> {
    let environment = fs::read(format!("/proc/{pid}/environ")).ok()?;
    let mut variables = environment.split(|byte| *byte == 0).filter_map(|text| str::from_utf8(text).ok());
    address_of(variables.find_map(|text| text.strip_prefix("SSH_CONNECTION="))?)
}

/// Parses the client address in the value of `SSH_CONNECTION`.
pub fn address_of(connection: &str) -> Option<String> {
    let address: IpAddr = connection.split_whitespace().next()?.parse().ok()?;
    Some(address.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_addresses_are_accepted_as_ssh_origin() {
        for (text, address) in [
            ("10.0.0.1 5 10.0.0.2 22", Some("10.0.0.1")),
            ("2001:db8::1 5 ::1 22", Some("2001:db8::1")),
            ("", None),
            ("$(x) 1 2 3", None),
            ("UNKNOWN 65535 UNKNOWN 65535", None),
        ] {
            assert_eq!(address_of(text).as_deref(), address, "{text:?}");
        }
        assert_eq!(came_from(-1), None);
    }
}
