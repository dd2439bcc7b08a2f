//! Logins in the forms that programs have for them: in addresses and headers, in the files of netrc and PostgreSQL, and
//! on command lines.

use super::fake::{is_fake, is_variable};
use super::random::{is_mixed, is_random};

/// The shortest password that is taken for one where nothing but a password can stand.
const SHORTEST: usize = 3;
/// The shortest one in `--password=…`: the words that programs have there are shorter.
const SHORTEST_SET: usize = 6;
/// The shortest one that tells by itself that it is one.
const SHORTEST_MIXED: usize = 8;

/// The password of `scheme://user:password@host`; the well-known ones of examples are none.
pub(super) fn in_address(line: &str) -> Option<&str> {
    line.match_indices("://").find_map(|(at, _)| {
        let rest = &line[at + 3..];
        let end = rest.find(|c: char| c.is_whitespace() || "/\"'`<>\\".contains(c)).unwrap_or(rest.len());
        let (user_info, host) = rest[..end].rsplit_once('@')?;
        let (user, password) = user_info.split_once(':')?;
        let is_strong = is_random(password) || (password.len() >= SHORTEST_MIXED && is_mixed(password));
        let is_example = ["example.com", "example.org", "example.net", ".example", ".test", ".invalid"]
            .iter()
            .any(|end| host.split(':').next().is_some_and(|host| host.ends_with(end)));
        // `app:app` and `app:app123` are what everybody has on their own machine.
        let is_same = password.trim_end_matches(|c: char| c.is_ascii_digit()) == user;
        let is_plain = !password.contains(['?', '#', '=', '&', ',', ';']) && is_plausible(password);
        ((is_strong && !is_fake(password)) || (is_plain && !is_same && !is_example)).then_some(password)
    })
}

/// The login of `Authorization: Basic …`.
pub(super) fn in_header(line: &str) -> Option<&str> {
    line.match_indices("asic ").find_map(|(at, found)| {
        let rest = line[at + found.len()..].trim_start();
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && !"+/=".contains(c)).unwrap_or(rest.len());
        is_login(&rest[..end]).then_some(&rest[..end])
    })
}

/// Whether a text is `user:password` in base64.
pub(super) fn is_login(text: &str) -> bool {
    let Some(bytes) = decoded(text) else { return false };
    let Ok(login) = std::str::from_utf8(&bytes) else { return false };
    let is_printed = login.len() >= 5 && login.bytes().all(|byte| byte.is_ascii_graphic());
    is_printed
        && login.split_once(':').is_some_and(|(user, password)| {
            is_plausible(password) || (password.is_empty() && is_random(user))
        })
}

/// The password of a line of `.netrc`; whether the next line may go on.
pub(super) fn in_netrc(line: &str, goes_on: bool) -> (Option<&str>, bool) {
    const KEYS: [&str; 4] = ["machine", "login", "account", "password"];
    let Some(first) = line.split_whitespace().next() else { return (None, goes_on) };
    if first != "default" && !KEYS.contains(&first) {
        return (None, false);
    }
    let words: Vec<&str> = line.split_whitespace().collect();
    let begins = matches!(first, "machine" | "default");
    let pairs = if first == "default" { &words[1..] } else { &words[..] };
    let is_netrc = (begins || goes_on)
        && pairs.len().is_multiple_of(2)
        && pairs.chunks(2).all(|pair| KEYS.contains(&pair[0]));
    if !is_netrc {
        return (None, false);
    }
    let password = pairs.chunks(2).find(|pair| pair[0] == "password").map(|pair| pair[1]);
    (password.filter(|password| is_plausible(password)), true)
}

/// The password of a line of `.pgpass`: `host:port:database:user:password`.
pub(super) fn in_pgpass(line: &str) -> Option<&str> {
    let fields: Vec<&str> = line.trim().splitn(5, ':').collect();
    let [host, port, database, user, password] = fields[..] else { return None };
    let is_host = host == "*" || host.bytes().all(|b| b.is_ascii_alphanumeric() || b".-_".contains(&b));
    // Not the place of a mistake in a file: nobody listens on a port that is so low.
    let is_port = port == "*" || (port.len() >= 4 && port.bytes().all(|b| b.is_ascii_digit()));
    let is_name = |text: &str| {
        let is_number = text.bytes().all(|b| b.is_ascii_digit());
        text == "*" || (!is_number && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(&b)))
    };
    let fits = !host.is_empty() && is_host && is_port && is_name(database) && is_name(user);
    (fits && !password.contains([':', '/', ' ']) && is_plausible(password)).then_some(password)
}

/// The password of a command line: `curl -u user:password`, `mysql -ppassword`, `--password password`.
pub(super) fn in_command(line: &str) -> Option<&str> {
    const AROUND: [char; 9] = ['"', '\'', '`', ',', ';', '(', ')', '|', '&'];
    if !line.contains(" -") {
        return None;
    }
    let words: Vec<&str> = line.split_whitespace().map(|word| word.trim_matches(AROUND)).collect();
    let mut client = Client::Other;
    for (at, word) in words.iter().enumerate() {
        let named = Client::of(word.rsplit(['/', '(']).next().unwrap_or(word));
        if named != Client::Other {
            client = named;
            continue;
        }
        let next = words.get(at + 1).copied().unwrap_or_default();
        let (flag, value) = word.split_once('=').unwrap_or((word, next));
        let is_set = flag.len() < word.len() && value.len() >= SHORTEST_SET;
        let found = match (client, flag) {
            (Client::Curl, "-u" | "--user" | "-U" | "--proxy-user") => password_of(value),
            (Client::Curl, _) => word.strip_prefix("-u").and_then(password_of),
            (Client::Asking, "-p") | (Client::Redis, "-a" | "--pass") => Some(value),
            (Client::Sql, "--password") => Some(value),
            (Client::Sql | Client::Asking, _) if is_short(word) => word.strip_prefix("-p"),
            (_, "--password" | "--passwd" | "--passphrase") => {
                Some(value).filter(|value| is_set || tells(value))
            }
            _ => None,
        };
        if let Some(password) = found.filter(|password| is_plausible(password)) {
            return Some(password);
        }
    }
    None
}

/// A program that is given passwords in ways of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Client {
    Curl,
    Sql,
    Redis,
    /// sshpass: its `-p` stands alone, too.
    Asking,
    Other,
}

impl Client {
    fn of(program: &str) -> Client {
        match program {
            "curl" => Client::Curl,
            "mysql" | "mysqldump" | "mysqladmin" | "mysqlimport" | "mariadb" | "mariadb-dump"
            | "mariadb-admin" => Client::Sql,
            "redis-cli" => Client::Redis,
            "sshpass" => Client::Asking,
            _ => Client::Other,
        }
    }
}

fn password_of(login: &str) -> Option<&str> {
    login.split_once(':').map(|(_, password)| password)
}

/// `-pX`, and neither `--print` nor `-p`.
fn is_short(word: &str) -> bool {
    word.starts_with("-p") && word.len() > 2
}

/// Whether a word is no word of a sentence.
fn tells(value: &str) -> bool {
    value.len() >= 6
        && value.bytes().any(|byte| byte.is_ascii_digit())
        && value.bytes().any(|byte| byte.is_ascii_alphabetic())
}

/// Whether a text can be a password, where nothing else is expected.
fn is_plausible(password: &str) -> bool {
    password.len() >= SHORTEST
        && password.bytes().all(|byte| byte.is_ascii_graphic())
        && !is_variable(password)
        && !is_fake(password)
}

/// Base64 of the usual alphabet.
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
