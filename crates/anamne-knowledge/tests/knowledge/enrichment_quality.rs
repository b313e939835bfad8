//! Regression tests of enrichment quality on annotated memories.

mod measure;

use std::collections::BTreeSet;
use std::path::Path;

use measure::{Annotated, Group, Outcome};

/// The shares of what is right on the texts of a half, with a description.
struct Quality {
    category: f64,
    importance: f64,
    keywords: f64,
    language: f64,
    said: String,
}

fn file(name: &str) -> std::path::PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("annotations/enrichment");
    folder.join(name)
}

fn share(part: usize, whole: usize) -> f64 {
    part as f64 / whole.max(1) as f64
}

fn quality(half: &str) -> Quality {
    let texts: Vec<Annotated> =
        measure::lines(&file(&format!("texts-{half}.jsonl"))).expect("well-formed");
    let measured = measure::measure(&texts);
    let outcomes = &measured.outcomes;
    assert!(outcomes.len() >= 170);
    let of = |right: fn(&Outcome) -> bool| {
        share(
            outcomes.iter().filter(|one| right(one)).count(),
            outcomes.len(),
        )
    };
    let useful = outcomes.iter().map(|one| one.useful).sum();
    let keywords = outcomes.iter().map(|one| one.keywords).sum();
    let mut quality = Quality {
        category: of(|one| one.category),
        importance: of(|one| one.importance),
        keywords: share(useful, keywords),
        language: of(|one| one.language),
        said: String::new(),
    };
    quality.said = format!(
        "{}\n{:?}\ncategory {:.3} importance {:.3} keywords {:.3} of {keywords} language {:.3}",
        measured.notes.join("\n"),
        measured.by_category,
        quality.category,
        quality.importance,
        quality.keywords,
        quality.language
    );
    quality
}

fn links(half: &str) -> (f64, f64, String) {
    let groups: Vec<Group> =
        measure::lines(&file(&format!("links-{half}.jsonl"))).expect("well-formed");
    let measured = measure::measure_links(&groups);
    let (precision, recall) = (measured.precision(), measured.recall());
    let notes = measured.notes.join("\n");
    let said = format!("{notes}\nprecision {precision:.3} recall {recall:.3}");
    (precision, recall, said)
}

#[test]
fn development_texts_have_good_quality() {
    let quality = quality("development");
    assert!(quality.category >= 0.85, "{}", quality.said);
    assert!(quality.importance >= 0.9, "{}", quality.said);
    assert!(quality.keywords >= 0.85, "{}", quality.said);
    assert!(quality.language >= 0.9, "{}", quality.said);
}

#[test]
fn held_out_texts_have_the_documented_quality() {
    let quality = quality("held-out");
    assert!(quality.category >= 0.75, "{}", quality.said);
    assert!(quality.importance >= 0.85, "{}", quality.said);
    assert!(quality.keywords >= 0.8, "{}", quality.said);
}

#[test]
fn texts_of_held_out_fields_have_the_documented_categories() {
    let texts: Vec<Annotated> =
        measure::lines(&file("fields-held-out.jsonl")).expect("well-formed");
    let developed: Vec<Annotated> =
        measure::lines(&file("fields-development.jsonl")).expect("well-formed");
    let fields = |texts: &[Annotated]| -> BTreeSet<Option<String>> {
        texts.iter().map(|text| text.field.clone()).collect()
    };
    assert!(fields(&texts).is_disjoint(&fields(&developed)));
    let measured = measure::measure(&texts);
    let right = measured.outcomes.iter().filter(|one| one.category).count();
    let notes = measured.notes.join("\n");
    assert!(texts.len() >= 90);
    assert!(share(right, texts.len()) >= 0.75, "{notes}\n{right}");
}

#[test]
fn development_links_are_precise() {
    let (precision, recall, said) = links("development");
    assert!(precision >= 0.9, "{said}");
    assert!(recall >= 0.8, "{said}");
}

#[test]
fn held_out_links_have_the_documented_precision() {
    let (precision, _, said) = links("held-out");
    assert!(precision >= 0.9, "{said}");
}
