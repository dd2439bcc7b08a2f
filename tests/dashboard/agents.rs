//! Answering, typing, attaching, starting and ending agents.

use super::{dashboard, echoing, field, spawned, wait_for_status, wait_until_gone};
use crate::support::TestEnv;
use crate::support::users::User;

#[test]
fn a_question_is_approved_from_the_list_and_the_agent_proceeds() {
    let env = TestEnv::new();
    spawned(&env, &["demo", "--name", "a", "--task", "/ask make clean"]);
    wait_for_status(&env, "a", "waiting");
    let terminal = dashboard(&env);
    terminal.wait_for_text("1 needs you");
    terminal.wait_for_text("y approve");
    terminal.keys(&["y"]);
    terminal.wait_for_text("approved in `a`");
    wait_for_status(&env, "a", "idle");
    wait_until_gone(&env, &terminal, "needs you");
}

#[test]
fn keys_go_to_the_agent_in_place_until_the_user_leaves_it() {
    let env = TestEnv::new();
    echoing(&env, "a");
    let terminal = dashboard(&env);
    terminal.wait_for_text("this is a");
    terminal.keys(&["Enter"]);
    terminal.wait_for_text("typing into a");
    terminal.type_text("quit y S");
    terminal.keys(&["Enter"]);
    terminal.wait_for_text("a got <quit y S>");
    terminal.keys(&["C-]", "q"]);
    assert_eq!(terminal.wait_for_exit(), 0);
}

#[test]
fn attaching_comes_back_to_the_dashboard() {
    let env = TestEnv::new();
    echoing(&env, "a");
    let terminal = dashboard(&env);
    terminal.wait_for_text("this is a");
    let title = terminal.title();
    terminal.keys(&["a"]);
    terminal.wait_for_text("detach: C-b d");
    env.wait_until("the title names the agent", || terminal.title() == "a");
    terminal.type_text("hello");
    terminal.keys(&["Enter"]);
    terminal.wait_for_text("a got <hello>");
    terminal.keys(&["C-b", "d"]);
    terminal.wait_for_text("symposium  ");
    terminal.wait_for_text("a got <hello>");
    env.wait_until("the title is the former one", || terminal.title() == title);
    terminal.keys(&["q"]);
    assert_eq!(terminal.wait_for_exit(), 0);
}

#[test]
fn the_form_starts_an_agent_and_shows_what_went_wrong() {
    let env = TestEnv::new();
    let terminal = dashboard(&env);
    terminal.wait_for_text("no agents yet");
    terminal.keys(&["N"]);
    terminal.wait_for_text("Start an agent");
    terminal.wait_for_text(&format!("--dir {}", env.project().display()));
    terminal.type_text("it's $(touch x) `ls`");
    terminal.keys(&["Tab"]);
    // The spec is selected by the beginning of its name.
    terminal.wait_for_text("‹ default ›");
    terminal.keys(&["d"]);
    terminal.wait_for_text("‹ demo ›");
    terminal.keys(&["Tab", "Tab", "Tab"]);
    terminal.type_text("no/name");
    terminal.keys(&["Enter"]);
    terminal.wait_for_text("`no/name`");
    terminal.keys(&["C-u"]);
    terminal.type_text("new");
    terminal.wait_for_text("symposium agent spawn demo --name new");
    terminal.keys(&["Enter"]);
    terminal.wait_for_text("`new` was started");
    wait_until_gone(&env, &terminal, "Start an agent");
    wait_for_status(&env, "new", "idle");
    assert_eq!(field(&env, "new", "prompt"), "it's $(touch x) `ls`");
    assert!(!env.project().join("x").exists());
    // The next form begins with the same choice.
    terminal.keys(&["N"]);
    terminal.wait_for_text("‹ demo ›");
}

#[test]
fn stopping_asks_and_names_the_agent() {
    let env = TestEnv::new();
    echoing(&env, "a");
    let terminal = dashboard(&env);
    terminal.wait_for_text("this is a");
    terminal.keys(&["S"]);
    terminal.wait_for_text("`a`");
    terminal.wait_for_text("y yes");
    terminal.keys(&["n"]);
    wait_until_gone(&env, &terminal, "y yes");
    assert_ne!(field(&env, "a", "status"), "stopped");
    terminal.keys(&["S"]);
    terminal.wait_for_text("y yes");
    terminal.keys(&["y"]);
    terminal.wait_for_text("`a` was stopped");
    wait_for_status(&env, "a", "stopped");
}

#[test]
fn an_agent_is_shared_with_another_user_who_watches_it() {
    let env = TestEnv::new();
    let Some([owner, guest]) = User::make(&env) else { return };
    let script = "echo this is a; while read -r line; do echo \"got <$line>\"; done";
    owner.symposium(["agent", "spawn", "--name", "a", "--", "sh", "-c", script]).ok();
    let terminal = owner.terminal(&["dashboard"]);
    terminal.wait_for_text("this is a");
    terminal.keys(&["+"]);
    terminal.wait_for_text("User of this machine who may watch");
    terminal.type_text(&guest.name);
    terminal.keys(&["Enter"]);
    terminal.wait_for_text(&format!("{} may watch", guest.name));
    let watching = guest.terminal(&["agent", "attach", &format!("{}/a", owner.name)]);
    watching.wait_for_text("this is a");
    watching.type_text("from the guest");
    watching.keys(&["Enter"]);
    owner.symposium(["agent", "send", "a", "from the owner"]).ok();
    watching.wait_for_text("got <from the owner>");
    terminal.wait_for_text("got <from the owner>");
    assert!(!terminal.screen().contains("from the guest"), "{}", terminal.screen());
    terminal.keys(&["q"]);
    assert_eq!(terminal.wait_for_exit(), 0);
}
