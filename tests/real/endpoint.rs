//! A model endpoint on loopback: it speaks the API of the CLI, answers by the script, and records the requests. Each
//! request has a thread; all threads end with the process of the test.

use std::io;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;

use serde_json::Value;

use super::script::{self, Answer, SLOWLY, Turn};
use super::{http, messages, responses};

/// A scripted model endpoint.
pub struct Endpoint {
    address: SocketAddr,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    answers: AtomicUsize,
    seen: Mutex<Vec<Turn>>,
    /// The last request that was a turn, unchanged.
    request: Mutex<Value>,
    let_go: Mutex<bool>,
    went: Condvar,
}

impl Endpoint {
    /// Opens an endpoint on a free port.
    pub fn open() -> Endpoint {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port on loopback");
        let address = listener.local_addr().expect("it is bound");
        let shared = Arc::new(Shared::default());
        let served = Arc::clone(&shared);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let shared = Arc::clone(&served);
                // An error is ignored, because a client may disconnect at any time.
                thread::spawn(move || shared.serve(&stream));
            }
        });
        Endpoint { address, shared }
    }

    /// Returns the URL of the endpoint.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Returns the last prompt of a user.
    pub fn last_prompt(&self) -> Option<String> {
        self.shared.seen.lock().expect("no thread panics").last()?.prompts.last().cloned()
    }

    /// Returns the request of the last turn, unchanged.
    pub fn last_request(&self) -> Value {
        self.shared.request.lock().expect("no thread panics").clone()
    }

    /// Answers the requests that wait because they are to be answered slowly.
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

/// Returns one server-sent event, whose name is its `type`.
pub fn event(data: &Value) -> String {
    format!("event: {}\ndata: {data}\n\n", data["type"].as_str().unwrap_or_default())
}
