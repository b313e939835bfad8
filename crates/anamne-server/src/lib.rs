//! Interfaces of Anamne for programs: the Model Context Protocol and REST.
//!
//! Async code and wire formats are confined to this crate. It uses only the engine's API: no database, index or
//! ranking; and it reads no path, environment or command line by itself.
//!
//! ```
//! use anamne_server::mcp::{MemoryServer, Settings};
//!
//! let folder = tempfile::tempdir()?;
//! let server = MemoryServer::open(anamne::Options::new(folder.path()), "core", Settings::default())?;
//! assert_eq!(server.tools().len(), 8);
//! assert_eq!(server.tools()[0].name, "memory_search");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod access;
pub mod http;
pub mod mcp;
pub mod rest;
mod tenants;
