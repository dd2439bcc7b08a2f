//! Scans everything that is about to be exported for text that looks like a secret, and refuses the export if it finds
//! any.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use crate::base::patch::{PatchLine, PatchPosition};
use crate::error::{Code, Error, shown};
use crate::git::{Bundles, GitError, Patches};
use crate::manager::handoff::HandoffExport;
use crate::manager::specs::spawn_manifest::SpawnManifest;
use crate::model::{AgentRecord, MANIFEST, Manifest, Part};
use crate::process;
use crate::secrets::{Finding, KnownSecret, LineScanner, in_line, is_searchable, is_secret_name};
use crate::store::Staging;

/// Maximum number of findings that are listed one by one.
const MAX_REPORTED: usize = 12;

/// Maximum number of bytes of a line that are scanned at once: an image in a conversation is one line.
const MAX_CHUNK_BYTES: u64 = 1 << 20;
/// Number of bytes at the end of a chunk that are scanned again with the next one: longer than any secret that the scan
/// can find.
const OVERLAP: usize = 16 << 10;

/// The display name of the file with the commits.
const COMMITS: &str = "its commits";
/// The parts that contain patches.
const PATCHES: [Part; 2] = [Part::Staged, Part::Unstaged];

impl HandoffExport<'_> {
    /// Returns the secret values of an agent's variables: of its process, of its spawn manifest, and of the caller,
    /// whose environment it may have inherited.
    pub(super) fn known_secrets(
        &self,
        record: &AgentRecord,
        note: Option<&SpawnManifest>,
    ) -> Vec<KnownSecret> {
        let of_spec = note.iter().flat_map(|note| &note.spec).flat_map(|spec| spec.env.clone());
        let given = note.iter().flat_map(|note| note.env.clone());
        let callers = self
            .0
            .env
            .all()
            .iter()
            .filter_map(|(key, value)| Some((key.to_str()?.to_owned(), value.to_str()?.to_owned())));
        let of_process = record.pid.map(process::environment).unwrap_or_default();
        let mut known: Vec<KnownSecret> = of_spec
            .chain(given)
            .chain(of_process)
            .chain(callers)
            .filter(|(name, value)| is_secret_name(name) && is_searchable(value))
            .map(|(name, value)| KnownSecret { name, value })
            .collect();
        known.sort_by(|a, b| (&a.name, &a.value).cmp(&(&b.name, &b.value)));
        known.dedup();
        known
    }

    /// Refuses the export if the staging directory, the manifest or an unpublished commit contains text that looks like
    /// a secret.
    pub(super) fn refuse_secrets(
        &self,
        manifest: &Manifest,
        staging: &Staging,
        top: Option<&Path>,
        known: &[KnownSecret],
    ) -> Result<(), Error> {
        self.0.progress("scanning for secrets");
        let mut found = ScanFindings::of(known);
        found.scan_manifest(manifest);
        for part in Part::ALL.into_iter().filter(|part| *part != Part::Bundle) {
            let path = staging.path().join(part.name());
            if path.exists() {
                found.scan_file(&path, part.name())?;
            }
        }
        if let (Some(top), Some(work)) = (top, &manifest.work) {
            self.scan_work((top, &work.head), staging, &mut found).map_err(|why| match why {
                ScanError::Git(why) => Error::new(
                    Code::Workspace,
                    format!("the work of agent `{}` cannot be scanned for secrets: {why}", manifest.name),
                )
                .saw("nothing was written")
                .hint("check whether git works there: `git log`"),
                ScanError::Other(error) => error,
            })?;
        }
        if found.count == 0 {
            return Ok(());
        }
        let more = found.count - found.reported.len();
        let name = &manifest.name;
        Err(Error::new(
            Code::SecretsInHandoff,
            format!("the hand-off of agent `{name}` probably contains secrets"),
        )
        .saw_all(found.reported)
        .saw_all((more > 0).then(|| format!("and {more} more")))
        .saw("nothing was written")
        .hint("remove them, and replace them if they are real, because others may have read them")
        .hint(format!("if they are not secrets: `symposium agent handoff export {name} --allow-secrets`")))
    }

    /// Scans the commits, and the files that a patch contains in binary form because a git attribute marks them so.
    fn scan_work(
        &self,
        (top, head): (&Path, &str),
        staging: &Staging,
        found: &mut ScanFindings<'_>,
    ) -> Result<(), ScanError> {
        let (scrap, git) = (staging.path().join("scrap"), self.0.git().with_long_timeout());
        let log = scrap.join("log");
        Bundles(&git).write_unpublished(top, head, &log).map_err(ScanError::Git)?;
        found.scan_file(&log, COMMITS).map_err(ScanError::Other)?;
        if !found.has_bytes {
            return Ok(());
        }
        let paths = PATCHES.map(|part| scrap.join(part.name()));
        let [staged, unstaged] = &paths;
        Patches(&git).write_as_text(top, &scrap, [staged, unstaged]).map_err(ScanError::Git)?;
        for (part, path) in PATCHES.into_iter().zip(&paths) {
            found.scan_file(path, part.name()).map_err(ScanError::Other)?;
        }
        Ok(())
    }
}

/// Why the scan failed.
enum ScanError {
    Git(GitError),
    Other(Error),
}

/// Findings of the scan.
struct ScanFindings<'a> {
    known: &'a [KnownSecret],
    reported: Vec<String>,
    count: usize,
    /// Whether a patch contains binary data that only git can decode.
    has_bytes: bool,
}

impl<'a> ScanFindings<'a> {
    fn of(known: &'a [KnownSecret]) -> ScanFindings<'a> {
        ScanFindings { known, reported: vec![], count: 0, has_bytes: false }
    }

    /// Scans the manifest: branch, directory, addresses and names.
    fn scan_manifest(&mut self, manifest: &Manifest) {
        let text = serde_json::to_string_pretty(manifest).unwrap_or_default();
        for line in text.lines() {
            let key = line.trim_start().strip_prefix('"').and_then(|rest| rest.split_once("\":"));
            let at = key.map_or_else(|| MANIFEST.to_owned(), |(key, _)| format!("{MANIFEST} ({key})"));
            self.add(in_line(line, self.known), &at);
        }
    }

    fn scan_file(&mut self, path: &Path, called: &str) -> Result<(), Error> {
        let failed = || Error::io(format!("cannot scan {}", path.display()));
        let mut source = BufReader::new(File::open(path).map_err(failed())?);
        let mut position = match called {
            COMMITS => Some(PatchPosition::in_log()),
            called if PATCHES.iter().any(|part| part.name() == called) => Some(PatchPosition::default()),
            _ => None,
        };
        let (mut reading, mut is_binary) = (LineScanner::default(), false);
        let (mut bytes, mut number) = (Vec::new(), 1);
        let mut is_begin = true;
        loop {
            let read =
                source.by_ref().take(MAX_CHUNK_BYTES).read_until(b'\n', &mut bytes).map_err(failed())?;
            if read == 0 {
                return Ok(());
            }
            let text = String::from_utf8_lossy(&bytes);
            let line = text.trim_end_matches(['\n', '\r']);
            let kind = position
                .as_mut()
                .filter(|_| is_begin)
                .map_or(PatchLine::Other, |position| position.step(line));
            if kind != PatchLine::Other {
                reading = LineScanner::default();
            }
            is_binary &= !matches!(kind, PatchLine::Commit | PatchLine::File);
            self.has_bytes |= line == "GIT binary patch";
            // The null byte is git's own criterion: from here on the file is binary.
            is_binary |= line.contains('\0');
            if !is_binary {
                let findings = reading.line(line, self.known);
                if !findings.is_empty() {
                    let at = self.masked_position(position.as_ref(), (called, number));
                    self.add(findings, &at);
                }
            }
            is_begin = bytes.ends_with(b"\n");
            if is_begin {
                number += 1;
                bytes.clear();
            } else {
                // A secret that spans two chunks is found in the second one.
                bytes.drain(..bytes.len().saturating_sub(OVERLAP));
            }
        }
    }

    /// Describes the location of a finding without repeating the secret.
    fn masked_position(&self, position: Option<&PatchPosition>, (called, number): (&str, u64)) -> String {
        let of_part = || format!("{called} line {number}");
        let Some(position) = position else { return of_part() };
        let is_clean = in_line(&position.file, self.known).is_empty();
        let file = if is_clean { shown(&position.file) } else { "a name that is not shown".to_owned() };
        let of_file = match position.line {
            Some(line) => format!("({file} line {line})"),
            None => format!("({file})"),
        };
        match (position.commit.as_str(), position.file.as_str()) {
            ("", "") => of_part(),
            ("", _) => format!("{called} {of_file}"),
            (commit, "") => format!("commit {commit}"),
            (commit, _) => format!("commit {commit} {of_file}"),
        }
    }

    fn add(&mut self, findings: Vec<Finding>, at: &str) {
        for finding in findings {
            self.count += 1;
            let reported = format!("{at}: {}: {}", shown(&finding.what), shown(&finding.masked));
            if self.reported.len() < MAX_REPORTED && !self.reported.contains(&reported) {
                self.reported.push(reported);
            }
        }
    }
}
