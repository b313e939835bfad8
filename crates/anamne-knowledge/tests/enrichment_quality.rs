//! Regression tests of enrichment quality on annotated memories.

#[path = "enrichment/measure.rs"]
mod measure;

use std::path::Path;

fn folder() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("annotations/enrichment")
}

fn share(part: usize, whole: usize) -> f64 {
    part as f64 / whole.max(1) as f64
}

#[test]
fn development_texts_have_good_quality() {
    let texts = measure::lines(&folder().join("texts-development.jsonl")).expect("well-formed");
    let measured = measure::measure(&texts);
    let all = measured.outcomes.len();
    let count = |right: fn(&measure::Outcome) -> bool| measured.outcomes.iter().filter(|one| right(one)).count();
    let category = share(count(|one| one.category), all);
    let importance = share(count(|one| one.importance), all);
    let language = share(count(|one| one.language), all);
    let useful = measured.outcomes.iter().map(|one| one.useful).sum();
    let keywords = measured.outcomes.iter().map(|one| one.keywords).sum();
    let notes = measured.notes.join("\n");
    let said = format!(
        "{notes}\n{:?}\ncategory {category:.3} importance {importance:.3} keywords {:.3} of {keywords} language {language:.3}",
        measured.by_category,
        share(useful, keywords)
    );
    println!("{said}");
    assert!(category >= 0.75, "{said}");
    assert!(importance >= 0.85, "{said}");
    assert!(share(useful, keywords) >= 0.8, "{said}");
    assert!(language >= 0.9, "{said}");
}

#[test]
fn development_links_are_precise() {
    let groups = measure::lines(&folder().join("links-development.jsonl")).expect("well-formed");
    let measured = measure::measure_links(&groups);
    let notes = measured.notes.join("\n");
    let (precision, recall) = (measured.precision(), measured.recall());
    let said = format!("{notes}\nprecision {precision:.3} recall {recall:.3}");
    println!("{said}");
    assert!(precision >= 0.9, "{said}");
    assert!(recall >= 0.5, "{said}");
}
