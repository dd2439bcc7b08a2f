//! Encrypts connections with a certificate of the user, which may be renewed while the server runs.

use std::sync::Arc;
use std::time::Duration;

use tokio::net::TcpStream;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring::default_provider;
use tokio_rustls::rustls::server::{ClientHello, ResolvesServerCert};
use tokio_rustls::rustls::sign::CertifiedKey;
use tokio_rustls::rustls::version::TLS13;
use tokio_rustls::server::TlsStream;

use super::api::run_blocking;
use crate::error::Error;
use crate::manager::{Context, ServerCertificate, WebAccess};

/// How long a client may take for the handshake. It needs one exchange of packets.
const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(5);

/// What handshakes need.
pub(super) struct TlsPort {
    context: Arc<Context>,
    certificate: Arc<ServerCertificate>,
    acceptor: TlsAcceptor,
}

/// Gives each connection the current certificate.
#[derive(Debug)]
struct CurrentCertificate(Arc<ServerCertificate>);

impl ResolvesServerCert for CurrentCertificate {
    fn resolve(&self, _hello: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(self.0.current())
    }
}

impl TlsPort {
    pub(super) fn new(context: &Arc<Context>, certificate: ServerCertificate) -> Result<TlsPort, Error> {
        let certificate = Arc::new(certificate);
        // Every browser with support has TLS 1.3 since 2020.
        let mut config = ServerConfig::builder_with_provider(Arc::new(default_provider()))
            .with_protocol_versions(&[&TLS13])
            .map_err(|why| Error::usage(format!("TLS is not available: {why}")))?
            .with_no_client_auth()
            .with_cert_resolver(Arc::new(CurrentCertificate(Arc::clone(&certificate))));
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(TlsPort { context: Arc::clone(context), certificate, acceptor: Arc::new(config).into() })
    }

    /// Returns the encrypted connection, or `None` if the client does not finish the handshake in time.
    pub(super) async fn handshake(&self, stream: TcpStream) -> Option<TlsStream<TcpStream>> {
        let (context, certificate) = (Arc::clone(&self.context), Arc::clone(&self.certificate));
        let refresh = move || {
            WebAccess(&context).refresh_certificate(&certificate);
            Ok(())
        };
        let encrypted = async {
            run_blocking(refresh).await.ok()?;
            self.acceptor.accept(stream).await.ok()
        };
        tokio::time::timeout(HANDSHAKE_TIMEOUT, encrypted).await.ok().flatten()
    }
}
