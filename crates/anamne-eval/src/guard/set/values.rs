//! Every value by the name that templates use.

use super::encodings::{alphabet, between, hex, of, pick};
use super::words::{capitalised, domain, from, host, joined, user, word};
use super::{blobs, formats, keys, national, passwords, people, tokens};
use crate::chance::Chance;

/// A value; `None` if there is no value with this name.
pub(super) fn value(name: &str, argument: &str, chance: &mut Chance) -> Option<String> {
    plain(name, argument, chance)
        .or_else(|| name_like(name, chance))
        .or_else(|| time_like(name, chance))
        .or_else(|| number_like(name, chance))
        .or_else(|| password_like(name, chance))
        .or_else(|| tokens::value(name, argument, chance))
        .or_else(|| keys::value(name, argument, chance))
        .or_else(|| people::value(name, argument, chance))
        .or_else(|| blobs::value(name, argument.parse().unwrap_or(100), chance))
        .or_else(|| {
            (name == "id")
                .then(|| national::value(argument, chance))
                .flatten()
        })
        .or_else(|| formats::value(name, chance))
}

/// Characters of an alphabet, `pick:a|b`, `int:low:high`, `sentence:language`.
fn plain(name: &str, argument: &str, chance: &mut Chance) -> Option<String> {
    match name {
        "pick" => {
            let options: Vec<&str> = argument.split('|').collect();
            Some((*pick(&options, chance)).to_owned())
        }
        "int" => {
            let (low, high) = argument.split_once(':')?;
            Some(between(low.parse().ok()?, high.parse().ok()?, chance).to_string())
        }
        "sentence" => from(&format!("sentence-{argument}"), chance).map(str::to_owned),
        "file" => Some(format!("{}.{argument}", joined("_", chance))),
        _ => Some(of(
            alphabet(name)?,
            formats::length(argument, chance)?,
            chance,
        )),
    }
}

fn name_like(name: &str, chance: &mut Chance) -> Option<String> {
    Some(match name {
        "word" => word(chance).to_owned(),
        "ident" => joined("_", chance),
        "kebab" => joined("-", chance),
        "CONST" => joined("_", chance).to_uppercase(),
        "camel" => format!("{}{}", word(chance), capitalised(word(chance))),
        "Pascal" => format!("{}{}", capitalised(word(chance)), capitalised(word(chance))),
        "user" => user(chance),
        "host" => host(chance),
        "domain" => domain(chance),
        "first" | "last" | "city" | "weekday" | "weekday-de" => from(name, chance)?.to_owned(),
        "name" => format!("{} {}", from("first", chance)?, from("last", chance)?),
        "path" => {
            let extension = from("extension", chance)?;
            format!(
                "{}/{}/{}.{extension}",
                word(chance),
                word(chance),
                joined("_", chance)
            )
        }
        _ => return None,
    })
}

/// The parts of a random time between 2019 and 2026.
struct Moment {
    date: [i64; 3],
    time: [i64; 3],
}

impl Moment {
    fn random(chance: &mut Chance) -> Self {
        Self {
            date: [
                between(2019, 2026, chance),
                between(1, 12, chance),
                between(1, 28, chance),
            ],
            time: [
                between(0, 23, chance),
                between(0, 59, chance),
                between(0, 59, chance),
            ],
        }
    }

    fn day(&self) -> String {
        let [year, month, day] = self.date;
        format!("{year}-{month:02}-{day:02}")
    }

    fn clock(&self) -> String {
        let [hour, minute, second] = self.time;
        format!("{hour:02}:{minute:02}:{second:02}")
    }

    /// `Mar`, for logs and headers.
    fn month(&self) -> &'static str {
        const NAMES: &str = "JanFebMarAprMayJunJulAugSepOctNovDec";
        let at = (self.date[1] as usize - 1) * 3;
        &NAMES[at..at + 3]
    }
}

fn time_like(name: &str, chance: &mut Chance) -> Option<String> {
    let moment = Moment::random(chance);
    let [year, month, day] = moment.date;
    Some(match name {
        "date" => moment.day(),
        "date-de" => format!("{day:02}.{month:02}.{year}"),
        "time" => moment.clock(),
        "iso" => match chance.below(3) {
            0 => format!("{}T{}Z", moment.day(), moment.clock()),
            1 => format!(
                "{}T{}.{:03}Z",
                moment.day(),
                moment.clock(),
                chance.below(1000)
            ),
            _ => format!("{} {}", moment.day(), moment.clock()),
        },
        "clf" => format!(
            "{day:02}/{}/{year}:{} +0000",
            moment.month(),
            moment.clock()
        ),
        "http-date" => {
            format!(
                "Tue, {day:02} {} {year} {} GMT",
                moment.month(),
                moment.clock()
            )
        }
        "epoch" => between(1_550_000_000, 1_780_000_000, chance).to_string(),
        "epochms" => between(1_550_000_000_000, 1_780_000_000_000, chance).to_string(),
        _ => return None,
    })
}

fn number_like(name: &str, chance: &mut Chance) -> Option<String> {
    let mut some = |name: &str, count| of(alphabet(name).unwrap_or("0"), count, chance);
    Some(match name {
        "uuid" => {
            let hex = some("h", 32);
            format!(
                "{}-{}-4{}-a{}-{}",
                &hex[..8],
                &hex[8..12],
                &hex[13..16],
                &hex[17..20],
                &hex[20..]
            )
        }
        "ulid" => format!("01{}", of("0123456789ABCDEFGHJKMNPQRSTVWXYZ", 24, chance)),
        "mac" => hex(some("h", 6).as_bytes())
            .as_bytes()
            .chunks(2)
            .map(|pair| String::from_utf8_lossy(pair).into_owned())
            .collect::<Vec<_>>()
            .join(":"),
        "port" => between(1_025, 65_000, chance).to_string(),
        "float" => format!("{}.{:04}", chance.below(100), chance.below(10_000)),
        "ver" => format!(
            "{}.{}.{}",
            chance.below(20),
            chance.below(30),
            chance.below(40)
        ),
        _ => return None,
    })
}

fn password_like(name: &str, chance: &mut Chance) -> Option<String> {
    let make = match name {
        "password" => passwords::mixed,
        "password-alnum" => passwords::alphanumeric,
        "password-url" => passwords::for_url,
        "password-dsn" => passwords::for_dsn,
        "password-percent" => passwords::percent_encoded,
        "password-weak" => passwords::weak,
        "password-leet" => passwords::leet,
        "password-lower" => passwords::lower,
        "passphrase" => passwords::passphrase,
        _ => return None,
    };
    Some(make(chance))
}
