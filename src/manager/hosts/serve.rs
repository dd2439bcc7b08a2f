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
use crate::error::{Error, Report};
use crate::manager::Context;
use crate::manager::hosts::Hosts;
use crate::model::{Exit, FAR_FORMAT, FarRequest, Frame, Hello, RequestId, Times};
use crate::process::{self, Heard, Run};
use crate::store::{Printed, Spool};

/// Interval of keep-alive frames while there is no output.
const ALIVE: Duration = Duration::from_secs(5);
/// Maximum number of worker processes that are started for one request.
const MOST_STARTS: u32 = 3;
/// Maximum size of a request. The system cannot execute a longer command line.
const LONGEST_REQUEST: u64 = 4 << 20;
/// Maximum size of the standard input. Prompts and notes are far shorter.
const LONGEST_INPUT: usize = 256 << 20;

/// Writes frames to the client. An error means that the client has disconnected.
struct Teller<W: Write>(W);

impl<W: Write> Teller<W> {
    fn tell(&mut self, frame: &Frame) -> Result<(), Error> {
        let said = self.0.write_all(&frame.to_bytes()).and_then(|()| self.0.flush());
        said.map_err(Error::io("the other side is gone"))
    }
}

/// Answers the request on `input`.
pub fn serve(
    home: Option<&Path>,
    mut input: impl BufRead + Send + 'static,
    output: impl Write,
) -> Result<(), Error> {
    let mut teller = Teller(output);
    teller.tell(&Frame::Hello(Hello { format: FAR_FORMAT, version: env!("CARGO_PKG_VERSION").into() }))?;
    let env = Env::capture();
    let mut is_for_programs = false;
    let answered = read(&mut input).and_then(|(request, bytes)| {
        is_for_programs = request.argv.iter().take_while(|word| *word != "--").any(|word| word == "--json");
        if request.argv.is_empty() {
            return teller.tell(&Frame::End(0));
        }
        let manager = Context::open(env, home)?;
        match request.times {
            Times::Any => Hosts(&manager).look(&request, (bytes, input), &mut teller),
            Times::Once => Hosts(&manager).once(&request, &bytes, &mut teller),
        }
    });
    match answered {
        // The client reports this as an error of this machine.
        Err(error) => {
            let report = error.report();
            let text = if is_for_programs { format!("{}\n", report.json()) } else { in_lines(&report) };
            teller.tell(&Frame::Err(text.into_bytes()))?;
            teller.tell(&Frame::End(report.exit))
        }
        Ok(()) => Ok(()),
    }
}

/// Formats an error for the terminal.
fn in_lines(report: &Report) -> String {
    let saw = report.saw.iter().map(|line| format!("  {line}\n"));
    let hints = report.hints.iter().map(|hint| format!("hint: {hint}\n"));
    std::iter::once(format!("error: {}\n", report.message)).chain(saw).chain(hints).collect()
}

/// Reads the request and its standard input.
fn read(input: &mut impl BufRead) -> Result<(FarRequest, Vec<u8>), Error> {
    let wrong = |what: String| Error::Usage { what, hint: None };
    let mut line = Vec::new();
    input
        .by_ref()
        .take(LONGEST_REQUEST)
        .read_until(b'\n', &mut line)
        .map_err(Error::io("cannot read a request"))?;
    let request: FarRequest =
        serde_json::from_slice(&line).map_err(|why| wrong(format!("this is no request: {why}")))?;
    if request.format > FAR_FORMAT {
        return Err(wrong(format!(
            "the request is of a newer format ({}, this symposium {} knows {FAR_FORMAT})",
            request.format,
            env!("CARGO_PKG_VERSION")
        )));
    }
    if request.stdin > LONGEST_INPUT {
        return Err(wrong("the text is too long to be passed on".to_owned()));
    }
    let mut bytes = vec![0; request.stdin];
    input.read_exact(&mut bytes).map_err(Error::io("the text did not arrive whole"))?;
    Ok((request, bytes))
}

impl Hosts<'_> {
    /// Executes a command that only reads, while the client is connected.
    fn look(
        &self,
        request: &FarRequest,
        (bytes, mut input): (Vec<u8>, impl BufRead + Send + 'static),
        teller: &mut Teller<impl Write>,
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
            match listening.next(ALIVE) {
                Heard::Out(bytes) => teller.tell(&Frame::Out(bytes))?,
                Heard::Err(bytes) => teller.tell(&Frame::Err(bytes))?,
                Heard::Unwanted => return Ok(()),
                Heard::Nothing => teller.tell(&Frame::Alive)?,
                Heard::Closed => break,
            }
        }
        let exit = listening.end().map_err(Error::io("cannot wait for symposium"))?;
        teller.tell(&Frame::End(code(exit)))
    }

    /// Executes a request at most once and sends its output from the offsets that the client requested.
    fn once(&self, request: &FarRequest, bytes: &[u8], teller: &mut Teller<impl Write>) -> Result<(), Error> {
        self.0.store.forget_requests(Env::now());
        let written = serde_json::to_vec(request).unwrap_or_default();
        let spool = self.0.store.spool(request.id, &written, bytes)?;
        crate::failpoint::reached("remote.spooled");
        let watch = spool.watch()?;
        let (mut out, mut err) = (request.out_from, request.err_from);
        let (mut is_started, mut starts) = (false, 0);
        loop {
            // The order matters: if the end is visible here, all output has been written before it is read below.
            let (held, end) = (spool.is_held(), spool.end());
            if !told(&spool, (&mut out, &mut err), teller)? {
                continue;
            }
            match end {
                Some(code) => return teller.tell(&Frame::End(code)),
                None if held => {}
                None if spool.has_begun() => {
                    if spool.is_held() || spool.end().is_some() {
                        continue;
                    }
                    return teller.tell(&Frame::Unknown);
                }
                None if !is_started && starts == MOST_STARTS => {
                    return Err(Error::Io {
                        what: "what was asked cannot be begun".to_owned(),
                        source: std::io::Error::other("a process that should do it ends at once"),
                    });
                }
                None if !is_started => {
                    self.start_work(request.id)?;
                    (is_started, starts) = (true, starts + 1);
                }
                None => {}
            }
            if !watch.changed(ALIVE) {
                is_started = is_started && (spool.is_held() || spool.has_begun());
                teller.tell(&Frame::Alive)?;
            }
        }
    }

    fn start_work(&self, id: RequestId) -> Result<(), Error> {
        let words = self.with_home(vec!["remote".into(), "--work".into(), id.to_string()]);
        let run = Run { program: self.0.env.exe(), args: &words, dir: None, env: None };
        process::start_apart(&run).map_err(Error::io("cannot start symposium"))
    }

    /// Executes a stored request, unless another process has executed it or is executing it.
    pub fn work_off(&self, id: RequestId) -> Result<(), Error> {
        process::leave_session().map_err(Error::io("cannot leave the connection's session"))?;
        let spool = self.0.store.spooled(id);
        let Some(work) = spool.begin()? else { return Ok(()) };
        crate::failpoint::reached("remote.begun");
        let request: FarRequest = serde_json::from_slice(&spool.request()?)
            .map_err(|why| Error::Usage { what: format!("this is no request: {why}"), hint: None })?;
        let words = self.with_home(request.argv);
        let run = Run { program: self.0.env.exe(), args: &words, dir: None, env: None };
        let [input, out, mut err] = spool.files()?;
        let said = err.try_clone().map_err(Error::io("cannot write what it says"))?;
        let code = process::run_into(&run, [input, out, said]).map(code).unwrap_or_else(|why| {
            let _ = writeln!(err, "error: cannot start symposium: {why}");
            1
        });
        crate::failpoint::reached("remote.done");
        Ok(spool.finish(code, work)?)
    }

    /// Prepends `--home`, so that the command runs in this environment.
    fn with_home(&self, words: Vec<String>) -> Vec<String> {
        let home = self.0.home.path.to_string_lossy().into_owned();
        [vec!["--home".into(), home], words].concat()
    }
}

/// Sends some of the output. Returns whether there was nothing left to send.
fn told(
    spool: &Spool,
    (out, err): (&mut u64, &mut u64),
    teller: &mut Teller<impl Write>,
) -> Result<bool, Error> {
    let (more_out, more_err) = (spool.printed(Printed::Out, *out)?, spool.printed(Printed::Err, *err)?);
    *out += more_out.len() as u64;
    *err += more_err.len() as u64;
    let nothing = more_out.is_empty() && more_err.is_empty();
    if !more_out.is_empty() {
        teller.tell(&Frame::Out(more_out))?;
    }
    if !more_err.is_empty() {
        teller.tell(&Frame::Err(more_err))?;
    }
    Ok(nothing)
}

/// Converts an exit to a number as a shell does.
fn code(exit: Exit) -> u8 {
    let code = exit.code.unwrap_or_else(|| 128 + exit.signal.unwrap_or(0));
    u8::try_from(code).unwrap_or(1)
}
