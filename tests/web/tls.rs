//! The page with a certificate of its own: encrypted connections, the files, and their renewal.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::sync::Arc;

use rcgen::{CertifiedKey, KeyPair, generate_simple_self_signed};
use tokio_rustls::rustls::crypto::ring::default_provider;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};

use super::{Server, pairing_link, spawned};
use crate::support::TestEnv;

/// A certificate for `localhost` that only a client of the test trusts.
fn certificate() -> CertifiedKey<KeyPair> {
    generate_simple_self_signed(["localhost".to_owned()]).expect("a certificate")
}

/// The files of a certificate in the environment of the test.
struct Files {
    certificate: PathBuf,
    key: PathBuf,
}

impl Files {
    fn write(env: &TestEnv, made: &CertifiedKey<KeyPair>) -> Files {
        let files =
            Files { certificate: env.root().join("certificate.pem"), key: env.root().join("key.pem") };
        files.put(&files.key, &made.signing_key.serialize_pem());
        files.put(&files.certificate, &made.cert.pem());
        files
    }

    /// Replaces a file as programs that renew certificates do, with a private mode.
    fn put(&self, path: &PathBuf, text: &str) {
        let unfinished = path.with_extension("new");
        fs::write(&unfinished, text).expect("writing");
        fs::set_permissions(&unfinished, fs::Permissions::from_mode(0o600)).expect("a mode");
        fs::rename(unfinished, path).expect("replacing");
    }

    fn options(&self) -> [String; 4] {
        let text = |path: &PathBuf| path.display().to_string();
        ["--tls-cert".into(), text(&self.certificate), "--tls-key".into(), text(&self.key)]
    }
}

/// Returns the configuration of a client that trusts these certificates only.
fn trusting(certificates: &[CertificateDer<'static>]) -> Arc<ClientConfig> {
    let mut roots = RootCertStore::empty();
    for certificate in certificates {
        roots.add(certificate.clone()).expect("a certificate");
    }
    let config = ClientConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()
        .expect("versions");
    Arc::new(config.with_root_certificates(roots).with_no_client_auth())
}

/// Opens an encrypted connection; the handshake happens with the first bytes.
pub(super) fn encrypted(
    server: &Server,
    trust: &Arc<ClientConfig>,
) -> StreamOwned<ClientConnection, TcpStream> {
    let name = ServerName::try_from("localhost").expect("a name");
    StreamOwned::new(ClientConnection::new(Arc::clone(trust), name).expect("a client"), server.connect())
}

/// Returns the certificate that a new connection gets.
fn presented(server: &Server, trust: &Arc<ClientConfig>) -> CertificateDer<'static> {
    let mut stream = encrypted(server, trust);
    stream.conn.complete_io(&mut stream.sock).expect("a handshake");
    stream.conn.peer_certificates().expect("a certificate")[0].clone()
}

fn serve(env: &TestEnv, files: &Files, listen: &str) -> Server {
    let options = files.options();
    let fixed = ["--listen", listen, "--allow-host", "localhost"];
    let args: Vec<&str> = fixed.into_iter().chain(options.iter().map(String::as_str)).collect();
    Server::start_with(env, &args)
}

#[test]
fn the_page_is_served_encrypted_with_secure_cookies() {
    let env = TestEnv::new();
    let made = certificate();
    let mut server = serve(&env, &Files::write(&env, &made), "0.0.0.0:0");
    server.trust = Some(trusting(&[made.cert.der().clone()]));
    let link = pairing_link(&env);
    assert!(
        link["url"].as_str().is_some_and(|url| url.starts_with(&format!("{}/#pair=", server.origin()))),
        "{link}"
    );
    let paired = server.pair(link["code"].as_str().expect("a code"), "phone");
    let cookie = paired.header("set-cookie").expect("a cookie");
    assert!(cookie.starts_with("__Host-symposium-device-") && cookie.ends_with("; Secure"), "{cookie}");
    let device = server.paired(&env, "laptop");
    assert_eq!(server.send(&server.get(&device, "/api/agents")).status, 200);
    let mut events = server.stream(&device, "/api/events");
    spawned(&env, "a", None, "idle");
    events.until("agents", |list| list["agents"][0]["name"] == "a");
    let unencrypted = format!("http://{}", server.host);
    let request = server.get(&device, "/api/agents").with("origin", &unencrypted);
    assert_eq!(server.send(&request).code(), "origin");
    let foreign = server.get(&device, "/api/agents").with("host", "evil.example");
    assert_eq!(server.send(&foreign).status, 421);
}

#[test]
fn unencrypted_requests_to_the_encrypted_port_get_no_answer() {
    let env = TestEnv::new();
    let server = serve(&env, &Files::write(&env, &certificate()), "127.0.0.1:0");
    let mut stream = server.connect();
    stream.write_all(server.request("GET", "/").text().as_bytes()).expect("it listens");
    let mut answer = Vec::new();
    // The server may reset the connection.
    let _ = stream.read_to_end(&mut answer);
    assert!(!String::from_utf8_lossy(&answer).contains("HTTP/"), "{answer:?}");
}

#[test]
fn unfinished_handshakes_are_closed_and_make_room_for_the_owner() {
    let env = TestEnv::new();
    let made = certificate();
    let mut server = serve(&env, &Files::write(&env, &made), "127.0.0.1:0");
    server.trust = Some(trusting(&[made.cert.der().clone()]));
    let device = server.paired(&env, "phone");
    let mut unfinished = server.connect();
    // The beginning of a handshake of 512 bytes.
    unfinished.write_all(&[0x16, 0x03, 0x01, 0x02, 0x00, 0x01]).expect("it listens");
    let mut rest = Vec::new();
    let _ = unfinished.read_to_end(&mut rest);
    let held: Vec<TcpStream> = (0..3 * super::flood::MAX_CONNECTIONS).map(|_| server.connect()).collect();
    assert_eq!(server.send(&server.get(&device, "/api/agents")).status, 200);
    drop(held);
}

#[test]
fn a_renewed_certificate_is_used_without_a_restart() {
    let env = TestEnv::new();
    let (old, new) = (certificate(), certificate());
    let files = Files::write(&env, &old);
    let server = serve(&env, &files, "127.0.0.1:0");
    let trust = trusting(&[old.cert.der().clone(), new.cert.der().clone()]);
    assert_eq!(&presented(&server, &trust), old.cert.der());
    // Only one of the files is new for a moment.
    files.put(&files.certificate, &new.cert.pem());
    assert_eq!(&presented(&server, &trust), old.cert.der());
    files.put(&files.key, &new.signing_key.serialize_pem());
    assert_eq!(&presented(&server, &trust), new.cert.der());
    files.put(&files.key, "damaged");
    assert_eq!(&presented(&server, &trust), new.cert.der());
}

#[test]
fn files_that_cannot_be_used_are_refused_with_the_reason() {
    let env = TestEnv::new();
    let files = Files::write(&env, &certificate());
    let (certificate_path, key_path) = (files.certificate.display(), files.key.display());
    let refused = |listen: &str, more: &[&str]| {
        let options = files.options();
        let args = ["web", "--listen", listen].into_iter().chain(options.iter().map(String::as_str));
        env.symposium(args.chain(more.iter().copied())).fails(2).stderr
    };
    let alone = refused("0.0.0.0:0", &[]);
    assert!(alone.contains("needs the name in its certificate") && alone.contains("--allow-host"), "{alone}");
    refused("127.0.0.1:0", &["--behind-proxy", "--allow-host", "box.example"]);
    env.symposium(["web", "--tls-cert", "x"]).fails(2);
    for mode in [0o640, 0o604, 0o620] {
        fs::set_permissions(&files.key, fs::Permissions::from_mode(mode)).expect("a mode");
        let text = refused("127.0.0.1:0", &[]);
        assert!(text.contains(&format!("its mode is {mode:04o}\n")), "{text}");
        assert!(text.contains(&format!("hint: chmod 600 {key_path}")), "{text}");
    }
    files.put(&files.key, &certificate().signing_key.serialize_pem());
    let text = refused("127.0.0.1:0", &[]);
    let expected =
        format!("the key in `{key_path}` does not belong to the certificate in `{certificate_path}`");
    assert!(text.contains(&expected), "{text}");
    files.put(&files.certificate, &certificate().signing_key.serialize_pem());
    assert!(refused("127.0.0.1:0", &[]).contains("has a private key and no certificate"));
    files.put(&files.certificate, "nothing");
    assert!(refused("127.0.0.1:0", &[]).contains(&format!("`{certificate_path}` has no certificate")));
    files.put(&files.certificate, &certificate().cert.pem());
    files.put(
        &files.key,
        "-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----\n",
    );
    assert!(refused("127.0.0.1:0", &[]).contains("is encrypted with a passphrase"));
    fs::remove_file(&files.key).expect("removing");
    let options = files.options();
    let args = ["web", "--install"].into_iter().chain(options.iter().map(String::as_str));
    let missing = env.symposium(args).fails(1).stderr;
    assert!(missing.contains(&format!("cannot read `{key_path}`")), "{missing}");
}
