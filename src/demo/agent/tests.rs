//! Tests of the demo agent's state machine without a terminal.

use super::*;

struct Trial {
    agent: Agent,
    now: Instant,
}

impl Trial {
    fn new() -> Trial {
        let now = Instant::now();
        Trial { agent: Agent::new(Memory::default(), Permission::Ask, now), now }
    }

    fn press(&mut self, keys: &[Key]) -> Vec<Effect> {
        keys.iter().flat_map(|key| self.agent.key(key.clone(), self.now)).collect()
    }

    fn write(&mut self, text: &str) -> Vec<Effect> {
        self.press(&[Key::Paste(text.to_owned()), Key::Enter])
    }

    /// Advances the time until the agent waits for input.
    fn rest(&mut self) -> Vec<Effect> {
        let mut effects = Vec::new();
        while self.agent.wants() == Wants::Nothing {
            self.now += self.agent.wake(self.now).expect("it works");
            effects.extend(self.agent.tick(self.now));
        }
        effects
    }
}

fn fired(effects: &[Effect]) -> Vec<&Event> {
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
    assert_eq!(fired(&begun), [&Event::UserPromptSubmit(prompt.to_owned())]);
    assert!(trial.agent.view(trial.now).status.unwrap().contains("Thinking…"));
    let done = trial.rest();
    let answer = format!("You said: {prompt}\n(prompt 1 of this conversation)");
    assert_eq!(fired(&done), [&Event::Stop(answer.clone())]);
    assert!(printed(&done).starts_with(&format!("● {answer}\n")), "{}", printed(&done));
}

#[test]
fn an_approval_is_given_or_denied() {
    for (key, answer) in [
        (Key::Char('1'), "Approved: rm x"),
        (Key::Enter, "Approved: rm x"),
        (Key::Char('n'), "Denied: rm x"),
        (Key::Esc, "Denied: rm x"),
        (Key::CtrlC, "Denied: rm x"),
    ] {
        let mut trial = Trial::new();
        let asked = trial.write("/ask rm x");
        assert_eq!(fired(&asked)[1], &Event::PermissionRequest(Tool::Bash("rm x".into())));
        assert_eq!(trial.agent.wants(), Wants::Decision);
        assert!(trial.press(&[Key::Char('x'), Key::Other]).is_empty());
        let mut done = trial.press(std::slice::from_ref(&key));
        done.extend(trial.rest());
        assert_eq!(fired(&done).last(), Some(&&Event::Stop(answer.to_owned())), "{key:?}");
    }
}

#[test]
fn ctrl_c_twice_leaves_from_every_state_but_hanging() {
    for prompt in ["", "hello", "/ask x", "/question x", "/work 9s"] {
        let mut trial = Trial::new();
        trial.write(prompt);
        trial.press(&[Key::Char('d')]);
        let left = trial.press(&[Key::CtrlC, Key::CtrlC]);
        assert_eq!(left.last(), Some(&Effect::Leave(Ending::Exit(0))), "{prompt}");
    }
    let mut trial = Trial::new();
    trial.write("/hang");
    assert!(trial.press(&[Key::CtrlC, Key::CtrlC, Key::CtrlD]).is_empty());
    assert_eq!(trial.agent.wake(trial.now), None);
}

#[test]
fn a_ctrl_c_of_long_ago_does_not_count() {
    let mut trial = Trial::new();
    trial.press(&[Key::CtrlC]);
    trial.now += ARMED;
    assert!(trial.press(&[Key::CtrlC]).is_empty());
    assert!(trial.press(&[Key::Char('x'), Key::CtrlC]).is_empty());
}

#[test]
fn ctrl_c_throws_a_draft_away() {
    let mut trial = Trial::new();
    trial.press(&[Key::Char('x'), Key::CtrlC]);
    assert_eq!(trial.agent.view(trial.now).body, Body::Composer(String::new()));
}

#[test]
fn what_is_written_while_it_works_is_done_afterwards() {
    let mut trial = Trial::new();
    trial.write("first");
    assert!(trial.write("remember the milk").is_empty());
    trial.write("recall");
    let done = trial.rest();
    assert_eq!(fired(&done).last(), Some(&&Event::Stop("I remember: the milk".into())));
}

#[test]
fn escape_gives_a_turn_up() {
    let mut trial = Trial::new();
    trial.write("/work 1h");
    let given_up = trial.press(&[Key::Esc]);
    assert!(matches!(fired(&given_up)[..], [Event::Notification("idle_prompt", _)]));
    assert_eq!(trial.agent.wants(), Wants::Text);
}

#[test]
fn a_question_takes_the_next_text_as_its_answer() {
    let mut trial = Trial::new();
    trial.write("/question which colour?");
    assert_eq!(trial.agent.view(trial.now).status.as_deref(), Some("? which colour? (type your answer)"));
    let mut done = trial.write("blue");
    done.extend(trial.rest());
    assert_eq!(fired(&done).last(), Some(&&Event::Stop("You answered: blue".into())));
}

#[test]
fn a_crash_says_so_and_tells_no_hook_that_it_leaves() {
    let crash = Trial::new().write("/crash 3");
    assert_eq!(crash.last(), Some(&Effect::Leave(Ending::Exit(3))));
    assert_eq!(fired(&crash).len(), 1);
    assert_eq!(Trial::new().write("/abort").last(), Some(&Effect::Leave(Ending::Abort)));
}
