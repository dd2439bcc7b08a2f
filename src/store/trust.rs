//! `trust.json`: the projects whose specs the user trusts, by directory, with the checksum of the trusted content.

use serde_json::Value;

use super::map_file::{MapFiles, put_entry};
use super::{Store, StoreError};
use crate::model::TrustedProject;

const FILE: &str = "trust.json";
const KEY: &str = "projects";

/// Records the projects whose specs the user trusts.
#[derive(Debug, Clone, Copy)]
pub struct TrustedProjects<'a>(pub &'a Store);

impl TrustedProjects<'_> {
    /// Returns all trusted projects, ordered by directory.
    pub fn list(&self) -> Result<Vec<TrustedProject>, StoreError> {
        let entries = MapFiles(self.0).read(FILE, KEY)?;
        let project = |(name, value): (&String, &Value)| {
            let trusted: TrustedProject = serde_json::from_value(value.clone()).ok()?;
            (trusted.project == *name).then_some(trusted)
        };
        let mut trusted: Vec<TrustedProject> = entries.iter().filter_map(project).collect();
        trusted.sort_by(|a, b| a.project.cmp(&b.project));
        Ok(trusted)
    }

    /// Records the trust in a project, or in its new content.
    pub fn trust(&self, trusted: &TrustedProject) -> Result<(), StoreError> {
        let Ok(Value::Object(known)) = serde_json::to_value(trusted) else { return Ok(()) };
        MapFiles(self.0).update(FILE, KEY, |entries| put_entry(entries, &trusted.project, known))
    }

    /// Revokes the trust in a project and returns whether it was trusted.
    pub fn untrust(&self, project: &str) -> Result<bool, StoreError> {
        MapFiles(self.0).update(FILE, KEY, |entries| entries.remove(project).is_some())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trust_is_stored_replaced_and_revoked() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(dir.path()).unwrap();
        let trusted = |sha256: &str| TrustedProject {
            project: "/p".into(),
            sha256: sha256.into(),
            trusted_at: "2026-01-01T00:00:00Z".parse().unwrap(),
        };
        assert_eq!(TrustedProjects(&store).list().unwrap(), []);
        for sha256 in ["aa", "bb"] {
            TrustedProjects(&store).trust(&trusted(sha256)).unwrap();
            assert_eq!(TrustedProjects(&store).list().unwrap(), [trusted(sha256)]);
        }
        assert!(TrustedProjects(&store).untrust("/p").unwrap());
        assert!(!TrustedProjects(&store).untrust("/p").unwrap());
        assert_eq!(TrustedProjects(&store).list().unwrap(), []);
    }

    #[test]
    fn an_unreadable_file_trusts_nothing_and_is_not_overwritten() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(dir.path()).unwrap();
        std::fs::write(dir.path().join(FILE), "{").unwrap();
        assert!(TrustedProjects(&store).list().is_err());
        assert!(TrustedProjects(&store).untrust("/p").is_err());
        assert_eq!(std::fs::read_to_string(dir.path().join(FILE)).unwrap(), "{");
    }
}
