//! The addresses under which the web page may be used: a fixed list of hosts, each with its origin.
//!
//! A browser that was tricked into resolving a foreign name to this machine sends that name as `Host`, and a page of
//! another site sends its own `Origin`. Both are compared with this list and never with each other alone.

use std::net::SocketAddr;

/// Names of this machine that every browser resolves to it.
const LOOPBACK_NAMES: [&str; 3] = ["127.0.0.1", "localhost", "[::1]"];

/// How browsers reach the web server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WebReach {
    /// They connect to the port of the server.
    Direct,
    /// They connect to a reverse proxy that terminates TLS.
    BehindProxy,
}

/// Why the web server may not be started with these options.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WebAddressMistake {
    /// The address can be reached from other machines, and the connection would not be encrypted.
    NotLoopback,
    /// A proxy forwards requests for a name that the server does not know.
    ProxyWithoutHost,
    /// This text is not the name of a host.
    InvalidHost(String),
}

/// The hosts that requests may name, each with the origin of its pages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebHosts(Vec<(String, String)>);

impl WebHosts {
    /// Returns the hosts for a listening address and the names that the user allows in addition.
    pub fn new(listen: SocketAddr, names: &[String], reach: WebReach) -> Result<WebHosts, WebAddressMistake> {
        if let Some(invalid) = names.iter().find(|name| !is_host(name)) {
            return Err(WebAddressMistake::InvalidHost(invalid.clone()));
        }
        let named = names.iter().map(|name| name.to_ascii_lowercase());
        if reach == WebReach::BehindProxy {
            let hosts: Vec<_> = named.map(|name| (name.clone(), format!("https://{name}"))).collect();
            return if hosts.is_empty() {
                Err(WebAddressMistake::ProxyWithoutHost)
            } else {
                Ok(WebHosts(hosts))
            };
        }
        if !listen.ip().is_loopback() {
            return Err(WebAddressMistake::NotLoopback);
        }
        let port = listen.port();
        let with_port = |name: &str| match name.rsplit_once(':') {
            Some((_, digits)) if !digits.ends_with(']') => name.to_owned(),
            _ => format!("{name}:{port}"),
        };
        let own =
            std::iter::once(listen.to_string()).chain(LOOPBACK_NAMES.iter().map(|name| with_port(name)));
        let all = own.chain(named.map(|name| with_port(&name)));
        let mut hosts: Vec<(String, String)> = Vec::new();
        for host in all {
            if !hosts.iter().any(|(known, _)| *known == host) {
                hosts.push((host.clone(), format!("http://{host}")));
            }
        }
        Ok(WebHosts(hosts))
    }

    /// Returns the origin of the pages of a host, or `None` if the host is not in the list.
    pub fn origin_of(&self, host: &str) -> Option<&str> {
        self.0.iter().find(|(known, _)| known.eq_ignore_ascii_case(host)).map(|(_, origin)| origin.as_str())
    }

    /// Returns the address that users open.
    pub fn main_url(&self) -> String {
        self.0.first().map(|(_, origin)| format!("{origin}/")).unwrap_or_default()
    }
}

/// Checks whether a text is a host name or an address, with or without a port.
fn is_host(text: &str) -> bool {
    let (name, port) = match text.rsplit_once(':') {
        Some((name, port)) if !port.ends_with(']') => (name, Some(port)),
        _ => (text, None),
    };
    let inner = name.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    let is_name = match inner {
        Some(address) => address.parse::<std::net::Ipv6Addr>().is_ok(),
        None => {
            !name.is_empty()
                && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_'))
        }
    };
    is_name && port.is_none_or(|port| port.parse::<u16>().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hosts(listen: &str, names: &[&str], reach: WebReach) -> Result<WebHosts, WebAddressMistake> {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        WebHosts::new(listen.parse().unwrap(), &names, reach)
    }

    #[test]
    fn only_loopback_names_with_the_port_are_allowed_by_default() {
        let known = hosts("127.0.0.1:7717", &[], WebReach::Direct).unwrap();
        assert_eq!(known.main_url(), "http://127.0.0.1:7717/");
        assert_eq!(known.origin_of("localhost:7717"), Some("http://localhost:7717"));
        assert_eq!(known.origin_of("LOCALHOST:7717"), Some("http://localhost:7717"));
        assert_eq!(known.origin_of("[::1]:7717"), Some("http://[::1]:7717"));
        for foreign in ["localhost", "localhost:80", "evil.example:7717", "127.0.0.1.evil.example:7717", ""] {
            assert_eq!(known.origin_of(foreign), None, "{foreign}");
        }
    }

    #[test]
    fn names_are_allowed_in_addition() {
        let known = hosts("127.0.0.1:7717", &["box.example", "localhost:9000"], WebReach::Direct).unwrap();
        assert_eq!(known.origin_of("box.example:7717"), Some("http://box.example:7717"));
        assert_eq!(known.origin_of("box.example"), None);
        assert_eq!(known.origin_of("localhost:9000"), Some("http://localhost:9000"));
    }

    #[test]
    fn behind_a_proxy_only_the_given_names_are_allowed() {
        let known = hosts("0.0.0.0:7717", &["Box.Example"], WebReach::BehindProxy).unwrap();
        assert_eq!(known.main_url(), "https://box.example/");
        assert_eq!(known.origin_of("box.example"), Some("https://box.example"));
        assert_eq!(known.origin_of("127.0.0.1:7717"), None);
    }

    #[test]
    fn unsafe_addresses_are_refused() {
        for (listen, names, reach, expected) in [
            ("0.0.0.0:7717", &[][..], WebReach::Direct, WebAddressMistake::NotLoopback),
            ("192.0.2.1:7717", &["box.example"], WebReach::Direct, WebAddressMistake::NotLoopback),
            ("[::]:7717", &[], WebReach::Direct, WebAddressMistake::NotLoopback),
            ("0.0.0.0:7717", &[], WebReach::BehindProxy, WebAddressMistake::ProxyWithoutHost),
            ("127.0.0.1:1", &["*"], WebReach::Direct, WebAddressMistake::InvalidHost("*".into())),
            ("127.0.0.1:1", &["a/b"], WebReach::Direct, WebAddressMistake::InvalidHost("a/b".into())),
        ] {
            assert_eq!(hosts(listen, names, reach), Err(expected), "{listen} {names:?}");
        }
        assert!(["a.example", "a:1", "[::1]", "[::1]:2"].iter().all(|name| is_host(name)));
        assert!(["", ":1", "a:b", "a:70000", "http://a", "[x]", "a b"].iter().all(|name| !is_host(name)));
    }
}
