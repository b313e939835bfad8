//! What several resources share: places in the path, pages, and ids.

use std::sync::Arc;

use anamne::{Error, InvalidValue, Limits, MemoryId, Right, Seq, Skipped, Space};
use serde::Deserialize;
use utoipa::IntoParams;
use utoipa_axum::router::OpenApiRouter;

use crate::http::App;

/// The routes of a resource.
pub(super) type Routes = OpenApiRouter<Arc<App>>;

/// Most events of a space that is examined within a request.
const MOST_EXAMINED: u64 = 200_000;

/// What a caller who may not look after the machine reads instead of a message of it.
const HIDDEN: &str = "the log of the server says more";

/// A space in the path.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub(super) struct InSpace {
    /// The space's name.
    pub(super) space: String,
}

/// Something in a space in the path.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub(super) struct OneOf {
    /// The space's name.
    pub(super) space: String,
    /// An id, the beginning of one, or a citation such as m12.
    pub(super) id: String,
}

/// Something with a name in a space in the path.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub(super) struct Named {
    /// The space's name.
    pub(super) space: String,
    /// Its name.
    pub(super) name: String,
}

/// Something with a number in a space in the path.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub(super) struct Numbered {
    /// The space's name.
    pub(super) space: String,
    /// Its number.
    pub(super) number: u64,
}

/// How many to list.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(super) struct Page {
    /// Maximum number, 1 to 1000.
    #[serde(default = "twenty")]
    #[param(default = 20, minimum = 1, maximum = 1000)]
    pub(super) limit: usize,
}

pub(super) fn twenty() -> usize {
    20
}

impl Page {
    /// The limit, checked.
    pub(super) fn checked(&self) -> Result<usize, InvalidValue> {
        Limits::check_results(self.limit)?;
        Ok(self.limit)
    }
}

/// Cuts a list that was read with one more than `limit`; returns whether there are more.
pub(super) fn cut<T>(list: &mut Vec<T>, limit: usize) -> bool {
    let more = list.len() > limit;
    list.truncate(limit);
    more
}

/// The memories with these ids, beginnings of ids or citations.
pub(super) fn resolve_all(
    space: &Space,
    field: &str,
    ids: &[String],
) -> Result<Vec<MemoryId>, Error> {
    if ids.len() > Limits::RESULTS {
        let accepts = format!("at most {} memories", Limits::RESULTS);
        return Err(InvalidValue::new(field, accepts, ids.len()).into());
    }
    ids.iter().map(|id| space.resolve(id)).collect()
}

/// Replaces messages that may name files of the machine, unless the caller may look after it.
pub(super) fn conceal<'a>(space: &Space, messages: impl IntoIterator<Item = &'a mut String>) {
    if space.scope().allows(Right::Configure) {
        return;
    }
    for message in messages {
        if !message.is_empty() {
            HIDDEN.clone_into(message);
        }
    }
}

/// The same for the reasons of skipped entries.
pub(super) fn conceal_skipped(space: &Space, skipped: &mut Skipped) {
    conceal(
        space,
        skipped.first.iter_mut().map(|entry| &mut entry.reason),
    );
}

/// The last event of a space's log.
pub(super) fn last_event(space: &Space) -> Result<Seq, Error> {
    let newest = space.log(&anamne::LogQuery {
        limit: 1,
        ..anamne::LogQuery::default()
    })?;
    Ok(newest.first().map_or(Seq(0), |entry| entry.event.seq))
}

/// Refuses to examine a large space within a request.
pub(super) fn check_small(space: &Space) -> Result<(), Error> {
    Ok(check_events(last_event(space)?.0)?)
}

/// Whether a space is small enough to be worked through within a request.
pub(super) fn is_small(space: &Space) -> Result<bool, Error> {
    Ok(last_event(space)?.0 <= MOST_EXAMINED)
}

fn check_events(events: u64) -> Result<(), InvalidValue> {
    if events <= MOST_EXAMINED {
        return Ok(());
    }
    let accepts = format!(
        "a space of at most {MOST_EXAMINED} events; examine a larger one on the server's machine, with its command"
    );
    Err(InvalidValue::new("space", accepts, events))
}

#[cfg(test)]
mod tests {
    use anamne::{Actor, Options, Scope, SpaceSet, Store};

    use super::*;

    /// A store with the space `core`, and its folder.
    fn store() -> (tempfile::TempDir, Store) {
        let folder = tempfile::tempdir().expect("a folder");
        let options = Options::new(folder.path()).background(false);
        let store = Store::open_with(options).expect("a store");
        let space = store.space("core").expect("a space");
        space.remember("one").expect("told");
        (folder, store)
    }

    fn space_of(store: &Store, right: Option<Right>) -> Space {
        let scope = Scope::of(Actor::agent("a")).reading(SpaceSet::All);
        let scope = right.into_iter().fold(scope, Scope::allowing);
        let store = store.narrowed(&scope);
        store.existing_space("core").expect("the space")
    }

    #[test]
    fn only_who_looks_after_the_machine_reads_its_messages() {
        let (_folder, store) = store();
        for (right, shown) in [
            (None, HIDDEN),
            (Some(Right::Erase), HIDDEN),
            (Some(Right::Configure), "can't read /srv/store"),
        ] {
            let (mut problem, mut none) = ("can't read /srv/store".to_owned(), String::new());
            conceal(&space_of(&store, right), [&mut problem, &mut none]);
            assert_eq!((problem.as_str(), none.as_str()), (shown, ""));
        }
    }

    #[test]
    fn a_space_beyond_the_limit_is_not_examined() {
        let (_folder, store) = store();
        let space = space_of(&store, None);
        assert_eq!(last_event(&space).expect("read"), Seq(1));
        check_small(&space).expect("small");
        let error = check_events(MOST_EXAMINED + 1).expect_err("large");
        assert_eq!(error.field(), "space");
    }
}
