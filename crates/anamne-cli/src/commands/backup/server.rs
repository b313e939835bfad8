//! Backups of a whole server, with tenants and keys, and their restoration.

use std::path::Path;
use std::sync::Arc;

use anamne::{Clock, Error, ServerBackup, ServerRestore, Store, SystemClock};
use serde_json::{Value, json};

use super::print;
use crate::failure::Failure;
use crate::next_step::worded;
use crate::output::{BOLD, DIM, Output, counted, paint};
use crate::place::Place;
use crate::shell::shell_path;
use crate::skipped;

/// Backs up the server with its tenants and keys.
pub(super) fn back_up(store: &Store, folder: &Path, output: &mut Output) -> Result<(), Failure> {
    let made = store.backup_server(folder)?;
    if output.is_json() {
        let mut answer: Value = worded(&made);
        answer["store"] = json!(store.root());
        answer["backup"] = json!(folder);
        output.json(&answer)?;
    } else {
        tell_backup(&made, output)?;
        let folder = shell_path(folder);
        output.note(format_args!(
            "verified; restore it with `anamne --store NEW backup {folder} --restore`"
        ));
    }
    if made.is_whole() {
        Ok(())
    } else {
        Err(Failure::Incomplete)
    }
}

fn tell_backup(made: &ServerBackup, output: &mut Output) -> Result<(), Failure> {
    for store in &made.stores {
        output.line(format_args!("tenant {}", paint(BOLD, &store.tenant)))?;
        for space in &store.spaces {
            print(space, output)?;
        }
    }
    output.line(format_args!("keys and tenants as of {}", made.at))?;
    for tenant in &made.erased {
        output.line(format_args!(
            "tenant {tenant} was erased here, and now there"
        ))?;
    }
    output.flush()?;
    skipped::tell(&made.skipped, output);
    for store in &made.stores {
        skipped::tell(&store.skipped, output);
    }
    Ok(())
}

/// Restores the backup of a server to the store's folder, which must be new or empty.
pub(super) fn restore(place: &Place, folder: &Path, output: &mut Output) -> Result<(), Failure> {
    place.check_here()?;
    let root = place.root()?;
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let restored = Store::restore_server(folder, &root, &clock)
        .map_err(|error| not_restored(error, folder))?;
    if output.is_json() {
        let mut answer: Value = worded(&restored);
        answer["store"] = json!(root);
        answer["backup"] = json!(folder);
        output.json(&answer)?;
    } else {
        tell_restore(&restored, output)?;
    }
    if restored.damaged.is_empty() {
        return Ok(());
    }
    output.warn("some spaces are damaged in the backup; see `anamne verify` and `anamne repair`");
    Err(Failure::Incomplete)
}

/// The backup of a store needs no restoring, so a person may have given one.
fn not_restored(error: Error, folder: &Path) -> Failure {
    let is_other = error.refusal().is_some_and(|one| one.field() == "folder");
    let failure = Failure::from(error);
    if !is_other {
        return failure;
    }
    let folder = shell_path(folder);
    failure.hint(format!(
        "if it is the backup of a store, use it as it is (`anamne --store {folder} …`), or copy it with `anamne --store {folder} backup NEW`"
    ))
}

fn tell_restore(restored: &ServerRestore, output: &mut Output) -> Result<(), Failure> {
    let as_of = restored.as_of;
    let from = restored.from.display();
    output.line(format_args!(
        "restored the server as of {as_of} from {from}"
    ))?;
    for tenant in &restored.tenants {
        output.line(format_args!("tenant {}", paint(BOLD, &tenant.name)))?;
        if tenant.suspended_at.is_some() {
            output.entry(DIM, "state   ", "suspended")?;
        }
    }
    for key in &restored.keys {
        output.line(format_args!("key {}", paint(BOLD, &key.id)))?;
        let whose = format!("{} of {}, created {}", key.name, key.tenant, key.created_at);
        output.entry(DIM, "valid   ", &whose)?;
    }
    for space in &restored.damaged {
        let (tenant, name) = (&space.tenant, &space.verification.space);
        output.line(format_args!("damaged: {name} of {tenant}"))?;
    }
    output.flush()?;
    output.warn(format_args!(
        "what was revoked or erased after {as_of} is back: {} valid and {} present; check the lists, and repeat it with \
         `anamne keys revoke`, `anamne tenants erase` and `anamne forget --hard` before the server starts",
        counted_be(restored.keys.len(), "key"),
        counted_be(restored.tenants.len(), "tenant"),
    ));
    Ok(())
}

/// A number with its noun and verb: `1 key is`, `2 keys are`.
fn counted_be(number: usize, noun: &str) -> String {
    let verb = if number == 1 { "is" } else { "are" };
    format!("{} {verb}", counted(number as u64, noun))
}
