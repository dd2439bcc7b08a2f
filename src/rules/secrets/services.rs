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

const FORMS: [Form; 20] = [
    form("an AWS access key", "AKIA", 16, is_upper_or_digit),
    form("an AWS access key", "ASIA", 16, is_upper_or_digit),
    form("a GitHub token", "ghp_", 30, is_alphanumeric),
    form("a GitHub token", "gho_", 30, is_alphanumeric),
    form("a GitHub token", "ghu_", 30, is_alphanumeric),
    form("a GitHub token", "ghs_", 30, is_alphanumeric),
    form("a GitHub token", "ghr_", 30, is_alphanumeric),
    form("a GitHub token", "github_pat_", 30, is_name_byte),
    form("a GitLab token", "glpat-", 20, is_name_byte),
    form("a Slack token", "xoxb-", 20, is_name_byte),
    form("a Slack token", "xoxp-", 20, is_name_byte),
    form("a Slack token", "xoxa-", 20, is_name_byte),
    form("a Slack token", "xapp-", 20, is_name_byte),
    form("an Anthropic key", "sk-ant-", 20, is_name_byte),
    form("an OpenAI key", "sk-", 20, is_name_byte),
    form("a Google key", "AIza", 35, is_name_byte),
    form("a Stripe key", "sk_live_", 20, is_alphanumeric),
    form("an npm token", "npm_", 36, is_alphanumeric),
    form("a Hugging Face token", "hf_", 30, is_alphanumeric),
    form("a PyPI token", "pypi-", 60, is_name_byte),
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
    web_token(word).or_else(|| {
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
        length >= self.at_least && is_dense(&rest[..length])
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

fn is_alphanumeric(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
}

fn is_upper_or_digit(byte: u8) -> bool {
    byte.is_ascii_uppercase() || byte.is_ascii_digit()
}

fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-'
}
