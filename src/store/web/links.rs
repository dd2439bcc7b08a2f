//! Links for guests that were not opened yet, in `web.json`. They and the devices of guests have keys of their own: an
//! older version, which knows no limits, ignores them instead of admitting guests without limits.

use serde_json::{Map, Value, json};

use super::super::map_file::MapFiles;
use super::{WebEdit, WebStore};
use crate::model::WebLink;
use crate::store::StoreError;
use crate::store::map_file::put_entry;

const LINKS: &str = "links";

impl WebEdit<'_> {
    /// Returns all links, ordered by id.
    pub fn links(&self) -> Vec<WebLink> {
        links(self.0)
    }

    /// Adds a link.
    pub fn put_link(&mut self, link: &WebLink) {
        let Ok(Value::Object(fields)) = serde_json::to_value(link) else { return };
        if let Value::Object(entries) = self.0.entry(LINKS).or_insert_with(|| json!({})) {
            put_entry(entries, &link.id, fields);
        }
    }

    /// Removes a link.
    pub fn remove_link(&mut self, id: &str) {
        if let Some(Value::Object(entries)) = self.0.get_mut(LINKS) {
            entries.remove(id);
        }
    }
}

impl WebStore<'_> {
    /// Returns the links that were not opened yet, ordered by id.
    pub fn links(&self) -> Result<Vec<WebLink>, StoreError> {
        Ok(links(&MapFiles(self.0).read(super::FILE, super::KEY)?))
    }
}

fn links(all: &Map<String, Value>) -> Vec<WebLink> {
    let Some(Value::Object(entries)) = all.get(LINKS) else { return vec![] };
    let link = |(id, value): (&String, &Value)| {
        let link: WebLink = serde_json::from_value(value.clone()).ok()?;
        (link.id == *id).then_some(link)
    };
    entries.iter().filter_map(link).collect()
}
