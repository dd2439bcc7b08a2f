//! The columns of the list keep their places and use the room that they have.

use super::{picture, resize};
use crate::dashboard::state::agent_key::AgentKey;
use crate::dashboard::state::event::DashboardEvent;
use crate::dashboard::state::testing::{agent, list, state};
use crate::dashboard::state::{DashboardState, update};
use crate::model::{Agent, CurrentTask, Status, TaskId};

fn row(state: &DashboardState, name: &str) -> String {
    let is_row = |line: &&str| line.split_whitespace().nth(1) == Some(name);
    picture(state).lines().find(is_row).unwrap_or_default().to_owned()
}

#[test]
fn a_column_does_not_shrink_while_the_size_stays() {
    let named = |name: &str, status| {
        let mut agent = agent(name, status);
        agent.reason = "REASON".into();
        agent
    };
    let mut state = state((160, 30), vec![named("a", Status::Hibernated), named("b", Status::Idle)]);
    let place = |state: &DashboardState| row(state, "b").find("REASON");
    let before = place(&state);
    list(&mut state, vec![named("a", Status::Idle), named("b", Status::Idle)]);
    assert_eq!(place(&state), before, "{}", picture(&state));
    resize(&mut state, (161, 30));
    assert!(place(&state) < before, "another size begins anew: {}", picture(&state));
}

#[test]
fn a_task_is_shown_with_its_text_if_there_is_room() {
    let busy = || -> Agent {
        let mut agent = agent("a", Status::Working);
        agent.task = Some(CurrentTask { id: TaskId(12), title: "fix the login page".into(), progress: None });
        agent.tasks.queued = 2;
        agent
    };
    let shown = |width| {
        let mut state = state((width, 30), vec![busy()]);
        let activity = vec![(AgentKey::of(&state.agents[0]), Some("Bash: make".to_owned()))];
        update(&mut state, DashboardEvent::ActivityRead(activity));
        row(&state, "a")
    };
    assert!(shown(300).contains("#12 +2 fix the login page Bash: make"), "{}", shown(300));
    assert!(shown(140).contains("#12 +2 Bash: make"), "{}", shown(140));
}

#[test]
fn the_branch_of_a_worktree_has_no_prefix() {
    let mut own = agent("fix", Status::Idle);
    own.branch = Some("symposium/fix".into());
    let shown = row(&state((200, 30), vec![own]), "fix");
    assert!(shown.matches("fix").count() == 2 && !shown.contains("symposium/"), "{shown}");
}
