//! Time expressions in questions, and words that are none.

mod openings;

use anamne_text::time::{Direction, EventDistance, TimeExpression, TimeMeaning, expressions};
use jiff::civil::Time;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};
use proptest::prelude::*;

/// A Wednesday, 15:30 in Berlin.
fn now() -> Timestamp {
    "2026-03-04T14:30:00Z".parse().expect("an instant")
}

fn berlin() -> TimeZone {
    TimeZone::posix("CET-1CEST,M3.5.0,M10.5.0/3").expect("a zone")
}

fn show(instant: Timestamp) -> String {
    if instant == Timestamp::MIN || instant == Timestamp::MAX {
        return "…".to_owned();
    }
    if instant == now() {
        return "now".to_owned();
    }
    let moment = instant.to_zoned(berlin()).datetime();
    if moment.time() == Time::midnight() {
        moment.date().to_string()
    } else {
        moment.strftime("%Y-%m-%dT%H:%M").to_string()
    }
}

fn show_reach(direction: Direction, reach: EventDistance) -> String {
    match reach {
        EventDistance::Open => format!("{direction:?}"),
        EventDistance::Within(span) => format!("{direction:?} within {span:#}"),
        EventDistance::At(span) => format!("{direction:?} at {span:#}"),
        _ => "unknown".to_owned(),
    }
}

/// Each expression as `words = from to`, or `words = direction event`.
fn read(question: &str) -> String {
    let shown: Vec<String> = expressions(question, now(), &berlin())
        .into_iter()
        .map(|found| {
            let words = &question[found.text];
            match found.when {
                TimeMeaning::Range(range) => {
                    format!("{words} = {} {}", show(range.start), show(range.end))
                }
                TimeMeaning::Around {
                    event,
                    direction,
                    reach,
                } => format!("{words} = {} [{event}]", show_reach(direction, reach)),
                TimeMeaning::Unclear => format!("{words} = unclear"),
                _ => format!("{words} = unknown"),
            }
        })
        .collect();
    shown.join("; ")
}

/// Lines of `question | expected`.
fn check(table: &str) {
    let wrong: Vec<String> = table
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .filter_map(|line| {
            let (question, expected) = line.split_once('|').unwrap_or((line, ""));
            let (read, expected) = (read(question.trim()), expected.trim());
            (read != expected)
                .then(|| format!("{question}\n  expected {expected}\n  read     {read}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Checks lines without a time expression.
fn check_none(lines: &str) {
    check(lines);
}

#[test]
fn days() {
    check(
        "What did I eat yesterday? | yesterday = 2026-03-03 2026-03-04
        What is on today's list? | today's = 2026-03-04 2026-03-05
        Yesterday we met whom? | Yesterday = 2026-03-03 2026-03-04
        What is due tomorrow | tomorrow = 2026-03-05 2026-03-06
        Where are we going the day after tomorrow? | the day after tomorrow = 2026-03-06 2026-03-07
        Who called the day before yesterday? | the day before yesterday = 2026-03-02 2026-03-03
        What did she say on Monday? | on Monday = 2026-03-02 2026-03-03
        What did she say on Thursday? | on Thursday = 2026-02-26 2026-02-27
        Who came Tuesday? | Tuesday = 2026-03-03 2026-03-04
        What did I cook last Friday? | last Friday = 2026-02-27 2026-02-28
        What did I cook last Wednesday? | last Wednesday = 2026-02-25 2026-02-26
        What will we do on Friday? | on Friday = 2026-03-06 2026-03-07
        What is planned for Friday? | Friday = 2026-03-06 2026-03-07
        What is due in December? | in December = 2026-12-01 2027-01-01
        What was planned for Friday? | Friday = 2026-02-27 2026-02-28
        Whom am I meeting next Monday? | next Monday = 2026-03-09 2026-03-10
        Whom am I meeting this Thursday? | this Thursday = 2026-03-05 2026-03-06
        Who called on Monday last week? | on Monday last week = 2026-02-23 2026-02-24
        Who called on Tuesday of last week? | on Tuesday of last week = 2026-02-24 2026-02-25
        Who called last week on Tuesday? | last week on Tuesday = 2026-02-24 2026-02-25
        What broke on 12 March? | on 12 March = 2025-03-12 2025-03-13
        What broke on the 2nd of March? | on the 2nd of March = 2026-03-02 2026-03-03
        What broke on March 12th, 2024? | on March 12th, 2024 = 2024-03-12 2024-03-13
        What broke on Feb 29? | on Feb 29 = 2024-02-29 2024-03-01
        What broke on Tuesday, March 3? | on Tuesday, March 3 = 2026-03-03 2026-03-04
        What did we discuss in Monday's standup? | in Monday's = 2026-03-02 2026-03-03
        What broke on the 2nd? | on the 2nd = 2026-03-02 2026-03-03
        What broke on the 5th of last month? | on the 5th of last month = 2026-02-05 2026-02-06
        What broke on the 12th? | on the 12th = 2026-02-12 2026-02-13
        Which notes are from 2025-11-03? | from 2025-11-03 = 2025-11-03 2025-11-04
        Which notes are from 3.11.2025? | from 3.11.2025 = 2025-11-03 2025-11-04
        Which notes are from 25/12/2025? | from 25/12/2025 = 2025-12-25 2025-12-26
        What did I do on May 5? | on May 5 = 2025-05-05 2025-05-06
        Did we meet on Sept. 9, 2025? | on Sept. 9, 2025 = 2025-09-09 2025-09-10
        Did he call yesterday or today? | yesterday = 2026-03-03 2026-03-04; today = 2026-03-04 2026-03-05",
    );
}

#[test]
fn parts_of_days() {
    check(
        "What did we decide this morning? | this morning = 2026-03-04T05:00 2026-03-04T12:00
        What did we watch last night? | last night = 2026-03-03T18:00 2026-03-04T05:00
        What is on tonight? | tonight = 2026-03-04T18:00 2026-03-05T05:00
        Who called yesterday morning? | yesterday morning = 2026-03-03T05:00 2026-03-03T12:00
        Who called on Monday afternoon? | on Monday afternoon = 2026-03-02T12:00 2026-03-02T18:00
        Who called yesterday in the evening? | yesterday in the evening = 2026-03-03T17:00 2026-03-04
        Who called yesterday at 3pm? | yesterday at 3pm = 2026-03-03T15:00 2026-03-03T16:00
        Who called on Monday at 14:30? | on Monday at 14:30 = 2026-03-02T14:30 2026-03-02T15:30
        Who has called since 9am? | since 9am = 2026-03-04T09:00 …
        What was I doing at 3pm on Tuesday? | at 3pm on Tuesday = 2026-03-03T15:00 2026-03-03T16:00
        Who called on Monday at 11 AM, by the way? | on Monday at 11 AM = 2026-03-02T11:00 2026-03-02T12:00
        Who called on Monday at 2:30 PM? | on Monday at 2:30 PM = 2026-03-02T14:30 2026-03-02T15:30
        What did I note at 9:30 yesterday? | at 9:30 yesterday = 2026-03-03T09:30 2026-03-03T10:30
        What did she tell me on the morning of March 3? | on the morning of March 3 = 2026-03-03T05:00 2026-03-03T12:00
        Who called between 9am and 11am yesterday? | between 9am and 11am yesterday = 2026-03-03T09:00 2026-03-03T11:00
        Who called from 2 to 4 pm on Monday? | from 2 to 4 pm on Monday = 2026-03-02T14:00 2026-03-02T16:00
        What changed earlier today? | earlier today = 2026-03-04 now",
    );
}

#[test]
fn weeks_months_quarters_and_years() {
    check(
        "What did we decide last week about the roof? | last week = 2026-02-23 2026-03-02
        What came up in last week's meeting? | in last week's = 2026-02-23 2026-03-02
        What have I done this week? | this week = 2026-03-02 2026-03-09
        What did we do the week before last? | the week before last = 2026-02-16 2026-02-23
        What is planned for next month? | next month = 2026-04-01 2026-05-01
        What did I read last month? | last month = 2026-02-01 2026-03-01
        What did I read last year? | last year = 2025-01-01 2026-01-01
        What did I do on the weekend of February 12? | on the weekend of February 12 = 2026-02-14 2026-02-16
        Which books did I read in 2023, 2024 and 2025? | in 2023 = 2023-01-01 2024-01-01; 2024 = 2024-01-01 2025-01-01; 2025 = 2025-01-01 2026-01-01
        Which books did I read in June or August? | in June = 2025-06-01 2025-07-01; August = 2025-08-01 2025-09-01
        What do I do the coming weekend? | the coming weekend = 2026-03-07 2026-03-09
        What did I do last weekend? | last weekend = 2026-02-28 2026-03-02
        What did I do over the weekend? | over the weekend = 2026-02-28 2026-03-02
        What happened in March? | in March = 2026-03-01 2026-04-01
        What happened in april? | in april = 2025-04-01 2025-05-01
        What happened in may? | in may = 2025-05-01 2025-06-01
        What happened last march? | last march = 2025-03-01 2025-04-01
        What will happen next march? | next march = 2027-03-01 2027-04-01
        What happened in February 2024? | in February 2024 = 2024-02-01 2024-03-01
        What happened in Feb of last year? | in Feb of last year = 2025-02-01 2025-03-01
        What happened last year in May? | last year in May = 2025-05-01 2025-06-01
        What was the plan in Q3 2024? | in Q3 2024 = 2024-07-01 2024-10-01
        What was the plan in the first quarter? | in the first quarter = 2026-01-01 2026-04-01
        What was the plan in the third quarter of 2024? | in the third quarter of 2024 = 2024-07-01 2024-10-01
        What was the plan for H1 2024? | H1 2024 = 2024-01-01 2024-07-01
        What happened in 2024? | in 2024 = 2024-01-01 2025-01-01
        Where did I live in the 1990s? | in the 1990s = 1990-01-01 2000-01-01
        What did we buy during the month of May? | during the month of May = 2025-05-01 2025-06-01
        What did we plan for the week of March 12? | the week of March 12 = 2025-03-10 2025-03-17",
    );
}

#[test]
fn seasons_and_holidays() {
    check(
        "Where did we go last summer? | last summer = 2025-06-01 2025-09-01
        Where did we go in the summer? | in the summer = 2025-06-01 2025-09-01
        Where did we ski last winter? | last winter = 2025-12-01 2026-03-01
        Where did we go in the summer of 2024? | in the summer of 2024 = 2024-06-01 2024-09-01
        Where did we go in fall 2024? | in fall 2024 = 2024-09-01 2024-12-01
        Where did we go last fall? | last fall = 2025-09-01 2025-12-01
        Where are we going this summer? | this summer = 2026-06-01 2026-09-01
        What did I cook at Christmas? | at Christmas = 2025-12-24 2025-12-27
        Who visited around Christmas? | around Christmas = 2025-12-21 2025-12-30
        Who visited on Christmas Eve 2023? | on Christmas Eve 2023 = 2023-12-24 2023-12-25
        Who visited on New Year's Eve? | on New Year's Eve = 2025-12-31 2026-01-01
        What happened the week after Christmas? | the week after Christmas = 2025-12-27 2026-01-03",
    );
}

#[test]
fn how_long_ago() {
    check(
        "What did I buy 3 days ago? | 3 days ago = 2026-03-01 2026-03-02
        What did I buy two weeks ago? | two weeks ago = 2026-02-15 2026-02-22
        What did I buy two months ago? | two months ago = 2025-12-20 2026-01-20
        Where was I three years ago in May? | three years ago in May = 2023-05-01 2023-06-01
        Where was I this time last year? | this time last year = 2025-02-17 2025-03-20
        Where was I a year ago? | a year ago = 2024-09-03 2025-09-03
        What did I say half an hour ago? | half an hour ago = 2026-03-04T14:52 2026-03-04T15:07
        What did I say half a year ago? | half a year ago = 2025-08-20 2025-09-20
        What did I say an hour ago? | an hour ago = 2026-03-04T14:00 2026-03-04T15:00
        What did I say a few days ago? | a few days ago = 2026-02-27 2026-03-03
        What did I say a couple of days ago? | a couple of days ago = 2026-03-02 2026-03-03
        Whom did I meet more than a year ago? | more than a year ago = … 2025-09-03
        What changed over the past three days? | over the past three days = 2026-03-01 now
        What changed in the last 2 weeks? | in the last 2 weeks = 2026-02-18 now
        What changed in the last week? | in the last week = 2026-02-25 now
        What changed in the last few days? | in the last few days = 2026-02-27 now
        What changed within the last 24 hours? | within the last 24 hours = 2026-03-03T15:30 now
        What changed during the past year? | during the past year = 2025-03-04 now
        What will happen in 3 days? | in 3 days = 2026-03-07 2026-03-08
        What will happen two days from now? | two days from now = 2026-03-06 2026-03-07",
    );
}

#[test]
fn ranges() {
    check(
        "What did we spend between March and May 2025? | between March and May 2025 = 2025-03-01 2025-06-01
        What did we spend between November and February 2025? | between November and February 2025 = 2024-11-01 2025-03-01
        What did we spend between March and May? | between March and May = 2025-03-01 2025-06-01
        What did we spend from March 2024 to May? | from March 2024 to May = 2024-03-01 2024-06-01
        What did we spend from 2020 to 2022? | from 2020 to 2022 = 2020-01-01 2023-01-01
        What did we spend in 2020–2022? | in 2020–2022 = 2020-01-01 2023-01-01
        What did we do between Monday and Wednesday? | between Monday and Wednesday = 2026-03-02 2026-03-05
        What did we do from Monday until yesterday? | from Monday until yesterday = 2026-03-02 2026-03-04
        What did we do between 3 and 10 February? | between 3 and 10 February = 2026-02-03 2026-02-11
        What did we do on March 3-5, 2025? | on March 3-5, 2025 = 2025-03-03 2025-03-06
        What did we do in January–February? | in January–February = 2026-01-01 2026-03-01
        What did we do from last Monday to now? | from last Monday to now = 2026-03-02 now
        What has happened since Monday? | since Monday = 2026-03-02 …
        What has happened since 2020? | since 2020 = 2020-01-01 …
        What has happened since last week? | since last week = 2026-02-23 …
        What have I learned since the beginning of the year? | since the beginning of the year = 2026-01-01 …
        What did we use before 2024? | before 2024 = … 2024-01-01
        What did we use before last summer? | before last summer = … 2025-06-01
        What did we use after March 2025? | after March 2025 = 2025-04-01 …
        What did we use until May 2025? | until May 2025 = … 2025-06-01
        What did we do the day after Valentine's Day? | the day after Valentine's Day = 2026-02-15 2026-02-16",
    );
}

#[test]
fn events() {
    check(
        "What did we do the week before the release? | the week before the release = Before within 1w [release]
        What did we do two weeks after the launch of Apollo? | two weeks after the launch of Apollo = After at 2w [launch of Apollo]
        What did we do the day after our wedding? | the day after our wedding = After within 1d [wedding]
        What did we do on the day of the release? | on the day of the release = During within 1d [release]
        What broke in the weeks after the outage? | in the weeks after the outage = After within 5w [outage]
        What changed after the launch? | after the launch = After [launch]
        What changed after we launched? | after we launched = After [launched]
        Where did I work before I moved to Berlin? | before I moved to Berlin = Before [moved to Berlin]
        Where did I live before moving to Berlin? | before moving to Berlin = Before [moving to Berlin]
        What did we use before the database migration? | before the database migration = Before [database migration]
        What has changed since the outage? | since the outage = Since [outage]
        What broke during the migration to the new server? | during the migration = During [migration]
        Who was ill until the trip, and why? | until the trip = Until [trip]
        Who joined after Brexit? | after Brexit = After [Brexit]
        What failed after the server crashed and burned? | after the server crashed = After [server crashed]",
    );
}

#[test]
fn words_that_only_look_like_times() {
    check_none(
        "May I ask who may join?
        What may have gone wrong?
        This may be wrong, who said so?
        When did they march on the capital?
        Which second option did we choose?
        What was the second one?
        Who wrote about the sun?
        Did the leaves fall from the tree?
        Do we use Spring Boot?
        Where did I last see my keys?
        Which was the last one?
        What is her last name?
        What was the last message about?
        What are the next steps?
        Who sits next to Anna?
        What is issue 8471 about?
        Which service listens on port 2024?
        What changed in version 2024.1.3?
        How did 2024 rows get lost?
        Are we on call 24/7?
        How do I do it in 3 steps?
        What stands in the first quarter of the file?
        What do we do daily?
        How many days did it take?
        How many weeks ago was that?
        How many days before the release did we stop?
        How long after the outage was it fixed?
        How long until Christmas?
        What do we do every Monday?
        Which meetings are on Mondays?
        What is in march.rs and src/may.rs?
        What does friday_deploy do?
        Who sings \"Yesterday\"?
        Who sang the song Yesterday?
        What did June say to April?
        What did Augustus and May think?
        Which day of the week do I like?
        What was said on Black Friday sales?
        Who looked after the children?
        What do I run before I commit?
        Why since we use it?
        What to do, since the number of users has grown?
        Which one, since its name may change?
        What do I need one day?
        Is it a matter of minutes or seconds?
        When is the last minute to change it?
        What is said at first and in the end?
        What did we paint in the summer house?
        What happened in the fall of the wall?
        What is the end of the day worth?
        How did I change after that?
        Which took 3 weeks?
        Who said hello from the new office?
        What did I buy for 20 days?
        Was haben wir hier besprochen?
        Guten Morgen
        ¿Qué hago por la mañana?
        Is it 5 to 7?
        After all, what was it?
        What is week after week the same?
        Who was in it up to the elbows?
        Which of them is 3 across, up, to Q?
        What is on Mars?
        Do I like mayo?",
    );
}

#[test]
fn an_event_found_in_memory_gives_the_range() {
    let event: Timestamp = "2026-01-20T08:00:00Z".parse().expect("an instant");
    let check = |question: &str, expected: &str| {
        let found = expressions(question, now(), &berlin());
        let range = found[0].when.around(&(event..event), &berlin());
        assert_eq!(
            format!("{} {}", show(range.start), show(range.end)),
            expected,
            "{question}"
        );
    };
    check(
        "What did I do the day before the release?",
        "2026-01-19 2026-01-20",
    );
    check(
        "What did I do the week before the release?",
        "2026-01-13 2026-01-20",
    );
    check(
        "What did I do the week after the release?",
        "2026-01-21 2026-01-28",
    );
    check(
        "What did I do two weeks after the release?",
        "2026-01-31 2026-02-07",
    );
    check(
        "What did I do three days before the release?",
        "2026-01-17 2026-01-18",
    );
    check(
        "What did I do an hour before the release?",
        "2026-01-20T07:45 2026-01-20T08:15",
    );
    check(
        "What did I do in the week of the release?",
        "2026-01-19 2026-01-26",
    );
    check("What did I do before the release?", "… 2026-01-20T09:00");
    check("What did I do after the release?", "2026-01-20T09:00 …");
    check("What did I do during the release?", "2026-01-20 2026-01-21");
    check("What did I do yesterday?", "2026-03-03 2026-03-04");
}

#[test]
fn a_day_at_the_end_of_summer_time_is_as_long_as_the_zone_makes_it() {
    let found = expressions("What was on 2025-10-26?", now(), &berlin());
    let range = found[0].when.around(&(now()..now()), &berlin());
    assert_eq!(range.end.duration_since(range.start).as_hours(), 25);
}

#[test]
fn names_within_names_do_not_go_deep_however_long_the_text_is() {
    for words in [
        "early in ",
        "days ",
        "hier ",
        "in days between ",
        "half a ",
        "the end of ",
        "the first week of ",
        "de la ",
        "this past ",
        "day before ",
        "\" ` “",
        "prior to ",
        "not in ",
        "before noon ",
        "between 3 and ",
        "or later ",
    ] {
        let text = words.repeat(20_000) + "March 2024";
        let found = expressions(&text, now(), &berlin());
        let is_clear = |found: &&TimeExpression| !matches!(found.when, TimeMeaning::Unclear);
        assert!(found.iter().filter(is_clear).count() <= 1, "{words}");
    }
}

#[test]
fn no_range_is_empty_where_the_calendar_ends() -> Result<(), TestCaseError> {
    is_sound("What happened after the past week?", Timestamp::MAX)?;
    is_sound("What happened before the next hour?", Timestamp::MIN)?;
    for (question, asked_at) in [
        ("What happens tomorrow?", Timestamp::MAX),
        ("What happened last year?", Timestamp::MIN),
    ] {
        assert!(
            expressions(question, asked_at, &berlin()).is_empty(),
            "{question}"
        );
    }
    Ok(())
}

fn is_sound(question: &str, asked_at: Timestamp) -> Result<(), TestCaseError> {
    let mut end = 0;
    for found in expressions(question, asked_at, &berlin()) {
        prop_assert!(found.text.start >= end && found.text.start < found.text.end);
        prop_assert!(question.get(found.text.clone()).is_some());
        end = found.text.end;
        let event = asked_at..asked_at.checked_add(2.hours()).unwrap_or(asked_at);
        let range = found.when.around(&event, &berlin());
        prop_assert!(range.start <= range.end);
        if let TimeMeaning::Range(range) = &found.when {
            prop_assert!(range.start < range.end);
        }
        if let TimeMeaning::Around { event, .. } = &found.when {
            prop_assert!((1..=5).contains(&event.split(' ').count()) && !event.is_empty());
        }
    }
    Ok(())
}

const WORDS: &str = "the last next this past in on at since before after until from to between and of by around early mid late end \
    beginning first second 3rd week weeks day days month year quarter hours weekend morning tonight yesterday tomorrow \
    march May monday Fri summer spring christmas new year's eve q3 h1 2024 1900 12 31 5 3pm 14:30 pm ago a couple few \
    release we moved launched did will I every more than over now – - , ? . 2025-02-28 2025-02 1990s 29 february \
    vor drei letzte Woche bis zum du au antes del fin KW 12 except not prior to or later il y a semaine dernière en mars de 24/7 half during our within ago 9999999 2099";

proptest! {
    #[test]
    fn any_text_gives_expressions_in_order_and_ranges_that_are_not_empty(text in any::<String>()) {
        is_sound(&text, now())?;
    }

    #[test]
    fn time_words_in_any_order_give_expressions_in_order(
        picks in prop::collection::vec(0_usize..130, 0..14),
        edge in 0_usize..8,
    ) {
        let words: Vec<&str> = WORDS.split_ascii_whitespace().collect();
        let text: Vec<&str> = picks.iter().map(|pick| words[pick % words.len()]).collect();
        let asked_at = match edge {
            0 => Timestamp::MIN,
            1 => Timestamp::MAX,
            _ => now(),
        };
        is_sound(&text.join(" "), asked_at)?;
    }
}
