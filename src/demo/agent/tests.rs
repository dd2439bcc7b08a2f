//! Tests of the demo agent's state machine without a terminal.

use super::*;

struct Trial {
    agent: DemoAgent,
    now: Instant,
}

impl Trial {
    fn new() -> Trial {
        let now = Instant::now();
        Trial { agent: DemoAgent::new(Memory::default(), Permission::Ask, now), now }
    }

    fn press(&mut self, keys: &[DemoKey]) -> Vec<Effect> {
        keys.iter().flat_map(|key| self.agent.key(key.clone(), self.now)).collect()
    }

    fn write(&mut self, text: &str) -> Vec<Effect> {
        self.press(&[DemoKey::Paste(text.to_owned()), DemoKey::Enter])
    }

    /// Advances the time until the agent waits for input.
    fn rest(&mut self) -> Vec<Effect> {
        let mut effects = Vec::new();
        while self.agent.expected_input() == ExpectedInput::Nothing {
            self.now += self.agent.time_until_due(self.now).expect("it works");
            effects.extend(self.agent.tick(self.now));
        }
        effects
    }
}

fn fired(effects: &[Effect]) -> Vec<&HookEvent> {
    effects
        .iter()
        .filter_map(|effect| if let Effect::Fire(event) = effect { Some(event) } else { None })
        .collect()
}

fn printed(effects: &[Effect]) -> String {
    effects
        .iter()
        .filter_map(|effect| if let Effect::Print(text) = effect { Some(format!("{text}\n")) } else { None })
        .collect()
}

#[test]
fn a_turn_repeats_the_prompt_to_the_letter() {
    let mut trial = Trial::new();
    let prompt = "one  two\n\n\tthree";
    let begun = trial.write(prompt);
    assert_eq!(fired(&begun), [&HookEvent::UserPromptSubmit(prompt.to_owned())]);
    assert!(trial.agent.view(trial.now).status.unwrap().contains("Thinking…"));
    let done = trial.rest();
    let answer = format!("You said: {prompt}\n(prompt 1 of this conversation)");
    assert_eq!(fired(&done), [&HookEvent::Stop(answer.clone())]);
    assert!(printed(&done).starts_with(&format!("● {answer}\n")), "{}", printed(&done));
}

#[test]
fn an_approval_is_given_or_denied() {
    for (key, answer) in [
        (DemoKey::Char('1'), "Approved: rm x"),
        (DemoKey::Enter, "Approved: rm x"),
        (DemoKey::Char('n'), "Denied: rm x"),
        (DemoKey::Esc, "Denied: rm x"),
        (DemoKey::CtrlC, "Denied: rm x"),
    ] {
        let mut trial = Trial::new();
        let effects = trial.write("/ask rm x");
        assert_eq!(fired(&effects)[1], &HookEvent::PermissionRequest(DemoTool::Bash("rm x".into())));
        assert_eq!(trial.agent.expected_input(), ExpectedInput::Decision);
        assert!(trial.press(&[DemoKey::Char('x'), DemoKey::Other]).is_empty());
        let mut done = trial.press(std::slice::from_ref(&key));
        done.extend(trial.rest());
        assert_eq!(fired(&done).last(), Some(&&HookEvent::Stop(answer.to_owned())), "{key:?}");
    }
}

#[test]
fn ctrl_c_twice_leaves_from_every_state_but_hanging() {
    for prompt in ["", "hello", "/ask x", "/question x", "/work 9s"] {
        let mut trial = Trial::new();
        trial.write(prompt);
        trial.press(&[DemoKey::Char('d')]);
        let left = trial.press(&[DemoKey::CtrlC, DemoKey::CtrlC]);
        assert_eq!(left.last(), Some(&Effect::Exit(DemoExit::Exit(0))), "{prompt}");
    }
    let mut trial = Trial::new();
    trial.write("/hang");
    assert!(trial.press(&[DemoKey::CtrlC, DemoKey::CtrlC, DemoKey::CtrlD]).is_empty());
    assert_eq!(trial.agent.time_until_due(trial.now), None);
}

#[test]
fn second_ctrl_c_after_the_window_does_not_exit() {
    let mut trial = Trial::new();
    trial.press(&[DemoKey::CtrlC]);
    trial.now += EXIT_CONFIRM_WINDOW;
    assert!(trial.press(&[DemoKey::CtrlC]).is_empty());
    assert!(trial.press(&[DemoKey::Char('x'), DemoKey::CtrlC]).is_empty());
}

#[test]
fn ctrl_c_throws_a_draft_away() {
    let mut trial = Trial::new();
    trial.press(&[DemoKey::Char('x'), DemoKey::CtrlC]);
    assert_eq!(trial.agent.view(trial.now).body, ViewBody::Composer(String::new()));
}

#[test]
fn prompt_typed_during_a_turn_runs_afterwards() {
    let mut trial = Trial::new();
    trial.write("first");
    assert!(trial.write("remember the milk").is_empty());
    trial.write("recall");
    let done = trial.rest();
    assert_eq!(fired(&done).last(), Some(&&HookEvent::Stop("I remember: the milk".into())));
}

#[test]
fn escape_interrupts_a_turn() {
    let mut trial = Trial::new();
    trial.write("/work 1h");
    let given_up = trial.press(&[DemoKey::Esc]);
    assert!(matches!(fired(&given_up)[..], [HookEvent::Notification("idle_prompt", _)]));
    assert_eq!(trial.agent.expected_input(), ExpectedInput::Text);
}

#[test]
fn a_question_takes_the_next_text_as_its_answer() {
    let mut trial = Trial::new();
    trial.write("/question which colour?");
    assert_eq!(trial.agent.view(trial.now).status.as_deref(), Some("? which colour? (type your answer)"));
    let mut done = trial.write("blue");
    done.extend(trial.rest());
    assert_eq!(fired(&done).last(), Some(&&HookEvent::Stop("You answered: blue".into())));
}

#[test]
fn crash_is_printed_and_runs_no_session_end_hook() {
    let crash = Trial::new().write("/crash 3");
    assert_eq!(crash.last(), Some(&Effect::Exit(DemoExit::Exit(3))));
    assert_eq!(fired(&crash).len(), 1);
    assert_eq!(Trial::new().write("/abort").last(), Some(&Effect::Exit(DemoExit::Abort)));
}
