//! The built-in model returns the vectors of the reference implementation.

use std::fs;
use std::path::Path;

use anamne_embed::{EmbedError, Embedder, StaticModel};
use anamne_text::analyser::has_other_scripts;
use serde::Deserialize;

#[derive(Deserialize)]
struct Case {
    text: String,
    vector: Vec<f32>,
}

fn cases() -> Vec<Case> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../models/anamne-static-v1/test_vectors.json");
    let json = fs::read_to_string(path).expect("the model folder has test vectors");
    let cases: Vec<Case> = serde_json::from_str(&json).expect("the test vectors are well formed");
    // The reference splits words in other scripts into letters.
    let cases = cases.into_iter();
    cases
        .filter(|case| !has_other_scripts(&case.text))
        .collect()
}

#[test]
fn vectors_equal_the_reference_to_a_thousandth() {
    let model = StaticModel::builtin();
    let cases = cases();
    assert!(cases.len() >= 15);
    let mut vector = vec![0.0; model.dimensions()];
    for case in cases {
        model.embed_into(&case.text, &mut vector).unwrap();
        let distance = vector
            .iter()
            .zip(&case.vector)
            .fold(0.0_f32, |largest, (ours, theirs)| {
                largest.max((ours - theirs).abs())
            });
        assert!(distance < 1e-3, "{:?}: {distance}", case.text);
    }
}

#[test]
fn a_batch_is_its_texts_one_by_one() {
    let model = StaticModel::builtin();
    let texts = ["first text", "", "a second, longer text about a lighthouse"];
    let batch = model.embed_batch(&texts).unwrap();
    let mut single = vec![0.0; model.dimensions()];
    for (text, row) in texts.iter().zip(batch.chunks_exact(model.dimensions())) {
        model.embed_into(text, &mut single).unwrap();
        assert_eq!(row, single);
    }
}

#[test]
fn vectors_have_unit_length_or_are_zero() {
    let model = StaticModel::builtin();
    let known = [
        "x",
        "The ferry leaves at nine.",
        "日本",
        "Ça va ?",
        "fn main() {}",
    ];
    for text in known {
        let vector = model.embed_batch(&[text]).unwrap();
        let length = vector.iter().map(|value| value * value).sum::<f32>().sqrt();
        assert!((length - 1.0).abs() < 1e-5, "{text:?}: {length}");
    }
    for text in [
        "",
        "  \n\t",
        "\u{0}",
        "[UNK]",
        "[SEP] [PAD]",
        "\u{1f9ff}\u{1f9ff}",
    ] {
        let vector = model.embed_batch(&[text]).unwrap();
        assert!(vector.iter().all(|&value| value == 0.0), "{text:?}");
    }
}

#[test]
fn a_vector_of_another_length_is_refused() {
    for length in [0, 255, 257] {
        let error = StaticModel::builtin()
            .embed_into("text", &mut vec![0.0; length])
            .unwrap_err();
        assert!(
            matches!(error, EmbedError::VectorLength { expected: 256, found } if found == length),
            "{error}"
        );
    }
}

#[test]
fn the_identity_makes_one_path_component() {
    let model = StaticModel::builtin().model();
    assert_eq!(model.slug(), "anamne-static-v2");
    assert_eq!(model.to_string(), "anamne-static@v2");
}
