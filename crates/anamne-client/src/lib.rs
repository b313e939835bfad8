//! A typed client of an Anamne server.
//!
//! ```no_run
//! use anamne_client::Client;
//! use anamne_types::Recall;
//!
//! let client = Client::connect("http://127.0.0.1:7331", None)?;
//! let space = client.space("core");
//! space.remember(&"The staging server listens on port 8471".into())?;
//! let answer = space.recall(&Recall::new("which port does staging use?"))?;
//! println!("{}", answer.results[0].memory.content);
//! # Ok::<(), anamne_client::ClientError>(())
//! ```
//!
//! Requests and answers are the types of the engine. The client blocks, follows no redirects, and sends its key to one
//! address only: over TLS, or to this machine.

mod client;
mod error;
mod mcp;
mod path;
mod session;
mod space;

pub use anamne_net::{Authorities, AuthoritiesError, BothWays, CertificateFault, NetError};
pub use client::{Client, Method};
pub use error::{ClientError, Problem, StoppedImport};
pub use mcp::{McpRelay, RelayError};
pub use path::Query;
pub use session::{CaptureOutcome, Captured};
pub use space::{Forgotten, Linked, MemoryPage, RemoteSpace};
