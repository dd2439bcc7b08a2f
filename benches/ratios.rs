//! Compares the cost of Symposium with plain tmux, measured within one run.
//!
//! The result is a table for reading, not a test with time limits: the exit code is always 0. Everything runs in
//! temporary homes and on separate tmux servers, which are ended through their own sockets.
//! - without options: the duration of commands.
//! - `--watch`: the cost of watching agents and the latency of status changes; `--seconds N` watches for another time
//!   than 60 s, `--only quiet,printing,latency,memory,flood` selects measurements.
//! - `--queue`: the cost of tasks: adding, dispatching, ten thousand that wait.
//! - `--checkpoint`: the cost of a checkpoint before a turn.
//! - `--dashboard`: the dashboard in a real terminal; `--only frame,key,change,line,quiet,memory,viewers` selects
//!   measurements, `--seconds N` the time without changes.
//! - `--web`: the web page; `--only change,key,viewers,flood,load,quiet` selects measurements, `--seconds N` the time
//!   without changes.
//! - `--hosts`: the cost of other machines: a list of twenty, attaching over ssh.
//! - `--agents N` sets another number of agents than 1,000 (20 with `--queue`, 100 with `--watch`, `--dashboard` and `--web`,
//!   where some measurements take ten times as many); `--binary FILE` measures another Symposium binary.
#![expect(clippy::disallowed_methods, reason = "a bench starts programs and looks at its own arguments")]
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a bench prints a table")]

mod checkpoint;
mod commands;
mod dashboard;
mod hosts;
mod parts;
mod place;
mod queue;
mod table;
mod watch;
mod web;

use std::path::PathBuf;
use std::time::Duration;

use parts::Options;

fn main() {
    let mut args = std::env::args().skip(1);
    let mut agents = None;
    let mut binary = beside_me("symposium");
    let mut seconds = 60;
    let mut only = None;
    let mut is_watch = false;
    let mut is_queue = false;
    let mut is_hosts = false;
    let mut is_checkpoint = false;
    let mut is_dashboard = false;
    let mut is_web = false;
    while let Some(arg) = args.next() {
        let mut value = |what: &str| args.next().unwrap_or_else(|| panic!("{what}"));
        match arg.as_str() {
            "--agents" => agents = Some(value("--agents N").parse().expect("--agents N")),
            "--binary" => binary = value("--binary FILE").into(),
            "--seconds" => seconds = value("--seconds N").parse().expect("--seconds N"),
            "--only" => only = Some(value("--only PART,PART")),
            "--watch" => is_watch = true,
            "--queue" => is_queue = true,
            "--hosts" => is_hosts = true,
            "--checkpoint" => is_checkpoint = true,
            "--dashboard" => is_dashboard = true,
            "--web" => is_web = true,
            web::bare::BARE_PAGE => return web::bare::serve_page(value("--bare-page FILE").into()),
            watch::printing::PRINTER => return watch::printing::print_lines(),
            dashboard::printer::INTERVAL_PRINTER => {
                return dashboard::printer::print_at_interval(
                    value("--print-every MS").parse().expect("a number"),
                );
            }
            dashboard::printer::REQUESTED_PRINTER => {
                return dashboard::printer::print_requested(value("--print-requested FILE").as_ref());
            }
            dashboard::viewers::TAIL_VIEWER => {
                return dashboard::viewers::view_transcripts(&value("--view-tail DIR,DIR"));
            }
            dashboard::viewers::CONTROL_VIEWER => {
                return dashboard::viewers::view_in_control_mode(&value("--view-control SOCKET,SESSION"));
            }
            // cargo itself adds `--bench`.
            "--bench" => {}
            other => panic!("no such argument: {other}"),
        }
    }
    if is_watch {
        let seconds = Duration::from_secs(seconds);
        watch::run(&Options { agents: agents.unwrap_or(100), binary, seconds, only });
    } else if is_dashboard {
        let seconds = Duration::from_secs(seconds);
        dashboard::run(&Options { agents: agents.unwrap_or(100), binary, seconds, only });
    } else if is_web {
        let seconds = Duration::from_secs(seconds);
        web::run(&Options { agents: agents.unwrap_or(100), binary, seconds, only });
    } else if is_queue {
        queue::run(agents.unwrap_or(20), binary);
    } else if is_checkpoint {
        checkpoint::run(binary);
    } else if is_hosts {
        hosts::run(binary);
    } else {
        commands::run(agents.unwrap_or(1000), binary);
    }
}

/// Returns the path of a binary that was built together with this one.
fn beside_me(name: &str) -> PathBuf {
    std::env::current_exe().expect("our own path").with_file_name(name)
}
