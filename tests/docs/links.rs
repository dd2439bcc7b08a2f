//! Links, anchors, the table of contents and the index of decisions. `scripts/docs` runs these tests too.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

use regex_lite::Regex;

use super::{markdown_in, root, text_of};

/// All pages whose links are checked.
fn pages() -> Vec<String> {
    let single = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "vscode-extension/README.md"];
    let single = single.into_iter().map(str::to_owned);
    single.chain(markdown_in("docs/src")).chain(markdown_in("rfd")).collect()
}

/// The text of a page without code blocks.
fn prose(page: &str) -> String {
    let mut inside = false;
    let lines = text_of(page);
    let lines = lines.lines().filter(|line| {
        let fence = line.trim_start().starts_with("```");
        inside ^= fence;
        !fence && !inside
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// The targets of all links and pictures of a page.
fn targets(page: &str) -> Vec<String> {
    let code = Regex::new(r"`[^`\n]*`").expect("a pattern");
    let link = Regex::new(r"\]\(([^)\s]+)\)|<img [^>]*src=.([^ '>\x22]+)").expect("a pattern");
    let text = prose(page);
    let text = code.replace_all(&text, "");
    let found = link
        .captures_iter(&text)
        .filter_map(|found| found.get(1).or_else(|| found.get(2)).map(|m| m.as_str().to_owned()));
    found.collect()
}

/// The anchor of a heading, as GitHub and mdBook build it.
fn anchor(heading: &str) -> String {
    let kept = heading.trim().chars().filter_map(|letter| match letter {
        ' ' => Some('-'),
        '-' | '_' => Some(letter),
        _ if letter.is_alphanumeric() => Some(letter),
        _ => None,
    });
    kept.flat_map(char::to_lowercase).collect()
}

fn anchors(page: &str) -> BTreeSet<String> {
    let text = prose(page);
    text.lines()
        .filter(|line| line.starts_with('#'))
        .map(|line| anchor(line.trim_start_matches('#')))
        .collect()
}

/// A path without `.` and `..`.
fn resolved(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                out.pop();
            }
            Component::CurDir => {}
            other => out.push(other),
        }
    }
    out
}

#[test]
fn every_link_leads_to_a_file_and_heading() {
    let mut broken = Vec::new();
    for page in pages() {
        for target in targets(&page) {
            if target.contains("://") || target.starts_with("mailto:") {
                continue;
            }
            let (file, heading) =
                target.split_once('#').map_or((target.as_str(), None), |(f, h)| (f, Some(h)));
            let base = Path::new(&page).parent().unwrap_or(Path::new(""));
            let path = if file.is_empty() { PathBuf::from(&page) } else { resolved(&base.join(file)) };
            if !root().join(&path).exists() {
                broken.push(format!("{page}: {target}: no such file"));
            } else if let Some(heading) = heading
                && !anchors(&path.to_string_lossy()).contains(heading)
            {
                broken.push(format!("{page}: {target}: no such heading"));
            }
        }
    }
    assert!(broken.is_empty(), "\n{}", broken.join("\n"));
}

#[test]
fn pages_of_the_book_link_only_to_pages_of_the_book() {
    // A link to another file of the repository would be broken in the HTML that mdBook writes.
    for page in markdown_in("docs/src") {
        for target in targets(&page) {
            assert!(!target.starts_with("..") && !target.starts_with('/'), "{page}: {target}");
        }
    }
}

#[test]
fn files_that_the_documentation_names_exist() {
    let path = Regex::new(r"`((?:rfd|schema|docs|scripts)/[A-Za-z0-9_./-]*[A-Za-z0-9_-]|\./scripts/[a-z-]+)")
        .expect("a pattern");
    let mut missing = Vec::new();
    for page in pages() {
        for found in path.captures_iter(&prose(&page)) {
            if !root().join(&found[1]).exists() {
                missing.push(format!("{page}: {}", &found[1]));
            }
        }
    }
    assert!(missing.is_empty(), "\n{}", missing.join("\n"));
}

#[test]
fn the_summary_lists_every_page_once() {
    let mut listed = targets("docs/src/SUMMARY.md");
    listed.sort();
    let pages = markdown_in("docs/src");
    let names = pages.iter().filter_map(|page| page.strip_prefix("docs/src/"));
    let pages: Vec<&str> = names.filter(|name| *name != "SUMMARY.md").collect();
    assert_eq!(listed, pages);
}

#[test]
fn every_decision_has_a_header_and_is_in_the_index() {
    let index = text_of("rfd/README.md");
    let header = Regex::new(r"(?m)\A# (\d{4}): .+\n\n- Date: \d{4}-\d{2}-\d{2}\n- State: (?:proposed|accepted|replaced by \d{4})\n")
        .expect("a pattern");
    for page in markdown_in("rfd") {
        let name = page.trim_start_matches("rfd/");
        if name == "README.md" {
            continue;
        }
        assert!(index.contains(&format!("]({name})")), "rfd/README.md does not list {name}");
        let text = text_of(&page);
        let number = header.captures(&text).map(|found| found[1].to_owned());
        assert_eq!(number.as_deref(), name.get(..4), "{page}: no title, date and state");
    }
}

#[test]
fn references_to_decisions_in_the_source_name_existing_files() {
    let reference = Regex::new(r"rfd/(\d{4})(-[a-z0-9-]+\.md)?").expect("a pattern");
    let decisions = markdown_in("rfd");
    let mut wrong = Vec::new();
    let mut directories = vec![root().join("src"), root().join("tests")];
    while let Some(directory) = directories.pop() {
        for entry in std::fs::read_dir(&directory).expect("a directory") {
            let path = entry.expect("a directory entry").path();
            if path.is_dir() {
                if path.file_name().is_none_or(|name| name != "node_modules") {
                    directories.push(path);
                }
            } else if path.extension().is_some_and(|ending| ending == "rs" || ending == "toml") {
                let text = std::fs::read_to_string(&path).unwrap_or_default();
                if !text.contains("rfd/") {
                    continue;
                }
                for found in reference.captures_iter(&text) {
                    let exists = match found.get(2) {
                        Some(_) => decisions.contains(&found[0].to_owned()),
                        None => decisions.iter().any(|page| page.starts_with(&found[0])),
                    };
                    if !exists {
                        wrong.push(format!("{}: {}", path.display(), &found[0]));
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn source_files_named_in_the_documentation_exist() {
    let file = Regex::new(r"`(?:src/)?([a-z_]+/[a-z_/]+\.(?:rs|toml))`").expect("a pattern");
    let is_top_level = |path: &str| {
        path.split('/').next().is_some_and(|top| root().join("src").join(top).is_dir() || top == "src")
    };
    let mut missing = Vec::new();
    for page in pages() {
        let text = prose(&page);
        for named in file.captures_iter(&text).map(|found| found[1].to_owned()) {
            let exists = root().join("src").join(&named).exists() || root().join(&named).exists();
            if is_top_level(&named) && !exists {
                missing.push(format!("{page}: {named}"));
            }
        }
    }
    assert!(missing.is_empty(), "these files do not exist:\n{}", missing.join("\n"));
}
