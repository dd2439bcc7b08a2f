//! A connection that is cut during a request: the request is executed once, and its answer arrives completely.

use std::fs;

use super::{Far, go_on, machines};

/// Returns the number of requests that are stored on the remote machine.
fn requests(far: &Far) -> usize {
    fs::read_dir(far.env.state().join("run/requests")).map_or(0, Iterator::count)
}

#[test]
fn a_send_over_a_cut_connection_arrives_once() {
    let Some((near, far)) = machines() else { return };
    far.echoing("a");
    for step in ["remote.spooled", "remote.begun", "remote.done"] {
        let text = format!("cut at {step}");
        far.stop_at(step);
        let send = near.run(&["agent", "send", "far:a", &text]).start();
        let stopped = far.wait_for_stopped();
        far.cut();
        go_on(stopped);
        let sent = send.finish().ok();
        assert!(
            sent.stderr.contains("the connection to `far` was lost; trying again in 1 s"),
            "{step}: {sent:?}"
        );
        assert!(sent.stderr.contains("delivered to `a`"), "{step}: {sent:?}");
        far.printed_once("a", &format!("got <{text}>"));
    }
    assert_eq!(requests(&far), 3);
}

#[test]
fn a_silent_host_is_reported_as_not_answering() {
    let Some((near, far)) = machines() else { return };
    far.fall_silent();
    let mut send = near.run(&["agent", "send", "far:a", "is anybody there?"]).start();
    near.env.wait_until("the request is repeated", || send.stderr_so_far().contains("trying again in 1 s"));
    let output = send.stderr_so_far();
    assert!(output.starts_with("warning: `far` does not answer; trying again"), "{output}");
    send.kill();
    // A command that only reads does not wait.
    let output = near.run(&["agent", "show", "far:a"]).fails(1).stderr;
    assert!(output.contains("far") && !output.contains("trying again"), "{output}");
}

#[test]
fn a_spawn_over_a_cut_connection_creates_one_agent() {
    let Some((near, far)) = machines() else { return };
    far.stop_at("remote.begun");
    let spawn = near.run(&["agent", "spawn", "--host", "far", "--", "sleep", "1000"]).start();
    let stopped = far.wait_for_stopped();
    far.cut();
    go_on(stopped);
    let spawned = spawn.finish().ok();
    let agents = far.agents();
    assert_eq!(agents.len(), 1, "{agents:?}");
    assert_eq!(spawned.stdout, format!("far:{}\n", agents[0]["name"].as_str().unwrap()));
}

#[test]
fn tasks_and_messages_over_a_cut_connection_are_added_once() {
    let Some((near, far)) = machines() else { return };
    far.echoing("a");
    for args in [&["task", "add", "far:a", "do it"][..], &["message", "send", "far:a", "hi"]] {
        far.stop_at("remote.done");
        let adding = near.run(args).start();
        let stopped = far.wait_for_stopped();
        far.cut();
        go_on(stopped);
        adding.finish().ok();
    }
    let count = |args: &[&str]| far.run(args).ok().json().as_array().map_or(0, Vec::len);
    assert_eq!(count(&["task", "list", "--all", "--json"]), 1);
    assert_eq!(count(&["message", "list", "--agent", "a", "--all", "--json"]), 1);
}

#[test]
fn a_killed_remote_command_is_reported_as_unknown() {
    let Some((near, far)) = machines() else { return };
    far.echoing("a");
    far.stop_at("remote.begun");
    let send = near.run(&["agent", "send", "far:a", "lost"]).start();
    let stopped = far.wait_for_stopped();
    rustix::process::kill_process(stopped, rustix::process::Signal::KILL).unwrap();
    let sent = send.finish().fails(6);
    assert!(
        sent.stderr.starts_with("error: it is unknown whether host `far` executed the command\n"),
        "{sent:?}"
    );
    assert_eq!(far.printed("a", "got <lost>"), 0);
}

#[test]
fn a_remote_command_finishes_when_its_caller_is_gone() {
    let Some((near, far)) = machines() else { return };
    far.echoing("a");
    far.stop_at("remote.begun");
    let mut send = near.run(&["agent", "send", "far:a", "on its own"]).start();
    let stopped = far.wait_for_stopped();
    send.kill();
    drop(send);
    far.cut();
    go_on(stopped);
    far.env.wait_until("the text has arrived", || far.printed("a", "got <on its own>") == 1);
}

#[test]
fn a_read_over_a_cut_connection_is_repeated_and_printed_once() {
    let Some((near, far)) = machines() else { return };
    far.echoing("a");
    let wait = near.run(&["agent", "wait", "far:a", "--for", "stopped"]).start();
    far.env.wait_until("the remote command waits", || {
        far.env.processes().iter().any(|one| one.command.contains("agent wait"))
    });
    far.cut();
    far.run(&["agent", "kill", "a"]).ok();
    let waited = wait.finish().ok();
    assert_eq!(waited.stdout, "stopped\n");
}

#[test]
fn a_wait_over_a_cut_connection_keeps_its_remaining_timeout() {
    let Some((near, far)) = machines() else { return };
    far.echoing("a");
    let wait = near.run(&["agent", "wait", "far:a", "--for", "idle", "--timeout", "15s"]).start();
    let waits = |mark: &str| {
        far.env.processes().iter().any(|one| one.command.contains("agent wait") && one.command.contains(mark))
    };
    far.env.wait_until("the remote command waits", || waits("--timeout=15s"));
    far.cut();
    far.env.wait_until("the remaining time is passed on", || waits("ms"));
    assert!(!waits("--timeout=15s"));
    let late = wait.finish().fails(7);
    assert!(late.stderr.contains("it did not become idle"), "{late:?}");
}
