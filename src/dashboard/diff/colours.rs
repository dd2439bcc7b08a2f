//! The words of a line by their meaning, from the syntax definitions of syntect. The definitions are loaded when the
//! first file is shown, in the thread of a worker.

use std::ops::Range;
use std::path::Path;
use std::sync::LazyLock;

use syntect::parsing::{ParseState, Scope, ScopeStack, SyntaxReference, SyntaxSet};

use crate::dashboard::diff::patch::{DiffLine, LineKind};

/// Maximum number of lines of a file that get colours. More would take seconds.
const MAX_COLOURED_LINES: usize = 3000;

/// Maximum length of a coloured line in bytes. Longer lines are data or generated code.
const MAX_COLOURED_BYTES: usize = 400;

/// The meaning of a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Token {
    Comment,
    Text,
    Number,
    Keyword,
    Type,
    Function,
}

/// The words of a line that have a colour, as ranges of bytes.
pub(crate) type Colouring = Vec<(Range<usize>, Token)>;

static SYNTAXES: LazyLock<SyntaxSet> = LazyLock::new(SyntaxSet::load_defaults_newlines);

/// The tokens of scopes, the most specific scope first.
static TOKENS: LazyLock<Vec<(Scope, Token)>> = LazyLock::new(|| {
    let scope = |(name, token)| Scope::new(name).ok().map(|scope| (scope, token));
    [
        ("comment", Token::Comment),
        ("string", Token::Text),
        ("constant.numeric", Token::Number),
        ("constant.language", Token::Number),
        ("keyword.operator", Token::Keyword),
        ("keyword", Token::Keyword),
        ("storage", Token::Keyword),
        ("entity.name.function", Token::Function),
        ("support.function", Token::Function),
        ("entity.name", Token::Type),
        ("support.type", Token::Type),
    ]
    .into_iter()
    .filter_map(scope)
    .collect()
});

/// Definitions for files whose language syntect does not have.
const SIMILAR: &[(&str, &str)] = &[
    ("ts", "js"),
    ("tsx", "js"),
    ("jsx", "js"),
    ("mjs", "js"),
    ("cjs", "js"),
    ("kt", "java"),
    ("swift", "go"),
    ("zig", "c"),
    ("toml", "properties"),
    ("jsonc", "json"),
];

/// Returns the coloured words of each line of a patch.
pub(crate) fn coloured(path: &str, lines: &[&DiffLine]) -> Vec<Colouring> {
    let none = || vec![Colouring::new(); lines.len()];
    let Some(syntax) = syntax(path) else { return none() };
    let fresh = || (ParseState::new(syntax), ScopeStack::new());
    let (mut old, mut new) = (fresh(), fresh());
    let colour = |(at, line): (usize, &&DiffLine)| {
        let is_short = at < MAX_COLOURED_LINES && line.text.len() <= MAX_COLOURED_BYTES;
        match line.kind {
            // Each hunk begins anew, because the lines between two hunks are not known.
            LineKind::Hunk => (old, new) = (fresh(), fresh()),
            LineKind::Removed if is_short => return words(&mut old, &line.text),
            LineKind::Added if is_short => return words(&mut new, &line.text),
            LineKind::Context if is_short => {
                words(&mut old, &line.text);
                return words(&mut new, &line.text);
            }
            _ => {}
        }
        Colouring::new()
    };
    lines.iter().enumerate().map(colour).collect()
}

/// Returns the definition for a file by its name or its extension.
fn syntax(path: &str) -> Option<&'static SyntaxReference> {
    let path = Path::new(path);
    let name = path.file_name()?.to_str()?;
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or(name);
    let similar = SIMILAR.iter().find(|(known, _)| *known == extension).map(|(_, similar)| *similar);
    let found = [Some(name), Some(extension), similar].into_iter().flatten();
    found.into_iter().find_map(|word| SYNTAXES.find_syntax_by_extension(word))
}

/// Parses one line and returns its coloured words.
fn words((state, stack): &mut (ParseState, ScopeStack), text: &str) -> Colouring {
    let mut found = Colouring::new();
    let Ok(changes) = state.parse_line(&format!("{text}\n"), &SYNTAXES) else { return found };
    let mut from = 0;
    let mut add = |range: Range<usize>, stack: &ScopeStack| {
        let end = range.end.min(text.len());
        if let Some(token) = token(stack).filter(|_| range.start < end) {
            found.push((range.start..end, token));
        }
    };
    for (at, change) in changes {
        add(from..at, stack);
        from = at;
        if stack.apply(&change).is_err() {
            break;
        }
    }
    add(from..text.len(), stack);
    found
}

/// Returns the meaning of the innermost scope that has one.
fn token(stack: &ScopeStack) -> Option<Token> {
    let of =
        |scope: &Scope| TOKENS.iter().find(|(known, _)| known.is_prefix_of(*scope)).map(|(_, token)| *token);
    stack.as_slice().iter().rev().find_map(of)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dashboard::diff::patch::parse;

    #[test]
    fn words_are_recognised_in_both_versions() {
        let lines = parse("@@ -1,2 +1,2 @@\n-let a = 1; // old\n+let b = \"日\"; /* new\n still new */\n");
        let words: Vec<Vec<(&str, Token)>> = coloured("src/lib.rs", &lines.iter().collect::<Vec<_>>())
            .into_iter()
            .zip(&lines)
            .map(|(found, line)| found.into_iter().map(|(range, token)| (&line.text[range], token)).collect())
            .collect();
        let has = |line: usize, word: (&str, Token)| {
            words[line].iter().any(|(text, token)| text.contains(word.0) && *token == word.1)
        };
        assert!(has(1, ("let", Token::Keyword)) && has(1, ("1", Token::Number)), "{words:?}");
        assert!(has(1, ("old", Token::Comment)) && has(2, ("日", Token::Text)), "{words:?}");
        assert!(has(3, ("still new", Token::Comment)), "{words:?}");
        let lines: Vec<&DiffLine> = lines.iter().collect();
        assert!(coloured("no-such-language", &lines).iter().all(Vec::is_empty));
    }

    #[test]
    fn similar_languages_are_known() {
        for (extension, similar) in SIMILAR {
            assert!(SYNTAXES.find_syntax_by_extension(similar).is_some(), "{extension} {similar}");
        }
        for path in ["a.py", "b.go", "c.tsx", "Makefile", "d.toml", "e.md", "f.sh", "g.yaml", "h.c"] {
            assert!(syntax(path).is_some(), "{path}");
        }
    }
}
