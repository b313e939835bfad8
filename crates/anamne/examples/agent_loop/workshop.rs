//! A project in which the agent works: commands succeed or fail by its state.

/// The web search that the agent would call.
pub(crate) const SEARCH_ANSWER: &str = "Registries accept a package once its tag is pushed.";

/// A project that is released when nothing is missing any more.
#[derive(Default)]
pub(crate) struct Workshop {
    has_linker: bool,
    has_change_log: bool,
    has_tag: bool,
    /// Whether the release is published.
    pub(crate) is_released: bool,
    /// Number of web searches.
    pub(crate) searches: usize,
}

impl Workshop {
    /// The commands that the agent knows, in the order in which it tries them.
    pub(crate) const COMMANDS: [&str; 6] = [
        "cargo clean",
        "make release -j1",
        "cargo update",
        "apt install mold",
        "edit changelog",
        "git tag next",
    ];

    /// Runs a command; the error is its message.
    pub(crate) fn run(&mut self, command: &str) -> Result<&'static str, &'static str> {
        match command {
            "make release" | "make release -j1" => self.release(),
            "apt install mold" => {
                self.has_linker = true;
                Ok("installed")
            }
            "edit changelog" => {
                self.has_change_log = true;
                Ok("written")
            }
            "git tag next" if !self.has_change_log => Err("the change log has no entry"),
            "git tag next" => {
                self.has_tag = true;
                Ok("tagged")
            }
            "cargo clean" | "cargo update" => Ok("done"),
            _ => Err("command not found"),
        }
    }

    fn release(&mut self) -> Result<&'static str, &'static str> {
        if !self.has_linker {
            return Err("linker `mold` not found");
        }
        if !self.has_tag {
            return Err("no tag on the current commit");
        }
        self.is_released = true;
        Ok("published")
    }

    /// Asks the web.
    pub(crate) fn search(&mut self, _query: &str) -> &'static str {
        self.searches += 1;
        SEARCH_ANSWER
    }
}
