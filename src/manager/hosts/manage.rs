//! `symposium host`: manages other machines. A host is added if a symposium answers there, or if the user skips that
//! check.

use std::time::Duration;

use jiff::Timestamp;
use serde::Serialize;

use crate::env::Env;
use crate::error::Error;
use crate::manager::hosts::Hosts;
use crate::model::{
    FAR_FORMAT, FarBinary, FarRequest, Frame, Hello, Host, HostAddress, HostName, RequestId, Times,
};

pub use crate::ssh::Asking;
use crate::ssh::{Bounds, Heed, Lost, Ssh, Talked};

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
    pub binary: Option<FarBinary>,
    /// Whether the host is added even if it does not answer.
    pub insisting: HostCheck,
    /// Whether ssh may prompt the user.
    pub asking: Asking,
}

/// Whether a host is added even if it does not answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HostCheck {
    /// The host must answer.
    No,
    /// The host is added without an answer.
    Yes,
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
    /// Adds a host, or replaces the host of that name if `insisting` is [`HostCheck::Yes`].
    pub fn host_add(&self, request: HostRequest) -> Result<HostAdded, Error> {
        let before = self.0.store.hosts()?.into_iter().find(|host| host.name == request.name);
        if let Some(before) = before {
            if request.insisting == HostCheck::No {
                return Err(taken(before));
            }
            // The open connection may lead to another machine, and would not be used again.
            self.ssh()?.let_go(&before);
        }
        let mut host = Host {
            name: request.name,
            address: request.address,
            port: request.port,
            binary: request.binary,
            link: RequestId::fresh().to_string()[..8].to_owned(),
            version: None,
            added_at: Env::now(),
        };
        let mut remarks = Vec::new();
        match self.greet(&host, request.asking) {
            Ok(hello) => {
                remarks.extend(difference(&hello));
                host.version = Some(hello.version);
            }
            Err(error) if request.insisting == HostCheck::Yes => {
                let report = error.report();
                remarks.push(format!("added all the same: {}", report.message));
                remarks.extend(report.saw);
                remarks.extend(report.hints);
            }
            Err(error) => return Err(error),
        }
        let before = self.0.store.update_hosts(|edit| {
            let before = edit.get(&host.name);
            // Another process may have added the host during the query.
            if before.is_none() || request.insisting == HostCheck::Yes {
                edit.put(&host);
            }
            before
        })?;
        if let Some(before) = before {
            if request.insisting == HostCheck::No {
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
        Ok(self.0.store.hosts()?.into_iter().map(view).collect())
    }

    /// Removes a host. Its agents continue to run.
    pub fn host_remove(&self, name: &HostName) -> Result<Host, Error> {
        let host = self.host(name)?;
        if let Ok(ssh) = self.ssh() {
            ssh.let_go(&host);
        }
        self.0.store.update_hosts(|edit| edit.remove(name))?;
        self.forget_last_known(name)?;
        Ok(host)
    }

    /// Returns the host of this name, or an error.
    pub fn host(&self, name: &HostName) -> Result<Host, Error> {
        let hosts = self.0.store.hosts()?;
        match hosts.iter().find(|host| host.name == *name) {
            Some(host) => Ok(host.clone()),
            None => {
                let known = hosts.iter().map(|host| host.name.to_string()).collect();
                Err(Error::NoSuchHost { name: name.to_string(), known })
            }
        }
    }

    pub(in crate::manager) fn ssh(&self) -> Result<Ssh, Error> {
        let program = &self.0.config()?.hosts.ssh;
        Ok(Ssh::find(program, self.0.store.run_dir(), &self.0.env.for_terminals())?)
    }

    /// Connects to the host and returns its greeting.
    fn greet(&self, host: &Host, asking: Asking) -> Result<Hello, Error> {
        let request = far_request(Times::Any, vec![], 0);
        let hello = if asking == Asking::Allowed { HELLO_ASKING } else { HELLO };
        let bounds = Bounds { hello, whole: Some(hello + HELLO), asking };
        let mut answered = None;
        let talked = self.ssh()?.talk(host, (&request, b""), bounds, &mut |frame| {
            match frame {
                Frame::Hello(hello) => answered = Some(hello),
                Frame::Alive | Frame::End(_) | Frame::Unknown => {}
                Frame::Out(_) | Frame::Err(_) => return Heed::Enough,
            }
            Heed::On
        })?;
        match (talked, answered) {
            (Talked::Ended(_), Some(hello)) => Ok(hello),
            (Talked::Lost(lost), _) => Err(unreached(host, &lost)),
            (Talked::Enough, _) => Err(Error::FarFailed {
                name: host.name.clone(),
                said: vec!["it says more than was asked".into()],
            }),
            (_, _) => Err(unreached(host, &Lost::default())),
        }
    }

    /// Stores the version of the host if it changed.
    pub(in crate::manager) fn note_version(&self, host: &Host, version: &str) {
        if host.version.as_deref() == Some(version) {
            return;
        }
        let _ = self.0.store.update_hosts(|edit| {
            if let Some(mut host) = edit.get(&host.name) {
                host.version = Some(version.to_owned());
                edit.put(&host);
            }
        });
    }
}

fn taken(by: Host) -> Error {
    Error::HostTaken { name: by.name, address: by.address.to_string() }
}

/// Creates a request with a new id.
pub(in crate::manager) fn far_request(times: Times, argv: Vec<String>, stdin: usize) -> FarRequest {
    FarRequest {
        format: FAR_FORMAT,
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
pub(in crate::manager) fn difference(hello: &Hello) -> Option<String> {
    let ours = env!("CARGO_PKG_VERSION");
    let Hello { format, version } = hello;
    match (*format, version.as_str()) {
        (FAR_FORMAT, same) if same == ours => None,
        (FAR_FORMAT, _) => Some(format!(
            "symposium {version} answers there, this is {ours}: both speak the same format; a verb or option that only \
             one of them knows is refused by the other"
        )),
        (older, _) if older < FAR_FORMAT => Some(format!(
            "symposium {version} answers there, this is {ours}: it is older (format {format}, this one speaks \
             {FAR_FORMAT}), so nothing will work before it is upgraded"
        )),
        (_, _) => Some(format!(
            "symposium {version} answers there, this is {ours}: it is newer (format {format}, this one speaks \
             {FAR_FORMAT}) and still takes what this one says"
        )),
    }
}

/// Converts a failed connection to an error.
pub(in crate::manager) fn unreached(host: &Host, lost: &Lost) -> Error {
    let (name, code, late) = (host.name.clone(), lost.code, lost.late);
    let said: Vec<String> = lost.said.lines().rev().take(4).map(crate::error::shown).collect();
    let said: Vec<String> = said.into_iter().rev().collect();
    if lost.greeted && !late {
        let said = std::iter::once("it ended in the middle".to_owned()).chain(said).collect();
        return Error::FarFailed { name, said };
    }
    let address = host.address.to_string();
    // The answer of a symposium version that has no `remote` command.
    if code == Some(2) && said.iter().any(|line| line.contains("unrecognized subcommand 'remote'")) {
        return Error::HostOlder { name, version: None };
    }
    match code {
        Some(126 | 127) => Error::HostLacksSymposium { host: Box::new(host.clone()), said },
        Some(255) | None => Error::HostUnreached { name, address, port: host.port, said, late },
        Some(_) => Error::HostLacksSymposium { host: Box::new(host.clone()), said },
    }
}
