//! The threads that send notices, one for each channel, so that a service that does not answer delays nothing else.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use jiff::Timestamp;

use crate::manager::Context;
use crate::model::{NoticeChannel, NoticeMessage};
use crate::notify::{HttpClient, HttpRequest, NoticeError, ntfy_request, read_secret, webhook_request};
use crate::store::{ChannelFailure, ChannelFailures, Store};

/// Maximum number of notices that wait for a channel. A service that does not answer takes half a minute for each.
const MAX_WAITING: usize = 20;
/// Pauses before further attempts.
const RETRY_PAUSES: [Duration; 2] = [Duration::from_secs(1), Duration::from_secs(5)];

/// A service on the network that gets notices.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::manager) enum NetworkChannel {
    /// A topic of ntfy.
    Ntfy,
    /// A webhook of the user.
    Webhook,
}

impl NetworkChannel {
    /// Returns the name of the channel in `[notify]`.
    pub(in crate::manager) fn name(self) -> &'static str {
        match self {
            NetworkChannel::Ntfy => "ntfy",
            NetworkChannel::Webhook => "webhook",
        }
    }
}

/// A notice for one channel.
#[derive(Debug)]
pub(in crate::manager) struct NoticeJob {
    /// The settings of the channel when the notice was created.
    pub(in crate::manager) settings: NoticeChannel,
    /// The content of the notice.
    pub(in crate::manager) message: NoticeMessage,
}

/// Notices that wait to be sent. Those that wait when it is dropped are still sent, unless the process ends.
#[derive(Debug, Default)]
pub struct NoticeOutbox {
    queues: BTreeMap<NetworkChannel, SyncSender<NoticeJob>>,
    failures: Arc<Mutex<Vec<String>>>,
}

impl NoticeOutbox {
    /// Gives a notice to the thread of a channel, which is started if necessary. Returns why that was not possible.
    pub(in crate::manager) fn put(
        &mut self,
        context: &Context,
        channel: NetworkChannel,
        job: NoticeJob,
    ) -> Option<String> {
        let queued = match self.queues.get(&channel) {
            Some(queue) => queue.try_send(job),
            None => match self.start(context, channel) {
                Ok(queue) => {
                    let queued = queue.try_send(job);
                    self.queues.insert(channel, queue);
                    queued
                }
                Err(error) => return Some(format!("cannot start a thread: {error}")),
            },
        };
        match queued {
            Ok(()) => None,
            Err(TrySendError::Full(_)) => {
                Some(format!("{MAX_WAITING} notices wait already; one was dropped"))
            }
            Err(TrySendError::Disconnected(_)) => {
                self.queues.remove(&channel);
                Some("its thread has ended; one notice was dropped".to_owned())
            }
        }
    }

    /// Returns the failures since the last call.
    pub(in crate::manager) fn take_failures(&self) -> Vec<String> {
        std::mem::take(&mut *self.failures.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn start(&self, context: &Context, channel: NetworkChannel) -> std::io::Result<SyncSender<NoticeJob>> {
        let (queue, jobs) = sync_channel(MAX_WAITING);
        let sender = ChannelSender {
            channel,
            env: context.env.all().to_vec(),
            home: context.home().to_owned(),
            failures: Arc::clone(&self.failures),
        };
        thread::Builder::new().name(channel.name().into()).spawn(move || sender.run(&jobs))?;
        Ok(queue)
    }
}

/// Sends the notices of one channel.
struct ChannelSender {
    channel: NetworkChannel,
    env: Vec<(OsString, OsString)>,
    home: PathBuf,
    failures: Arc<Mutex<Vec<String>>>,
}

impl ChannelSender {
    fn run(&self, jobs: &Receiver<NoticeJob>) {
        let client = HttpClient::new();
        for job in jobs {
            let outcome =
                self.request(&job).and_then(|request| send_with_retries(&client, &request, &RETRY_PAUSES));
            self.note(job.message.sent_at, outcome.err());
        }
    }

    fn request(&self, job: &NoticeJob) -> Result<HttpRequest, NoticeError> {
        let NoticeJob { settings, message } = job;
        let secret = settings.secret.as_ref().map(|source| read_secret(source, &self.env)).transpose()?;
        match self.channel {
            NetworkChannel::Ntfy => ntfy_request(settings, secret.as_deref(), message),
            NetworkChannel::Webhook => Ok(webhook_request(settings, secret.as_deref(), message)),
        }
    }

    /// Stores the outcome for `symposium doctor`, and a failure for the log.
    fn note(&self, at: Timestamp, failure: Option<NoticeError>) {
        let failure = failure.map(|error| ChannelFailure { at, why: error.to_string() });
        // A state directory that cannot be written is reported by other checks.
        let _ = Store::open_existing(&self.home)
            .and_then(|store| ChannelFailures(&store).set(self.channel.name(), failure.as_ref()));
        if let Some(failure) = failure {
            let mut failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
            failures.push(format!("{}: {}", self.channel.name(), failure.why));
        }
    }
}

/// Sends a request, and tries again after failures that may be temporary, with these pauses.
fn send_with_retries(
    client: &HttpClient,
    request: &HttpRequest,
    pauses: &[Duration],
) -> Result<(), NoticeError> {
    let mut pauses = pauses.iter();
    loop {
        match client.post(request) {
            Err(error) if error.is_temporary() => match pauses.next() {
                Some(pause) => thread::sleep(*pause),
                None => return Err(error),
            },
            outcome => return outcome,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::TcpListener;

    use super::*;

    /// Sends a request to a service that answers with these statuses. Returns the outcome and how many it has used.
    fn sent_to_service(statuses: &'static [&'static str]) -> (Result<(), NoticeError>, usize) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/", listener.local_addr().unwrap()).parse().unwrap();
        let used = Arc::new(Mutex::new(0));
        let counted = Arc::clone(&used);
        thread::spawn(move || {
            for status in statuses {
                let (mut stream, _) = listener.accept().unwrap();
                *counted.lock().unwrap() += 1;
                let _ = stream.read(&mut [0; 1024]);
                let _ = write!(stream, "HTTP/1.1 {status}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
            }
        });
        let request = HttpRequest { url, headers: vec![], body: vec![] };
        let outcome = send_with_retries(&HttpClient::new(), &request, &[Duration::ZERO; 2]);
        let used = *used.lock().unwrap();
        (outcome, used)
    }

    #[test]
    fn only_temporary_failures_are_tried_again_and_not_forever() {
        let (outcome, used) = sent_to_service(&["503 Unavailable", "429 Too Many", "200 OK"]);
        assert!(outcome.is_ok() && used == 3, "{outcome:?} {used}");
        let (outcome, used) = sent_to_service(&["403 Forbidden", "200 OK"]);
        assert_eq!((outcome.unwrap_err().to_string().as_str(), used), ("127.0.0.1 answered 403", 1));
        let (outcome, used) = sent_to_service(&["500 Error"; 9]);
        assert!(outcome.is_err() && used == 3, "{outcome:?} {used}");
    }
}
