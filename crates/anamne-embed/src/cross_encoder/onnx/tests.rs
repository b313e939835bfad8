//! The shapes that are followed are those that the runtime computes.

use rten::ModelOptions;
use rten_tensor::Layout;

use super::graph::Graph;
use super::sizes::Plan;

#[path = "../../../tests/support/sample_cross_encoder.rs"]
mod sample;

use sample::{OnnxFile, constant, floats, integer, integers, longs, operator};

/// Numbers of this shape.
fn numbers(name: &str, shape: &[i64]) -> Vec<u8> {
    let count = shape.iter().product::<i64>() as usize;
    floats(name, shape, &vec![0.5; count])
}

fn codes(name: &str, kind: i64, shape: &[i64]) -> Vec<u8> {
    let count = shape.iter().product::<i64>() as usize;
    constant(name, kind, shape, &vec![1; count])
}

/// Follows operators over constants, and runs them. Both have a result of the same shape, or refuse.
#[track_caller]
fn check_all(operators: Vec<Vec<u8>>, constants: &[Vec<u8>], is_possible: bool) {
    let file = OnnxFile {
        operators,
        constants: constants.to_vec(),
        inputs: vec![],
        outputs: vec!["out"],
    };
    let bytes = file.bytes();
    let graph = Graph::read(&bytes).expect("a graph");
    let plan = Plan::of(&graph, "out").expect("a plan");
    let followed = plan.sizes(5).map(|sizes| sizes.logits);
    let model = ModelOptions::with_ops(super::runtime::operators()).load(bytes);
    let run = model.map_err(|error| error.to_string()).and_then(|model| {
        let outputs = model.run(vec![], model.output_ids(), None);
        outputs.map_err(|error| error.to_string())
    });
    assert_eq!(followed.is_ok(), is_possible, "{followed:?}");
    let run = run.map(|outputs| outputs[0].shape().to_vec());
    match followed {
        Ok(followed) => assert_eq!(run, Ok(followed)),
        Err(_) => assert!(run.is_err(), "{run:?}"),
    }
}

/// One operator over the constants `a`, `b`, `c`, and so on.
#[track_caller]
fn check(kind: &str, constants: &[Vec<u8>], attributes: &[Vec<u8>]) {
    let names: Vec<&str> = ["a", "b", "c", "d", "e"][..constants.len()].to_vec();
    check_all(
        vec![operator(kind, &names, "out", attributes)],
        constants,
        true,
    );
}

/// One operator that can't be run.
#[track_caller]
fn check_refused(kind: &str, constants: &[Vec<u8>], attributes: &[Vec<u8>]) {
    let names: Vec<&str> = ["a", "b", "c", "d", "e"][..constants.len()].to_vec();
    check_all(
        vec![operator(kind, &names, "out", attributes)],
        constants,
        false,
    );
}

#[test]
fn shapes_of_single_values() {
    for kind in [
        "Abs",
        "Clip",
        "Erf",
        "Exp",
        "Gelu",
        "IsNaN",
        "Log",
        "Neg",
        "Reciprocal",
        "Relu",
        "Sigmoid",
        "Softmax",
        "Sqrt",
        "Tanh",
        "Identity",
    ] {
        check(kind, &[numbers("a", &[2, 3, 4])], &[]);
    }
    check("Cast", &[numbers("a", &[2, 3])], &[integer("to", 6)]);
    check("Not", &[codes("a", 9, &[2, 3])], &[]);
    let normalised = [
        numbers("a", &[2, 3]),
        numbers("b", &[3]),
        numbers("c", &[3]),
    ];
    check("LayerNormalization", &normalised, &[integer("axis", -1)]);
    let stored = [
        codes("a", 3, &[2, 3]),
        numbers("b", &[]),
        codes("c", 3, &[]),
    ];
    check("DequantizeLinear", &stored, &[]);
    let stored = [numbers("a", &[2, 3]), numbers("b", &[]), codes("c", 2, &[])];
    check("QuantizeLinear", &stored, &[]);
    check("DynamicQuantizeLinear", &[numbers("a", &[2, 3])], &[]);
}

#[test]
fn shapes_of_pairs_of_values() {
    for kind in [
        "Add",
        "Sub",
        "Mul",
        "Div",
        "Max",
        "Min",
        "Equal",
        "Greater",
        "GreaterOrEqual",
        "Less",
        "LessOrEqual",
        "Pow",
    ] {
        check(
            kind,
            &[numbers("a", &[2, 1, 4]), numbers("b", &[3, 1])],
            &[],
        );
        check(kind, &[numbers("a", &[]), numbers("b", &[3, 1])], &[]);
        check_refused(kind, &[numbers("a", &[2]), numbers("b", &[3])], &[]);
    }
    for kind in ["And", "Or"] {
        check(kind, &[codes("a", 9, &[2, 1]), codes("b", 9, &[3])], &[]);
    }
    let three = [
        codes("a", 9, &[2, 1]),
        numbers("b", &[1, 3]),
        numbers("c", &[]),
    ];
    check("Where", &three, &[]);
}

#[test]
fn shapes_of_products() {
    for (one, other) in [
        (&[2, 3][..], &[3, 4][..]),
        (&[5, 2, 3], &[3, 4]),
        (&[5, 2, 3], &[5, 3, 4]),
        (&[1, 6, 2, 3], &[5, 1, 3, 4]),
        (&[3], &[3, 4]),
        (&[2, 3], &[3]),
    ] {
        check("MatMul", &[numbers("a", one), numbers("b", other)], &[]);
    }
    check_refused(
        "MatMul",
        &[numbers("a", &[2, 3]), numbers("b", &[2, 3])],
        &[],
    );
    check(
        "MatMulInteger",
        &[codes("a", 2, &[2, 3]), codes("b", 3, &[3, 4])],
        &[],
    );
    for (one, other, attributes) in [
        ([2, 3], [3, 4], vec![]),
        ([3, 2], [3, 4], vec![integer("transA", 1)]),
        ([2, 3], [4, 3], vec![integer("transB", 1)]),
    ] {
        let all = [numbers("a", &one), numbers("b", &other), numbers("c", &[4])];
        check("Gemm", &all, &attributes);
    }
    check_refused("Gemm", &[numbers("a", &[2, 3]), numbers("b", &[2, 3])], &[]);
}

#[test]
fn shapes_of_what_is_chosen_and_joined() {
    let data = numbers("a", &[4, 5, 6]);
    check(
        "Gather",
        &[data.clone(), longs("b", &[2, 2], &[0, 1, 1, 0])],
        &[integer("axis", 1)],
    );
    check(
        "Gather",
        &[data.clone(), longs("b", &[], &[0])],
        &[integer("axis", -1)],
    );
    check(
        "GatherND",
        &[data.clone(), longs("b", &[3, 2], &[0; 6])],
        &[],
    );
    check(
        "GatherND",
        &[data.clone(), longs("b", &[4, 1], &[0; 4])],
        &[integer("batch_dims", 1)],
    );
    check(
        "Concat",
        &[data.clone(), numbers("b", &[4, 2, 6])],
        &[integer("axis", 1)],
    );
    check_refused(
        "Concat",
        &[data.clone(), numbers("b", &[4, 2, 7])],
        &[integer("axis", 1)],
    );
    for (start, end, axis, step) in [
        (1, 4, 1, 1),
        (0, i64::MAX, 2, 1),
        (-2, i64::MAX, 2, 1),
        (3, 1, 0, 1),
        (0, 6, 2, 4),
        (-1, i64::MIN, 2, -1),
        (5, -6, -1, -2),
    ] {
        let bounds = [start, end, axis, step];
        let mut all = vec![data.clone()];
        for (name, bound) in ["b", "c", "d", "e"].into_iter().zip(bounds) {
            all.push(longs(name, &[1], &[bound]));
        }
        check("Slice", &all, &[]);
    }
    check(
        "Split",
        &[data, longs("b", &[1], &[4])],
        &[integer("axis", 0)],
    );
}

#[test]
fn shapes_of_other_shapes() {
    let data = numbers("a", &[2, 3, 4]);
    for wanted in [
        &[6, 4][..],
        &[-1, 4],
        &[0, -1],
        &[2, 3, 2, 2],
        &[24],
        &[1, 1, 24, 1],
    ] {
        let shape = longs("b", &[wanted.len() as i64], wanted);
        check("Reshape", &[data.clone(), shape], &[]);
    }
    check_refused("Reshape", &[data.clone(), longs("b", &[2], &[5, 5])], &[]);
    check_refused("Reshape", &[data.clone(), longs("b", &[2], &[-1, -1])], &[]);
    for axis in [0, 1, 3, -1] {
        check(
            "Flatten",
            std::slice::from_ref(&data),
            &[integer("axis", axis)],
        );
    }
    check("Transpose", std::slice::from_ref(&data), &[]);
    check(
        "Transpose",
        std::slice::from_ref(&data),
        &[integers("perm", &[0, 2, 1])],
    );
    check_refused(
        "Transpose",
        std::slice::from_ref(&data),
        &[integers("perm", &[0, 1, 1])],
    );
    check(
        "Unsqueeze",
        &[data.clone(), longs("b", &[2], &[0, -1])],
        &[],
    );
    let ones = numbers("a", &[1, 3, 1]);
    check("Squeeze", std::slice::from_ref(&ones), &[]);
    check("Squeeze", &[ones, longs("b", &[1], &[-1])], &[]);
    check_refused("Squeeze", &[data.clone(), longs("b", &[1], &[1])], &[]);
    check(
        "Expand",
        &[numbers("a", &[3, 1]), longs("b", &[3], &[2, 1, 4])],
        &[],
    );
    check("ConstantOfShape", &[longs("a", &[2], &[2, 3])], &[]);
    for (start, limit, step) in [(0, 5, 1), (5, 0, -2), (3, 3, 1), (1, 100, 1)] {
        let bounds = [("a", start), ("b", limit), ("c", step)];
        check(
            "Range",
            &bounds.map(|(name, bound)| longs(name, &[], &[bound])),
            &[],
        );
    }
    check("Shape", std::slice::from_ref(&data), &[]);
    check(
        "Shape",
        std::slice::from_ref(&data),
        &[integer("start", 1), integer("end", -1)],
    );
    for attributes in [
        vec![integers("axes", &[1])],
        vec![integers("axes", &[-1]), integer("keepdims", 0)],
        vec![],
    ] {
        check("ReduceMean", std::slice::from_ref(&data), &attributes);
    }
    check(
        "ReduceSum",
        &[data, longs("b", &[1], &[1])],
        &[integer("keepdims", 0)],
    );
}

#[test]
fn sizes_that_a_graph_computes_are_followed() {
    // As exporters write it: the sizes of one tensor, changed and joined, are those of the next.
    let constants = [
        numbers("data", &[2, 3, 4]),
        longs("zero", &[], &[0]),
        longs("one", &[1], &[1]),
        longs("first", &[1], &[0]),
        longs("minus", &[1], &[-1]),
        longs("two", &[1], &[2]),
    ];
    let value = {
        let tensor = longs("", &[1], &[1]);
        [
            sample::bytes_field(1, b"value"),
            sample::bytes_field(5, &tensor),
        ]
        .concat()
    };
    let operators = vec![
        operator("Shape", &["data"], "shape", &[]),
        operator("Gather", &["shape", "zero"], "rows", &[]),
        operator("Unsqueeze", &["rows", "first"], "row_list", &[]),
        operator(
            "Slice",
            &["shape", "one", "two", "first", "one"],
            "columns",
            &[],
        ),
        operator("Mul", &["columns", "two"], "twice", &[]),
        operator(
            "Concat",
            &["row_list", "twice", "minus"],
            "wanted",
            &[integer("axis", 0)],
        ),
        operator("Reshape", &["data", "wanted"], "reshaped", &[]),
        operator("Shape", &["reshaped"], "new_shape", &[]),
        operator(
            "ConstantOfShape",
            &["new_shape"],
            "ones",
            std::slice::from_ref(&value),
        ),
        operator("Shape", &["new_shape"], "rank", &[]),
        operator("ConstantOfShape", &["rank"], "one_each", &[value]),
        operator("Equal", &["new_shape", "one_each"], "equal", &[]),
        operator("Where", &["equal", "one_each", "new_shape"], "target", &[]),
        operator("Expand", &["ones", "target"], "expanded", &[]),
        operator("Cast", &["expanded"], "out", &[integer("to", 1)]),
    ];
    check_all(operators, &constants, true);
}
