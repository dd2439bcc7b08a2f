//! Patterns for paths below a project, with the shell wildcards `*` and `?`. Does not access the file system.

use std::path::{Component, Path};

/// Returns what is wrong with a pattern, as a phrase that follows the pattern in an error message.
pub fn bad_pattern(text: &str) -> Option<&'static str> {
    let stays =
        Path::new(text).components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    if steps(text).next().is_none() || text.contains('\0') || !stays {
        return Some("must be a path below the project, without `..`");
    }
    if text.contains("**") {
        return Some("cannot have `**`; allowed: `*` and `?` in each name of the path");
    }
    steps(text).any(is_git_dir).then_some("belongs to git, and each worktree has its own")
}

/// Returns the path components of a pattern.
pub fn steps(pattern: &str) -> impl Iterator<Item = &str> {
    pattern.split('/').filter(|step| !step.is_empty() && *step != ".")
}

/// Returns whether a path component contains wildcards.
pub fn is_pattern(step: &str) -> bool {
    step.contains(['*', '?'])
}

/// Returns whether a name is reserved for git. The comparison ignores case, because some file systems do.
pub fn is_git_dir(name: &str) -> bool {
    name.eq_ignore_ascii_case(".git")
}

/// Returns whether a name matches one component of a pattern. Wildcards do not match a leading dot.
pub fn matches(step: &str, name: &str) -> bool {
    if name.starts_with('.') && !step.starts_with('.') {
        return false;
    }
    let (step, name): (Vec<char>, Vec<char>) = (step.chars().collect(), name.chars().collect());
    // The position to resume at when the text after the last `*` does not match: one character further on in the name.
    let (mut at, mut seen, mut again) = (0, 0, None);
    while seen < name.len() {
        match step.get(at) {
            Some('*') => {
                again = Some((at + 1, seen));
                at += 1;
            }
            Some(c) if *c == '?' || *c == name[seen] => (at, seen) = (at + 1, seen + 1),
            _ => match again {
                Some((after, from)) => {
                    again = Some((after, from + 1));
                    (at, seen) = (after, from + 1);
                }
                None => return false,
            },
        }
    }
    step[at..].iter().all(|c| *c == '*')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn patterns_match_like_in_a_shell() {
        for (step, name, is_met) in [
            (".env*", ".env", true),
            (".env*", ".env.local", true),
            (".env*", "env", false),
            ("*.local", "db.local", true),
            ("*.local", ".local", false),
            ("*", ".git", false),
            ("?*", "ü", true),
            ("a?c", "abc", true),
            ("a?c", "ac", false),
            ("a*b*c", "a-b-b-c", true),
            ("a*b*c", "a-c-b", false),
            ("[id].ts", "[id].ts", true),
            ("[id].ts", "i.ts", false),
            ("", "", true),
        ] {
            assert_eq!(matches(step, name), is_met, "{step} {name}");
        }
    }

    #[test]
    fn paths_outside_or_inside_git_are_reported() {
        for good in [".env", "./.env", "config/*.local", "a//b", "packages/*/.env?", ".github", "[id]"] {
            assert_eq!(bad_pattern(good), None, "{good}");
        }
        for bad in ["", ".", "..", "a/../b", "/etc/*", "**/.env", ".git", "sub/.GIT/config", "a\0"] {
            assert!(bad_pattern(bad).is_some(), "{bad:?}");
        }
    }

    proptest! {
        #[test]
        fn pattern_with_wildcards_matches_the_name(name in "[a-c.]{1,8}", from in 0usize..8, until in 0usize..8) {
            let (from, until) = (from.min(name.len()), until.min(name.len()));
            let (from, until) = (from.min(until).max(1), from.max(until).max(1));
            let step = format!("{}*{}", &name[..from], &name[until..]);
            prop_assert!(matches(&step, &name), "{} {}", step, name);
        }

        #[test]
        fn many_stars_take_no_time(stars in 1usize..40) {
            let step = "*a".repeat(stars) + "b";
            prop_assert!(!matches(&step, &"a".repeat(200)));
        }
    }
}
