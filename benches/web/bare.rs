//! A minimal server for a program on a bare pty: one stream of events, and requests with keys. It checks nothing. As a
//! page for a browser it serves xterm.js.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread;

use rustix::fs::{Mode, OFlags, open};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

/// The argument that serves a program on a bare pty until the end of the standard input; its value is the file of
/// xterm.js.
pub const BARE_PAGE: &str = "--bare-page";

/// A page with xterm.js that writes what arrives and sends what is typed.
const PAGE: &str = r#"<!doctype html><title>bare</title><div id="t"></div><script type="module">
import { Terminal } from "./xterm.mjs";
const terminal = new Terminal({ cols: 80, rows: 24 });
terminal.open(document.getElementById("t"));
terminal.onData((data) => fetch("type", { method: "POST", body: data }));
const reader = (await fetch("events")).body.pipeThrough(new TextDecoderStream()).getReader();
for (let held = "";;) {
  const { value, done } = await reader.read();
  if (done) break;
  const events = (held + value).split("\n\n");
  held = events.pop();
  for (const event of events) terminal.write(JSON.parse(event.slice(6)));
}
</script>"#;

/// The running server.
pub struct BareServer {
    /// Host and port.
    pub host: String,
    program: Child,
}

impl BareServer {
    /// Starts a program that echoes each byte, and a server for it.
    pub fn start() -> BareServer {
        BareServer::with_xterm(None)
    }

    fn with_xterm(xterm: Option<PathBuf>) -> BareServer {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).expect("a pty");
        grantpt(&master).expect("ours");
        unlockpt(&master).expect("ours");
        let size = Winsize { ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0 };
        tcsetwinsize(&master, size).expect("a size");
        let path = ptsname(&master, Vec::new()).expect("a name");
        let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC;
        let slave: OwnedFd = open(path, flags, Mode::empty()).expect("the other end");
        let end = || Stdio::from(slave.try_clone().expect("a descriptor"));
        let mut command = Command::new("/bin/sh");
        command.args(["-c", "stty raw -echo; cat"]).stdin(end()).stdout(end()).stderr(end());
        let program = command.spawn().expect("a shell");
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let host = listener.local_addr().expect("an address").to_string();
        let pty = File::from(master);
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let (pty, xterm) = (pty.try_clone().expect("a descriptor"), xterm.clone());
                thread::spawn(move || answer(stream, pty, xterm));
            }
        });
        BareServer { host, program }
    }
}

impl Drop for BareServer {
    fn drop(&mut self) {
        let _ = self.program.kill();
        let _ = self.program.wait();
    }
}

/// Serves the page until the standard input ends. Prints its address.
pub fn serve_page(xterm: PathBuf) {
    let server = BareServer::with_xterm(Some(xterm));
    println!("http://{}/", server.host);
    let _ = std::io::stdin().read_to_end(&mut Vec::new());
}

/// Answers the requests of a connection.
fn answer(stream: TcpStream, mut pty: File, xterm: Option<PathBuf>) {
    stream.set_nodelay(true).expect("an option");
    let mut stream = BufReader::new(stream);
    loop {
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            if !stream.read_line(&mut head).is_ok_and(|count| count > 0) {
                return;
            }
        }
        let length = head.lines().find_map(|line| {
            line.split_once(": ").filter(|(name, _)| name.eq_ignore_ascii_case("content-length"))
        });
        let mut body = vec![0; length.map_or(0, |(_, length)| length.parse().expect("a number"))];
        stream.read_exact(&mut body).expect("a whole body");
        let reply = |media_type: &str, text: &[u8]| {
            let length = text.len();
            let head =
                format!("HTTP/1.1 200 OK\r\ncontent-type: {media_type}\r\ncontent-length: {length}\r\n\r\n");
            [head.as_bytes(), text].concat()
        };
        let answer = match head.split(' ').nth(1) {
            Some("/events") => return send_output(stream.into_inner(), pty),
            Some("/type") => {
                pty.write_all(&body).expect("the program reads");
                reply("text/plain", b"")
            }
            Some("/xterm.mjs") => {
                let file = xterm.as_ref().and_then(|file| fs::read(file).ok()).expect("the file of xterm.js");
                reply("text/javascript", &file)
            }
            _ => reply("text/html", PAGE.as_bytes()),
        };
        if stream.get_mut().write_all(&answer).is_err() {
            return;
        }
    }
}

/// Sends what the program prints as events.
fn send_output(mut stream: TcpStream, mut pty: File) {
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
    stream.write_all(head.as_bytes()).expect("the client reads");
    let mut buffer = vec![0; 1 << 15];
    while let Ok(count @ 1..) = pty.read(&mut buffer) {
        let text = serde_json::to_string(&String::from_utf8_lossy(&buffer[..count])).expect("a text");
        if stream.write_all(format!("data: {text}\n\n").as_bytes()).is_err() {
            return;
        }
    }
}
