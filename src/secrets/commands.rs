//! Detects passwords on command lines and in SQL statements.

use crate::secrets::logins::is_plausible;
use crate::secrets::passphrases::is_phrase;

/// The shortest value in `--password=…`: keywords that programs accept there are shorter.
const MIN_CHARS: usize = 6;

/// Returns the password of a command line: `curl -u user:password`, `mysql -ppassword`, `--password password`.
pub(super) fn in_command(line: &str) -> Option<&str> {
    const AROUND: [char; 9] = ['"', '\'', '`', ',', ';', '(', ')', '|', '&'];
    if !line.contains(" -") {
        return None;
    }
    let raw: Vec<&str> = line.split_whitespace().collect();
    let words: Vec<&str> = raw.iter().map(|word| word.trim_matches(AROUND)).collect();
    let mut client = CommandClient::Other;
    for (at, word) in words.iter().enumerate() {
        let named = client.then(word.rsplit(['/', '(', '"', '\'', '`']).next().unwrap_or(word));
        if named != client {
            client = named;
            continue;
        }
        // In prose the flag is the last word between backticks.
        let is_closed = raw[at].ends_with(['`', ',']);
        let next = words.get(at + 1).copied().filter(|_| !is_closed).unwrap_or_default();
        let (flag, value) = word.split_once('=').unwrap_or((word, next));
        let is_set = flag.len() < word.len() && value.len() >= MIN_CHARS;
        let found = match (client, flag) {
            (CommandClient::Curl, "-u" | "--user" | "-U" | "--proxy-user") => password_of(value),
            (CommandClient::Curl, _) => word.strip_prefix("-u").and_then(password_of),
            (CommandClient::Asking | CommandClient::Login, "-p")
            | (CommandClient::Redis, "-a" | "--pass") => Some(value),
            (CommandClient::Sql | CommandClient::Login, "--password") => Some(value),
            (CommandClient::Sql | CommandClient::Asking | CommandClient::Login, _) if is_short(word) => {
                word.strip_prefix("-p")
            }
            (CommandClient::Htpasswd, _) => in_htpasswd(&raw[at..]).map(|word| word.trim_matches(AROUND)),
            (_, "--password" | "--passwd" | "--passphrase") => {
                Some(value).filter(|value| is_set || is_plausible_value(value))
            }
            _ => None,
        };
        if let Some(password) = found.filter(|password| is_plausible(password)) {
            return Some(password);
        }
        // The following program has another meaning of `-p`.
        if client.ends_with(raw[at]) || (client == CommandClient::Asking && found.is_some()) {
            client = CommandClient::Other;
        }
    }
    None
}

/// A program with its own options for passwords.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CommandClient {
    Curl,
    Sql,
    Redis,
    /// sshpass, which also accepts `-p` with a separate value.
    Asking,
    /// docker and similar programs before their subcommand is known: `docker run -p` is about ports.
    Containers,
    /// The `login` subcommand of docker and similar programs.
    Login,
    Htpasswd,
    Other,
}

impl CommandClient {
    /// Returns the program that the following options belong to.
    fn then(self, program: &str) -> CommandClient {
        match program {
            "curl" => CommandClient::Curl,
            "mysql" | "mysqldump" | "mysqladmin" | "mysqlimport" | "mariadb" | "mariadb-dump"
            | "mariadb-admin" => CommandClient::Sql,
            "redis-cli" => CommandClient::Redis,
            "sshpass" => CommandClient::Asking,
            "docker" | "podman" | "nerdctl" | "buildah" | "skopeo" | "oras" | "helm" => {
                CommandClient::Containers
            }
            "login" if self == CommandClient::Containers => CommandClient::Login,
            "run" | "compose" | "build" if self == CommandClient::Containers => CommandClient::Other,
            "htpasswd" => CommandClient::Htpasswd,
            _ => self,
        }
    }

    fn ends_with(self, raw: &str) -> bool {
        let is_end = ["&&", "||", "|", ";"].contains(&raw);
        is_end || (raw.ends_with(';') && matches!(self, CommandClient::Asking | CommandClient::Login))
    }
}

/// Returns the last argument of `htpasswd -b file user password`. `raw` begins after the program.
fn in_htpasswd<'a>(raw: &[&'a str]) -> Option<&'a str> {
    let is_end = |word: &str| word.starts_with(['>', '|', '&', ';', '#']);
    let end = raw.iter().position(|word| is_end(word)).unwrap_or(raw.len());
    let (flags, words): (Vec<&str>, Vec<&str>) = raw[..end].iter().partition(|word| word.starts_with('-'));
    let has = |letter: char| flags.iter().any(|flag| !flag.starts_with("--") && flag.contains(letter));
    // With `-n` there is no file argument; the cost of `-C` is an argument of its own.
    let expected = 3 - usize::from(has('n')) + usize::from(has('C'));
    // In prose the command stands between backticks.
    let is_closed = flags.iter().any(|flag| flag.ends_with('`'));
    (has('b') && !is_closed && words.len() == expected).then(|| words.last().copied())?
}

/// Returns the password of `ALTER USER … PASSWORD '…'` and `IDENTIFIED BY '…'`.
pub(super) fn in_sql(line: &str) -> Option<&str> {
    line.match_indices(['\'', '"']).find_map(|(at, quote)| {
        let (before, behind) = (&line[..at], &line[at + quote.len()..]);
        let is_password = if ends_with(before, "password ") {
            is_changed(&before.to_ascii_lowercase())
        } else {
            ends_with(before, " by ") && is_identified(&before[..at - " by ".len()])
        };
        let (text, _) = behind.split_once(quote).filter(|_| is_password)?;
        (is_plausible(text) || is_phrase(text)).then_some(text)
    })
}

fn ends_with(text: &str, end: &str) -> bool {
    text.len()
        .checked_sub(end.len())
        .and_then(|at| text.get(at..))
        .is_some_and(|is| is.eq_ignore_ascii_case(end))
}

/// Matches `ALTER USER bob WITH` and `CREATE ROLE bob LOGIN ENCRYPTED`.
fn is_changed(small: &str) -> bool {
    let has = |words: [&str; 2]| words.iter().any(|word| small.contains(word));
    (has(["alter ", "create "]) && has(["user ", "role "])) || small.contains("encrypted password")
}

/// Matches `IDENTIFIED` and `IDENTIFIED WITH …`, but not prose, in which things are identified by their names.
fn is_identified(before: &str) -> bool {
    let small = before.to_ascii_lowercase();
    before.ends_with("IDENTIFIED")
        || small.contains("identified with ")
        || (small.ends_with("identified") && is_changed(&small))
}

fn password_of(login: &str) -> Option<&str> {
    login.split_once(':').map(|(_, password)| password)
}

/// Matches `-pX`, but neither `--print` nor `-p`.
fn is_short(word: &str) -> bool {
    word.starts_with("-p") && word.len() > 2
}

/// Returns whether a value is unlikely to be a word of a sentence.
fn is_plausible_value(value: &str) -> bool {
    value.len() >= 6
        && value.bytes().any(|byte| byte.is_ascii_digit())
        && value.bytes().any(|byte| byte.is_ascii_alphabetic())
}
