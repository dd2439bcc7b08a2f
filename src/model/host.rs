//! Another machine that runs agents: its name and how it is reached.
//!
//! All values are validated when they are parsed: a parsed value cannot be an option of ssh and has no special meaning
//! in a shell.

use std::fmt;
use std::str::FromStr;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{AgentName, InvalidName};

/// Prefixes before a `:` that are not hosts: `all` is every host, `any:SPEC` queues tasks, `local` is this machine.
const RESERVED: [&str; 3] = ["all", "any", "local"];

/// Name of a host: `HOST:NAME` is an agent there.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct HostName(AgentName);

/// Reason why a text is not a valid host name, address or binary path.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidHost {
    /// The text is not a valid name.
    #[error("{0}")]
    Name(#[from] InvalidName),
    /// The name has another meaning.
    #[error("`{0}` is reserved before a `:`")]
    Reserved(String),
    /// The address could be parsed as an option, or ssh would not accept it.
    #[error("{0}")]
    Address(&'static str),
    /// The path of the binary contains characters that a shell could interpret.
    #[error("the path of the binary must be absolute and consist of letters, digits and `/._+@%=,-`")]
    Binary,
}

impl HostName {
    /// Returns the name as a string slice.
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

/// `[user@]addr`, as ssh accepts it: a host name, an address or an alias from `~/.ssh/config`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct HostAddress(String);

impl HostAddress {
    /// Returns the address as ssh accepts it.
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
                "a user name consists of letters, digits and any of `._-+`, and does not begin with `-`",
            ));
        }
        match is_plain(address, "._-:%") {
            true => Ok(HostAddress(text.to_owned())),
            false => Err(InvalidHost::Address(
                "an address consists of letters, digits and any of `._-:%`, and does not begin with `-`",
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

/// Path of the symposium binary on a host. It contains no characters that a shell could interpret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct RemoteBinary(String);

impl RemoteBinary {
    /// Returns the path as a string slice.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for RemoteBinary {
    type Err = InvalidHost;

    fn from_str(text: &str) -> Result<Self, InvalidHost> {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._+@%=,-".contains(c);
        match text.starts_with('/') && text.len() <= 1024 && text.chars().all(is_plain) {
            true => Ok(RemoteBinary(text.to_owned())),
            false => Err(InvalidHost::Binary),
        }
    }
}

impl TryFrom<String> for RemoteBinary {
    type Error = InvalidHost;

    fn try_from(text: String) -> Result<Self, InvalidHost> {
        text.parse()
    }
}

impl From<RemoteBinary> for String {
    fn from(binary: RemoteBinary) -> String {
        binary.0
    }
}

/// One host. The field names are a public contract: `host list --json` and `hosts.json` use this type.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Host {
    /// Name of the host on this machine.
    pub name: HostName,
    /// Address for ssh.
    pub address: HostAddress,
    /// Port of its sshd, if it differs from ssh's default.
    #[serde(default)]
    pub port: Option<u16>,
    /// Path of the symposium binary on the host; `None` to search the `PATH` of a shell there.
    #[serde(default)]
    pub binary: Option<RemoteBinary>,
    /// Name of its connection in `run/`: eight characters, because the path of a socket is limited.
    pub link: String,
    /// Version of symposium that last answered there.
    #[serde(default)]
    pub version: Option<String>,
    /// Time at which the host was added.
    #[serde(with = "crate::base::json_time")]
    pub added_at: Timestamp,
}

impl Host {
    /// Returns the arguments of an `ssh` command line that the user can paste.
    pub fn for_ssh(&self) -> String {
        self.port.map(|port| format!("-p {port} ")).unwrap_or_default() + self.address.as_str()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_cannot_be_an_option_or_a_command() {
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
        assert!("/opt/symposium-0.1/bin/symposium".parse::<RemoteBinary>().is_ok());
        for bad in ["", "symposium", "~/x", "/a b", "/a'b", "/a$(x)", "/a;b", "/a\nb", "-x", "/é", "/a\\b"] {
            assert!(bad.parse::<RemoteBinary>().is_err(), "{bad}");
        }
    }

    #[test]
    fn reserved_words_are_refused_as_host_names() {
        for bad in ["all", "any", "local", "", "a.b", "-x", "a:b", "$(touch x)"] {
            assert!(bad.parse::<HostName>().is_err(), "{bad}");
        }
        assert!("gpu1".parse::<HostName>().is_ok());
    }
}
