//! `trust.json`: the projects whose specs the user trusts, by directory, with the checksum of the trusted content.

use serde_json::Value;

use super::map_file::put_entry;
use super::{Store, StoreError};
use crate::model::TrustedProject;

const FILE: &str = "trust.json";
const KEY: &str = "projects";

impl Store {
    /// Returns all trusted projects, ordered by directory.
    pub fn trusted_projects(&self) -> Result<Vec<TrustedProject>, StoreError> {
        let entries = self.read_map(FILE, KEY)?;
        let project = |(name, value): (&String, &Value)| {
            let trusted: TrustedProject = serde_json::from_value(value.clone()).ok()?;
            (trusted.project == *name).then_some(trusted)
        };
        let mut trusted: Vec<TrustedProject> = entries.iter().filter_map(project).collect();
        trusted.sort_by(|a, b| a.project.cmp(&b.project));
        Ok(trusted)
    }

    /// Records the trust in a project, or in its new content.
    pub fn trust_project(&self, trusted: &TrustedProject) -> Result<(), StoreError> {
        let Ok(Value::Object(known)) = serde_json::to_value(trusted) else { return Ok(()) };
        self.update_map(FILE, KEY, |entries| put_entry(entries, &trusted.project, known))
    }

    /// Revokes the trust in a project and returns whether it was trusted.
    pub fn untrust_project(&self, project: &str) -> Result<bool, StoreError> {
        self.update_map(FILE, KEY, |entries| entries.remove(project).is_some())
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
        assert_eq!(store.trusted_projects().unwrap(), []);
        for sha256 in ["aa", "bb"] {
            store.trust_project(&trusted(sha256)).unwrap();
            assert_eq!(store.trusted_projects().unwrap(), [trusted(sha256)]);
        }
        assert!(store.untrust_project("/p").unwrap());
        assert!(!store.untrust_project("/p").unwrap());
        assert_eq!(store.trusted_projects().unwrap(), []);
    }

    #[test]
    fn an_unreadable_file_trusts_nothing_and_is_not_overwritten() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(dir.path()).unwrap();
        std::fs::write(dir.path().join(FILE), "{").unwrap();
        assert!(store.trusted_projects().is_err());
        assert!(store.untrust_project("/p").is_err());
        assert_eq!(std::fs::read_to_string(dir.path().join(FILE)).unwrap(), "{");
    }
}
