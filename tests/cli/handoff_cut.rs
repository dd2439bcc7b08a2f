//! An import that is killed leaves no git process behind that continues to write.

use rustix::process::{Pid, Signal, kill_process};

use super::agent;
use super::handoff::{elsewhere, exported, import, prompted_agent};
use super::workspace::{git, repository};
use crate::support::TestEnv;

/// Installs a git that blocks in `sleep 4242` when this word is among its arguments.
fn stands_still_at(env: &TestEnv, word: &str) {
    let real = env.root().join("tools/git");
    let script =
        format!("case \" $* \" in *\" {word} \"*) exec sleep 4242;; esac\nexec {} \"$@\"", real.display());
    env.fake_program("git", &script);
}

fn is_stopped(env: &TestEnv) -> bool {
    env.processes().iter().any(|process| process.command.ends_with("sleep 4242"))
}

#[test]
fn git_ends_when_the_importing_process_is_killed() {
    let one = repository();
    prompted_agent(&one);
    let file = exported(&one, "fix");
    let two = elsewhere(&one);
    for (word, signal) in [
        ("index-pack", Signal::INT),
        ("reset", Signal::TERM),
        ("index-pack", Signal::HUP),
        ("reset", Signal::KILL),
    ] {
        stands_still_at(&two, word);
        let running = import(&two, &file, &[]).start();
        two.wait_until("git is stopped", || is_stopped(&two));
        kill_process(Pid::from_raw(running.pid()).unwrap(), signal).unwrap();
        assert_eq!(running.finish().code, 128 + signal.as_raw(), "{word}");
        two.wait_until("git has ended", || !is_stopped(&two));
        two.fake_program("git", &format!("exec {} \"$@\"", two.root().join("tools/git").display()));
        // It may have been killed before it was recorded.
        agent(&two, &["rm", "--force", "fix"]).outcome();
        assert_eq!(git(&two, &two.project(), &["branch", "--format=%(refname:short)"]), "main");
        assert!(!two.project().join(".git/worktrees").exists(), "{word}");
    }
    import(&two, &file, &[]).ok();
}

#[test]
fn the_hidden_child_runner_refuses_other_callers() {
    let env = TestEnv::new();
    let made = env.root().join("made");
    let refused = env.symposium(["tied", "/bin/touch", made.to_str().unwrap()]).fails(1);
    assert!(refused.stderr.contains("the parent process has ended"), "{refused:?}");
    assert!(!made.exists());
}
