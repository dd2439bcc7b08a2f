//! Tables of what is a secret and what is not, and what holds for any text.

use proptest::prelude::*;

use super::*;

fn known(name: &str, value: &str) -> Vec<Known> {
    vec![Known { name: name.into(), value: value.into() }]
}

/// Put together here, so that nobody who scans this repository finds a key in it.
fn made(begin: &str, rest: &str) -> String {
    format!("{begin}{rest}")
}

const DENSE: &str = "q7Gk2mZx9Lw4Tn8Vb3Rc6Yd1Hf5Js0Pa";

#[test]
fn what_looks_like_a_secret_is_found_wherever_it_stands() {
    let keys = [
        ("an AWS access key", made("AKIA", "Q7GK2MZX9LW4TN8V")),
        ("a GitHub token", made("ghp_", "q7Gk2mZx9Lw4Tn8Vb3Rc6Yd1Hf5Js0Pa42Kx")),
        ("a GitHub token", made("github_pat_", "11ABCDEFG0abcdefghijkl_mnopqrstuvwxyz0123456789")),
        ("a GitLab token", made("glpat-", "q7Gk2mZx9Lw4Tn8Vb3Rc")),
        ("a Slack token", made("xoxb-", "123456789012-1234567890123-q7Gk2mZx9Lw4Tn8Vb3Rc6Yd1")),
        ("an Anthropic key", made("sk-ant-", "api03-q7Gk2mZx9Lw4Tn8Vb3Rc6Yd1Hf5Js0Pa-AA")),
        ("an OpenAI key", made("sk-", "proj-q7Gk2mZx9Lw4Tn8Vb3Rc6Yd1Hf5Js0Pa")),
        ("an OpenAI key", made("sk-", "q7Gk2mZx9Lw4Tn8Vb3Rc6Yd1Hf5Js0Pa")),
        ("a Google key", made("AIza", "SyB1q7Gk2mZx9Lw4Tn8Vb3Rc6Yd1Hf5Js0P")),
        ("an npm token", made("npm_", "q7Gk2mZx9Lw4Tn8Vb3Rc6Yd1Hf5Js0Pa42Kx")),
        (
            "a JSON web token",
            made("eyJhbGciOiJIUzI1NiJ9", ".eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P"),
        ),
    ];
    for (what, key) in &keys {
        for line in [
            key.clone(),
            format!("use {key}, please"),
            format!("{{\"text\":\"one\\n{key}\\ntwo\"}}"),
            format!("+export X={key}"),
            format!("curl -H 'Authorization: Bearer {key}'"),
            format!("https://host/?t={key}&x=1"),
            format!("+++ b/é{key}/notes"),
            format!("diff --git a/old-{key} b/old-{key}"),
        ] {
            let found = in_line(&line, &[]);
            assert!(found.iter().any(|one| one.what == *what), "{what}: {line}: {found:?}");
            assert!(found.iter().all(|one| !one.masked.contains(&key[8..])), "{found:?}");
        }
    }
}

#[test]
fn what_is_said_to_be_a_secret_is_found() {
    for line in [
        format!("password={DENSE}"),
        format!("api_key: \"{DENSE}\""),
        format!("{{\"text\":\"{{\\\"accessToken\\\": \\\"{DENSE}\\\"}}\"}}"),
        format!("TOKEN = '{DENSE}'"),
        format!("Authorization: Bearer {DENSE}"),
        "token: 356a192b7913b04c54574d18c28d46e6395428ab".to_owned(),
        "DB_PASSWORD=Tr0ub4dor&3".to_owned(),
        "postgres://app:q7Gk2mZx9Lw4@db.example.org/app".to_owned(),
        made("-----BEGIN RSA PRIVATE KEY", "-----"),
        made(
            "{\"text\":\"-----BEGIN OPENSSH PRIVATE KEY",
            "-----\\nb3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQ\"}",
        ),
    ] {
        assert!(!in_line(&line, &[]).is_empty(), "{line}");
    }
}

#[test]
fn an_ordinary_conversation_passes() {
    let image =
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    for line in [
        "{\"uuid\":\"550e8400-e29b-41d4-a716-446655440000\",\"sessionId\":\"0f8fad5b-d9cb-469f-a165-70867728950e\"}",
        "commit 356a192b7913b04c54574d18c28d46e6395428ab",
        "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        &format!(
            "{{\"type\":\"image\",\"source\":{{\"type\":\"base64\",\"media_type\":\"image/png\",\"data\":\"{image}\"}}}}"
        ),
        "\"usage\":{\"input_tokens\":1234567890123456,\"cache_creation_input_tokens\":21034,\"output_tokens\":8}",
        "{\"signature\":\"EqQBCkYIBRgCKkDq7Gk2mZx9Lw4Tn8Vb3Rc6Yd1Hf5Js0Pa\",\"thinking\":\"the token is gone\"}",
        "\"requestId\":\"req_011CSq7Gk2mZx9Lw4Tn8Vb3R\",\"id\":\"msg_01XFDUDYJgAACzvnptvVoYEL\"",
        "let token = next_token(&mut lexer)?; // the password is never logged",
        "if (password.length < 8) throw new Error('password too short')",
        "password=$DB_PASSWORD token=${GITHUB_TOKEN} secret: os.environ[\"SECRET\"]",
        "  token: ${{ secrets.GITHUB_TOKEN }}",
        "the password is hunter2, as everybody knows",
        "Set `ANTHROPIC_API_KEY` and `GITHUB_TOKEN` first; keys begin with sk-ant-… or ghp_…",
        "task-0123456789abcdef0123 disk-1234567890123456789012",
        "sk-a-name-of-many-words-and-no-digits-at-all",
        "psql postgres://postgres:postgres@localhost:5432/app",
        "git remote add origin https://github.com/example/shop.git",
        "git@github.com:example/shop.git ssh://git@example.org:22/shop",
        "grep -rn 'BEGIN PRIVATE KEY' . finds -----BEGIN PRIVATE KEY----- in files",
        "token_type_ids: [0, 0, 0], pad_token: \"<|endoftext|>\", max_tokens=4096",
        "index 8d0e41234f24b6da002d962a26c2495ea16a425f..0000000000000000000000000000000000000000",
        "\"integrity\": \"sha512-q7Gk2mZx9Lw4Tn8Vb3Rc6Yd1Hf5Js0Paq7Gk2mZx9Lw4Tn8Vb3Rc6Yd1Hf5Js0Pa==\"",
        "checksum = \"356a192b7913b04c54574d18c28d46e6395428ab356a192b7913b04c54574d18\"",
        "export PATH=/usr/local/bin:/usr/bin PASSWORD_STORE_DIR=/home/u/.password-store",
        "secret_name = projects/my-project-123456/secrets/db-password/versions/latest",
    ] {
        assert_eq!(in_line(line, &[]), [], "{line}");
    }
}

#[test]
fn the_value_of_a_variable_is_found_whatever_it_looks_like() {
    let known = known("MY_TOKEN", "correct horse");
    assert_eq!(in_line("say correct horse!", &known)[0].what, "the value of MY_TOKEN");
    assert_eq!(in_line("say correct-horse!", &known), []);
    let quoted = self::known("MY_TOKEN", "a\"b\\c d");
    assert!(!in_line(r#"{"text":"a\"b\\c d"}"#, &quoted).is_empty());
}

#[test]
fn the_name_of_a_variable_tells_whether_it_holds_a_secret() {
    for name in [
        "ANTHROPIC_API_KEY",
        "GITHUB_TOKEN",
        "DB_PASSWORD",
        "DB_PASS",
        "AWS_SECRET_ACCESS_KEY",
        "npm_auth",
        "GH_PAT",
    ] {
        assert!(is_secret_name(name), "{name}");
    }
    for name in ["PATH", "HOME", "EDITOR", "COMPASS", "KEY", "TERM", "LANG", "BYPASS_PROXY", "MONKEYS"] {
        assert!(!is_secret_name(name), "{name}");
    }
    for (value, worth) in [
        ("true", false),
        ("postgres", false),
        ("/run/keys/x", false),
        ("p0stgres", true),
        ("not-a-key", true),
    ] {
        assert_eq!(is_worth_looking_for(value), worth, "{value}");
    }
}

proptest! {
    #[test]
    fn any_line_can_be_looked_through(line in any::<String>(), value in "[ -~]{6,20}") {
        in_line(&line, &known("X", &value));
    }

    #[test]
    fn a_value_is_found_in_any_line(before in any::<String>(), value in "[a-zA-Z0-9\"\\\\ -]{8,40}", behind in any::<String>()) {
        let line = format!("{before}{value}{behind}");
        prop_assert!(in_line(&line, &known("X", &value)).iter().any(|one| one.what == "the value of X"));
        let json = serde_json::to_string(&line).unwrap();
        prop_assert!(in_line(&json, &known("X", &value)).iter().any(|one| one.what == "the value of X"));
    }

    #[test]
    fn a_key_is_found_in_any_json(before in "[ -~]{0,20}", rest in "[a-zA-Z0-9]{35}1", behind in "[ -~]{0,20}") {
        let line = serde_json::to_string(&format!("{before} ghp_{rest} {behind}")).unwrap();
        prop_assert!(in_line(&line, &[]).iter().any(|one| one.what == "a GitHub token"), "{line}");
    }

    #[test]
    fn what_is_told_of_a_secret_is_little(rest in "[a-zA-Z0-9]{35}1") {
        let key = format!("ghp_{rest}");
        for one in in_line(&key, &[]) {
            prop_assert!(!one.masked.contains(&rest[..4]));
        }
    }

    #[test]
    fn uuids_and_checksums_pass(hex in "[0-9a-f]{40}", long in "[0-9a-f]{64}") {
        let uuid = format!("{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..32]);
        for line in [format!("\"uuid\":\"{uuid}\""), format!("commit {hex}"), format!("sha256 {long}"), format!("blob:{hex}")] {
            prop_assert_eq!(in_line(&line, &[]), vec![]);
        }
    }
}
