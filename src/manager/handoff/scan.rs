//! Looks through everything that is about to be handed over for what looks like a secret, and refuses it.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use super::super::Manager;
use super::super::birth::BirthNote;
use super::work::Packed;
use crate::error::{Error, shown};
use crate::model::{AgentRecord, Part};
use crate::process;
use crate::rules::secrets::{Known, in_line, is_secret_name, is_worth_looking_for};
use crate::store::Staging;

/// How many are told one by one.
const MOST_TOLD: usize = 12;

/// What the file that holds them is called.
const COMMITS: &str = "its commits";

impl Manager {
    /// The values of an agent's variables that must not be told: of its process, of what it was given, and of the caller,
    /// whose environment it may have been born with.
    pub(super) fn known_secrets(&self, record: &AgentRecord, note: Option<&BirthNote>) -> Vec<Known> {
        let of_spec = note.iter().flat_map(|note| &note.spec).flat_map(|spec| spec.env.clone());
        let given = note.iter().flat_map(|note| note.env.clone());
        let callers = self
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

    /// Refuses when something in the room, or in a commit that nobody else has yet, looks like a secret.
    pub(super) fn refuse_secrets(
        &self,
        record: &AgentRecord,
        room: &Staging,
        work: Option<&Packed>,
        known: &[Known],
    ) -> Result<(), Error> {
        self.progress("looking for secrets");
        let mut found = Found::default();
        for part in Part::ALL.into_iter().filter(|part| *part != Part::Bundle) {
            let path = room.path().join(part.name());
            if path.exists() {
                found.look(&path, part.name(), known)?;
            }
        }
        if let Some(work) = work {
            let log = room.path().join("scrap/log");
            let git = self.git().patient();
            git.unpublished(&work.top, &work.handed.head, &log).map_err(|why| Error::Workspace {
                what: format!("the commits of agent `{}` cannot be looked through: {why}", record.name),
                saw: vec!["nothing was written".into()],
                hint: "see whether git works there: `git log`".into(),
            })?;
            found.look(&log, COMMITS, known)?;
        }
        if found.count == 0 {
            return Ok(());
        }
        let more = found.count - found.told.len();
        Err(Error::SecretsInHandoff { name: record.name.clone(), found: found.told, more })
    }
}

/// What was found so far.
#[derive(Default)]
struct Found {
    told: Vec<String>,
    count: usize,
}

impl Found {
    fn look(&mut self, path: &Path, called: &str, known: &[Known]) -> Result<(), Error> {
        let failed = || Error::io(format!("cannot look through {}", path.display()));
        let mut source = BufReader::new(File::open(path).map_err(failed())?);
        let (mut commit, mut file) = (String::new(), String::new());
        let mut bytes = Vec::new();
        for number in 1.. {
            bytes.clear();
            if source.read_until(b'\n', &mut bytes).map_err(failed())? == 0 {
                break;
            }
            let line = String::from_utf8_lossy(&bytes);
            let line = line.trim_end_matches(['\n', '\r']);
            let is_id = |id: &&str| id.len() >= 40 && id.bytes().all(|byte| byte.is_ascii_hexdigit());
            if let Some(id) = line.strip_prefix("commit ").filter(is_id).filter(|_| called == COMMITS) {
                (commit, file) = (id[..12].to_owned(), String::new());
            } else if let Some(name) = line.strip_prefix("+++ b/") {
                file = shown(name);
            }
            for one in in_line(line, known) {
                self.count += 1;
                let at = match (commit.as_str(), file.as_str()) {
                    ("", "") => format!("{called} line {number}"),
                    ("", file) => format!("{called} line {number} ({file})"),
                    (commit, "") => format!("commit {commit}"),
                    (commit, file) => format!("commit {commit} ({file})"),
                };
                let told = format!("{at}: {}: {}", shown(&one.what), shown(&one.masked));
                if self.told.len() < MOST_TOLD && !self.told.contains(&told) {
                    self.told.push(told);
                }
            }
        }
        Ok(())
    }
}
