//! Renders a unit for the user manager of systemd.
//!
//! The unit starts our tmux server, so that it belongs to the user manager and not to a login session, and then ends at
//! once. The processes that it started continue in its control group, also when the unit is stopped.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

use super::{Boot, ServiceRole};

/// Renders the unit.
pub(super) fn unit(boot: &Boot) -> String {
    match &boot.role {
        ServiceRole::Agents => unit_of_agents(boot),
        ServiceRole::WebPage(args) => unit_of_web_page(boot, args),
    }
}

/// Renders the unit of the web page. The page may start the tmux server, so stopping the unit ends only the page.
fn unit_of_web_page(boot: &Boot, args: &[String]) -> String {
    let exe = program(boot.exe.as_os_str());
    let words = args.iter().map(|arg| format!(" {}", quoted(OsStr::new(arg)).replace('$', "$$")));
    let (args, env) = (words.collect::<String>(), environment(boot));
    format!(
        "\
# Written by `symposium web --install`; `symposium web --uninstall` removes it.

[Unit]
Description=Symposium: web page

[Service]
Type=exec
{env}UnsetEnvironment=INVOCATION_ID JOURNAL_STREAM SYSTEMD_EXEC_PID
ExecStart={exe} web serve{args}
Restart=on-failure
RestartSec=5
# Stopping the unit ends no agent.
KillMode=process
OOMPolicy=continue
TasksMax=infinity

[Install]
WantedBy=default.target
"
    )
}

fn unit_of_agents(boot: &Boot) -> String {
    let exe = program(boot.exe.as_os_str());
    let env = environment(boot);
    format!(
        "\
# Written by `symposium service install`; `symposium service uninstall` removes it.

[Unit]
Description=Symposium: AI coding agents, kept alive

[Service]
Type=oneshot
RemainAfterExit=yes
{env}UnsetEnvironment=INVOCATION_ID JOURNAL_STREAM SYSTEMD_EXEC_PID
# The supervisor lives in our tmux server: starting it starts the server.
ExecStart={exe} supervisor start
# One agent that does not come back is no reason to give up the others.
ExecStart=-{exe} agent restore --all
TimeoutStartSec=10min
# Stopping the unit ends no agent; `symposium agent kill --all` does.
KillMode=process
OOMPolicy=continue
TasksMax=infinity

[Install]
WantedBy=default.target
"
    )
}

/// Returns one line for each variable of the service.
fn environment(boot: &Boot) -> String {
    let line = |(name, value): &(std::ffi::OsString, std::ffi::OsString)| {
        let mut pair = name.clone();
        pair.push("=");
        pair.push(value);
        format!("Environment={}\n", quoted(&pair))
    };
    boot.env.iter().map(line).collect()
}

/// Quotes the path of a program. systemd rejects some characters there that it accepts in an argument.
fn program(path: &OsStr) -> String {
    let refused = |c: char| c.is_control() || matches!(c, '"' | '\'' | '\\');
    match path.to_str() {
        Some(text) if !text.contains(refused) => quoted(path),
        // systemd expands variables in arguments, but not in a path.
        _ => format!("/usr/bin/env {}", quoted(path).replace('$', "$$")),
    }
}

/// Quotes a text so that systemd reads it literally, except for `$` where variables are expanded.
fn quoted(word: &OsStr) -> String {
    let mut text = String::from("\"");
    for chunk in word.as_bytes().utf8_chunks() {
        for c in chunk.valid().chars() {
            match c {
                '"' | '\\' => text.extend(['\\', c]),
                '%' => text.push_str("%%"),
                c if c.is_ascii_control() => text.push_str(&format!("\\x{:02x}", c as u32)),
                c => text.push(c),
            }
        }
        chunk.invalid().iter().for_each(|byte| text.push_str(&format!("\\x{byte:02x}")));
    }
    text + "\""
}

#[cfg(test)]
mod tests;
