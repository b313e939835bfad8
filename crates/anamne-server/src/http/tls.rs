//! TLS: certificate and key from files, read again when they change.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rustls::ServerConfig;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::TlsAcceptor;

use super::HttpError;

/// Largest file of certificates or a key, in bytes.
const LARGEST_FILE: u64 = 1 << 20;

/// Pause between two looks at the files.
const LOOK: Duration = Duration::from_secs(5);

/// The files of a server's certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TlsFiles {
    /// The certificate and those above it, in PEM.
    pub certificate: PathBuf,
    /// Its private key, in PEM.
    pub key: PathBuf,
}

/// A certificate in use.
pub(super) struct Tls {
    files: TlsFiles,
    current: Mutex<Loaded>,
}

#[derive(Clone)]
struct Loaded {
    /// The bytes of both files.
    read: (Vec<u8>, Vec<u8>),
    config: Arc<ServerConfig>,
}

impl Tls {
    /// Reads the files; refuses ones that don't fit.
    pub(super) fn open(files: TlsFiles) -> Result<Self, HttpError> {
        let current = Mutex::new(load(&files)?);
        Ok(Self { files, current })
    }

    /// Accepts connections with the current certificate.
    pub(super) fn acceptor(&self) -> TlsAcceptor {
        let current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        current.config.clone().into()
    }

    /// Reads the files again. Files that don't fit leave the former certificate in use. Connections stay open.
    pub(super) fn reload(&self) {
        let read = load(&self.files);
        let mut current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        match read {
            Ok(loaded) if loaded.read == current.read => {}
            Ok(loaded) => {
                *current = loaded;
                tracing::info!(target: "anamne", "the new certificate is in use");
            }
            Err(error) => {
                let cause = error.to_string();
                tracing::error!(target: "anamne", cause, "the former certificate stays in use");
            }
        }
    }

    /// Reads the files again whenever they change.
    pub(super) async fn follow(&self) {
        let mut known = self.stamps();
        loop {
            tokio::time::sleep(LOOK).await;
            let stamps = self.stamps();
            if stamps != known {
                known = stamps;
                self.reload();
            }
        }
    }

    /// When the files were written.
    fn stamps(&self) -> [Option<std::time::SystemTime>; 2] {
        let stamp = |path: &Path| {
            std::fs::metadata(path)
                .and_then(|file| file.modified())
                .ok()
        };
        [stamp(&self.files.certificate), stamp(&self.files.key)]
    }
}

fn load(files: &TlsFiles) -> Result<Loaded, HttpError> {
    let read = (read(&files.certificate)?, read(&files.key)?);
    let refused = |path: &Path, reason: String| HttpError::Tls {
        path: path.to_owned(),
        reason,
    };
    let chain: Vec<_> = CertificateDer::pem_slice_iter(&read.0)
        .collect::<Result<_, _>>()
        .map_err(|error| refused(&files.certificate, error.to_string()))?;
    if chain.is_empty() {
        let reason = "it contains no certificate in PEM".to_owned();
        return Err(refused(&files.certificate, reason));
    }
    let key = PrivateKeyDer::from_pem_slice(&read.1)
        .map_err(|_| refused(&files.key, "it contains no private key in PEM".to_owned()))?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .and_then(|builder| builder.with_no_client_auth().with_single_cert(chain, key))
        .map_err(|error| refused(&files.certificate, error.to_string()))?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(Loaded {
        read,
        config: Arc::new(config),
    })
}

fn read(path: &Path) -> Result<Vec<u8>, HttpError> {
    let read = || {
        let size = std::fs::metadata(path)?.len();
        if size > LARGEST_FILE {
            return Err(std::io::Error::other("it is too large"));
        }
        std::fs::read(path)
    };
    read().map_err(|error| HttpError::Tls {
        path: path.to_owned(),
        reason: error.to_string(),
    })
}
