//! A queue is worked off whoever is killed meanwhile: everything once, nothing twice.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use super::queue::{prompts, task};
use super::{supervision, symposium};
use crate::support::TestEnv;

const AGENTS: usize = 20;
const TASKS: usize = 500;

/// How often each task was taken, by its number.
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

/// One whose supervisor dies at a step of a delivery; the next one finds out.
fn cut_short_at(step: &str) {
    let env = TestEnv::new();
    symposium(&env, &["agent", "spawn", "demo", "--name", "a"]).ok();
    symposium(&env, &["agent", "wait", "a", "--for", "idle", "--timeout", "20s"]).ok();
    symposium(&env, &["supervisor", "stop"]).ok();
    let id = env.symposium(["task", "add", "a", "just once"]).ok().stdout.trim().to_owned();
    env.symposium(["supervisor", "run"]).env("SYMPOSIUM_FAILPOINT", step).fails(137);
    assert_ne!(task(&env, &id)["state"], "queued", "it had begun");
    symposium(&env, &["supervisor", "start"]).ok();
    env.wait_until("it is done", || task(&env, &id)["state"] == "done");
    assert_eq!(prompts(&env), [format!("just once [symposium task {id}]")], "{step}");
}

#[test]
fn cut_short_before_a_key_was_pressed_it_is_typed_in() {
    cut_short_at("dispatch.noted");
}

#[test]
fn cut_short_before_its_enter_it_is_submitted_and_not_typed_again() {
    cut_short_at("send.typed");
}

#[test]
fn cut_short_before_it_was_noted_it_is_known_to_be_taken() {
    cut_short_at("dispatch.sent");
}

#[test]
fn twenty_agents_work_off_five_hundred_tasks_while_the_supervisor_is_killed_every_second() {
    let env = TestEnv::new();
    for n in 0..AGENTS {
        env.symposium(["agent", "spawn", "demo", "--name", &format!("a{n}")]).ok();
    }
    for n in 0..TASKS {
        let agent = format!("a{}", n % AGENTS);
        let after = (n / 2 + 1).to_string();
        let mut words = vec![agent.as_str(), "/work 20ms"];
        // Every third comes after one that another agent has.
        if n % 3 == 2 {
            words.extend(["--after", after.as_str()]);
        }
        // And some after one of another agent's in the pool.
        if n % 10 == 9 {
            words[0] = "any:demo";
        }
        let added = env.symposium([&["task", "add"], &words[..]].concat()).ok();
        assert_eq!(added.stdout.trim(), (n + 1).to_string());
    }
    symposium(&env, &["supervisor", "start"]).ok();
    let file = env.state().join("run/_supervisor.lock");
    let holder = || std::fs::read_to_string(&file).ok()?.split(' ').next()?.parse::<i32>().ok();
    let begun = Instant::now();
    let (mut killed, mut done) = (0, 0);
    while done < TASKS {
        assert!(begun.elapsed() < Duration::from_secs(300), "{done} done, killed {killed} times");
        std::thread::sleep(Duration::from_secs(1));
        if let Some(pid) = holder().and_then(rustix::process::Pid::from_raw)
            && rustix::process::kill_process(pid, rustix::process::Signal::KILL).is_ok()
        {
            killed += 1;
        }
        let list = symposium(&env, &["task", "list", "--state", "done", "--json"]).ok().json();
        done = list.as_array().map_or(0, Vec::len);
    }
    assert!(killed > 5, "it was killed {killed} times only");
    env.wait_until("it runs", || supervision(&env)["running"] == true);
    let twice: Vec<_> = taken(&env).into_iter().filter(|(_, times)| *times != 1).collect();
    assert_eq!(twice, []);
    assert_eq!(taken(&env).len(), TASKS);
}
