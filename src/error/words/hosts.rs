//! Messages about other machines: unknown hosts, hosts that do not answer, and commands with an unknown outcome.

use super::{report, seconds, shown, unreachable_report};
use crate::base::suggest::nearest;
use crate::error::{Error, Report};
use crate::model::Host;
use crate::rules::remote::pasted_from;

impl Error {
    pub(super) fn about_hosts(&self) -> Report {
        match self {
            Error::BadHost { given, why } => {
                report("bad-host", 2, format!("`{}` cannot be used for a host: {why}", shown(given)))
                    .hint("such as `symposium host add gpu1 me@gpu1.example.org --port 22`")
            }
            Error::NoSuchHost { name, known } => {
                let report = report("no-such-host", 3, format!("no host named `{}`", shown(name)));
                let report = match known.is_empty() {
                    true => report.saw("there are no hosts yet"),
                    false => report.saw(format!("known hosts: {}", known.join(", "))),
                };
                report.hint(match nearest(name, known.iter().map(String::as_str)) {
                    Some(near) => format!("did you mean `{near}:…`?"),
                    None => format!("add it with `symposium host add {} [USER@]ADDRESS`", shown(name)),
                })
            }
            Error::HostTaken { name, address } => {
                report("host-taken", 1, format!("there is a host named `{name}` already"))
                    .saw(format!("it is {address}"))
                    .hint(format!(
                        "`symposium host remove {name}` forgets it; `--force` puts another in its place"
                    ))
            }
            Error::HostUnreached { name, address, port, said, late } => {
                let what = if *late { "does not answer in time" } else { "cannot be reached" };
                let report = report("host-unreached", 1, format!("host `{name}` {what}")).saw_all(said);
                let port = port.map(|port| format!("-p {port} ")).unwrap_or_default();
                report.hint(format!("see whether `ssh {port}{address}` gets in without asking for anything"))
            }
            Error::HostLacksSymposium { host, said } => {
                let Host { name, address, port, binary, .. } = host.as_ref();
                let (p, cap) =
                    port.map_or_else(Default::default, |port| (format!("-p {port} "), format!("-P {port} ")));
                let looked = match binary {
                    Some(binary) => format!("looked for at {}", binary.as_str()),
                    None => {
                        "looked for in the PATH of a shell there, in ~/.cargo/bin and in ~/.local/bin".into()
                    }
                };
                report("host-lacks-symposium", 1, format!("no symposium answers on host `{name}`"))
                    .saw_all(said)
                    .saw(looked)
                    .hint(match binary {
                        Some(binary) => format!(
                            "put it there: `scp {cap}\"$(command -v symposium)\" {scp}:{}`",
                            binary.as_str(),
                            scp = for_scp(address.as_str())
                        ),
                        None => format!(
                            "put it there: `ssh {p}{address} mkdir -p .local/bin && scp {cap}\"$(command -v symposium)\" {scp}:.local/bin/`",
                            scp = for_scp(address.as_str())
                        ),
                    })
                    .hint("or build it there, in a clone of its source: `cargo install --path .`")
                    .hint("`symposium host add` takes `--binary PATH`, where it is there, and `--force`, to add it all the same")
            }
            Error::HostOlder { name, version } => report(
                "host-older",
                1,
                format!(
                    "{} on host `{name}` is too old to be asked by this one ({})",
                    version
                        .as_ref()
                        .map_or_else(|| "symposium".to_owned(), |version| format!("symposium {version}")),
                    env!("CARGO_PKG_VERSION")
                ),
            )
            .saw("nothing was done")
            .hint("upgrade it there"),
            Error::FarFailed { name, said } => {
                report("far-failed", 1, format!("host `{name}` did not answer what was asked"))
                    .saw_all(said)
                    .hint(format!("`symposium host add --force {name} …` checks it again"))
            }
            Error::FarError { name, exit, message, saw, hints } => {
                let report = report("far-error", *exit, format!("on `{name}`: {message}")).saw_all(saw);
                hints.iter().fold(report, |report, hint| report.hint(pasted_from(name, hint)))
            }
            Error::FarUnknown { name, after } => {
                let report =
                    report("far-unknown", 6, format!("it is not known whether host `{name}` did this"));
                let report = match after {
                    Some(after) => report.saw(format!(
                        "the connection was lost and did not come back within {}",
                        seconds(*after)
                    )),
                    None => report.saw("it was begun there and cut short"),
                };
                report.hint(format!(
                    "look with `symposium agent list --host {name}` before you ask for it again"
                ))
            }
            Error::LinkLost { name } => {
                report("link-lost", 1, format!("the connection to host `{name}` was lost"))
                    .saw("the agents there go on")
                    .hint("the same command goes on; `--since 1m` leaves out what was shown")
            }
            Error::LocalOnly { what, why, host } => {
                report("not-far", 2, format!("`{what}` cannot be done on another machine: {why}"))
                    .hint(format!("go there: `ssh {}`, then `symposium {what}`", shown(host)))
            }
            Error::Ssh { what } => report("ssh", 1, what).hint(
                "install the OpenSSH client, or name it in config.toml: `[hosts]`, `ssh = \"/path/to/ssh\"`",
            ),
            _ => unreachable_report(self),
        }
    }
}

/// Formats an address for scp, which ends an address at the first `:`.
fn for_scp(address: &str) -> String {
    let (user, machine) = address.rsplit_once('@').map_or((None, address), |(user, at)| (Some(user), at));
    let machine = if machine.contains(':') { format!("[{machine}]") } else { machine.to_owned() };
    user.map_or(machine.clone(), |user| format!("{user}@{machine}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scp_is_told_where_an_address_ends() {
        for (address, expected) in [
            ("gpu1", "gpu1"),
            ("me@gpu1", "me@gpu1"),
            ("::1", "[::1]"),
            ("a@b@fe80::1%eth0", "a@b@[fe80::1%eth0]"),
        ] {
            assert_eq!(for_scp(address), expected);
        }
    }
}
