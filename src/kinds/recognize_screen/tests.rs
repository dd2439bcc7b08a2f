//! Tests of reading captured screens.

use std::path::Path;

use proptest::prelude::*;

use super::*;
use crate::kinds::Kinds;

fn kind(name: &str) -> &'static Kind {
    Kinds::builtin().get(name).unwrap()
}

fn golden(name: &str) -> ScreenReading {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/screens").join(format!("{name}.txt"));
    let screen = std::fs::read_to_string(&file).unwrap();
    read_screen(kind(name.split('-').next().unwrap()), &screen)
}

#[test]
fn each_screen_shows_its_state_and_its_draft() {
    use ScreenState::{Busy, Ready};
    let approval = |line: &str| ScreenState::Approval(line.to_owned());
    let question = |line: &str| ScreenState::Question(line.to_owned());
    let setup = |line: &str| ScreenState::Setup(line.to_owned());
    let failed = |cause, message: &str| {
        ScreenState::Failed(TurnFailure { cause, message: message.to_owned(), resets_at: None })
    };
    for (name, state, draft) in [
        ("claude-ready", Ready, None),
        ("claude-failed-login", failed(FailureCause::Login, "Not logged in · Run /login"), None),
        (
            "claude-failed-credit",
            failed(
                FailureCause::Credit,
                "Credit balance too low · Add funds: https://platform.claude.com/settings/billing",
            ),
            None,
        ),
        (
            "claude-failed-limit",
            failed(FailureCause::Limit, "You've hit your 5-hour limit · resets 9:18pm (UTC)"),
            None,
        ),
        (
            "claude-failed-error",
            failed(
                FailureCause::Error,
                "API Error: 500 Internal server error. This is a server-side issue, usually temporary — try again in a moment.",
            ),
            None,
        ),
        (
            "codex-failed-login",
            failed(
                FailureCause::Login,
                "unexpected status 401 Unauthorized: invalid x-api-key, url: http://127.0.0.1:18971/v1/responses",
            ),
            None,
        ),
        (
            "codex-failed-credit",
            failed(FailureCause::Credit, "Quota exceeded. Check your plan and billing details."),
            None,
        ),
        (
            "codex-failed-limit",
            failed(
                FailureCause::Limit,
                "You’ve hit your usage limit. Upgrade to Pro (https://chatgpt.com/explore/pro), visit https://chatgpt.com/settings/ usage to purchase more credits or try again at 9:19 PM.",
            ),
            None,
        ),
        (
            "codex-failed-error",
            failed(
                FailureCause::Error,
                "We’re currently experiencing high demand, which may cause temporary errors.",
            ),
            None,
        ),
        ("claude-busy", Busy, None),
        ("claude-draft", Ready, Some("a draft that\nwaits")),
        ("claude-pasted", Ready, Some("a draft that[Pasted text #1 +5 lines]")),
        ("claude-approval", approval("Do you want to proceed?"), None),
        ("claude-approval-edit", approval("Do you want to create a.txt?"), None),
        ("claude-question", question("Which colour do you like?"), None),
        (
            "claude-setup",
            setup(
                "Quick safety check: Is this a project you created or one you trust? (Like your own code, a",
            ),
            None,
        ),
        ("codex-ready", Ready, None),
        ("codex-draft", Ready, Some("fix the login bug")),
        ("codex-busy", Busy, None),
        (
            "codex-approval",
            approval("Would you like to run the following command? $ touch touched-by-agent"),
            None,
        ),
        ("codex-setup", setup("> 1. Sign in with ChatGPT"), None),
        (
            "codex-setup-trust",
            setup(
                "Trust this folder? Codex can read, edit, and run files here, subject to your permission settings. Folder settings",
            ),
            None,
        ),
        ("codex-setup-directory", setup("Working directory · resume"), None),
        ("gemini-ready", Ready, None),
        ("gemini-busy", Busy, None),
        ("gemini-approval", approval("Allow execution of [Shell]? $ touch touched-by-agent"), None),
        ("gemini-approval-lines", approval("Allow execution of [Shell]? $ touch one\ntouch two"), None),
        ("gemini-setup", setup("How would you like to authenticate for this project?"), None),
        ("qwen-setup", setup("Select Authentication Method"), None),
        ("qwen-ready", Ready, None),
        ("qwen-busy", Busy, None),
        ("qwen-approval", approval("Allow execution of: 'touch'?"), None),
        ("opencode-ready", Ready, None),
        ("opencode-draft", Ready, None),
        ("opencode-busy", Busy, None),
        ("opencode-approval", approval("△ Permission required $ touch touched-by-agent"), None),
        ("copilot-ready", Ready, None),
        ("copilot-busy", Busy, None),
        ("copilot-approval", approval("Do you want to run this command?"), None),
        ("copilot-setup", setup("Do you trust the files in this folder?"), None),
        ("aider-ready", Ready, None),
        ("aider-busy", Busy, None),
        (
            "aider-approval",
            approval("Run shell command? (Y)es/(N)o/(D)on't ask again [Yes]: $ touch touched-by-agent"),
            None,
        ),
        (
            "aider-approval-several",
            approval("Run shell commands? (Y)es/(N)o/(D)on't ask again [Yes]: $ touch one\ntouch two"),
            None,
        ),
        (
            "aider-setup",
            setup("No git repo found, create one to track aider's changes (recommended)? (Y)es/(N)o [Yes]:"),
            None,
        ),
        (
            "gemini-failed-login",
            failed(
                FailureCause::Login,
                r#"API Error: {"error":{"code":401,"message":"API key not valid. Please pass a valid API key.","status":"UNAUTHENTICATED"}}"#,
            ),
            None,
        ),
        (
            "gemini-failed-credit",
            failed(
                FailureCause::Credit,
                r#"API Error: {"error":{"code":400,"message":"Your credit balance is too low to access the API.","status":"FAILED_PRECONDITION"}}"#,
            ),
            None,
        ),
        (
            "gemini-failed-limit",
            failed(FailureCause::Limit, "API Error: You have exhausted your daily quota on this model."),
            None,
        ),
        (
            "gemini-question-limit",
            question("Usage limit reached for gemini-3.5-flash-lite."),
            Some("fail: 429"),
        ),
        (
            "copilot-failed-login",
            failed(
                FailureCause::Login,
                "Authentication failed with provider at http://127.0.0.1:18790/v1 (HTTP 401). Check your COPILOT_PROVIDER_API_KEY, COPILOT_PROVIDER_API_KEY_COMMAND, or COPILOT_PROVIDER_BEARER_TOKEN.",
            ),
            None,
        ),
        (
            "copilot-failed-credit",
            failed(FailureCause::Credit, "400 Your credit balance is too low to access the API."),
            None,
        ),
        (
            "copilot-failed-limit",
            failed(
                FailureCause::Limit,
                "429 Rate limit reached for m1 in organization org-x on requests per min (RPM): Limit 3, Used 3, Requested 1. Please try again in 2h.",
            ),
            None,
        ),
        (
            "qwen-failed-login",
            failed(FailureCause::Login, "API Error: 401 Incorrect API key provided: not-a-key."),
            None,
        ),
        (
            "qwen-failed-credit",
            failed(FailureCause::Credit, "API Error: 400 Your credit balance is too low to access the API."),
            None,
        ),
        (
            "aider-failed-login",
            failed(
                FailureCause::Login,
                "litellm.AuthenticationError: AuthenticationError: OpenAIException - Incorrect API key provided: not-a-key. ░The API provider is not able to authenticate you. Check your API key.",
            ),
            None,
        ),
        (
            "aider-failed-credit",
            failed(
                FailureCause::Credit,
                "litellm.BadRequestError: OpenAIException - Your credit balance is too low to access the API.",
            ),
            None,
        ),
        (
            "aider-failed-limit",
            failed(
                FailureCause::Limit,
                "litellm.RateLimitError: RateLimitError: OpenAIException - Rate limit reached for m1 in organization org-x on requests per min (RPM): Limit 3, Used 3, Requeste d 1. Please try again in 2h. The API provider has rate limited you. Try again later or check your quotas.",
            ),
            None,
        ),
        (
            "aider-failed-error",
            failed(
                FailureCause::Error,
                "litellm.InternalServerError: InternalServerError: OpenAIException - The server had an error while processing your request. The API provider's servers are down or overloaded.",
            ),
            None,
        ),
        (
            "copilot-failed-error",
            failed(
                FailureCause::Error,
                "Failed to get response from the AI model; retried 5 times (total retry wait time: 14.88 seconds) Last error: 500 The server had an error while processing your request.",
            ),
            None,
        ),
        (
            "qwen-failed-error",
            failed(
                FailureCause::Error,
                "API Error: 500 The server had an error while processing your request.",
            ),
            None,
        ),
        ("qwen-busy-retrying", Busy, None),
        ("opencode-busy-retrying", Busy, None),
        ("opencode-busy-paused", Busy, None),
        ("opencode-question-always", question("△ Always allow"), None),
        ("demo-ready", Ready, None),
        ("demo-draft", Ready, Some("a draft that\nwaits")),
        ("demo-pasted", Ready, Some("[Pasted text #1 +5 lines]")),
        ("demo-busy", Busy, None),
        ("demo-approval", approval("Do you want to proceed?"), None),
        ("demo-question", question("? which colour? (type your answer)"), None),
    ] {
        let expected = ScreenReading { state: Some(state), draft: draft.map(str::to_owned) };
        assert_eq!(golden(name), expected, "{name}");
    }
}

#[test]
fn a_dim_hint_in_the_composer_is_not_a_draft() {
    for (screen, draft) in [
        ("──────\n❯ \u{1b}[7mT\u{1b}[0;2mry \"fix it\"\u{1b}[0m\n──────", None),
        ("──────\n❯\u{a0}fix \u{1b}[7mi\u{1b}[0;2mt now\u{1b}[0m\n──────", Some("fix")),
        ("──────\n❯ fix i\u{1b}[7mt\u{1b}[0m\n──────", Some("fix it")),
        ("──────\n❯\n──────", None),
        ("❯ an old prompt\n● answer\n──────\n❯ \n──────\n  footer", None),
    ] {
        let reading = read_screen(kind("claude"), screen);
        assert_eq!(reading.draft.as_deref(), draft, "{screen}");
        assert_eq!(reading.state, Some(ScreenState::Ready), "{screen}");
    }
}

#[test]
fn the_last_line_is_never_the_footer_below_a_composer() {
    let last =
        |name: &str, text: &str| last_line(kind(name), &text.lines().map(str::to_owned).collect::<Vec<_>>());
    let composer = "● Fine.\n──────\n❯ \n──────\n  ⏸ manual mode on · ? for shortcuts";
    assert_eq!(last("claude", composer).as_deref(), Some("● Fine."));
    assert_eq!(last("claude", "──────\n❯ \n──────\n  footer"), None);
    assert_eq!(last("claude", "fatal: out of memory").as_deref(), Some("fatal: out of memory"));
    assert_eq!(last("command", "a\n❯ b").as_deref(), Some("❯ b"));
}

#[test]
fn text_about_a_state_is_not_that_state() {
    let composer = "──────\n❯ \n──────";
    for output in ["Do you want to proceed?", "1. Yes\n2. No", "✻ Sautéed for 24m 3s", "❯ earlier prompt"]
    {
        let reading = read_screen(kind("claude"), &format!("{output}\n\n{composer}"));
        assert_eq!(reading.state, Some(ScreenState::Ready), "{output}");
    }
    let with_a_numbered_draft = "Do you want to proceed?\n\n──────\n❯ 1. do this\n──────";
    let reading = read_screen(kind("claude"), with_a_numbered_draft);
    assert_eq!(reading, ScreenReading { state: Some(ScreenState::Ready), draft: Some("1. do this".into()) });
}

#[test]
fn old_text_further_up_does_not_count() {
    let old = format!("Do you want to proceed?\n❯ 1. Yes\n{}$ ", "line\n".repeat(20));
    assert_eq!(read_screen(kind("claude"), &old), ScreenReading::default());
}

#[test]
fn missing_conversation_is_recognised_in_the_last_lines() {
    for (name, line, expected) in [
        ("claude", "No conversation found with session ID: 2c40c2d1-d7ae-4675-bf30-262eb6e2f07e", true),
        ("claude", "it said: No conversation found with session ID", false),
        ("qwen", "No saved session found with title \"0199aaaa\".", true),
        ("opencode", "Error: Session not found: ses_1", true),
        ("copilot", "Error: No session, task, or name matched '0199aaaa'", true),
        ("command", "No conversation found with session ID: 1", false),
    ] {
        let lines = ["before".to_owned(), line.to_owned()];
        assert_eq!(lacks_conversation(kind(name), &lines), expected, "{name}: {line}");
    }
}

#[test]
fn an_unknown_screen_has_no_state() {
    for screen in ["", "\n\n\n", "$ ls\nsrc", "\u{1b}["] {
        assert_eq!(read_screen(kind("command"), screen), ScreenReading::default(), "{screen:?}");
        assert_eq!(read_screen(kind("claude"), screen), ScreenReading::default(), "{screen:?}");
    }
}

proptest! {
    #[test]
    fn no_screen_makes_it_panic(screen in "(\u{1b}\\[[0-9;]{0,6}[a-zA-Z]|❯ |─{3}|\n|.){0,60}") {
        for name in ["claude", "codex", "gemini", "demo"] {
            let _ = read_screen(kind(name), &screen);
        }
    }
}
