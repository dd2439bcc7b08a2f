//! The architecture as a test: imports point down only, one adapter owns each external resource, files and types stay
//! small, and files begin with a header comment. The table here is the one in `rfd/0001-terms-and-layers.md`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use regex_lite::Regex;

const ADAPTERS: &[&str] = &[
    "store",
    "ledger",
    "config",
    "specs",
    "tmux",
    "kinds",
    "git",
    "process",
    "transcript",
    "notify",
    "service",
    "share",
    "archive",
    "ssh",
    "env",
];

/// The ways in which users and programs reach the use cases. They share `text`, and never import each other.
const FACES: &[&str] = &["cli", "dashboard", "web", "mcp", "demo"];

/// The files that start another face: its command line.
const FACE_STARTERS: &[(&str, &str)] = &[
    ("cli/dashboard.rs", "dashboard"),
    ("cli/web/serve.rs", "web"),
    ("cli/mcp.rs", "mcp"),
    ("cli/demo_agent.rs", "demo"),
];

/// Returns what a module of the crate may import besides itself, `base` and `failpoint`.
fn may_import(module: &str) -> Option<Vec<&'static str>> {
    let below_verbs = || [&["base", "model", "secrets", "rules", "error"], ADAPTERS].concat();
    Some(match module {
        "base" | "failpoint" => vec![],
        "model" => vec!["base"],
        "secrets" => vec!["model", "base"],
        "rules" => vec!["model", "base", "secrets"],
        adapter if ADAPTERS.contains(&adapter) => vec!["model", "base"],
        "error" | "manager" => [&["manager"], &below_verbs()[..]].concat(),
        // Adapters meet in the manager only; its callers may still use the clock and the terminal.
        "supervisor" => vec!["base", "model", "rules", "error", "manager", "env"],
        "text" => vec!["base", "model", "rules"],
        "bench" => vec!["env", "error", "manager", "transcript"],
        "demo" => vec!["base", "model"],
        face if FACES.contains(&face) => {
            vec!["base", "model", "rules", "text", "error", "manager", "supervisor", "env"]
        }
        _ => return None,
    })
}

/// A mention of another module of this crate.
#[derive(Debug, PartialEq, Eq)]
struct Import {
    line: usize,
    /// The top-level module that is mentioned.
    module: String,
    text: String,
}

#[test]
fn imports_point_down_only() {
    let mut wrong = Vec::new();
    for file in sources() {
        let own = module_path(&file.relative);
        // main.rs and lib.rs connect everything.
        let Some(top) = own.first() else { continue };
        let Some(allowed) = may_import(top) else {
            wrong.push(format!("src/{}: module `{top}` has no place in the layers", file.relative));
            continue;
        };
        for import in imports(&file.text, own.len()) {
            let inside = import.module == *top || ["base", "failpoint"].contains(&import.module.as_str());
            let starts = FACE_STARTERS.contains(&(file.relative.as_str(), import.module.as_str()));
            if !inside && !starts && !allowed.contains(&import.module.as_str()) {
                let Import { line, module, text } = import;
                wrong.push(format!(
                    "src/{}:{line}: `{top}` must not import `{module}`: {text}",
                    file.relative
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}\nsee rfd/0001-terms-and-layers.md", wrong.join("\n"));
}

/// The domains of `manager`, from the lowest to the highest. A domain may import the domains before it.
const DOMAINS: &[&str] = &[
    "registry",
    "supervisor",
    "access",
    "specs",
    "workspace",
    "review",
    "status",
    "checkpoints",
    "delivery",
    "queue",
    "launch",
    "family",
    "lifecycle",
    "restore",
    "tasks",
    "sharing",
    "terminal",
    "comments",
    "removal",
    "messages",
    "taskspaces",
    "hosts",
    "conversations",
    "permissions",
    "dispatch",
    "recaps",
    "finish",
    "groups",
    "handoff",
    "notices",
    "maintenance",
    "web",
    "events",
    "diagnostics",
    "environments",
];

/// Returns the position of a domain; the files of `Context` itself come before all domains.
fn domain_rank(name: &str) -> usize {
    DOMAINS.iter().position(|domain| *domain == name).map_or(0, |rank| rank + 1)
}

#[test]
fn the_architecture_page_lists_the_domains_in_order() {
    let page =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/src/architecture.md"))
            .unwrap();
    let table = page.split_once("| domain | owns |").expect("the page has a table of domains").1;
    let rows: Vec<&str> = table.lines().skip(2).take_while(|line| line.starts_with('|')).collect();
    let names = rows.iter().filter_map(|row| row.split('|').nth(1)).flat_map(|cell| cell.split(','));
    let names: Vec<&str> = names.map(|name| name.trim().trim_matches('`')).collect();
    assert_eq!(names, DOMAINS);
}

#[test]
fn manager_domains_import_lower_domains_only() {
    let grouped = Regex::new(r"crate::manager::\{").unwrap();
    let mut wrong = Vec::new();
    for file in sources() {
        let path = module_path(&file.relative);
        let ["manager", domain, ..] = path.iter().map(String::as_str).collect::<Vec<_>>()[..] else {
            continue;
        };
        // The context of unit tests prepares agents for all domains.
        if domain == "testing" {
            continue;
        }
        for (at, line) in file.text.lines().enumerate() {
            let code = line.split("//").next().unwrap_or_default();
            // A re-export of `manager` would hide the domain.
            if grouped.is_match(code) {
                wrong.push(format!("src/{}:{}: import the item from its own domain", file.relative, at + 1));
            }
        }
        for Import { line, module, .. } in manager_items(&file.text, path.len()) {
            let is_reexport = module.starts_with(char::is_uppercase) && module != "Context";
            if is_reexport {
                wrong.push(format!("src/{}:{line}: import `{module}` from its own domain", file.relative));
            } else if domain_rank(&module) > domain_rank(domain) {
                wrong.push(format!("src/{}:{line}: `{domain}` must not import `{module}`", file.relative));
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}\nsee the table in src/manager/mod.rs", wrong.join("\n"));
}

/// Returns the items of `manager` that a file mentions by their full path or by `super`, if its module lies `depth` below
/// the root of the crate.
fn manager_items(text: &str, depth: usize) -> Vec<Import> {
    let mention = Regex::new(r"crate::manager::(\w+)").unwrap();
    let by_path = text.lines().enumerate().flat_map(|(at, raw)| {
        let code = raw.split("//").next().unwrap_or_default();
        let code = if code.contains("crate::manager::") { code } else { "" };
        let items: Vec<Import> = mention
            .captures_iter(code)
            .map(|item| Import { line: at + 1, module: item[1].to_owned(), text: raw.trim().to_owned() })
            .collect();
        items
    });
    // `super` reaches the module `manager` when its path is one shorter than the one to the root.
    let by_super = imports(text, depth - 1).into_iter().filter(|import| import.text.contains("super::"));
    by_path.chain(by_super).collect()
}

#[test]
fn items_of_manager_are_found_in_every_form() {
    let found = |text: &str| -> Vec<String> {
        manager_items(text, 3).into_iter().map(|import| import.module).collect()
    };
    assert_eq!(found("use super::super::SpawnRequest;"), ["SpawnRequest"]);
    assert_eq!(found("use super::super::workspace::withdraw::RollbackLog;"), ["workspace"]);
    assert_eq!(found("use super::super::{queue, Context};"), ["queue", "Context"]);
    assert_eq!(found("fn f(filter: &crate::manager::TaskFilter) {"), ["TaskFilter"]);
    assert_eq!(found("use super::kill::Kill;\nuse crate::model::Agent;"), [""; 0]);
}

#[test]
fn every_manager_folder_is_in_the_domain_table() {
    let folders: BTreeSet<String> = sources()
        .iter()
        .filter_map(|file| {
            file.relative.strip_prefix("manager/")?.split_once('/').map(|(folder, _)| folder.to_owned())
        })
        .collect();
    let unknown: Vec<_> = folders.iter().filter(|folder| domain_rank(folder) == 0).collect();
    assert!(unknown.is_empty(), "these folders are not in the table of domains: {unknown:?}");
}

#[test]
fn no_folder_holds_more_than_16_files() {
    let mut folders: BTreeMap<String, usize> = BTreeMap::new();
    for file in sources() {
        if let Some((folder, _)) = file.relative.rsplit_once('/') {
            *folders.entry(folder.to_owned()).or_default() += 1;
        }
    }
    folders.retain(|_, files| *files > 16);
    assert!(folders.is_empty(), "group these by domain: {folders:?}");
}

#[test]
fn only_the_tmux_adapter_starts_tmux() {
    let start = Regex::new(r#"Command::new\(\s*"tmux""#).unwrap();
    // A regular expression over a whole file takes milliseconds in a debug build, and most files start no program.
    let starts_tmux = |text: &str| text.contains("Command::new(") && start.is_match(text);
    let wrong = offenders(|file| !file.relative.starts_with("tmux/") && starts_tmux(&file.text));
    assert!(wrong.is_empty(), "these start tmux themselves: {wrong:?}");
}

#[test]
fn rules_and_model_use_no_files_processes_or_sockets() {
    // Addresses are plain data.
    let resource = Regex::new(
        r"\bstd::(fs|process|net::(Tcp|Udp|ToSocketAddrs|\{))|\buse std::\{[^}]*\b(fs|process|net)\b",
    )
    .unwrap();
    let wrong = offenders(|file| {
        let is_pure = ["rules/", "model/"].iter().any(|layer| file.relative.starts_with(layer));
        let code = |line: &str| line.split("//").next().unwrap_or_default().to_owned();
        is_pure && file.text.lines().map(code).any(|line| line.contains("std::") && resource.is_match(&line))
    });
    assert!(wrong.is_empty(), "these are pure, and use a resource of the system: {wrong:?}");
}

#[test]
fn only_code_without_a_context_reads_the_system_clock() {
    // `Context` owns a clock that tests set. These files have no context: the writer of a transcript, and the list of
    // all environments.
    let may_read = ["env/clock.rs", "manager/mod.rs", "manager/environments.rs", "manager/terminal/logs.rs"];
    let wrong =
        offenders(|file| !may_read.contains(&file.relative.as_str()) && file.text.contains("Clock::System"));
    assert!(wrong.is_empty(), "take the time from `Context::now`: {wrong:?}");
}

#[test]
fn no_file_is_longer_than_500_lines() {
    let wrong = offenders(|file| file.text.lines().count() > 500);
    assert!(wrong.is_empty(), "these hold more than one idea: {wrong:?}");
}

/// Maximum number of methods of a type.
const MAX_METHODS: usize = 35;

/// Types that have more methods, with their maximum. Split them by use; these numbers may only become smaller.
const LARGE_TYPES: &[(&str, usize)] = &[
    ("DashboardState", 129),
    ("Tmux", 87),
    ("Error", 63),
    ("Finishing", 64),
    ("Ledger", 47),
    ("Context", 37),
];

#[test]
fn no_type_has_more_than_35_methods() {
    let mut methods: BTreeMap<String, usize> = BTreeMap::new();
    for file in sources() {
        if file.relative.contains("test") {
            continue;
        }
        for (name, count) in methods_of_types(&file.text) {
            // These names exist once for each command.
            let key = match name.as_str() {
                "Arguments" | "Verb" => format!("{name} in src/{}", file.relative),
                _ => name,
            };
            *methods.entry(key).or_default() += count;
        }
    }
    let limit_of = |name: &str| {
        LARGE_TYPES.iter().find(|(large, _)| *large == name).map_or(MAX_METHODS, |(_, limit)| *limit)
    };
    let too_large: Vec<_> = methods.iter().filter(|(name, count)| **count > limit_of(name)).collect();
    assert!(too_large.is_empty(), "split these by use, like the domains of `manager`: {too_large:?}");
    let is_large = |name: &str| methods.get(name).is_some_and(|count| *count > MAX_METHODS);
    let small: Vec<_> = LARGE_TYPES.iter().filter(|(name, _)| !is_large(name)).collect();
    assert!(small.is_empty(), "remove these from the table of large types: {small:?}");
}

/// Returns the number of methods in each inherent `impl` block of a file, without those in inline modules.
fn methods_of_types(text: &str) -> Vec<(String, usize)> {
    let block = Regex::new(r"^impl(?:<[^>]*>)? (\w+)(?:<[^{]*>)? \{$").unwrap();
    let method = Regex::new(r"^    (?:pub(?:\([^)]*\))? )?(?:const )?(?:async )?fn \w").unwrap();
    let mut found: Vec<(String, usize)> = Vec::new();
    let mut is_inside = false;
    // rustfmt puts the members of a block at one level of indentation, so no further parsing is needed.
    for line in text.lines() {
        if line.starts_with("impl") {
            let name = block.captures(line);
            is_inside = name.is_some();
            found.extend(name.map(|name| (name[1].to_owned(), 0)));
        } else if line == "}" {
            is_inside = false;
        } else if is_inside && line.contains("fn ") && method.is_match(line) {
            found.last_mut().unwrap().1 += 1;
        }
    }
    found
}

#[test]
fn methods_are_counted_in_inherent_blocks() {
    let text = "impl<'a> Tasks<'a> {\n    pub(super) fn one(&self) {\n        fn inner() {}\n    }\n\n    \
                const fn two() {}\n}\n\nimpl Clone for Tasks<'_> {\n    fn clone(&self) -> Self {}\n}\n\n\
                mod tests {\n    fn three() {}\n}\n\nimpl Tasks<'_> {\n    fn four() {}\n}\n";
    assert_eq!(methods_of_types(text), [("Tasks".to_owned(), 2), ("Tasks".to_owned(), 1)]);
}

#[test]
fn every_file_starts_with_a_header_comment() {
    let wrong = offenders(|file| !file.text.starts_with("//! "));
    assert!(wrong.is_empty(), "these do not begin with `//! `: {wrong:?}");
}

#[test]
fn a_module_header_lists_the_files_of_its_folder() {
    let files = sources();
    let mut missing = Vec::new();
    for file in &files {
        let (folder, name) = file.relative.rsplit_once('/').unwrap_or(("", &file.relative));
        if !["mod.rs", "lib.rs"].contains(&name) {
            continue;
        }
        let header: Vec<&str> = file.text.lines().take_while(|line| line.starts_with("//!")).collect();
        let header = header.join("\n");
        let below = files.iter().filter_map(|other| match folder {
            "" => Some(&other.relative[..]),
            folder => other.relative.strip_prefix(folder)?.strip_prefix('/'),
        });
        let modules: BTreeSet<&str> =
            below.map(|path| path.split('/').next().unwrap_or(path).trim_end_matches(".rs")).collect();
        let is_for_tests = |name: &str| name.starts_with("test") || folder.contains("tests");
        let unlisted = modules
            .into_iter()
            .filter(|name| !["mod", "lib", "main"].contains(name) && !is_for_tests(name))
            .filter(|name| !header.contains(&format!("`{name}`")));
        missing.extend(unlisted.map(|name| format!("src/{}: `{name}`", file.relative)));
    }
    assert!(missing.is_empty(), "these headers do not list a file of their folder:\n{}", missing.join("\n"));
}

#[test]
fn folders_of_commands_are_named_after_the_domains() {
    let is_domain = |name: &str| domain_rank(name) > 0 || domain_rank(&format!("{name}s")) > 0;
    let unknown: BTreeSet<String> = sources()
        .iter()
        .filter_map(|file| {
            let first = file.relative.strip_prefix("cli/agent/")?.split('/').next()?;
            Some(first.trim_end_matches(".rs").to_owned())
        })
        .filter(|name| name != "mod" && !is_domain(name))
        .collect();
    assert!(unknown.is_empty(), "name these after the domain that they call: {unknown:?}");
}

#[test]
fn no_module_has_a_catch_all_name() {
    let drawers = ["util", "utils", "helper", "helpers", "common", "misc"];
    let wrong =
        offenders(|file| module_path(&file.relative).iter().any(|part| drawers.contains(&part.as_str())));
    assert!(wrong.is_empty(), "name these after their one idea: {wrong:?}");
}

#[test]
fn every_form_of_import_is_recognized() {
    let seen = |text: &str, depth: usize| -> Vec<(usize, String)> {
        imports(text, depth).into_iter().map(|import| (import.line, import.module)).collect()
    };
    for (text, depth, expected) in [
        ("use crate::store::Store;", 2, vec![(1, "store")]),
        ("pub(in crate::cli) fn x() -> crate::tmux::Tmux {", 2, vec![(1, "cli"), (1, "tmux")]),
        (
            "use crate::{\n    model::Agent,\n    tmux::{Tmux, door::open},\n};",
            2,
            vec![(2, "model"), (3, "tmux")],
        ),
        (
            "use crate::{\n    git, store,\n    tmux::{\n        door, model,\n    },\n};\nuse crate::env;",
            2,
            vec![(2, "git"), (2, "store"), (3, "tmux"), (7, "env")],
        ),
        ("use crate::{git, store as s};", 1, vec![(1, "git"), (1, "store")]),
        ("// use crate::store::Store;\n/// [`crate::tmux`]\nlet x = 1; // crate::git", 2, vec![]),
        ("use super::kill;", 2, vec![]),
        ("use super::super::tmux::Tmux;", 2, vec![(1, "tmux")]),
        ("use super::tmux::Tmux;", 1, vec![(1, "tmux")]),
        ("mod tests {\n    use super::super::kill;\n}\nuse super::super::git;", 2, vec![(4, "git")]),
        ("use super::super::{\n    git,\n    model::Agent,\n};", 2, vec![(2, "git"), (3, "model")]),
        ("use symposium::store;", 1, vec![(1, "store")]),
    ] {
        let expected: Vec<_> = expected.into_iter().map(|(line, module)| (line, module.to_owned())).collect();
        assert_eq!(seen(text, depth), expected, "{text}");
    }
}

#[test]
fn the_layer_table_forbids_upward_imports() {
    for (module, forbidden) in [
        ("model", "rules"),
        ("rules", "store"),
        ("store", "tmux"),
        ("kinds", "error"),
        ("specs", "kinds"),
        ("manager", "cli"),
        ("supervisor", "store"),
        ("cli", "tmux"),
        ("cli", "mcp"),
        ("mcp", "cli"),
        ("text", "manager"),
        ("demo", "manager"),
    ] {
        assert!(!may_import(module).unwrap().contains(&forbidden), "{module} may import {forbidden}");
    }
    assert_eq!(may_import("stuff"), None);
}

struct Source {
    /// Path below `src/`.
    relative: String,
    text: String,
}

fn offenders(is_wrong: impl Fn(&Source) -> bool) -> Vec<String> {
    sources().into_iter().filter(|file| is_wrong(file)).map(|file| format!("src/{}", file.relative)).collect()
}

fn sources() -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let (mut found, mut to_visit) = (Vec::new(), vec![root.clone()]);
    while let Some(dir) = to_visit.pop() {
        for path in fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                to_visit.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let relative = path.strip_prefix(&root).unwrap().to_str().unwrap().to_owned();
                found.push(Source { relative, text: fs::read_to_string(&path).unwrap() });
            }
        }
    }
    assert!(!found.is_empty(), "no sources under {}", root.display());
    found.sort_by(|a, b| a.relative.cmp(&b.relative));
    found
}

/// Returns the module path: `cli/kill.rs` is `cli::kill`, `cli/mod.rs` is `cli`, `main.rs` and `lib.rs` are the root.
fn module_path(relative: &str) -> Vec<String> {
    let path = PathBuf::from(relative).with_extension("");
    let mut parts: Vec<String> = path.iter().map(|part| part.to_str().unwrap().to_owned()).collect();
    if parts.last().is_some_and(|last| last == "mod") || matches!(relative, "main.rs" | "lib.rs") {
        parts.pop();
    }
    parts
}

/// Returns the top-level modules of the crate that a file mentions whose module lies `depth` below the root.
fn imports(text: &str, depth: usize) -> Vec<Import> {
    let inline_module = Regex::new(r"^(\s*)(?:pub(?:\([^)]*\))? )?mod \w+ \{\s*$").unwrap();
    let from_root = Regex::new(r"\b(crate|symposium|super(?:::super)*)::(\w+|\{)").unwrap();
    let mut found = Vec::new();
    // rustfmt puts a closing brace at the indentation of its opening line, so no further parsing is needed.
    let mut inside: Vec<String> = Vec::new();
    let mut group: Option<String> = None;
    for (at, raw) in text.lines().enumerate() {
        let line = raw.split("//").next().unwrap_or_default();
        let mut mention = |module: &str| {
            found.push(Import { line: at + 1, module: module.to_owned(), text: raw.trim().to_owned() });
        };
        if let Some(end) = &group {
            if line.starts_with(end.as_str()) {
                group = None;
            } else if line
                .strip_prefix(&end.replace('}', "    "))
                .is_some_and(|member| !member.starts_with(' '))
            {
                top_level(line).into_iter().for_each(&mut mention);
            }
            continue;
        }
        // Regular expressions are slow in a debug build, so only lines with a path or an inline module are matched.
        let line_with = |word: &str| if line.contains(word) { line } else { "" };
        for capture in from_root.captures_iter(line_with("::")) {
            let supers = capture[1].matches("super").count();
            if supers > 0 && supers < depth + inside.len() {
                continue;
            }
            if &capture[2] != "{" {
                mention(&capture[2]);
            } else if let Some((members, _)) = line[capture.get(0).unwrap().end()..].rsplit_once('}') {
                top_level(members).into_iter().for_each(&mut mention);
            } else {
                let indent = &line[..line.len() - line.trim_start().len()];
                group = Some(format!("{indent}}}"));
            }
        }
        if let Some(opened) = inline_module.captures(line_with("mod ")) {
            inside.push(format!("{}}}", &opened[1]));
        } else if inside.last().is_some_and(|end| line.trim_end() == end) {
            inside.pop();
        }
    }
    found
}

/// Returns the first segment of each member of `a::b, c as d, e::{f, g}`.
fn top_level(members: &str) -> Vec<&str> {
    let (mut depth, mut start, mut parts) = (0, 0, Vec::new());
    for (at, c) in members.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&members[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&members[start..]);
    parts
        .into_iter()
        .filter_map(|part| part.trim().split(|c: char| !c.is_alphanumeric() && c != '_').next())
        .filter(|word| !word.is_empty())
        .collect()
}
