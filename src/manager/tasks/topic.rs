//! Topics: reads the file that is handed along with a task and moves its status. A topic that is missing never keeps a
//! task from being worked at.

use crate::manager::tasks::Tasks;
use std::io::Write;
use std::path::Path;

use crate::error::Error;
use crate::model::Task;
use crate::rules::tasks::topic;

/// A file beyond this is no note of a person's.
const BIGGEST: u64 = 4 << 20;

impl Tasks<'_> {
    /// The text of a task with its topic, which is in progress from now on.
    pub(in crate::manager) fn with_topic(&self, task: &Task) -> Result<String, Error> {
        let Some(path) = &task.topic else { return Ok(task.text.clone()) };
        let mut content = read(Path::new(path));
        if let Some(started) = content.as_deref().and_then(topic::started) {
            // Whose file cannot be written keeps its status; its content is handed along all the same.
            if replace(Path::new(path), &started).is_ok() {
                content = Some(started);
            }
        }
        // Only here: the file is a person's, and keeps its line ends and whatever else it has.
        let content = content.map(|content| topic::typeable(&content));
        Ok(topic::with_topic(&task.text, &topic::typeable(path), content.as_deref()))
    }
}

fn read(path: &Path) -> Option<String> {
    // A pipe would keep everybody waiting.
    std::fs::metadata(path).ok().filter(|meta| meta.is_file() && meta.len() <= BIGGEST)?;
    std::fs::read_to_string(path).ok()
}

/// Writes the file anew, at once, with the rights it had.
fn replace(path: &Path, text: &str) -> std::io::Result<()> {
    let path = path.canonicalize()?;
    let dir = path.parent().unwrap_or(Path::new("/"));
    let mut file = tempfile::Builder::new().prefix(".symposium-").tempfile_in(dir)?;
    file.write_all(text.as_bytes())?;
    file.as_file().set_permissions(std::fs::metadata(&path)?.permissions())?;
    file.as_file().sync_all()?;
    file.persist(&path)?;
    Ok(())
}
