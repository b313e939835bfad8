//! Limits of input, and the error for a value that exceeds one.

use std::fmt;

/// The limits of every input field.
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
    /// Maximum nesting of metadata. Deeper values could be written, but not read back.
    pub const METADATA_DEPTH: usize = 64;
    /// Related files, and related entities, of one memory.
    pub const RELATED: usize = 64;
    /// The path of a related file, in bytes.
    pub const PATH_BYTES: usize = 1_024;
    /// Conditions of a filter on metadata.
    pub const CONDITIONS: usize = 16;
    /// One condition as text, in bytes.
    pub const CONDITION_BYTES: usize = 1_024;
    /// The typed body of one memory, in bytes of its JSON.
    pub const BODY_BYTES: usize = 1_000_000;
    /// The text of a query, in bytes.
    pub const QUERY_BYTES: usize = 100_000;
    /// Results of one recall or rows of one list.
    pub const RESULTS: usize = 1_000;
    /// Maximum offset of a list: the rows a space can hold.
    pub const OFFSET: usize = u32::MAX as usize;
    /// Days that a setting may name: ten thousand years.
    pub const DAYS: u32 = 3_652_500;
    /// Maximum duration of an action, in milliseconds: 366 days.
    pub const DURATION_MS: u64 = 31_622_400_000;
    /// Values of one field of a filter.
    pub const FILTER_VALUES: usize = 1_000;
    /// The reason on a link, in bytes.
    pub const REASON_BYTES: usize = 4_096;
    /// Aliases told of an entity at once.
    pub const ALIASES: usize = 64;
    /// Attributes told of an entity at once.
    pub const ATTRIBUTES: usize = 64;
    /// Attributes told of an entity at once, in bytes of their JSON.
    pub const ATTRIBUTES_BYTES: usize = 16_384;
    /// Maximum nesting of an attribute.
    pub const ATTRIBUTE_DEPTH: usize = 8;
    /// Memories that support a told relation.
    pub const EVIDENCE: usize = 32;

    /// Checks a limit: 1 to [`Limits::RESULTS`].
    pub fn check_results(limit: usize) -> Result<(), InvalidValue> {
        let accepts = format_args!("a whole number from 1 to {}", Self::RESULTS);
        accept(
            (1..=Self::RESULTS).contains(&limit),
            "limit",
            accepts,
            limit,
        )
    }

    /// Checks an offset.
    pub fn check_offset(offset: usize) -> Result<(), InvalidValue> {
        let accepts = format_args!("a whole number from 0 to {}", Self::OFFSET);
        accept(offset <= Self::OFFSET, "offset", accepts, offset)
    }
}

/// A rejected value: the field, what it accepts, and what was given. Nothing was changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidValue {
    field: String,
    accepts: String,
    given: String,
}

impl InvalidValue {
    /// `field` accepts `accepts`, but got `given` (shortened to 80 characters).
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

    /// What the field accepts.
    pub fn accepts(&self) -> &str {
        &self.accepts
    }

    /// What was given.
    pub fn given(&self) -> &str {
        &self.given
    }
}

impl fmt::Display for InvalidValue {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "{} must be {}, but was {}",
            self.field, self.accepts, self.given
        )
    }
}

impl std::error::Error for InvalidValue {}

/// Rejects `given` unless `is_accepted`.
pub(crate) fn accept(
    accepted: bool,
    field: &str,
    accepts: impl fmt::Display,
    given: impl fmt::Display,
) -> Result<(), InvalidValue> {
    if accepted {
        return Ok(());
    }
    Err(InvalidValue::new(field, accepts.to_string(), given))
}

/// Checks an optional field.
pub(crate) fn check_some<T>(
    value: Option<T>,
    check: impl FnOnce(T) -> Result<(), InvalidValue>,
) -> Result<(), InvalidValue> {
    value.map_or(Ok(()), check)
}

/// Checks that `text` has 1 to `limit` bytes and isn't blank.
pub(crate) fn check_text(field: &str, text: &str, limit: usize) -> Result<(), InvalidValue> {
    let (fits, length) = ((1..=limit).contains(&text.len()), text.len());
    accept(
        fits,
        field,
        format_args!("1 to {limit} bytes long"),
        format_args!("{length} bytes"),
    )?;
    let said = !text.trim().is_empty();
    accept(
        said,
        field,
        "more than white space",
        format_args!("{length} blank bytes"),
    )
}

/// Checks a name: 1 to 256 bytes, no control characters.
pub(crate) fn check_name(field: &str, name: &str) -> Result<(), InvalidValue> {
    check_text(field, name, Limits::NAME_BYTES)?;
    check_some(
        name.chars().find(|character| character.is_control()),
        |control| {
            let given = format!("{control:?} in {name:?}");
            Err(InvalidValue::new(
                field,
                "free of control characters",
                given,
            ))
        },
    )
}

/// Checks each of some names.
pub(crate) fn check_names<'a>(
    field: &str,
    names: impl IntoIterator<Item = &'a String>,
) -> Result<(), InvalidValue> {
    let mut names = names.into_iter();
    names.try_for_each(|name| check_name(field, name))
}

/// Checks the range of `importance`.
pub(crate) fn check_importance(field: &str, importance: u8) -> Result<(), InvalidValue> {
    let accepted = (1..=10).contains(&importance);
    accept(accepted, field, "a whole number from 1 to 10", importance)
}

/// Checks that `value` is a number from 0 to 1.
pub(crate) fn check_unit(field: &str, value: f32) -> Result<(), InvalidValue> {
    accept(
        (0.0..=1.0).contains(&value),
        field,
        "a number from 0 to 1",
        value,
    )
}
