//! `symposium host`: manages other machines. A host is added if a symposium answers there, or if the user skips that
//! check.

use std::io;
use std::time::Duration;

use jiff::Timestamp;
use serde::Serialize;

use crate::base::suggest::nearest;
use crate::error::{Code, Error, shown};
use crate::manager::hosts::Hosts;
use crate::model::{
    Host, HostAddress, HostName, REMOTE_FORMAT, RemoteBinary, RemoteFrame, RemoteHello, RemoteRequest,
    Replay, RequestId,
};

pub use crate::ssh::Interaction;
use crate::ssh::{FrameFlow, LostConnection, RequestOutcome, RequestTimeouts, Ssh};
use crate::store::StoredHosts;

/// Time limit for the greeting of a host: ssh itself gives up a connection after 5 s.
pub(in crate::manager) const HELLO: Duration = Duration::from_secs(10);
/// Time limit for the greeting if the user may have to type a password.
const HELLO_ASKING: Duration = Duration::from_secs(180);

/// Arguments of `host add`.
#[derive(Debug, Clone)]
pub struct HostRequest {
    /// The name of the host.
    pub name: HostName,
    /// The address for ssh.
    pub address: HostAddress,
    /// The port of the host's sshd.
    pub port: Option<u16>,
    /// The path of the symposium program on the host.
    pub binary: Option<RemoteBinary>,
    /// Whether the host must answer.
    pub check: HostCheck,
    /// Whether ssh may prompt the user.
    pub asking: Interaction,
}

/// Whether a host must answer before it is added.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HostCheck {
    /// A host that does not answer is not added, and no host is replaced.
    Require,
    /// The host is added or replaced even if it does not answer.
    Skip,
}

/// Result of `host add`.
#[derive(Debug)]
pub struct HostAdded {
    /// The added host.
    pub host: Host,
    /// Remarks for the user.
    pub remarks: Vec<String>,
}

/// A host as shown to users. The field names are a public contract.
#[derive(Debug, Serialize)]
pub struct HostView {
    /// The configured host.
    #[serde(flatten)]
    pub host: Host,
    /// Number of agents in the last answer of the host.
    pub agents: Option<usize>,
    /// Time of the last answer.
    #[serde(with = "crate::base::json_time::option")]
    pub as_of: Option<Timestamp>,
}

impl Hosts<'_> {
    /// Adds a host, or replaces the host of that name if the check is skipped.
    pub fn host_add(&self, request: HostRequest) -> Result<HostAdded, Error> {
        let before = StoredHosts(&self.0.store).list()?.into_iter().find(|host| host.name == request.name);
        if let Some(before) = before {
            if request.check == HostCheck::Require {
                return Err(taken(before));
            }
            // The open connection may lead to another machine, and would not be used again.
            self.ssh()?.retire_connection(&before);
        }
        let mut host = Host {
            name: request.name,
            address: request.address,
            port: request.port,
            binary: request.binary,
            link: RequestId::fresh().to_string()[..8].to_owned(),
            version: None,
            added_at: self.0.now(),
        };
        let mut remarks = Vec::new();
        match self.request_hello(&host, request.asking) {
            Ok(hello) => {
                remarks.extend(difference(&hello));
                host.version = Some(hello.version);
            }
            Err(error) if request.check == HostCheck::Skip => {
                remarks.push(format!("added anyway: {error}"));
                remarks.extend_from_slice(error.observations());
                remarks.extend_from_slice(error.hints());
            }
            Err(error) => return Err(error),
        }
        let before = StoredHosts(&self.0.store).update(|edit| {
            let before = edit.get(&host.name);
            // Another process may have added the host during the query.
            if before.is_none() || request.check == HostCheck::Skip {
                edit.put(&host);
            }
            before
        })?;
        if let Some(before) = before {
            if request.check == HostCheck::Require {
                return Err(taken(before));
            }
            // The stored answer belongs to another machine.
            if (&before.address, before.port) != (&host.address, host.port) {
                self.forget_last_known(&host.name)?;
            }
        }
        Ok(HostAdded { host, remarks })
    }

    /// Returns all hosts with the data of their last answers.
    pub fn host_list(&self) -> Result<Vec<HostView>, Error> {
        let view = |host: Host| {
            let known = self.last_known(&host.name);
            let (agents, as_of) = known.map(|known| (known.agents.len(), known.as_of)).unzip();
            HostView { host, agents, as_of }
        };
        Ok(StoredHosts(&self.0.store).list()?.into_iter().map(view).collect())
    }

    /// Removes a host. Its agents continue to run.
    pub fn host_remove(&self, name: &HostName) -> Result<Host, Error> {
        let host = self.host(name)?;
        if let Ok(ssh) = self.ssh() {
            ssh.retire_connection(&host);
        }
        StoredHosts(&self.0.store).update(|edit| edit.remove(name))?;
        self.forget_last_known(name)?;
        Ok(host)
    }

    /// Returns the host of this name, or an error.
    pub fn host(&self, name: &HostName) -> Result<Host, Error> {
        let hosts = StoredHosts(&self.0.store).list()?;
        match hosts.iter().find(|host| host.name == *name) {
            Some(host) => Ok(host.clone()),
            None => {
                let known: Vec<String> = hosts.iter().map(|host| host.name.to_string()).collect();
                Err(no_such_host(name.as_str(), &known))
            }
        }
    }

    pub(in crate::manager) fn ssh(&self) -> Result<Ssh, Error> {
        let program = &self.0.config()?.hosts.ssh;
        Ok(Ssh::find(program, self.0.store.run_dir(), &self.0.env.for_terminals())?)
    }

    /// Connects to the host and returns its greeting.
    fn request_hello(&self, host: &Host, asking: Interaction) -> Result<RemoteHello, Error> {
        let request = remote_request(Replay::Any, vec![], 0);
        let hello = if asking == Interaction::Allowed { HELLO_ASKING } else { HELLO };
        let bounds = RequestTimeouts { hello, whole: Some(hello + HELLO), asking };
        let mut answered = None;
        let exchanged = self.ssh()?.exchange(host, (&request, b""), bounds, &mut |frame| {
            match frame {
                RemoteFrame::Hello(hello) => answered = Some(hello),
                RemoteFrame::Alive | RemoteFrame::End(_) | RemoteFrame::Unknown => {}
                RemoteFrame::Out(_) | RemoteFrame::Err(_) => return FrameFlow::Stop,
            }
            FrameFlow::Continue
        })?;
        match (exchanged, answered) {
            (RequestOutcome::Ended(_), Some(hello)) => Ok(hello),
            (RequestOutcome::Lost(lost), _) => Err(connection_error(host, &lost)),
            (RequestOutcome::Stopped, _) => {
                Err(Error::unexpected_answer(&host.name, vec!["it sent more than was requested".into()]))
            }
            (_, _) => Err(connection_error(host, &LostConnection::default())),
        }
    }

    /// Stores the version of the host if it changed.
    pub(in crate::manager) fn note_version(&self, host: &Host, version: &str) {
        if host.version.as_deref() == Some(version) {
            return;
        }
        let _ = StoredHosts(&self.0.store).update(|edit| {
            if let Some(mut host) = edit.get(&host.name) {
                host.version = Some(version.to_owned());
                edit.put(&host);
            }
        });
    }
}

fn taken(by: Host) -> Error {
    let name = &by.name;
    Error::new(Code::HostTaken, format!("a host named `{name}` already exists"))
        .saw(format!("it is {}", by.address))
        .hint(format!("`symposium host remove {name}` removes it; `--force` replaces it"))
}

/// Creates a request with a new id.
pub(in crate::manager) fn remote_request(times: Replay, argv: Vec<String>, stdin: usize) -> RemoteRequest {
    RemoteRequest {
        format: REMOTE_FORMAT,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        id: RequestId::fresh(),
        times,
        argv,
        stdin,
        out_from: 0,
        err_from: 0,
    }
}

/// Returns a remark if the host runs another version, with the features that it lacks.
pub(in crate::manager) fn difference(hello: &RemoteHello) -> Option<String> {
    let ours = env!("CARGO_PKG_VERSION");
    let RemoteHello { format, version } = hello;
    match (*format, version.as_str()) {
        (REMOTE_FORMAT, same) if same == ours => None,
        (REMOTE_FORMAT, _) => Some(format!(
            "symposium {version} runs there, {ours} runs here: both use the same format; a command or option that only one of them supports is refused by the other"
        )),
        (older, _) if older < REMOTE_FORMAT => Some(format!(
            "symposium {version} runs there, {ours} runs here: it is older (format {format}, this version uses {REMOTE_FORMAT}) and must be upgraded first"
        )),
        (_, _) => Some(format!(
            "symposium {version} runs there, {ours} runs here: it is newer (format {format}, this version uses {REMOTE_FORMAT}) and still accepts requests of this version"
        )),
    }
}

/// Converts a failed connection to an error.
pub(in crate::manager) fn connection_error(host: &Host, lost: &LostConnection) -> Error {
    let (code, timed_out) = (lost.code, lost.timed_out);
    let output: Vec<String> = lost.output.lines().rev().take(4).map(shown).collect();
    let output: Vec<String> = output.into_iter().rev().collect();
    if lost.greeted && !timed_out {
        let output = std::iter::once("it ended in the middle".to_owned()).chain(output);
        return Error::unexpected_answer(&host.name, output);
    }
    // The answer of a symposium version that has no `remote` command.
    if code == Some(2) && output.iter().any(|line| line.contains("unrecognized subcommand 'remote'")) {
        return Error::host_older(&host.name, None);
    }
    match code {
        Some(126 | 127) => lacks_symposium(host, output),
        Some(255) | None if timed_out => unreachable(host, output, "did not answer in time")
            .caused_by(io::Error::from(io::ErrorKind::TimedOut)),
        Some(255) | None => unreachable(host, output, "cannot be reached"),
        Some(_) => lacks_symposium(host, output),
    }
}

fn no_such_host(name: &str, known: &[String]) -> Error {
    let known_hosts = match known {
        [] => "there are no hosts yet".to_owned(),
        known => format!("known hosts: {}", known.join(", ")),
    };
    Error::new(Code::NoSuchHost, format!("no host named `{}`", shown(name))).saw(known_hosts).hint(
        match nearest(name, known.iter().map(String::as_str)) {
            Some(near) => format!("did you mean `{near}:…`?"),
            None => format!("add it with `symposium host add {} [USER@]ADDRESS`", shown(name)),
        },
    )
}

fn unreachable(host: &Host, output: Vec<String>, what: &str) -> Error {
    let Host { name, address, port, .. } = host;
    let port = port.map(|port| format!("-p {port} ")).unwrap_or_default();
    Error::new(Code::HostUnreachable, format!("host `{name}` {what}"))
        .saw_all(output)
        .hint(format!("check whether `ssh {port}{address}` logs in without asking for a password"))
}

fn lacks_symposium(host: &Host, output: Vec<String>) -> Error {
    let Host { name, address, port, binary, .. } = host;
    let (ssh_port, scp_port) =
        port.map_or_else(Default::default, |port| (format!("-p {port} "), format!("-P {port} ")));
    let target = scp_address(address.as_str());
    let (searched, copy) = match binary.as_ref().map(|binary| binary.as_str()) {
        Some(binary) => (
            format!("searched at {binary}"),
            format!("scp {scp_port}\"$(command -v symposium)\" {target}:{binary}"),
        ),
        None => (
            "searched in the PATH of a shell there, in ~/.cargo/bin and in ~/.local/bin".into(),
            format!(
                "ssh {ssh_port}{address} mkdir -p .local/bin && \
                 scp {scp_port}\"$(command -v symposium)\" {target}:.local/bin/"
            ),
        ),
    };
    Error::new(Code::HostLacksSymposium, format!("symposium is not installed on host `{name}`"))
        .saw_all(output)
        .saw(searched)
        .hint(format!("copy it there: `{copy}`"))
        .hint("or build it there, in a clone of its source: `cargo install --path .`")
        .hint("`symposium host add` accepts `--binary PATH`, its path on that host, and `--force`, to add the host anyway")
}

/// Formats an address for scp, which ends an address at the first `:`.
fn scp_address(address: &str) -> String {
    let (user, machine) = address.rsplit_once('@').map_or((None, address), |(user, at)| (Some(user), at));
    let machine = if machine.contains(':') { format!("[{machine}]") } else { machine.to_owned() };
    user.map_or(machine.clone(), |user| format!("{user}@{machine}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scp_address_brackets_ipv6() {
        for (address, expected) in [
            ("gpu1", "gpu1"),
            ("me@gpu1", "me@gpu1"),
            ("::1", "[::1]"),
            ("a@b@fe80::1%eth0", "a@b@[fe80::1%eth0]"),
        ] {
            assert_eq!(scp_address(address), expected);
        }
    }
}
