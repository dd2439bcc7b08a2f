//! Standard input that reports its end, because a call that waits must not keep the server running without a client.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, ReadBuf, Stdin};
use tokio::sync::watch;

/// Standard input with a notification at its end.
pub(super) struct ClosingInput {
    stdin: Stdin,
    over: watch::Sender<bool>,
}

impl ClosingInput {
    /// Wraps standard input. The receiver becomes `true` at the end of the input.
    pub(super) fn new(stdin: Stdin) -> (ClosingInput, watch::Receiver<bool>) {
        let (over, is_over) = watch::channel(false);
        (ClosingInput { stdin, over }, is_over)
    }
}

impl AsyncRead for ClosingInput {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.stdin).poll_read(context, buffer);
        if matches!(read, Poll::Ready(Ok(()))) && buffer.filled().len() == before {
            self.over.send_replace(true);
        }
        read
    }
}
