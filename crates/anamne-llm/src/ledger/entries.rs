//! The rows of the ledger: adding, writing off and summing.

use jiff::Timestamp;
use jiff::civil::Date;
use rusqlite::{Connection, OptionalExtension, Transaction, params, params_from_iter};

use super::budgets::{Amount, Spent};
use super::days::{CountedDays, DayHistory};
use super::{Account, Reservation, cost};

/// The amounts that a call adds to the row of its day, space and model.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) calls: i64,
    pub(super) input_tokens: i64,
    pub(super) output_tokens: i64,
    pub(super) nanodollars: i64,
    pub(super) unpriced: i64,
    pub(super) estimated: i64,
}

impl Entry {
    pub(super) fn take_back(&mut self, reservation: &Reservation) {
        self.calls -= 1;
        self.input_tokens -= reservation.at_most.input_tokens as i64;
        self.output_tokens -= reservation.at_most.output_tokens as i64;
        self.nanodollars -= cost(reservation.price, reservation.at_most);
        self.unpriced -= i64::from(reservation.price.is_none());
        self.estimated -= 1;
    }

    pub(super) fn add(
        &self,
        transaction: &Transaction<'_>,
        account: &Account,
    ) -> rusqlite::Result<()> {
        if self.calls == 0 && self.input_tokens == 0 && self.output_tokens == 0 {
            return Ok(());
        }
        transaction.execute(
            &format!("INSERT INTO costs VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9) {ADDED}"),
            params![
                account.day,
                account.space,
                account.model,
                self.calls,
                self.input_tokens,
                self.output_tokens,
                self.nanodollars,
                self.unpriced,
                self.estimated,
            ],
        )?;
        Ok(())
    }
}

/// Adds to an existing row.
const ADDED: &str = "ON CONFLICT DO UPDATE SET calls = calls + excluded.calls, \
     input_tokens = input_tokens + excluded.input_tokens, output_tokens = output_tokens + excluded.output_tokens, \
     nanodollars = nanodollars + excluded.nanodollars, unpriced = unpriced + excluded.unpriced, \
     estimated = estimated + excluded.estimated";

/// SQL that adds the rows that match a condition to another day, space and model; the old rows stay.
pub(super) fn move_costs(account: &str, condition: &str) -> String {
    format!(
        "INSERT INTO costs SELECT {account}, calls, input_tokens, output_tokens, nanodollars, unpriced, estimated \
         FROM costs WHERE {condition} {ADDED}"
    )
}

/// Books expired reservations, whose process is gone, as spent.
pub(super) fn write_off(transaction: &Transaction<'_>, now: Timestamp) -> rusqlite::Result<()> {
    let mut lost = transaction.prepare_cached(
        "DELETE FROM reservations WHERE expires_at < ?1 \
         RETURNING day, space, model, input_tokens, output_tokens, nanodollars, priced",
    )?;
    let entries = lost
        .query_map([now.as_microsecond()], |row| {
            let account = Account {
                day: row.get(0)?,
                space: row.get(1)?,
                model: row.get(2)?,
            };
            let entry = Entry {
                calls: 1,
                input_tokens: row.get(3)?,
                output_tokens: row.get(4)?,
                nanodollars: row.get(5)?,
                unpriced: i64::from(!row.get::<_, bool>(6)?),
                estimated: 1,
            };
            Ok((account, entry))
        })?
        .collect::<rusqlite::Result<Vec<_>>>()?;
    for (account, entry) in entries {
        entry.add(transaction, &account)?;
    }
    Ok(())
}

/// Spent or reserved today and this month, by all or by one space, with and without what counts only because of a clock
/// jump.
pub(super) fn spent(
    connection: &Connection,
    arrival: &DayHistory,
    space: Option<&str>,
) -> rusqlite::Result<Spent> {
    let amounts = |counted: &CountedDays| -> rusqlite::Result<_> {
        let day = between(connection, &counted.day, space)?;
        Ok([day, between(connection, &counted.month, space)?])
    };
    Ok(Spent {
        counted: amounts(&arrival.counted())?,
        own: amounts(&arrival.own())?,
    })
}

/// Sum of costs and reservations on the days of these ranges.
fn between(
    connection: &Connection,
    ranges: &[(Date, Date)],
    space: Option<&str>,
) -> rusqlite::Result<Amount> {
    let condition = vec!["day BETWEEN ? AND ?"; ranges.len()].join(" OR ");
    let bounds = ranges.iter().flat_map(|(first, last)| [first, last]);
    let of_space = space.map_or("", |_| " AND space = ?");
    let sql = format!(
        "SELECT coalesce(sum(nanodollars), 0), coalesce(sum(input_tokens + output_tokens), 0) FROM \
         (SELECT day, space, nanodollars, input_tokens, output_tokens FROM costs UNION ALL \
          SELECT day, space, nanodollars, input_tokens, output_tokens FROM reservations) \
         WHERE ({condition}){of_space}"
    );
    let values = bounds.map(Date::to_string).chain(space.map(str::to_owned));
    let sums = connection
        .prepare_cached(&sql)?
        .query_row(params_from_iter(values), |row| {
            Ok(Amount {
                nanodollars: row.get(0)?,
                tokens: row.get(1)?,
            })
        })
        .optional()?;
    Ok(sums.unwrap_or_default())
}
