//! `agent show` and `agent peek`: the details of one agent, and its screen.

use insta::assert_snapshot;
use serde_json::json;

use super::{agent, shown, spawned, wait_for};
use crate::support::TestEnv;

#[test]
fn show_prints_a_summary_for_people() {
    let env = TestEnv::new();
    spawned(&env, &["demo", "--name", "api", "--title", "the login bug", "--task", "hello"]);
    wait_for(&env, "api", "idle");
    let card = agent(&env, &["show", "api"]).ok().stdout;
    let steady = regex_lite::Regex::new(r"\[TIME\] \((\w+|\[DURATION\])\)|process  \d+").unwrap();
    let card = env
        .redacted(&card)
        .replace(env.binary(), "[BINARY]")
        .replace(&format!("tmux-{}", rustix::process::getuid().as_raw()), "tmux-[UID]");
    assert_snapshot!(steady.replace_all(&card, "[VARIES]"), @"
             name  api
            title  the login bug
           status  idle since [VARIES]
              why  You said: hello (prompt 1 of this conversation)
             spec  demo
       parameters  -
           parent  -
             kind  demo
          command  [BINARY] demo-agent
        directory  [ROOT]/project
           branch  -
        workspace  in-place
             work  -
     conversation  [UUID]
          [VARIES]
             tmux  [ROOT]/sockets/tmux-[UID]/symposium api [PANE]
          restart  no
         attached  none
      shared with  none
          created  [VARIES]
      last output  [VARIES]
    last attached  -
               id  [UUID]
    ");
}

#[test]
fn show_lists_attached_clients() {
    let env = TestEnv::new();
    spawned(&env, &["--name", "a", "--", "sh", "-c", "echo up; exec sleep 1000"]);
    let terminal = env.terminal([env.binary(), "agent", "attach", "--observe", "a"]);
    terminal.wait_for_text("up");
    let card = agent(&env, &["show", "a"]).ok().stdout;
    let tty = shown(&env, "a")["clients"][0]["tty"].as_str().unwrap().to_owned();
    let line = card.lines().find(|line| line.contains("attached  ")).unwrap();
    assert!(line.contains(&format!(" on {tty}, watching since 20")), "{card}");
}

#[test]
fn show_suggests_similar_names() {
    let env = TestEnv::new();
    assert_snapshot!(agent(&env, &["show", "api-fx"]).fails(3).stderr, @"
    error: no agent named `api-fx`
      there are no agents yet
    hint: `symposium agent spawn` starts one
    ");
    spawned(&env, &["--name", "api-fix", "--", "sleep", "1000"]);
    assert_snapshot!(agent(&env, &["show", "api-fx"]).fails(3).stderr, @"
    error: no agent named `api-fx`
      known agents: api-fix
    hint: did you mean `symposium agent show api-fix`?
    ");
    assert_snapshot!(agent(&env, &["show", "../x"]).fails(2).stderr, @"
    error: `../x` cannot be a name: it contains '.', only letters, digits, `_` and `-` are allowed
    hint: names are letters, digits, `_` and `-`, at most 63; `--title` takes any text
    ");
}

#[test]
fn peek_prints_the_current_screen() {
    let env = TestEnv::new();
    spawned(
        &env,
        &[
            "--name",
            "a",
            "--",
            "sh",
            "-c",
            r"printf 'old\033[2J\033[Hnew \033[31mred\033[0m\n'; exec sleep 1000",
        ],
    );
    env.wait_until("the screen is shown", || agent(&env, &["peek", "a"]).ok().stdout == "new red\n");
    assert_eq!(
        agent(&env, &["peek", "a", "--json"]).ok().json(),
        json!({"agent": "a", "screen": ["new red"], "from": "screen"})
    );
    agent(&env, &["peek", "b"]).fails(3);
}

#[test]
fn peek_at_a_hibernated_agent_explains_how_to_wake_it() {
    let env = TestEnv::new();
    spawned(&env, &["demo", "--name", "a", "--task", "hello"]);
    wait_for(&env, "a", "idle");
    agent(&env, &["hibernate", "a"]).ok();
    let peeked = agent(&env, &["peek", "a"]).ok();
    assert_eq!(peeked.stderr, "`a` is hibernated; attach or send wakes it: `symposium agent attach a`\n");
    assert!(!peeked.stdout.starts_with('\n') && !peeked.stdout.contains("has ended"), "{}", peeked.stdout);
}

#[test]
fn peek_at_a_stopped_agent_says_that_it_is_not_the_screen() {
    let env = TestEnv::new();
    spawned(&env, &["--name", "a", "--", "sh", "-c", "echo last words; exec sleep 1000"]);
    env.wait_until("the screen is shown", || agent(&env, &["peek", "a"]).ok().stdout == "last words\n");
    assert_eq!(agent(&env, &["peek", "a"]).ok().stderr, "");
    agent(&env, &["kill", "a"]).ok();
    let peeked = agent(&env, &["peek", "a"]).ok();
    assert_eq!(peeked.stdout, "last words\n");
    assert_eq!(
        peeked.stderr,
        "`a` is stopped and has no screen: these are the last lines of its transcript\n"
    );
    let outcome = agent(&env, &["peek", "a", "--json"]).ok();
    assert_eq!((outcome.json()["from"].as_str(), outcome.stderr.as_str()), (Some("transcript"), ""));
}
