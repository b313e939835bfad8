//! Ids of what has none.

/// The id of a turn that its host gave none: the same for the same parts, in 32 hexadecimal digits. O(their length).
pub(super) fn content_id(parts: &[&str]) -> String {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        // The length keeps apart what only the borders between parts tell apart.
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    let mut id = hasher.finalize().to_hex().to_string();
    id.truncate(32);
    id
}

#[cfg(test)]
mod tests {
    use super::content_id;

    #[test]
    fn only_the_same_parts_have_the_same_id() {
        let id = content_id(&["a", "bc"]);
        assert_eq!(id.len(), 32);
        assert_eq!(id, content_id(&["a", "bc"]));
        assert_ne!(id, content_id(&["ab", "c"]));
        assert_ne!(id, content_id(&["a", "bc", ""]));
    }
}
