//! Random bytes of the operating system.

use std::io;

use super::Env;

impl Env {
    /// Returns random bytes for a secret.
    pub fn random_bytes<const N: usize>() -> io::Result<[u8; N]> {
        let mut bytes = [0; N];
        getrandom::fill(&mut bytes).map_err(|error| io::Error::other(error.to_string()))?;
        Ok(bytes)
    }
}
