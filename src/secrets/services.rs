//! Detects keys of known services by the prefixes that their issuers gave them for this purpose.

use crate::secrets::placeholders::is_fake;
use crate::secrets::random::{is_random, is_shuffled};

/// A key format: its prefix, the characters of the rest, and the minimum length of the rest.
struct KeyFormat {
    what: &'static str,
    begins: &'static str,
    at_least: usize,
    rest: fn(u8) -> bool,
}

/// The minimum length of all known key formats.
const MIN_CHARS: usize = 20;

const KEY_FORMATS: [KeyFormat; 52] = [
    form("an AWS access key", "AKIA", 16, is_upper_or_digit),
    form("an AWS access key", "ASIA", 16, is_upper_or_digit),
    form("a GitHub token", "ghp_", 30, is_alphanumeric),
    form("a GitHub token", "gho_", 30, is_alphanumeric),
    form("a GitHub token", "ghu_", 30, is_alphanumeric),
    form("a GitHub token", "ghs_", 30, is_alphanumeric),
    form("a GitHub token", "ghr_", 30, is_alphanumeric),
    form("a GitHub token", "github_pat_", 30, is_name_byte),
    form("a GitLab token", "glpat-", 20, is_name_byte),
    form("a GitLab token", "glptt-", 20, is_name_byte),
    form("a GitLab token", "gldt-", 20, is_name_byte),
    form("a GitLab token", "glrt-", 20, is_name_byte),
    form("a Slack token", "xoxb-", 20, is_name_byte),
    form("a Slack token", "xoxp-", 20, is_name_byte),
    form("a Slack token", "xoxa-", 20, is_name_byte),
    form("a Slack token", "xoxr-", 20, is_name_byte),
    form("a Slack token", "xoxs-", 20, is_name_byte),
    form("a Slack token", "xapp-", 20, is_name_byte),
    form("an Anthropic key", "sk-ant-", 20, is_name_byte),
    form("an OpenAI key", "sk-", 20, is_name_byte),
    form("a Groq key", "gsk_", 40, is_alphanumeric),
    form("an xAI key", "xai-", 40, is_word_byte),
    form("an NVIDIA key", "nvapi-", 40, is_name_byte),
    form("a Perplexity key", "pplx-", 40, is_alphanumeric),
    form("a Tavily key", "tvly-", 24, is_name_byte),
    form("a Google key", "AIza", 35, is_name_byte),
    form("a Google client secret", "GOCSPX-", 24, is_name_byte),
    form("a Stripe key", "sk_live_", 20, is_alphanumeric),
    form("a Stripe key", "rk_live_", 20, is_alphanumeric),
    form("a Stripe key", "whsec_", 24, is_alphanumeric),
    form("an npm token", "npm_", 36, is_alphanumeric),
    form("a Hugging Face token", "hf_", 30, is_alphanumeric),
    form("a PyPI token", "pypi-", 60, is_name_byte),
    form("a DigitalOcean token", "dop_v1_", 40, is_alphanumeric),
    form("a DigitalOcean token", "doo_v1_", 40, is_alphanumeric),
    form("a DigitalOcean token", "dor_v1_", 40, is_alphanumeric),
    form("an age key", "AGE-SECRET-KEY-1", 50, is_upper_or_digit),
    form("a Shopify token", "shpat_", 32, is_alphanumeric),
    form("a Shopify token", "shpss_", 32, is_alphanumeric),
    form("a Grafana token", "glsa_", 32, is_name_byte),
    form("a Linear key", "lin_api_", 32, is_alphanumeric),
    form("a Notion token", "ntn_", 40, is_alphanumeric),
    form("a Docker token", "dckr_pat_", 24, is_name_byte),
    form("a Databricks token", "dapi", 32, is_hex),
    form("a Replicate token", "r8_", 36, is_alphanumeric),
    form("an Atlassian token", "ATATT3", 60, is_name_byte),
    form("a Figma token", "figd_", 36, is_name_byte),
    form("a Postman key", "PMAK-", 40, is_name_byte),
    form("a Tailscale key", "tskey-", 20, is_name_byte),
    form("a Sentry token", "sntrys_", 40, is_name_byte),
    form("a Supabase token", "sbp_", 40, is_hex),
    form("a Square secret", "sq0csp-", 40, is_name_byte),
];

/// A key format that differs from names only by its exact length and its randomness.
struct ExactKeyFormat {
    what: &'static str,
    begins: &'static str,
    length: usize,
    is_random: fn(&str) -> bool,
}

/// Tokens of Hugging Face consist of letters only, and any name may begin with `secret_`.
const EXACT_KEY_FORMATS: [ExactKeyFormat; 3] = [
    ExactKeyFormat { what: "a Hugging Face token", begins: "hf_", length: 34, is_random: is_shuffled },
    ExactKeyFormat { what: "a Hugging Face token", begins: "api_org_", length: 34, is_random: is_shuffled },
    ExactKeyFormat { what: "a Notion token", begins: "secret_", length: 43, is_random },
];

const fn form(what: &'static str, begins: &'static str, at_least: usize, rest: fn(u8) -> bool) -> KeyFormat {
    KeyFormat { what, begins, at_least, rest }
}

/// Returns the kind and the text of a key in a word. The key may follow other text, as in `TOKEN=ghp_…`, or be part of
/// a file name, as in `a/old-ghp_…`.
pub(super) fn key(word: &str) -> Option<(&'static str, &str)> {
    if word.len() < MIN_CHARS {
        return None;
    }
    web_token(word).or_else(|| dotted(word)).or_else(|| {
        word.split(['=', '/', '@', '&', '+', '!', '~', '#', '$', '%', '^', '*', '.'])
            .flat_map(|piece| {
                let behind = piece.match_indices(['-', '_']).map(|(at, _)| &piece[at + 1..]);
                std::iter::once(piece).chain(behind).take_while(|rest| rest.len() >= MIN_CHARS)
            })
            .find_map(|piece| {
                let form = KEY_FORMATS.iter().find(|form| form.fits(piece)).map(|form| form.what);
                let exact = || EXACT_KEY_FORMATS.iter().find(|form| form.fits(piece)).map(|form| form.what);
                Some((form.or_else(exact)?, piece))
            })
    })
}

impl KeyFormat {
    fn fits(&self, piece: &str) -> bool {
        let Some(rest) = piece.strip_prefix(self.begins) else { return false };
        let length = rest.bytes().take_while(|byte| (self.rest)(*byte)).count();
        // The example keys in AWS documentation contain this word.
        length >= self.at_least && is_dense(&rest[..length]) && !rest.contains("EXAMPLE")
    }
}

impl ExactKeyFormat {
    fn fits(&self, piece: &str) -> bool {
        let Some(rest) = piece.strip_prefix(self.begins) else { return false };
        let length = rest.bytes().take_while(|byte| is_alphanumeric(*byte)).count();
        length == self.length && (self.is_random)(&rest[..length]) && !is_fake(&rest[..length])
    }
}

/// Returns whether a part between dashes is long and has letters and digits. `sk-a-name-of-many-words` has no such
/// part.
fn is_dense(text: &str) -> bool {
    text.split(['-', '_']).any(|piece| {
        let has_digit = piece.bytes().any(|byte| byte.is_ascii_digit());
        // Test values such as XXXXXXXX consist of one letter.
        let first = piece.bytes().next();
        piece.len() >= 12 && has_digit && piece.bytes().any(|byte| Some(byte) != first)
    })
}

/// Detects a JSON web token: three parts, of which the first two are JSON in base64.
fn web_token(word: &str) -> Option<(&'static str, &str)> {
    let begin = word.find("eyJ")?;
    let mut parts = word[begin..].splitn(3, '.');
    let (head, body, sign) = (parts.next()?, parts.next()?, parts.next()?);
    let is_part = |part: &str| part.len() >= 10 && part.bytes().take(10).all(is_name_byte);
    (is_part(head) && body.starts_with("eyJ") && is_part(body) && is_part(sign))
        .then_some(("a JSON web token", &word[begin..]))
}

/// Detects keys whose parts are separated by dots, by their prefix and the minimum length of each part.
fn dotted(word: &str) -> Option<(&'static str, &str)> {
    const DOTTED: [(&str, &str, &[usize]); 4] = [
        ("a SendGrid key", "SG.", &[16, 32]),
        ("a Vault token", "hvs.", &[24]),
        ("a Google token", "ya29.", &[32]),
        ("a Doppler token", "dp.pt.", &[32]),
    ];
    DOTTED.iter().find_map(|(what, begins, parts)| {
        let begin = word.find(begins)?;
        // The prefix must not be the end of another word.
        let is_begin = !word[..begin].ends_with(|c: char| c.is_ascii_alphanumeric() || c == '.');
        let rest = &word[begin + begins.len()..];
        let mut found = rest.split('.');
        let fits = parts.iter().all(|least| {
            found.next().is_some_and(|part| {
                part.bytes().take_while(|byte| is_name_byte(*byte)).count() >= *least && is_dense(part)
            })
        });
        (is_begin && fits).then_some((*what, &word[begin..]))
    })
}

/// Detects webhook addresses, which grant write access to every holder of the address. The table gives the host, the
/// path prefix, and the index of the path segment that is the secret.
pub(super) fn webhook(word: &str) -> Option<(&'static str, &str)> {
    const HOOKS: [(&str, &str, &str, usize); 4] = [
        ("a Slack webhook", "hooks.slack.com", "/services/", 2),
        ("a Slack webhook", "hooks.slack.com", "/workflows/", 3),
        ("a Discord webhook", "discord.com/api", "/webhooks/", 1),
        ("a Discord webhook", "discordapp.com/api", "/webhooks/", 1),
    ];
    if !word.contains("hook") {
        return None;
    }
    HOOKS.iter().find_map(|(what, place, begins, at)| {
        let (_, rest) = word.split_once(place)?.1.split_once(begins)?;
        let part = rest.split('/').nth(*at)?;
        let length = part.bytes().take_while(|byte| is_name_byte(*byte)).count();
        (length >= MIN_CHARS && is_dense(&part[..length])).then_some((*what, &part[..length]))
    })
}

/// Detects the token of a Telegram bot. It follows the bot's number and a colon, which is not part of a word.
pub(super) fn of_bot<'a>(before: &str, word: &'a str) -> Option<&'a str> {
    let number = before.strip_suffix(':')?.bytes().rev().take_while(u8::is_ascii_digit).count();
    let length = word.bytes().take_while(|byte| is_name_byte(*byte)).count();
    ((8..=10).contains(&number) && word.starts_with("AA") && length == 35 && is_dense(&word[..length]))
        .then_some(&word[..length])
}

fn is_hex(byte: u8) -> bool {
    byte.is_ascii_hexdigit()
}

fn is_alphanumeric(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
}

fn is_upper_or_digit(byte: u8) -> bool {
    byte.is_ascii_uppercase() || byte.is_ascii_digit()
}

fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-'
}

#[cfg(test)]
mod tests {
    use crate::secrets::in_line;

    /// Random letters. The tests combine them with a prefix to a key, so that scanners do not find one in this file.
    const LETTERS: &str = "qYgKxmZwTLbRnVdHcJfPsUaEoGiNtWkMzQ";

    #[test]
    fn a_key_without_a_digit_is_found() {
        for mark in ["hf", "api_org"] {
            let key = format!("{mark}_{LETTERS}");
            for line in [
                key.clone(),
                format!("it is {key}."),
                format!("HF_TOKEN={key}"),
                format!("export HF_TOKEN=\"{key}\""),
                format!("login(token=\"{key}\")"),
                format!("login('{key}', add_to_git_credential=True)"),
                format!("https://user:{key}@huggingface.co/x/y"),
                format!("{{\"text\":\"one\\n{key}\\ntwo\"}}"),
            ] {
                let found = in_line(&line, &[]);
                assert!(
                    found.iter().any(|finding| finding.what == "a Hugging Face token"),
                    "{line}: {found:?}"
                );
                assert!(found.iter().all(|finding| !finding.masked.contains(&LETTERS[2..])), "{found:?}");
            }
        }
    }

    #[test]
    fn keys_of_xai_and_notion_are_found() {
        let dense = "q7Gk2mZx9Lw4Tn8Vb3Rc6Yd1Hf5Js0Pa".repeat(3);
        for (what, key) in [
            ("an xAI key", format!("xai-{}", &dense[..80])),
            ("a Notion token", format!("ntn_12345678901{}", &dense[..35])),
            ("a Notion token", format!("secret_{}", &dense[..43])),
        ] {
            for line in [key.clone(), format!("KEY={key}"), format!("Client(auth=\"{key}\")")] {
                let found = in_line(&line, &[]);
                assert!(found.iter().any(|finding| finding.what == what), "{line}: {found:?}");
            }
        }
    }

    #[test]
    fn names_with_a_key_prefix_are_not_secrets() {
        for line in [
            "hf_hub_download hf_transfer hf_model_name_or_path HF_TOKEN hf_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
            "hf_abcdefghijklmnopqrstuvwxyzabcdefgh",
            "hf_TheTransformerConfigurationFromPretrained",
            "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",
            "hf_YourPersonalAccessTokenFromHuggingFaceHere",
            &format!("hf_{LETTERS}AndMore"),
            "xai-grok-2-vision-latest xai-org/grok-1 xai-550e8400-e29b-41d4-a716-446655440000",
            "ntn_id ntn_event_bus ntn_notifications_are_sent_by_this_table_of_ours",
            "secret_name secret_key_base secret_356a192b7913b04c54574d18c28d46e6395428ab",
            "secret_santaClausIsComingToTownWithPresentsForYouAll",
            "secret_e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        ] {
            assert_eq!(in_line(line, &[]), [], "{line}");
        }
    }
}
