//! What a user sees who comes back to a dashboard that was left alone.

use rustix::process::{Pid, Signal, kill_process};

use super::{dashboard, echoing};
use crate::support::TestEnv;

#[test]
fn a_tmux_server_that_hangs_is_noticed_after_the_next_key() {
    let env = TestEnv::new();
    echoing(&env, "a");
    let terminal = dashboard(&env);
    terminal.wait_for_text("this is a");
    let pid = env.tmux(["display-message", "-p", "#{pid}"]).ok().stdout;
    let server = pid.trim().parse().ok().and_then(Pid::from_raw).expect("the server has a process");
    kill_process(server, Signal::STOP).expect("the server lives");
    // Two keys in a row: the second one comes while the check after the first one may be over.
    terminal.keys(&["k", "j"]);
    // Without a check after keys, the list notices it after a minute, which is longer than this waits.
    terminal.wait_for_text("tmux");
    kill_process(server, Signal::CONT).expect("the server lives");
}
