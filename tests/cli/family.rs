//! Instances of a spec, parents and children: their limits, the tree, and what a kill of a parent does to its children.

use insta::assert_snapshot;
use serde_json::json;

use super::{agent, shown, spawned, status, trusted_specs};
use crate::support::TestEnv;

#[test]
fn max_instances_limits_the_agents_of_a_spec() {
    let env = TestEnv::new();
    trusted_specs(&env, "[agents.w]\ncommand = ['sleep', '1000']\nmax_instances = 2\n");
    assert_eq!((spawned(&env, &["w"]), spawned(&env, &["w"])), ("w-1".into(), "w-2".into()));
    assert_snapshot!(agent(&env, &["spawn", "w"]).fails(1).stderr, @"
    error: spec `w` may have 2 agents at once (`max_instances`)
      existing agents: w-1, w-2
      nothing was started
    hint: end one with `symposium agent kill w-1`, or raise the limit in its spec
    ");
    agent(&env, &["kill", "w-1"]).ok();
    assert_eq!(spawned(&env, &["w"]), "w-3");
    agent(&env, &["resume", "w-1"]).fails(1);
    assert_eq!(status(&env, "w-1"), "stopped");
    agent(&env, &["restart", "w-2"]).ok();
}

#[test]
fn concurrent_spawns_respect_max_instances() {
    let env = TestEnv::new();
    trusted_specs(&env, "[agents.w]\ncommand = ['sleep', '1000']\nmax_instances = 2\n");
    let runs: Vec<_> = (0..6).map(|_| agent(&env, &["spawn", "w"]).start()).collect();
    let codes: Vec<i32> = runs.into_iter().map(|run| run.finish().code).collect();
    assert_eq!(codes.iter().filter(|code| **code == 0).count(), 2, "{codes:?}");
    assert_eq!(agent(&env, &["list", "--json"]).ok().json().as_array().map(Vec::len), Some(2));
}

#[test]
fn the_tree_shows_children_below_their_parent() {
    let env = TestEnv::new();
    let binary = env.binary();
    let script = format!("{binary} agent spawn --name child -- sleep 1000; exec sleep 1000");
    spawned(&env, &["--name", "lead", "--", "sh", "-c", &script]);
    env.wait_until("the child exists", || agent(&env, &["show", "child"]).outcome().code == 0);
    assert_eq!(shown(&env, "child")["parent"], "lead");
    spawned(&env, &["--name", "grandchild", "--parent", "child", "--title", "t", "--", "sleep", "1000"]);
    spawned(&env, &["--name", "alone", "--", "sleep", "1000"]);
    agent(&env, &["spawn", "--parent", "nobody", "--", "sleep", "1000"]).fails(3);
    let tree = agent(&env, &["list", "--tree"]).ok().stdout;
    let names: Vec<&str> = tree.lines().skip(1).map(|line| line.split("  working").next().unwrap()).collect();
    assert_eq!(
        names.iter().map(|name| name.trim_end()).collect::<Vec<_>>(),
        ["alone", "lead", "└ child", "  └ grandchild"]
    );

    agent(&env, &["rename", "child", "kid"]).ok();
    assert_eq!(shown(&env, "grandchild")["parent"], "kid");
    let killed = agent(&env, &["kill", "lead"]).ok();
    assert_snapshot!(killed.stderr, @"
    `lead` ended; `symposium agent resume lead` brings it back
    their children keep running: kid, grandchild; `--with-children` ends them too, or `symposium agent kill kid grandchild`
    ");
    assert_eq!(status(&env, "kid"), "working");
    agent(&env, &["rm", "--force", "kid"]).ok();
    assert_eq!(
        shown(&env, "grandchild")["parent"],
        "lead",
        "children of a removed agent belong to its parent"
    );
    agent(&env, &["kill", "--with-children", "lead"]).ok();
    assert_eq!(status(&env, "grandchild"), "stopped");
    assert_eq!(status(&env, "alone"), "working");
}

#[test]
fn a_spec_limits_depth_and_number_of_children() {
    let env = TestEnv::new();
    let text = "[agents.lead]\ncommand = ['sleep', '1000']\nlimits = { depth = 1, children = 2 }\n";
    trusted_specs(&env, text);
    spawned(&env, &["lead", "--name", "a"]);
    for name in ["b", "c"] {
        spawned(&env, &["--name", name, "--parent", "a", "--", "sleep", "1000"]);
    }
    let third = agent(&env, &["spawn", "--parent", "a", "--", "sleep", "1000"]).fails(1);
    assert!(third.stderr.contains("error: agent `a` may have 2 children at once, and has 2"), "{third:?}");
    let below = agent(&env, &["spawn", "--parent", "b", "--", "sleep", "1000"]).fails(1);
    assert!(below.stderr.contains("agent `a` may have 1 generations below it"), "{below:?}");
    assert_eq!(agent(&env, &["list", "--json"]).ok().json().as_array().map(Vec::len), Some(3));
    agent(&env, &["kill", "b"]).ok();
    spawned(&env, &["--parent", "a", "--", "sleep", "1000"]);
    assert_eq!(shown(&env, "b")["parent"], json!("a"));
}

#[test]
fn killing_a_parent_asks_about_its_children() {
    let env = TestEnv::new();
    let family = || {
        spawned(&env, &["--name", "lead", "--", "sleep", "1000"]);
        spawned(&env, &["--name", "kid", "--parent", "lead", "--", "sleep", "1000"]);
    };
    let end = |words: &[&str]| {
        for word in words {
            agent(&env, &["rm", "--force", word]).ok();
        }
    };
    for (keys, lead, kid) in [
        (&["y"][..], "stopped", "stopped"),
        (&["n"], "stopped", "working"),
        (&["Enter"], "stopped", "working"),
        (&["Escape"], "stopped", "working"),
        (&["C-c"], "working", "working"),
    ] {
        family();
        let terminal = env.terminal([env.binary(), "agent", "kill", "lead"]);
        terminal.wait_for_text("end its child too: kid? [y/N]");
        assert_eq!(status(&env, "lead"), "working", "no agent is ended before the answer");
        terminal.keys(keys);
        let code = terminal.wait_for_exit();
        assert_eq!(code == 0, lead == "stopped", "{keys:?}: {code}\n{}", terminal.screen());
        assert_eq!((status(&env, "lead"), status(&env, "kid")), (lead.into(), kid.into()), "{keys:?}");
        end(&["kid", "lead"]);
    }
    family();
    for flags in [&["--json"][..], &["--quiet"]] {
        let kill = [&[env.binary(), "agent", "kill", "lead"], flags].concat();
        let terminal = env.terminal(kill);
        assert_eq!(terminal.wait_for_exit(), 0, "a JSON caller is not asked");
        assert_eq!(status(&env, "kid"), "working");
    }
}
