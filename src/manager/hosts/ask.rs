//! Runs a command on another machine for a program, such as the dashboard, and returns its output as a value.

use std::path::Path;

use serde_json::Value;

use crate::error::{Code, Error};
use crate::manager::hosts::Hosts;
use crate::manager::hosts::list::{foreign_line, remote_error};
use crate::manager::hosts::run::{OutputChunk, OutputPlan, RemoteCommand};
use crate::model::{AgentName, Exit, HostName};
use crate::process::{self, Run};
use crate::ssh::FrameFlow;

/// The output of a command.
struct RemoteCommandOutput {
    code: u8,
    out: Vec<u8>,
    err: Vec<u8>,
}

impl Hosts<'_> {
    /// Runs a command that changes something, at most once, and returns its JSON output. `stdin` is its standard input.
    pub fn change(&self, host: &HostName, argv: &[&str], stdin: &str) -> Result<Value, Error> {
        self.json(host, argv, stdin, OutputPlan::Once)
    }

    /// Runs a command that only reads and returns its JSON output.
    pub fn query(&self, host: &HostName, argv: &[&str]) -> Result<Value, Error> {
        self.json(host, argv, "", OutputPlan::Whole)
    }

    /// Runs a command that only reads and returns the text that it prints.
    pub fn query_text(&self, host: &HostName, argv: &[&str]) -> Result<String, Error> {
        let RemoteCommandOutput { code, out, err } =
            self.output(host, &[&["--color=never"], argv].concat(), "", OutputPlan::Whole)?;
        match code {
            0 => Ok(String::from_utf8_lossy(&out).into_owned()),
            code => {
                let err = String::from_utf8_lossy(&err);
                let first = err.lines().next().unwrap_or("it failed without a message");
                let message = first.strip_prefix("error: ").unwrap_or(first);
                let message = format!("on `{host}`: {}", foreign_line(message));
                Err(Error::new(Code::FailedOnHost(code), message))
            }
        }
    }

    /// Attaches this terminal to an agent on another machine, in a process of its own, until the user detaches.
    pub fn attach_in_child(&self, host: &HostName, name: &AgentName) -> Result<Exit, Error> {
        let args = self.with_home(["agent", "attach"].map(str::to_owned).to_vec());
        let args = [args, vec![format!("{host}:{name}")]].concat();
        let run = Run { program: Path::new(self.0.env.exe()), args: &args, dir: None, env: None };
        process::run_foreground(&run, |_| ()).map_err(Error::io("cannot run symposium"))
    }

    fn json(&self, host: &HostName, argv: &[&str], stdin: &str, showing: OutputPlan) -> Result<Value, Error> {
        let RemoteCommandOutput { code, out, err } =
            self.output(host, &[&["--json"], argv].concat(), stdin, showing)?;
        let unexpected = || {
            let lines = String::from_utf8_lossy(&err).lines().take(4).map(foreign_line).collect::<Vec<_>>();
            Error::unexpected_answer(host, lines)
        };
        match code {
            0 => serde_json::from_slice(&out).map_err(|_| unexpected()),
            code => Err(remote_error(host, code, &err).unwrap_or_else(unexpected)),
        }
    }

    fn output(
        &self,
        host: &HostName,
        argv: &[&str],
        stdin: &str,
        showing: OutputPlan,
    ) -> Result<RemoteCommandOutput, Error> {
        let command = RemoteCommand {
            host: host.clone(),
            argv: argv.iter().map(|word| (*word).to_owned()).collect(),
            stdin: stdin.as_bytes().to_vec(),
            showing,
            limit: None,
        };
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let code = self.run_on_host(&command, &mut |chunk| {
            match chunk {
                OutputChunk::Out(bytes) => out.extend_from_slice(bytes),
                OutputChunk::Err(bytes) => err.extend_from_slice(bytes),
                OutputChunk::Link(_) => {}
            }
            FrameFlow::Continue
        })?;
        Ok(RemoteCommandOutput { code, out, err })
    }
}
