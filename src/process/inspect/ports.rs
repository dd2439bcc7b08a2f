//! Checks whether a TCP port is in use.

use std::io::ErrorKind;
use std::net::{Ipv4Addr, Ipv6Addr, TcpListener};

/// Returns whether no program listens on a TCP port of this machine. The check listens on the port for an instant.
pub fn is_port_free(port: u16) -> bool {
    let is_in_use = |bound: std::io::Result<TcpListener>| {
        // A machine without IPv6 reports other errors.
        bound.is_err_and(|error| matches!(error.kind(), ErrorKind::AddrInUse | ErrorKind::PermissionDenied))
    };
    !is_in_use(TcpListener::bind((Ipv4Addr::UNSPECIFIED, port)))
        && !is_in_use(TcpListener::bind((Ipv6Addr::UNSPECIFIED, port)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_with_a_listener_is_not_free() {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        assert!(!is_port_free(port));
        drop(listener);
        assert!(is_port_free(port));
    }
}
