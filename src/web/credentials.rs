//! The two halves of a device's secret in requests and responses.
//!
//! One half is a cookie that scripts cannot read. The other half is kept in the storage of the page and sent in a
//! header. Browsers send the cookies of a host to every port of it, also to a development server of an agent; the
//! storage belongs to one port, so that server gets only one half.

use axum::http::header::{COOKIE, HOST};
use axum::http::{HeaderMap, HeaderName};

use crate::rules::access::web_address::WebReach;

/// The header with the half that the page keeps.
pub(super) const KEY_HEADER: HeaderName = HeaderName::from_static("x-symposium-key");
/// Maximum accepted length of each half.
const MAX_HALF_CHARS: usize = 128;
/// Lifetime of the cookie in seconds: 400 days, the longest that browsers accept.
const COOKIE_SECONDS: u32 = 400 * 24 * 60 * 60;

/// The halves that a request carries.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct DeviceSecret {
    pub(super) cookie: String,
    pub(super) key: String,
}

/// Returns the name of the cookie. Browsers accept the prefix `__Host-` only over TLS, and then no other host and no
/// unencrypted page can set the cookie. Without TLS the name has the port that the browser uses: the servers of several
/// machines, reached through `ssh -L`, share the cookies of one host.
fn cookie_name(headers: &HeaderMap, reach: WebReach) -> String {
    if reach == WebReach::BehindProxy {
        return "__Host-symposium-device".to_owned();
    }
    let host = headers.get(HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    let port = host.rsplit_once(':').map(|(_, port)| port).filter(|port| port.parse::<u16>().is_ok());
    format!("symposium-device-{}", port.unwrap_or("80"))
}

/// Returns the halves of the secret, or `None` if one of them is missing.
pub(super) fn secret_of(headers: &HeaderMap, reach: WebReach) -> Option<DeviceSecret> {
    let is_sound = |half: &&str| !half.is_empty() && half.len() <= MAX_HALF_CHARS;
    let key = headers.get(KEY_HEADER)?.to_str().ok().filter(is_sound)?;
    let wanted = cookie_name(headers, reach);
    let cookies = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
    let pairs = cookies.flat_map(|value| value.split(';')).filter_map(|pair| pair.trim().split_once('='));
    let cookie = pairs.filter(|(name, _)| *name == wanted).map(|(_, value)| value).find(is_sound)?;
    Some(DeviceSecret { cookie: cookie.to_owned(), key: key.to_owned() })
}

/// Returns the value of `Set-Cookie` for a new device that has sent these headers.
pub(super) fn cookie_for(half: &str, headers: &HeaderMap, reach: WebReach) -> String {
    let secure = match reach {
        WebReach::Direct => "",
        WebReach::BehindProxy => "; Secure",
    };
    let name = cookie_name(headers, reach);
    format!("{name}={half}; HttpOnly; SameSite=Strict; Path=/; Max-Age={COOKIE_SECONDS}{secure}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        pairs.iter().map(|(name, value)| (HeaderName::from_static(name), value.parse().unwrap())).collect()
    }

    const LOCAL: (&str, &str) = ("host", "127.0.0.1:7717");

    #[test]
    fn both_halves_are_needed() {
        let cookie = ("cookie", "a=1; symposium-device-7717=half; b=2");
        let key = ("x-symposium-key", "other");
        let found = secret_of(&headers(&[LOCAL, cookie, key]), WebReach::Direct);
        assert_eq!(found, Some(DeviceSecret { cookie: "half".into(), key: "other".into() }));
        assert_eq!(secret_of(&headers(&[LOCAL, cookie]), WebReach::Direct), None);
        assert_eq!(secret_of(&headers(&[LOCAL, key]), WebReach::Direct), None);
        assert_eq!(secret_of(&headers(&[LOCAL, cookie, key]), WebReach::BehindProxy), None);
        let empty = headers(&[LOCAL, ("cookie", "symposium-device-7717="), key]);
        assert_eq!(secret_of(&empty, WebReach::Direct), None);
        let other_port = headers(&[("host", "localhost:9000"), cookie, key]);
        assert_eq!(secret_of(&other_port, WebReach::Direct), None);
    }

    #[test]
    fn the_cookie_is_out_of_reach_for_scripts_and_other_sites() {
        let direct = cookie_for("half", &headers(&[LOCAL]), WebReach::Direct);
        let expected = "symposium-device-7717=half; HttpOnly; SameSite=Strict; Path=/; Max-Age=34560000";
        assert_eq!(direct, expected);
        let proxied = cookie_for("half", &headers(&[("host", "box.example")]), WebReach::BehindProxy);
        assert!(proxied.starts_with("__Host-symposium-device=half; HttpOnly; SameSite=Strict; Path=/;"));
        assert!(proxied.ends_with("; Secure"));
    }
}
