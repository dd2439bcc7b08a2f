//! The recipes of `CONTRIBUTING.md`: a new command and a new stored field touch at most four source files, and the files
//! are those that the recipe names.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use regex_lite::Regex;

/// Maximum number of source files that a recipe may name.
const MAX_SOURCE_FILES: usize = 4;

#[test]
fn a_command_is_known_to_at_most_four_source_files() {
    let recipe = recipe("### Add a command");
    let named = source_files_in(&recipe);
    // The files of a command have its name; other files know them as a module.
    let module = Regex::new(r"\binterrupt(::|;)").unwrap();
    let known = sources(|path, text| path.ends_with("/interrupt.rs") || module.is_match(text));
    assert_eq!(known, named, "the recipe names other files than those that know `agent interrupt`");
    assert!(known.len() <= MAX_SOURCE_FILES, "{known:?}");
}

#[test]
fn a_stored_field_is_known_to_at_most_four_source_files() {
    let recipe = recipe("### Add a stored field");
    let field = Regex::new(r"\blast_detached\b").unwrap();
    let known = sources(|_, text| field.is_match(text));
    let named = source_files_in(&recipe);
    assert!(known.is_subset(&named), "the recipe does not name {:?}", known.difference(&named));
    assert!(known.len() <= MAX_SOURCE_FILES, "{known:?}");
}

#[test]
fn only_its_constructor_writes_out_a_whole_record() {
    // A literal with all fields has this one too, which no use case sets to `None`.
    let field = Regex::new(r"\blast_detached: None,").unwrap();
    let known: Vec<String> = all_sources(|_, text| field.is_match(text)).into_iter().collect();
    assert_eq!(known, ["src/model/agent/record.rs"], "use `..AgentRecord::new(…)`");
}

/// Returns the numbered steps of a recipe.
fn recipe(heading: &str) -> String {
    let text = fs::read_to_string(root().join("CONTRIBUTING.md")).unwrap();
    let (_, below) = text.split_once(heading).unwrap_or_else(|| panic!("no {heading}"));
    let section = below.split("\n### ").next().unwrap_or_default();
    let is_step = |line: &&str| line.starts_with(|first: char| first.is_ascii_digit());
    section.lines().filter(is_step).collect::<Vec<_>>().join("\n")
}

/// Returns the source files that a text names.
fn source_files_in(text: &str) -> BTreeSet<String> {
    let path = Regex::new(r"`(src/[\w/]+\.rs)`").unwrap();
    let named: BTreeSet<String> = path.captures_iter(text).map(|found| found[1].to_owned()).collect();
    for path in &named {
        assert!(root().join(path).exists(), "{path} does not exist");
    }
    named
}

/// Returns the source files that satisfy a condition on their path and code, without files of tests.
fn sources(is_wanted: impl Fn(&str, &str) -> bool) -> BTreeSet<String> {
    let is_test = |path: &str| path.contains("/tests/") || path.ends_with("/tests.rs");
    all_sources(|path, text| !is_test(path) && is_wanted(path, text))
}

/// Returns the source files that satisfy a condition on their path and code. Comments are not part of the code.
fn all_sources(is_wanted: impl Fn(&str, &str) -> bool) -> BTreeSet<String> {
    let (mut found, mut to_visit) = (BTreeSet::new(), vec![root().join("src")]);
    while let Some(dir) = to_visit.pop() {
        for path in fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                to_visit.push(path);
                continue;
            }
            let relative = path.strip_prefix(root()).unwrap().to_str().unwrap().to_owned();
            let text = fs::read_to_string(&path).unwrap_or_default();
            let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
            if relative.ends_with(".rs") && is_wanted(&relative, &code.collect::<Vec<_>>().join("\n")) {
                found.insert(relative);
            }
        }
    }
    found
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}
