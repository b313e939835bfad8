//! The ledger: costs and budgets per space and model, shared by all processes of a store.
//!
//! The maximum usage of a request is reserved before it is sent, and replaced by its actual usage afterwards. Both are
//! transactions on one database, so that any number of threads and processes stay within the budgets together. A
//! reservation that is never settled (its process was killed) counts as spent in full.

mod batches;
mod budgets;
mod catalog;
mod costs;
mod days;
mod entries;
mod money;
mod prices;

use std::path::Path;
use std::time::Duration;

use anamne_store::{SideFile, StoreError};
use jiff::{SignedDuration, Timestamp};
use rusqlite::{Connection, OptionalExtension, Transaction, params};

use super::{BridgeError, Usage};
use crate::guarded::refuse_special_file;
use budgets::{Amount, day_of};
use catalog::failed;
use entries::{Entry, move_costs, spent, write_off};

pub use budgets::{BudgetKind, BudgetState, Budgets};
pub use costs::{CostQuery, CostRow, CostsBy};
pub use money::Money;
pub(crate) use prices::listed_price;
pub use prices::{Price, PriceRule};

/// Maximum plausible tokens of one call; larger values are clamped.
const MOST_TOKENS: u64 = u32::MAX as u64;

/// The ledger of a store. A file may be opened any number of times.
#[derive(Debug)]
pub struct Ledger {
    file: SideFile,
}

/// The maximum usage of a call, and what it is booked to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Order<'a> {
    pub(crate) space: &'a str,
    pub(crate) model: &'a str,
    pub(crate) at_most: Usage,
    pub(crate) price: Option<Price>,
    /// Maximum duration of the request; with a grace period after it the reservation counts as lost.
    pub(crate) longest: Duration,
}

/// A budget reservation of a call, until it is settled.
#[derive(Debug)]
#[must_use = "what is not settled counts as spent in full"]
pub(crate) struct Reservation {
    id: i64,
    account: Account,
    at_most: Usage,
    price: Option<Price>,
}

#[derive(Clone, Debug)]
struct Account {
    day: String,
    space: String,
    model: String,
}

/// The outcome of a request.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Outcome {
    /// The reported usage.
    Reported(Usage),
    /// An estimate, because the provider didn't report the usage.
    Estimated(Usage),
    /// Not charged by the provider.
    Nothing,
}

/// Grace period after the maximum duration before a reservation counts as lost.
const GRACE: SignedDuration = SignedDuration::from_mins(5);

impl Ledger {
    /// Opens `catalog.db`; creates it if missing, readable by its owner only.
    pub fn open(path: &Path) -> Result<Self, BridgeError> {
        refuse_special_file(path)?;
        let ledger = Self {
            file: SideFile::at(catalog::DATABASE, path),
        };
        ledger.read(|_| Ok(()))?;
        Ok(ledger)
    }

    /// The state of each budget at `now`.
    pub fn budget_states(
        &self,
        budgets: &Budgets,
        now: Timestamp,
    ) -> Result<Vec<BudgetState>, BridgeError> {
        let spent =
            self.read(|connection| spent(connection, &days::look(connection, now)?, None))?;
        Ok(budgets.budget_states(&spent, now))
    }

    /// Copies one committed state to the file `to`, which is replaced at once.
    pub fn copy_to(&self, to: &Path) -> Result<(), BridgeError> {
        let copied = self.file.copy_to(to, |_| Ok::<_, StoreError>(()));
        copied.map_err(|error| failed(error, to))
    }

    /// Removes the name of an erased space from the ledger; its costs still count, without a name.
    pub fn forget_space(&self, space: &str) -> Result<(), BridgeError> {
        self.write(|transaction| {
            let moved = move_costs("day, '', model", "space = ?1 AND space <> ''");
            transaction.execute(&moved, [space])?;
            transaction.execute(
                "DELETE FROM costs WHERE space = ?1 AND space <> ''",
                [space],
            )?;
            for table in ["reservations", "batches"] {
                let sql = format!("UPDATE {table} SET space = '' WHERE space = ?1");
                transaction.execute(&sql, [space])?;
            }
            Ok(())
        })?;
        self.read(|connection| {
            connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
        })
    }

    /// The state of each budget of a space at `now`.
    pub fn budget_states_of(
        &self,
        space: &str,
        budgets: &Budgets,
        now: Timestamp,
    ) -> Result<Vec<BudgetState>, BridgeError> {
        let spent =
            self.read(|connection| spent(connection, &days::look(connection, now)?, Some(space)))?;
        Ok(budgets.budget_states(&spent, now))
    }

    /// Reserves the maximum usage of a call, within the budgets of the store and of the space. If a budget rejects it,
    /// only the day is recorded.
    pub(crate) fn reserve(
        &self,
        order: &Order<'_>,
        budgets: &Budgets,
        of_space: Option<&Budgets>,
        now: Timestamp,
    ) -> Result<Reservation, BridgeError> {
        self.write(|transaction| reserved(transaction, order, budgets, of_space, now))?
    }

    /// Replaces the reservation by the actual usage of the call.
    pub(crate) fn settle(
        &self,
        reservation: &Reservation,
        outcome: Outcome,
    ) -> Result<(), BridgeError> {
        self.write(|transaction| settled(transaction, reservation, outcome))
    }

    fn read<T>(
        &self,
        mut look: impl FnMut(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, BridgeError> {
        let done = self.file.with(|connection| Ok(look(connection)?));
        done.map_err(|error| failed(error, self.file.path()))
    }

    fn write<T>(
        &self,
        mut change: impl FnMut(&Transaction<'_>) -> rusqlite::Result<T>,
    ) -> Result<T, BridgeError> {
        let done = self.file.change(|transaction| Ok(change(transaction)?));
        done.map_err(|error| failed(error, self.file.path()))
    }
}

/// Reserves the maximum usage of a call, or says which budget refuses it.
fn reserved(
    transaction: &Transaction<'_>,
    order: &Order<'_>,
    budgets: &Budgets,
    of_space: Option<&Budgets>,
    now: Timestamp,
) -> rusqlite::Result<Result<Reservation, BridgeError>> {
    let at_most = clamped_usage(order.at_most);
    let wanted = Amount {
        nanodollars: cost(order.price, at_most),
        tokens: at_most.total() as i64,
    };
    let account = Account {
        day: day_of(now).to_string(),
        space: order.space.to_owned(),
        model: order.model.to_owned(),
    };
    let arrival = days::arrive(transaction, now)?;
    write_off(transaction, now)?;
    let mut admitted = budgets.admit(&spent(transaction, &arrival, None)?, wanted, now, None);
    if let (Ok(()), Some(budgets)) = (&admitted, of_space) {
        let spent = spent(transaction, &arrival, Some(order.space))?;
        admitted = budgets.admit(&spent, wanted, now, Some(order.space));
    }
    if let Err(refused) = admitted {
        return Ok(Err(refused));
    }
    Ok(Ok(Reservation {
        id: keep(transaction, &account, at_most, order, now)?,
        account,
        at_most,
        price: order.price,
    }))
}

/// Replaces a reservation by the actual usage.
fn settled(
    transaction: &Transaction<'_>,
    reservation: &Reservation,
    outcome: Outcome,
) -> rusqlite::Result<()> {
    let (usage, calls, estimated) = match outcome {
        Outcome::Reported(usage) => (clamped_usage(usage), 1, 0),
        Outcome::Estimated(usage) => (clamped_usage(usage), 1, 1),
        Outcome::Nothing => (Usage::default(), 0, 0),
    };
    let sql = "DELETE FROM reservations WHERE id = ?1 RETURNING day";
    let held: Option<String> = transaction
        .query_row(sql, [reservation.id], |row| row.get(0))
        .optional()?;
    let mut entry = Entry {
        calls,
        input_tokens: usage.input_tokens as i64,
        output_tokens: usage.output_tokens as i64,
        nanodollars: cost(reservation.price, usage),
        unpriced: i64::from(reservation.price.is_none()) * calls,
        estimated,
    };
    if held.is_none() {
        // It was written off as lost in the meantime, and booked in full.
        entry.take_back(reservation);
    }
    // The reservation may have been moved to another day.
    let account = Account {
        day: held.unwrap_or_else(|| reservation.account.day.clone()),
        ..reservation.account.clone()
    };
    entry.add(transaction, &account)
}

fn clamped_usage(usage: Usage) -> Usage {
    Usage {
        input_tokens: usage.input_tokens.min(MOST_TOKENS),
        output_tokens: usage.output_tokens.min(MOST_TOKENS),
    }
}

fn cost(price: Option<Price>, usage: Usage) -> i64 {
    price.map_or(0, |price| price.of(usage).nanodollars())
}

fn keep(
    transaction: &Transaction<'_>,
    account: &Account,
    at_most: Usage,
    order: &Order<'_>,
    now: Timestamp,
) -> rusqlite::Result<i64> {
    let longest = SignedDuration::try_from(order.longest).unwrap_or(SignedDuration::MAX);
    let expires_at = now
        .checked_add(longest)
        .and_then(|at| at.checked_add(GRACE))
        .unwrap_or(Timestamp::MAX);
    transaction.execute(
        "INSERT INTO reservations (day, space, model, input_tokens, output_tokens, nanodollars, priced, expires_at) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        params![
            account.day,
            account.space,
            account.model,
            at_most.input_tokens as i64,
            at_most.output_tokens as i64,
            cost(order.price, at_most),
            order.price.is_some(),
            expires_at.as_microsecond(),
        ],
    )?;
    Ok(transaction.last_insert_rowid())
}
