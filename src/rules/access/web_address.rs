//! The addresses under which the web page may be used: a fixed list of hosts, each with its origin.
//!
//! A browser that was tricked into resolving a foreign name to this machine sends that name as `Host`, and a page of
//! another site sends its own `Origin`. Both are compared with this list and never with each other alone.

use std::net::SocketAddr;

use crate::rules::access::base_path::BasePath;

/// Names of this machine that every browser resolves to it.
const LOOPBACK_NAMES: [&str; 3] = ["127.0.0.1", "localhost", "[::1]"];

/// How browsers reach the web server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WebReach {
    /// They connect to the port of the server, without encryption.
    Direct,
    /// They connect to the port of the server, which has a certificate.
    Encrypted,
    /// They connect to a reverse proxy that terminates TLS.
    BehindProxy,
}

impl WebReach {
    /// Returns the scheme of the addresses that browsers use, and the port that they leave out of them.
    fn scheme(self) -> (&'static str, u16) {
        match self {
            WebReach::Direct => ("http", 80),
            WebReach::Encrypted | WebReach::BehindProxy => ("https", 443),
        }
    }
}

/// Why the web server may not be started with these options.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WebAddressMistake {
    /// The address can be reached from other machines, and the connection would not be encrypted.
    NotLoopback,
    /// A proxy forwards requests for a name that the server does not know.
    ProxyWithoutHost,
    /// The server listens on all addresses of the machine, and does not know the name that browsers use.
    CertificateWithoutHost,
    /// This text is not the name of a host.
    InvalidHost(String),
}

/// The hosts that requests may name, each with the origin of its pages, and the path below which browsers see the page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebHosts {
    hosts: Vec<(String, String)>,
    reach: WebReach,
    base_path: BasePath,
}

impl WebHosts {
    /// Returns the hosts for a listening address and the names that the user allows in addition.
    pub fn new(listen: SocketAddr, names: &[String], reach: WebReach) -> Result<WebHosts, WebAddressMistake> {
        if let Some(invalid) = names.iter().find(|name| !is_host(name)) {
            return Err(WebAddressMistake::InvalidHost(invalid.clone()));
        }
        let (scheme, default_port) = reach.scheme();
        let port = (listen.port() != default_port).then(|| listen.port());
        let with_port = |name: &str| match (name.rsplit_once(':'), port) {
            (Some((_, digits)), _) if !digits.ends_with(']') => name.to_owned(),
            (_, Some(port)) => format!("{name}:{port}"),
            (_, None) => name.to_owned(),
        };
        let address = match listen {
            SocketAddr::V4(address) => address.ip().to_string(),
            SocketAddr::V6(address) => format!("[{}]", address.ip()),
        };
        let named = names.iter().map(|name| name.to_ascii_lowercase());
        let own = std::iter::once(address.as_str()).chain(LOOPBACK_NAMES).map(with_port);
        let all: Vec<String> = match reach {
            WebReach::BehindProxy if names.is_empty() => return Err(WebAddressMistake::ProxyWithoutHost),
            WebReach::BehindProxy => named.collect(),
            WebReach::Direct if !listen.ip().is_loopback() => return Err(WebAddressMistake::NotLoopback),
            WebReach::Direct => own.chain(named.map(|name| with_port(&name))).collect(),
            WebReach::Encrypted if listen.ip().is_unspecified() && names.is_empty() => {
                return Err(WebAddressMistake::CertificateWithoutHost);
            }
            // The certificate is for the names, so links use the first of them.
            WebReach::Encrypted => named.map(|name| with_port(&name)).chain(own).collect(),
        };
        let mut hosts: Vec<(String, String)> = Vec::new();
        for host in all {
            if !hosts.iter().any(|(known, _)| *known == host) {
                hosts.push((host.clone(), format!("{scheme}://{host}")));
            }
        }
        Ok(WebHosts { hosts, reach, base_path: BasePath::default() })
    }

    /// Returns the same hosts, whose page is below a path.
    pub fn below(self, base_path: BasePath) -> WebHosts {
        WebHosts { base_path, ..self }
    }

    /// Returns how browsers reach the server.
    pub fn reach(&self) -> WebReach {
        self.reach
    }

    /// Returns the path below which browsers see the page.
    pub fn base_path(&self) -> &BasePath {
        &self.base_path
    }

    /// Returns the origin of the pages of a host, or `None` if the host is not in the list.
    pub fn origin_of(&self, host: &str) -> Option<&str> {
        self.hosts
            .iter()
            .find(|(known, _)| known.eq_ignore_ascii_case(host))
            .map(|(_, origin)| origin.as_str())
    }

    /// Returns the address that users open.
    pub fn main_url(&self) -> String {
        self.hosts.first().map(|(_, origin)| format!("{origin}{}/", self.base_path)).unwrap_or_default()
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
    fn the_default_port_is_in_no_host_and_no_origin() {
        let known = hosts("127.0.0.1:443", &["box.example"], WebReach::Encrypted).unwrap();
        assert_eq!(known.origin_of("box.example"), Some("https://box.example"));
        assert_eq!(known.origin_of("box.example:443"), None);
        let known = hosts("127.0.0.1:80", &[], WebReach::Direct).unwrap();
        assert_eq!(known.origin_of("localhost"), Some("http://localhost"));
    }

    #[test]
    fn with_a_certificate_other_machines_use_the_given_names() {
        let known = hosts("0.0.0.0:7717", &["Box.example", "b:9000"], WebReach::Encrypted).unwrap();
        assert_eq!(known.main_url(), "https://box.example:7717/");
        assert_eq!(known.origin_of("b:9000"), Some("https://b:9000"));
        assert_eq!(known.origin_of("localhost:7717"), Some("https://localhost:7717"));
        assert_eq!(known.origin_of("192.0.2.1:7717"), None);
        let bound = hosts("192.0.2.1:7717", &[], WebReach::Encrypted).unwrap();
        assert_eq!(bound.main_url(), "https://192.0.2.1:7717/");
        let bound = hosts("[2001:db8::1]:443", &[], WebReach::Encrypted).unwrap();
        assert_eq!(bound.main_url(), "https://[2001:db8::1]/");
    }

    #[test]
    fn below_a_path_links_contain_it_and_origins_do_not() {
        let known = hosts("127.0.0.1:7717", &["box.example"], WebReach::BehindProxy).unwrap();
        let below = known.below("/symposium".parse().unwrap());
        assert_eq!(below.main_url(), "https://box.example/symposium/");
        assert_eq!(below.origin_of("box.example"), Some("https://box.example"));
    }

    #[test]
    fn unsafe_addresses_are_refused() {
        for (listen, names, reach, expected) in [
            ("0.0.0.0:7717", &[][..], WebReach::Direct, WebAddressMistake::NotLoopback),
            ("192.0.2.1:7717", &["box.example"], WebReach::Direct, WebAddressMistake::NotLoopback),
            ("[::]:7717", &[], WebReach::Direct, WebAddressMistake::NotLoopback),
            ("0.0.0.0:7717", &[], WebReach::BehindProxy, WebAddressMistake::ProxyWithoutHost),
            ("[::]:1", &[], WebReach::Encrypted, WebAddressMistake::CertificateWithoutHost),
            ("127.0.0.1:1", &["*"], WebReach::Direct, WebAddressMistake::InvalidHost("*".into())),
            ("127.0.0.1:1", &["a/b"], WebReach::Direct, WebAddressMistake::InvalidHost("a/b".into())),
        ] {
            assert_eq!(hosts(listen, names, reach), Err(expected), "{listen} {names:?}");
        }
        assert!(["a.example", "a:1", "[::1]", "[::1]:2"].iter().all(|name| is_host(name)));
        assert!(["", ":1", "a:b", "a:70000", "http://a", "[x]", "a b"].iter().all(|name| !is_host(name)));
    }
}
