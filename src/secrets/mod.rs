//! What looks like a secret in a text: keys of known services, private keys, tokens, passwords that are set, logins, and
//! the values of variables that hold secrets. A line at a time; what is found is told masked, never whole.
//!
//! It errs towards saying yes where a name says "password" or "token", and towards no for what is merely random, and for
//! what stands for a secret in examples: conversations are full of uuids, checksums, images and `changeme`.

mod assignments;
mod commands;
mod embedded_lines;
mod logins;
mod passphrases;
mod placeholders;
mod random;
mod services;
mod source_code;

use assignments::TELLING;

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

/// The shortest value of a variable that is looked for: shorter ones are words.
const SHORTEST_VALUE: usize = 6;
/// How much of a secret is told, and of none that is so short that this would be a good part of it.
const TOLD: usize = 4;
const SHORTEST_TOLD: usize = 16;

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

/// What looks like a secret in a line that stands alone.
pub fn in_line(line: &str, known: &[Known]) -> Vec<Finding> {
    Reading::default().line(line, known)
}

/// Somebody who reads a text line by line: what a line means may hang on the one before.
#[derive(Debug, Clone, Default)]
pub struct Reading {
    /// The name whose value is expected in the next line, and how far it is indented.
    waiting: Option<(String, usize)>,
    /// The name that the line before gave as a value, as `name: DB_PASSWORD` does above `value: …`.
    named: Option<String>,
    /// Whether the line before was one of `.netrc`.
    is_netrc: bool,
}

impl Reading {
    /// What looks like a secret in the next line; at most one of each sort.
    pub fn line(&mut self, line: &str, known: &[Known]) -> Vec<Finding> {
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
        // The mark of a patch is not part of the line.
        let bare = line.strip_prefix(['+', '-', ' ']).unwrap_or(line);
        let (password, goes_on) = logins::in_netrc(bare, self.is_netrc);
        self.is_netrc = goes_on;
        for (what, secret) in [
            ("a password in an address", logins::in_address(line)),
            ("a login in a header", logins::in_header(line)),
            ("a password on a command line", commands::in_command(bare)),
            ("a password in SQL", commands::in_sql(bare)),
            ("a password of .netrc", password),
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
        self.waiting = assignments::waiting(bare).map(|name| (name.to_owned(), indented));
    }
}

/// A secret as it may be told: who has it knows it by that, and nobody else gets it.
fn masked(secret: &str) -> String {
    let length = secret.chars().count();
    if length < SHORTEST_TOLD {
        return "too short to tell any of it".to_owned();
    }
    let told: String = secret.chars().take(TOLD).collect();
    format!("{told}… ({length} characters)")
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

/// `-----BEGIN` in base64, as keys stand in a kubeconfig; certificates begin like that too.
const ENCODED_BEGIN: &str = "LS0tLS1CRUdJTi";

/// What follows it where a private key begins: ` PRIVATE KE`, ` RSA PRIVATE K` and the other sorts.
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

/// A private key in base64, or the first line of one.
fn encoded_key(line: &str) -> Option<&str> {
    let begin = &line[line.find(ENCODED_BEGIN)?..];
    let sort = &begin[ENCODED_BEGIN.len()..];
    let length = begin.bytes().take_while(|b| b.is_ascii_alphanumeric() || b"+/=".contains(b)).count();
    (length >= 60 && ENCODED_SORTS.iter().any(|known| sort.starts_with(known))).then_some(begin)
}

#[cfg(test)]
mod tests;
