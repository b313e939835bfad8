//! Secrets and personal data in texts: detection, policy and redaction.
//!
//! [`Guard::check`] is the one place that every text passes before it is stored. It finds secrets and personal data, and
//! depending on the [`Policy`] keeps, marks, redacts or refuses the text. Findings have a kind and a place, never the value.
//!
//! Detection is linear in the text. Vendors' key formats are anchored on their published prefixes and checked by length,
//! alphabet and checksum; passwords and other values need a context that names them.
//!
//! ```
//! use anamne_guard::{Guard, Policy};
//!
//! let guard = Guard::new(Policy::default());
//! let key = format!("AKIA{}", "QYLPMN5HNM2NLPZA");
//! let text = format!("deploy with {key} tonight");
//! let checked = guard.check(&text)?;
//! assert_eq!(checked.text, "deploy with [secret:aws-access-key] tonight");
//! assert_eq!(checked.findings[0].kind.name(), "aws-access-key");
//! # Ok::<(), anamne_guard::Refused>(())
//! ```

mod allow;
mod case;
mod finding;
pub mod fitting;
mod guard;
mod kind;
mod literals;
mod names;
mod personal;
mod policy;
mod secrets;
mod view;

pub use allow::{AllowList, AllowListError};
pub use finding::Finding;
pub use guard::{Checked, Found, Guard, Refused};
pub use kind::{DataKind, Group};
pub use names::Names;
pub use policy::{Action, Policy, PolicyError};
