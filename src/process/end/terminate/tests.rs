//! Real processes that end on SIGTERM, late, or not at all.

use crate::process::end::terminate::*;
use crate::process::testing::{Child, alive_with};
use crate::process::{inspect::procfs, is_alive, wait_exit};

const LONG: Duration = Duration::from_secs(60);

/// A schedule in which only the first SIGTERM is sent within the duration of a test.
const PATIENT: TerminationPlan = TerminationPlan { hup_after: LONG, grace: LONG };

/// A schedule that runs through all stages quickly.
const HASTY: TerminationPlan =
    TerminationPlan { hup_after: Duration::from_millis(20), grace: Duration::from_millis(100) };

#[test]
fn a_well_behaved_program_ends_at_the_first_signal() {
    let child = Child::start("echo up; exec sleep 1000");
    let begun = Instant::now();
    let ending = end(&child.target(), &PATIENT).unwrap();
    assert_eq!((ending.signalled, ending.ended, ending.forced, ending.survivors), (1, 1, 0, vec![]));
    assert!(begun.elapsed() < LONG / 4);
    assert!(!is_alive(child.pid(), child.mark()));
}

#[test]
fn a_program_that_ignores_term_ends_by_hup() {
    let child = Child::start("trap '' TERM; echo up; while :; do sleep 1000; done");
    let plan = TerminationPlan { hup_after: Duration::from_millis(20), grace: LONG };
    let ending = end(&child.target(), &plan).unwrap();
    assert_eq!((ending.forced, ending.survivors), (0, vec![]));
    assert_eq!(alive_with(child.mark()), 0);
}

#[test]
fn a_program_that_ignores_everything_is_killed_after_the_grace() {
    let child = Child::start("trap '' TERM HUP INT QUIT; echo up; while :; do sleep 1000; done");
    let ending = end(&child.target(), &HASTY).unwrap();
    assert!(ending.forced >= 1, "{ending:?}");
    assert_eq!(ending.survivors, vec![]);
    assert_eq!(ending.ended, ending.signalled);
    assert_eq!(alive_with(child.mark()), 0);
}

#[test]
fn a_stopped_program_is_woken_to_end_by_itself() {
    let mut child = Child::start("trap 'echo bye; exit 0' TERM; echo up; kill -STOP $$; while :; do :; done");
    let ending = end(&child.target(), &PATIENT).unwrap();
    assert_eq!((ending.forced, ending.survivors), (0, vec![]));
    assert_eq!(child.line(), "bye");
}

#[test]
fn detached_descendants_are_ended_too() {
    let script =
        "(setsid sh -c 'trap \"\" HUP; (sleep 1000 & echo $!) ' & ) ; setsid sleep 1000 & read x; wait";
    let mut child = Child::start(script);
    wait_until(&child, 2);
    let ending = end(&child.target(), &HASTY).unwrap();
    assert_eq!(ending.survivors, vec![]);
    assert_eq!(alive_with(child.mark()), 0);
    child.end_of_output();
}

#[test]
fn a_stray_is_ended_after_its_root_is_long_gone() {
    let mut child = Child::start("setsid sleep 1000 & echo $!");
    let root = child.pid();
    assert!(wait_exit(root, LONG).unwrap());
    let ending = end(&child.target(), &PATIENT).unwrap();
    assert_eq!((ending.signalled, ending.survivors), (1, vec![]));
    child.end_of_output();
}

#[test]
fn a_child_without_the_mark_is_found_by_its_parent() {
    let mut child = Child::start("env -i sleep 1000 & echo up; wait");
    wait_until(&child, 2);
    let ending = end(&child.target(), &HASTY).unwrap();
    assert!(ending.signalled >= 2, "{ending:?}");
    child.end_of_output();
}

#[test]
fn a_program_that_starts_others_while_it_is_ended_leaves_none_behind() {
    let script = "trap 'sleep 1000 & sleep 1000 & exit 0' TERM; echo up; while :; do sleep 0.01; done";
    let mut child = Child::start(script);
    let ending = end(&child.target(), &HASTY).unwrap();
    assert_eq!(alive_with(child.mark()), 0, "{ending:?}");
    assert_eq!(ending.survivors, vec![]);
    child.end_of_output();
}

#[test]
fn a_restarting_program_that_ignores_signals_cannot_outrun_the_end() {
    let script = "trap '' TERM HUP; echo up; while :; do (sleep 0.001) & (sleep 0.001); done";
    let child = Child::start(script);
    let ending = end(&child.target(), &HASTY).unwrap();
    assert_eq!(ending.survivors, vec![]);
    assert_eq!(alive_with(child.mark()), 0);
}

#[test]
fn other_agents_are_left_alone() {
    let other = Child::start("echo up; exec sleep 1000");
    let child = Child::start("echo up; exec sleep 1000");
    end(&child.target(), &PATIENT).unwrap();
    assert!(is_alive(other.pid(), other.mark()));
    let mistaken = AgentProcesses { root: Some(other.pid()), ..child.target() };
    assert_eq!(
        end(&mistaken, &HASTY).unwrap(),
        TerminationResult::default(),
        "a reused number is not believed"
    );
    assert!(is_alive(other.pid(), other.mark()));
}

#[test]
fn ending_no_process_returns_immediately() {
    let target = AgentProcesses { mark: Child::fresh_mark(), root: None, server: None };
    assert_eq!(end(&target, &PATIENT).unwrap(), TerminationResult::default());
}

/// Waits until at least this many processes exist, with a time limit and without sleeping.
fn wait_until(child: &Child, count: usize) {
    let until = Instant::now() + LONG;
    while tree(&child.target()).unwrap().len() < count {
        assert!(Instant::now() < until, "there never were {count} processes");
        std::thread::yield_now();
    }
}

#[test]
fn process_without_environment_belongs_to_its_ancestor() {
    let mut child = Child::start("echo up; env -i setsid sh -c 'echo $$; exec sleep 1000' & wait");
    let bare: i32 = child.line().parse().unwrap();
    end(&child.target(), &HASTY).unwrap();
    assert!(wait_exit(bare, LONG).unwrap());
}

#[test]
fn a_stray_of_a_well_behaved_program_is_found_after_it() {
    let child = Child::start("setsid sh -c 'setsid sleep 1000 & ' ; echo up; exec sleep 1000");
    wait_until(&child, 2);
    let near = descendants(&child.target()).unwrap();
    assert_eq!(
        near.processes.iter().map(|process| process.pid).collect::<Vec<_>>(),
        [child.pid()],
        "it has left"
    );
    let ending = end(&child.target(), &PATIENT).unwrap();
    assert_eq!((ending.signalled, ending.ended, ending.forced), (2, 2, 0));
    assert_eq!(alive_with(child.mark()), 0);
}

#[test]
fn search_separates_marked_from_unmarked_processes() {
    let child = Child::start("echo up; exec sleep 1000");
    let round = |known: Vec<i32>| MarkSearch::new(child.mark(), known).round().unwrap();
    assert_eq!(round(vec![]), SearchRound::Found);
    assert_ne!(round(vec![child.pid()]), SearchRound::Found);
    child.kill();
    assert!(wait_exit(child.pid(), LONG).unwrap());
    // This zombie is a child of the test, so it cannot be reaped meanwhile.
    let mut search = MarkSearch::new(child.mark(), []);
    assert_eq!(search.round().unwrap(), SearchRound::Unsure);
    assert!(are_all_gone(search).unwrap());
}

#[test]
fn elder_siblings_started_earlier() {
    let mut shell = Child::start("sleep 1000 & echo $!; sleep 1000 & echo $!; sleep 1000 & echo $!; wait");
    let (middle, last): (i32, i32) = (shell.line().parse().unwrap(), shell.line().parse().unwrap());
    let elder_siblings = procfs::elder_siblings(last, shell.pid());
    assert_eq!(elder_siblings.len(), 2);
    assert_eq!(elder_siblings[1], middle);
    assert_eq!(procfs::elder_siblings(-1, shell.pid()), [] as [i32; 0]);
}
