//! Cross-encoders: scores that are known, and files that must be refused.

#[path = "../support/sample_cross_encoder.rs"]
mod sample;

use anamne_embed::{CROSS_ENCODER_FILES, CrossEncoder, ModelFile, Reranker};
use sample::{
    MARKS, OnnxFile, Sample, bytes_field, constant, floats, integer, integer_field, longs, operator,
};
use serde_json::json;

/// Builds a model from these files.
fn built(files: [Vec<u8>; 3]) -> Result<CrossEncoder, String> {
    let names = CROSS_ENCODER_FILES.map(|(name, _)| name);
    let [model, tokenizer, configuration] = files;
    let files = [
        ModelFile::new(names[0], model),
        ModelFile::new(names[1], tokenizer),
        ModelFile::new(names[2], configuration),
    ];
    CrossEncoder::from_files("sample", &files).map_err(|error| error.to_string())
}

fn files_of(sample: &Sample, graph: &OnnxFile) -> [Vec<u8>; 3] {
    let tokenizer = sample.tokenizer().to_string().into_bytes();
    let configuration = sample.configuration().to_string().into_bytes();
    [graph.bytes(), tokenizer, configuration]
}

fn sample() -> Sample {
    Sample {
        words: vec![("boat", 1.0), ("tide", 0.5), ("storm", -1.0), ("##s", 0.25)],
        labels: 1,
    }
}

fn loaded() -> CrossEncoder {
    let sample = sample();
    built(files_of(&sample, &sample.graph())).expect("a model")
}

#[track_caller]
fn check_score(model: &CrossEncoder, query: &str, text: &str, weights: f32, tokens: usize) {
    let score = model.scores(query, &[text]).expect("a score")[0];
    let expected = Sample::score(weights, tokens);
    assert!(
        (score - expected).abs() < 1e-5,
        "{text}: {score} is not {expected}"
    );
}

/// The sample with another graph is refused with this problem.
#[track_caller]
fn check_refused(change: impl FnOnce(&mut OnnxFile), problem: &str) {
    let sample = sample();
    let mut graph = sample.graph();
    change(&mut graph);
    let refusal = built(files_of(&sample, &graph)).expect_err("refused");
    assert!(refusal.contains(problem), "{refusal}");
    assert!(refusal.contains("model.onnx"), "{refusal}");
}

#[test]
fn scores_are_those_of_the_graph() {
    let model = loaded();
    // [CLS] boat [SEP] … [SEP]: four tokens, and those of the text.
    check_score(&model, "boat", "Tide", 0.5, 5);
    check_score(&model, "boat", "boat tide", 1.5, 6);
    check_score(&model, "boat", "Boats, storm", 0.25, 8);
    check_score(&model, "where is it?", "storm", -1.0, 8);
    // Unknown words are a token; the query has no weight.
    check_score(&model, "boat boat", "a boat nobody knows", 1.0, 9);
    check_score(&model, "", "", 0.0, 3);
}

#[test]
fn several_texts_have_the_scores_that_each_has_alone() {
    let model = loaded();
    let texts = ["boat", "a storm at high tide", "", "tide tide tide"];
    let together = model.scores("which?", &texts).expect("scores");
    for (text, score) in texts.iter().zip(&together) {
        assert_eq!(model.scores("which?", &[text]).expect("a score"), [*score]);
    }
    assert!(model.scores("which?", &[]).expect("no scores").is_empty());
}

#[test]
fn of_two_labels_the_second_counts() {
    let sample = Sample {
        labels: 2,
        ..sample()
    };
    let model = built(files_of(&sample, &sample.graph())).expect("a model");
    check_score(&model, "boat", "boat tide", 1.5, 6);
}

#[test]
fn a_long_text_is_truncated_and_a_long_query_leaves_room_for_it() {
    let model = loaded();
    // The configuration allows 40 tokens. The query gets at most half of them.
    check_score(&model, "where", &"boat ".repeat(1_000), 36.0, 40);
    check_score(
        &model,
        &"where ".repeat(1_000),
        &"boat ".repeat(1_000),
        17.0,
        40,
    );
    check_score(&model, &"where ".repeat(1_000), "boat", 1.0, 24);
}

#[test]
fn marks_in_a_text_are_plain_text() {
    let model = loaded();
    // Three words that are unknown: a bracket, a word, a bracket.
    check_score(&model, "boat", "[SEP] boat", 1.0, 8);
    check_score(&model, "[SEP]", "boat", 1.0, 7);
}

#[test]
fn the_identity_changes_with_any_file() {
    let sample = sample();
    let files = files_of(&sample, &sample.graph());
    let identity = |files: [Vec<u8>; 3]| built(files).expect("a model").model().clone();
    let first = identity(files.clone());
    assert_eq!(first.name, "sample");
    assert_eq!(first, identity(files.clone()));
    let [model, tokenizer, _] = files;
    let other = json!({ "max_position_embeddings": 30 }).to_string();
    assert_ne!(first, identity([model, tokenizer, other.into_bytes()]));
}

#[test]
fn a_file_that_ends_anywhere_is_refused() {
    let sample = sample();
    let whole = files_of(&sample, &sample.graph());
    for place in 0..3 {
        let length = whole[place].len();
        // The last four bytes of the graph are the version of its operators, without which it can be read.
        let is_whole = |end: &usize| place == 0 && *end == length - 4;
        for end in (0..length).filter(|end| !is_whole(end)) {
            let mut files = whole.clone();
            files[place].truncate(end);
            assert!(built(files).is_err(), "file {place} of {end} bytes");
        }
    }
}

#[test]
fn a_changed_byte_never_ends_the_process() {
    let sample = sample();
    let whole = files_of(&sample, &sample.graph());
    for at in 0..whole[0].len() {
        for change in [0xFF, 0x80, 0x01] {
            let mut files = whole.clone();
            files[0][at] ^= change;
            // Most are refused. A changed weight or name of the graph is as good as another.
            if let Ok(model) = built(files) {
                let _ = model.scores("boat", &["tide"]);
            }
        }
    }
}

#[test]
fn other_files_are_named_as_what_they_are_not() {
    for (bytes, problem) in [
        (&b""[..], "not an ONNX file"),
        (b"not a model", "not an ONNX file"),
        (&[0; 64], "not an ONNX file"),
        (&[0xFF; 64], "not an ONNX file"),
    ] {
        let sample = sample();
        let [_, tokenizer, configuration] = files_of(&sample, &sample.graph());
        let refusal = built([bytes.to_vec(), tokenizer, configuration]).expect_err("refused");
        assert!(refusal.contains(problem), "{refusal}");
    }
}

#[test]
fn claimed_sizes_are_refused_before_memory_is_taken() {
    let huge = 1_i64 << 40;
    check_refused(
        |graph| graph.constants[0] = floats("weights", &[huge, 1], &[1.0]),
        "needs 1099511627776",
    );
    check_refused(
        |graph| graph.constants[0] = floats("weights", &[i64::MAX, i64::MAX], &[1.0]),
        "too large",
    );
    check_refused(
        |graph| graph.constants[0] = floats("weights", &[-1, 1], &[1.0]),
        "negative size",
    );
    check_refused(
        |graph| graph.constants[0] = floats("weights", &[1; 20], &[1.0]),
        "20 dimensions",
    );
    // A size that only the operator claims.
    for (kind, inputs) in [
        ("Expand", &["bias", "size"][..]),
        ("ConstantOfShape", &["size"]),
    ] {
        check_refused(
            |graph| {
                graph
                    .constants
                    .push(longs("size", &[2], &[1 << 20, 1 << 20]));
                graph.operators.push(operator(kind, inputs, "large", &[]));
            },
            "MiB of memory",
        );
    }
    check_refused(
        |graph| {
            let bounds = [("from", 0), ("to", i64::from(i32::MAX)), ("by", 1)];
            let bounds = bounds.map(|(name, value)| longs(name, &[], &[value]));
            graph.constants.extend(bounds);
            graph
                .operators
                .push(operator("Range", &["from", "to", "by"], "large", &[]));
        },
        "MiB of memory",
    );
    // A product of a column and a row.
    check_refused(
        |graph| {
            graph
                .constants
                .push(floats("column", &[40_000, 1], &vec![0.0; 40_000]));
            graph
                .constants
                .push(floats("row", &[1, 40_000], &vec![0.0; 40_000]));
            graph
                .operators
                .push(operator("Add", &["column", "row"], "large", &[]));
        },
        "MiB of memory",
    );
}

#[test]
fn endless_work_is_refused() {
    check_refused(
        |graph| {
            let side = 2_000;
            graph
                .constants
                .push(constant("square", 3, &[side, side], &vec![0; 4_000_000]));
            graph
                .operators
                .push(operator("MatMulInteger", &["square", "square"], "p0", &[]));
            for at in 0..40 {
                let (from, to) = (format!("p{at}"), format!("p{}", at + 1));
                graph
                    .operators
                    .push(operator("MatMul", &[&from, &from], &to, &[]));
            }
        },
        "more work",
    );
}

#[test]
fn graphs_that_do_not_fit_together_are_refused() {
    check_refused(
        |graph| graph.constants[3] = floats("head", &[3, 1], &[0.0; 3]),
        "don't fit",
    );
    check_refused(
        |graph| drop(graph.constants.remove(0)),
        "nothing before it computes",
    );
    check_refused(
        |graph| graph.operators.swap(0, 4),
        "nothing before it computes",
    );
    check_refused(
        |graph| graph.constants[0] = longs("bias", &[1], &[1]),
        "two constants",
    );
    check_refused(
        |graph| graph.operators.push(graph.operators[0].clone()),
        "computed twice",
    );
    check_refused(
        |graph| graph.constants[0] = constant("weights", 99, &[8, 1], &[0; 8]),
        "type 99",
    );
    check_refused(
        |graph| graph.outputs = vec!["missing"],
        "nothing computes its output",
    );
    check_refused(|graph| graph.outputs = vec![], "no output");
    check_refused(
        |graph| graph.outputs = vec!["mean", "masked"],
        "named logits",
    );
    check_refused(
        |graph| graph.outputs = vec!["masked"],
        "depends on the length",
    );
    check_refused(
        |graph| {
            graph.constants[3] = floats("head", &[1, 3], &[0.0; 3]);
            graph.constants[4] = floats("bias", &[3], &[0.0; 3]);
        },
        "1 or 2 logits",
    );
    // Fewer embeddings than tokens.
    check_refused(
        |graph| graph.constants[0] = floats("weights", &[5, 1], &[0.0; 5]),
        "embeddings of 5 tokens, but tokenizer.json has 8",
    );
    check_refused(
        |graph| graph.constants[4] = floats("bias", &[1], &[f32::NAN]),
        "it gave the logits",
    );
}

#[test]
fn inputs_and_operators_are_those_of_encoders() {
    check_refused(
        |graph| graph.inputs.push("pixels"),
        "needs the input \"pixels\"",
    );
    check_refused(
        |graph| {
            graph.inputs.retain(|input| *input != "input_ids");
            graph.constants.push(longs("input_ids", &[1, 1], &[4]));
        },
        "no input \"input_ids\"",
    );
    check_refused(
        |graph| {
            graph
                .operators
                .push(operator("Conv", &["masked"], "other", &[]));
        },
        "this operator can't be run",
    );
    check_refused(
        |graph| {
            let mut foreign = operator("Attention", &["masked"], "other", &[]);
            foreign.extend(bytes_field(7, b"com.example"));
            graph.operators.push(foreign);
        },
        "only standard operators",
    );
    // A size that depends on the tokens.
    check_refused(
        |graph| {
            graph
                .operators
                .push(operator("Expand", &["bias", "input_ids"], "other", &[]));
        },
        "depends on the text",
    );
    // An integer divided by zero.
    check_refused(
        |graph| {
            graph.constants.push(longs("zero", &[1], &[0]));
            graph
                .operators
                .push(operator("Div", &["input_ids", "zero"], "divided", &[]));
            graph.operators.push(operator(
                "Cast",
                &["divided"],
                "number",
                &[integer("to", 1)],
            ));
            graph
                .operators
                .push(operator("ReduceMean", &["number"], "all", &[]));
            graph
                .operators
                .push(operator("Add", &["logits", "all"], "sum", &[]));
            graph.outputs = vec!["sum"];
        },
        "Divisor contains zero",
    );
}

#[test]
fn branches_other_files_and_deep_nesting_are_refused() {
    check_refused(
        |graph| {
            // A loop in a loop, deeper than a call stack.
            let mut nested = Vec::new();
            for _ in 0..5_000 {
                let attribute = bytes_field(6, &bytes_field(1, &nested));
                nested = bytes_field(5, &attribute);
            }
            graph.operators.push(nested);
        },
        "loops or branches",
    );
    check_refused(
        |graph| {
            let location = [bytes_field(1, b"location"), bytes_field(2, b"/etc/passwd")].concat();
            let mut elsewhere = constant("weights", 1, &[8, 1], &[]);
            elsewhere.extend(bytes_field(13, &location));
            elsewhere.extend(integer_field(14, 1));
            graph.constants[0] = elsewhere;
        },
        "in another file",
    );
}

#[test]
fn tokenizers_that_can_not_be_read_are_named() {
    let check = |pointer: &str, value: serde_json::Value, problem: &str| {
        let sample = sample();
        let mut tokenizer = sample.tokenizer();
        *tokenizer.pointer_mut(pointer).expect("a place") = value;
        let [model, _, configuration] = files_of(&sample, &sample.graph());
        let files = [model, tokenizer.to_string().into_bytes(), configuration];
        let refusal = built(files).expect_err("refused");
        assert!(refusal.contains(problem), "{refusal}");
        assert!(refusal.contains("tokenizer.json"), "{refusal}");
    };
    check("/model/type", json!("Unigram"), "Unigram, not WordPiece");
    check("/normalizer/lowercase", json!(false), "normaliser");
    check(
        "/post_processor",
        json!({ "type": "RobertaProcessing" }),
        "joins query and text",
    );
    check(
        "/post_processor/pair/3/Sequence/type_id",
        json!(0),
        "joins query and text",
    );
    check(
        "/post_processor/pair/0/SpecialToken/id",
        json!("<s>"),
        "no token <s>",
    );
    check("/model/vocab/boat", json!(77), "without gaps");
    check("/model/vocab", json!([]), "tokenizer.json");
}

#[test]
fn the_older_form_of_the_pair_is_read() {
    let sample = sample();
    for form in [
        json!({ "type": "BertProcessing", "sep": ["[SEP]", 3], "cls": ["[CLS]", 2] }),
        json!(null),
    ] {
        let mut tokenizer = sample.tokenizer();
        tokenizer["post_processor"] = form;
        let [model, _, configuration] = files_of(&sample, &sample.graph());
        let model = built([model, tokenizer.to_string().into_bytes(), configuration]);
        check_score(&model.expect("a model"), "boat", "boat tide", 1.5, 6);
    }
    assert_eq!(MARKS[3], "[SEP]");
}

#[test]
fn configurations_that_do_not_fit_are_refused() {
    let check = |configuration: serde_json::Value, problem: &str| {
        let sample = sample();
        let [model, tokenizer, _] = files_of(&sample, &sample.graph());
        let files = [model, tokenizer, configuration.to_string().into_bytes()];
        let refusal = built(files).expect_err("refused");
        assert!(refusal.contains(problem), "{refusal}");
        assert!(refusal.contains("config.json"), "{refusal}");
    };
    check(json!({}), "max_position_embeddings");
    check(json!({ "max_position_embeddings": 3 }), "at least 16");
    check(json!({ "max_position_embeddings": -3 }), "config.json");
    check(json!([]), "config.json");
    check(
        json!({ "max_position_embeddings": 40, "num_labels": 3 }),
        "states 3 labels, but the model has 1",
    );
}
