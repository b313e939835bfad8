//! The only code of Anamne that opens a connection.
//!
//! A [`Client`] talks to one [`Address`] only, over TLS or to this machine. It follows no redirects, uses no proxy from
//! the environment, and limits time and bytes. The caller interprets the response.

mod address;
mod authorities;
mod both_ways;
mod client;

pub use address::{Address, AddressError};
pub use authorities::{Authorities, AuthoritiesError, CertificateFault};
pub use both_ways::BothWays;
pub use client::{Answer, Body, Client, Header, NetError, Opened, Request, Timeouts};
