//! What is said between two symposiums over ssh: one request there, frames back.
//!
//! A request is one line of JSON and then as many bytes of standard input as it says. The answer begins with [`HELLO`]
//! and goes on in frames: a line with a word and a number, and that many bytes. Whatever a shell of the far side
//! prints before is not ours and is skipped.

use serde::{Deserialize, Serialize};

/// The format that this symposium speaks.
pub const FAR_FORMAT: u32 = 1;

/// What begins an answer: nothing that a shell prints at login looks like it.
pub const HELLO: &[u8] = b"\x02symposium-remote ";

/// Names a request for ever: the same one is never done twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RequestId(pub uuid::Uuid);

impl RequestId {
    /// A new one that nobody has.
    pub fn fresh() -> Self {
        RequestId(uuid::Uuid::new_v4())
    }
}

impl std::fmt::Display for RequestId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

/// How often something may be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Times {
    /// It changes something: written down before it is begun, and never begun again.
    Once,
    /// It only looks.
    Any,
}

/// One command line for the far side.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FarRequest {
    /// The format it is written in.
    pub format: u32,
    /// The version of whoever asks.
    pub version: String,
    /// Which one it is.
    pub id: RequestId,
    /// How often it may be done.
    pub times: Times,
    /// The words behind `symposium`; none only asks who is there. No shell sees them.
    pub argv: Vec<String>,
    /// How many bytes of standard input follow.
    pub stdin: usize,
    /// How much of standard output has arrived already.
    #[serde(default)]
    pub out_from: u64,
    /// How much of standard error has arrived already.
    #[serde(default)]
    pub err_from: u64,
}

/// Who answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hello {
    /// The newest format it speaks.
    pub format: u32,
    /// Its version.
    pub version: String,
}

/// One piece of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Frame {
    /// Who answers; comes first.
    Hello(Hello),
    /// Standard output.
    Out(Vec<u8>),
    /// Standard error.
    Err(Vec<u8>),
    /// Nothing yet, and still there.
    Alive,
    /// It is over, with this exit code.
    End(u8),
    /// It was begun and cut short, and nobody knows how far it came.
    Unknown,
}

impl Frame {
    /// As it goes over the wire.
    pub fn to_bytes(&self) -> Vec<u8> {
        let head = |word: &str, count: usize| format!("{word} {count}\n").into_bytes();
        match self {
            Frame::Hello(hello) => {
                let text = serde_json::to_vec(hello).unwrap_or_default();
                [HELLO, &text, b"\n"].concat()
            }
            Frame::Out(bytes) => [head("out", bytes.len()), bytes.clone()].concat(),
            Frame::Err(bytes) => [head("err", bytes.len()), bytes.clone()].concat(),
            Frame::Alive => head("alive", 0),
            Frame::End(code) => head("end", usize::from(*code)),
            Frame::Unknown => head("unknown", 0),
        }
    }
}
