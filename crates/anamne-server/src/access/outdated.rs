//! Access tokens that are older than a deletion. They name a tenant and spaces, and their issuer knows nothing of deletions:
//! a later tenant or space of the same name must not be theirs.

use anamne::{Error, ServerRecords};
use jiff::Timestamp;

use super::issuer::{LEEWAY, TokenGrant};

/// Takes from the grant of a token the spaces that it names and that were deleted since it was issued. `false` if it names
/// no others, or its tenant was erased since.
pub(super) fn take_deleted(
    granted: &mut TokenGrant,
    records: &ServerRecords,
) -> Result<bool, Error> {
    let issued = granted.issued_at;
    if is_older(issued, records.tenant_erased_at(&granted.tenant)?) {
        return Ok(false);
    }
    let Some(spaces) = &mut granted.grant.spaces else {
        return Ok(true);
    };
    let mut left = Vec::with_capacity(spaces.len());
    for space in spaces.iter() {
        if !is_older(issued, records.space_deleted_at(&granted.tenant, space)?) {
            left.push(space.clone());
        }
    }
    let is_useless = left.is_empty() && !spaces.is_empty();
    *spaces = left;
    Ok(!is_useless)
}

/// Whether a token may have been issued before a deletion. The clock of the issuer may be ahead of the server's, and a token
/// that doesn't say when it was issued may be of any age.
fn is_older(issued: Option<i64>, deleted: Option<Timestamp>) -> bool {
    deleted.is_some_and(|deleted| {
        let until = deleted.as_second().saturating_add(LEEWAY);
        issued.is_none_or(|issued| issued <= until)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_newer_only_if_no_difference_of_the_clocks_could_hide_its_age() {
        let deleted = Timestamp::from_second(1_800_000_000).ok();
        for (issued, older) in [
            (Some(1_799_999_999), true),
            (Some(1_800_000_000), true),
            (Some(1_800_000_060), true),
            (Some(1_800_000_061), false),
            (None, true),
        ] {
            assert_eq!(is_older(issued, deleted), older, "{issued:?}");
            assert!(!is_older(issued, None));
        }
    }
}
