//! The days of model calls in order of arrival, so that changing the clock neither resets a budget nor blocks one for
//! years.
//!
//! A day follows another if it is the same or up to a month later. If the clock went ahead and came back, the costs of
//! the days in between are moved to the day that it came back to. After a jump, earlier costs still count for two days
//! of use; a jump may also be a long time without calls.

use jiff::civil::Date;
use jiff::{SignedDuration, Timestamp};
use rusqlite::{Connection, Transaction, params};

use super::budgets::day_of;
use super::entries::move_costs;

/// A day further ahead does not follow, and may come from a wrong clock.
const FOLLOWING_DAYS: i32 = 31;

/// Number of days that are stored.
const KEPT: usize = 64;

/// Maximum remaining lifetime of a reservation made while the clock was ahead.
const LONGEST_RESERVED: SignedDuration = SignedDuration::from_hours(24);

/// The ranges of days that count towards the daily and the monthly budgets, each with its first and last day.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct CountedDays {
    pub(super) day: Vec<(Date, Date)>,
    pub(super) month: Vec<(Date, Date)>,
}

/// How a day follows the known days.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct DayHistory {
    today: Date,
    /// The known days in order of arrival, today last.
    days: Vec<Date>,
    /// Days that the clock went to and came back from.
    reverted_days: Vec<Date>,
}

impl DayHistory {
    /// How `today` follows the known days, given in order of arrival.
    pub(super) fn of(mut days: Vec<Date>, today: Date) -> Self {
        let mut reverted_days = Vec::new();
        match days.iter().rposition(|day| follows(*day, today)) {
            Some(place) => {
                reverted_days = days.split_off(place + 1);
                if days[place] != today {
                    days.push(today);
                }
            }
            None => days.push(today),
        }
        Self {
            today,
            days,
            reverted_days,
        }
    }

    /// The ranges that count today.
    pub(super) fn counted(&self) -> CountedDays {
        let mut counted = self.own();
        let [.., before, today] = self.days[..] else {
            return counted;
        };
        if !follows(before, today) {
            counted.day.push((before, before));
            counted.month.push(month_of(before));
        }
        if let [.., earlier, before, _] = self.days[..]
            && !follows(earlier, before)
        {
            counted.month.push(month_of(earlier));
        }
        counted
    }

    /// The ranges that would count without a clock jump.
    pub(super) fn own(&self) -> CountedDays {
        let reverted_days = self.reverted_days.iter().map(|day| (*day, *day));
        CountedDays {
            day: std::iter::once((self.today, self.today))
                .chain(reverted_days.clone())
                .collect(),
            month: std::iter::once(month_of(self.today))
                .chain(reverted_days)
                .collect(),
        }
    }
}

/// Whether `later` may be the next day of calls after `day`.
fn follows(day: Date, later: Date) -> bool {
    day.until(later)
        .is_ok_and(|span| (0..=FOLLOWING_DAYS).contains(&span.get_days()))
}

fn month_of(day: Date) -> (Date, Date) {
    (day.first_of_month(), day.last_of_month())
}

/// How the day of `now` follows the known days. Read-only.
pub(super) fn look(connection: &Connection, now: Timestamp) -> rusqlite::Result<DayHistory> {
    Ok(DayHistory::of(known(connection)?, day_of(now)))
}

/// Records the day of `now`, and moves to it the costs of days that the clock came back from.
pub(super) fn arrive(
    transaction: &Transaction<'_>,
    now: Timestamp,
) -> rusqlite::Result<DayHistory> {
    let known = known(transaction)?;
    let arrival = DayHistory::of(known.clone(), day_of(now));
    if arrival.days == known {
        return Ok(arrival);
    }
    for day in &arrival.reverted_days {
        move_day(transaction, *day, arrival.today, now)?;
    }
    transaction.execute("DELETE FROM days", [])?;
    let kept = arrival.days.len().saturating_sub(KEPT);
    for day in &arrival.days[kept..] {
        transaction
            .prepare_cached("INSERT INTO days (day) VALUES (?1)")?
            .execute([day.to_string()])?;
    }
    Ok(DayHistory {
        reverted_days: Vec::new(),
        ..arrival
    })
}

/// The known days in order of arrival. A ledger without recorded days uses the days of its costs in order of time.
fn known(connection: &Connection) -> rusqlite::Result<Vec<Date>> {
    let read = |sql: &str| -> rusqlite::Result<Vec<Date>> {
        let mut statement = connection.prepare_cached(sql)?;
        let days = statement.query_map([], |row| row.get::<_, String>(0))?;
        let days = days.collect::<rusqlite::Result<Vec<_>>>()?;
        Ok(days.iter().filter_map(|day| day.parse().ok()).collect())
    };
    let noted = read("SELECT day FROM days ORDER BY number")?;
    if noted.is_empty() {
        return read(
            "SELECT day FROM (SELECT DISTINCT day FROM costs ORDER BY day DESC LIMIT 64) ORDER BY day",
        );
    }
    Ok(noted)
}

/// Moves the costs and reservations of one day to another.
fn move_day(
    transaction: &Transaction<'_>,
    day: Date,
    other: Date,
    now: Timestamp,
) -> rusqlite::Result<()> {
    let (day, other) = (day.to_string(), other.to_string());
    let moved = move_costs("?2, space, model", "day = ?1");
    transaction.execute(&moved, [&day, &other])?;
    transaction.execute("DELETE FROM costs WHERE day = ?1", [&day])?;
    let latest = now
        .checked_add(LONGEST_RESERVED)
        .unwrap_or(Timestamp::MAX)
        .as_microsecond();
    transaction.execute(
        "UPDATE reservations SET day = ?2, expires_at = min(expires_at, ?3) WHERE day = ?1",
        params![day, other, latest],
    )?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn days(days: &[&str]) -> Vec<Date> {
        days.iter().map(|day| day.parse().expect("a day")).collect()
    }

    #[track_caller]
    fn check(came: &[&str], today: &str, then: &[&str], reverted_days: &[&str]) {
        let arrival = DayHistory::of(days(came), today.parse().expect("a day"));
        assert_eq!(arrival.days, days(then));
        assert_eq!(arrival.reverted_days, days(reverted_days));
    }

    #[test]
    fn a_day_continues_the_last_one_that_it_may_follow() {
        check(&[], "2026-03-01", &["2026-03-01"], &[]);
        check(&["2026-03-01"], "2026-03-01", &["2026-03-01"], &[]);
        check(
            &["2026-03-01"],
            "2026-04-01",
            &["2026-03-01", "2026-04-01"],
            &[],
        );
        check(
            &["2026-03-01"],
            "2026-04-02",
            &["2026-03-01", "2026-04-02"],
            &[],
        );
        let ahead = ["2026-03-01", "2036-03-01", "2036-03-02"];
        check(
            &ahead,
            "2026-03-02",
            &["2026-03-01", "2026-03-02"],
            &["2036-03-01", "2036-03-02"],
        );
        check(
            &ahead,
            "2026-03-01",
            &["2026-03-01"],
            &["2036-03-01", "2036-03-02"],
        );
        let back = ["2026-03-01", "1970-01-01"];
        check(
            &back,
            "2026-03-03",
            &["2026-03-01", "2026-03-03"],
            &["1970-01-01"],
        );
        check(
            &["2026-03-01", "2026-03-02"],
            "2026-03-01",
            &["2026-03-01"],
            &["2026-03-02"],
        );
    }

    #[test]
    fn what_was_spent_before_a_jump_counts_for_two_days_of_use() {
        let counted = |came: &[&str], today: &str| {
            let arrival = DayHistory::of(days(came), today.parse().expect("a day"));
            let counted = arrival.counted();
            (counted.day.len(), counted.month.len())
        };
        assert_eq!(counted(&["2026-03-01", "2026-03-02"], "2026-03-03"), (1, 1));
        assert_eq!(counted(&["2026-03-01", "2026-03-02"], "2036-03-03"), (2, 2));
        assert_eq!(counted(&["2026-03-02", "2036-03-03"], "2036-03-04"), (1, 2));
        assert_eq!(
            counted(&["2026-03-02", "2036-03-03", "2036-03-04"], "2036-03-05"),
            (1, 1)
        );
    }
}
