//! What an attach costs the tmux server, which must not depend on the number of attached clients.

use super::spawned;
use crate::support::TestEnv;
use crate::support::terminal::Terminal;

fn start(env: &TestEnv, name: &str) {
    spawned(env, &["--name", name, "--", "sh", "-c", "echo this is it; exec sleep 1000"]);
}

/// Attaches to an agent, and returns the tmux commands that the new client ran, without the agent's name.
fn attach<'a>(env: &'a TestEnv, name: &str) -> (Terminal<'a>, Vec<String>) {
    let terminal = env.terminal([env.binary(), "agent", "attach", name]);
    terminal.wait_for_text("detach:");
    let by_it = format!(" {} command: ", terminal.tty());
    let mut ran = Vec::new();
    env.wait_until("the server reports the attach", || {
        let log = env.tmux(["show-messages"]).ok().stdout;
        let commands = log.lines().filter_map(|line| Some(line.split_once(&by_it)?.1));
        ran = commands.map(|command| command.replace(name, "NAME")).collect();
        ran.iter().any(|command| command.contains("event client-attached"))
    });
    (terminal, ran)
}

#[test]
fn an_attach_runs_as_many_commands_with_ten_clients_as_with_one() {
    let env = TestEnv::new();
    let names: Vec<String> = (0..10).map(|number| format!("agent-{number}")).collect();
    names.iter().for_each(|name| start(&env, name));
    let (_first, alone) = attach(&env, &names[0]);
    let _others: Vec<Terminal<'_>> = names[1..9].iter().map(|name| attach(&env, name).0).collect();
    let (_last, crowded) = attach(&env, &names[9]);
    assert_eq!(crowded.len(), alone.len(), "alone: {alone:#?}\nwith others: {crowded:#?}");
    // tmux redraws every client whenever an option is set. Removing an option that is not set costs nothing.
    let sets: Vec<&String> = crowded
        .iter()
        .filter(|command| command.starts_with("set-option") && !command.contains("-qu "))
        .filter(|command| !command.contains("-gqu "))
        .collect();
    assert!(sets.is_empty(), "{sets:#?}");
}

#[test]
fn an_attach_does_not_redraw_the_clients_of_other_agents() {
    let env = TestEnv::new();
    ["agent-0", "agent-1", "agent-2"].iter().for_each(|name| start(&env, name));
    let (_first, _) = attach(&env, "agent-0");
    let (second, _) = attach(&env, "agent-1");
    let written = || {
        let list = env.tmux(["list-clients", "-F", "#{client_tty} #{client_written}"]).ok().stdout;
        list.lines().find_map(|line| line.strip_prefix(&second.tty())?.trim().parse::<u64>().ok()).unwrap()
    };
    let before = written();
    let (_third, _) = attach(&env, "agent-2");
    assert_eq!(written(), before, "bytes that were written to another terminal");
}

#[test]
fn a_driver_recorded_by_an_earlier_version_is_replaced() {
    let env = TestEnv::new();
    spawned(&env, &["--name", "a", "--", "sh", "-c", "echo this is a; exec sleep 1000"]);
    // Earlier versions recorded the driver in an option, which hides a variable of the same name.
    env.tmux(["set-option", "-t", "=a:", "@symposium_driver", "1@/dev/pts/none"]).ok();
    let terminal = env.terminal([env.binary(), "agent", "attach", "a"]);
    terminal.wait_for_text("detach:");
    let driver = env.tmux(["display-message", "-p", "-t", "=a:", "#{@symposium_driver}"]).ok().stdout;
    assert!(driver.trim_end().ends_with(&format!("@{}", terminal.tty())), "{driver}");
    assert_eq!(env.tmux(["show-options", "-qv", "-t", "=a:", "@symposium_driver"]).ok().stdout, "");
}
