//! The authorities whose certificates a client accepts.

use std::sync::Arc;
use std::{fmt, io};

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{CertificateError, RootCertStore};
use ureq::tls::{Certificate, RootCerts, TlsConfig};

/// Most bytes of a file with certificates.
const MOST_BYTES: usize = 1 << 20;

const BEGIN: &str = "-----BEGIN CERTIFICATE-----";
const END: &str = "-----END CERTIFICATE-----";

/// The authorities whose certificates a client accepts: the public ones, or those of a file and no others.
#[derive(Clone, Default)]
pub struct Authorities(Option<Arc<Own>>);

struct Own {
    pem: String,
    certificates: Vec<CertificateDer<'static>>,
}

/// Why a text names no authority.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AuthoritiesError {
    /// There is no certificate in it.
    #[error("it contains no certificate in PEM, which begins with {BEGIN}")]
    None,
    /// It is larger than any list of authorities.
    #[error("it is larger than {MOST_BYTES} bytes")]
    TooLarge,
    /// A certificate can't be read.
    #[error("its certificate {number} can't be read: {reason}")]
    Malformed {
        /// Its number in the text, from 1.
        number: usize,
        /// What is wrong with it.
        reason: String,
    },
}

/// Why a server's certificate is not accepted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CertificateFault {
    /// None of the authorities that count signed it.
    #[error("no accepted certificate authority (CA) signed it")]
    UnknownAuthority,
    /// It may sign others, so it may not be a server's own.
    #[error("it is the certificate of a CA, not of a server")]
    OfAuthority,
    /// It has expired, is for another name, or is malformed.
    #[error("{0}")]
    Other(String),
}

impl CertificateFault {
    /// The fault, if that is why a connection failed.
    pub(crate) fn of(error: &io::Error) -> Option<Self> {
        let error = error.get_ref()?.downcast_ref::<rustls::Error>()?;
        let rustls::Error::InvalidCertificate(fault) = error else {
            return None;
        };
        Some(match fault {
            CertificateError::UnknownIssuer => Self::UnknownAuthority,
            CertificateError::Other(other) if other.to_string().contains("CaUsedAsEndEntity") => {
                Self::OfAuthority
            }
            other => Self::Other(other.to_string()),
        })
    }
}

impl fmt::Debug for Authorities {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            None => formatter.write_str("Authorities(public)"),
            Some(own) => write!(formatter, "Authorities({} of a file)", own.count()),
        }
    }
}

impl Own {
    fn count(&self) -> usize {
        self.certificates.len()
    }
}

impl Authorities {
    /// The authorities that browsers accept.
    pub fn public() -> Self {
        Self::default()
    }

    /// The authorities of these certificates in PEM, and no others. Whatever else is in the text, such as a private key,
    /// is left out.
    pub fn of_pem(text: &[u8]) -> Result<Self, AuthoritiesError> {
        if text.len() > MOST_BYTES {
            return Err(AuthoritiesError::TooLarge);
        }
        let pem = certificates_of(&String::from_utf8_lossy(text));
        let mut roots = RootCertStore::empty();
        let mut certificates = Vec::new();
        for certificate in CertificateDer::pem_slice_iter(pem.as_bytes()) {
            let malformed = |reason: String| AuthoritiesError::Malformed {
                number: certificates.len() + 1,
                reason,
            };
            let certificate = certificate.map_err(|error| malformed(error.to_string()))?;
            let added = roots.add(certificate.clone());
            added.map_err(|error| malformed(error.to_string()))?;
            certificates.push(certificate);
        }
        if certificates.is_empty() {
            return Err(AuthoritiesError::None);
        }
        Ok(Self(Some(Arc::new(Own { pem, certificates }))))
    }

    /// The certificates in PEM, unless they are the public ones.
    pub fn pem(&self) -> Option<&str> {
        self.0.as_ref().map(|own| own.pem.as_str())
    }

    pub(crate) fn roots(&self) -> RootCertStore {
        let Some(own) = &self.0 else {
            return RootCertStore {
                roots: webpki_roots::TLS_SERVER_ROOTS.to_vec(),
            };
        };
        let mut roots = RootCertStore::empty();
        roots.add_parsable_certificates(own.certificates.iter().cloned());
        roots
    }

    pub(crate) fn configuration(&self) -> TlsConfig {
        let roots = match &self.0 {
            None => RootCerts::WebPki,
            Some(own) => {
                let certificates = own.certificates.iter();
                let owned = certificates.map(|one| Certificate::from_der(one).to_owned());
                RootCerts::Specific(Arc::new(owned.collect()))
            }
        };
        TlsConfig::builder().root_certs(roots).build()
    }
}

/// The certificates of a text in PEM, without what is around them.
fn certificates_of(text: &str) -> String {
    let mut kept = String::new();
    let mut is_inside = false;
    for line in text.lines().map(str::trim) {
        is_inside |= line == BEGIN;
        if is_inside {
            kept.push_str(line);
            kept.push('\n');
        }
        is_inside &= line != END;
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made() -> (String, String) {
        let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).expect("made");
        (made.cert.pem(), made.signing_key.serialize_pem())
    }

    #[test]
    fn only_certificates_are_kept() {
        let ((first, key), (second, _)) = (made(), made());
        let text = format!("# ours\n{key}\n{first}\n{second}");
        let own = Authorities::of_pem(text.as_bytes()).expect("authorities");
        let kept = own.pem().expect("a text");
        assert!(!kept.contains("PRIVATE") && !kept.contains("ours"));
        assert_eq!(kept.matches(BEGIN).count(), 2);
        assert_eq!(own.roots().len(), 2);
        let again = Authorities::of_pem(kept.as_bytes()).expect("authorities");
        assert_eq!(again.pem(), own.pem());
    }

    #[test]
    fn what_is_no_certificate_is_refused() {
        let (good, key) = made();
        let refused = |text: &str| Authorities::of_pem(text.as_bytes()).expect_err("refused");
        assert_eq!(refused(""), AuthoritiesError::None);
        assert_eq!(refused(&key), AuthoritiesError::None);
        let broken = format!("{good}{BEGIN}\nAAAA\n{END}\n");
        let AuthoritiesError::Malformed { number, .. } = refused(&broken) else {
            panic!("the second one is broken");
        };
        assert_eq!(number, 2);
        // Nothing after a certificate that doesn't end is taken for one.
        let cut = good.replace(END, "");
        assert!(matches!(
            Authorities::of_pem(cut.as_bytes()),
            Err(AuthoritiesError::None | AuthoritiesError::Malformed { .. })
        ));
        assert_eq!(
            refused(&" ".repeat(MOST_BYTES + 1)),
            AuthoritiesError::TooLarge
        );
    }
}
