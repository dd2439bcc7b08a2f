//! Parses the settings of channels to other devices: `page_url`, `[notify.ntfy]` and `[notify.webhook]`.

use super::keys::NOTIFY_ON;
use super::values::{TomlValue, ValueResult, boolean, command, expected, words, wrong};
use crate::base::source_text::LocatedMistake;
use crate::base::suggest::nearest;
use crate::model::{NoticeChannel, SecretSource, WebUrl};

/// The names of the keys of one channel.
struct ChannelKeys {
    /// The whole table, for messages.
    table: &'static str,
    /// The key with the file of the secret.
    file: &'static str,
    /// The key with the program that prints the secret.
    command: &'static str,
}

const NTFY: ChannelKeys =
    ChannelKeys { table: "[notify.ntfy]", file: "token_file", command: "token_command" };
const WEBHOOK: ChannelKeys =
    ChannelKeys { table: "[notify.webhook]", file: "secret_file", command: "secret_command" };

/// Parses the address of the page.
pub(super) fn page_url(value: TomlValue<'_, '_>) -> ValueResult<WebUrl> {
    let url = url(value)?;
    if url.path().contains('?') { wrong(value, "the address of the page has no query") } else { Ok(url) }
}

/// Parses the section `[notify.ntfy]`.
pub(super) fn ntfy(value: TomlValue<'_, '_>) -> ValueResult<NoticeChannel> {
    let channel = channel(value, &NTFY)?;
    match channel.url.path().rsplit_once('/') {
        Some((_, topic)) if !topic.is_empty() && !topic.contains('?') => Ok(channel),
        _ => wrong(value, "the address in `url` has no topic; write https://ntfy.sh/TOPIC"),
    }
}

/// Parses the section `[notify.webhook]`.
pub(super) fn webhook(value: TomlValue<'_, '_>) -> ValueResult<NoticeChannel> {
    channel(value, &WEBHOOK)
}

fn channel(value: TomlValue<'_, '_>, names: &ChannelKeys) -> ValueResult<NoticeChannel> {
    let Some(table) = value.get_ref().as_table() else {
        // The text of the value may be a secret.
        return wrong(value, format!("expected a section, written `{}`", names.table));
    };
    let known = ["url", names.file, names.command, "on", "actions"];
    let (mut address, mut secret, mut on, mut actions) = (None, None, None, false);
    let mut mistakes: Vec<LocatedMistake<usize>> = Vec::new();
    for (key, value) in table {
        let name: &str = key.get_ref();
        let outcome = if name == "url" {
            url(value).map(|url| address = Some(url))
        } else if name == "on" {
            words(value, &NOTIFY_ON).map(|events| on = Some(events))
        } else if name == "actions" {
            boolean(value).map(|enabled| actions = enabled)
        } else if secret.is_some() && (name == names.file || name == names.command) {
            wrong(value, format!("give `{}` or `{}`, not both", names.file, names.command))
        } else if name == names.file {
            file(value).map(|path| secret = Some(SecretSource::File(path)))
        } else if name == names.command {
            program(value).map(|argv| secret = Some(SecretSource::Command(argv)))
        } else {
            let near = match nearest(name, known) {
                Some(near) => format!("; did you mean `{near}`?"),
                None => format!("; known: {}", known.join(", ")),
            };
            let message = format!("there is no key `{}` in `{}`", name.escape_debug(), names.table);
            mistakes.push(LocatedMistake::new(key.span().start, message + &near));
            continue;
        };
        mistakes.extend(outcome.err().into_iter().flatten());
    }
    match address {
        Some(url) if mistakes.is_empty() => Ok(NoticeChannel { url, secret, on, actions }),
        None if mistakes.is_empty() => wrong(value, format!("`{}` has no `url`", names.table)),
        _ => Err(mistakes),
    }
}

/// Parses an address. A message never shows the text, because its path may be a secret.
fn url(value: TomlValue<'_, '_>) -> ValueResult<WebUrl> {
    match value.get_ref().as_str().map(str::parse::<WebUrl>) {
        Some(Ok(url)) => Ok(url),
        Some(Err(why)) => wrong(value, format!("the address cannot be used: {why}")),
        None => expected(value, "an address such as \"https://example.org/path\""),
    }
}

fn file(value: TomlValue<'_, '_>) -> ValueResult<String> {
    match value.get_ref().as_str() {
        Some(path) if (path.starts_with('/') || path.starts_with("~/")) && !path.contains('\0') => {
            Ok(path.to_owned())
        }
        _ => expected(value, "the path of a file that begins with `/` or `~/`"),
    }
}

fn program(value: TomlValue<'_, '_>) -> ValueResult<Vec<String>> {
    match command(value)? {
        argv if argv.is_empty() => wrong(value, "the name of the program is missing"),
        argv => Ok(argv),
    }
}

#[cfg(test)]
mod tests {
    use crate::config::read;
    use crate::model::{NotifyOn, SecretSource};

    #[test]
    fn channels_are_read_with_their_secrets() {
        let text = "[notify]\npage_url = \"https://box.example/sy/\"\n\
                    [notify.ntfy]\nurl = \"https://ntfy.sh/topic\"\ntoken_file = \"~/.ntfy\"\non = [\"waiting\"]\nactions = true\n\
                    [notify.webhook]\nurl = \"http://127.0.0.1:9/hook\"\nsecret_command = [\"pass\", \"hook\"]\n";
        let notify = read(text).unwrap().notify;
        assert_eq!(notify.page_url.unwrap().as_str(), "https://box.example/sy/");
        let ntfy = notify.ntfy.unwrap();
        assert_eq!((ntfy.url.host(), ntfy.actions), ("ntfy.sh", true));
        assert_eq!(ntfy.secret, Some(SecretSource::File("~/.ntfy".into())));
        assert!(ntfy.wants(NotifyOn::Waiting) && ntfy.wants(NotifyOn::Device) && !ntfy.wants(NotifyOn::Task));
        let webhook = notify.webhook.unwrap();
        assert_eq!(webhook.secret, Some(SecretSource::Command(vec!["pass".into(), "hook".into()])));
        assert!(webhook.wants(NotifyOn::Task) && !webhook.actions);
    }

    #[test]
    fn mistakes_of_channels_are_named_without_the_address() {
        for (text, says) in [
            ("[notify.ntfy]\nactions = true", "`[notify.ntfy]` has no `url`"),
            ("[notify.ntfy]\nurl = \"https://ntfy.sh/\"", "has no topic"),
            ("[notify.ntfy]\nurl = \"http://ntfy.sh/my-topic\"", "needs https"),
            ("[notify.ntfy]\nurl = \"my-topic\"", "is not an address such as"),
            (
                "[notify.ntfy]\nurl = \"https://a/my-topic\"\ntoken = \"x\"",
                "known: url, token_file, token_command",
            ),
            (
                "[notify.webhook]\nurl = \"https://a/my-topic\"\nsecret_file = \"x\"",
                "begins with `/` or `~/`",
            ),
            (
                "[notify.webhook]\nurl = \"https://a/my-topic\"\nsecret_file = \"/x\"\nsecret_command = [\"x\"]",
                "not both",
            ),
            ("[notify.webhook]\nurl = \"https://a/my-topic\"\nsecret_command = []", "is missing"),
            ("[notify]\nwebhook = \"https://a/my-topic\"", "a section, written `[notify.webhook]`"),
            ("[notify]\npage_url = \"https://a/?x=1\"", "no query"),
        ] {
            let mistakes = read(text).unwrap_err();
            assert!(mistakes[0].message.contains(says), "{text}: {mistakes:?}");
        }
        let mistakes = read("[notify.ntfy]\nurl = \"http://ntfy.sh/my-topic\"").unwrap_err();
        assert!(!mistakes[0].message.contains("my-topic"), "{mistakes:?}");
    }
}
