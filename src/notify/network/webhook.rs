//! The request to a webhook: the notice as JSON, signed with a key that the receiver knows.

use ring::hmac;

use super::HttpRequest;
use crate::model::{NoticeChannel, NoticeMessage};

/// The header with the signature of the body.
const SIGNATURE_HEADER: &str = "x-symposium-signature-256";

/// Returns the request that sends a message. With a key, the HMAC-SHA256 of the body is in a header as
/// `sha256=` and hexadecimal digits.
pub fn webhook_request(channel: &NoticeChannel, key: Option<&str>, message: &NoticeMessage) -> HttpRequest {
    let body = serde_json::to_vec(message).unwrap_or_default();
    let mut headers = vec![("content-type", "application/json".to_owned())];
    headers.extend(key.map(|key| (SIGNATURE_HEADER, signature(key, &body))));
    HttpRequest { url: channel.url.clone(), headers, body }
}

fn signature(key: &str, body: &[u8]) -> String {
    let tag = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, key.as_bytes()), body);
    let digits: String = tag.as_ref().iter().map(|byte| format!("{byte:02x}")).collect();
    format!("sha256={digits}")
}

#[cfg(test)]
mod tests {
    use super::super::ntfy::tests::{channel, message};
    use super::*;

    #[test]
    fn the_signature_is_the_hmac_of_the_body() {
        // Test case 2 of RFC 4231.
        let expected = "sha256=5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843";
        assert_eq!(signature("Jefe", b"what do ya want for nothing?"), expected);
    }

    #[test]
    fn a_webhook_gets_the_notice_with_link_and_answers() {
        let request = webhook_request(&channel("https://hook.example/x"), Some("key"), &message());
        let body: serde_json::Value = serde_json::from_slice(&request.body).unwrap();
        assert_eq!((&body["on"], &body["agent"]), (&"waiting".into(), &"api".into()));
        assert_eq!(body["link"], "https://box.example/#agent=api");
        assert_eq!(
            (&body["answers"][0]["answer"], &body["answers"][0]["token"]),
            (&"approve".into(), &"t1".into())
        );
        assert!(body["sent_at"].is_string());
        let signed = (SIGNATURE_HEADER, signature("key", &request.body));
        assert!(request.headers.contains(&signed), "{:?}", request.headers);
        assert_eq!(webhook_request(&channel("https://a/"), None, &message()).headers.len(), 1);
    }
}
