//! The language of the source code (see `docs/src/glossary.md`). Each rule has a number of remaining offences that may only
//! shrink: lower it when you rewrite a file.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use regex_lite::Regex;

/// Lines in `src` that speak of unnamed people where a component should be named.
const UNNAMED_PEOPLE: usize = 33;
/// Doc comments of fewer than three words.
const SHORT_DOC_COMMENTS: usize = 14;
/// Type names that are defined more than once. `Arguments`, `Verb` and associated types such as `Err` do not count.
const REPEATED_TYPE_NAMES: usize = 132;
/// Constants whose name does not say what they bound.
const VAGUE_CONSTANTS: usize = 3;

#[test]
fn components_are_named_instead_of_people() {
    let people = Regex::new(r"(?i)\b(nobody|somebody|whoever|whomever)\b").unwrap();
    let found = lines().filter(|line| people.is_match(&line.text)).collect::<Vec<_>>();
    check("lines that name people", found, UNNAMED_PEOPLE);
}

#[test]
fn doc_comments_are_sentences() {
    let found = lines()
        .filter(|line| {
            let text = line.text.trim_start();
            text.strip_prefix("/// ").is_some_and(|words| words.split_whitespace().count() < 3)
                && !line.is_within_comment
        })
        .collect::<Vec<_>>();
    check("doc comments of one or two words", found, SHORT_DOC_COMMENTS);
}

#[test]
fn a_type_name_exists_once() {
    let definition = Regex::new(r"^(?:pub(?:\([^)]*\))? )?(?:struct|enum|trait|type) ([A-Z]\w*)").unwrap();
    let mut names: BTreeMap<String, Vec<Line>> = BTreeMap::new();
    for line in lines().filter(|line| !line.path.contains("tests")) {
        if let Some(found) = definition.captures(&line.text) {
            names.entry(found[1].to_owned()).or_default().push(line);
        }
    }
    let is_grammar = |name: &str| ["Arguments", "Verb"].contains(&name);
    let found = names.into_iter().filter(|(name, lines)| lines.len() > 1 && !is_grammar(name));
    check(
        "type names that exist twice",
        found.flat_map(|(_, lines)| lines.into_iter().skip(1)).collect(),
        REPEATED_TYPE_NAMES,
    );
}

#[test]
fn constants_say_what_they_bound() {
    let vague =
        Regex::new(r"\bconst (PATIENCE|LONGEST|MOST|GRACE|SELDOM|ENOUGH|BETWEEN_LOOKS|FOR_EVER)\b").unwrap();
    check(
        "constants with vague names",
        lines().filter(|line| vague.is_match(&line.text)).collect(),
        VAGUE_CONSTANTS,
    );
}

/// One line of a source file.
#[derive(Debug)]
struct Line {
    path: String,
    number: usize,
    text: String,
    /// Whether the line before or after it is a doc comment too.
    is_within_comment: bool,
}

fn check(what: &str, found: Vec<Line>, allowed: usize) {
    let shown: Vec<String> =
        found.iter().map(|line| format!("src/{}:{}: {}", line.path, line.number, line.text.trim())).collect();
    assert!(
        found.len() <= allowed,
        "{} {what}, at most {allowed} are allowed:\n{}",
        found.len(),
        shown.join("\n")
    );
}

fn lines() -> impl Iterator<Item = Line> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let (mut found, mut to_visit) = (Vec::new(), vec![root.clone()]);
    while let Some(dir) = to_visit.pop() {
        for path in fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                to_visit.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                found.push(path);
            }
        }
    }
    found.sort();
    found.into_iter().flat_map(move |path| {
        let relative = path.strip_prefix(&root).unwrap().to_str().unwrap().to_owned();
        let text = fs::read_to_string(&path).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        let is_doc = |at: usize| lines.get(at).is_some_and(|line| line.trim_start().starts_with("///"));
        (0..lines.len())
            .map(|at| Line {
                path: relative.clone(),
                number: at + 1,
                text: lines[at].to_owned(),
                is_within_comment: (at > 0 && is_doc(at - 1)) || is_doc(at + 1),
            })
            .collect::<Vec<_>>()
    })
}
