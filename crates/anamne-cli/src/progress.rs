//! Progress bars on standard error.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

use crate::terminal::{LineBreaks, plain};

/// A progress bar; its messages are filtered like all output.
pub(crate) struct Bar(ProgressBar);

impl Bar {
    /// A bar of `steps` steps, or a spinner; `template` must be a constant.
    pub(crate) fn new(template: &str, steps: Option<u64>) -> Self {
        // Templates are validated by the tests of their users.
        let style =
            ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
        let bar = steps.map_or_else(ProgressBar::new_spinner, ProgressBar::new);
        Self(bar.with_style(style))
    }

    /// Redraws the bar periodically, even without progress.
    pub(crate) fn tick(self) -> Self {
        self.0.enable_steady_tick(Duration::from_millis(100));
        self
    }

    /// Sets the position and the message.
    pub(crate) fn reached(&self, steps: u64, message: &str) {
        self.0.set_position(steps);
        self.report(message);
    }

    /// Sets the message.
    #[expect(
        clippy::disallowed_methods,
        reason = "the text went through the filter"
    )]
    pub(crate) fn report(&self, message: &str) {
        self.0.set_message(plain(message, LineBreaks::Shown));
    }

    /// Hides the bar while `write` writes.
    pub(crate) fn suspend(&self, write: impl FnOnce()) {
        self.0.suspend(write);
    }

    /// Removes the bar.
    pub(crate) fn end(&self) {
        self.0.finish_and_clear();
    }
}
