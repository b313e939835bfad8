//! Schemas of the types that are JSON strings.

use std::borrow::Cow;

use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};
use utoipa::{PartialSchema, ToSchema};

/// The schema of an enum whose JSON is one of these words.
pub(crate) fn one_of_words(
    what: &str,
    words: impl IntoIterator<Item = &'static str>,
) -> RefOr<Schema> {
    let mut description = what.to_owned();
    description[..1].make_ascii_uppercase();
    let object = ObjectBuilder::new()
        .schema_type(Type::String)
        .description(Some(description + "."))
        .enum_values(Some(words));
    RefOr::T(object.into())
}

/// Describes types whose JSON is a string of some syntax.
macro_rules! strings {
    ($($type:ident: $description:literal, $example:literal;)+) => {$(
        impl PartialSchema for crate::$type {
            fn schema() -> RefOr<Schema> {
                let object = ObjectBuilder::new()
                    .schema_type(Type::String)
                    .description(Some($description))
                    .examples([$example]);
                RefOr::T(object.into())
            }
        }

        impl ToSchema for crate::$type {
            fn name() -> Cow<'static, str> {
                stringify!($type).into()
            }
        }
    )+};
}

strings! {
    Condition: "A condition on metadata: a name, a comparison and a JSON value.", "priority >= 3";
    MadeBy: "What made a derived value: `told`, `rule NAME/VERSION` or `model NAME`.", "rule reading/1";
    RelationType: "A type of relation: words joined by `_`.", "works_at";
    Tier: "`active`, `recent`, or an archive of one quarter.", "archive-2026Q3";
}
