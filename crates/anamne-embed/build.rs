//! Converts the model folder to the flat files that `src/builtin.rs` compiles into the binary: `table.bin` (the i8
//! rows) and, all little-endian, `scales.bin`, `inverse_norms.bin`, `piece_starts.bin` and `slots.bin` (the hash index
//! over the vocabulary).

#[path = "src/wordpiece/vocabulary_index.rs"]
mod vocabulary_index;

use std::path::{Path, PathBuf};
use std::{env, fs};

use safetensors::{Dtype, SafeTensors};
use vocabulary_index::VocabularyIndex;

const MODEL: &str = "../../models/anamne-static-v1";

fn main() {
    let folder = Path::new(&variable("CARGO_MANIFEST_DIR")).join(MODEL);
    let output = PathBuf::from(variable("OUT_DIR"));
    let model = input(&folder, "model.safetensors");
    let vocabulary = input(&folder, "vocabulary.txt");
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src/wordpiece/vocabulary_index.rs");

    let vocabulary = String::from_utf8(vocabulary).expect("vocabulary.txt is UTF-8");
    let pieces: Vec<&str> = vocabulary.lines().collect();
    let dimensions = write_rows(&model, pieces.len(), &output);
    write_vocabulary(&vocabulary, &pieces, dimensions, &output);
}

fn write_rows(model: &[u8], tokens: usize, output: &Path) -> usize {
    let tensors = SafeTensors::deserialize(model).expect("model.safetensors is well formed");
    let rows = tensors
        .tensor("embeddings")
        .expect("the model has embeddings");
    let scales = tensors.tensor("weights").expect("the model has weights");
    assert_eq!(rows.dtype(), Dtype::I8, "the built-in rows are i8");
    assert_eq!(scales.dtype(), Dtype::F32, "the built-in scales are f32");
    let &[count, dimensions] = rows.shape() else {
        panic!("the embeddings are a matrix");
    };
    assert_eq!(count, tokens, "one row for each line of vocabulary.txt");
    assert_eq!(scales.shape(), [tokens], "one scale for each row");
    let inverse_norms: Vec<u8> = rows
        .data()
        .chunks_exact(dimensions)
        .flat_map(|row| inverse_norm(row).to_le_bytes())
        .collect();
    write(output, "table.bin", rows.data());
    write(output, "scales.bin", scales.data());
    write(output, "inverse_norms.bin", &inverse_norms);
    dimensions
}

fn inverse_norm(row: &[u8]) -> f32 {
    let squares: i64 = row.iter().map(|&code| i64::from(code as i8).pow(2)).sum();
    if squares == 0 {
        0.0
    } else {
        (1.0 / (squares as f64).sqrt()) as f32
    }
}

fn write_vocabulary(vocabulary: &str, pieces: &[&str], dimensions: usize, output: &Path) {
    let index = VocabularyIndex::build(pieces).expect("vocabulary.txt makes an index");
    let unknown = pieces.iter().position(|&piece| piece == "[UNK]");
    let unknown = unknown.expect("the vocabulary has [UNK]");
    write(output, "vocabulary.txt", vocabulary.as_bytes());
    write(output, "piece_starts.bin", index.starts.as_flattened());
    write(output, "slots.bin", index.slots.as_flattened());
    let constants = format!(
        "const DIMENSIONS: usize = {dimensions};\nconst LONGEST_PIECE: usize = {};\n\
         const UNKNOWN: u16 = {unknown};\n",
        index.longest
    );
    write(output, "constants.rs", constants.as_bytes());
}

fn variable(name: &str) -> String {
    env::var(name).unwrap_or_else(|_| panic!("cargo sets {name}"))
}

fn input(folder: &Path, name: &str) -> Vec<u8> {
    let path = folder.join(name);
    println!("cargo::rerun-if-changed={}", path.display());
    fs::read(&path).unwrap_or_else(|error| panic!("cannot read {}: {error}", path.display()))
}

fn write(folder: &Path, name: &str, bytes: &[u8]) {
    let path = folder.join(name);
    fs::write(&path, bytes)
        .unwrap_or_else(|error| panic!("cannot write {}: {error}", path.display()));
}
