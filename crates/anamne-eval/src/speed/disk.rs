//! Bytes on disk, by folder.

use std::path::Path;

use super::budgets;
use super::figures::{Figure, Section, Unit};
use super::site::Site;
use crate::failure::Failure;
use crate::store::SPACE;

/// Number of texts sampled to estimate the length of records.
const SAMPLE: u64 = 1_000;

/// The disk size of a closed store, next to the plain texts.
pub(crate) fn measure(site: &Site) -> Result<Section, Failure> {
    let space = site.store().join("spaces").join(SPACE);
    let views = space.join("views");
    let per_thousand = |bytes: u64| bytes as f64 / 1024.0 / (site.records as f64 / 1_000.0);
    let part = |key: &str, label: &str, folder: &Path| -> Result<Figure, Failure> {
        let value = per_thousand(bytes_under(folder)?);
        Ok(Figure::new(
            format!("{key}_kib"),
            label,
            value,
            Unit::KibPerThousand,
        ))
    };
    let mut figures = vec![
        part("total", "all, for 1 000 records", &space)?
            .beside("text_kib", "the bare texts", text_kib(site))
            .promised(budgets::DISK),
        part("source", "source database", &space.join("memories"))?,
        part("journal", "journal", &space.join("journal"))?,
    ];
    for name in folders_in(&views)? {
        figures.push(part(&name, &format!("view: {name}"), &views.join(&name))?);
    }
    Ok(Section::new("disk", figures))
}

/// KiB of text per thousand records.
fn text_kib(site: &Site) -> f64 {
    let sample = site.records.min(SAMPLE);
    let bytes: usize = site
        .generator
        .records(0..sample)
        .iter()
        .map(|record| record.text.len())
        .sum();
    bytes as f64 / 1024.0 / (sample as f64 / 1_000.0)
}

fn folders_in(folder: &Path) -> Result<Vec<String>, Failure> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            names.push(entry.file_name().to_string_lossy().into_owned());
        }
    }
    names.sort();
    Ok(names)
}

fn bytes_under(folder: &Path) -> Result<u64, Failure> {
    let mut bytes = 0;
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let metadata = entry.metadata()?;
        bytes += if metadata.is_dir() {
            bytes_under(&entry.path())?
        } else {
            metadata.len()
        };
    }
    Ok(bytes)
}
