//! The effects of a project's specs, about which the user decides.

use super::fit::clean;
use crate::model::{TrustReview, TrustState};

/// Describes what the specs of a project make this machine do.
pub fn trust_text(review: &TrustReview) -> String {
    let state = match review.state {
        TrustState::Trusted => "are trusted",
        TrustState::Changed => "changed since you trusted them",
        TrustState::Untrusted => "are not trusted",
    };
    let mut text = format!("the specs of {} {state}\n", clean(&review.project));
    for spec in &review.specs {
        let name = match &spec.name {
            Some(name) => format!("spec `{}`", clean(name)),
            None => "every kind, by `[defaults]`,".to_owned(),
        };
        text.push_str(&format!("{name}\n"));
        for effect in &spec.effects {
            text.push_str(&format!("  {}\n", clean(effect)));
        }
    }
    text.trim_end().to_owned()
}
