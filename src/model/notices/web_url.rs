//! Addresses to which notices are sent: parsed once, so that no part of them has to be interpreted later.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Maximum length of an address in bytes. The addresses of push services are the longest, with about 250.
const MAX_URL_BYTES: usize = 2048;

/// An `https` address, or an `http` address of this machine. It has no user name, password or fragment.
#[derive(Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct WebUrl {
    text: String,
    /// Length of the origin at the beginning of the text.
    origin_bytes: usize,
}

/// Why a text is not an address to which notices can be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InvalidWebUrl {
    /// The text is not an `https` address in its plain form.
    #[error("it is not an address such as https://example.org/path")]
    Form,
    /// Notices would cross the network unencrypted.
    #[error("it needs https: notices would cross the network unencrypted")]
    Unencrypted,
}

impl WebUrl {
    /// Returns the whole address.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns scheme, host and port.
    pub fn origin(&self) -> &str {
        &self.text[..self.origin_bytes]
    }

    /// Returns what follows the origin: nothing, or a path with its query.
    pub fn path(&self) -> &str {
        &self.text[self.origin_bytes..]
    }

    /// Returns the host without the port. It is what messages name, because the path may be a secret.
    pub fn host(&self) -> &str {
        let authority = self.origin().split_once("://").map_or("", |(_, authority)| authority);
        host_of(authority).unwrap_or_default()
    }

    /// Checks whether browsers on other devices cannot reach the address, because it names this machine.
    pub fn is_loopback(&self) -> bool {
        is_loopback(self.host())
    }

    /// Returns the address of a file or directory below this one.
    pub fn join(&self, relative: &str) -> String {
        let base = if self.text.ends_with('/') { "" } else { "/" };
        format!("{}{base}{relative}", self.text)
    }
}

impl FromStr for WebUrl {
    type Err = InvalidWebUrl;

    fn from_str(text: &str) -> Result<WebUrl, InvalidWebUrl> {
        let is_plain = |c: char| c.is_ascii_graphic() && !matches!(c, '\\' | '#' | '"' | '<' | '>' | '@');
        if text.len() > MAX_URL_BYTES || !text.chars().all(is_plain) {
            return Err(InvalidWebUrl::Form);
        }
        let (scheme, rest) = text.split_once("://").ok_or(InvalidWebUrl::Form)?;
        let authority_bytes = rest.find(['/', '?']).unwrap_or(rest.len());
        let host = host_of(&rest[..authority_bytes]).ok_or(InvalidWebUrl::Form)?;
        match scheme {
            "https" => {}
            "http" if is_loopback(host) => {}
            "http" => return Err(InvalidWebUrl::Unencrypted),
            _ => return Err(InvalidWebUrl::Form),
        }
        let origin_bytes = text.len() - rest.len() + authority_bytes;
        Ok(WebUrl { text: text.to_owned(), origin_bytes })
    }
}

impl TryFrom<String> for WebUrl {
    type Error = InvalidWebUrl;

    fn try_from(text: String) -> Result<WebUrl, InvalidWebUrl> {
        text.parse()
    }
}

impl From<WebUrl> for String {
    fn from(url: WebUrl) -> String {
        url.text
    }
}

impl fmt::Debug for WebUrl {
    /// Writes the origin only, because the path may be a secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "WebUrl({}/…)", self.origin())
    }
}

/// Returns the host of an authority, or `None` if it is not a host with an optional port.
fn host_of(authority: &str) -> Option<&str> {
    let (host, port) = match authority.rsplit_once(':') {
        Some((host, port)) if !port.ends_with(']') => (host, Some(port)),
        _ => (authority, None),
    };
    let is_host = match host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        Some(address) => address.parse::<std::net::Ipv6Addr>().is_ok(),
        None => {
            let is_label_char = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-');
            !host.is_empty() && host.chars().all(is_label_char)
        }
    };
    (is_host && port.is_none_or(|port| port.parse::<u16>().is_ok())).then_some(host)
}

fn is_loopback(host: &str) -> bool {
    let address = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
    host.eq_ignore_ascii_case("localhost") || address.is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_of_an_address_are_known() {
        let url: WebUrl = "https://ntfy.example:8443/a/topic?x=1".parse().unwrap();
        assert_eq!((url.origin(), url.path()), ("https://ntfy.example:8443", "/a/topic?x=1"));
        assert_eq!((url.host(), url.is_loopback()), ("ntfy.example", false));
        assert!(!format!("{url:?}").contains("topic"));
        let page = |text: &str| text.parse::<WebUrl>().unwrap().join("#agent=a");
        assert_eq!(page("https://box.example"), "https://box.example/#agent=a");
        assert_eq!(page("https://box.example/sy/"), "https://box.example/sy/#agent=a");
    }

    #[test]
    fn only_encrypted_or_local_addresses_in_plain_form_are_accepted() {
        for good in
            ["https://a", "https://a:1/", "https://[2001:db8::1]/x", "http://localhost:1/", "http://[::1]"]
        {
            assert!(good.parse::<WebUrl>().is_ok(), "{good}");
        }
        for bad in [
            "",
            "https://",
            "https:///x",
            "https://a:b/",
            "https://user@a/",
            "https://push.example@evil.example/",
            "https://push.example\\.evil.example/",
            "https://a b/",
            "https://a/#x",
            "https://ä/",
            "ftp://a/",
            "file:///etc/passwd",
            "//a/",
            "HTTPS://a/",
        ] {
            assert_eq!(bad.parse::<WebUrl>(), Err(InvalidWebUrl::Form), "{bad}");
        }
        for bad in ["http://a/", "http://192.168.1.2/", "http://localhost.evil.example/"] {
            assert_eq!(bad.parse::<WebUrl>(), Err(InvalidWebUrl::Unencrypted), "{bad}");
        }
    }
}
