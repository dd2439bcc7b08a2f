//! Detects secrets in assignments: `name = value` in the syntaxes of programs, settings and headers. The name decides
//! whether the value is a secret. How closely the value must resemble one depends on the name, and on whether the
//! syntax is that of a program or of a settings file.

use crate::secrets::logins::is_login;
use crate::secrets::passphrases::{is_passphrase, is_phrase};
use crate::secrets::placeholders::{is_fake, is_variable};
use crate::secrets::random::{is_mixed, is_random};
use crate::secrets::source_code::{is_call, is_path, is_type};
use crate::secrets::{ends_with_word, plain};

/// Endings of names whose value is a secret.
pub(super) const SECRET_NAMES: [&str; 19] = [
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
    "accountkey",
    "encryptionkey",
    "signingkey",
    "masterkey",
    "secretkeybase",
    "credential",
    "credentials",
    "pwd",
    "bearer",
];

/// Endings of names that describe a secret, and whose value is not one.
const METADATA_SUFFIXES: [&str; 22] = [
    "name", "id", "ids", "type", "url", "uri", "path", "dir", "file", "hash", "sha", "digest", "checksum",
    "version", "arn", "ref", "count", "length", "expiry", "expires", "at", "cache",
];

/// Names of secrets that should be random, but are often chosen by people. Names that Kubernetes uses to refer to a
/// secret, as in `secret: name`, are not included.
const HUMAN_SECRETS: [&str; 12] = [
    "jwtsecret",
    "sessionsecret",
    "cookiesecret",
    "appsecret",
    "authsecret",
    "clientsecret",
    "hmacsecret",
    "webhooksecret",
    "signingsecret",
    "sharedsecret",
    "secretkey",
    "secretkeybase",
];

/// Words before `pass` that have nothing to do with passwords, as in `render_pass`.
const PASSES: [&str; 12] = [
    "render", "shadow", "depth", "lighting", "geometry", "compute", "raster", "blur", "bloom", "draw",
    "codegen", "analysis",
];

/// Parts of names that hold messages about passwords.
const MESSAGES: [&str; 10] =
    ["wrong", "invalid", "error", "message", "msg", "label", "title", "hint", "prompt", "forgot"];

/// The shortest signature: 32 bytes in base64 have 43 characters.
const MIN_SIGNATURE_CHARS: usize = 40;

/// The shortest password of letters, digits and signs that is reported.
const MIN_PASSWORD_CHARS: usize = 8;
/// The shortest weak password, with and without quotes.
const MIN_WEAK_CHARS: (usize, usize) = (4, 6);

/// A sequence of characters that can occur in keys, with its position in the line.
#[derive(Debug, Clone, Copy)]
pub(super) struct KeyWord<'a> {
    line: &'a str,
    start: usize,
    end: usize,
}

impl<'a> KeyWord<'a> {
    pub(super) fn text(&self) -> &'a str {
        &self.line[self.start..self.end]
    }

    pub(super) fn before(&self) -> &'a str {
        &self.line[..self.start]
    }

    fn after(&self) -> &'a str {
        &self.line[self.end..]
    }

    /// Returns the complete quoted text that begins with this word.
    fn quoted(&self) -> Option<&'a str> {
        let quote = self.before().chars().next_back().filter(|c| ['"', '\'', '`'].contains(c))?;
        let text = self.line[self.start..].split(quote).next()?;
        let is_closed = self.start + text.len() < self.line.len();
        is_closed.then_some(text)
    }
}

/// Splits a line into words.
pub(super) fn words(line: &str) -> impl Iterator<Item = KeyWord<'_>> {
    let bytes = line.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        while at < bytes.len() && !is_word_byte(bytes[at]) {
            at += 1;
        }
        let start = at;
        while at < bytes.len() && is_word_byte(bytes[at]) {
            at += 1;
        }
        let end = start + line.get(start..at)?.trim_end_matches(['.', ',', ':']).len();
        (start < at).then_some(KeyWord { line, start, end })
    })
}

fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_-.+/~!@#$%^&*".contains(&byte)
}

/// Returns name and value if a word is a secret that is assigned to a name.
pub(super) fn secret<'a>(word: &KeyWord<'a>) -> Option<(&'a str, &'a str)> {
    let (name, sign) = set_by(word.before())?;
    let name = named_before(word.before(), (name, sign)).unwrap_or(name);
    let (quoted, phrase) = match word.quoted() {
        Some(text) if text.contains(char::is_whitespace) => (None, Some(text)),
        quoted => (quoted, None),
    };
    if phrase.is_some_and(|text| is_of_password(name) && is_set_phrase(text, (name, sign))) {
        return Some((name, phrase?));
    }
    let value = quoted.unwrap_or(word.text());
    let spelled = plain(name);
    let is_setting = || is_setting(word, (name, sign));
    let is_weak = || match quoted {
        Some(value) => is_weak(value),
        None if continues(word.after()) => false,
        None => is_weak_word(value) || (is_setting() && is_weak(value)),
    };
    let is_made_up =
        || (quoted.is_some() || (is_setting() && !continues(word.after()))) && is_weak_secret(value);
    let found = is_secret(&spelled, word.text())
        || is_secret(&spelled, value)
        || (spelled.ends_with("auth") && is_login(value))
        || (is_of_password(name) && (is_weak() || is_set_number(word, (name, sign))))
        || (HUMAN_SECRETS.iter().any(|end| spelled.ends_with(end)) && is_made_up())
        || is_signature(word, name);
    let is_of_program = || quoted.is_none() && is_of_program(word, (name, sign));
    (found && !is_of_program()).then_some((name, value))
}

/// Returns the name whose value is expected on the next line, as in YAML.
pub(super) fn name_without_value(line: &str) -> Option<&str> {
    let text = line.trim_end();
    let text = text.trim_end_matches(['|', '>', '-', '+']).trim_end();
    let (name, _) = set_by(text.strip_suffix(':').map(|_| text)?)?;
    let before = text.rfind(name).map_or(text, |at| &text[..at]).trim_end_matches([' ', '-']);
    // The first line of a text in a JSON string follows a quote.
    let is_alone = before.is_empty() || before.ends_with(['"', '\'']);
    let plain = plain(name);
    (is_alone && SECRET_NAMES.iter().any(|secret_name| plain.ends_with(secret_name))).then_some(name)
}

/// Returns the value, with its quotes, if a YAML or JSON line does nothing but assign it to one of these names.
pub(super) fn entry<'l>(line: &'l str, names: &[&str]) -> Option<&'l str> {
    let text = line.trim().trim_start_matches(['-', '{', ' ']).trim_end_matches([',', '}', ' ']);
    let (name, value) = text.split_once(':')?;
    let name = name.trim_end().trim_matches(['"', '\'']);
    let value = value.trim();
    (names.iter().any(|known_name| name.eq_ignore_ascii_case(known_name)) && !value.is_empty())
        .then_some(value)
}

/// Returns whether a line consists of a secret value for this name and nothing else.
pub(super) fn is_value_of(name: &str, line: &str) -> bool {
    let text = line.trim();
    let value = text.trim_matches(['"', '\'']);
    let is_one = !value.is_empty() && !value.contains(char::is_whitespace) && !value.ends_with(':');
    let weak = if value.len() < text.len() { is_weak(value) } else { is_weak_word(value) };
    let is_path = value.len() == text.len() && is_path(value);
    is_one && !is_path && (is_secret(&plain(name), value) || (is_of_password(name) && weak))
}

/// Returns the name that a value is assigned to, and the operator: `name=`, `name: `, `"name": "`, `name := "`, `Bearer
/// `.
fn set_by(before: &str) -> Option<(&str, &str)> {
    const AROUND: [char; 5] = ['"', '\'', '`', '\\', ' '];
    let sign = before.trim_end_matches(AROUND);
    // `Password::Hashed` is a path in source code.
    if sign.ends_with("::") {
        return None;
    }
    let name = match sign.strip_suffix([':', '=', '>']) {
        Some(name) => name.trim_end_matches([':', '=']).trim_end_matches(AROUND),
        None if sign.len() < before.len() && sign.ends_with("earer") => sign,
        None => return None,
    };
    let begin =
        name.rfind(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '-').map_or(0, |at| at + 1);
    // The preceding text may end with a multi-byte character.
    let found = name.get(begin..).filter(|name| !name.is_empty())?;
    Some((found, &before[name.len()..]))
}

/// Returns the name of a value that is given in another field: `<add key="name" value="…">`, `{"name": "name", "value":
/// "…"}`.
fn named_before<'a>(before: &'a str, (name, sign): (&str, &str)) -> Option<&'a str> {
    const BETWEEN: [char; 4] = ['"', '\'', ' ', ','];
    if !name.eq_ignore_ascii_case("value") {
        return None;
    }
    let text = before.strip_suffix(sign)?.strip_suffix(name)?.trim_end_matches(BETWEEN);
    let begin = text.rfind(['"', '\''])?;
    let label = text[..begin].trim_end().strip_suffix([':', '='])?.trim_end_matches(BETWEEN);
    let found = &text[begin + 1..];
    let last = found.rfind(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '-');
    let is_label = ["name", "key"].iter().any(|end| label.to_ascii_lowercase().ends_with(end));
    // The preceding text may end with a multi-byte character.
    found.get(last.map_or(0, |at| at + 1)..).filter(|found| is_label && !found.is_empty())
}

/// Returns whether a word is a secret, given the name that it is assigned to.
fn is_secret(name: &str, word: &str) -> bool {
    let value = word.trim_matches(['=', '*']);
    let is_behind = SECRET_NAMES.iter().any(|secret_name| name.ends_with(secret_name));
    let is_within = || {
        SECRET_NAMES.iter().any(|secret_name| name.contains(secret_name))
            && !METADATA_SUFFIXES.iter().any(|end| name.ends_with(end))
            // `Algorithms.RS256` is a path in source code.
            && !value.contains('.')
    };
    if !is_behind && !is_within() {
        return false;
    }
    let is_made_up =
        is_behind && name.contains("pass") && value.len() >= MIN_PASSWORD_CHARS && is_mixed(value);
    !value.starts_with('$') && (is_random(value) || is_made_up) && !is_fake(value)
}

/// Returns whether a name is that of a password, which a person may have chosen.
fn is_of_password(name: &str) -> bool {
    let spelled = plain(name);
    let ends = ["password", "passwd", "passphrase", "pwd"].iter().any(|end| spelled.ends_with(end));
    let is_allowed = spelled.starts_with("nopass") || spelled.starts_with("skip");
    let is_drawn =
        spelled.strip_suffix("pass").is_some_and(|of| PASSES.iter().any(|pass| of.ends_with(pass)));
    (ends || ["pass", "pw"].iter().any(|word| ends_with_word(name, word))) && !is_allowed && !is_drawn
}

/// Returns whether an unquoted word is an expression of source code and not a value.
fn is_of_program(word: &KeyWord<'_>, (name, sign): (&str, &str)) -> bool {
    let text = word.text();
    if sign == "=" && is_shell_variable(name) {
        return is_path(text) && is_named(text);
    }
    is_path(text) || is_call(text, word.after()) || (!is_of_password(name) && is_type(text))
}

/// Returns whether an assignment is a setting: `NAME=value` and `NAME: value` as in shells and their files, or a line
/// that contains nothing else. Source code has no variables as values there.
fn is_setting(word: &KeyWord<'_>, (name, sign): (&str, &str)) -> bool {
    ["=", ": "].contains(&sign) && (is_shell_variable(name) || is_whole_line(word, (name, sign)))
}

fn is_shell_variable(name: &str) -> bool {
    !name.bytes().any(|byte| byte.is_ascii_lowercase())
}

fn is_whole_line(word: &KeyWord<'_>, (name, sign): (&str, &str)) -> bool {
    let before = word.before().strip_suffix(sign).and_then(|text| text.strip_suffix(name)).unwrap_or("-");
    before.trim_start_matches(['+', '-', ' ', '"', '\'', '.']).is_empty()
        && (word.after().trim().is_empty() || word.after().trim_start().starts_with("# "))
}

/// Returns whether a password is a number. Only settings count, because examples in source code often contain
/// `'12345678'`.
fn is_set_number(word: &KeyWord<'_>, (name, sign): (&str, &str)) -> bool {
    let value = word.text();
    let is_shell = is_shell_variable(name) && ["=", "=\"", "='"].contains(&sign);
    let is_number = value.len() >= MIN_WEAK_CHARS.1 && value.bytes().all(|byte| byte.is_ascii_digit());
    let is_set = || is_shell || (is_setting(word, (name, sign)) && is_whole_line(word, (name, sign)));
    is_number && is_set() && !is_fake(value)
}

/// Returns whether several quoted words are a password. In a shell assignment weaker evidence is enough, unless the
/// name is that of a message.
fn is_set_phrase(text: &str, (name, sign): (&str, &str)) -> bool {
    let is_shell = is_shell_variable(name) && ["=\"", "='"].contains(&sign);
    let spelled = plain(name);
    let is_message = MESSAGES.iter().any(|word| spelled.contains(word));
    !is_message && (is_passphrase(text) || (is_shell && is_phrase(text)))
}

/// Returns whether a text is a secret that was chosen by a person and not generated.
fn is_weak_secret(value: &str) -> bool {
    let has_digit = value.bytes().any(|byte| byte.is_ascii_digit());
    value.len() >= MIN_PASSWORD_CHARS
        && (has_digit || is_passphrase(value))
        && !is_named(value)
        && !is_path(value)
        && is_weak(value)
}

/// Returns whether a word is the signature of an address that grants access, as Azure uses them.
fn is_signature(word: &KeyWord<'_>, name: &str) -> bool {
    let is_part = word.before().strip_suffix("sig=").is_some_and(|before| before.ends_with(['&', '?', ';']));
    let is_signed = || {
        word.line.contains("sv=")
            && ["se=", "sp=", "sr="].iter().any(|known_name| word.line.contains(known_name))
    };
    name == "sig"
        && is_part
        && word.text().len() >= MIN_SIGNATURE_CHARS
        && is_random(word.text())
        && is_signed()
}

/// Returns whether a text names a secret.
pub(super) fn is_named(text: &str) -> bool {
    SECRET_NAMES.iter().any(|secret_name| plain(text).contains(secret_name))
}

/// Returns whether a text is a weak password, where only a password is expected. Labels are excluded by their capital
/// letter, and source code by its signs.
fn is_weak(value: &str) -> bool {
    let is_lower = value.bytes().all(|byte| byte.is_ascii_lowercase());
    let has_letter = value.bytes().any(|byte| byte.is_ascii_alphabetic());
    let has_more = value.bytes().any(|byte| byte.is_ascii_digit()) || is_mixed(value);
    value.len() >= MIN_WEAK_CHARS.0
        && value.bytes().all(|byte| byte.is_ascii_graphic())
        && !value.contains(['/', '\\', ',', ';', '='])
        && has_letter
        && (has_more || (is_lower && value.len() >= MIN_WEAK_CHARS.1) || is_passphrase(value))
        && !is_fake(value)
}

/// Returns whether a text is a weak password, where it may also be a variable, a type or a word of a sentence.
fn is_weak_word(value: &str) -> bool {
    let has_digit = value.bytes().any(|byte| byte.is_ascii_digit());
    let is_plain = value.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-!@#$^".contains(&byte));
    value.len() >= MIN_WEAK_CHARS.1
        && has_digit
        && is_plain
        && !is_named(value)
        && !is_variable(value)
        && is_weak(value)
}

/// Returns whether a word is only the beginning of an expression, or the type of the following value.
fn continues(behind: &str) -> bool {
    let is_begun = behind.starts_with(['(', '[', '.', ':', '<', '{', '?']) && !behind.starts_with("</");
    is_begun || behind.trim_start().starts_with('=')
}
