//! Formats counts for sentences: "1 agent", "2 agents".

use std::fmt::Display;

/// Formats a number with the singular or plural noun: `counted(1, "agent", "agents")` is "1 agent".
pub fn counted<N: Display + PartialEq + From<u8>>(number: N, singular: &str, plural: &str) -> String {
    let noun = if number == N::from(1) { singular } else { plural };
    format!("{number} {noun}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_singular_and_all_else_plural() {
        let agents = |number: usize| counted(number, "agent", "agents");
        assert_eq!([agents(0), agents(1), agents(2)], ["0 agents", "1 agent", "2 agents"]);
    }
}
