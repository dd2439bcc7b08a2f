//! A model endpoint of our own on loopback: it speaks what the CLI speaks, answers by the script, and remembers what
//! it was asked. A thread a request; all are gone with the test's process.

use std::io;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;

use serde_json::Value;

use super::script::{self, Answer, SLOWLY, Turn};
use super::{http, messages, responses};

/// The endpoint.
pub struct Endpoint {
    address: SocketAddr,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    answers: AtomicUsize,
    seen: Mutex<Vec<Turn>>,
    /// The last request that was a turn, as it came.
    request: Mutex<Value>,
    let_go: Mutex<bool>,
    went: Condvar,
}

impl Endpoint {
    /// Opens one on a port of its own.
    pub fn open() -> Endpoint {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port on loopback");
        let address = listener.local_addr().expect("it is bound");
        let shared = Arc::new(Shared::default());
        let served = Arc::clone(&shared);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let shared = Arc::clone(&served);
                // A client that hangs up in the middle is no concern of ours.
                thread::spawn(move || shared.serve(&stream));
            }
        });
        Endpoint { address, shared }
    }

    /// Where it is.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// What it was last asked by a person.
    pub fn last_prompt(&self) -> Option<String> {
        self.shared.seen.lock().expect("no thread panics").last()?.prompts.last().cloned()
    }

    /// The request of the last turn, as it came.
    pub fn last_request(&self) -> Value {
        self.shared.request.lock().expect("no thread panics").clone()
    }

    /// Answers what waits because it was to be answered slowly.
    pub fn let_go(&self) {
        *self.shared.let_go.lock().expect("no thread panics") = true;
        self.shared.went.notify_all();
    }
}

impl Shared {
    fn serve(&self, stream: &TcpStream) -> io::Result<()> {
        let request = http::read(stream)?;
        let body: Value = serde_json::from_slice(&request.body).unwrap_or_default();
        let number = self.answers.fetch_add(1, Ordering::Relaxed);
        if messages::turn(&body).is_some() {
            self.request.lock().expect("no thread panics").clone_from(&body);
        }
        let streamed = |answer: &Answer, text: String| match answer {
            Answer::Refuse(refusal) => http::refuse(stream, refusal),
            _ => http::answer(stream, "text/event-stream", &text),
        };
        match request.path.as_str() {
            "/v1/messages" => {
                let answer = self.answer(messages::turn(&body));
                streamed(&answer, messages::stream(&answer, number))
            }
            "/v1/responses" => {
                let answer = self.answer(responses::turn(&body));
                streamed(&answer, responses::stream(&answer, number))
            }
            "/v1/messages/count_tokens" => http::answer(stream, "application/json", r#"{"input_tokens":1}"#),
            _ => http::answer(stream, "application/json", r#"{"data":[],"models":[]}"#),
        }
    }

    fn answer(&self, turn: Option<Turn>) -> Answer {
        let Some(turn) = turn else { return Answer::Words("A title".into()) };
        self.seen.lock().expect("no thread panics").push(turn.clone());
        if turn.prompts.last().is_some_and(|prompt| prompt.starts_with(SLOWLY)) {
            let gone = self.let_go.lock().expect("no thread panics");
            drop(self.went.wait_while(gone, |gone| !*gone));
        }
        script::answer(&turn)
    }
}

/// One server-sent event; its name is its `type`.
pub fn event(data: &Value) -> String {
    format!("event: {}\ndata: {data}\n\n", data["type"].as_str().unwrap_or_default())
}
