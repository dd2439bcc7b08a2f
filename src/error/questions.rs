//! Errors about answers that an agent's dialog does not accept.

use super::{Code, Error};
use crate::model::{AgentName, AskedQuestion, visible};

impl Error {
    /// There is no dialog to answer.
    pub(crate) fn nothing_asked(name: &AgentName, status: impl AsRef<str>, screen: Vec<String>) -> Error {
        Error::new(
            Code::NoQuestion,
            format!("agent `{name}` shows no dialog that can be answered; nothing was pressed"),
        )
        .saw(format!("it is {}; the end of its screen:", status.as_ref()))
        .saw_all(screen)
        .hint(format!("look with `symposium agent peek {name}`"))
    }

    /// The agent asks another question than the one that was read.
    pub(crate) fn asks_another(name: &AgentName, verb: &str, now: &AskedQuestion) -> Error {
        Error::new(
            Code::OtherQuestion,
            format!("agent `{name}` now asks another question; nothing was pressed"),
        )
        .saw_all(visible(&now.text))
        .hint(format!("to answer this question: `symposium agent {verb} {name} --if-asks {}`", now.id))
    }
}
