//! Stores with one damaged file: does every answer stay right, or report the damage?

mod harm;
pub(crate) mod patient;
mod pattern;
mod questions;
mod verdict;

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::time::Instant;

use serde::Serialize;

use crate::chance::Chance;
use crate::failure::Failure;
use crate::output;

use harm::FileDamage;
use pattern::{Pattern, Stores};
use verdict::DamageVerdict;

/// A failed case, with everything needed to reproduce it.
#[derive(Debug, Serialize)]
struct Broken {
    verdict: DamageVerdict,
    seed: u64,
    harm: FileDamage,
    in_use: bool,
    said: Vec<String>,
}

/// The result of all damages.
#[derive(Debug, Default, Serialize)]
pub(super) struct Damages {
    seed: u64,
    cases: usize,
    in_use: usize,
    verdicts: BTreeMap<DamageVerdict, usize>,
    broken: Vec<Broken>,
    seconds: f64,
}

impl Damages {
    /// Whether no answer was wrong, nothing was lost, and no process crashed.
    pub(super) fn kept(&self) -> bool {
        self.broken.is_empty()
    }
}

/// Damages `cases` copies of one store; the seed of the first case is `seed`, and each further case adds one.
///
/// The store is built in `folder`, or reused if it exists: then the same seed does the same damage.
pub(super) fn run(folder: &Path, cases: usize, seed: u64) -> Result<Damages, Failure> {
    let started = Instant::now();
    let stores = Stores::in_folder(folder);
    Pattern::built_in(&stores)?;
    let mut damages = Damages {
        seed,
        cases,
        ..Damages::default()
    };
    for seed in (seed..).take(cases) {
        let mut chance = Chance::new(seed);
        let copy = folder.join("damaged");
        let healthy = [&stores.settled, &stores.logged][chance.below(2)];
        harm::replace_with_copy(healthy, &copy)?;
        let in_use = chance.below(2) == 1;
        let harm = FileDamage::chosen(&copy, in_use, &mut chance)?;
        let said = patient::examine(&copy, stores.pattern(), &harm, in_use)?;
        let verdict = DamageVerdict::of(&said);
        damages.in_use += usize::from(in_use);
        *damages.verdicts.entry(verdict).or_default() += 1;
        if verdict.is_failure() {
            output::print_error(&format!(
                "{verdict}: seed {seed}, {harm}, {}: {}",
                if in_use { "in use" } else { "closed" },
                said.in_words().join("; ")
            ));
            damages.broken.push(Broken {
                verdict,
                seed,
                harm,
                in_use,
                said: said.in_words(),
            });
        }
    }
    damages.seconds = started.elapsed().as_secs_f64();
    Ok(damages)
}

impl fmt::Display for Damages {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            seed,
            cases,
            in_use,
            seconds,
            ..
        } = self;
        write!(
            formatter,
            "{cases} damaged stores, {in_use} of them while in use, from seed {seed} in {seconds:.1} s:"
        )?;
        for verdict in DamageVerdict::ALL {
            let count = self.verdicts.get(&verdict).copied().unwrap_or_default();
            write!(formatter, "\n  {count:>5}  {verdict}")?;
        }
        Ok(())
    }
}
