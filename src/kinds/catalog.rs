//! The built-in kinds and the user's kinds by name, in their order. Never searches for a program.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::Path;
use std::sync::LazyLock;

use super::{KindError, overlay};
use crate::base::source_text::LineIndex;
use crate::model::Kind;

const BUILTIN: &str = include_str!("builtin.toml");

static PARSED: LazyLock<Kinds> = LazyLock::new(|| {
    let kinds: BTreeMap<String, Kind> = toml::from_str(BUILTIN).expect("a test parses builtin.toml");
    Kinds { order: overlay::names_in_order(BUILTIN), kinds }
});

/// All known kinds.
#[derive(Debug, Clone, PartialEq)]
pub struct Kinds {
    order: Vec<String>,
    kinds: BTreeMap<String, Kind>,
}

impl Kinds {
    /// Returns the built-in kinds, which are parsed at the first call.
    pub fn builtin() -> &'static Kinds {
        &PARSED
    }

    /// Returns the built-in kinds with the user's file applied to them. A missing file changes nothing.
    pub fn load(user_file: Option<&Path>) -> Result<Kinds, KindError> {
        let Some(path) = user_file else { return Ok(Kinds::builtin().clone()) };
        match std::fs::read_to_string(path) {
            Ok(text) => Kinds::parse_over_builtin(&text, path),
            Err(source) if source.kind() == ErrorKind::NotFound => Ok(Kinds::builtin().clone()),
            Err(source) => Err(KindError::Unreadable { path: path.to_owned(), source }),
        }
    }

    /// Returns the kind of this name.
    pub fn get(&self, name: &str) -> Option<&Kind> {
        self.kinds.get(name)
    }

    /// Returns all names: the built-in kinds in the order of their table, then the kinds of the user. The default kind is
    /// chosen in another order, see `rules/lifecycle/default_kind.rs`.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.order.iter().map(String::as_str)
    }

    fn parse_over_builtin(text: &str, path: &Path) -> Result<Kinds, KindError> {
        let kinds = overlay::overlay(BUILTIN, text)
            .map_err(|mistake| LineIndex::of(text).locate(mistake))
            .map_err(|mistake| KindError::Mistake { path: path.to_owned(), mistake })?;
        let mut order = Kinds::builtin().order.clone();
        for name in overlay::names_in_order(text) {
            if !order.contains(&name) {
                order.push(name);
            }
        }
        Ok(Kinds { order, kinds })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::PromptVia;

    fn with(text: &str) -> Result<Kinds, KindError> {
        Kinds::parse_over_builtin(text, Path::new("kinds.toml"))
    }

    #[test]
    fn every_kind_we_promise_is_built_in_and_claude_comes_first() {
        let names: Vec<&str> = Kinds::builtin().names().collect();
        assert_eq!(
            names,
            [
                "claude", "codex", "gemini", "kiro", "q", "opencode", "qwen", "copilot", "cursor", "amp",
                "goose", "aider", "demo", "command"
            ]
        );
    }

    #[test]
    fn builtin_kinds_obey_the_rules_for_user_kinds() {
        let kinds = overlay::overlay("", BUILTIN).expect("no mistake in builtin.toml");
        assert_eq!(kinds.len(), Kinds::builtin().kinds.len());
    }

    #[test]
    fn exit_keys_can_never_answer_a_dialog() {
        for (name, kind) in &Kinds::builtin().kinds {
            for key in &kind.exit_keys {
                assert!(overlay::SAFE_KEYS.contains(&key.as_str()), "{name}: {key}");
            }
        }
    }

    #[test]
    fn kinds_that_approve_can_deny_with_other_keys() {
        for (name, kind) in &Kinds::builtin().kinds {
            assert_eq!(kind.approve_keys.is_empty(), kind.deny_keys.is_empty(), "{name}");
            assert!(kind.approve_keys.is_empty() || kind.approve_keys != kind.deny_keys, "{name}");
        }
    }

    #[test]
    fn a_users_key_changes_only_itself() {
        let kinds = with("[claude]\nprogram = [\"claude-beta\"]\nenv = { X = \"1\" }\n").unwrap();
        let (mine, theirs) = (kinds.get("claude").unwrap(), Kinds::builtin().get("claude").unwrap());
        assert_eq!(mine.program, ["claude-beta"]);
        assert_eq!(mine.env.len(), 2);
        assert_eq!(mine.screen, theirs.screen);
        assert_eq!(kinds.get("codex"), Kinds::builtin().get("codex"));
    }

    #[test]
    fn kind_of_a_user_extends_the_plain_command() {
        let kinds =
            with("[mine]\nprompt = { args = [\"{prompt}\"] }\n[claude]\nprompt = \"keys\"\n").unwrap();
        let mine = kinds.get("mine").unwrap();
        assert_eq!((mine.title.as_str(), mine.program.as_slice()), ("mine", ["mine".to_owned()].as_slice()));
        assert_eq!(mine.enter_delay_ms, Kinds::builtin().get("command").unwrap().enter_delay_ms);
        assert_eq!(kinds.get("claude").unwrap().prompt, PromptVia::Keys);
        assert_eq!(kinds.names().last(), Some("mine"));
    }

    #[test]
    fn mistake_reports_its_position_and_allowed_values() {
        for (text, place, says) in [
            ("[claude]\nprogramm = []\n", (2, 1), "expected one of `title`, `program`"),
            ("[claude]\nprogram = \"x\"\n", (2, 11), "expected a sequence"),
            ("[claude\n", (1, 8), "]"),
            ("claude = 3\n", (1, 10), "expected struct Kind"),
            ("[claude.screen]\nready = ['ok', 'ü(']\n", (2, 16), "not a regular expression"),
            ("[claude]\nmodel = [\"--model\"]\n", (2, 9), "`{model}`"),
            ("[x.conversation]\nresume = ['--resume']\n", (2, 10), "`{conversation}`"),
            ("[x.conversation]\nmissing = ['(']\n", (2, 12), "not a regular expression"),
            ("[x.mcp]\nargs = ['--mcp']\n", (2, 8), "`{mcp}` or `{mcp_toml}`"),
            ("[x]\nprompt = { args = ['-p'] }\n", (2, 19), "`{prompt}`"),
            ("[x]\nprompt = 'mail'\n", (2, 10), "expected `args` or `keys`"),
            ("[x]\nexit_keys = ['C-c', 'Enter']\n", (2, 21), "C-c, C-d, Escape"),
            ("[x]\napprove_keys = ['y', 'Entr']\n", (2, 22), "`Entr` is not one key"),
            ("[x]\ndeny_keys = ['']\n", (2, 14), "PageDown"),
            ("[x]\ndeny_reason = { option = '(' }\n", (2, 26), "not a regular expression"),
            ("[x]\ndeny_reason = { keys = ['Tabb'] }\n", (2, 25), "`Tabb` is not one key"),
            ("[x]\ninterrupt_keys = ['C-', 'C-c']\n", (2, 19), "is not one key"),
            ("[x]\nhang_after_s = -1\n", (2, 16), "u64"),
            ("[x]\nhooks = 'all'\n", (2, 9), "expected one of `none`, `claude-settings`"),
        ] {
            match with(text) {
                Err(KindError::Mistake { mistake, .. }) => {
                    assert!(mistake.message.contains(says), "{text}: {mistake}");
                    assert_eq!((mistake.at.line, mistake.at.column), place, "{text}: {mistake}");
                }
                other => panic!("{text}: {other:?}"),
            }
        }
    }

    #[test]
    fn missing_file_is_ignored_and_unreadable_file_is_reported() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(&Kinds::load(Some(&dir.path().join("kinds.toml"))).unwrap(), Kinds::builtin());
        assert!(matches!(Kinds::load(Some(dir.path())), Err(KindError::Unreadable { .. })));
        assert_eq!(&Kinds::load(None).unwrap(), Kinds::builtin());
    }
}
