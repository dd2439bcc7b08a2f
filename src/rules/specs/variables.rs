//! Environment variables that an agent needs and that a later shell may lack. Only their names are inspected.

use crate::model::AgentName;

/// Words in a variable's name that mark a credential.
const CREDENTIAL_WORDS: [&str; 9] =
    ["KEY", "APIKEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD", "CREDENTIAL", "CREDENTIALS", "PAT"];

/// Prefixes of variables that configure a model provider.
const PROVIDER_PREFIXES: [&str; 9] = [
    "ANTHROPIC_",
    "AWS_",
    "AZURE_OPENAI_",
    "GEMINI_",
    "GOOGLE_",
    "OLLAMA_",
    "OPENAI_",
    "OPENROUTER_",
    "AIDER_",
];

/// Other variables that decide whether an agent CLI is logged in or reaches its provider.
const OTHERS: [&str; 10] = [
    "CLAUDE_CONFIG_DIR",
    "CLAUDE_CODE_USE_BEDROCK",
    "CLAUDE_CODE_USE_VERTEX",
    "CODEX_HOME",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "NO_PROXY",
    "NODE_EXTRA_CA_CERTS",
    "SSL_CERT_FILE",
];

/// Returns whether an agent may fail without the variable of this name.
pub fn is_needed(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    name.split('_').any(|word| CREDENTIAL_WORDS.contains(&word))
        || PROVIDER_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
        || OTHERS.contains(&name.as_str())
}

/// Returns one sentence for each variable that agents had at spawn and that this shell lacks.
pub fn warnings(lacking: &[(AgentName, Vec<String>)]) -> Vec<String> {
    let mut names: Vec<&String> = lacking.iter().flat_map(|(_, names)| names).collect();
    names.sort();
    names.dedup();
    let sentence = |name: &String| {
        let agents: Vec<&str> = lacking
            .iter()
            .filter(|(_, names)| names.contains(name))
            .map(|(agent, _)| agent.as_str())
            .collect();
        match agents[..] {
            [agent] => format!("agent `{agent}` had {name} when it was spawned, this shell does not"),
            _ => format!(
                "{} agents had {name} when they were spawned, this shell does not: {}",
                agents.len(),
                agents.join(", ")
            ),
        }
    };
    names.into_iter().map(sentence).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_and_provider_settings_are_needed() {
        for name in [
            "ANTHROPIC_API_KEY",
            "GITHUB_TOKEN",
            "ANTHROPIC_BASE_URL",
            "AWS_PROFILE",
            "https_proxy",
            "DB_PASSWORD",
        ] {
            assert!(is_needed(name), "{name}");
        }
        for name in
            ["PATH", "HOME", "LANG", "XDG_RUNTIME_DIR", "KEYMAP", "SSH_AUTH_SOCK", "EDITOR", "DISPLAY"]
        {
            assert!(!is_needed(name), "{name}");
        }
    }

    #[test]
    fn agents_that_lack_the_same_variable_are_counted() {
        let name = |text: &str| text.parse::<AgentName>().unwrap();
        let lacking = [
            (name("a"), vec!["API_KEY".to_owned()]),
            (name("b"), vec!["API_KEY".to_owned(), "X_TOKEN".to_owned()]),
        ];
        assert_eq!(
            warnings(&lacking),
            [
                "2 agents had API_KEY when they were spawned, this shell does not: a, b",
                "agent `b` had X_TOKEN when it was spawned, this shell does not",
            ]
        );
    }
}
