//! Another machine on which agents live: what it is called here, and how it is reached.
//!
//! All of it is checked where it is read: nothing that parsed can be an option of ssh or mean something to a shell.

use std::fmt;
use std::str::FromStr;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{AgentName, InvalidName};

/// What stands before a `:` without being a host: `all` is every host, `any:SPEC` takes tasks, `local` is here.
const RESERVED: [&str; 3] = ["all", "any", "local"];

/// What a host is called: `HOST:NAME` is an agent there.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct HostName(AgentName);

/// Why a text cannot be what a host is called, or how it is reached.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidHost {
    /// No name at all.
    #[error("{0}")]
    Name(#[from] InvalidName),
    /// A name that means something else already.
    #[error("`{0}` means something else before a `:`")]
    Reserved(String),
    /// An address that could be an option, or that ssh could not take.
    #[error("{0}")]
    Address(&'static str),
    /// A path of the binary that a shell could take for more than a path.
    #[error("the path of the binary is absolute, of letters, digits and any of `/._+@%=,-`")]
    Binary,
}

impl HostName {
    /// The name as text.
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }
}

impl FromStr for HostName {
    type Err = InvalidHost;

    fn from_str(text: &str) -> Result<Self, InvalidHost> {
        let name: AgentName = text.parse()?;
        match RESERVED.contains(&text) {
            true => Err(InvalidHost::Reserved(text.to_owned())),
            false => Ok(HostName(name)),
        }
    }
}

impl TryFrom<String> for HostName {
    type Error = InvalidHost;

    fn try_from(text: String) -> Result<Self, InvalidHost> {
        text.parse()
    }
}

impl From<HostName> for String {
    fn from(name: HostName) -> String {
        name.0.into()
    }
}

impl fmt::Display for HostName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// `[user@]addr`, as ssh takes it: a name, an address, or what `~/.ssh/config` calls it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct HostAddress(String);

impl HostAddress {
    /// As ssh takes it.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for HostAddress {
    type Err = InvalidHost;

    fn from_str(text: &str) -> Result<Self, InvalidHost> {
        let (user, address) = text.split_once('@').map_or((None, text), |(user, rest)| (Some(user), rest));
        let is_plain = |text: &str, more: &str| {
            !text.is_empty()
                && text.len() <= 255
                && !text.starts_with('-')
                && text.chars().all(|c| c.is_ascii_alphanumeric() || more.contains(c))
        };
        if user.is_some_and(|user| !is_plain(user, "._-+")) {
            return Err(InvalidHost::Address(
                "a user is letters, digits and any of `._-+`, and begins with no `-`",
            ));
        }
        match is_plain(address, "._-:%") {
            true => Ok(HostAddress(text.to_owned())),
            false => Err(InvalidHost::Address(
                "an address is letters, digits and any of `._-:%`, and begins with no `-`",
            )),
        }
    }
}

impl TryFrom<String> for HostAddress {
    type Error = InvalidHost;

    fn try_from(text: String) -> Result<Self, InvalidHost> {
        text.parse()
    }
}

impl From<HostAddress> for String {
    fn from(address: HostAddress) -> String {
        address.0
    }
}

impl fmt::Display for HostAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// Where symposium is on a host. No shell there takes it for anything but a path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct FarBinary(String);

impl FarBinary {
    /// The path.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for FarBinary {
    type Err = InvalidHost;

    fn from_str(text: &str) -> Result<Self, InvalidHost> {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._+@%=,-".contains(c);
        match text.starts_with('/') && text.len() <= 1024 && text.chars().all(is_plain) {
            true => Ok(FarBinary(text.to_owned())),
            false => Err(InvalidHost::Binary),
        }
    }
}

impl TryFrom<String> for FarBinary {
    type Error = InvalidHost;

    fn try_from(text: String) -> Result<Self, InvalidHost> {
        text.parse()
    }
}

impl From<FarBinary> for String {
    fn from(binary: FarBinary) -> String {
        binary.0
    }
}

/// One host. The field names are a public contract: `host list --json` and `hosts.json` are this type.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Host {
    /// What it is called here.
    pub name: HostName,
    /// How it is reached.
    pub address: HostAddress,
    /// The port of its sshd, when it is another than ssh would take.
    #[serde(default)]
    pub port: Option<u16>,
    /// Where symposium is on it; none means wherever a shell there finds it.
    #[serde(default)]
    pub binary: Option<FarBinary>,
    /// What its connection is called in `run/`: eight characters, for a socket's path is short.
    pub link: String,
    /// The version of symposium that last answered there.
    #[serde(default)]
    pub version: Option<String>,
    /// When it was added.
    #[serde(with = "crate::base::json_time")]
    pub added_at: Timestamp,
}

impl Host {
    /// What stands behind `ssh` for a person who goes there.
    pub fn for_ssh(&self) -> String {
        self.port.map(|port| format!("-p {port} ")).unwrap_or_default() + self.address.as_str()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_never_an_option_nor_a_command() {
        for good in ["gpu1", "me@gpu1", "10.0.0.7", "::1", "fe80::1%eth0", "a.b-c_d", "x+y@gpu"] {
            assert!(good.parse::<HostAddress>().is_ok(), "{good}");
        }
        for bad in [
            "",
            "-oProxyCommand=touch",
            "me@-oProxyCommand=x",
            "-l@gpu1",
            "@gpu1",
            "me@",
            "a b",
            "a;b",
            "$(touch x)",
            "a`b`",
            "a\nb",
            "a@b@c",
            "é",
            "a/b",
            "a'b",
        ] {
            assert!(bad.parse::<HostAddress>().is_err(), "{bad}");
        }
    }

    #[test]
    fn a_binary_is_a_plain_absolute_path() {
        assert!("/opt/symposium-0.1/bin/symposium".parse::<FarBinary>().is_ok());
        for bad in ["", "symposium", "~/x", "/a b", "/a'b", "/a$(x)", "/a;b", "/a\nb", "-x", "/é", "/a\\b"] {
            assert!(bad.parse::<FarBinary>().is_err(), "{bad}");
        }
    }

    #[test]
    fn what_means_something_else_is_no_host() {
        for bad in ["all", "any", "local", "", "a.b", "-x", "a:b", "$(touch x)"] {
            assert!(bad.parse::<HostName>().is_err(), "{bad}");
        }
        assert!("gpu1".parse::<HostName>().is_ok());
    }
}
