//! What the engine accepts, and the refusal that says which field went past which limit.

use std::fmt;

/// The bounds of every field that a person or an agent can send.
#[derive(Debug)]
pub struct Limits;

impl Limits {
    /// Content of one memory, in bytes of UTF-8.
    pub const CONTENT_BYTES: usize = 1_000_000;
    /// One name: a thread, session, author, tag, metadata key or space, in bytes.
    pub const NAME_BYTES: usize = 256;
    /// Tags on one memory.
    pub const TAGS: usize = 64;
    /// Metadata of one memory, in bytes of its JSON.
    pub const METADATA_BYTES: usize = 65_536;
    /// How deep the metadata of one memory may be nested. More could be written, but not read back.
    pub const METADATA_DEPTH: usize = 64;
    /// The typed body of one memory, in bytes of its JSON.
    pub const BODY_BYTES: usize = 1_000_000;
    /// The question of a recall, in bytes.
    pub const QUERY_BYTES: usize = 100_000;
    /// Results of one recall or rows of one list.
    pub const RESULTS: usize = 1_000;
    /// Rows that a list may pass over first: as many as a space can hold.
    pub const OFFSET: usize = u32::MAX as usize;
    /// Days that a setting may name: ten thousand years.
    pub const DAYS: u32 = 3_652_500;
    /// Values of one field of a filter.
    pub const FILTER_VALUES: usize = 1_000;
    /// The reason on a link, in bytes.
    pub const REASON_BYTES: usize = 4_096;

    /// Checks how many results or rows are wanted: 1 to [`Limits::RESULTS`].
    pub fn check_results(limit: usize) -> Result<(), Refusal> {
        if (1..=Self::RESULTS).contains(&limit) {
            return Ok(());
        }
        let accepts = format!("a whole number from 1 to {}", Self::RESULTS);
        Err(Refusal::new("limit", accepts, limit))
    }

    /// Checks how many rows are passed over first.
    pub fn check_offset(offset: usize) -> Result<(), Refusal> {
        if offset <= Self::OFFSET {
            return Ok(());
        }
        let accepts = format!("a whole number from 0 to {}", Self::OFFSET);
        Err(Refusal::new("offset", accepts, offset))
    }
}

/// Why a value was refused: the field, what it takes, and what was given. Nothing was changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    field: String,
    accepts: String,
    given: String,
}

impl Refusal {
    /// A refusal of `field`, which takes `accepts` but got `given` (shortened to 80 characters).
    pub fn new(
        field: impl Into<String>,
        accepts: impl Into<String>,
        given: impl fmt::Display,
    ) -> Self {
        let given = given.to_string();
        let mut short: String = given.chars().take(80).collect();
        if short.len() < given.len() {
            short.push('…');
        }
        Self {
            field: field.into(),
            accepts: accepts.into(),
            given: short,
        }
    }

    /// The name of the field.
    pub fn field(&self) -> &str {
        &self.field
    }

    /// What the field takes.
    pub fn accepts(&self) -> &str {
        &self.accepts
    }

    /// What was given.
    pub fn given(&self) -> &str {
        &self.given
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "{} must be {}, but was {}",
            self.field, self.accepts, self.given
        )
    }
}

impl std::error::Error for Refusal {}

/// Checks that `text` holds between 1 and `limit` bytes and is not only white space.
pub(crate) fn check_text(field: &str, text: &str, limit: usize) -> Result<(), Refusal> {
    if text.is_empty() || text.len() > limit {
        return Err(Refusal::new(
            field,
            format!("1 to {limit} bytes long"),
            format!("{} bytes", text.len()),
        ));
    }
    if text.trim().is_empty() {
        return Err(Refusal::new(
            field,
            "more than white space",
            format!("{} blank bytes", text.len()),
        ));
    }
    Ok(())
}

/// Checks a name: 1 to 256 bytes, no control characters.
pub(crate) fn check_name(field: &str, name: &str) -> Result<(), Refusal> {
    check_text(field, name, Limits::NAME_BYTES)?;
    match name.chars().find(|character| character.is_control()) {
        Some(control) => Err(Refusal::new(
            field,
            "free of control characters",
            format!("{control:?} in {name:?}"),
        )),
        None => Ok(()),
    }
}

/// Checks that `value` is a number from 0 to 1.
pub(crate) fn check_unit(field: &str, value: f32) -> Result<(), Refusal> {
    if (0.0..=1.0).contains(&value) {
        return Ok(());
    }
    Err(Refusal::new(field, "a number from 0 to 1", value))
}
