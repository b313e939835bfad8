//! Regression tests of extraction quality on annotated texts.

mod measure;

use std::path::Path;

#[test]
fn the_demo_has_good_quality() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("annotations/demo.jsonl");
    let texts = measure::annotated(&file).expect("the annotations are well-formed");
    assert!(texts.len() >= 160);
    let measured = measure::measure(&texts);
    let notes = measured.notes.join("\n");
    assert!(measured.entities.f1() >= 0.88, "{notes}");
    assert!(measured.entities.precision() >= 0.90, "{notes}");
    assert!(measured.relations.precision() >= 0.70, "{notes}");
    assert!(
        measured
            .by_type
            .values()
            .all(|tally| tally.precision() >= 0.70),
        "{notes}"
    );
}

#[test]
fn texts_of_other_fields_have_good_quality() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("annotations/other.jsonl");
    let texts = measure::annotated(&file).expect("the annotations are well-formed");
    assert!(texts.len() >= 220);
    let measured = measure::measure(&texts);
    let notes = measured.notes.join("\n");
    assert!(measured.entities.f1() >= 0.86, "{notes}");
    assert!(measured.entities.precision() >= 0.92, "{notes}");
    assert!(measured.relations.precision() >= 0.85, "{notes}");
    assert!(measured.relations.recall() >= 0.18, "{notes}");
}

#[test]
fn held_out_texts_have_the_documented_quality() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("annotations/fresh.jsonl");
    let texts = measure::annotated(&file).expect("the annotations are well-formed");
    assert!(texts.len() >= 150);
    let measured = measure::measure(&texts);
    let notes = measured.notes.join("\n");
    assert!(measured.entities.f1() >= 0.80, "{notes}");
    assert!(measured.relations.precision() >= 0.70, "{notes}");
}
