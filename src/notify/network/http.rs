//! One HTTP request with limits: a time limit, no redirects, and an answer of which only the status is read.

use std::time::Duration;

use ureq::Agent;
use ureq::tls::{Certificate, RootCerts, TlsConfig};

use crate::model::WebUrl;
use crate::notify::NoticeError;

/// Time limit of one request. Services answer within a second; a phone network is not involved.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(10);
/// Maximum size of the head of an answer in bytes.
const MAX_ANSWER_HEAD_BYTES: usize = 16 * 1024;

/// A request that sends one notice.
#[derive(Clone, PartialEq, Eq)]
pub struct HttpRequest {
    /// Address of the service.
    pub url: WebUrl,
    /// Names and values of header fields.
    pub headers: Vec<(&'static str, String)>,
    /// Body of the request.
    pub body: Vec<u8>,
}

/// Sends requests. Trusts the certificates that the system trusts.
pub struct HttpClient(Agent);

impl HttpClient {
    /// Creates a client, and reads the certificates of the system.
    pub fn new() -> HttpClient {
        // Certificates that cannot be read are missing in the list, and requests that need them fail.
        let found = rustls_native_certs::load_native_certs().certs;
        let roots = found.iter().map(|der| Certificate::from_der(der).to_owned());
        let tls = TlsConfig::builder()
            .root_certs(RootCerts::from(roots))
            .unversioned_rustls_crypto_provider(rustls::crypto::ring::default_provider().into())
            .build();
        let config = Agent::config_builder()
            .tls_config(tls)
            .timeout_global(Some(REQUEST_TIMEOUT))
            .max_redirects(0)
            .max_response_header_size(MAX_ANSWER_HEAD_BYTES)
            .max_idle_connections(0)
            .http_status_as_error(false)
            .user_agent(concat!("symposium/", env!("CARGO_PKG_VERSION")))
            .build();
        HttpClient(config.new_agent())
    }

    /// Sends a request with `POST`. Every status but a successful one is an error, also a redirect.
    pub fn post(&self, request: &HttpRequest) -> Result<(), NoticeError> {
        let host = || request.url.host().to_owned();
        let fields = request.headers.iter();
        let sent = fields
            .fold(self.0.post(request.url.as_str()), |builder, (name, value)| builder.header(*name, value))
            .send(&request.body[..]);
        match sent {
            // The body of the answer is not read; the connection is closed with it.
            Ok(answer) if answer.status().is_success() => Ok(()),
            Ok(answer) => Err(NoticeError::Answered { host: host(), status: answer.status().as_u16() }),
            Err(error) => Err(NoticeError::Unreachable { host: host(), why: failure_text(&error) }),
        }
    }
}

impl Default for HttpClient {
    fn default() -> HttpClient {
        HttpClient::new()
    }
}

/// Returns a description of a failure without the address, whose path may be a secret.
fn failure_text(error: &ureq::Error) -> String {
    match error {
        ureq::Error::BadUri(_) => "its address is invalid".to_owned(),
        ureq::Error::Timeout(_) => format!("it did not answer within {} s", REQUEST_TIMEOUT.as_secs()),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::TcpListener;

    use super::*;

    /// Answers one request with a text, and returns the error of the client and the request.
    fn exchange(answer: &'static str) -> (Result<(), NoticeError>, String) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/topic-name", listener.local_addr().unwrap());
        let server = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut request = Vec::new();
            while !request.ends_with(b"the body") {
                let mut bytes = [0; 1024];
                let count = stream.read(&mut bytes).unwrap();
                request.extend(&bytes[..count]);
            }
            stream.write_all(answer.as_bytes()).unwrap();
            String::from_utf8(request).unwrap()
        });
        let headers = vec![("authorization", "Bearer x".to_owned())];
        let request = HttpRequest { url: url.parse().unwrap(), headers, body: b"the body".to_vec() };
        (HttpClient::new().post(&request), server.join().unwrap())
    }

    #[test]
    fn a_request_has_its_headers_and_body_and_needs_a_successful_status() {
        let (sent, request) = exchange("HTTP/1.1 201 Created\r\ncontent-length: 0\r\n\r\n");
        assert!(sent.is_ok(), "{sent:?}");
        assert!(request.starts_with("POST /topic-name HTTP/1.1\r\n"), "{request}");
        assert!(request.contains("authorization: Bearer x\r\n"), "{request}");
    }

    #[test]
    fn errors_and_redirects_are_reported_without_the_path() {
        for (answer, expected) in [
            ("HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n", "127.0.0.1 answered 403"),
            (
                "HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 0\r\n\r\n",
                "127.0.0.1 answered 302",
            ),
        ] {
            let (sent, _) = exchange(answer);
            assert_eq!(sent.unwrap_err().to_string(), expected);
        }
        let (sent, _) = exchange("nonsense");
        let message = sent.unwrap_err().to_string();
        assert!(message.starts_with("127.0.0.1 could not be reached: "), "{message}");
        assert!(!message.contains("topic-name"), "{message}");
    }
}
