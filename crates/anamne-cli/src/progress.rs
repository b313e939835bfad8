//! Bars on standard error that a person watches.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

use crate::terminal::{Breaks, plain};

/// A bar; its messages go through the filter like everything else.
pub(crate) struct Bar(ProgressBar);

impl Bar {
    /// A bar of so many steps, or one that only shows that something continues; `template` is a constant.
    pub(crate) fn new(template: &str, steps: Option<u64>) -> Self {
        // The tests of those who make bars read their templates.
        let style =
            ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
        let bar = steps.map_or_else(ProgressBar::new_spinner, ProgressBar::new);
        Self(bar.with_style(style))
    }

    /// Has it drawn by itself, also while nothing is reported.
    pub(crate) fn tick(self) -> Self {
        self.0.enable_steady_tick(Duration::from_millis(100));
        self
    }

    /// How far it is, and what is said beside it.
    pub(crate) fn reached(&self, steps: u64, message: &str) {
        self.0.set_position(steps);
        self.say(message);
    }

    /// What is said beside it.
    #[expect(
        clippy::disallowed_methods,
        reason = "the text went through the filter"
    )]
    pub(crate) fn say(&self, message: &str) {
        self.0.set_message(plain(message, Breaks::Shown));
    }

    /// Takes it away.
    pub(crate) fn end(&self) {
        self.0.finish_and_clear();
    }
}
