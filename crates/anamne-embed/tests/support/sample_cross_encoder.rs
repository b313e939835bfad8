//! A cross-encoder small enough that its scores are known, and the writer of its ONNX file.
//!
//! Its logit is `bias + scale × (the sum of the weights of the text's tokens) / (the number of all tokens)`; tokens of the
//! query count nothing.
#![allow(dead_code, reason = "each test uses a part of it")]

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

/// The marks before the words of the vocabulary.
pub(crate) const MARKS: [&str; 4] = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"];

/// Added to each logit.
pub(crate) const BIAS: f32 = -4.0;

/// Multiplies the mean weight.
pub(crate) const SCALE: f32 = 200.0;

/// A field of a Protocol Buffers message with bytes, text or a message.
pub(crate) fn bytes_field(number: u64, bytes: &[u8]) -> Vec<u8> {
    let mut field = varint(number << 3 | 2);
    field.extend(varint(bytes.len() as u64));
    field.extend(bytes);
    field
}

/// A field with an integer.
pub(crate) fn integer_field(number: u64, value: i64) -> Vec<u8> {
    let mut field = varint(number << 3);
    field.extend(varint(value as u64));
    field
}

fn varint(mut value: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
    bytes
}

/// An operator: its kind, inputs, output and attributes.
pub(crate) fn operator(
    kind: &str,
    inputs: &[&str],
    output: &str,
    attributes: &[Vec<u8>],
) -> Vec<u8> {
    let inputs = inputs.iter().map(|name| bytes_field(1, name.as_bytes()));
    let mut fields: Vec<Vec<u8>> = inputs.collect();
    fields.push(bytes_field(2, output.as_bytes()));
    fields.push(bytes_field(4, kind.as_bytes()));
    fields.extend(attributes.iter().map(|attribute| bytes_field(5, attribute)));
    fields.concat()
}

/// An attribute with an integer.
pub(crate) fn integer(name: &str, value: i64) -> Vec<u8> {
    let kind = integer_field(20, 2);
    [
        bytes_field(1, name.as_bytes()),
        integer_field(3, value),
        kind,
    ]
    .concat()
}

/// An attribute with integers.
pub(crate) fn integers(name: &str, values: &[i64]) -> Vec<u8> {
    let mut attribute = bytes_field(1, name.as_bytes());
    for value in values {
        attribute.extend(integer_field(8, *value));
    }
    attribute.extend(integer_field(20, 7));
    attribute
}

/// A constant: its type (1 float, 3 int8, 7 int64), shape and data.
pub(crate) fn constant(name: &str, kind: i64, shape: &[i64], data: &[u8]) -> Vec<u8> {
    let sizes = shape.iter().map(|size| integer_field(1, *size));
    let mut fields: Vec<Vec<u8>> = sizes.collect();
    fields.push(integer_field(2, kind));
    fields.push(bytes_field(8, name.as_bytes()));
    fields.push(bytes_field(9, data));
    fields.concat()
}

/// A constant of floats.
pub(crate) fn floats(name: &str, shape: &[i64], values: &[f32]) -> Vec<u8> {
    let data: Vec<u8> = values
        .iter()
        .flat_map(|value| value.to_le_bytes())
        .collect();
    constant(name, 1, shape, &data)
}

/// A constant of 64-bit integers.
pub(crate) fn longs(name: &str, shape: &[i64], values: &[i64]) -> Vec<u8> {
    let data: Vec<u8> = values
        .iter()
        .flat_map(|value| value.to_le_bytes())
        .collect();
    constant(name, 7, shape, &data)
}

/// A declared input or output: its type and its sizes, which are 1 and open.
fn declared(name: &str, kind: i64) -> Vec<u8> {
    let one = bytes_field(1, &integer_field(1, 1));
    let open = bytes_field(1, &bytes_field(2, b"tokens"));
    let shape = bytes_field(2, &[one, open].concat());
    let tensor = bytes_field(1, &[integer_field(1, kind), shape].concat());
    [bytes_field(1, name.as_bytes()), bytes_field(2, &tensor)].concat()
}

/// An ONNX file.
#[derive(Clone, Default)]
pub(crate) struct OnnxFile {
    pub(crate) operators: Vec<Vec<u8>>,
    pub(crate) constants: Vec<Vec<u8>>,
    pub(crate) inputs: Vec<&'static str>,
    pub(crate) outputs: Vec<&'static str>,
}

impl OnnxFile {
    /// The content of the file.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let messages = |number, messages: &[Vec<u8>]| {
            let fields = messages.iter().map(|message| bytes_field(number, message));
            fields.collect::<Vec<_>>().concat()
        };
        let inputs: Vec<_> = self.inputs.iter().map(|name| declared(name, 7)).collect();
        let outputs = self.outputs.iter();
        let outputs: Vec<_> = outputs
            .map(|name| bytes_field(1, name.as_bytes()))
            .collect();
        let graph = [
            messages(1, &self.operators),
            bytes_field(2, b"encoder"),
            messages(5, &self.constants),
            messages(11, &inputs),
            messages(12, &outputs),
        ];
        let version = bytes_field(8, &integer_field(2, 17));
        [
            integer_field(1, 8),
            bytes_field(7, &graph.concat()),
            version,
        ]
        .concat()
    }
}

/// A cross-encoder.
#[derive(Clone)]
pub(crate) struct Sample {
    /// The words that it knows, with their weights. Others are `[UNK]`, which weighs nothing.
    pub(crate) words: Vec<(&'static str, f32)>,
    /// 1, or 2: then the first logit is 0.
    pub(crate) labels: usize,
}

impl Sample {
    /// A model that likes texts with this word.
    pub(crate) fn liking(word: &'static str) -> Self {
        Self {
            words: vec![(word, 1.0)],
            labels: 1,
        }
    }

    /// The score of a text with these weights among `tokens` tokens of the pair.
    pub(crate) fn score(sum_of_weights: f32, tokens: usize) -> f32 {
        let logit = BIAS + SCALE * sum_of_weights / tokens as f32;
        1.0 / (1.0 + (-logit).exp())
    }

    /// Its graph.
    pub(crate) fn graph(&self) -> OnnxFile {
        let marks = MARKS.iter().map(|_| 0.0);
        let weights: Vec<f32> = marks
            .chain(self.words.iter().map(|(_, weight)| *weight))
            .collect();
        let labels = self.labels as i64;
        let (heads, biases) = match labels {
            1 => (vec![SCALE], vec![BIAS]),
            _ => (vec![0.0, SCALE], vec![0.0, BIAS]),
        };
        OnnxFile {
            operators: vec![
                operator(
                    "Gather",
                    &["weights", "input_ids"],
                    "token_weights",
                    &[integer("axis", 0)],
                ),
                operator("Gather", &["of_types", "token_type_ids"], "is_text", &[]),
                operator("Cast", &["attention_mask"], "mask", &[integer("to", 1)]),
                operator("Unsqueeze", &["mask", "last"], "masks", &[]),
                operator("Mul", &["token_weights", "is_text"], "text_weights", &[]),
                operator("Mul", &["text_weights", "masks"], "masked", &[]),
                operator(
                    "ReduceMean",
                    &["masked"],
                    "mean",
                    &[integers("axes", &[1]), integer("keepdims", 0)],
                ),
                operator("MatMul", &["mean", "head"], "product", &[]),
                operator("Add", &["product", "bias"], "logits", &[]),
            ],
            constants: vec![
                floats("weights", &[weights.len() as i64, 1], &weights),
                floats("of_types", &[2, 1], &[0.0, 1.0]),
                longs("last", &[1], &[-1]),
                floats("head", &[1, labels], &heads),
                floats("bias", &[labels], &biases),
            ],
            inputs: vec!["input_ids", "attention_mask", "token_type_ids"],
            outputs: vec!["logits"],
        }
    }

    /// Its `tokenizer.json`.
    pub(crate) fn tokenizer(&self) -> Value {
        let words = self.words.iter().map(|(word, _)| *word);
        let all = MARKS.into_iter().chain(words).enumerate();
        let vocabulary: serde_json::Map<String, Value> = all
            .map(|(token, piece)| (piece.to_owned(), token.into()))
            .collect();
        let mark = |token: usize| {
            json!({
                "id": token, "content": MARKS[token], "single_word": false, "lstrip": false,
                "rstrip": false, "normalized": false, "special": true
            })
        };
        json!({
            "added_tokens": [mark(0), mark(1), mark(2), mark(3)],
            "normalizer": {
                "type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true,
                "strip_accents": null, "lowercase": true
            },
            "pre_tokenizer": { "type": "BertPreTokenizer" },
            "post_processor": {
                "type": "TemplateProcessing",
                "single": [],
                "pair": [
                    { "SpecialToken": { "id": "[CLS]", "type_id": 0 } },
                    { "Sequence": { "id": "A", "type_id": 0 } },
                    { "SpecialToken": { "id": "[SEP]", "type_id": 0 } },
                    { "Sequence": { "id": "B", "type_id": 1 } },
                    { "SpecialToken": { "id": "[SEP]", "type_id": 1 } },
                ],
                "special_tokens": {}
            },
            "model": {
                "type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
                "max_input_chars_per_word": 100, "vocab": vocabulary
            }
        })
    }

    /// Its `config.json`.
    pub(crate) fn configuration(&self) -> Value {
        let labels: serde_json::Map<String, Value> = (0..self.labels)
            .map(|label| (label.to_string(), format!("LABEL_{label}").into()))
            .collect();
        json!({
            "architectures": ["BertForSequenceClassification"],
            "id2label": labels,
            "max_position_embeddings": 40
        })
    }

    /// Writes its folder, with the graph at `model`, such as `model.onnx`.
    pub(crate) fn write_as(&self, folder: &Path, model: &str) {
        let path = folder.join(model);
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        fs::write(path, self.graph().bytes()).expect("written");
        let texts = [
            ("tokenizer.json", self.tokenizer()),
            ("config.json", self.configuration()),
        ];
        for (name, text) in texts {
            fs::write(folder.join(name), text.to_string()).expect("written");
        }
    }

    /// Writes its folder.
    pub(crate) fn write(&self, folder: &Path) {
        self.write_as(folder, "model.onnx");
    }
}
