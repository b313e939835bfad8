//! A project in which the agent works: commands succeed or fail by its state.

/// The web search that the agent would call.
pub(crate) const SEARCH_ANSWER: &str = "Registries accept a package once its tag is pushed.";

/// A project that is released when nothing is missing any more.
#[derive(Default)]
pub(crate) struct Workshop {
    /// What was done so far: commands that succeeded.
    done: Vec<String>,
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
        let said = match command {
            "make release" | "make release -j1" => self.release(),
            "git tag next" if !self.did("edit changelog") => Err("the change log has no entry"),
            "git tag next" => Ok("tagged"),
            "apt install mold" => Ok("installed"),
            "edit changelog" => Ok("written"),
            "cargo clean" | "cargo update" => Ok("done"),
            _ => Err("command not found"),
        }?;
        self.done.push(command.to_owned());
        Ok(said)
    }

    fn did(&self, command: &str) -> bool {
        self.done.iter().any(|done| done == command)
    }

    fn release(&mut self) -> Result<&'static str, &'static str> {
        if !self.did("apt install mold") {
            return Err("linker `mold` not found");
        }
        if !self.did("git tag next") {
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
