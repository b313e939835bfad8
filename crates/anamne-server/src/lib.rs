//! The doors of Anamne for programs: the Model Context Protocol.
//!
//! Async and wire formats live here, at the edge. This crate knows the engine and nothing beneath it:
//! no database, no index, no ranking; and it reads no path, environment or command line of its own.
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

pub mod mcp;
