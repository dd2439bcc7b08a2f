//! `symposium remote`: the receiving side of a command from another machine. Reads one request, executes it and sends
//! the output and exit code.
//!
//! A request with effects is stored first and executed by a separate process that is independent of the connection: a
//! lost connection neither ends it nor causes a second execution. A client that returns with the same request receives
//! the rest of the same answer.

use std::io::{BufRead, Read, Write};
use std::path::Path;
use std::time::Duration;

use crate::env::Env;
use crate::error::Error;
use crate::manager::Context;
use crate::manager::hosts::Hosts;
use crate::model::{Exit, REMOTE_FORMAT, RemoteFrame, RemoteHello, RemoteRequest, Replay, RequestId};
use crate::process::{self, Run, StreamEvent};
use crate::store::{OutputStream, RequestSpool, StoredRequest};

/// Interval of keep-alive frames while there is no output.
const KEEP_ALIVE_INTERVAL: Duration = Duration::from_secs(5);
/// Maximum number of worker processes that are started for one request.
const MAX_STARTS: u32 = 3;
/// Maximum size of a request. The system cannot execute a longer command line.
const MAX_REQUEST_BYTES: u64 = 4 << 20;
/// Maximum size of the standard input. Prompts and notes are far shorter.
const MAX_INPUT_BYTES: usize = 256 << 20;

/// Writes frames to the client. An error means that the client has disconnected.
struct FrameWriter<W: Write>(W);

impl<W: Write> FrameWriter<W> {
    fn send(&mut self, frame: &RemoteFrame) -> Result<(), Error> {
        let written = self.0.write_all(&frame.to_bytes()).and_then(|()| self.0.flush());
        written.map_err(Error::io("the client has disconnected"))
    }
}

/// Answers the request on `input`.
pub fn serve(
    home: Option<&Path>,
    mut input: impl BufRead + Send + 'static,
    output: impl Write,
) -> Result<(), Error> {
    let mut writer = FrameWriter(output);
    writer.send(&RemoteFrame::Hello(RemoteHello {
        format: REMOTE_FORMAT,
        version: env!("CARGO_PKG_VERSION").into(),
    }))?;
    let env = Env::capture();
    let mut is_for_programs = false;
    let answered = read(&mut input).and_then(|(request, bytes)| {
        is_for_programs = request.argv.iter().take_while(|word| *word != "--").any(|word| word == "--json");
        if request.argv.is_empty() {
            return writer.send(&RemoteFrame::End(0));
        }
        let manager = Context::open(env, home)?;
        match request.times {
            Replay::Any => Hosts(&manager).execute_query(&request, (bytes, input), &mut writer),
            Replay::Once => Hosts(&manager).once(&request, &bytes, &mut writer),
        }
    });
    match answered {
        // The client reports this as an error of this machine.
        Err(error) => {
            let text = if is_for_programs { error.json().to_string() } else { error.text() };
            writer.send(&RemoteFrame::Err(format!("{text}\n").into_bytes()))?;
            writer.send(&RemoteFrame::End(error.exit()))
        }
        Ok(()) => Ok(()),
    }
}

/// Reads the request and its standard input.
fn read(input: &mut impl BufRead) -> Result<(RemoteRequest, Vec<u8>), Error> {
    let wrong = |what: String| Error::usage(what);
    let mut line = Vec::new();
    input
        .by_ref()
        .take(MAX_REQUEST_BYTES)
        .read_until(b'\n', &mut line)
        .map_err(Error::io("cannot read a request"))?;
    let request: RemoteRequest =
        serde_json::from_slice(&line).map_err(|why| wrong(format!("invalid request: {why}")))?;
    if request.format > REMOTE_FORMAT {
        return Err(wrong(format!(
            "the request is of a newer format ({}, this symposium {} knows {REMOTE_FORMAT})",
            request.format,
            env!("CARGO_PKG_VERSION")
        )));
    }
    if request.stdin > MAX_INPUT_BYTES {
        return Err(wrong("the text is too long".to_owned()));
    }
    let mut bytes = vec![0; request.stdin];
    input.read_exact(&mut bytes).map_err(Error::io("the text is incomplete"))?;
    Ok((request, bytes))
}

impl Hosts<'_> {
    /// Executes a command that only reads, while the client is connected.
    fn execute_query(
        &self,
        request: &RemoteRequest,
        (bytes, mut input): (Vec<u8>, impl BufRead + Send + 'static),
        writer: &mut FrameWriter<impl Write>,
    ) -> Result<(), Error> {
        let words = self.with_home(request.argv.clone());
        let run = Run { program: self.0.env.exe(), args: &words, dir: None, env: None };
        let mut listening = process::listen_to(&run, bytes).map_err(Error::io("cannot start symposium"))?;
        let stop = listening.stopper();
        std::thread::spawn(move || {
            // The end of the input means that the client has disconnected.
            let _ = std::io::copy(&mut input, &mut std::io::sink());
            stop();
        });
        loop {
            match listening.next(KEEP_ALIVE_INTERVAL) {
                StreamEvent::Out(bytes) => writer.send(&RemoteFrame::Out(bytes))?,
                StreamEvent::Err(bytes) => writer.send(&RemoteFrame::Err(bytes))?,
                StreamEvent::Unwanted => return Ok(()),
                StreamEvent::Nothing => writer.send(&RemoteFrame::Alive)?,
                StreamEvent::Closed => break,
            }
        }
        let exit = listening.end().map_err(Error::io("cannot wait for symposium"))?;
        writer.send(&RemoteFrame::End(code(exit)))
    }

    /// Executes a request at most once and sends its output from the offsets that the client requested.
    fn once(
        &self,
        request: &RemoteRequest,
        bytes: &[u8],
        writer: &mut FrameWriter<impl Write>,
    ) -> Result<(), Error> {
        RequestSpool(&self.0.store).forget_old(self.0.now());
        let written = serde_json::to_vec(request).unwrap_or_default();
        let spool = RequestSpool(&self.0.store).store(request.id, &written, bytes)?;
        crate::failpoint::reached("remote.spooled");
        let watch = spool.watch()?;
        let (mut out, mut err) = (request.out_from, request.err_from);
        let (mut is_started, mut starts) = (false, 0);
        loop {
            // The order matters: if the end is visible here, all output has been written before it is read below.
            let (held, end) = (spool.is_held(), spool.end());
            if !send_output(&spool, (&mut out, &mut err), writer)? {
                continue;
            }
            match end {
                Some(code) => return writer.send(&RemoteFrame::End(code)),
                None if held => {}
                None if spool.has_begun() => {
                    if spool.is_held() || spool.end().is_some() {
                        continue;
                    }
                    return writer.send(&RemoteFrame::Unknown);
                }
                None if !is_started && starts == MAX_STARTS => {
                    return Err(Error::io("the command cannot be started".to_owned())(
                        std::io::Error::other("its process exits immediately"),
                    ));
                }
                None if !is_started => {
                    self.start_work(request.id)?;
                    (is_started, starts) = (true, starts + 1);
                }
                None => {}
            }
            if !watch.changed(KEEP_ALIVE_INTERVAL) {
                is_started = is_started && (spool.is_held() || spool.has_begun());
                writer.send(&RemoteFrame::Alive)?;
            }
        }
    }

    fn start_work(&self, id: RequestId) -> Result<(), Error> {
        let words = self.with_home(vec!["remote".into(), "--work".into(), id.to_string()]);
        let run = Run { program: self.0.env.exe(), args: &words, dir: None, env: None };
        process::start_detached(&run).map_err(Error::io("cannot start symposium"))
    }

    /// Executes a stored request, unless another process has executed it or is executing it.
    pub fn execute_request(&self, id: RequestId) -> Result<(), Error> {
        process::leave_session().map_err(Error::io("cannot start a session of its own"))?;
        let spool = RequestSpool(&self.0.store).get(id);
        let Some(work) = spool.begin()? else { return Ok(()) };
        crate::failpoint::reached("remote.begun");
        let request: RemoteRequest = serde_json::from_slice(&spool.request()?)
            .map_err(|why| Error::usage(format!("invalid request: {why}")))?;
        let words = self.with_home(request.argv);
        let run = Run { program: self.0.env.exe(), args: &words, dir: None, env: None };
        let [input, out, mut err] = spool.files()?;
        let written = err.try_clone().map_err(Error::io("cannot write its output"))?;
        let code = process::run_into(&run, [input, out, written]).map(code).unwrap_or_else(|why| {
            let _ = writeln!(err, "error: cannot start symposium: {why}");
            1
        });
        crate::failpoint::reached("remote.done");
        Ok(spool.finish(code, work)?)
    }

    /// Prepends `--home`, so that the command runs in this environment.
    pub(in crate::manager) fn with_home(&self, words: Vec<String>) -> Vec<String> {
        let home = self.0.home.path.to_string_lossy().into_owned();
        [vec!["--home".into(), home], words].concat()
    }
}

/// Sends some of the output. Returns whether there was nothing left to send.
fn send_output(
    spool: &StoredRequest,
    (out, err): (&mut u64, &mut u64),
    writer: &mut FrameWriter<impl Write>,
) -> Result<bool, Error> {
    let (more_out, more_err) =
        (spool.printed(OutputStream::Out, *out)?, spool.printed(OutputStream::Err, *err)?);
    *out += more_out.len() as u64;
    *err += more_err.len() as u64;
    let nothing = more_out.is_empty() && more_err.is_empty();
    if !more_out.is_empty() {
        writer.send(&RemoteFrame::Out(more_out))?;
    }
    if !more_err.is_empty() {
        writer.send(&RemoteFrame::Err(more_err))?;
    }
    Ok(nothing)
}

/// Converts an exit to a number as a shell does.
fn code(exit: Exit) -> u8 {
    let code = exit.code.unwrap_or_else(|| 128 + exit.signal.unwrap_or(0));
    u8::try_from(code).unwrap_or(1)
}
