//! The certificate of a server that encrypts its connections itself: read and checked at the start, and read again after
//! one of its files was replaced.

use std::fs::{self, File, Metadata};
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use tokio_rustls::rustls::crypto::ring::default_provider;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::sign::CertifiedKey;

use crate::env::Env;
use crate::error::Error;
use crate::manager::web::WebAccess;

/// Maximum size of each file in bytes. A chain of certificates has some kilobytes.
const MAX_FILE_BYTES: u64 = 1 << 20;
/// The permissions of a file that let other users read, change or execute it.
const OF_OTHER_USERS: u32 = 0o077;

/// The files of a certificate, in PEM format.
#[derive(Debug, Clone)]
pub struct CertificateFiles {
    /// The certificate of the server, followed by those of its issuers.
    pub certificate: PathBuf,
    /// The private key.
    pub key: PathBuf,
}

/// The certificate of the running server.
#[derive(Debug)]
pub struct ServerCertificate {
    files: CertificateFiles,
    current: Mutex<LoadedCertificate>,
}

/// A certificate with the versions of the files that were read last. They may be newer, if the newer ones are not usable.
#[derive(Debug)]
struct LoadedCertificate {
    versions: Option<[FileVersion; 2]>,
    certified: Arc<CertifiedKey>,
}

/// What differs after a file was replaced or changed.
#[derive(Debug, PartialEq, Eq)]
struct FileVersion {
    inode: (u64, u64),
    size: u64,
    changed_at: (i64, i64),
}

impl ServerCertificate {
    /// Returns the certificate that new connections get.
    pub fn current(&self) -> Arc<CertifiedKey> {
        Arc::clone(&self.current.lock().unwrap_or_else(PoisonError::into_inner).certified)
    }
}

impl CertificateFiles {
    /// Reads both files and checks that they belong together.
    pub fn load(self) -> Result<ServerCertificate, Error> {
        // Read before the files, so that a change in between is noticed.
        let versions = self.versions();
        let certified = self.certified()?;
        Ok(ServerCertificate { files: self, current: Mutex::new(LoadedCertificate { versions, certified }) })
    }

    fn certified(&self) -> Result<Arc<CertifiedKey>, Error> {
        let chain = self.chain()?;
        let key = self.private_key()?;
        let certified = CertifiedKey::from_der(chain, key, &default_provider()).map_err(|why| {
            let (certificate, key) = (self.certificate.display(), self.key.display());
            Error::usage(format!("the key in `{key}` does not belong to the certificate in `{certificate}`"))
                .saw(why.to_string())
                .hint("the first certificate of the file must be that of the server, before those of its issuers")
        })?;
        Ok(Arc::new(certified))
    }

    fn chain(&self) -> Result<Vec<CertificateDer<'static>>, Error> {
        let (text, _) = read(&self.certificate)?;
        let parsed: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&text).collect();
        match parsed {
            Ok(chain) if !chain.is_empty() => Ok(chain),
            Ok(_) if PrivateKeyDer::from_pem_slice(&text).is_ok() => Err(Error::usage(format!(
                "`{}` has a private key and no certificate",
                self.certificate.display()
            ))
            .hint("`--tls-cert` takes the certificate, and `--tls-key` the private key")),
            Ok(_) => Err(Error::usage(format!("`{}` has no certificate", self.certificate.display()))
                .saw("a certificate in PEM format begins with -----BEGIN CERTIFICATE-----")),
            Err(why) => {
                Err(Error::usage(format!("`{}` is damaged", self.certificate.display())).saw(why.to_string()))
            }
        }
    }

    fn private_key(&self) -> Result<PrivateKeyDer<'static>, Error> {
        let path = self.key.display();
        let (text, metadata) = read(&self.key)?;
        if metadata.mode() & OF_OTHER_USERS != 0 {
            return Err(Error::usage(format!("other users have access to the private key in `{path}`"))
                .saw(format!("its mode is {:04o}", metadata.mode() & 0o7777))
                .hint(format!("chmod 600 {path}")));
        }
        if ![Env::uid(), 0].contains(&metadata.uid()) {
            return Err(Error::usage(format!("the private key in `{path}` belongs to another user"))
                .hint("give the page a copy that belongs to you"));
        }
        if String::from_utf8_lossy(&text).contains("-----BEGIN ENCRYPTED PRIVATE KEY-----") {
            return Err(Error::usage(format!("the private key in `{path}` is encrypted with a passphrase"))
                .hint(format!("openssl pkey -in {path} -out new.key")));
        }
        PrivateKeyDer::from_pem_slice(&text).map_err(|_| {
            Error::usage(format!("`{path}` has no private key"))
                .saw("a private key in PEM format begins with -----BEGIN PRIVATE KEY-----")
        })
    }

    fn versions(&self) -> Option<[FileVersion; 2]> {
        let version = |path: &Path| fs::metadata(path).ok().as_ref().map(FileVersion::of);
        Some([version(&self.certificate)?, version(&self.key)?])
    }
}

impl FileVersion {
    fn of(metadata: &Metadata) -> FileVersion {
        FileVersion {
            inode: (metadata.dev(), metadata.ino()),
            size: metadata.size(),
            changed_at: (metadata.ctime(), metadata.ctime_nsec()),
        }
    }
}

impl WebAccess<'_> {
    /// Reads the certificate again if one of its files was replaced. If the new files are not usable, for example because
    /// only one of them was replaced so far, the old certificate stays in use until the files change again.
    pub fn refresh_certificate(&self, certificate: &ServerCertificate) {
        let mut current = certificate.current.lock().unwrap_or_else(PoisonError::into_inner);
        let versions = certificate.files.versions();
        if versions.is_none() || versions == current.versions {
            return;
        }
        current.versions = versions;
        match certificate.files.certified() {
            Ok(certified) => {
                current.certified = certified;
                self.0.progress("the renewed certificate is in use");
            }
            Err(error) => self.0.progress(&format!("the certificate was not renewed: {error}")),
        }
    }
}

/// Reads a small file.
fn read(path: &Path) -> Result<(Vec<u8>, Metadata), Error> {
    let failed = || Error::io(format!("cannot read `{}`", path.display()));
    let is_small_file = |found: &Metadata| found.is_file() && found.size() <= MAX_FILE_BYTES;
    // A pipe would block when it is opened.
    if !is_small_file(&fs::metadata(path).map_err(failed())?) {
        return Err(Error::usage(format!("`{}` is not a file in PEM format", path.display())));
    }
    let file = File::open(path).map_err(failed())?;
    let metadata = file.metadata().map_err(failed())?;
    let mut bytes = Vec::new();
    file.take(MAX_FILE_BYTES).read_to_end(&mut bytes).map_err(failed())?;
    Ok((bytes, metadata))
}
