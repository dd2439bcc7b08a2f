//! Topics: reads the file that is handed over with a task and updates its status. A missing topic never prevents a task
//! from being dispatched.

use std::io::Write;
use std::path::Path;

use crate::base::atomic_file::{IfExists, directory_of, persist_durably, private_temp};
use crate::error::Error;
use crate::manager::tasks::Tasks;
use crate::model::Task;
use crate::rules::tasks::topic;

/// Maximum size of a topic file, 4 MiB. A larger file is not a note that a user wrote.
const MAX_FILE_BYTES: u64 = 4 << 20;

impl Tasks<'_> {
    /// Returns the text of a task with its topic, and marks the topic as in progress.
    pub(in crate::manager) fn with_topic(&self, task: &Task) -> Result<String, Error> {
        let Some(path) = &task.topic else { return Ok(task.text.clone()) };
        let mut content = read(Path::new(path));
        if let Some(started) = content.as_deref().and_then(topic::started) {
            // A file that cannot be written keeps its status; its content is handed over anyway.
            if replace(Path::new(path), &started).is_ok() {
                content = Some(started);
            }
        }
        // Only the typed text is converted: the file belongs to the user and keeps its line endings and other
        // characters.
        let content = content.map(|content| topic::typeable(&content));
        Ok(topic::with_topic(&task.text, &topic::typeable(path), content.as_deref()))
    }
}

fn read(path: &Path) -> Option<String> {
    // Reading a pipe would block.
    std::fs::metadata(path).ok().filter(|meta| meta.is_file() && meta.len() <= MAX_FILE_BYTES)?;
    std::fs::read_to_string(path).ok()
}

/// Replaces the file atomically and keeps its permissions. Follows a symbolic link.
fn replace(path: &Path, text: &str) -> std::io::Result<()> {
    let path = path.canonicalize()?;
    let mut file = private_temp(directory_of(&path), ".symposium-")?;
    file.write_all(text.as_bytes())?;
    file.as_file().set_permissions(std::fs::metadata(&path)?.permissions())?;
    persist_durably(file, &path, IfExists::Replaced)
}
