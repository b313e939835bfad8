//! `anamne completions`.

use clap::CommandFactory;
use clap_complete::Shell;

use crate::arguments::Cli;
use crate::failure::Failure;
use crate::output::Output;

/// Print a shell completion script
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  anamne completions bash > ~/.local/share/bash-completion/completions/anamne
  anamne completions zsh > ~/.zfunc/_anamne
  anamne completions fish > ~/.config/fish/completions/anamne.fish")]
pub(crate) struct Completions {
    /// The shell
    shell: Shell,
}

impl Completions {
    pub(crate) fn run(self, output: &mut Output) -> Result<(), Failure> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut Cli::command(), "anamne", &mut script);
        output.document(String::from_utf8_lossy(&script))
    }
}
