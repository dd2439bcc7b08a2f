//! Texts that must be reported as secrets.

use super::*;

#[test]
fn secret_is_found_at_any_position() {
    let keys = [
        ("an AWS access key", made("AKIA", "Q7GK2MZX9LW4TN8V")),
        ("a GitHub token", made("ghp_", "q7Gk2mZx9Lw4Tn8Vb3Rc6Yd1Hf5Js0Pa42Kx")),
        ("a GitHub token", made("github_pat_", "11ABCDEFG0abcdefghijkl_mnopqrstuvwxyz0123456789")),
        ("a GitLab token", made("glpat-", "q7Gk2mZx9Lw4Tn8Vb3Rc")),
        ("a Slack token", made("xoxb-", "123456789012-1234567890123-q7Gk2mZx9Lw4Tn8Vb3Rc6Yd1")),
        ("an Anthropic key", made("sk-ant-", "api03-q7Gk2mZx9Lw4Tn8Vb3Rc6Yd1Hf5Js0Pa-AA")),
        ("an OpenAI key", made("sk-", "proj-q7Gk2mZx9Lw4Tn8Vb3Rc6Yd1Hf5Js0Pa")),
        ("an OpenAI key", made("sk-", "q7Gk2mZx9Lw4Tn8Vb3Rc6Yd1Hf5Js0Pa")),
        ("an NVIDIA key", made("nvapi-", &format!("{DENSE}_{DENSE}"))),
        ("a Perplexity key", made("pplx-", "q7Gk2mZx9Lw4Tn8Vb3Rc6Yd1Hf5Js0Paq7Gk2mZx9Lw4Tn8V")),
        ("a Tavily key", made("tvly-", "dev-q7Gk2mZx9Lw4Tn8Vb3Rc6Yd1Hf5Js0Pa")),
        ("a Sentry token", made("sntrys_", &format!("{DENSE}_{DENSE}"))),
        ("a Supabase token", made("sbp_", "0a1b2c3d4e5f67890a1b2c3d4e5f67890a1b2c3d")),
        ("a Square secret", made("sq0csp-", "q7Gk2mZx9Lw4Tn8Vb3Rc6Yd1Hf5Js0Paq7Gk2mZx9Lw")),
        ("a Google key", made("AIza", "SyB1q7Gk2mZx9Lw4Tn8Vb3Rc6Yd1Hf5Js0P")),
        ("an npm token", made("npm_", "q7Gk2mZx9Lw4Tn8Vb3Rc6Yd1Hf5Js0Pa42Kx")),
        ("a DigitalOcean token", made("dop_v1_", &"0a1b2c3d4e5f6789".repeat(4))),
        ("a SendGrid key", made("SG.", "q7Gk2mZx9Lw4Tn8Vb3Rc6Y.q7Gk2mZx9Lw4Tn8Vb3Rc6Yd1Hf5Js0Paq7Gk2mZx9Lw")),
        (
            "an age key",
            made("AGE-SECRET-KEY-1", "Q7GK2MZX9LW4TN8VQ7GK2MZX9LW4TN8VQ7GK2MZX9LW4TN8VQ7GK2MZX9L"),
        ),
        ("a Vault token", made("hvs.", "CAESIJ2q7Gk2mZx9Lw4Tn8Vb3Rc6Yd1Hf5Js0Pa")),
        (
            "a Slack webhook",
            made("hooks.slack.com/services/", "T0Q7GK2MZ/B0X9LW4TN8V/q7Gk2mZx9Lw4Tn8Vb3Rc6Yd1"),
        ),
        (
            "a Discord webhook",
            made("discord.com/api/webhooks/", &format!("123456789012345678/{DENSE}_{DENSE}")),
        ),
        ("a Telegram token", made("123456789:", "AAHq7Gk2mZx9Lw4Tn8Vb3Rc6Yd1Hf5Js0Pa")),
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
            assert!(found.iter().any(|finding| finding.what == *what), "{what}: {line}: {found:?}");
            assert!(found.iter().all(|finding| !finding.masked.contains(&key[8..])), "{found:?}");
        }
    }
}

#[test]
fn values_named_as_secrets_are_found() {
    for line in [
        format!("password={DENSE}"),
        format!("api_key: \"{DENSE}\""),
        format!("{{\"text\":\"{{\\\"accessToken\\\": \\\"{DENSE}\\\"}}\"}}"),
        format!("TOKEN = '{DENSE}'"),
        format!("Authorization: Bearer {DENSE}"),
        made("token: ", "356a192b7913b04c54574d18c28d46e6395428ab"),
        made("DB_PASSWORD=", "Tr0ub4dor&3"),
        made("postgres://app:", "q7Gk2mZx9Lw4@db.example.org/app"),
        made("-----BEGIN RSA PRIVATE KEY", "-----"),
        made(
            "{\"text\":\"-----BEGIN OPENSSH PRIVATE KEY",
            "-----\\nb3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQ\"}",
        ),
        made(
            "    client-key-data: LS0tLS1CRUdJTi",
            "BSU0EgUFJJVkFURSBLRVktLS0tLQpNSUlFb3dJQkFBS0NBUUVBcTdHazJtWng5THc0",
        ),
        made("+  tls.key: LS0tLS1CRUdJTi", "BQUklWQVRFIEtFWS0tLS0tCk1JSUV2UUlCQURBTkJna3Foa2lH"),
    ] {
        assert!(!in_line(&line, &[]).is_empty(), "{line}");
    }
}

/// Placeholders in the tables below and their values: chosen passwords, a login in base64 and random texts. The tables
/// do not contain the values, so that scanners of this repository do not find them.
const STAND_INS: [(&str, &str); 20] = [
    ("PW0", "plainpw"),
    ("PW1", "sunshine"),
    ("PW2", "hunter2"),
    ("PW3", "letmein"),
    ("PW4", "Sunshine7"),
    ("PW5", "plain"),
    ("PW6", "pa%24s9word"),
    ("PW7", "Winter2023"),
    ("PW8", "supersicher2024"),
    ("PW9", "123456789"),
    ("PWA", "secret99"),
    ("PWX", "geheim wort"),
    ("PHRASE", "correct horse battery staple"),
    ("RAIN", "Summer.Rain22"),
    ("TROUB", "Tr0ub"),
    ("BOT", "MTk4NjIyNDgzNDcxOTI1MjQ4.Cl2FMQ.ZnCjm1XVW7vRze4b7Cq4se7kKWs"),
    ("STAPLE", "correct-horse-battery-staple"),
    ("LOGIN", "Ym9iOmh1bnRlcjI"),
    ("HEX", "356a192b7913b04c54574d18c28d46e6395428ab"),
    ("DENSE", DENSE),
];

/// Replaces the placeholders in a line by their values.
fn expand(line: &str) -> String {
    STAND_INS.iter().fold(line.to_owned(), |line, (stands, meant)| line.replace(stands, meant))
}

/// Lines that must be reported, and the reported kinds.
const FOUND: [(&str, &str); 85] = [
    ("+curl -u bob:PW1 https://host/", "a password on a command line"),
    ("x=$(curl -u bob:PW2 https://host/)", "a password on a command line"),
    ("      POSTGRES_PASSWORD: PW1", "a value of `POSTGRES_PASSWORD`"),
    ("+  password: PW3  # of the old one", "a value of `password`"),
    ("- password: PW1", "a value of `password`"),
    ("password=PW1", "a value of `password`"),
    ("psql postgres://user:PW0@host/app", "a password in an address"),
    ("git clone https://user:PW5@host/shop.git", "a password in an address"),
    ("redis://:PW1@cache:6379/0", "a password in an address"),
    ("DATABASE_URL=mysql://app:PW2@127.0.0.1/app", "a password in an address"),
    ("amqp://worker:PW6@mq.internal:5672/", "a password in an address"),
    ("machine api.internal login bob password PW1", "a password of .netrc"),
    ("+machine api.internal login bob password PW2 account x", "a password of .netrc"),
    ("default login bob password PW3", "a password of .netrc"),
    ("Authorization: Basic LOGIN=", "a login in a header"),
    ("curl -H 'authorization: basic LOGIN' x", "a login in a header"),
    (r#"{"auths":{"registry.internal":{"auth":"LOGIN="}}}"#, "a value of `auth`"),
    (r#"{"text":"{\"auth\": \"LOGIN=\"}"}"#, "a value of `auth`"),
    ("//registry.internal/:_auth=LOGIN=", "a value of `_auth`"),
    ("AccountName=shop;AccountKey=DENSE==", "a value of `AccountKey`"),
    ("  secret_key_base: HEX", "a value of `secret_key_base`"),
    ("SECRET_KEY_BASE_PRODUCTION=HEX", "a value of `SECRET_KEY_BASE_PRODUCTION`"),
    ("curl -u bob:PW1 https://host/", "a password on a command line"),
    ("curl -sS --user 'bob:PW2' https://host/", "a password on a command line"),
    ("+  /usr/bin/curl -ubob:PW2 https://host/", "a password on a command line"),
    ("curl --proxy-user=bob:PW3 x", "a password on a command line"),
    ("mysql -u app --password PW1 shop", "a password on a command line"),
    ("$ mysqldump -uapp -pPW1 shop > x.sql", "a password on a command line"),
    ("sshpass -p PW3 ssh bob@host", "a password on a command line"),
    ("redis-cli -h cache -a PW1 ping", "a password on a command line"),
    ("tool login --password PW2", "a password on a command line"),
    ("tool login --password=PW1", "a password on a command line"),
    ("db.internal:5432:shop:app:PW1", "a password of .pgpass"),
    ("+*:*:*:app:PW2", "a password of .pgpass"),
    ("password = \"PW2\"", "a value of `password`"),
    ("password = 'PW3'", "a value of `password`"),
    ("let password = \"PW2\";", "a value of `password`"),
    ("  \"password\": \"PW1\",", "a value of `password`"),
    ("'DB_PASSWORD' => 'PW2',", "a value of `DB_PASSWORD`"),
    (r#"{"text":"I set password = \"PW2\" in it"}"#, "a value of `password`"),
    (r#"{"text":"{\"input\":\"password = \\\"PW2\\\"\"}"}"#, "a value of `password`"),
    ("password: PW2", "a value of `password`"),
    ("password=PW2", "a value of `password`"),
    ("export PGPASSWORD=PW1", "a value of `PGPASSWORD`"),
    ("+DB_PASS=PW3", "a value of `DB_PASS`"),
    ("connect(user='bob', passwd='PW4')", "a value of `passwd`"),
    ("log in with password: PW2 please", "a value of `password`"),
    ("<password>PW2</password>", "a value of `password`"),
    ("spring.datasource.password=PW2", "a value of `password`"),
    (r#"{"content":"password:\n  PW2\nuser: bob"}"#, "a value of `password`"),
    ("docker login -u bob -p PW7 registry", "a password on a command line"),
    ("+podman login registry.internal --username bob --password PW1", "a password on a command line"),
    ("docker login -pPW7 registry && docker run -p 8080:80 x", "a password on a command line"),
    (r#"{"command":"docker login -u bob -p PW7 registry"}"#, "a password on a command line"),
    (r#"{"command":"curl -u bob:PW1 https://host/"}"#, "a password on a command line"),
    ("https://ptb.discord.com/api/v10/webhooks/123456789012345678/DENSE_DENSE", "a Discord webhook"),
    ("htpasswd -b f bob PW7", "a password on a command line"),
    ("$ htpasswd -nbB bob PW1 >> f", "a password on a command line"),
    ("htpasswd -cbBC 10 /etc/f bob 'PW1'", "a password on a command line"),
    ("ALTER USER bob WITH PASSWORD 'PW7';", "a password in SQL"),
    ("psql -c \"create role bob login password 'PW1'\"", "a password in SQL"),
    ("ALTER ROLE bob ENCRYPTED PASSWORD 'PWX';", "a password in SQL"),
    ("CREATE USER 'bob'@'%' IDENTIFIED BY 'PW7'", "a password in SQL"),
    ("+  identified with caching_sha2_password by 'PW1';", "a password in SQL"),
    ("PASSWORD=PW9", "a value of `PASSWORD`"),
    ("+  password: PW9", "a value of `password`"),
    ("DB_PASSWORD=\"PW9\"", "a value of `DB_PASSWORD`"),
    ("DB_PASSWORD=\"PWX\"", "a value of `DB_PASSWORD`"),
    ("password: 'PHRASE'", "a value of `password`"),
    ("\"password\": \"STAPLE\",", "a value of `password`"),
    ("DB_PASSWORD=STAPLE", "a value of `DB_PASSWORD`"),
    ("JWT_SECRET=STAPLE", "a value of `JWT_SECRET`"),
    ("jwt_secret: PW8", "a value of `jwt_secret`"),
    ("const jwtSecret = 'PW8';", "a value of `jwtSecret`"),
    ("SECRET_KEY = 'STAPLE'", "a value of `SECRET_KEY`"),
    ("<add key=\"Password\" value=\"PW7x\" />", "a value of `Password`"),
    ("<property name='connection.password' value='PW1'/>", "a value of `password`"),
    (r#"{"name": "DB_PASSWORD", "value": "PW2"}"#, "a value of `DB_PASSWORD`"),
    ("https://shop.blob.core.windows.net/a?sv=2022-11-02&sr=b&sig=DENSEq7Gk2mZx9L%3D", "a value of `sig`"),
    (
        r#"{"u":"https://x/a?sv=2022-11-02\u0026sp=r\u0026sig=DENSE%2Bq7Gk2mZx%3D\u0026se=2027"}"#,
        "a value of `sig`",
    ),
    ("ftp://bob:PWA@host", "a password in an address"),
    ("token: BOT", "a value of `token`"),
    ("DB_PASSWORD=RAIN", "a value of `DB_PASSWORD`"),
    ("password=TROUB.4dor", "a value of `password`"),
    ("DB_PASSWORD=TROUB4dor(3)", "a value of `DB_PASSWORD`"),
];

#[test]
fn human_password_is_found_where_only_a_password_can_be() {
    for (line, what) in &FOUND {
        let line = expand(line);
        let found = in_line(&line, &[]);
        assert!(found.iter().any(|finding| finding.what == *what), "{line}: {found:?}");
        for (_, secret) in STAND_INS {
            assert!(!found.iter().any(|finding| finding.masked.contains(secret)), "{line}: {found:?}");
        }
    }
}

#[test]
fn secrets_that_continue_on_the_next_line_are_found() {
    for (text, what) in [
        ("password:\n  PW2", "a value of `password`"),
        ("db:\n  password: |\n    PW2\n  user: app", "a value of `password`"),
        ("+  password: >-\n+    \"PW1\"", "a value of `password`"),
        ("  - api_token:\n\n      DENSE", "a value of `api_token`"),
        ("machine api.internal\n  login bob\n  password PW1", "a password of .netrc"),
        ("env:\n  - name: DB_PASSWORD\n    value: PW2", "a value of `DB_PASSWORD`"),
        ("+ - name: \"API_TOKEN\"\n+   value: \"DENSE\"", "a value of `API_TOKEN`"),
        ("{\n  \"name\": \"DB_PASSWORD\",\n  \"value\": \"PW1\"\n}", "a value of `DB_PASSWORD`"),
    ] {
        let mut reading = LineScanner::default();
        let found: Vec<Finding> = expand(text).lines().flat_map(|line| reading.line(line, &[])).collect();
        assert!(found.iter().any(|finding| finding.what == what), "{text}: {found:?}");
    }
    for text in [
        "password:\n  type: string",
        "password:\nhunter2",
        "password:\n  - hunter2fans",
        "token:\n  required: true",
        "secrets:\n  - db_password_2",
        "the machine\n  password sunshine",
        "machine api.internal\nand more\npassword sunshine",
        "password:\n  ${DB_PASSWORD}",
        "- name: DB_PASSWORD\n  value: ${DB_PASSWORD}",
        "- name: DB_PASSWORD\n  value: \"\"",
        "- name: DB_PASSWORD\n  valueFrom:\n    secretKeyRef: {name: db, key: password}",
        "- name: DB_PASSWORD\n  description: what the database wants\n- name: USER\n  value: hunter2xQ9",
        "- name: HOST\n  value: hunter2xQ9",
        "name: password\nvalue: string",
        "password:\n  get_password2()",
    ] {
        let mut reading = LineScanner::default();
        let found: Vec<Finding> = text.lines().flat_map(|line| reading.line(line, &[])).collect();
        assert_eq!(found, [], "{text}");
    }
}
