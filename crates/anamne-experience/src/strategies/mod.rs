//! Search strategies, and learning which to use.

mod inputs;
mod learner;
mod linear;
mod question;
mod situation;
mod table;

pub use learner::{Choice, Learned, Learner};
pub use situation::Situation;
pub use table::{Shown, Strategy};
