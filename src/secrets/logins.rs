//! Detects logins in addresses and headers, and in the file formats of netrc and PostgreSQL.

use crate::secrets::placeholders::{has_own_number, is_fake, is_variable};
use crate::secrets::random::{is_mixed, is_random};

/// The shortest password where only a password is expected.
const MIN_CHARS: usize = 3;
/// The shortest password that is recognized by its characters alone.
const MIN_MIXED_CHARS: usize = 8;

/// Extensions of source files, which precede a line number as a host precedes its port.
const SOURCES: [&str; 20] = [
    "c", "cc", "cpp", "cs", "ex", "go", "h", "java", "js", "jsx", "kt", "log", "lua", "php", "py", "rb",
    "rs", "swift", "ts", "tsx",
];

/// Returns the password of `scheme://user:password@host`, except for common example passwords.
pub(super) fn in_address(line: &str) -> Option<&str> {
    line.match_indices("://").find_map(|(at, _)| {
        let rest = &line[at + 3..];
        let end = rest.find(|c: char| c.is_whitespace() || "/\"'`<>\\".contains(c)).unwrap_or(rest.len());
        let (user_info, host) = rest[..end].rsplit_once('@')?;
        let (user, password) = user_info.split_once(':')?;
        let is_strong = is_random(password) || (password.len() >= MIN_MIXED_CHARS && is_mixed(password));
        let is_example = ["example.com", "example.org", "example.net", ".example", ".test", ".invalid"]
            .iter()
            .any(|end| host.split(':').next().is_some_and(|host| host.ends_with(end)));
        // `app:app` and `app:app123` are common on development machines.
        let is_same = password.trim_end_matches(|c: char| c.is_ascii_digit()) == user;
        let is_local = host.starts_with("localhost") || host.starts_with("127.");
        let is_own = !is_local && !is_fake(user) && has_own_number(password);
        let is_plain =
            !password.contains(['?', '#', '=', '&', ',', ';']) && (is_own || is_plausible(password));
        // `registry:5000@sha256:…` is a port and a checksum.
        let is_image = host.starts_with("sha256:") || host.starts_with("sha512:");
        let found = (is_strong && !is_fake(password)) || (is_plain && !is_same && !is_example);
        (found && !is_image).then_some(password)
    })
}

/// Returns the login of `Authorization: Basic …`.
pub(super) fn in_header(line: &str) -> Option<&str> {
    line.match_indices("asic ").find_map(|(at, found)| {
        let rest = line[at + found.len()..].trim_start();
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && !"+/=".contains(c)).unwrap_or(rest.len());
        is_login(&rest[..end]).then_some(&rest[..end])
    })
}

/// Returns whether a text is `user:password` in base64.
pub(super) fn is_login(text: &str) -> bool {
    let Some(bytes) = decoded(text) else { return false };
    let Ok(login) = std::str::from_utf8(&bytes) else { return false };
    let is_printed = login.len() >= 5 && login.bytes().all(|byte| byte.is_ascii_graphic());
    is_printed
        && login.split_once(':').is_some_and(|(user, password)| {
            is_plausible(password) || (password.is_empty() && is_random(user))
        })
}

/// Scans the lines of a `.netrc` file, whose entries may span several lines.
#[derive(Debug, Clone, Default)]
pub(super) struct NetrcScanner {
    /// Whether the next line may continue an entry.
    is_in_entry: bool,
}

impl NetrcScanner {
    /// Returns the password in the next line. An empty line does not end an entry.
    pub(super) fn password<'a>(&mut self, line: &'a str) -> Option<&'a str> {
        const KEYS: [&str; 4] = ["machine", "login", "account", "password"];
        let first = line.split_whitespace().next()?;
        if first != "default" && !KEYS.contains(&first) {
            self.is_in_entry = false;
            return None;
        }
        let words: Vec<&str> = line.split_whitespace().collect();
        let begins = matches!(first, "machine" | "default");
        let pairs = if first == "default" { &words[1..] } else { &words[..] };
        self.is_in_entry = (begins || self.is_in_entry)
            && pairs.len().is_multiple_of(2)
            && pairs.chunks(2).all(|pair| KEYS.contains(&pair[0]));
        if !self.is_in_entry {
            return None;
        }
        let password = pairs.chunks(2).find(|pair| pair[0] == "password").map(|pair| pair[1]);
        password.filter(|password| is_plausible(password))
    }
}

/// Returns the password of a `.pgpass` line: `host:port:database:user:password`.
pub(super) fn in_pgpass(line: &str) -> Option<&str> {
    let fields: Vec<&str> = line.trim().splitn(5, ':').collect();
    let [host, port, database, user, password] = fields[..] else { return None };
    let is_level = host.len() > 1 && host.bytes().all(|b| b.is_ascii_uppercase());
    let is_named = host.bytes().all(|b| b.is_ascii_alphanumeric() || b".-_".contains(&b)) && !is_level;
    // Excludes the position of an error in a source file: such a low port is not in use, and few top-level domains
    // equal a file extension.
    let is_port = port == "*" || (port.len() >= 4 && port.parse::<u16>().is_ok());
    let is_place = host.rsplit_once('.').is_some_and(|(_, end)| SOURCES.contains(&end)) && port != "5432";
    let is_host = host == "*" || (is_named && !is_place);
    let is_name = |text: &str| {
        let is_number = text.bytes().all(|b| b.is_ascii_digit());
        text == "*" || (!is_number && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(&b)))
    };
    let fits = !host.is_empty() && is_host && is_port && is_name(database) && is_name(user);
    (fits && !password.contains([':', '/', ' ']) && is_plausible(password)).then_some(password)
}

/// Returns whether a text can be a password, where nothing else is expected.
pub(super) fn is_plausible(password: &str) -> bool {
    password.len() >= MIN_CHARS
        && password.bytes().all(|byte| byte.is_ascii_graphic())
        && !is_variable(password)
        && !is_fake(password)
}

/// Decodes base64 with the standard alphabet.
fn decoded(text: &str) -> Option<Vec<u8>> {
    let text = text.trim_end_matches('=');
    let (mut bytes, mut bits, mut held) = (Vec::new(), 0u32, 0u32);
    for byte in text.bytes() {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        };
        held = (held << 6) | u32::from(value);
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push(u8::try_from((held >> bits) & 0xff).unwrap_or_default());
        }
    }
    (text.len() >= 7).then_some(bytes)
}
