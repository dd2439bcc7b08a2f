//! Values that a child inherits from the agent that spawned it. A child never acts more freely than its parent.

use serde::{Deserialize, Serialize};

use crate::model::{Spec, Tier};

/// Values of a parent at the time when the child was spawned.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Inheritance {
    /// Name of the parent.
    pub from: String,
    /// Kind of the parent.
    pub kind: Option<String>,
    /// Model of the parent.
    pub model: Option<String>,
    /// Tier of the parent.
    pub tier: Option<Tier>,
    /// Tools that the parent may use without asking.
    pub tools: Vec<String>,
}

/// Fills in the values that a spec leaves open. Returns the reason if the spec asks for more than its parent has.
pub fn inherit(spec: &mut Spec, from: &Inheritance) -> Result<(), String> {
    if spec.kind.is_none() && spec.command.is_empty() {
        spec.kind.clone_from(&from.kind);
    }
    // A model is valid only for its own kind.
    if spec.model.is_none() && spec.kind == from.kind {
        spec.model.clone_from(&from.model);
    }
    match (spec.shell_tier, from.tier) {
        (None, tier) => spec.shell_tier = tier,
        (Some(own), Some(tier)) if looser(own, tier) => {
            return Err(format!(
                "agent `{}` acts under tier `{tier}`; a child of it cannot have the looser `{own}`",
                from.from
            ));
        }
        _ => {}
    }
    // A tool that may be used without asking bypasses the tier, so a child gets only tools that its parent has.
    let more = spec.tools.iter().flatten().find(|tool| !from.tools.contains(tool));
    match (from.tier, more) {
        (Some(tier @ (Tier::Review | Tier::Approve)), Some(tool)) => Err(format!(
            "agent `{}` acts under tier `{tier}` and may not use `{tool}` without asking; nor may a child of it",
            from.from
        )),
        _ => Ok(()),
    }
}

/// Returns whether one tier allows more than another.
fn looser(tier: Tier, limit: Tier) -> bool {
    let rank = |tier: Tier| Tier::ALL.iter().position(|known| *known == tier);
    rank(tier) < rank(limit)
}

/// Returns whether an agent above may answer a child's dialog instead of the user.
pub fn may_answer(tier: Option<Tier>) -> bool {
    tier != Some(Tier::Approve)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn from(kind: &str, tier: Option<Tier>) -> Inheritance {
        Inheritance {
            from: "parent".into(),
            kind: Some(kind.into()),
            model: Some("opus".into()),
            tier,
            tools: vec!["Read".into()],
        }
    }

    #[test]
    fn values_missing_in_a_spec_are_inherited() {
        let mut child = Spec::default();
        inherit(&mut child, &from("claude", Some(Tier::Review))).unwrap();
        assert_eq!((child.kind.as_deref(), child.model.as_deref()), (Some("claude"), Some("opus")));
        assert_eq!(child.shell_tier, Some(Tier::Review));
        let mut other = Spec { kind: Some("codex".into()), ..Spec::default() };
        inherit(&mut other, &from("claude", None)).unwrap();
        assert_eq!((other.model, other.shell_tier), (None, None), "a model is of its kind");
        let mut command = Spec { command: vec!["make".into()], ..Spec::default() };
        inherit(&mut command, &from("claude", None)).unwrap();
        assert_eq!(command.kind, None);
    }

    #[test]
    fn a_child_never_acts_more_freely_than_its_parent() {
        use Tier::{Approve, Free, Review};
        for (own, parent, allowed) in [
            (None, None, true),
            (Some(Free), None, true),
            (Some(Free), Some(Free), true),
            (Some(Free), Some(Review), false),
            (Some(Review), Some(Approve), false),
            (Some(Review), Some(Review), true),
            (Some(Approve), Some(Free), true),
        ] {
            let mut child = Spec { shell_tier: own, ..Spec::default() };
            assert_eq!(inherit(&mut child, &from("claude", parent)).is_ok(), allowed, "{own:?} {parent:?}");
        }
    }

    #[test]
    fn a_child_uses_no_tool_without_asking_that_its_parent_has_to_ask_for() {
        use Tier::{Approve, Free, Review};
        for (tools, tier, allowed) in [
            (None, Some(Approve), true),
            (Some(vec!["Read".to_owned()]), Some(Approve), true),
            (Some(vec!["Read".to_owned(), "Bash".to_owned()]), Some(Approve), false),
            (Some(vec!["Bash".to_owned()]), Some(Review), false),
            (Some(vec!["Bash".to_owned()]), Some(Free), true),
            (Some(vec!["Bash".to_owned()]), None, true),
        ] {
            let mut child = Spec { tools: tools.clone(), ..Spec::default() };
            assert_eq!(inherit(&mut child, &from("claude", tier)).is_ok(), allowed, "{tools:?} {tier:?}");
        }
    }

    #[test]
    fn only_a_user_answers_in_the_approve_tier() {
        assert!(may_answer(None) && may_answer(Some(Tier::Review)) && !may_answer(Some(Tier::Approve)));
    }
}
