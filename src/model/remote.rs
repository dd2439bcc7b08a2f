//! The protocol between two symposium processes over ssh: one request, answered by frames.
//!
//! A request is one line of JSON, followed by the stated number of bytes of standard input. The answer begins with
//! [`HELLO`] and continues in frames: a line with a type and a length, and that many bytes. Output of a remote shell
//! before the answer is skipped.

use serde::{Deserialize, Serialize};

/// Version of the protocol that this program implements.
pub const REMOTE_FORMAT: u32 = 1;

/// Start of an answer, which cannot occur in the login output of a shell.
pub const HELLO: &[u8] = b"\x02symposium-remote ";

/// Permanent id of a request. A request with the same id is never executed twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RequestId(pub uuid::Uuid);

impl RequestId {
    /// Generates a new random id.
    pub fn fresh() -> Self {
        RequestId(uuid::Uuid::new_v4())
    }
}

impl std::fmt::Display for RequestId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

/// How often a request may be executed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Replay {
    /// The request changes something: it is recorded before it is executed, and never executed again.
    Once,
    /// The request only reads.
    Any,
}

/// One command line for the remote side.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RemoteRequest {
    /// Version of the protocol in which the request is written.
    pub format: u32,
    /// Version of the program that sends the request.
    pub version: String,
    /// Id of the request.
    pub id: RequestId,
    /// How often the request may be executed.
    pub times: Replay,
    /// Arguments of `symposium`; an empty list only requests the [`RemoteHello`]. No shell interprets them.
    pub argv: Vec<String>,
    /// Number of bytes of standard input that follow.
    pub stdin: usize,
    /// Number of bytes of standard output that have already arrived.
    #[serde(default)]
    pub out_from: u64,
    /// Number of bytes of standard error that have already arrived.
    #[serde(default)]
    pub err_from: u64,
}

/// Identification of the remote program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RemoteHello {
    /// Newest version of the protocol that it supports.
    pub format: u32,
    /// Version of the remote program.
    pub version: String,
}

/// One frame of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RemoteFrame {
    /// Identification of the remote program; always the first frame.
    Hello(RemoteHello),
    /// A piece of standard output.
    Out(Vec<u8>),
    /// A piece of standard error.
    Err(Vec<u8>),
    /// A keep-alive without data.
    Alive,
    /// The command ended with this exit code.
    End(u8),
    /// The command was started and interrupted, and its progress is not known.
    Unknown,
}

impl RemoteFrame {
    /// Encodes the frame for the connection.
    pub fn to_bytes(&self) -> Vec<u8> {
        let head = |word: &str, count: usize| format!("{word} {count}\n").into_bytes();
        match self {
            RemoteFrame::Hello(hello) => {
                let text = serde_json::to_vec(hello).unwrap_or_default();
                [HELLO, &text, b"\n"].concat()
            }
            RemoteFrame::Out(bytes) => [head("out", bytes.len()), bytes.clone()].concat(),
            RemoteFrame::Err(bytes) => [head("err", bytes.len()), bytes.clone()].concat(),
            RemoteFrame::Alive => head("alive", 0),
            RemoteFrame::End(code) => head("end", usize::from(*code)),
            RemoteFrame::Unknown => head("unknown", 0),
        }
    }
}
