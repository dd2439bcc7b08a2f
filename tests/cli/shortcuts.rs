//! Short forms of `symposium agent …`, aliases, and tips for misspelled commands.

use super::spawned;
use crate::support::TestEnv;

#[test]
fn short_forms_do_what_the_full_commands_do() {
    let env = TestEnv::new();
    env.symposium(["new", "--name", "a", "--", "sleep", "1000"]).ok();
    let full = env.symposium(["agent", "list", "--json"]).ok().json();
    for words in [&["ls", "--json"][..], &["--json", "list"], &["agent", "ls", "--json"]] {
        assert_eq!(env.symposium(words).ok().json()[0]["name"], full[0]["name"], "{words:?}");
    }
    assert_eq!(env.symposium(["show", "a", "--json"]).ok().json()["id"], full[0]["id"]);
    let error = env.symposium(["send", "b", "hello", "--json"]).fails(3);
    assert!(error.stderr.contains("no-such-agent"), "{error:?}");
    env.symposium(["kill", "a"]).ok();
    env.symposium(["rm", "a"]).ok();
    let help = env.symposium(["attach", "--help"]).ok().stdout;
    assert!(help.contains("Usage: symposium agent attach"), "{help}");
    assert_eq!(env.symposium(["help", "attach"]).ok().stdout, help);
}

#[test]
fn root_help_lists_the_short_forms() {
    let env = TestEnv::new();
    let help = env.symposium(["--help"]).ok().stdout;
    assert!(help.contains("Short forms of `symposium agent …`"), "{help}");
    assert!(help.contains("ls, list, new, spawn, attach"), "{help}");
}

#[test]
fn rm_remove_and_delete_are_aliases_for_every_noun() {
    let env = TestEnv::new();
    for verb in ["rm", "remove", "delete"] {
        spawned(&env, &["--name", "a", "--", "true"]);
        env.wait_until("the agent has ended", || {
            env.symposium(["agent", "show", "a", "--json"]).ok().json()["status"] == "exited"
        });
        env.symposium(["agent", verb, "a"]).ok();
        env.symposium(["board", "set", "k", "v"]).ok();
        env.symposium(["board", verb, "k"]).ok();
        env.symposium(["env", "create", "e"]).ok();
        env.symposium(["env", verb, "e"]).ok();
        for noun in ["host", "taskspace"] {
            let outcome = env.symposium([noun, verb, "nothing"]).fails(3);
            assert!(outcome.stderr.contains("nothing"), "{noun} {verb}: {outcome:?}");
        }
    }
}

#[test]
fn common_misspellings_get_a_tip() {
    let env = TestEnv::new();
    for (words, expected) in [
        (&["agents", "list"][..], "`symposium ls` lists agents"),
        (&["ps"], "`symposium ls` lists agents"),
        (&["status"], "`symposium supervisor status`"),
        (&["version"], "`symposium --version`"),
        (&["start"], "`symposium new`"),
        (&["stop"], "`symposium kill NAME`"),
        (&["rename", "a", "b"], "`symposium agent rename`"),
        (&["attahc"], "'attach'"),
        (&["agent", "lst"], "'list'"),
        (&["agnet"], "'agent'"),
    ] {
        let outcome = env.symposium(words).fails(2);
        assert!(
            outcome.stderr.contains("tip: ") && outcome.stderr.contains(expected),
            "{words:?}: {outcome:?}"
        );
    }
}

#[test]
fn hidden_commands_are_never_suggested() {
    let env = TestEnv::new();
    for words in [&["events"][..], &["evnt"], &["transcripts"], &["remot"], &["share-doo"]] {
        let outcome = env.symposium(words).fails(2);
        for hidden in ["'event'", "'transcript'", "'remote'", "'share-door'"] {
            assert!(!outcome.stderr.contains(hidden), "{words:?}: {outcome:?}");
        }
    }
}
