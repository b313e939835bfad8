//! Reservations for batches, which outlive the process that sent them. Known by the key of the batch, so that making and
//! settling one may be repeated: it is counted once.

use jiff::Timestamp;
use rusqlite::{OptionalExtension, Transaction, params};

use super::{Account, Ledger, Order, Outcome, Reservation, reserved, settled};
use crate::{BridgeError, Budgets, Price, Usage};

impl Ledger {
    /// Reserves the maximum usage of a batch, unless its key has a reservation. Budgets as in [`Ledger::reserve`].
    pub(crate) fn reserve_batch(
        &self,
        key: &str,
        order: &Order<'_>,
        budgets: &Budgets,
        of_space: Option<&Budgets>,
        now: Timestamp,
    ) -> Result<(), BridgeError> {
        self.write(|transaction| {
            let known = "SELECT 1 FROM batches WHERE key = ?1";
            if transaction
                .query_row(known, [key], |_| Ok(()))
                .optional()?
                .is_some()
            {
                return Ok(Ok(()));
            }
            let reserved = reserved(transaction, order, budgets, of_space, now)?;
            let reservation = match reserved {
                Ok(reservation) => reservation,
                Err(refused) => return Ok(Err(refused)),
            };
            note(transaction, key, &reservation)?;
            Ok(Ok(()))
        })?
    }

    /// Replaces the reservation of a batch by its actual usage. Does nothing if it is settled.
    pub(crate) fn settle_batch(&self, key: &str, outcome: Outcome) -> Result<(), BridgeError> {
        self.write(|transaction| {
            let sql = "DELETE FROM batches WHERE key = ?1 RETURNING reservation, day, space, model, input_tokens, \
                       output_tokens, input_price, output_price";
            let known = transaction.query_row(sql, [key], |row| {
                let price: Option<f64> = row.get(6)?;
                Ok(Reservation {
                    id: row.get(0)?,
                    account: Account {
                        day: row.get(1)?,
                        space: row.get(2)?,
                        model: row.get(3)?,
                    },
                    at_most: Usage {
                        input_tokens: row.get::<_, i64>(4)? as u64,
                        output_tokens: row.get::<_, i64>(5)? as u64,
                    },
                    price: match price {
                        Some(input) => Some(Price {
                            input,
                            output: row.get(7)?,
                        }),
                        None => None,
                    },
                })
            });
            match known.optional()? {
                Some(reservation) => {
                    let outcome = within(outcome, reservation.at_most);
                    settled(transaction, &reservation, outcome)
                }
                None => Ok(()),
            }
        })
    }
}

/// The outcome with at most the reserved usage: no text has more tokens, whatever a provider reports.
fn within(outcome: Outcome, at_most: Usage) -> Outcome {
    let within = |usage: Usage| Usage {
        input_tokens: usage.input_tokens.min(at_most.input_tokens),
        output_tokens: usage.output_tokens.min(at_most.output_tokens),
    };
    match outcome {
        Outcome::Reported(usage) => Outcome::Reported(within(usage)),
        Outcome::Estimated(usage) => Outcome::Estimated(within(usage)),
        Outcome::Nothing => Outcome::Nothing,
    }
}

fn note(
    transaction: &Transaction<'_>,
    key: &str,
    reservation: &Reservation,
) -> rusqlite::Result<()> {
    let Account { day, space, model } = &reservation.account;
    transaction.execute(
        "INSERT INTO batches VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
        params![
            key,
            reservation.id,
            day,
            space,
            model,
            reservation.at_most.input_tokens as i64,
            reservation.at_most.output_tokens as i64,
            reservation.price.map(|price| price.input),
            reservation.price.map(|price| price.output),
        ],
    )?;
    Ok(())
}
