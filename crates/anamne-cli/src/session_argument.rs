//! The session that a command records or asks first.

use crate::failure::Failure;

/// The variable that names the session of a host.
const VARIABLE: &str = "ANAMNE_SESSION";

/// The session that the variable names, if it names one.
pub(crate) fn session_of_environment() -> Option<String> {
    std::env::var(VARIABLE).ok().filter(|name| !name.is_empty())
}

/// The session that is recorded with what is stored.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct SessionArgument {
    /// The session
    #[arg(long, env = VARIABLE, hide_env_values = true, value_name = "NAME")]
    session: Option<String>,
}

impl SessionArgument {
    /// The session; an empty name is none.
    pub(crate) fn name(self) -> Option<String> {
        self.session.filter(|name| !name.is_empty())
    }
}

/// The session that is asked first.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Reach")]
pub(crate) struct NarrowArgument {
    /// Ask this session first [default: the variable ANAMNE_SESSION]; if no result is likely, the space, then `core`
    #[arg(
        long,
        value_name = "SESSION",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = ""
    )]
    narrow: Option<String>,
}

impl NarrowArgument {
    /// The session to ask first, if one is.
    pub(crate) fn session(&self) -> Result<Option<String>, Failure> {
        let Some(given) = &self.narrow else {
            return Ok(None);
        };
        let named = Some(given.clone()).filter(|name| !name.is_empty());
        match named.or_else(session_of_environment) {
            Some(session) => Ok(Some(session)),
            None => Err(Failure::refused("narrow", "--narrow needs a session")
                .hint("name it with --narrow=SESSION, or set the variable ANAMNE_SESSION")),
        }
    }
}
