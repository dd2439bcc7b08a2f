//! `agent list --host`: all hosts are asked concurrently; a host that does not answer is listed from the cache and
//! delays nothing.

use std::time::Instant;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use super::{Far, machines};

fn names(agents: &Value) -> Vec<(Value, Value, Value)> {
    let of = |agent: &Value| (agent["host"].clone(), agent["name"].clone(), agent["stale"].clone());
    let mut names: Vec<_> = agents.as_array().unwrap().iter().map(of).collect();
    names.sort_by_key(|(host, name, _)| (host.to_string(), name.to_string()));
    names
}

#[test]
fn all_hosts_are_listed_and_an_unreachable_one_from_the_cache() {
    let Some((near, far)) = machines() else { return };
    let Some(other) = Far::new(&near) else { return };
    near.add("other", &other);
    near.run(&["agent", "spawn", "--name", "here", "--", "sleep", "1000"]).ok();
    far.echoing("a");
    other.echoing("b");
    let all = near.run(&["agent", "list", "--host", "all", "--timeout", "50s", "--json"]).ok().json();
    let fresh = |host: Value, name: &str, stale: Value| (host, json!(name), stale);
    assert_eq!(
        names(&all),
        [
            fresh(json!("far"), "a", json!(false)),
            fresh(json!("other"), "b", json!(false)),
            fresh(json!(null), "here", json!(null)),
        ]
    );
    let watching = other.env.terminal([other.env.binary(), "agent", "attach", "b"]);
    watching.wait_for_text("this is b");
    let text = near.run(&["agent", "list", "--host", "all", "--timeout", "50s"]).ok().stdout;
    assert!(text.contains("far:a ") && text.contains("other:b ") && text.contains("\nhere "), "{text}");

    // The host stops answering without closing its connections, which is the hardest case.
    let stopped = stop(&other);
    let began = Instant::now();
    // As long as the other host may need on a machine as busy as this one.
    let all = near.run(&["agent", "list", "--host", "all", "--timeout", "10s", "--json"]).ok();
    assert!(began.elapsed().as_secs() < 40, "{:?}", began.elapsed());
    assert_eq!(
        names(&all.json()),
        [
            fresh(json!("far"), "a", json!(false)),
            fresh(json!("other"), "b", json!(true)),
            fresh(json!(null), "here", json!(null)),
        ]
    );
    assert!(
        all.stderr.contains("host `other` did not answer in time; its agents are shown as of"),
        "{all:?}"
    );
    let words = ["agent", "list", "--host", "all", "--timeout", "2s"];
    let terminal = near.env.terminal_sized((150, 30), [near.env.binary()].iter().chain(&words).copied());
    assert_eq!(terminal.wait_for_exit(), 0);
    let screen = terminal.screen();
    assert!(screen.contains("waiting for ") && screen.contains("`other`"), "{screen}");
    let text = near.run(&words).ok().stdout;
    // The last column still shows what the agent works on.
    let row = text.lines().find(|line| line.starts_with("other:b ")).expect("its row");
    assert!(row.contains(" [attached] as of ") && row.contains(" ago: /"), "{text}");
    assert!(!text.contains("now ago") && !all.stderr.contains("now ago"), "{text}{all:?}");
    let one = near.run(&["agent", "list", "--host", "other", "--timeout", "1s"]).fails(1);
    assert!(
        one.stdout.contains("other:b") && one.stderr.contains("error: host `other` did not answer"),
        "{one:?}"
    );
    for pid in stopped {
        kill_process(pid, Signal::CONT).unwrap();
    }
    near.env.wait_until("the host answers again", || {
        let all = near.run(&["agent", "list", "--host", "all", "--timeout", "15s", "--json"]).ok().json();
        names(&all)[1].2 == json!(false)
    });
}

#[test]
fn a_hung_host_delays_only_the_first_list() {
    let Some((near, far)) = machines() else { return };
    far.fall_silent();
    let took = |line: &[&str]| {
        let began = Instant::now();
        near.run(line).outcome();
        began.elapsed()
    };
    let all = ["agent", "list", "--host", "all"];
    let (first, next) = (took(&all), took(&all));
    assert!(next < first, "{next:?}, {first:?}");
    // A list of this host alone waits for it.
    let alone = took(&["agent", "list", "--host", "far"]);
    assert!(next < alone, "{next:?}, {alone:?}");
    far.speak_again();
    let text = near.run(&["agent", "list", "--host", "all", "--timeout", "50s"]).ok();
    assert_eq!(text.stderr, "no agents yet; `symposium agent spawn` starts one\n");
    far.fall_silent();
    let again = took(&all);
    assert!(next < again, "it had answered since: {next:?}, {again:?}");
}

#[test]
fn an_unreachable_host_is_not_listed_as_empty() {
    let Some((near, far)) = machines() else { return };
    near.run(&["host", "add", "gone", "127.0.0.1", "--port", "1", "--force"]).ok();
    let dead = near.run(&["agent", "list", "--host", "gone", "--timeout", "50s"]).fails(1);
    assert_eq!(dead.stdout, "");
    assert!(
        dead.stderr
            .starts_with("warning: nothing is known of its agents\nerror: host `gone` cannot be reached\n"),
        "{dead:?}"
    );
    let empty = near.run(&["agent", "list", "--host", "far", "--timeout", "50s"]).ok();
    assert_eq!(empty.stderr, "no agents yet; `symposium agent spawn --host far` starts one\n");
    far.shut();
    for (host, begin) in [
        ("far", "warning: it had no agents "),
        ("all", "warning: host `far` did not answer in time; it had "),
    ] {
        let dead = near.run(&["agent", "list", "--host", host, "--timeout", "1s"]).outcome();
        assert_eq!((dead.code, dead.stdout.as_str()), (i32::from(host == "far"), ""), "{dead:?}");
        assert!(dead.stderr.starts_with(begin) && !dead.stderr.contains("no agents yet"), "{dead:?}");
    }
}

/// Stops all sshd processes of a host.
fn stop(far: &Far) -> Vec<Pid> {
    let listener = Pid::from_child(far.sshd.as_ref().unwrap());
    let all = [vec![listener], far.sessions()].concat();
    for pid in &all {
        kill_process(*pid, Signal::STOP).unwrap();
    }
    all
}

#[test]
fn filters_apply_to_remote_lists() {
    let Some((near, far)) = machines() else { return };
    far.echoing("a");
    far.run(&["agent", "spawn", "--name", "b", "--", "sleep", "1000"]).ok();
    far.run(&["agent", "kill", "b"]).ok();
    let text = |args: &[&str]| {
        near.run(&[&["agent", "list", "--host", "far", "--timeout", "50s"], args].concat()).ok().stdout
    };
    assert!(text(&[]).contains("far:a") && !text(&[]).contains("far:b"));
    assert!(text(&["--all"]).contains("far:b"));
    assert!(!text(&["--status", "stopped"]).contains("far:a"));
    let agents = near
        .run(&["agent", "list", "--host", "far", "--status", "stopped", "--timeout", "50s", "--json"])
        .ok()
        .json();
    assert_eq!(names(&agents), [(json!("far"), json!("b"), json!(false))]);
}

#[test]
fn watching_one_host_streams() {
    let Some((near, far)) = machines() else { return };
    far.echoing("a");
    let mut watch = near.run(&["agent", "list", "--host", "far", "--watch", "--json"]).start();
    let shows = |watch: &crate::support::run::Running, text: &str| watch.stdout_so_far().contains(text);
    near.env.wait_until("the first list is printed", || shows(&watch, "\"name\":\"a\""));
    far.run(&["agent", "spawn", "--name", "b", "--", "sleep", "1000"]).ok();
    near.env.wait_until("the change is printed", || shows(&watch, "\"name\":\"b\""));
    let line = watch.stdout_so_far().lines().next().unwrap().to_owned();
    let agents: Value = serde_json::from_str(&line).unwrap();
    assert_eq!(agents[0]["host"], json!("far"));
    watch.kill();
    // The remote watcher ends too.
    far.env.wait_until("no watcher is left", || {
        !far.env.processes().iter().any(|one| one.command.contains("--watch"))
    });
}

#[test]
fn watching_a_host_in_a_terminal_uses_its_size() {
    let Some((near, far)) = machines() else { return };
    far.echoing("a");
    let terminal = near.env.terminal([near.env.binary(), "agent", "list", "--host", "far", "--watch"]);
    terminal.wait_for_text("working");
    far.run(&["agent", "rename", "a", "another"]).ok();
    terminal.wait_for_text("another");
    assert_eq!(terminal.screen().matches("NAME").count(), 1, "{}", terminal.screen());
    terminal.keys(&["C-c"]);
    far.env.wait_until("no watcher is left", || {
        !far.env.processes().iter().any(|one| one.command.contains("--watch"))
    });
}

#[test]
fn remote_lists_work_without_local_tmux() {
    let Some((near, far)) = machines() else { return };
    far.echoing("a");
    near.env.forget_program("tmux");
    let all = near.run(&["agent", "list", "--host", "all", "--timeout", "50s", "--json"]).ok();
    assert_eq!(names(&all.json()), [(json!("far"), json!("a"), json!(false))], "{all:?}");
    near.run(&["agent", "spawn", "--foreground", "--name", "here", "--", "true"]).ok();
    let all = near.run(&["agent", "list", "--host", "all", "--timeout", "50s", "--json"]).ok();
    assert_eq!(names(&all.json()).len(), 2, "{all:?}");
    assert!(all.stderr.contains("it is unknown which agents are still running"), "{all:?}");
}

#[test]
fn remote_errors_keep_their_message_and_hint() {
    use std::os::unix::fs::PermissionsExt;
    let Some((near, far)) = machines() else { return };
    far.echoing("a");
    near.run(&["agent", "list", "--host", "far"]).ok();
    std::fs::set_permissions(far.env.state(), std::fs::Permissions::from_mode(0o777)).unwrap();
    let stderr = near.run(&["agent", "list", "--host", "far"]).fails(5).stderr;
    assert!(stderr.contains("error: on `far`: "), "{stderr}");
    assert!(stderr.contains("hint: chmod") && !stderr.contains("{\"error\""), "{stderr}");
    let warned = near.run(&["agent", "list", "--host", "all"]).ok().stderr;
    assert!(warned.contains("on `far`: ") && warned.contains("its agents are shown as of"), "{warned}");
}
