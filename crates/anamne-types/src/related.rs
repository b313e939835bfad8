//! Files and entities that a memory is about: two plain names of its metadata, so that every door, export and filter
//! has them.

use serde_json::Value;

use crate::limits::{accept, check_names, check_text};
use crate::{InvalidValue, Limits, Memory, Metadata};

/// The metadata name of the files that a memory is about, an array of paths.
pub const RELATED_FILES: &str = "files";

/// The metadata name of the entities that a memory is about, an array of names.
pub const RELATED_ENTITIES: &str = "entities";

/// Sets the related files and entities in metadata, checked; empty lists change nothing.
pub fn relate(
    metadata: &mut Metadata,
    files: Vec<String>,
    entities: Vec<String>,
) -> Result<(), InvalidValue> {
    files.iter().try_for_each(|path| check_path(path))?;
    check_names("entity", &entities)?;
    for (name, field, values) in [
        (RELATED_FILES, "file", files),
        (RELATED_ENTITIES, "entity", entities),
    ] {
        let (most, count) = (Limits::RELATED, values.len());
        let accepts = format_args!("given at most {most} times");
        accept(
            count <= most,
            field,
            accepts,
            format_args!("{count} values"),
        )?;
        if count > 0 {
            metadata.insert(name.to_owned(), values.into());
        }
    }
    Ok(())
}

fn check_path(path: &str) -> Result<(), InvalidValue> {
    check_text("file", path, Limits::PATH_BYTES)?;
    let is_plain = !path.chars().any(char::is_control);
    accept(
        is_plain,
        "file",
        "free of control characters",
        format_args!("{path:?}"),
    )
}

impl Memory {
    /// The related files and entities; nothing where the metadata of that name is not a list of texts.
    pub fn related(&self) -> [Vec<&str>; 2] {
        [RELATED_FILES, RELATED_ENTITIES].map(|name| {
            let values = self.metadata.get(name).and_then(Value::as_array);
            let texts = values.map(|values| values.iter().map(Value::as_str).collect());
            texts.flatten().unwrap_or_default()
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn related_names_are_checked_and_counted() {
        let mut metadata = Metadata::new();
        let many = vec!["a".to_owned(); Limits::RELATED + 1];
        for (files, entities) in [
            (many.clone(), vec![]),
            (vec![], many),
            (vec!["a\nb".to_owned()], vec![]),
            (vec![String::new()], vec![]),
            (vec![], vec!["x".repeat(Limits::NAME_BYTES + 1)]),
        ] {
            assert!(relate(&mut metadata, files, entities).is_err());
            assert!(metadata.is_empty());
        }
        relate(&mut metadata, vec!["src/a.rs".to_owned()], vec![]).expect("related");
        assert_eq!(json!(metadata), json!({ "files": ["src/a.rs"] }));
    }
}
