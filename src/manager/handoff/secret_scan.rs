//! Scans everything that is about to be exported for text that looks like a secret, and refuses the export if it finds
//! any.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use crate::base::patch::{Kind, Place};
use crate::error::{Error, shown};
use crate::git::GitError;
use crate::manager::handoff::Handoff;
use crate::manager::specs::spawn_manifest::SpawnManifest;
use crate::model::{AgentRecord, MANIFEST, Manifest, Part};
use crate::process;
use crate::secrets::{Finding, Known, Reading, in_line, is_secret_name, is_worth_looking_for};
use crate::store::Staging;

/// Maximum number of findings that are listed one by one.
const MOST_TOLD: usize = 12;

/// Maximum number of bytes of a line that are scanned at once: an image in a conversation is one line.
const LONGEST_PIECE: u64 = 1 << 20;
/// Number of bytes at the end of a chunk that are scanned again with the next one: longer than any secret that the scan
/// can find.
const OVERLAP: usize = 16 << 10;

/// The display name of the file with the commits.
const COMMITS: &str = "its commits";
/// The parts that contain patches.
const PATCHES: [Part; 2] = [Part::Staged, Part::Unstaged];

impl Handoff<'_> {
    /// Returns the secret values of an agent's variables: of its process, of its spawn manifest, and of the caller,
    /// whose environment it may have inherited.
    pub(super) fn known_secrets(&self, record: &AgentRecord, note: Option<&SpawnManifest>) -> Vec<Known> {
        let of_spec = note.iter().flat_map(|note| &note.spec).flat_map(|spec| spec.env.clone());
        let given = note.iter().flat_map(|note| note.env.clone());
        let callers = self
            .0
            .env
            .all()
            .iter()
            .filter_map(|(key, value)| Some((key.to_str()?.to_owned(), value.to_str()?.to_owned())));
        let of_process = record.pid.map(process::environment).unwrap_or_default();
        let mut known: Vec<Known> = of_spec
            .chain(given)
            .chain(of_process)
            .chain(callers)
            .filter(|(name, value)| is_secret_name(name) && is_worth_looking_for(value))
            .map(|(name, value)| Known { name, value })
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
        room: &Staging,
        top: Option<&Path>,
        known: &[Known],
    ) -> Result<(), Error> {
        self.0.progress("looking for secrets");
        let mut found = Found::of(known);
        found.look_at_manifest(manifest);
        for part in Part::ALL.into_iter().filter(|part| *part != Part::Bundle) {
            let path = room.path().join(part.name());
            if path.exists() {
                found.look(&path, part.name())?;
            }
        }
        if let (Some(top), Some(work)) = (top, &manifest.work) {
            self.look_at_work((top, &work.head), room, &mut found).map_err(|why| match why {
                Looking::Git(why) => Error::Workspace {
                    what: format!("the work of agent `{}` cannot be looked through: {why}", manifest.name),
                    saw: vec!["nothing was written".into()],
                    hint: "see whether git works there: `git log`".into(),
                },
                Looking::Other(error) => error,
            })?;
        }
        if found.count == 0 {
            return Ok(());
        }
        let more = found.count - found.told.len();
        Err(Error::SecretsInHandoff { name: manifest.name.clone(), found: found.told, more })
    }

    /// Scans the commits, and the files that a patch contains in binary form because a git attribute marks them so.
    fn look_at_work(
        &self,
        (top, head): (&Path, &str),
        room: &Staging,
        found: &mut Found<'_>,
    ) -> Result<(), Looking> {
        let (scrap, git) = (room.path().join("scrap"), self.0.git().patient());
        let log = scrap.join("log");
        git.unpublished(top, head, &log).map_err(Looking::Git)?;
        found.look(&log, COMMITS).map_err(Looking::Other)?;
        if !found.has_bytes {
            return Ok(());
        }
        let paths = PATCHES.map(|part| scrap.join(part.name()));
        let [staged, unstaged] = &paths;
        git.patches_as_text(top, &scrap, [staged, unstaged]).map_err(Looking::Git)?;
        for (part, path) in PATCHES.into_iter().zip(&paths) {
            found.look(path, part.name()).map_err(Looking::Other)?;
        }
        Ok(())
    }
}

/// Why the scan failed.
enum Looking {
    Git(GitError),
    Other(Error),
}

/// Findings of the scan.
struct Found<'a> {
    known: &'a [Known],
    told: Vec<String>,
    count: usize,
    /// Whether a patch contains binary data that only git can decode.
    has_bytes: bool,
}

impl<'a> Found<'a> {
    fn of(known: &'a [Known]) -> Found<'a> {
        Found { known, told: vec![], count: 0, has_bytes: false }
    }

    /// Scans the manifest: branch, directory, addresses and names.
    fn look_at_manifest(&mut self, manifest: &Manifest) {
        let text = serde_json::to_string_pretty(manifest).unwrap_or_default();
        for line in text.lines() {
            let key = line.trim_start().strip_prefix('"').and_then(|rest| rest.split_once("\":"));
            let at = key.map_or_else(|| MANIFEST.to_owned(), |(key, _)| format!("{MANIFEST} ({key})"));
            self.tell(in_line(line, self.known), &at);
        }
    }

    fn look(&mut self, path: &Path, called: &str) -> Result<(), Error> {
        let failed = || Error::io(format!("cannot look through {}", path.display()));
        let mut source = BufReader::new(File::open(path).map_err(failed())?);
        let mut place = match called {
            COMMITS => Some(Place::in_log()),
            called if PATCHES.iter().any(|part| part.name() == called) => Some(Place::default()),
            _ => None,
        };
        let (mut reading, mut is_binary) = (Reading::default(), false);
        let (mut bytes, mut number) = (Vec::new(), 1);
        let mut is_begin = true;
        loop {
            let read = source.by_ref().take(LONGEST_PIECE).read_until(b'\n', &mut bytes).map_err(failed())?;
            if read == 0 {
                return Ok(());
            }
            let text = String::from_utf8_lossy(&bytes);
            let line = text.trim_end_matches(['\n', '\r']);
            let kind = place.as_mut().filter(|_| is_begin).map_or(Kind::Other, |place| place.step(line));
            if kind != Kind::Other {
                reading = Reading::default();
            }
            is_binary &= !matches!(kind, Kind::Commit | Kind::File);
            self.has_bytes |= line == "GIT binary patch";
            // The null byte is git's own criterion: from here on the file is binary.
            is_binary |= line.contains('\0');
            if !is_binary {
                let findings = reading.line(line, self.known);
                if !findings.is_empty() {
                    let at = self.told_place(place.as_ref(), (called, number));
                    self.tell(findings, &at);
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
    fn told_place(&self, place: Option<&Place>, (called, number): (&str, u64)) -> String {
        let of_part = || format!("{called} line {number}");
        let Some(place) = place else { return of_part() };
        let is_told = in_line(&place.file, self.known).is_empty();
        let file = if is_told { shown(&place.file) } else { "a name that is not told".to_owned() };
        let of_file = match place.line {
            Some(line) => format!("({file} line {line})"),
            None => format!("({file})"),
        };
        match (place.commit.as_str(), place.file.as_str()) {
            ("", "") => of_part(),
            ("", _) => format!("{called} {of_file}"),
            (commit, "") => format!("commit {commit}"),
            (commit, _) => format!("commit {commit} {of_file}"),
        }
    }

    fn tell(&mut self, findings: Vec<Finding>, at: &str) {
        for one in findings {
            self.count += 1;
            let told = format!("{at}: {}: {}", shown(&one.what), shown(&one.masked));
            if self.told.len() < MOST_TOLD && !self.told.contains(&told) {
                self.told.push(told);
            }
        }
    }
}
