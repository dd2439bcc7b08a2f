//! Adds the name of the host to remote output, because the remote side does not know under which name this machine
//! lists it.
//!
//! The output is processed in pieces as it arrives. It must already be sanitized (`base::terminal::output`), and stays so.

use serde_json::Value;

use crate::base::terminal::output::escaped;
use crate::model::{AgentName, HostName};

/// Maximum length of a JSON line to which the host is added: more than a host may report about its agents. Only a
/// transcript is longer, and the user who requested it knows its host.
const MAX_MARKED_BYTES: usize = 16 << 20;
/// Maximum length of the first line of a text.
const MAX_FIRST_LINE_BYTES: usize = 4096;

/// Position at which the name of the host is added.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::cli) enum PrefixTarget {
    /// The name is not added.
    Nowhere,
    /// As the field `host` of each object, also in an array.
    Objects,
    /// Before this agent name, in the first line.
    Name(String),
    /// Before the first line, if it is only a name.
    Line,
}

/// Adds the name of a host to one output stream.
#[derive(Debug)]
pub(super) struct HostPrefixer {
    host: HostName,
    mark: PrefixTarget,
    /// Bytes that arrived and cannot be forwarded yet.
    rest: Vec<u8>,
    is_begun: bool,
}

impl HostPrefixer {
    /// Creates a marker for a stream of this host.
    pub(super) fn of(host: HostName, mark: PrefixTarget) -> HostPrefixer {
        HostPrefixer { host, mark, rest: vec![], is_begun: false }
    }

    /// Adds more bytes and returns the output that can be shown now.
    pub(super) fn marked(&mut self, bytes: &[u8]) -> Vec<u8> {
        match &self.mark {
            PrefixTarget::Nowhere => return bytes.to_vec(),
            PrefixTarget::Name(_) | PrefixTarget::Line if self.is_begun => return bytes.to_vec(),
            PrefixTarget::Name(_) | PrefixTarget::Line | PrefixTarget::Objects => {
                self.rest.extend_from_slice(bytes)
            }
        }
        let is_first = matches!(self.mark, PrefixTarget::Name(_) | PrefixTarget::Line);
        let end = match is_first {
            true => self.rest.iter().position(|byte| *byte == b'\n'),
            false => self.rest.iter().rposition(|byte| *byte == b'\n'),
        };
        match end {
            Some(_) if is_first => self.finish(),
            None if is_first && self.rest.len() > MAX_FIRST_LINE_BYTES => self.finish(),
            None => vec![],
            Some(end) => {
                let rest = self.rest.split_off(end + 1);
                let whole = std::mem::replace(&mut self.rest, rest);
                whole.split_inclusive(|byte| *byte == b'\n').flat_map(|line| self.object(line)).collect()
            }
        }
    }

    /// Returns the rest of the output.
    pub(super) fn finish(&mut self) -> Vec<u8> {
        let rest = std::mem::take(&mut self.rest);
        match &self.mark {
            PrefixTarget::Name(_) | PrefixTarget::Line if !std::mem::replace(&mut self.is_begun, true) => {
                let end = rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
                let first = String::from_utf8_lossy(&rest[..end]);
                let prefixed = match &self.mark {
                    PrefixTarget::Name(name) => named(&self.host, name, &first),
                    _ if first.parse::<AgentName>().is_ok() => format!("{}:{first}", self.host),
                    _ => first.into_owned(),
                };
                [prefixed.as_bytes(), &rest[end..]].concat()
            }
            PrefixTarget::Objects => self.object(&rest),
            _ => rest,
        }
    }

    /// Discards the bytes that were not forwarded, because the stream starts again from its beginning.
    pub(super) fn forget(&mut self) {
        self.rest.clear();
    }

    fn object(&self, line: &[u8]) -> Vec<u8> {
        if line.len() > MAX_MARKED_BYTES {
            return line.to_vec();
        }
        let Ok(mut value) = serde_json::from_slice::<Value>(line) else { return line.to_vec() };
        let mut put = |value: &mut Value| {
            if let Value::Object(fields) = value {
                fields.insert("host".to_owned(), self.host.as_str().into());
            }
        };
        match &mut value {
            Value::Array(all) => all.iter_mut().for_each(&mut put),
            other => put(other),
        }
        // Parsing removed the escapes of the sanitized text, so escape again.
        format!("{}\n", escaped(&value.to_string())).into_bytes()
    }
}

/// Returns the line with the host before the first mention of the agent.
fn named(host: &HostName, name: &str, line: &str) -> String {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    // An empty name cannot be matched, so the line stays unchanged.
    if name.is_empty() {
        return line.to_owned();
    }
    let found = line
        .match_indices(name)
        .map(|(at, _)| at)
        .find(|at| !line[..*at].ends_with(is_part) && !line[at + name.len()..].starts_with(is_part));
    match found {
        // The label `name` of the row may itself be the name of an agent.
        Some(at) if line[..at].trim().is_empty() && line.trim_start().starts_with("name  ") => {
            line.replacen("name  ", &format!("name  {host}:"), 1)
        }
        Some(at) => format!("{}{host}:{}", &line[..at], &line[at..]),
        None => line.to_owned(),
    }
}

/// Adds the host to a remote error: `error: on `gpu1`: no agent named …`.
pub(super) fn error_of(host: &HostName, line: &str) -> String {
    const BEGIN: &str = "error:";
    if let Ok(mut value) = serde_json::from_str::<Value>(line)
        && let Some(Value::Object(error)) = value.get_mut("error")
    {
        error.insert("host".to_owned(), host.as_str().into());
        return escaped(&value.to_string());
    }
    // The text `error:` may be surrounded by colour codes.
    let place = line.find(BEGIN).filter(|at| !line[..*at].contains(|c: char| c.is_whitespace()) && *at < 16);
    let behind = place.and_then(|at| line[at..].find(' ').map(|space| at + space + 1));
    match behind {
        Some(at) => format!("{}on `{host}`: {}", &line[..at], &line[at..]),
        None => line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host() -> HostName {
        "gpu1".parse().unwrap()
    }

    fn marked(mark: PrefixTarget, pieces: &[&str]) -> String {
        let mut marker = HostPrefixer::of(host(), mark);
        let mut prefixed: Vec<u8> = pieces.iter().flat_map(|piece| marker.marked(piece.as_bytes())).collect();
        prefixed.extend(marker.finish());
        String::from_utf8(prefixed).unwrap()
    }

    #[test]
    fn the_first_mention_of_an_agent_gets_its_host() {
        let name = |name: &str| PrefixTarget::Name(name.to_owned());
        for (agent, pieces, expected) in [
            ("a", &["         name  a\n         kind  a\n"][..], "         name  gpu1:a\n         kind  a\n"),
            ("name", &["         name  name\n"], "         name  gpu1:name\n"),
            ("fix", &["fi", "x: idle now;", " x\n fix: y\n"], "gpu1:fix: idle now; x\n fix: y\n"),
            ("fix", &["prefix: fix-2 and fix"], "prefix: fix-2 and gpu1:fix"),
            ("fix", &["nothing\nfix\n", "fix"], "nothing\nfix\nfix"),
            ("", &[""], ""),
            ("fix", &[""], ""),
        ] {
            assert_eq!(marked(name(agent), pieces), expected, "{agent}");
        }
        assert_eq!(marked(name("a"), &[&"x".repeat(5000), " a"]), format!("{} a", "x".repeat(5000)));
    }

    #[test]
    fn remote_agent_gets_its_host_prefix() {
        for (pieces, expected) in [
            (&["api-f", "ix\n"][..], "gpu1:api-fix\n"),
            (&["api-fix"], "gpu1:api-fix"),
            (&["no name\napi-fix\n"], "no name\napi-fix\n"),
            (&[""], ""),
        ] {
            assert_eq!(marked(PrefixTarget::Line, pieces), expected, "{pieces:?}");
        }
    }

    #[test]
    fn every_object_gets_its_host_and_stays_escaped() {
        for (pieces, expected) in [
            (&["{\"host\":null,\"name\":\"a\"}\n"][..], "{\"host\":\"gpu1\",\"name\":\"a\"}\n"),
            (&["[{\"n\":1},", "{\"n\":2}]\n"], "[{\"host\":\"gpu1\",\"n\":1},{\"host\":\"gpu1\",\"n\":2}]\n"),
            (&["{\"t\":\"\\u009b2J\\u202e\"}"], "{\"host\":\"gpu1\",\"t\":\"\\u009b2J\\u202e\"}\n"),
            (&["[]\n[]\n"], "[]\n[]\n"),
            (&["1\n", "null\n"], "1\nnull\n"),
            (&[""], ""),
        ] {
            assert_eq!(marked(PrefixTarget::Objects, pieces), expected, "{pieces:?}");
        }
    }

    #[test]
    fn an_error_names_its_host() {
        for (line, expected) in [
            ("error: no agent named `x`", "error: on `gpu1`: no agent named `x`"),
            ("\u{1b}[1;31merror:\u{1b}[0m no agent", "\u{1b}[1;31merror:\u{1b}[0m on `gpu1`: no agent"),
            ("  it said error: no", "  it said error: no"),
            ("{\"error\":{\"code\":\"x\"}}", "{\"error\":{\"code\":\"x\",\"host\":\"gpu1\"}}"),
            ("{\"error\":1}", "{\"error\":1}"),
            ("error:", "error:"),
            ("hint: x", "hint: x"),
        ] {
            assert_eq!(error_of(&host(), line), expected, "{line}");
        }
    }
}
