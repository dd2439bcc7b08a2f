//! Dialogs of agent CLIs that are not lists with a digit for each option: the buttons of OpenCode, and the reason that
//! the dialog of Claude Code takes. Fake programs draw them and react to keys as the real programs do.

use std::fs;

use serde_json::json;

use super::{agent, shown, spawned, wait_for};
use crate::support::TestEnv;

/// Reads one key at a time, and names arrow keys.
const KEYS: &str = r#"
keys() {
    while IFS= read -rsN1 key; do
        case $key in
            $'\033')
                rest=
                IFS= read -rsN2 -t 0.2 rest
                case $rest in '[A' | OA) key=Up ;; '[B' | OB) key=Down ;; '[C' | OC) key=Right ;; '[D' | OD) key=Left ;; esac ;;
            $'\r' | $'\n') key=Enter ;;
            $'\t') key=Tab ;;
        esac
        pressed "$key"
    done
}
"#;

fn fake_cli(env: &TestEnv, program: &str, script: &str) {
    let file = env.root().join(format!("{program}.bash"));
    fs::write(&file, format!("{KEYS}{script}\nkeys\n")).expect("writing the fake");
    env.fake_program(program, &format!("exec bash '{}'", file.display()));
}

/// Behaves like OpenCode 1.18.33: the selected button has another background, and Left and Right move it.
const OPENCODE: &str = r#"
buttons=('Allow once' 'Allow always' Reject)
at=0
draw() {
    row=
    for index in 0 1 2; do
        color=234
        [ $index = $at ] && color=215
        row+=$'\033[48;5;'"$color"'m '"${buttons[$index]}"$' \033[48;5;234m '
    done
    printf '\033[2J\033[H┃  △ Permission required\n┃    # Shell command\n┃\n┃  $ touch x\n┃\n┃\033[48;5;234m  %s  ⇆ select  enter confirm\033[0m\n' "$row"
}
pressed() {
    case $1 in
        Right) at=$(((at + 1) % 3)); draw ;;
        Left) at=$(((at + 2) % 3)); draw ;;
        Enter) printf '%s' "${buttons[$at]}" > chosen; printf '\033[2J\033[H┃\n╹▀▀▀▀\n' ;;
    esac
}
draw
"#;

#[test]
fn the_buttons_of_a_dialog_are_options_that_can_be_chosen() {
    let env = TestEnv::new();
    fake_cli(&env, "opencode", OPENCODE);
    spawned(&env, &["opencode", "--name", "a"]);
    wait_for(&env, "a", "waiting");
    let options = json!(["Allow once", "Allow always", "Reject"]);
    assert_eq!(shown(&env, "a")["question"]["options"], options);
    let listed = agent(&env, &["list", "--json"]).ok().json();
    assert_eq!(listed[0]["question"]["options"], options, "{listed}");
    agent(&env, &["answer", "a", "reject"]).ok();
    assert_eq!(fs::read_to_string(env.project().join("chosen")).unwrap(), "Reject");
}

#[test]
fn question_without_options_takes_a_typed_answer() {
    let env = TestEnv::new();
    spawned(&env, &["demo", "--name", "a", "--task", "/question which colour?"]);
    wait_for(&env, "a", "waiting");
    let refused = agent(&env, &["answer", "a", "dark\nblue"]).fails(2);
    assert!(refused.stderr.contains("must be one line of text"), "{refused:?}");
    agent(&env, &["answer", "a", "blue; green"]).ok();
    wait_for(&env, "a", "idle");
    let log = agent(&env, &["logs", "a", "--plain"]).ok().stdout;
    assert!(log.contains("blue; green"), "{log}");
}

#[test]
fn list_shows_the_options_of_every_waiting_agent() {
    let env = TestEnv::new();
    for name in ["a", "b"] {
        spawned(&env, &["demo", "--name", name, "--task", "/ask ls"]);
        wait_for(&env, name, "waiting");
    }
    spawned(&env, &["demo", "--name", "c"]);
    wait_for(&env, "c", "idle");
    env.wait_until("the dialogs are drawn", || {
        let listed = agent(&env, &["list", "--json"]).ok().json();
        let options = |name: &str| {
            let agents = listed.as_array().expect("a list");
            agents.iter().find(|one| one["name"] == name).expect("it is listed")["question"]["options"]
                .clone()
        };
        let expected = json!(["1. Yes", "2. No"]);
        options("a") == expected && options("b") == expected && options("c").is_null()
    });
}

/// Behaves like Claude Code 2.1.325: Tab on `No` opens an input in the option, and Enter submits it.
const CLAUDE: &str = r#"
at=1 label=No reason=
draw() {
    printf '\033[2J\033[HBash command\ntouch x\nDo you want to proceed?\n'
    [ $at = 1 ] && printf '❯ 1. Yes\n  2. %s\n' "$label" || printf '  1. Yes\n❯ 2. %s\n' "$label"
    printf 'Esc to cancel · Tab to amend\n'
}
pressed() {
    case $1 in
        Up) at=1 ;;
        Down) at=2 ;;
        Tab) label='No, and tell Claude what to do differently' ;;
        Enter)
            printf '%s: %s' $at "$reason" > chosen
            printf '\033[2J\033[H──────\n❯ \n──────\n'
            return ;;
        *) [ "$label" = No ] || { reason+=$1; label="No, $reason"; } ;;
    esac
    draw
}
draw
"#;

#[test]
fn the_reason_of_a_denial_is_typed_into_the_dialog() {
    let env = TestEnv::new();
    fake_cli(&env, "claude", CLAUDE);
    spawned(&env, &["claude", "--name", "a"]);
    wait_for(&env, "a", "waiting");
    agent(&env, &["deny", "a", "--because", "use \"cargo\" instead"]).ok();
    assert_eq!(fs::read_to_string(env.project().join("chosen")).unwrap(), "2: use \"cargo\" instead");
}
