//! Tests of the state: what keys and events do. Those of answers are in `tests/answers.rs`.

mod answers;
mod remapped_keys;

use ratatui::layout::Position;

use super::event::{
    AgentTarget, DashboardEffect, DashboardEvent, ForegroundProgram, HostAgents, Operation, PromptUse,
    RemovalConsequence,
};
use super::modal::Modal;
use super::mouse::{MouseAction, MouseInput};
use super::rows::ListRow;
use super::selection::target;
use super::testing::{agent, asking, elsewhere, list, now, press, state};
use super::*;
use crate::model::{AgentClient, DashboardAction as Do, Status};

const SIZE: (u16, u16) = (120, 30);

/// Returns the rows as text, with the selected one in brackets.
fn rows(state: &DashboardState) -> Vec<String> {
    let text = |row: &ListRow| match row {
        ListRow::Group(row) => format!("#{}", row.title.rsplit('/').next().unwrap_or_default()),
        ListRow::Agent(row) => format!("{}{}", "-".repeat(row.depth), state.agents[row.index].name),
    };
    let texts = state.rows.iter().map(text).enumerate();
    texts.map(|(at, text)| if at == state.selected { format!("[{text}]") } else { text }).collect()
}

fn targets(names: &[&str]) -> Vec<AgentTarget> {
    names.iter().map(|name| target(&agent(name, Status::Idle))).collect()
}

fn some_agents() -> Vec<Agent> {
    vec![
        agent("b10", Status::Idle),
        agent("b2", Status::Working),
        elsewhere(agent("web", Status::Crashed), "web"),
    ]
}

#[test]
fn rows_are_grouped_and_sorted_and_never_move_by_themselves() {
    let mut state = state(SIZE, some_agents());
    assert_eq!(rows(&state), ["#api", "[b2]", "b10", "#web", "web"]);
    let mut agents = some_agents();
    agents[0].status = Status::Waiting;
    agents[0].status_since = testing::now();
    agents.reverse();
    list(&mut state, agents);
    assert_eq!(rows(&state), ["#api", "[b2]", "b10", "#web", "web"]);
}

#[test]
fn grouping_and_sorting_are_independent() {
    let mut state = state(SIZE, some_agents());
    press(&mut state, "b");
    assert_eq!(rows(&state), ["#crashed", "web", "#idle", "b10", "#working", "[b2]"]);
    press(&mut state, "b b b");
    assert_eq!(rows(&state), ["[b2]", "b10", "web"]);
    press(&mut state, "o o o");
    assert_eq!(rows(&state), ["web", "b10", "[b2]"], "by attention");
    press(&mut state, "v");
    assert_eq!(rows(&state), ["b10", "[b2]"], "running agents only");
}

#[test]
fn the_selection_stays_on_its_agent() {
    let mut state = state(SIZE, some_agents());
    press(&mut state, "j");
    assert_eq!(rows(&state)[2], "[b10]");
    let mut agents = some_agents();
    agents.insert(0, agent("a", Status::Idle));
    list(&mut state, agents);
    assert_eq!(rows(&state), ["#api", "a", "b2", "[b10]", "#web", "web"]);
    list(&mut state, vec![agent("a", Status::Idle)]);
    assert_eq!(rows(&state), ["#api", "[a]"]);
}

#[test]
fn children_are_below_their_parents_and_can_be_folded() {
    let mut child = agent("a-child", Status::Idle);
    child.parent = "z".parse().ok();
    let mut state = state(SIZE, vec![child, agent("m", Status::Idle), agent("z", Status::Idle)]);
    assert_eq!(rows(&state), ["#api", "[m]", "z", "-a-child"]);
    press(&mut state, "j h");
    assert_eq!(rows(&state), ["#api", "m", "[z]"]);
    press(&mut state, "l j h");
    assert_eq!(rows(&state), ["#api", "m", "[z]", "-a-child"], "h goes to the parent");
    press(&mut state, "g z");
    assert_eq!(rows(&state), ["[#api]"]);
}

#[test]
fn the_next_agent_that_needs_you_is_found_in_folded_groups() {
    let agents = vec![agent("a", Status::Idle), elsewhere(asking("web", "q1"), "web")];
    let mut state = state(SIZE, agents);
    press(&mut state, "Z w");
    assert_eq!(rows(&state), ["#api", "a", "#web", "[web]"]);
    assert_eq!(state.counters().needing_you, 1);
}

#[test]
fn the_filter_narrows_the_list_while_typing() {
    let mut state = state(SIZE, some_agents());
    press(&mut state, "/ w e b");
    assert_eq!(rows(&state), ["#web", "[web]"]);
    press(&mut state, "Enter Escape");
    assert_eq!(rows(&state).len(), 5);
    press(&mut state, "/ x x Escape");
    assert_eq!((rows(&state).len(), state.filter.as_str()), (5, ""));
}

#[test]
fn keys_go_to_the_focused_agent_until_it_is_left() {
    let mut state = state(SIZE, vec![agent("a", Status::Idle)]);
    press(&mut state, "Enter");
    let pressed =
        |key: &str| DashboardEffect::Press { target: targets(&["a"]).remove(0), key: key.to_owned() };
    assert_eq!(press(&mut state, "q Escape C-c Space"), ["q", "Escape", "C-c", "Space"].map(pressed));
    press(&mut state, "C-]");
    assert_eq!(press(&mut state, "q"), [DashboardEffect::Quit]);
    press(&mut state, "Enter");
    list(&mut state, vec![agent("a", Status::Crashed)]);
    assert_eq!(state.mode, InputMode::List, "typing ends with the agent");
}

#[test]
fn pasted_text_never_acts_as_keys() {
    let mut state = state(SIZE, vec![asking("a", "q1")]);
    assert_eq!(update(&mut state, DashboardEvent::Paste("y\nq".into())), []);
    press(&mut state, "Enter");
    let effects = update(&mut state, DashboardEvent::Paste("y\nq".into()));
    assert_eq!(effects, [DashboardEffect::Paste { target: targets(&["a"]).remove(0), text: "y\nq".into() }]);
}

#[test]
fn a_prompt_goes_to_all_marked_agents_or_becomes_a_task() {
    let mut state = state(SIZE, some_agents());
    press(&mut state, "m m Space");
    press(&mut state, "g o");
    let effects = press(&mut state, "Enter");
    let expected = DashboardEffect::Deliver {
        targets: targets(&["b10", "b2"]),
        text: "go".into(),
        how: PromptUse::Send,
    };
    assert_eq!(effects, [expected]);
    let effects = press(&mut state, "Space x Tab Enter");
    let expected =
        DashboardEffect::Deliver { targets: targets(&["b10", "b2"]), text: "x".into(), how: PromptUse::Task };
    assert_eq!(effects, [expected]);
}

#[test]
fn ending_agents_asks_once_and_names_them() {
    let mut state = state(SIZE, some_agents());
    press(&mut state, "m m");
    assert_eq!(press(&mut state, "S"), []);
    let Some(Modal::Confirm(window)) = state.modals.last() else { panic!("nothing is asked") };
    assert_eq!(window.title, "Stop `b10`, `b2`?");
    assert_eq!(window.lines, ["Working now: b2. The conversation is kept."]);
    assert_eq!(press(&mut state, "n"), []);
    let effects = press(&mut state, "S y");
    assert_eq!(effects, [DashboardEffect::Operate(Operation::Stop(targets(&["b10", "b2"])))]);
}

#[test]
fn a_removal_names_what_would_be_lost_before_it_happens() {
    let mut state = state(SIZE, some_agents());
    assert_eq!(press(&mut state, "X"), [DashboardEffect::PreviewRemoval(targets(&["b2"]))]);
    assert_eq!(press(&mut state, "y"), [], "nothing is removed before it is known what would be lost");
    let target = targets(&["b2"]).remove(0);
    let preview = RemovalConsequence { target, is_running: true, losses: vec!["2 commits".into()] };
    update(&mut state, DashboardEvent::RemovalPreviewed(vec![preview]));
    let Some(Modal::Confirm(window)) = state.modals.last() else { panic!("nothing is asked") };
    assert!(window.lines.iter().any(|line| line.contains("2 commits")), "{:?}", window.lines);
    assert_eq!(press(&mut state, "y"), [DashboardEffect::Operate(Operation::Remove(targets(&["b2"])))]);
}

#[test]
fn the_palette_finds_and_performs_every_action() {
    let mut state = state(SIZE, some_agents());
    press(&mut state, ": i n t e r r u p t");
    assert_eq!(
        press(&mut state, "Enter"),
        [DashboardEffect::Operate(Operation::Interrupt(targets(&["b2"])))]
    );
    assert!(state.modals.is_empty());
}

#[test]
fn an_interrupt_of_several_agents_or_of_a_command_asks_first() {
    let mut state = state(SIZE, some_agents());
    let interrupt = |names| [DashboardEffect::Operate(Operation::Interrupt(targets(names)))];
    assert_eq!(press(&mut state, "i"), interrupt(&["b2"]), "one turn is interrupted at once");
    press(&mut state, "m m");
    assert_eq!(press(&mut state, "i"), []);
    let Some(Modal::Confirm(window)) = state.modals.last() else { panic!("nothing is asked") };
    assert_eq!(window.title, "Interrupt `b10`, `b2`?");
    assert_eq!(press(&mut state, "y"), interrupt(&["b10", "b2"]));
    let mut command = agent("make", Status::Working);
    command.kind = "command".into();
    list(&mut state, vec![command]);
    assert_eq!(press(&mut state, "i"), []);
    let Some(Modal::Confirm(window)) = state.modals.last() else { panic!("nothing is asked") };
    assert_eq!(window.lines, ["make: an interrupt may end a command."]);
    assert_eq!(press(&mut state, "y"), interrupt(&["make"]));
}

#[test]
fn a_success_does_not_hide_a_failure_before_the_next_key() {
    let mut state = state(SIZE, some_agents());
    let finished = |state: &mut DashboardState, outcome: Result<&str, &str>| {
        let outcome = outcome.map(str::to_owned).map_err(str::to_owned);
        update(state, DashboardEvent::Finished(outcome));
        state.flash.clone().map(|flash| (flash.text, flash.tone)).unwrap()
    };
    assert_eq!(finished(&mut state, Ok("done")), ("done".into(), Tone::Good));
    assert_eq!(finished(&mut state, Err("no")), ("no".into(), Tone::Bad));
    assert_eq!(finished(&mut state, Ok("done")), ("no".into(), Tone::Bad));
    assert_eq!(finished(&mut state, Err("never")), ("no; never".into(), Tone::Bad));
    press(&mut state, "j");
    assert_eq!(finished(&mut state, Ok("done")), ("done".into(), Tone::Good));
}

#[test]
fn the_use_of_a_prompt_is_changed_in_both_directions() {
    let mut state = state(SIZE, some_agents());
    let how = |state: &mut DashboardState, key| {
        press(state, key);
        let Some(Modal::Prompt(window)) = state.modals.last() else { panic!("no prompt") };
        window.how
    };
    assert_eq!(how(&mut state, "Space"), PromptUse::Send);
    assert_eq!(how(&mut state, "BTab"), PromptUse::Message);
    assert_eq!(how(&mut state, "BTab"), PromptUse::Task);
    assert_eq!(how(&mut state, "Tab"), PromptUse::Message);
}

#[test]
fn a_double_click_attaches_and_a_click_selects() {
    let mut state = state(SIZE, some_agents());
    let click = |state: &mut DashboardState, line| {
        update(state, DashboardEvent::Mouse(MouseInput { kind: MouseAction::Press, column: 5, line }))
    };
    click(&mut state, 4);
    assert_eq!(rows(&state)[2], "[b10]");
    let effects = click(&mut state, 4);
    assert_eq!(
        effects,
        [DashboardEffect::Foreground(ForegroundProgram::Attach(targets(&["b10"]).remove(0)))]
    );
    click(&mut state, 2);
    assert_eq!(rows(&state), ["[#api]", "#web", "web"], "a click on a group folds it");
}

#[test]
fn a_right_click_opens_the_menu_of_the_agent_under_the_mouse() {
    let mut state = state(SIZE, some_agents());
    let mouse = |state: &mut DashboardState, kind, column, line| {
        update(state, DashboardEvent::Mouse(MouseInput { kind, column, line }))
    };
    press(&mut state, "m");
    mouse(&mut state, MouseAction::RightPress, 5, 4);
    let Some(Modal::Menu(menu)) = state.modals.last().cloned() else { panic!("no menu") };
    assert_eq!((rows(&state)[2].as_str(), menu.title.as_str()), ("[b10]", "b10"));
    assert!(state.marks.is_empty(), "the menu is about the agent under the mouse only");
    assert!(!menu.actions.contains(&Do::Approve) && !menu.actions.contains(&Do::Quit));
    let stop = menu.actions.iter().position(|action| *action == Do::Stop).unwrap();
    let area = menu.area(SIZE);
    mouse(&mut state, MouseAction::Press, area.x + 2, area.y + 1 + u16::try_from(stop).unwrap());
    let Some(Modal::Confirm(window)) = state.modals.last() else { panic!("nothing is asked") };
    assert_eq!(window.title, "Stop `b10`?");
    press(&mut state, "Escape");
    mouse(&mut state, MouseAction::RightPress, 5, 3);
    mouse(&mut state, MouseAction::Press, 100, 1);
    assert!(state.modals.is_empty(), "a click elsewhere closes the menu");
    mouse(&mut state, MouseAction::RightPress, 5, 2);
    assert!(state.modals.is_empty(), "a group has no menu");
    mouse(&mut state, MouseAction::RightPress, 5, 3);
    assert!(matches!(&press(&mut state, "j Enter")[..], [DashboardEffect::Foreground(_)]), "attach");
}

#[test]
fn the_live_view_follows_the_selection_and_a_new_pane() {
    let mut state = state(SIZE, some_agents());
    let followed = |effects: &[DashboardEffect]| match effects {
        [DashboardEffect::Follow(Some(target))] => target.agent.name.to_string(),
        other => format!("{other:?}"),
    };
    assert_eq!(followed(&press(&mut state, "j")), "b10");
    assert_eq!(list(&mut state, some_agents()), []);
    let mut agents = some_agents();
    agents[0].tmux.as_mut().unwrap().pane = "%9".to_owned();
    assert_eq!(followed(&list(&mut state, agents)), "b10");
    let mut agents = some_agents();
    agents[0].status = Status::Stopped;
    let effects = list(&mut state, agents);
    assert!(
        matches!(&effects[..], [DashboardEffect::Follow(Some(target))] if !target.has_screen),
        "{effects:?}"
    );
    assert!(matches!(
        &press(&mut state, "Tab")[..],
        [DashboardEffect::Follow(None), DashboardEffect::Load { .. }]
    ));
}

#[test]
fn agents_of_other_hosts_are_operated_on_with_their_address() {
    let mut state = state(SIZE, some_agents());
    let mut far = elsewhere(asking("far", "q1"), "far");
    far.host = Some("mill".into());
    let key = AgentKey::of(&far);
    let listed = HostAgents { agents: vec![far], stale: None };
    update(&mut state, DashboardEvent::HostListed("mill".into(), listed));
    let effects = press(&mut state, "w");
    assert!(
        matches!(&effects[..], [DashboardEffect::Follow(Some(target))] if target.agent.key == key),
        "its screen is shown: {effects:?}"
    );
    let effects = press(&mut state, "S");
    assert_eq!(effects, []);
    let Some(Modal::Confirm(window)) = state.modals.last() else { panic!("nothing is asked") };
    assert_eq!(window.title, "Stop `mill:far`?");
    let effects = press(&mut state, "y");
    assert!(
        matches!(&effects[..], [DashboardEffect::Operate(Operation::Stop(far))] if far[0].key == key),
        "{effects:?}"
    );
    assert!(
        matches!(&press(&mut state, "y")[..], [DashboardEffect::Answer { target, .. }] if target.key == key)
    );
    let effects = press(&mut state, "a");
    assert!(
        matches!(&effects[..], [DashboardEffect::Foreground(ForegroundProgram::Attach(far))] if far.key == key),
        "{effects:?}"
    );
    for keys in ["+", "O", "E"] {
        assert_eq!(press(&mut state, keys), []);
        let text = &state.flash.as_ref().unwrap().text;
        assert!(text.starts_with("`far` is on mill: "), "{text}");
    }
    list(&mut state, some_agents());
    assert_eq!(state.agents.len(), 4, "a change on this machine keeps them");
}

#[test]
fn a_popup_switches_its_terminal_and_ends() {
    let mut state = state(SIZE, vec![agent("a", Status::Idle)]);
    state.surroundings.switched_client = Some("7@/dev/pts/3".into());
    for keys in ["Enter", "a"] {
        let switch =
            DashboardEffect::SwitchClient { client: "7@/dev/pts/3".into(), name: "a".parse().unwrap() };
        assert_eq!(press(&mut state, keys), [switch], "{keys}");
    }
    assert_eq!(update(&mut state, DashboardEvent::ClientSwitched), [DashboardEffect::Quit]);
}

#[test]
fn a_sidebar_answers_questions_and_follows_no_screen() {
    let mut state = DashboardState::new(&DashboardConfig::default(), (24, 30), testing::now());
    state.surroundings.is_sidebar = true;
    assert_eq!(list(&mut state, vec![asking("a", "q1")]), []);
    assert_eq!(press(&mut state, "Tab J"), []);
    assert_eq!(press(&mut state, "y").len(), 1);
    assert!(matches!(press(&mut state, "Enter")[..], [DashboardEffect::Foreground(_)]));
}

#[test]
fn tabs_are_read_again_when_their_content_may_have_changed() {
    let mut state = state(SIZE, some_agents());
    let is_load = |effects: &[DashboardEffect]| {
        effects.iter().any(|effect| matches!(effect, DashboardEffect::Load { .. }))
    };
    let load = |state: &mut DashboardState, lines: &[&str]| {
        let (key, tab) = (AgentKey::of(state.selected_agent().unwrap()), state.detail.tab);
        let lines = lines.iter().map(|line| (*line).to_owned()).collect();
        update(state, DashboardEvent::TabLoaded { key, tab, lines });
    };
    for tab in [DetailTab::Recap, DetailTab::Tasks, DetailTab::Messages, DetailTab::Log] {
        assert!(is_load(&press(&mut state, "Tab")), "{tab:?}");
        assert_eq!(state.detail.tab, tab);
        load(&mut state, &["one"]);
        assert!(is_load(&list(&mut state, some_agents())), "{tab:?} may have changed without the agent");
        let printed = update(&mut state, DashboardEvent::LiveChanged);
        assert_eq!(is_load(&printed), tab == DetailTab::Log, "{tab:?} after output");
    }
}

#[test]
fn a_log_that_is_scrolled_back_stays_in_its_place() {
    let mut state = state(SIZE, some_agents());
    press(&mut state, "Tab Tab Tab Tab");
    let mut lines: Vec<String> = (0..100).map(|line| format!("line {line}")).collect();
    let key = AgentKey::of(state.selected_agent().unwrap());
    let loaded = |lines: &[String]| DashboardEvent::TabLoaded {
        key: key.clone(),
        tab: DetailTab::Log,
        lines: lines.to_vec(),
    };
    update(&mut state, loaded(&lines));
    press(&mut state, "K");
    let before = state.detail.scroll;
    lines.extend(["more".to_owned(), "output".to_owned()]);
    update(&mut state, loaded(&lines[2..]));
    assert_eq!(state.detail.scroll, before + 2);
}

#[test]
fn chips_and_keys_of_the_footer_are_clicked() {
    let mut state = state(SIZE, some_agents());
    let column = |line: u16, is_there: &dyn Fn(Position) -> bool| {
        (0..SIZE.0).find(|x| is_there(Position { x: *x, y: line })).unwrap()
    };
    let click = |state: &mut DashboardState, column, line| {
        update(state, DashboardEvent::Mouse(MouseInput { kind: MouseAction::Press, column, line }))
    };
    for action in [Do::Grouping, Do::Sorting, Do::Scope] {
        let at = column(0, &|at| state.chip_at(at) == Some(action));
        click(&mut state, at, 0);
    }
    assert_eq!(state.arrangement.grouping, Grouping::Status);
    assert_eq!((state.arrangement.sorting, state.scope), (Sorting::Age, ListScope::Running));
    let last = SIZE.1 - 1;
    let key = |text: &str| text.parse().ok();
    let at = column(last, &|at| state.footer_key_at(at) == key("q"));
    assert_eq!(click(&mut state, at, last), [DashboardEffect::Quit]);
    press(&mut state, "?");
    let at = column(last, &|at| state.footer_key_at(at) == key("Escape"));
    click(&mut state, at, last);
    assert!(state.modals.is_empty());
    state.show_message("done");
    assert_eq!(click(&mut state, at, last), [], "a message hides the keys");
}

#[test]
fn the_wheel_scrolls_the_help() {
    let mut state = state(SIZE, some_agents());
    press(&mut state, "?");
    for (kind, scroll) in
        [(MouseAction::WheelDown, 3), (MouseAction::WheelDown, 6), (MouseAction::WheelUp, 3)]
    {
        update(&mut state, DashboardEvent::Mouse(MouseInput { kind, column: 5, line: 5 }));
        let Some(Modal::Help(window)) = state.modals.last() else { panic!("no help") };
        assert_eq!(window.scroll, scroll);
    }
}

#[test]
fn a_key_that_needs_an_agent_says_so_on_a_group() {
    for keys in ["a", "c", "d", "Space", "t", "S"] {
        let mut state = state(SIZE, some_agents());
        press(&mut state, "g");
        assert_eq!(press(&mut state, keys), []);
        assert_eq!(state.flash.unwrap().text, "no agent is selected", "{keys}");
    }
}

#[test]
fn a_popup_begins_with_the_agent_that_its_terminal_shows() {
    let mut agents = vec![agent("a", Status::Idle), agent("b", Status::Idle), agent("c", Status::Idle)];
    agents[1].clients = vec![AgentClient { tty: "/dev/pts/7".into(), ..AgentClient::default() }];
    let mut state = DashboardState::new(&DashboardConfig::default(), SIZE, now());
    state.surroundings.switched_client = Some("13377@/dev/pts/7".into());
    let selected = |state: &DashboardState| state.selected_agent().map(|agent| agent.name.to_string());
    list(&mut state, agents.clone());
    assert_eq!(selected(&state).as_deref(), Some("b"));
    press(&mut state, "j");
    list(&mut state, agents);
    assert_eq!(selected(&state).as_deref(), Some("c"), "later lists leave the selection alone");
}
