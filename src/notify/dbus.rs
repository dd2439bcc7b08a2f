//! A connection to a D-Bus message bus of this machine: finds the socket, authenticates, and calls methods.

use std::ffi::{OsStr, OsString};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::{Duration, Instant};

use super::NoticeError;
use super::dbus_message::{self, BusMessage, FIXED_HEADER_BYTES, MessageBody, Method};
use crate::base::percent::percent_decoded;

/// Time limit for the bus and for the notification service. Both normally answer within milliseconds.
const BUS_TIMEOUT: Duration = Duration::from_secs(2);
/// First call on every connection, to the bus itself.
const HELLO: Method<'_> =
    Method { service: "org.freedesktop.DBus", path: "/org/freedesktop/DBus", member: "Hello" };

/// A connection on which `Hello` has been called.
pub(super) struct Bus {
    stream: BufReader<UnixStream>,
    serial: u32,
    until: Instant,
}

/// Returns the address of the user's session bus, from the values of `DBUS_SESSION_BUS_ADDRESS` and `XDG_RUNTIME_DIR`,
/// or `None` if there is no session bus.
pub fn session_bus(address: Option<&OsStr>, runtime_dir: Option<&OsStr>) -> Option<OsString> {
    address.map(OsStr::to_owned).or_else(|| {
        let socket = Path::new(runtime_dir?).join("bus");
        let mut address = OsString::from("unix:path=");
        address.push(escaped(socket.as_os_str().as_bytes()));
        socket.exists().then_some(address)
    })
}

impl Bus {
    /// Connects to the first of the addresses that answers.
    pub(super) fn connect(address: &OsStr) -> Result<Bus, NoticeError> {
        let mut failure = NoticeError::Address { address: address.to_string_lossy().into_owned() };
        for candidate in address.as_bytes().split(|byte| *byte == b';') {
            match stream(candidate).map(Bus::handshake) {
                Some(Ok(bus)) => return Ok(bus),
                Some(Err(error)) => failure = error,
                None => {}
            }
        }
        Err(failure)
    }

    fn handshake(stream: io::Result<UnixStream>) -> Result<Bus, NoticeError> {
        let stream = stream.map_err(NoticeError::bus("connecting to the bus"))?;
        let mut bus = Bus { stream: BufReader::new(stream), serial: 0, until: Instant::now() + BUS_TIMEOUT };
        bus.authenticate().map_err(NoticeError::bus("authenticating with the bus"))?;
        bus.call(HELLO, MessageBody::default())?;
        Ok(bus)
    }

    /// Authenticates. The kernel reports our user to the bus; we only have to name the same one.
    fn authenticate(&mut self) -> io::Result<()> {
        let user = rustix::process::geteuid().as_raw().to_string();
        let hex: String = user.bytes().map(|byte| format!("{byte:02x}")).collect();
        self.send(format!("\0AUTH EXTERNAL {hex}\r\n").as_bytes())?;
        let mut answer = Vec::new();
        // The length of the line is limited, because the peer is not known to be a bus.
        self.stream.by_ref().take(1024).read_until(b'\n', &mut answer)?;
        if !answer.starts_with(b"OK ") {
            let detail = String::from_utf8_lossy(&answer).trim().to_owned();
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, format!("it answered `{detail}`")));
        }
        self.send(b"BEGIN\r\n")
    }

    /// Calls a method and waits for its completion.
    pub(super) fn call(&mut self, method: Method<'_>, body: MessageBody) -> Result<(), NoticeError> {
        self.serial += 1;
        let message = dbus_message::call(method, self.serial, body);
        self.send(&message).map_err(NoticeError::bus("writing to the bus"))?;
        loop {
            match self.read_message()? {
                BusMessage::Done(serial) if serial == self.serial => return Ok(()),
                BusMessage::Refused { serial, name, detail } if serial == self.serial => {
                    return Err(NoticeError::Refused { name, detail });
                }
                _ => {}
            }
        }
    }

    fn read_message(&mut self) -> Result<BusMessage, NoticeError> {
        let mut fixed = [0; FIXED_HEADER_BYTES];
        self.fill(&mut fixed)?;
        let mut message = fixed.to_vec();
        message.resize(FIXED_HEADER_BYTES + dbus_message::rest(&fixed).ok_or(NoticeError::Garbled)?, 0);
        self.fill(&mut message[FIXED_HEADER_BYTES..])?;
        dbus_message::read(&message).ok_or(NoticeError::Garbled)
    }

    fn fill(&mut self, bytes: &mut [u8]) -> Result<(), NoticeError> {
        let filled = self.left().and_then(|left| {
            self.stream.get_ref().set_read_timeout(Some(left))?;
            self.stream.read_exact(bytes)
        });
        filled.map_err(NoticeError::bus("reading from the bus"))
    }

    fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        let left = self.left()?;
        let stream = self.stream.get_mut();
        stream.set_write_timeout(Some(left))?;
        stream.set_read_timeout(Some(left))?;
        stream.write_all(bytes)
    }

    fn left(&self) -> io::Result<Duration> {
        let left = self.until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            Err(io::Error::new(io::ErrorKind::TimedOut, "it took too long"))
        } else {
            Ok(left)
        }
    }
}

/// Connects to one address, or returns `None` if its transport is not supported.
fn stream(address: &[u8]) -> Option<io::Result<UnixStream>> {
    let keys = address.strip_prefix(b"unix:")?;
    keys.split(|byte| *byte == b',').find_map(|pair| {
        if let Some(path) = pair.strip_prefix(b"path=") {
            return Some(UnixStream::connect(OsString::from_vec(percent_decoded(path)?)));
        }
        abstract_stream(&percent_decoded(pair.strip_prefix(b"abstract=")?)?)
    })
}

#[cfg(target_os = "linux")]
fn abstract_stream(name: &[u8]) -> Option<io::Result<UnixStream>> {
    use std::os::linux::net::SocketAddrExt;
    use std::os::unix::net::SocketAddr;
    Some(SocketAddr::from_abstract_name(name).and_then(|address| UnixStream::connect_addr(&address)))
}

#[cfg(not(target_os = "linux"))]
fn abstract_stream(_name: &[u8]) -> Option<io::Result<UnixStream>> {
    None
}

fn escaped(text: &[u8]) -> String {
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_/.\\*".contains(byte);
    text.iter().map(|b| if plain(b) { char::from(*b).to_string() } else { format!("%{b:02x}") }).collect()
}

#[cfg(test)]
mod tests {
    use std::os::unix::net::UnixListener;

    use super::*;

    #[test]
    fn a_socket_path_is_decoded_from_its_address() {
        let dir = tempfile::tempdir().unwrap();
        let odd = dir.path().join("run, 100%;ü");
        std::fs::create_dir(&odd).unwrap();
        assert_eq!(session_bus(None, Some(odd.as_os_str())), None);
        let _listener = UnixListener::bind(odd.join("bus")).unwrap();
        let address = session_bus(None, Some(odd.as_os_str())).unwrap();
        assert!(stream(address.as_bytes()).unwrap().is_ok(), "{address:?}");
        assert_eq!(session_bus(Some("unix:path=/x".as_ref()), None).unwrap(), "unix:path=/x");
        assert_eq!(session_bus(None, None), None);
        assert_eq!((percent_decoded(b"a%2"), percent_decoded(b"%zz")), (None, None));
    }

    #[test]
    fn an_unsupported_address_is_reported() {
        for address in ["tcp:host=localhost,port=1", "unix:tmpdir=/tmp", "", "autolaunch:"] {
            let Err(error) = Bus::connect(address.as_ref()) else { panic!("{address}") };
            assert!(matches!(error, NoticeError::Address { .. }), "{error}");
        }
        let Err(error) = Bus::connect("unix:path=/no/such/bus".as_ref()) else { panic!() };
        assert!(matches!(error, NoticeError::Bus { .. }), "{error}");
    }

    #[test]
    fn a_listener_that_is_not_a_bus_is_refused() {
        for answer in
            ["REJECTED EXTERNAL\r\n", "HTTP/1.1 400 Bad Request\r\n", "OK 1\r\nnot a message at all"]
        {
            let dir = tempfile::tempdir().unwrap();
            let path = dir.path().join("bus");
            let listener = UnixListener::bind(&path).unwrap();
            let other = std::thread::spawn(move || {
                let (mut stream, _) = listener.accept().unwrap();
                let _ = stream.write_all(answer.as_bytes());
                let _ = stream.read_to_end(&mut Vec::new());
            });
            assert!(Bus::connect(format!("unix:path={}", path.display()).as_ref()).is_err(), "{answer}");
            other.join().unwrap();
        }
    }
}
