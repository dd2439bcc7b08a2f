//! The only place that starts ssh: its options, and the few arguments that the shell of the host sees.

use std::ffi::OsStr;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use super::{Interaction, Ssh, SshError, request};
use crate::base::child::{BoundedChild, KillScope};
use crate::base::wait::deadline::deadline_after;
use crate::model::{AgentName, Exit, Host, HostName, RemoteBinary};

/// Time limit for closing the shared connection. Only the ssh process on this machine has to answer.
const CONTROL_EXIT_TIMEOUT: Duration = Duration::from_secs(2);

/// Finds symposium on the host, also in directories that are not in the PATH of a non-login shell. Uses `sh`, because
/// the user's shell on the host may be any.
const FIND: &str = r#"PATH="$PATH:$HOME/.cargo/bin:$HOME/.local/bin"; export PATH; exec symposium"#;

/// Arguments of an attach on the host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RemoteAttachArgs<'a> {
    /// Name of the agent. Its character set is safe in any shell.
    pub name: &'a AgentName,
    /// Additional options, all of them constants.
    pub options: &'a [&'static str],
    /// Id of this attach, by which a later attach refers to it.
    pub link: uuid::Uuid,
    /// Name of the host on this machine. Its character set is safe as well.
    pub host: &'a HostName,
    /// Command through which ssh is started, so that it ends with this process.
    pub tie: [&'static str; 2],
}

impl Ssh {
    /// Returns a command that runs `remote` on the host and communicates over pipes.
    pub(super) fn request_command(&self, host: &Host, asking: Interaction) -> Command {
        let mut command = self.command(self.program(), host, asking);
        command
            .arg("-T")
            .arg("--")
            .arg(host.address.as_str())
            .arg(remote_command_line(host.binary.as_ref(), "remote"));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Attaches this terminal to an agent on the host until the user detaches or the connection ends.
    ///
    /// Returns the messages of ssh instead of showing them, because they would disturb the screen of the agent. ssh
    /// must not outlive this process: it would read input that is meant for the shell.
    pub fn attach(&self, host: &Host, words: &RemoteAttachArgs<'_>) -> Result<(Exit, String), SshError> {
        let mut remote_command = format!("agent attach --link {} --known-as {}", words.link, words.host);
        for option in words.options {
            remote_command.push_str(&format!(" {option}"));
        }
        remote_command.push_str(&format!(" {}", words.name));
        let mut command = self.command(self.tied_program(words.tie), host, Interaction::Allowed);
        // All input is meant for the agent: with an escape character, `~.` at the beginning of a line would end ssh,
        // and the input after it would be lost.
        command.args(["-o", "EscapeChar=none"]);
        command
            .arg("-tt")
            .arg("--")
            .arg(host.address.as_str())
            .arg(remote_command_line(host.binary.as_ref(), &remote_command));
        let mut child = command.stderr(Stdio::piped()).spawn().map_err(|source| self.not_run(source))?;
        let complaints = child.stderr.take().map(request::collect);
        let status = child.wait().map_err(|source| self.not_run(source))?;
        let complaint = complaints
            .and_then(|complaint| complaint.recv_timeout(request::STDERR_TIMEOUT).ok())
            .unwrap_or_default();
        Ok((Exit { code: status.code(), signal: status.signal() }, complaint))
    }

    /// Returns `true` if no login on the host has succeeded: a successful one leaves a connection to share.
    pub(super) fn is_unshared(&self, host: &Host) -> bool {
        self.socket(host).is_some_and(|socket| std::fs::symlink_metadata(socket).is_err())
    }

    /// Stops new sessions from using the shared connection to a host, which may be dead and would delay them. Existing
    /// sessions stay: a dead connection ends by itself (`ServerAliveInterval`), a working one ends with its last
    /// session.
    pub fn retire_connection(&self, host: &Host) {
        let Some(socket) = self.socket(host) else { return };
        let Ok(before) = std::fs::symlink_metadata(&socket) else { return };
        let mut command = self.program();
        command.arg("-o").arg(format!("ControlPath={}", socket.display())).args(["-O", "stop", "--"]);
        command.arg(host.address.as_str());
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        if let Ok(child) = command.spawn() {
            end_within(child, CONTROL_EXIT_TIMEOUT);
        }
        // A connection that did not answer must not be found by the next call. Another process may have created a new
        // one already.
        if std::fs::symlink_metadata(&socket).is_ok_and(|now| now.ino() == before.ino()) {
            let _ = std::fs::remove_file(socket);
        }
    }

    pub(super) fn not_run(&self, source: io::Error) -> SshError {
        SshError::NotRun { program: self.program.clone(), source }
    }

    fn command(&self, mut command: Command, host: &Host, asking: Interaction) -> Command {
        match self.socket(host) {
            Some(socket) => {
                command.arg("-o").arg(format!("ControlPath={}", socket.display()));
                command.args(["-o", "ControlMaster=auto", "-o", "ControlPersist=60"]);
            }
            None => {
                command.args(["-o", "ControlMaster=no", "-o", "ControlPath=none"]);
            }
        }
        command.args([
            "-o",
            "ServerAliveInterval=5",
            "-o",
            "ServerAliveCountMax=3",
            "-o",
            "ConnectTimeout=5",
        ]);
        // Override settings that users make for their own shells: another remote command, forwarded ports that are
        // already in use, and a log level that hides why the login failed.
        command.args(["-o", "RemoteCommand=none", "-o", "ClearAllForwardings=yes", "-o", "LogLevel=INFO"]);
        if asking == Interaction::Never {
            command.args(["-o", "BatchMode=yes"]);
        }
        if let Some(port) = host.port {
            command.arg("-p").arg(port.to_string());
        }
        command
    }

    fn program(&self) -> Command {
        self.started(self.program.as_os_str())
    }

    fn tied_program(&self, [ours, word]: [&'static str; 2]) -> Command {
        let mut command = self.started(OsStr::new(ours));
        command.arg(word).arg(&self.program);
        command
    }

    #[expect(clippy::disallowed_methods, reason = "ssh keeps its pipes or the terminal open while it runs")]
    fn started(&self, program: &OsStr) -> Command {
        let mut command = Command::new(program);
        command.env_clear().envs(self.env.iter().map(|(key, value)| (key, value)));
        command
    }
}

/// Returns the command line for the host: `sh` finds the binary and receives only constants.
fn remote_command_line(binary: Option<&RemoteBinary>, words: &str) -> String {
    match binary {
        Some(binary) => format!("exec '{}' {words}", binary.as_str()),
        None => format!("exec sh -c '{FIND} {words}'"),
    }
}

/// Waits for a child and kills it at the time limit. Returns its exit status if it ended by itself.
///
/// ssh runs in the process group of this process, because it may ask for a password in the terminal.
pub(super) fn end_within(child: Child, bound: Duration) -> Option<ExitStatus> {
    let deadline = deadline_after(Instant::now(), bound);
    BoundedChild::started(child, KillScope::Program).wait(deadline).ok().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host(port: Option<u16>, link: &str) -> Host {
        Host {
            name: "gpu1".parse().unwrap(),
            address: "me@gpu1".parse().unwrap(),
            port,
            binary: None,
            link: link.to_owned(),
            version: None,
            added_at: "2026-01-01T00:00:00Z".parse().unwrap(),
        }
    }

    fn ssh(run_dir: &str) -> Ssh {
        Ssh { program: "/usr/bin/ssh".into(), run_dir: run_dir.into(), env: vec![] }
    }

    fn words(command: &Command) -> String {
        command.get_args().map(|arg| arg.to_str().unwrap()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn remote_shell_gets_fixed_arguments_only() {
        let text = words(
            &ssh("/home/u/.symposium/run").request_command(&host(Some(2222), "0a1b2c3d"), Interaction::Never),
        );
        assert_eq!(
            text,
            "-o ControlPath=/home/u/.symposium/run/ssh-0a1b2c3d -o ControlMaster=auto -o ControlPersist=60 \
             -o ServerAliveInterval=5 -o ServerAliveCountMax=3 -o ConnectTimeout=5 -o RemoteCommand=none \
             -o ClearAllForwardings=yes -o LogLevel=INFO -o BatchMode=yes -p 2222 -T -- \
             me@gpu1 exec sh -c 'PATH=\"$PATH:$HOME/.cargo/bin:$HOME/.local/bin\"; export PATH; exec symposium remote'"
        );
        let binary: RemoteBinary = "/opt/s/symposium".parse().unwrap();
        assert_eq!(remote_command_line(Some(&binary), "remote"), "exec '/opt/s/symposium' remote");
    }

    #[test]
    fn a_socket_path_that_is_too_long_disables_connection_sharing() {
        let long = format!("/{}", "x".repeat(90));
        for run_dir in [long.as_str(), "/home/a b/run", "/home/%h/run"] {
            let text = words(&ssh(run_dir).request_command(&host(None, "0a1b2c3d"), Interaction::Allowed));
            assert!(text.contains("ControlMaster=no -o ControlPath=none"), "{text}");
            assert!(!text.contains("BatchMode"), "{text}");
        }
    }
}
