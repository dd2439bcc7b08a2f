//! Detects text that looks like a secret: keys of known services, private keys, tokens, assigned passwords, logins, and
//! the values of variables that hold secrets. Works line by line; findings are masked and never contain a complete
//! secret.
//!
//! The detection prefers false positives if a name says "password" or "token". It prefers false negatives for text that
//! is merely random and for placeholders in examples, because conversations contain many UUIDs, checksums, images and
//! `changeme`.
//!
//! - `services`: keys of known services, by their prefixes
//! - `assignments`: assigned values, judged by the name
//! - `commands`: passwords on command lines and in SQL statements
//! - `logins`: logins in addresses, headers and login files
//! - `passphrases`: passphrases of several words
//! - `embedded_lines`: unescapes text that is embedded in one line
//! - `random`: distinguishes random text from names and chosen passwords
//! - `placeholders`: placeholders in examples
//! - `source_code`: identifiers of source code

mod assignments;
mod commands;
mod embedded_lines;
mod logins;
mod passphrases;
mod placeholders;
mod random;
mod services;
mod source_code;

use assignments::SECRET_NAMES;

/// The value of a variable that holds a secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownSecret {
    /// Name of the variable.
    pub name: String,
    /// The secret value.
    pub value: String,
}

/// A text that looks like a secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The kind of secret that it looks like.
    pub what: String,
    /// The first characters and the length of the secret.
    pub masked: String,
}

/// The shortest value of a variable that is searched for: shorter ones are ordinary words.
const MIN_VALUE_CHARS: usize = 6;
/// Number of characters that a masked secret shows. Secrets shorter than `SHORTEST_TOLD` show none, because this would
/// be a large part of them.
const PREFIX_CHARS: usize = 4;
const MIN_CHARS_FOR_PREFIX: usize = 16;

/// Returns whether a variable of this name holds a secret.
pub fn is_secret_name(name: &str) -> bool {
    let plain = plain(name);
    let about_keys = plain.ends_with("key") && plain.len() > 3;
    about_keys
        || plain.ends_with("auth")
        || ["pass", "pat"].iter().any(|end| ends_with_word(name, end))
        || SECRET_NAMES.iter().any(|word| plain.contains(word))
}

/// Returns whether the value of a variable can be searched for: a common word would be found everywhere.
pub fn is_searchable(value: &str) -> bool {
    let is_word = value.len() < 12 && value.chars().all(|c| c.is_ascii_lowercase());
    value.len() >= MIN_VALUE_CHARS && !is_word && !value.starts_with('/')
}

/// Returns the findings in a single line without context.
pub fn in_line(line: &str, known: &[KnownSecret]) -> Vec<Finding> {
    LineScanner::default().line(line, known)
}

/// Scans a text line by line. Keeps the context that the next line depends on.
#[derive(Debug, Clone, Default)]
pub struct LineScanner {
    /// The name whose value is expected on the next line, and its indentation.
    waiting: Option<(String, usize)>,
    /// The name that the previous line gave as a value, as in `name: DB_PASSWORD` above `value: …`.
    named: Option<String>,
    /// The entry of a `.netrc` file that the previous line may be part of.
    netrc: logins::NetrcScanner,
}

impl LineScanner {
    /// Returns the findings in the next line, at most one of each kind.
    pub fn line(&mut self, line: &str, known: &[KnownSecret]) -> Vec<Finding> {
        let mut found = Vec::new();
        let mut add = |what: String, secret: &str| {
            if !found.iter().any(|finding: &Finding| finding.what == what) {
                found.push(Finding { what, masked: masked(secret) });
            }
        };
        for finding in known {
            if line.contains(&finding.value) || line.contains(&escaped(&finding.value)) {
                add(format!("the value of {}", finding.name), &finding.value);
            }
        }
        if let Some(begin) = private_key(line).or_else(|| encoded_key(line)) {
            add("a private key".into(), begin);
        }
        for line in embedded_lines::inner(line) {
            self.inner(&line, &mut add);
        }
        found
    }

    fn inner(&mut self, line: &str, add: &mut dyn FnMut(String, &str)) {
        for word in assignments::words(line) {
            if let Some((what, secret)) = services::key(word.text()) {
                add(what.into(), secret);
            } else if let Some((what, secret)) = services::webhook(word.text()) {
                add(what.into(), secret);
            } else if let Some(token) = services::of_bot(word.before(), word.text()) {
                add("a Telegram token".into(), token);
            } else if let Some((name, value)) = assignments::secret(&word) {
                add(format!("a value of `{}`", short(name)), value);
            }
        }
        // The first character of a patch line is not part of the content.
        let bare = line.strip_prefix(['+', '-', ' ']).unwrap_or(line);
        for (what, secret) in [
            ("a password in an address", logins::in_address(line)),
            ("a login in a header", logins::in_header(line)),
            ("a password on a command line", commands::in_command(bare)),
            ("a password in SQL", commands::in_sql(bare)),
            ("a password of .netrc", self.netrc.password(bare)),
            ("a password of .pgpass", logins::in_pgpass(bare)),
        ] {
            if let Some(secret) = secret {
                add(what.into(), secret);
            }
        }
        if bare.trim().is_empty() {
            return;
        }
        let indented = bare.len() - bare.trim_start().len();
        if let Some((name, at)) = self.waiting.take()
            && indented > at
            && assignments::is_value_of(&name, bare)
        {
            add(format!("a value of `{}`", short(&name)), bare.trim());
        }
        if let Some(name) = self.named.take()
            && let Some(value) = assignments::entry(bare, &["value", "default"])
            && assignments::is_value_of(&name, value)
        {
            add(format!("a value of `{}`", short(&name)), value.trim_matches(['"', '\'']));
        }
        let named =
            assignments::entry(bare, &["name", "key", "id"]).map(|name| name.trim_matches(['"', '\'']));
        self.named = named.filter(|name| is_secret_name(name)).map(str::to_owned);
        self.waiting = assignments::name_without_value(bare).map(|name| (name.to_owned(), indented));
    }
}

/// Masks a secret so that its owner recognizes it but no other reader learns it.
fn masked(secret: &str) -> String {
    let length = secret.chars().count();
    if length < MIN_CHARS_FOR_PREFIX {
        return "hidden (too short to show a prefix)".to_owned();
    }
    let prefix: String = secret.chars().take(PREFIX_CHARS).collect();
    format!("{prefix}… ({length} characters)")
}

/// Returns a name in lower case without separators.
fn plain(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect()
}

fn short(name: &str) -> String {
    name.chars().take(40).collect()
}

/// Matches `DB_PASS`, but not `COMPASS`.
fn ends_with_word(name: &str, word: &str) -> bool {
    let name = name.to_ascii_lowercase();
    name.strip_suffix(word).is_some_and(|before| before.is_empty() || before.ends_with(['_', '-']))
}

/// Returns the value as escaped in JSON.
fn escaped(value: &str) -> String {
    let text = serde_json::to_string(value).unwrap_or_default();
    text.get(1..text.len().saturating_sub(1)).unwrap_or(value).to_owned()
}

/// Returns the private key that begins in this line. Prose about such keys has no key data after the header.
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

/// `-----BEGIN` in base64, as in the keys of a kubeconfig. Certificates begin the same way.
const ENCODED_BEGIN: &str = "LS0tLS1CRUdJTi";

/// The continuations of [`ENCODED_BEGIN`] for private keys: ` PRIVATE KE`, ` RSA PRIVATE K` and the other types.
const ENCODED_SORTS: [&str; 8] = [
    "BQUklWQVRFIEtF",
    "BSU0EgUFJJVkFURSBL",
    "BFQyBQUklWQVRFIEtF",
    "BEU0EgUFJJVkFURSBL",
    "BPUEVOU1NIIFBSSVZBVEUgS0VZ",
    "BFTkNSWVBURUQgUFJJVkFURSBL",
    "BQR1AgUFJJVkFURSBL",
    "BFRDI1NTE5IFBSSVZBVEUgS0VZ",
];

/// Returns the private key in base64, or its first line.
fn encoded_key(line: &str) -> Option<&str> {
    let begin = &line[line.find(ENCODED_BEGIN)?..];
    let sort = &begin[ENCODED_BEGIN.len()..];
    let length = begin.bytes().take_while(|b| b.is_ascii_alphanumeric() || b"+/=".contains(b)).count();
    (length >= 60 && ENCODED_SORTS.iter().any(|known| sort.starts_with(known))).then_some(begin)
}

#[cfg(test)]
mod tests;
