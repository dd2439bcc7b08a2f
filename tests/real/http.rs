//! The subset of HTTP/1.1 that a scripted endpoint needs: one request per connection, read and answered completely.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;

use serde_json::json;

use super::script::Refusal;

/// A request of a client.
pub struct Request {
    /// The path without its query.
    pub path: String,
    /// The body, or empty if there was none.
    pub body: Vec<u8>,
}

/// Reads one request.
pub fn read(stream: &TcpStream) -> io::Result<Request> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line)?;
    let path = line.split(' ').nth(1).unwrap_or_default();
    let path = path.split('?').next().unwrap_or_default().to_owned();
    let (mut length, mut chunked) = (0, false);
    loop {
        let mut header = String::new();
        if reader.read_line(&mut header)? == 0 || header.trim().is_empty() {
            break;
        }
        let header = header.trim().to_ascii_lowercase();
        match header.split_once(':') {
            Some(("content-length", value)) => length = value.trim().parse().unwrap_or(0),
            Some(("transfer-encoding", value)) => chunked = value.contains("chunked"),
            _ => {}
        }
    }
    let body = if chunked { chunks(&mut reader)? } else { exactly(&mut reader, length)? };
    Ok(Request { path, body })
}

/// Answers and closes the connection: a client opens another connection for its next request.
pub fn answer(mut stream: &TcpStream, content_type: &str, body: &str) -> io::Result<()> {
    let length = body.len();
    let head = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: {content_type}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n"
    );
    stream.write_all(head.as_bytes())?;
    stream.write_all(body.as_bytes())?;
    stream.flush()
}

/// Answers with an error in the form that both APIs understand.
pub fn refuse(mut stream: &TcpStream, refusal: &Refusal) -> io::Result<()> {
    let Refusal { status, kind, message, headers, resets_at } = refusal;
    let mut error = json!({"type": kind, "code": kind, "message": message});
    if let Some(reset) = resets_at {
        error["resets_at"] = (*reset).into();
    }
    let body = json!({"type": "error", "error": error}).to_string();
    let headers: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    let length = body.len();
    let head = format!(
        "HTTP/1.1 {status} Refused\r\ncontent-type: application/json\r\n{headers}content-length: {length}\r\nconnection: close\r\n\r\n"
    );
    stream.write_all(head.as_bytes())?;
    stream.write_all(body.as_bytes())?;
    stream.flush()
}

fn exactly(reader: &mut impl Read, length: usize) -> io::Result<Vec<u8>> {
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    Ok(body)
}

fn chunks(reader: &mut impl BufRead) -> io::Result<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let mut size = String::new();
        reader.read_line(&mut size)?;
        let size = usize::from_str_radix(size.trim(), 16).unwrap_or(0);
        body.extend(exactly(reader, size)?);
        exactly(reader, 2)?;
        if size == 0 {
            return Ok(body);
        }
    }
}
