//! Keys whose form is known, because who gives them out gave them a mark to be found by.

/// A form: how it begins, what the rest is made of, and how long that is at least.
struct Form {
    what: &'static str,
    begins: &'static str,
    at_least: usize,
    rest: fn(u8) -> bool,
}

/// No key of a known form is shorter.
const SHORTEST: usize = 20;

const FORMS: [Form; 44] = [
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
    form("a Docker token", "dckr_pat_", 24, is_name_byte),
    form("a Databricks token", "dapi", 32, is_hex),
    form("a Replicate token", "r8_", 36, is_alphanumeric),
    form("an Atlassian token", "ATATT3", 60, is_name_byte),
    form("a Figma token", "figd_", 36, is_name_byte),
    form("a Postman key", "PMAK-", 40, is_name_byte),
    form("a Tailscale key", "tskey-", 20, is_name_byte),
];

const fn form(what: &'static str, begins: &'static str, at_least: usize, rest: fn(u8) -> bool) -> Form {
    Form { what, begins, at_least, rest }
}

/// What sort of key a word holds, and from where on. It may stand behind something else in the word, as in
/// `TOKEN=ghp_…`, or in the name of a file, as in `a/old-ghp_…`.
pub(super) fn key(word: &str) -> Option<(&'static str, &str)> {
    if word.len() < SHORTEST {
        return None;
    }
    web_token(word).or_else(|| dotted(word)).or_else(|| {
        word.split(['=', '/', '@', '&', '+', '!', '~', '#', '$', '%', '^', '*', '.'])
            .flat_map(|piece| {
                let behind = piece.match_indices(['-', '_']).map(|(at, _)| &piece[at + 1..]);
                std::iter::once(piece).chain(behind).take_while(|rest| rest.len() >= SHORTEST)
            })
            .find_map(|piece| FORMS.iter().find(|form| form.fits(piece)).map(|form| (form.what, piece)))
    })
}

impl Form {
    fn fits(&self, piece: &str) -> bool {
        let Some(rest) = piece.strip_prefix(self.begins) else { return false };
        let length = rest.bytes().take_while(|byte| (self.rest)(*byte)).count();
        // The ones that AWS has in its own texts say so.
        length >= self.at_least && is_dense(&rest[..length]) && !rest.contains("EXAMPLE")
    }
}

/// Whether some piece without a dash is long, of letters and digits: `sk-a-name-of-many-words` has none.
fn is_dense(text: &str) -> bool {
    text.split(['-', '_']).any(|piece| {
        let has_digit = piece.bytes().any(|byte| byte.is_ascii_digit());
        // A mark of a test, such as XXXXXXXX, is made of one letter.
        let first = piece.bytes().next();
        piece.len() >= 12 && has_digit && piece.bytes().any(|byte| Some(byte) != first)
    })
}

/// A JSON web token: three parts, of which the first two are JSON in base64.
fn web_token(word: &str) -> Option<(&'static str, &str)> {
    let begin = word.find("eyJ")?;
    let mut parts = word[begin..].splitn(3, '.');
    let (head, body, sign) = (parts.next()?, parts.next()?, parts.next()?);
    let is_part = |part: &str| part.len() >= 10 && part.bytes().take(10).all(is_name_byte);
    (is_part(head) && body.starts_with("eyJ") && is_part(body) && is_part(sign))
        .then_some(("a JSON web token", &word[begin..]))
}

/// Keys whose parts are parted by dots: how they begin, and how long each part is at least.
fn dotted(word: &str) -> Option<(&'static str, &str)> {
    const DOTTED: [(&str, &str, &[usize]); 4] = [
        ("a SendGrid key", "SG.", &[16, 32]),
        ("a Vault token", "hvs.", &[24]),
        ("a Google token", "ya29.", &[32]),
        ("a Doppler token", "dp.pt.", &[32]),
    ];
    DOTTED.iter().find_map(|(what, begins, parts)| {
        let begin = word.find(begins)?;
        // Not the end of another word.
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

/// Addresses that whoever knows them may write to: where, how they go on, and which part behind that is the secret.
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
        (length >= SHORTEST && is_dense(&part[..length])).then_some((*what, &part[..length]))
    })
}

/// The token of a Telegram bot: its number stands before, and a colon, which is part of no word.
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

fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-'
}
