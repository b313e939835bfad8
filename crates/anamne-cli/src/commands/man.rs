//! `anamne man`.

use std::path::PathBuf;

use clap::CommandFactory;
use clap_mangen::Man as Page;
use serde_json::json;

use crate::arguments::Cli;
use crate::failure::Failure;
use crate::output::Output;
use crate::wording::file_name;

/// Print the manual page
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  anamne man | man -l -
  anamne man --folder ~/.local/share/man/man1")]
pub(crate) struct Man {
    /// Write one page per command into this folder
    #[arg(long, value_name = "DIR")]
    folder: Option<PathBuf>,
}

impl Man {
    pub(crate) fn run(self, output: &mut Output) -> Result<(), Failure> {
        let Some(folder) = self.folder else {
            let mut page = Vec::new();
            Page::new(Cli::command()).render(&mut page)?;
            return output.document(String::from_utf8_lossy(&page));
        };
        std::fs::create_dir_all(&folder)
            .and_then(|()| clap_mangen::generate_to(Cli::command(), &folder))
            .map_err(|error| {
                Failure::failed(format!(
                    "can't write pages to {}: {error}",
                    file_name(&folder)
                ))
            })?;
        if output.is_json() {
            return output.json(&json!({ "folder": folder }));
        }
        output.note(format_args!("the pages are in {}", folder.display()));
        Ok(())
    }
}
