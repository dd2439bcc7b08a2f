//! The queue continues when the supervisor is killed: every task runs exactly once.

use std::collections::BTreeMap;

use super::queue::{prompts, task};
use super::{supervision, symposium};
use crate::support::TestEnv;

const AGENTS: usize = 6;
/// Enough for several rounds of the three moments at which the supervisor is killed.
const TASKS: usize = 60;

/// Returns how often each task was taken, by its number.
fn taken(env: &TestEnv) -> BTreeMap<usize, usize> {
    let mut taken = BTreeMap::new();
    for prompt in prompts(env) {
        let mark = prompt.rsplit_once("[symposium task ").and_then(|(_, mark)| mark.split_once(']'));
        if let Some(id) = mark.and_then(|(id, _)| id.split('/').next()?.parse().ok()) {
            *taken.entry(id).or_default() += 1;
        }
    }
    taken
}

/// Kills the supervisor at a step of a delivery; the next supervisor completes it.
fn cut_short_at(step: &str) {
    let env = TestEnv::new();
    symposium(&env, &["agent", "spawn", "demo", "--name", "a"]).ok();
    symposium(&env, &["agent", "wait", "a", "--for", "idle", "--timeout", "20s"]).ok();
    symposium(&env, &["supervisor", "stop"]).ok();
    let id = env.symposium(["task", "add", "a", "just once"]).ok().stdout.trim().to_owned();
    env.symposium(["supervisor", "run"]).env("SYMPOSIUM_FAILPOINT", step).fails(137);
    assert_ne!(task(&env, &id)["state"], "queued", "it had begun");
    symposium(&env, &["supervisor", "start"]).ok();
    env.wait_until("the task is done", || task(&env, &id)["state"] == "done");
    assert_eq!(prompts(&env), [format!("just once [symposium task {id}]")], "{step}");
}

#[test]
fn a_delivery_killed_before_typing_is_typed() {
    cut_short_at("dispatch.noted");
}

#[test]
fn a_delivery_killed_before_enter_is_submitted_without_retyping() {
    cut_short_at("send.typed");
}

#[test]
fn a_delivery_killed_before_its_record_is_recognized_as_accepted() {
    cut_short_at("dispatch.sent");
}

#[test]
fn each_task_runs_once_while_the_supervisor_is_killed_repeatedly() {
    let env = TestEnv::new();
    for n in 0..AGENTS {
        env.symposium(["agent", "spawn", "demo", "--name", &format!("a{n}")]).ok();
    }
    for n in 0..TASKS {
        let agent = format!("a{}", n % AGENTS);
        let after = (n / 2 + 1).to_string();
        let mut words = vec![agent.as_str(), "/work 20ms"];
        // Every third task depends on a task of another agent.
        if n % 3 == 2 {
            words.extend(["--after", after.as_str()]);
        }
        // Some tasks are for any agent of the pool.
        if n % 10 == 9 {
            words[0] = "any:demo";
        }
        let added = env.symposium([&["task", "add"], &words[..]].concat()).ok();
        assert_eq!(added.stdout.trim(), (n + 1).to_string());
    }
    symposium(&env, &["supervisor", "start"]).ok();
    let file = env.state().join("run/_supervisor.lock");
    let holder = || std::fs::read_to_string(&file).ok()?.split(' ').next()?.parse::<i32>().ok();
    let in_state = |state: &str| {
        let list = symposium(&env, &["task", "list", "--state", state, "--json"]).ok().json();
        list.as_array().map_or(0, Vec::len)
    };
    let (mut killed, mut done) = (0, 0);
    while done < TASKS {
        env.wait_until("a supervisor is running", || holder().is_some());
        let pid = holder().and_then(rustix::process::Pid::from_raw).expect("it was there just now");
        // A kill follows progress and not a clock, which would leave a slow machine no time to make progress: at once,
        // while a task is being typed, or when a task has ended.
        let before = done;
        env.wait_until("a task has started or ended", || {
            done = in_state("done");
            done == TASKS
                || match killed % 3 {
                    0 => true,
                    1 => in_state("dispatched") + in_state("running") > 0,
                    _ => done > before,
                }
        });
        if rustix::process::kill_process(pid, rustix::process::Signal::KILL).is_ok() {
            killed += 1;
            env.wait_until("another supervisor took over", || {
                holder().is_some_and(|now| now != pid.as_raw_pid())
            });
        }
    }
    assert!(killed > 5, "it was killed {killed} times only");
    env.wait_until("the supervisor is running", || supervision(&env)["running"] == true);
    let twice: Vec<_> = taken(&env).into_iter().filter(|(_, times)| *times != 1).collect();
    assert_eq!(twice, []);
    assert_eq!(taken(&env).len(), TASKS);
}
