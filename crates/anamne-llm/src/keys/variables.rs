//! Environment variables that may contain a provider's key.

use crate::BridgeError;

/// The key variables in the providers' own documentation.
const KNOWN: &[&str] = &[
    "ANTHROPIC_API_KEY",
    "GEMINI_API_KEY",
    "GOOGLE_API_KEY",
    "OPENAI_API_KEY",
    "OPENROUTER_API_KEY",
];

/// Whether a variable is a known key variable: one of the providers' usual names, or `ANAMNE_…_KEY`. Any other may
/// contain anything, such as a database password, and is read only if it was approved on this machine.
pub(crate) fn is_known_variable(name: &str) -> bool {
    KNOWN.contains(&name) || (name.starts_with("ANAMNE_") && name.ends_with("_KEY"))
}

/// Checks that a name is a valid variable name, so that it can be shown unescaped.
pub(crate) fn check_variable(name: &str) -> Result<(), BridgeError> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let begins = name
        .bytes()
        .next()
        .is_some_and(|first| !first.is_ascii_digit());
    if begins && name.len() <= 100 && name.bytes().all(plain) {
        return Ok(());
    }
    let expected = "the name of a variable (letters, digits and _, at most 100)";
    Err(anamne_types::InvalidValue::new("key_env", expected, name).into())
}
