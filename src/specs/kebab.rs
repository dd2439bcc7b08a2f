//! Derives the name of a spec from the name of its folder: `WeatherAssistant` becomes `weather-assistant`.

/// Converts a name to kebab case. Characters that are not allowed in names become `-`.
pub(super) fn case(name: &str) -> String {
    let chars: Vec<char> = name.chars().collect();
    let mut kebab = String::new();
    for (at, c) in chars.iter().enumerate() {
        if !c.is_ascii_alphanumeric() {
            separate(&mut kebab);
            continue;
        }
        let before = at.checked_sub(1).and_then(|at| chars.get(at));
        let after = chars.get(at + 1);
        // A capital begins a word after a lower-case letter, and at the end of a run of capitals: `HTTPServer`.
        let begins = before.is_some_and(|c| c.is_ascii_lowercase() || c.is_ascii_digit())
            || before.is_some_and(char::is_ascii_uppercase) && after.is_some_and(char::is_ascii_lowercase);
        if c.is_ascii_uppercase() && begins {
            separate(&mut kebab);
        }
        kebab.push(c.to_ascii_lowercase());
    }
    kebab.trim_end_matches('-').to_owned()
}

fn separate(kebab: &mut String) {
    if !kebab.is_empty() && !kebab.ends_with('-') {
        kebab.push('-');
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::model::AgentName;

    #[test]
    fn words_are_classified() {
        for (name, kebab) in [
            ("WeatherAssistant", "weather-assistant"),
            ("weather_assistant", "weather-assistant"),
            ("HTTPServer2Go", "http-server2-go"),
            ("My  Agent", "my-agent"),
            ("reviewer", "reviewer"),
            ("_x_", "x"),
            ("日本", ""),
        ] {
            assert_eq!(case(name), kebab, "{name}");
        }
    }

    proptest! {
        #[test]
        fn kebab_case_yields_a_valid_name_or_nothing(name in any::<String>()) {
            let kebab = case(&name);
            prop_assert!(kebab.is_empty() || kebab.len() > 63 || kebab.parse::<AgentName>().is_ok());
        }
    }
}
