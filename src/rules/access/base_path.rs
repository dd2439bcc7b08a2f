//! The path below which a reverse proxy shows the web page, such as `/symposium`. Proxies either pass it on or remove it.

use std::fmt;
use std::str::FromStr;

/// A path of one or more segments without a slash at its end, or nothing for the root of the host.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct BasePath(String);

impl FromStr for BasePath {
    type Err = String;

    fn from_str(text: &str) -> Result<BasePath, String> {
        let path = text.strip_suffix('/').unwrap_or(text);
        let is_segment = |segment: &str| {
            let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '~');
            !segment.is_empty() && segment.chars().all(is_plain) && !matches!(segment, "." | "..")
        };
        if path == "/api" || path.starts_with("/api/") {
            return Err("the page itself uses the path `/api`".to_owned());
        }
        let mut segments = path.split('/');
        match segments.next() == Some("") && segments.all(is_segment) {
            true => Ok(BasePath(path.to_owned())),
            false => Err("a path begins with `/`, and has letters, digits, `-`, `_`, `.` and `~`".to_owned()),
        }
    }
}

impl fmt::Display for BasePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl BasePath {
    /// Checks whether the page is at the root of the host.
    pub fn is_root(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns a requested path without this one, or `None` if it is not below it.
    pub fn strip<'a>(&self, path: &'a str) -> Option<&'a str> {
        path.strip_prefix(self.0.as_str()).filter(|rest| rest.starts_with('/'))
    }

    /// Checks whether a requested path is this one without the slash at its end. Relative addresses would not work there.
    pub fn lacks_slash(&self, path: &str) -> bool {
        !self.is_root() && path == self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_segments_are_a_base_path() {
        for (text, expected) in [("/", ""), ("/a", "/a"), ("/a/b-c.d_1~/", "/a/b-c.d_1~")] {
            assert_eq!(text.parse::<BasePath>().unwrap().to_string(), expected, "{text}");
        }
        for text in [
            "/api", "/api/x", "a", "a/", "//", "/a//b", "/a/..", "/./a", "/a b", "/%61", "/a?b", "/a#b", "/ä",
        ] {
            assert!(text.parse::<BasePath>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_path_is_stripped_at_a_boundary_of_segments() {
        let base: BasePath = "/symposium".parse().unwrap();
        assert_eq!(base.strip("/symposium/"), Some("/"));
        assert_eq!(base.strip("/symposium/api/agents"), Some("/api/agents"));
        for path in ["/symposium", "/symposiumx/api", "/api/agents", "/", "*"] {
            assert_eq!(base.strip(path), None, "{path}");
        }
        assert!(base.lacks_slash("/symposium") && !base.lacks_slash("/symposium/"));
        let root = BasePath::default();
        assert_eq!(root.strip("/api"), Some("/api"));
        assert!(!root.lacks_slash(""));
    }
}
