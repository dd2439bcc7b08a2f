//! `HOST:NAME` in place of a name: every command runs remotely with unchanged arguments, and without a shell in
//! between.

use std::os::unix::fs::PermissionsExt;

use serde_json::json;

use super::machines;
use crate::support::hostile::TEXTS;

#[test]
fn every_command_runs_remotely_with_its_output_and_exit_code() {
    let Some((near, far)) = machines() else { return };
    let spawned = near
        .run(&[
            "agent",
            "spawn",
            "--host",
            "far",
            "--name",
            "a",
            "--",
            "sh",
            "-c",
            "echo up; while read -r l; do echo \"got <$l>\"; done",
        ])
        .ok();
    assert_eq!(spawned.stdout, "far:a\n");
    assert_eq!(far.agents()[0]["name"], "a");
    // `--dir` names a directory of that machine, and so does the default.
    assert_eq!(far.agents()[0]["working_directory"], json!(far.env.project()));
    let shown = near.run(&["agent", "show", "far:a", "--json"]).ok().json();
    assert_eq!(shown["name"], "a");
    let text = near.run(&["agent", "show", "far:a"]).ok();
    assert!(text.stdout.contains("a") && !text.stdout.contains('\u{1b}'), "{text:?}");
    near.run(&["agent", "send", "far:a", "hello there"]).ok();
    far.env.wait_until("the text has arrived", || {
        near.run(&["agent", "peek", "far:a"]).ok().stdout.contains("got <hello there>")
    });
    near.run(&["agent", "send", "far:a", "-"]).stdin("from stdin").ok();
    far.env.wait_until("the input has arrived", || far.printed("a", "got <from stdin>") == 1);
    assert_eq!(near.run(&["task", "add", "far:a", "later"]).ok().stdout, "1\n");
    assert_eq!(near.run(&["--host", "far", "task", "show", "1", "--json"]).ok().json()["id"], 1);
    near.run(&["message", "send", "far:a", "mail"]).ok();
    assert_eq!(near.run(&["agent", "rename", "far:a", "b"]).ok().stdout, "far:b\n");
    assert!(near.run(&["agent", "logs", "far:b", "--plain"]).ok().stdout.contains("got <hello there>"));
    near.run(&["agent", "kill", "far:b"]).ok();
    assert_eq!(far.agents()[0]["status"], "stopped");
    let none = near.run(&["agent", "show", "far:nobody"]).fails(3);
    assert!(none.stderr.starts_with("error: on `far`: no agent named `nobody`\n"), "{none:?}");
    let late = near.run(&["agent", "wait", "far:b", "--for", "idle", "--timeout", "100ms"]).outcome();
    assert_ne!(late.code, 0, "{late:?}");
    near.run(&["agent", "rm", "far:b"]).ok();
    assert_eq!(far.agents().len(), 0);
    // None of this happened on the local machine.
    assert_eq!(near.run(&["agent", "list", "--json"]).ok().json(), json!([]));
}

#[test]
fn remote_output_names_the_host_of_each_agent() {
    let Some((near, far)) = machines() else { return };
    far.echoing("a");
    far.env.wait_until("the agent is working", || far.agents()[0]["status"] == "working");
    for line in [
        &["agent", "show", "far:a"][..],
        &["agent", "peek", "far:a"],
        &["agent", "logs", "far:a"],
        &["agent", "recap", "far:a"],
        &["agent", "wait", "far:a", "--for", "working", "--timeout", "20s"],
        &["agent", "send", "far:a", "x"],
        &["agent", "rename", "far:a", "b"],
        &["agent", "rename", "far:b", "a"],
    ] {
        let value = near.run(&[line, &["--json"]].concat()).ok().json();
        assert_eq!(value["host"], "far", "{line:?}: {value}");
    }
    let shared = near.run(&["agent", "list", "--shared", "--host", "far", "--json"]).ok().json();
    assert_eq!(shared, serde_json::json!([]), "no agent is shared there");
    let listed = near.run(&["agent", "list", "--work", "--host", "far", "--json"]).ok().json();
    assert_eq!(listed[0]["host"], "far", "{listed}");
    let shown = near.run(&["agent", "show", "far:a"]).ok().stdout;
    assert!(shown.starts_with("         name  far:a\n"), "{shown}");
    let recap = near.run(&["--host", "far", "agent", "recap", "a"]).ok().stdout;
    assert!(recap.starts_with("far:a: working now"), "{recap}");
}

#[test]
fn remote_texts_pass_no_shell() {
    let Some((near, far)) = machines() else { return };
    far.echoing("a");
    // A tab is drawn as spaces.
    let texts = TEXTS.into_iter().filter(|text| !text.contains('\t')).chain(["--help", "far:a"]);
    for text in texts {
        near.run(&["agent", "send", "far:a", "--", text]).ok();
        far.env.wait_until(text, || far.printed("a", &format!("got <{text}>")) == 1);
    }
    // Lines and titles also arrive verbatim.
    near.run(&[
        "agent",
        "spawn",
        "--name",
        "far:t",
        "--title",
        "two\nlines $(touch x)",
        "--",
        "sleep",
        "1000",
    ])
    .ok();
    let titles: Vec<_> = far.agents().iter().map(|agent| agent["title"].clone()).collect();
    assert!(
        titles.contains(&json!("two\nlines $(touch x)")) || titles.contains(&json!("two lines $(touch x)")),
        "{titles:?}"
    );
    far.assert_nothing_ran();
}

#[test]
fn invalid_names_are_refused_for_remote_agents() {
    let Some((near, far)) = machines() else { return };
    far.echoing("a");
    let long = "n".repeat(300);
    for name in ["$(touch x)", "a\nb", "-rf", "", "a;touch x", "'", &long] {
        let there = format!("far:{name}");
        for verb in [&["show", "--"][..], &["kill", "--"], &["attach", "--"]] {
            let refused = near.run(&[&["agent"], verb, &[there.as_str()]].concat()).outcome();
            assert!([2, 3].contains(&refused.code), "{verb:?} {name:?}: {refused:?}");
        }
        near.run(&["agent", "spawn", "--name", &there, "--", "sleep", "1000"]).fails(2);
    }
    // The part before the `:` must be a valid host name too.
    for name in ["$(touch x):a", "a.b:c", "-x:y", "é:a", ":a"] {
        near.run(&["agent", "show", "--", name]).fails(2);
    }
    assert_eq!(far.agents().len(), 1);
    far.assert_nothing_ran();
}

#[test]
fn remote_errors_name_the_host() {
    let Some((near, far)) = machines() else { return };
    far.echoing("api-fix");
    let near_by = near.run(&["agent", "show", "far:api-fx"]).fails(3);
    assert_eq!(
        near_by.stderr,
        "error: on `far`: no agent named `api-fx`\n  known agents: api-fix\nhint: did you mean `symposium --host far agent \
         show api-fix`?\n"
    );
    // The printed hint can be pasted.
    near.run(&["--host", "far", "agent", "show", "api-fix"]).ok();
    let for_programs = near.run(&["agent", "kill", "far:api-fx", "--json"]).fails(3);
    let error: serde_json::Value = serde_json::from_str(&for_programs.stderr).unwrap();
    assert_eq!(error["error"]["hints"][0], "did you mean `symposium --host far agent kill api-fix`?");
    assert_eq!(error["error"]["host"], "far");
    // An error that occurs before the command starts.
    let mode =
        |mode| std::fs::set_permissions(far.env.state(), std::fs::Permissions::from_mode(mode)).unwrap();
    mode(0o777);
    let for_programs = near.run(&["agent", "show", "far:api-fix", "--json"]).fails(5);
    let error: serde_json::Value = serde_json::from_str(&for_programs.stderr).unwrap();
    let hint = error["error"]["hints"][0].as_str().unwrap().to_owned();
    let for_people = near.run(&["agent", "show", "far:api-fix"]).fails(5);
    assert!(for_people.stderr.starts_with("error: "), "{for_people:?}");
    assert!(for_people.stderr.contains(&format!("\nhint: {hint}\n")), "{for_people:?}");
    mode(0o700);
}

#[test]
fn arguments_that_are_not_utf8_are_refused_for_remote_commands() {
    use std::os::unix::ffi::OsStrExt;
    let Some((near, far)) = machines() else { return };
    let dir = std::ffi::OsStr::from_bytes(b"--dir=/\xff");
    let words: Vec<&std::ffi::OsStr> = ["agent", "spawn", "--name", "far:a"]
        .iter()
        .map(|word| std::ffi::OsStr::new(*word))
        .chain([dir])
        .collect();
    let refused = near.env.symposium(words).fails(2);
    assert!(
        refused.stderr.contains("is not valid UTF-8 and cannot be sent to another machine"),
        "{refused:?}"
    );
    assert_eq!(far.agents().len(), 0);
}

#[test]
fn local_only_commands_are_refused_for_hosts_with_a_reason() {
    let Some((near, far)) = machines() else { return };
    let there =
        format!("hint: log in there: `ssh -p 2222 {}`, then `symposium agent handoff export`", far.address);
    for (line, says) in [
        (&["agent", "handoff", "export", "far:a"][..], "the hand-off file is on that machine"),
        (&["agent", "handoff", "export", "far:a"], there.as_str()),
        (&["agent", "handoff", "import", "f", "--name", "far:a"], "the hand-off file is on that machine"),
        (&["agent", "share", "far:a", "--with", "guest"], "only a user of that machine"),
        (&["agent", "attach", "far:owner/a"], "then `symposium agent attach owner/a`"),
        (&["--host", "far", "service", "install"], "`service install` cannot run on another machine"),
        (&["--host", "far", "env", "list"], "it concerns this machine only"),
        (
            &["agent", "spawn", "--host", "far", "--foreground", "--", "true"],
            "`--foreground` runs it in this terminal",
        ),
        (&["agent", "spawn", "demo", "--name", "far:a", "--attach"], "needs a terminal"),
        (&["--host", "far", "board", "set", "k", "--file", "f"], "names a file of this machine"),
        (&["agent", "kill", "far:a", "b"], "the names belong to several hosts"),
        (&["agent", "show", "far:a", "--host", "other"], "are different hosts"),
        (&["agent", "prune", "--host", "all"], "`agent prune` works on one host at a time"),
        (&["agent", "list", "--host", "all", "--watch"], "`agent list --watch` works on one host at a time"),
        (&["agent", "list", "--host", "all", "--work"], "`agent list --work` works on one host at a time"),
        (
            &["agent", "list", "--host", "all", "--shared"],
            "`agent list --shared` works on one host at a time",
        ),
        (&["agent", "list", "--host", "$(touch x)"], "is not a valid host"),
    ] {
        let refused = near.run(line).fails(2);
        assert!(refused.stderr.contains(says), "{line:?}: {refused:?}");
    }
}

#[test]
fn output_of_a_login_shell_is_ignored() {
    let Some((near, far)) = machines() else { return };
    let made = far.env.root().join("fakes/noisy");
    far.env.fake_program(
        "noisy",
        &format!("echo Welcome; echo noise >&2; printf 'no newline'; exec {} \"$@\"", far.binary()),
    );
    let (port, binary) = (far.port.to_string(), made.display().to_string());
    near.run(&["host", "add", "noisy", &far.address, "--port", &port, "--binary", &binary]).ok();
    assert_eq!(
        near.run(&["agent", "list", "--host", "noisy", "--timeout", "50s", "--json"]).ok().stdout,
        "[]\n"
    );
    assert_eq!(
        near.run(&["agent", "spawn", "--name", "noisy:a", "--", "sleep", "1000"]).ok().stdout,
        "noisy:a\n"
    );
}
