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
        made("token: ", "356a192b7913b04c54574d18c28d46e6395428ab"),
        made("DB_PASSWORD=", "Tr0ub4dor&3"),
        made("postgres://app:", "q7Gk2mZx9Lw4@db.example.org/app"),
        made("-----BEGIN RSA PRIVATE KEY", "-----"),
        made(
            "{\"text\":\"-----BEGIN OPENSSH PRIVATE KEY",
            "-----\\nb3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQ\"}",
        ),
    ] {
        assert!(!in_line(&line, &[]).is_empty(), "{line}");
    }
}

/// Stand for what people make up, for a login in base64 and for what dice make, so that nobody who scans this repository
/// finds any of it.
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

/// The line that is meant.
fn meant(line: &str) -> String {
    STAND_INS.iter().fold(line.to_owned(), |line, (stands, meant)| line.replace(stands, meant))
}

/// What must be found, and what it is called.
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
fn what_people_make_up_is_found_where_it_can_only_be_a_password() {
    for (line, what) in &FOUND {
        let line = meant(line);
        let found = in_line(&line, &[]);
        assert!(found.iter().any(|one| one.what == *what), "{line}: {found:?}");
        for (_, secret) in STAND_INS {
            assert!(!found.iter().any(|one| one.masked.contains(secret)), "{line}: {found:?}");
        }
    }
}

#[test]
fn what_goes_on_in_the_next_line_is_found() {
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
        let mut reading = Reading::default();
        let found: Vec<Finding> = meant(text).lines().flat_map(|line| reading.line(line, &[])).collect();
        assert!(found.iter().any(|one| one.what == what), "{text}: {found:?}");
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
        let mut reading = Reading::default();
        let found: Vec<Finding> = text.lines().flat_map(|line| reading.line(line, &[])).collect();
        assert_eq!(found, [], "{text}");
    }
}

#[test]
fn programs_and_sentences_about_passwords_pass() {
    for line in [
        "password: String,",
        "pub password: Option<String>,",
        "password: str = Field(min_length=8)",
        "password: string;",
        "  password: string",
        "password: usize",
        "pub const ERROR_WRONG_PASSWORD: WIN32_ERROR = 1323u32;",
        "password: the one that was sent",
        "    password=passwd",
        "if password: return",
        "password = default",
        "  password?: string | undefined",
        "password = get_password()",
        "password = getpass.getpass(\"Password: \")",
        "password = args.password2",
        "password = sys.argv[2]",
        "password := os.Getenv(\"DB_PASSWORD2\")",
        "let password = prompt_password1!();",
        "password: process.env.DB_PASSWORD",
        "password=password, user=user",
        "PASSWORD=$PASSWORD",
        "password: \"$PASSWORD\"",
        "password: ${{ secrets.DB_PASSWORD_2 }}",
        "password: \"{{ vault_password_2 }}\"",
        "password: !vault |",
        "password: *default_pw1",
        "password: \"<your-password>\" token: <your-token-123456789>",
        "\"password\": \"string\", \"token\": \"string\"",
        "\"password\": \"Passwort\", \"new_password\": \"Neues Kennwort\"",
        "password: 'required|min:8|confirmed'",
        "password = \"changeme\" or password = \"password123\" or PASSWORD=test1234",
        "assert login(user=\"test\", password=\"p@ssw0rd\")",
        "<input type=\"password\" name=\"password\" autocomplete=\"current-password\">",
        "curl -u user:pass https://example.com/ and curl -u \"$USER:$TOKEN\" x",
        "curl -u bob https://host/ asks; curl --user-agent x:yz123 y",
        "curl -X POST https://host/ -d @file.json --upload-file a:b",
        "mysql -u root -p shop; mysql -uroot -ppassword; mysql --password=$PW -P 3306",
        "mysql --password is read from the terminal, use --password to set it",
        "mysql --protocol tcp --port 3306 --print-defaults",
        "use `--password VALUE`, `--password <PW>`, `--password-file /run/x1`",
        "https://user:password@host, http://foo:bar@baz, https://USER:TOKEN@github.com/x",
        "https://bob:sunshine@example.com/ and https://bob:hunter2@db.example.org/",
        "postgres://app:app@localhost/app postgres://shop:shop123@localhost:5432/shop",
        "https://${USER}:${TOKEN}@host https://x-access-token:$TOKEN@github.com/a/b",
        "re.compile(r\"://([^:]+):([^@]+)@\")",
        "http://localhost:8080/@scope/pkg http://[::1]:80/a@b https://host:8443?next=a@b",
        "Authorization: Basic dXNlcjpwYXNzd29yZA== and Basic authentication is enough",
        "\"auth\": \"required\", auth: true, auth=bearer, \"auth\": \"none12345678\"",
        "src/main.rs:1204:17:error:unused2 main.rs:12:5:warning:x",
        "2026-11-16T16:53:30 10.0.0.1:5432:a",
        "machine learning is a login to a password sunshine",
        "machine api login bob password $PASSWORD",
        "NOPASSWD:ALL OLDPWD=/home/u1 PWD=/srv/app2",
        "password_hash: 356a192b7913b04c54574d18c28d46e6395428ab",
        "token_id=356a192b7913b04c54574d18c28d46e6395428ab token_url=https://host/a1b2c3d4e5f6a7b8",
        "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY AKIAIOSFODNN7EXAMPLE",
        "Password: SHA256 is no password hash; password: argon2id",
        "SG.name.of.something SGX.a.b hvs.txt",
        "age-secret-key AGE-SECRET-KEY-1... dop_v1_<token>",
    ] {
        assert_eq!(in_line(line, &[]), [], "{line}");
    }
}

#[test]
fn parts_of_programs_are_no_passwords() {
    for line in [
        "password: process.env.S3_PASSWORD",
        "  password: process.env.SMTP_PASS2,",
        "const PASSWORD=process.env.S3_PASSWORD",
        "password: process.env.S3_PASSWORD!,",
        "password = settings.DB1_PASSWORD",
        "PASSWORD = settings.DB1_PASSWORD",
        "password: req.body.newPassword2",
        "password: &config.Db2Password,",
        "private_key = ed25519.Ed25519PrivateKey.from_private_bytes(x)",
        "private_key: ed25519.Ed25519PrivateKey,",
        "def sign(private_key: Ed25519PrivateKey) -> bytes:",
        "password = base64.b16encode(x)",
        "password = Sha256Hash(x)",
        "let password = Password::Sha256Hashed;",
        "token = Oauth2Client2Factory.newOauth2Token(x)",
        "render_pass: gbuffer0",
        "shadow_pass = \"cascade3\"",
        "PASS=stage2",
        "api.py:1024:handler:request:failed",
        "WARNING:2024:root:request:failed",
        "docker://registry:5000@sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX",
        "https://discord.com/api/webhooks/ID/TOKEN https://discord.com/developers/docs/resources/webhook",
        "10:AAH 2026-11-16:AAHed",
        "docker login -u bob --password-stdin registry && mkdir -p releases/new2",
        "docker login -u \"$USER\" -p \"$TOKEN\" registry; mkdir -p releases",
        "docker run -p 8080:80 login; docker compose -p shop2 up",
        "finds `docker login -p`, sunshine and `sshpass -p` everywhere",
        "sshpass -p \"$PW\" ssh bob@host mkdir -p releases",
        "htpasswd -b takes the password from the command line, htpasswd -c f bob asks",
        "`htpasswd -b` is bad practice; htpasswd -b f bob $PASSWORD",
        "ALTER USER bob WITH PASSWORD '$PASSWORD'; CREATE USER x IDENTIFIED BY '<password>'",
        "f\"ALTER USER {user} WITH PASSWORD '{password}'\" % x, IDENTIFIED BY '%s'",
        "ALTER USER bob WITH PASSWORD 'password'; IDENTIFIED BY 'secret'",
        "the user is identified by 'slug', the password 'sunshine' is none",
        "rows are identified by 'user_id'; identified by \"uuid4\" only",
        "password: \"must have eight characters at least\"",
        "password: 'is too short', password: \"Neues Kennwort\", \"password\": \"mot de passe\"",
        "WRONG_PASSWORD=\"nicht richtig\" PASSWORD_LABEL=\"geheim wort\"",
        "STATUS_WRONG_PASSWORD = 3221225578, password: '12345678'",
        "jwt_secret: my-app-jwt-secret",
        "existingSecret: postgres-creds-v2",
        "  secret: shop-tls-2",
        "jwt_secret = settings.jwt_secret2",
        "JWT_SECRET=$JWT_SECRET JWT_SECRET=your-secret-key JWT_SECRET=changeme123",
        "<add key=\"Timeout\" value=\"Winter2023\" /> <add key=\"Password\" value=\"\" />",
        "<property name=\"password\" value=\"${db.password2}\"/>",
        "https://host/a?sig=1 https://host/?sv=1&sig=name&se=2",
        "ftp://user:secret99@host ftp://bob:password123@host postgres://bob:secret42@localhost/x",
    ] {
        assert_eq!(in_line(line, &[]), [], "{line}");
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
