//! Copies a stream while it computes the stream's size and SHA-256 checksum.

use std::io::{self, Read, Write};

use sha2::{Digest, Sha256};

/// Size and checksum of a copied stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct StreamDigest {
    pub size: u64,
    pub sha256: String,
}

/// Copies `from` to `to` until the end of `from` and returns the size and checksum of the copied bytes.
pub(super) fn copy(from: &mut impl Read, to: &mut impl Write) -> io::Result<StreamDigest> {
    let (mut hash, mut size) = (Sha256::new(), 0);
    let mut buffer = vec![0; 64 * 1024];
    loop {
        let n = match from.read(&mut buffer) {
            Ok(0) => break,
            Ok(n) => n,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        hash.update(&buffer[..n]);
        to.write_all(&buffer[..n])?;
        size += n as u64;
    }
    let sha256 = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    Ok(StreamDigest { size, sha256 })
}
