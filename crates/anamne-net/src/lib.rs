//! The only code of Anamne that opens a connection.
//!
//! A [`Client`] posts to one [`Address`] and no other: by TLS, or to this machine. It follows no redirect, takes no proxy from
//! the environment, and bounds time and bytes. What the answer means is its caller's business.

mod address;
mod client;

pub use address::{Address, AddressError};
pub use client::{Answer, Client, Header, NetError, Timeouts};
