//! The language of the source code (see `docs/src/glossary.md`): rules for names and comments that a machine can check.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use regex_lite::Regex;

/// Type names that every command defines for itself, because the module gives them their meaning.
const REPEATED_BY_DESIGN: [&str; 2] = ["Arguments", "Verb"];

/// Words that are questions, participles or metaphors. A type name or a file name is a noun for its content.
const NOT_NOUNS: [&str; 56] = [
    "afresh",
    "again",
    "apart",
    "asked",
    "asking",
    "beaten",
    "carried",
    "chosen",
    "coming",
    "deed",
    "desk",
    "door",
    "errand",
    "far",
    "found",
    "given",
    "glance",
    "gone",
    "happening",
    "heard",
    "heed",
    "how",
    "insisting",
    "kept",
    "known",
    "left",
    "look",
    "looking",
    "news",
    "one",
    "parcel",
    "place",
    "said",
    "seat",
    "seen",
    "shown",
    "showing",
    "spoken",
    "survey",
    "taken",
    "talk",
    "teller",
    "telling",
    "told",
    "unheard",
    "wanted",
    "wants",
    "way",
    "what",
    "where",
    "who",
    "whom",
    "wish",
    "wishes",
    "writ",
    "wrong",
];

/// Words that do not say what a value holds. No name in the source code contains them.
const VAGUE_WORDS: [&str; 27] = [
    "anew",
    "deed",
    "desk",
    "door",
    "doors",
    "errand",
    "happening",
    "happenings",
    "heard",
    "keeper",
    "news",
    "nobody",
    "parcel",
    "rhythm",
    "said",
    "somebody",
    "strangers",
    "teller",
    "telling",
    "told",
    "unborn",
    "unheard",
    "unsaid",
    "untold",
    "whither",
    "whom",
    "wish",
];

/// Public error codes that contain a word which is avoided elsewhere.
const PUBLIC_CODES: [&str; 2] = ["nobody-there", "nobody-to-do"];

#[test]
fn components_are_named_instead_of_people() {
    let people = ["nobody", "somebody", "whoever", "whomever"];
    check(
        "lines that name people instead of components",
        lines().filter(|line| {
            let text = PUBLIC_CODES.iter().fold(line.text.clone(), |text, code| text.replace(code, ""));
            words_in(&text).any(|word| people.iter().any(|name| word.eq_ignore_ascii_case(name)))
        }),
    );
}

#[test]
fn pages_and_scripts_name_components_instead_of_people() {
    let people = Regex::new(r"(?i)\b(nobody|somebody|whoever|whomever)\b").unwrap();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    for path in pages_and_scripts(root) {
        let text = fs::read_to_string(&path).unwrap();
        for (at, line) in text.lines().enumerate() {
            let line = PUBLIC_CODES.iter().fold(line.to_owned(), |line, code| line.replace(code, ""));
            if people.is_match(&line) {
                found.push(format!("{}:{}: {}", path.display(), at + 1, line.trim()));
            }
        }
    }
    assert!(found.is_empty(), "lines that name people instead of components:\n{}", found.join("\n"));
}

#[test]
fn doc_comments_are_sentences() {
    let found = lines().filter(|line| {
        let text = line.text.trim_start();
        text.strip_prefix("/// ").is_some_and(|words| words.split_whitespace().count() < 3)
            && !line.is_within_comment
    });
    check("doc comments of one or two words", found);
}

#[test]
fn a_type_name_exists_once() {
    let mut names: BTreeMap<String, Vec<Line>> = BTreeMap::new();
    for (name, line) in types() {
        names.entry(name).or_default().push(line);
    }
    let repeated = names
        .into_iter()
        .filter(|(name, lines)| lines.len() > 1 && !REPEATED_BY_DESIGN.contains(&name.as_str()));
    check("type names that exist twice", repeated.flat_map(|(_, lines)| lines));
}

#[test]
fn an_exported_type_of_the_extension_exists_once() {
    let definition = Regex::new(r"(?m)^export (?:interface|class|type|enum) (\w+)").unwrap();
    let mut names: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
    for path in pages_and_scripts(Path::new(env!("CARGO_MANIFEST_DIR"))) {
        if path.extension().is_some_and(|extension| extension == "ts")
            && !path.iter().any(|part| part == "web")
        {
            for found in definition.captures_iter(&fs::read_to_string(&path).unwrap()) {
                names.entry(found[1].to_owned()).or_default().push(path.clone());
            }
        }
    }
    names.retain(|_, paths| paths.len() > 1);
    assert!(names.is_empty(), "types that are defined twice: {names:?}");
}

#[test]
fn types_are_nouns() {
    let found = types().filter(|(name, _)| NOT_NOUNS.contains(&name.to_lowercase().as_str()));
    check("types that are questions or participles", found.map(|(_, line)| line));
}

#[test]
fn constants_say_what_they_bound() {
    let vague = Regex::new(
        r"\b(?:const|static) (PATIENCE|LONGEST|SHORTEST|MOST|LEAST|BIGGEST|LARGEST|DEEPEST|GRACE|SELDOM|OFTEN|SOON|ENOUGH|LOOK|LOOKS|BOUND|BETWEEN_LOOKS|FOR_EVER|ALWAYS|TOLD|HEARD|KNOWN|WHO|WHERE|SECOND_LOOK|LATE|LATELY|SILENT|AT_A_TIME|AT_WORK|AT_FIRST|ASKING|LEAVING|LAST_WORDS|HELD|ALIVE|SHOWN|PIECE|CANNOT|USUAL|OURS|FAR|MADE_ROOM|SIGN_OF_LIFE|LATENCY|MOST_\w+|LONGEST_\w+|SHORTEST_\w+|BIGGEST_\w+|LARGEST_\w+)\b",
    )
    .unwrap();
    let constants = lines().filter(|line| line.text.contains("const "));
    check("constants with vague names", constants.filter(|line| vague.is_match(&line.text)));
}

#[test]
fn names_say_what_a_value_holds() {
    let vague: BTreeSet<&str> = VAGUE_WORDS.into();
    let found = files().into_iter().flat_map(|path| {
        let code = without_texts(&read(&path));
        let lines = code.lines().enumerate();
        let names = lines.flat_map(|(at, line)| {
            let names = names_in(line).filter(|name| name.split('_').any(|part| vague.contains(part)));
            names.map(|name| format!("src/{path}:{}: {name}", at + 1)).collect::<Vec<_>>()
        });
        names.collect::<Vec<_>>()
    });
    let found: Vec<String> = found.collect();
    assert!(found.is_empty(), "{} names with vague words:\n{}", found.len(), found.join("\n"));
}

#[test]
fn names_in_the_glossary_exist() {
    let glossary =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/src/glossary.md")).unwrap();
    let source: String = files().iter().map(|path| read(path)).collect();
    let names: BTreeSet<&str> = words_in(&source).collect();
    let quoted = Regex::new("`([^`]+)`").unwrap();
    let missing: Vec<&str> = glossary
        .lines()
        .filter_map(|row| row.strip_prefix("| ")?.split(" | ").nth(2))
        .flat_map(|cell| quoted.captures_iter(cell).filter_map(|found| Some(found.get(1)?.as_str())))
        .filter(|name| !names.contains(name))
        .collect();
    assert!(missing.is_empty(), "names of the glossary that the source code lacks: {missing:?}");
}

#[test]
fn texts_and_comments_are_no_names() {
    let code = "let a = \"told \\\" said\"; // told\nlet c = '\"'; let b = r#\"told \" said\"#;";
    assert_eq!(without_texts(code), "let a = ; \nlet c = ; let b = ;");
    let code = "fn f<'a>(b: &'a u8) { br\"x\ny\"; '\\''; b'\\u{7f}'; '\\u{7f}'; \"\\\\\"; told / 2 }";
    assert_eq!(without_texts(code), "fn f<'a>(b: &'a u8) { \n; ; ; ; ; told / 2 }");
    assert_eq!(names_in("Told told_at(x2) A_B é").collect::<Vec<_>>(), ["told_at", "x2"]);
}

#[test]
fn files_are_named_after_their_content() {
    let found: Vec<String> = files()
        .into_iter()
        .filter(|path| {
            Path::new(path)
                .components()
                .filter_map(|part| Path::new(part.as_os_str()).file_stem()?.to_str())
                .any(|stem| NOT_NOUNS.contains(&stem))
        })
        .collect();
    assert!(found.is_empty(), "files with vague names:\n{}", found.join("\n"));
}

/// Returns README, the pages of the book and the TypeScript sources. Recorded program output is no text of the project.
fn pages_and_scripts(root: &Path) -> Vec<PathBuf> {
    let (mut found, mut to_visit) = (vec![root.join("README.md")], Vec::new());
    to_visit.extend(["docs", "vscode-extension/src", "web/src"].map(|folder| root.join(folder)));
    while let Some(dir) = to_visit.pop() {
        for path in fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() && !path.ends_with("golden") {
                to_visit.push(path);
            } else if path.extension().is_some_and(|extension| extension == "md" || extension == "ts") {
                found.push(path);
            }
        }
    }
    found
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

fn check(what: &str, found: impl Iterator<Item = Line>) {
    let shown: Vec<String> =
        found.map(|line| format!("src/{}:{}: {}", line.path, line.number, line.text.trim())).collect();
    assert!(shown.is_empty(), "{} {what}:\n{}", shown.len(), shown.join("\n"));
}

/// Returns the definitions of types outside of tests. Associated types such as `Err` are not definitions.
fn types() -> impl Iterator<Item = (String, Line)> {
    let definition = Regex::new(r"^(?:pub(?:\([^)]*\))? )?(?:struct|enum|trait|type) ([A-Z]\w*)").unwrap();
    let is_definition =
        |line: &Line| ["struct ", "enum ", "trait ", "type "].iter().any(|word| line.text.contains(word));
    lines().filter(move |line| !line.path.contains("tests") && is_definition(line)).filter_map(move |line| {
        let name = definition.captures(&line.text)?[1].to_owned();
        Some((name, line))
    })
}

/// Returns the source files, relative to `src`.
fn files() -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let (mut found, mut to_visit) = (Vec::new(), vec![root.clone()]);
    while let Some(dir) = to_visit.pop() {
        for path in fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                to_visit.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                found.push(path.strip_prefix(&root).unwrap().to_str().unwrap().to_owned());
            }
        }
    }
    found.sort();
    found
}

fn read(path: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(path)).unwrap()
}

/// Returns the names of variables, functions, fields and modules in a line of code. Types begin with a capital letter.
fn names_in(line: &str) -> impl Iterator<Item = &str> {
    let is_lower = |name: &&str| {
        name.starts_with(|c: char| c.is_ascii_lowercase())
            && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
    };
    words_in(line).filter(is_lower)
}

/// Returns the words of a text: letters, digits and underscores.
fn words_in(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}

/// Removes string literals, character literals and comments. Line breaks are kept, so that line numbers stay valid. A
/// regular expression takes seconds for all source files.
fn without_texts(code: &str) -> String {
    let (mut rest, mut left) = (code, String::with_capacity(code.len()));
    while let Some(at) = rest.find(['/', 'b', 'r', '"', '\'']) {
        left.push_str(&rest[..at]);
        rest = &rest[at..];
        match text_length(rest) {
            Some(length) => {
                left.extend(rest[..length].matches('\n'));
                rest = &rest[length..];
            }
            None => {
                left.push_str(&rest[..1]);
                rest = &rest[1..];
            }
        }
    }
    left + rest
}

/// Returns the length of the literal or comment that the code begins with, if it begins with one.
fn text_length(code: &str) -> Option<usize> {
    if code.starts_with("//") {
        return Some(code.find('\n').unwrap_or(code.len()));
    }
    let literal = code.strip_prefix('b').unwrap_or(code);
    let before = code.len() - literal.len();
    let length = if let Some(raw) = literal.strip_prefix("r#\"") {
        raw.find("\"#").map(|end| end + 5)
    } else if let Some(raw) = literal.strip_prefix("r\"") {
        raw.find('"').map(|end| end + 3)
    } else if let Some(text) = literal.strip_prefix('"') {
        closing_quote(text, '"').map(|end| end + 2)
    } else if let Some(text) = literal.strip_prefix('\'') {
        // A lifetime has no second quote after one character.
        let mut chars = text.chars();
        match chars.next()? {
            '\\' => closing_quote(text, '\'').map(|end| end + 2),
            '\'' | '\n' => None,
            one => (chars.next() == Some('\'')).then(|| one.len_utf8() + 2),
        }
    } else {
        None
    };
    length.map(|length| before + length)
}

/// Returns the position of the first quote that is not escaped.
fn closing_quote(text: &str, quote: char) -> Option<usize> {
    let mut is_escaped = false;
    text.char_indices().find_map(|(at, c)| {
        let is_end = c == quote && !is_escaped;
        is_escaped = c == '\\' && !is_escaped;
        is_end.then_some(at)
    })
}

fn lines() -> impl Iterator<Item = Line> {
    files().into_iter().flat_map(|path| {
        let text = read(&path);
        let lines: Vec<&str> = text.lines().collect();
        let is_doc = |at: usize| lines.get(at).is_some_and(|line| line.trim_start().starts_with("///"));
        (0..lines.len())
            .map(|at| Line {
                path: path.clone(),
                number: at + 1,
                text: lines[at].to_owned(),
                is_within_comment: (at > 0 && is_doc(at - 1)) || is_doc(at + 1),
            })
            .collect::<Vec<_>>()
    })
}
