//! What looks like a secret in a text: keys of known services, private keys, tokens, passwords that are set, and the
//! values of variables that hold secrets. A line at a time; what is found is told masked, never whole.
//!
//! It errs towards saying yes where a name says "password" or "token", and towards no for what is merely random:
//! conversations are full of uuids, checksums and images.

mod random;
mod services;

use random::{is_mixed, is_random};

/// The value of a variable that holds a secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Known {
    /// What the variable is called.
    pub name: String,
    /// What must not be told.
    pub value: String,
}

/// Something that looks like a secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// What it looks like.
    pub what: String,
    /// Its beginning, and how long it is.
    pub masked: String,
}

/// Names behind which a secret stands.
const TELLING: [&str; 14] = [
    "password",
    "passwd",
    "passphrase",
    "secret",
    "token",
    "apikey",
    "accesskey",
    "secretkey",
    "privatekey",
    "authkey",
    "credential",
    "credentials",
    "pwd",
    "bearer",
];

/// The shortest value of a variable that is looked for: shorter ones are words.
const SHORTEST_VALUE: usize = 6;
/// The shortest password that was made up by a person.
const SHORTEST_PASSWORD: usize = 8;
/// How much of a secret is told.
const TOLD: usize = 4;

/// Whether a variable of this name holds a secret.
pub fn is_secret_name(name: &str) -> bool {
    let plain = plain(name);
    let about_keys = plain.ends_with("key") && plain.len() > 3;
    about_keys
        || plain.ends_with("auth")
        || ["pass", "pat"].iter().any(|end| ends_with_word(name, end))
        || TELLING.iter().any(|word| plain.contains(word))
}

/// Whether the value of a variable can be looked for: what is a common word would be found everywhere.
pub fn is_worth_looking_for(value: &str) -> bool {
    let is_word = value.len() < 12 && value.chars().all(|c| c.is_ascii_lowercase());
    value.len() >= SHORTEST_VALUE && !is_word && !value.starts_with('/')
}

/// What looks like a secret in a line; at most one of each sort.
pub fn in_line(line: &str, known: &[Known]) -> Vec<Finding> {
    let mut found = Vec::new();
    let mut add = |what: String, secret: &str| {
        if !found.iter().any(|one: &Finding| one.what == what) {
            found.push(Finding { what, masked: masked(secret) });
        }
    };
    for one in known {
        if line.contains(&one.value) || line.contains(&escaped(&one.value)) {
            add(format!("the value of {}", one.name), &one.value);
        }
    }
    if let Some(begin) = private_key(line) {
        add("a private key".into(), begin);
    }
    for (before, word) in words(line) {
        if let Some((what, secret)) = services::key(word) {
            add(what.into(), secret);
        } else if let Some(name) = set_by(before)
            && is_set_secret(&plain(name), word)
        {
            add(format!("a value of `{}`", short(name)), word);
        }
    }
    if let Some(secret) = in_address(line) {
        add("a password in an address".into(), secret);
    }
    found
}

/// A secret as it may be told: who has it knows it by that, and nobody else gets it.
fn masked(secret: &str) -> String {
    let told: String = secret.chars().take(TOLD).collect();
    format!("{told}… ({} characters)", secret.chars().count())
}

/// A name without what people put between its words, in small letters.
fn plain(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect()
}

fn short(name: &str) -> String {
    name.chars().take(40).collect()
}

/// `DB_PASS`, and not `COMPASS`.
fn ends_with_word(name: &str, word: &str) -> bool {
    let name = name.to_ascii_lowercase();
    name.strip_suffix(word).is_some_and(|before| before.is_empty() || before.ends_with(['_', '-']))
}

/// As it would stand in JSON.
fn escaped(value: &str) -> String {
    let text = serde_json::to_string(value).unwrap_or_default();
    text.get(1..text.len().saturating_sub(1)).unwrap_or(value).to_owned()
}

/// The words of a line, each with what stands before it. A word is what keys are made of; what a backslash escapes in
/// JSON parts words too.
fn words(line: &str) -> impl Iterator<Item = (&str, &str)> {
    let bytes = line.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        while at < bytes.len() && !is_word_byte(bytes[at]) {
            at += if bytes[at] == b'\\' { 1 + escape(&bytes[at + 1..]) } else { 1 };
        }
        let begin = at.min(bytes.len());
        while at < bytes.len() && is_word_byte(bytes[at]) {
            at += 1;
        }
        let end = at.min(bytes.len());
        let end_of_word = begin + line.get(begin..end)?.trim_end_matches(['.', ',', ':']).len();
        (begin < end).then(|| (&line[..begin], &line[begin..end_of_word]))
    })
}

/// How many bytes behind a backslash belong to it.
fn escape(behind: &[u8]) -> usize {
    match behind.first() {
        Some(b'n' | b't' | b'r' | b'"' | b'\\' | b'/' | b'b' | b'f' | b'\'') => 1,
        Some(b'u') if behind.get(1..5).is_some_and(|hex| hex.iter().all(u8::is_ascii_hexdigit)) => 5,
        _ => 0,
    }
}

fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_-.+/~!@#$%^&*".contains(&byte)
}

/// The name that a value is given to: `name=`, `name: `, `"name": "`, `name := "`, `Bearer `.
fn set_by(before: &str) -> Option<&str> {
    const AROUND: [char; 5] = ['"', '\'', '`', '\\', ' '];
    let sign = before.trim_end_matches(AROUND);
    let name = match sign.strip_suffix([':', '=', '>']) {
        Some(name) => name.trim_end_matches([':', '=']).trim_end_matches(AROUND),
        None if sign.len() < before.len() && sign.ends_with("earer") => sign,
        None => return None,
    };
    let begin =
        name.rfind(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '-').map_or(0, |at| at + 1);
    // What stands before may end with a character of several bytes.
    name.get(begin..).filter(|name| !name.is_empty())
}

/// Whether a word is a secret where this name says that it is one.
fn is_set_secret(name: &str, word: &str) -> bool {
    if !TELLING.iter().any(|telling| name.ends_with(telling)) {
        return false;
    }
    let value = word.trim_matches(['=', '*']);
    let is_made_up = |word: &str| name.contains("pass") && word.len() >= SHORTEST_PASSWORD && is_mixed(word);
    !value.starts_with('$') && (is_random(value) || is_made_up(value))
}

/// A private key in a text, from its first line on; prose about such keys has nothing behind it.
fn private_key(line: &str) -> Option<&str> {
    let begin = line.find("-----BEGIN ")?;
    let (label, behind) = line[begin + 11..].split_once("-----")?;
    if !label.ends_with("PRIVATE KEY") && !label.ends_with("PRIVATE KEY BLOCK") {
        return None;
    }
    let behind = behind.trim_start_matches(['\\', 'n', 'r', ' ']);
    let body = behind.bytes().take_while(|b| b.is_ascii_alphanumeric() || b"+/=".contains(b)).count();
    (behind.is_empty() || body >= 16).then_some(&line[begin..])
}

/// The password of `scheme://user:password@host`; the well-known ones of examples are none.
fn in_address(line: &str) -> Option<&str> {
    line.match_indices("://").find_map(|(at, _)| {
        let rest = &line[at + 3..];
        let end = rest.find(|c: char| c.is_whitespace() || "/\"'`<>\\".contains(c)).unwrap_or(rest.len());
        let (user_info, _host) = rest[..end].rsplit_once('@')?;
        let (_user, password) = user_info.split_once(':')?;
        (is_random(password) || (password.len() >= SHORTEST_PASSWORD && is_mixed(password)))
            .then_some(password)
    })
}

#[cfg(test)]
mod tests;
