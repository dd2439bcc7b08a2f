//! `notice-answers.json`: what the tokens in notices permit, by the checksums of the tokens. The supervisor adds them,
//! and the web server removes each when it is used.

use jiff::Timestamp;
use serde_json::{Map, Value};

use crate::model::AnswerGrant;
use crate::store::map_file::{MapFiles, put_entry};
use crate::store::{Store, StoreError};

const FILE: &str = "notice-answers.json";
const KEY: &str = "answers";
/// Maximum number of tokens. Those that expire first are dropped.
const MAX_GRANTS: usize = 500;

/// Reads and changes what the tokens in notices permit.
#[derive(Debug, Clone, Copy)]
pub struct AnswerGrants<'a>(pub &'a Store);

impl AnswerGrants<'_> {
    /// Adds grants, and removes those that have expired.
    pub fn add(&self, new: &[AnswerGrant], now: Timestamp) -> Result<(), StoreError> {
        MapFiles(self.0).update(FILE, KEY, |entries| {
            for grant in new {
                let Ok(Value::Object(fields)) = serde_json::to_value(grant) else { continue };
                put_entry(entries, &grant.sha256, fields);
            }
            drop_surplus(entries, now);
        })
    }

    /// Returns the grant of the token with this checksum, also if it has expired.
    pub fn find(&self, sha256: &str) -> Result<Option<AnswerGrant>, StoreError> {
        Ok(MapFiles(self.0).read(FILE, KEY)?.get(sha256).and_then(grant))
    }

    /// Removes and returns the grant of the token with this checksum. Also removes the grants of the other answers to
    /// the same question on the same device. Of several callers only one gets the grant.
    pub fn take(&self, sha256: &str) -> Result<Option<AnswerGrant>, StoreError> {
        MapFiles(self.0).update(FILE, KEY, |entries| {
            let found = entries.get(sha256).and_then(grant)?;
            entries.retain(|_, entry| {
                grant(entry).is_some_and(|other| {
                    (&other.question, other.agent_id, &other.device)
                        != (&found.question, found.agent_id, &found.device)
                })
            });
            Some(found)
        })
    }
}

fn grant(entry: &Value) -> Option<AnswerGrant> {
    serde_json::from_value(entry.clone()).ok()
}

fn drop_surplus(entries: &mut Map<String, Value>, now: Timestamp) {
    entries.retain(|_, entry| grant(entry).is_some_and(|grant| now < grant.expires_at));
    let surplus = entries.len().saturating_sub(MAX_GRANTS);
    let mut by_end: Vec<_> = entries
        .iter()
        .map(|(sha256, entry)| (grant(entry).map(|grant| grant.expires_at), sha256.clone()))
        .collect();
    by_end.sort();
    for (_, sha256) in by_end.into_iter().take(surplus) {
        entries.remove(&sha256);
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;
    use crate::model::{AgentId, OfferedAnswer};

    fn grant(sha256: &str, agent_id: AgentId, second: i64) -> AnswerGrant {
        AnswerGrant {
            sha256: sha256.into(),
            agent_id,
            question: "q".into(),
            answer: OfferedAnswer::Approve,
            device: None,
            expires_at: Timestamp::from_second(second).unwrap(),
        }
    }

    #[test]
    fn a_grant_is_taken_once_with_the_other_answers_to_its_question() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(dir.path()).unwrap();
        let (agent, now) = (AgentId::fresh(), Timestamp::UNIX_EPOCH);
        let phone = AnswerGrant { device: Some("phone".into()), ..grant("phone", agent, 9) };
        let other = AnswerGrant { question: "other".into(), ..grant("other", agent, 9) };
        let all = [grant("yes", agent, 9), grant("no", agent, 9), phone.clone(), other.clone()];
        AnswerGrants(&store).add(&all, now).unwrap();
        let mode = std::fs::metadata(dir.path().join(FILE)).unwrap().permissions().mode();
        assert_eq!(mode & 0o7777, 0o600);
        assert_eq!(AnswerGrants(&store).take("yes").unwrap(), Some(grant("yes", agent, 9)));
        for used in ["yes", "no", "unknown"] {
            assert_eq!(AnswerGrants(&store).take(used).unwrap(), None, "{used}");
        }
        assert_eq!(AnswerGrants(&store).find("phone").unwrap(), Some(phone));
        assert_eq!(AnswerGrants(&store).take("other").unwrap(), Some(other));
    }

    #[test]
    fn expired_and_surplus_grants_are_dropped() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(dir.path()).unwrap();
        let agent = AgentId::fresh();
        let at = |second| Timestamp::from_second(second).unwrap();
        AnswerGrants(&store).add(&[grant("old", agent, 5)], at(0)).unwrap();
        let many: Vec<_> = (0..=MAX_GRANTS).map(|n| grant(&format!("n{n}"), agent, 100 + n as i64)).collect();
        AnswerGrants(&store).add(&many, at(5)).unwrap();
        let known = |name: &str| AnswerGrants(&store).find(name).unwrap().is_some();
        assert!(!known("old") && !known("n0") && known("n1"));
    }
}
