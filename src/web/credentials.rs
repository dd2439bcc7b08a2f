//! The two halves of a device's secret in requests and responses.
//!
//! One half is a cookie that scripts cannot read. The other half is kept in the storage of the page and sent in a
//! header. Browsers send the cookies of a host to every port of it, also to a development server of an agent; the
//! storage belongs to one port, so that server gets only one half.

use axum::http::header::{COOKIE, HOST};
use axum::http::{HeaderMap, HeaderName};

use crate::rules::access::web_address::{WebHosts, WebReach};

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

/// Returns the name of the cookie. Browsers accept the prefix `__Host-` only over TLS and for all paths, and then no other
/// host and no unencrypted page can set the cookie. `__Secure-` permits a path. The name has the port that the browser
/// uses, because all ports of a host share its cookies: those of the servers of several machines that are reached through
/// `ssh -L`, for example.
fn cookie_name(headers: &HeaderMap, hosts: &WebHosts) -> String {
    let host = headers.get(HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    let port = host.rsplit_once(':').map(|(_, port)| port).filter(|port| port.parse::<u16>().is_ok());
    match hosts.reach() {
        WebReach::Direct => format!("symposium-device-{}", port.unwrap_or("80")),
        WebReach::Encrypted => format!("__Host-symposium-device-{}", port.unwrap_or("443")),
        WebReach::BehindProxy if hosts.base_path().is_root() => "__Host-symposium-device".to_owned(),
        WebReach::BehindProxy => "__Secure-symposium-device".to_owned(),
    }
}

/// Returns the halves of the secret, or `None` if one of them is missing.
pub(super) fn secret_of(headers: &HeaderMap, hosts: &WebHosts) -> Option<DeviceSecret> {
    let is_sound = |half: &&str| !half.is_empty() && half.len() <= MAX_HALF_CHARS;
    let key = headers.get(KEY_HEADER)?.to_str().ok().filter(is_sound)?;
    let wanted = cookie_name(headers, hosts);
    let cookies = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
    let pairs = cookies.flat_map(|value| value.split(';')).filter_map(|pair| pair.trim().split_once('='));
    let cookie = pairs.filter(|(name, _)| *name == wanted).map(|(_, value)| value).find(is_sound)?;
    Some(DeviceSecret { cookie: cookie.to_owned(), key: key.to_owned() })
}

/// Returns the value of `Set-Cookie` for a new device that has sent these headers.
pub(super) fn cookie_for(half: &str, headers: &HeaderMap, hosts: &WebHosts) -> String {
    let secure = match hosts.reach() {
        WebReach::Direct => "",
        WebReach::Encrypted | WebReach::BehindProxy => "; Secure",
    };
    let (name, path) = (cookie_name(headers, hosts), hosts.base_path());
    format!("{name}={half}; HttpOnly; SameSite=Strict; Path={path}/; Max-Age={COOKIE_SECONDS}{secure}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        pairs.iter().map(|(name, value)| (HeaderName::from_static(name), value.parse().unwrap())).collect()
    }

    const LOCAL: (&str, &str) = ("host", "127.0.0.1:7717");

    fn hosts(reach: WebReach) -> WebHosts {
        WebHosts::new("127.0.0.1:7717".parse().unwrap(), &["box.example".to_owned()], reach).unwrap()
    }

    #[test]
    fn both_halves_are_needed() {
        let cookie = ("cookie", "a=1; symposium-device-7717=half; b=2");
        let key = ("x-symposium-key", "other");
        let found = secret_of(&headers(&[LOCAL, cookie, key]), &hosts(WebReach::Direct));
        assert_eq!(found, Some(DeviceSecret { cookie: "half".into(), key: "other".into() }));
        assert_eq!(secret_of(&headers(&[LOCAL, cookie]), &hosts(WebReach::Direct)), None);
        assert_eq!(secret_of(&headers(&[LOCAL, key]), &hosts(WebReach::Direct)), None);
        assert_eq!(secret_of(&headers(&[LOCAL, cookie, key]), &hosts(WebReach::BehindProxy)), None);
        let empty = headers(&[LOCAL, ("cookie", "symposium-device-7717="), key]);
        assert_eq!(secret_of(&empty, &hosts(WebReach::Direct)), None);
        let other_port = headers(&[("host", "localhost:9000"), cookie, key]);
        assert_eq!(secret_of(&other_port, &hosts(WebReach::Direct)), None);
    }

    #[test]
    fn the_cookie_is_out_of_reach_for_scripts_and_other_sites() {
        let direct = cookie_for("half", &headers(&[LOCAL]), &hosts(WebReach::Direct));
        let expected = "symposium-device-7717=half; HttpOnly; SameSite=Strict; Path=/; Max-Age=34560000";
        assert_eq!(direct, expected);
        let proxied = cookie_for("half", &headers(&[("host", "box.example")]), &hosts(WebReach::BehindProxy));
        assert!(proxied.starts_with("__Host-symposium-device=half; HttpOnly; SameSite=Strict; Path=/;"));
        assert!(proxied.ends_with("; Secure"));
        let below = hosts(WebReach::BehindProxy).below("/symposium".parse().unwrap());
        let limited = cookie_for("half", &headers(&[("host", "box.example")]), &below);
        assert!(
            limited
                .starts_with("__Secure-symposium-device=half; HttpOnly; SameSite=Strict; Path=/symposium/;")
        );
        let own = cookie_for("half", &headers(&[("host", "box.example:7717")]), &hosts(WebReach::Encrypted));
        assert!(own.starts_with("__Host-symposium-device-7717=half; ") && own.ends_with("; Secure"), "{own}");
    }
}
