//! The operators that encoders use: which shapes they give, and how much work they are.
//!
//! An operator that is missing here is refused, so every one that the runtime may execute has known sizes. Small
//! integers are followed too, because graphs compute shapes from shapes.

use super::graph::Operator;
use super::rearranging as r;
use super::tensor::{MOST_VALUES, Tensor, clamped, elements};

/// The shapes of the outputs, and the multiplications.
type Outcome = Result<(Vec<Tensor>, u64), String>;

/// An operator with what is known of its inputs.
pub(super) struct Call<'a, 'file> {
    pub(super) operator: &'a Operator<'file>,
    pub(super) inputs: &'a [Option<&'a Tensor>],
}

/// Follows an operator.
pub(super) fn run(operator: &Operator<'_>, inputs: &[Option<&Tensor>]) -> Outcome {
    let call = Call { operator, inputs };
    let output = match operator.kind {
        "MatMul" | "MatMulInteger" => return product(&call),
        "Gemm" => return general_product(&call),
        "Split" => return Ok((r::split(&call)?, 0)),
        "DynamicQuantizeLinear" => {
            let codes = Tensor::of_shape(call.input(0)?.shape.clone());
            let number = Tensor::scalar(None);
            return Ok((vec![codes, number.clone(), number], 0));
        }
        "Abs" | "Clip" | "DequantizeLinear" | "Erf" | "Exp" | "Gelu" | "IsNaN"
        | "LayerNormalization" | "Log" | "Neg" | "Not" | "QuantizeLinear" | "Reciprocal"
        | "Relu" | "Sigmoid" | "Softmax" | "Sqrt" | "Tanh" => {
            Tensor::of_shape(call.input(0)?.shape.clone())
        }
        "Identity" => call.input(0)?.clone(),
        "Cast" => cast(&call)?,
        "Add" => combined(&call, i64::checked_add)?,
        "Sub" => combined(&call, i64::checked_sub)?,
        "Mul" => combined(&call, i64::checked_mul)?,
        "Div" => combined(&call, i64::checked_div)?,
        "Max" => combined(&call, |one, other| Some(one.max(other)))?,
        "Min" => combined(&call, |one, other| Some(one.min(other)))?,
        "Equal" => combined(&call, |one, other| Some(i64::from(one == other)))?,
        "And" | "Greater" | "GreaterOrEqual" | "Less" | "LessOrEqual" | "Or" | "Pow" => {
            combined(&call, |_, _| None)?
        }
        "Where" => chosen(&call)?,
        "ReduceMean" | "ReduceSum" => r::reduced(&call)?,
        "Shape" => r::shape(&call)?,
        "Gather" => r::gather(&call)?,
        "GatherND" => r::gather_each(&call)?,
        "Concat" => r::concat(&call)?,
        "Reshape" => r::reshape(&call)?,
        "Flatten" => r::flatten(&call)?,
        "Transpose" => r::transpose(&call)?,
        "Squeeze" => r::squeeze(&call)?,
        "Unsqueeze" => r::unsqueeze(&call)?,
        "Slice" => r::slice(&call)?,
        "Expand" => {
            let target = r::sizes(call.values(1)?)?;
            let input = call.input(0)?;
            filled(broadcast(&input.shape, &target)?, input.values.as_deref())?
        }
        "ConstantOfShape" => {
            let value = operator.attribute("value");
            let value = value.and_then(|attribute| attribute.tensor.as_ref());
            let value = value.and_then(|tensor| tensor.values.as_deref());
            filled(r::sizes(call.values(0)?)?, value)?
        }
        "Range" => r::range(&call)?,
        _ => return Err("this operator can't be run".to_owned()),
    };
    Ok((vec![output], 0))
}

impl<'a> Call<'a, '_> {
    /// The input at a place.
    pub(super) fn input(&self, place: usize) -> Result<&'a Tensor, String> {
        let missing = || format!("it has no input {place}");
        self.optional(place).ok_or_else(missing)
    }

    pub(super) fn optional(&self, place: usize) -> Option<&'a Tensor> {
        self.inputs.get(place).copied().flatten()
    }

    /// The integers of an input from which a size follows.
    pub(super) fn values(&self, place: usize) -> Result<&'a [i64], String> {
        let values = self.input(place)?.values.as_deref();
        values.ok_or_else(|| "the size of its result depends on the text".to_owned())
    }

    /// An integer attribute.
    pub(super) fn integer(&self, name: &str, default: i64) -> i64 {
        let attribute = self.operator.attribute(name);
        attribute
            .and_then(|attribute| attribute.integer)
            .unwrap_or(default)
    }

    /// The integers that newer files have as an input and older ones as an attribute, if there are any.
    pub(super) fn integers(&self, place: usize, name: &str) -> Result<Option<&'a [i64]>, String> {
        if self.optional(place).is_some() {
            return self.values(place).map(Some);
        }
        let attribute = self.operator.attribute(name);
        Ok(attribute.map(|attribute| attribute.integers.as_slice()))
    }
}

/// A tensor of one value.
fn filled(shape: Vec<usize>, value: Option<&[i64]>) -> Result<Tensor, String> {
    let elements = elements(&shape)?;
    let values = match value {
        Some([value]) if elements <= MOST_VALUES => Some(vec![*value; elements]),
        _ => None,
    };
    Ok(Tensor {
        shape,
        values,
        is_constant: false,
    })
}

/// The values stay known for the integer types, 32 and 64 bits.
fn cast(call: &Call<'_, '_>) -> Result<Tensor, String> {
    let input = call.input(0)?;
    let is_integer = [6, 7].contains(&call.integer("to", 0));
    Ok(Tensor {
        shape: input.shape.clone(),
        values: input.values.clone().filter(|_| is_integer),
        is_constant: false,
    })
}

/// The shape of two tensors of which sizes of 1 are repeated.
pub(super) fn broadcast(one: &[usize], other: &[usize]) -> Result<Vec<usize>, String> {
    let length = one.len().max(other.len());
    let size = |shape: &[usize], place: usize| {
        let before = length - shape.len();
        place.checked_sub(before).map_or(1, |place| shape[place])
    };
    let sizes = (0..length).map(|place| match (size(one, place), size(other, place)) {
        (one, other) if one == other || other == 1 => Ok(one),
        (1, other) => Ok(other),
        _ => Err(format!("the shapes {one:?} and {other:?} don't fit")),
    });
    sizes.collect()
}

/// Value by value, with repetition of single ones.
fn combined(
    call: &Call<'_, '_>,
    combine: impl Fn(i64, i64) -> Option<i64>,
) -> Result<Tensor, String> {
    let mut all = call.input(0)?.clone();
    for place in 1..call.inputs.len() {
        let other = call.input(place)?;
        let shape = broadcast(&all.shape, &other.shape)?;
        let values = match (&all.values, &other.values) {
            (Some(one), Some(other)) => aligned(one, other).and_then(|pairs| {
                let combined = pairs.map(|(one, other)| combine(one, other));
                combined
                    .map(|value| value.filter(|value| *value == clamped(*value)))
                    .collect()
            }),
            _ => None,
        };
        all = known(shape, values);
    }
    Ok(all)
}

/// Pairs of values of equal lists, or of a list and a single value.
fn aligned<'a>(one: &'a [i64], other: &'a [i64]) -> Option<impl Iterator<Item = (i64, i64)> + 'a> {
    let length = one.len().max(other.len());
    let fits = |values: &[i64]| values.len() == length || values.len() == 1;
    let at = |values: &'a [i64], place: usize| values[place.min(values.len() - 1)];
    let is_aligned = fits(one) && fits(other) && length > 0;
    is_aligned.then(|| (0..length).map(move |place| (at(one, place), at(other, place))))
}

/// A tensor whose values are kept if they are as many as its elements.
fn known(shape: Vec<usize>, values: Option<Vec<i64>>) -> Tensor {
    let count = elements(&shape).unwrap_or(usize::MAX);
    Tensor {
        shape,
        values: values.filter(|values| values.len() == count && count <= MOST_VALUES),
        is_constant: false,
    }
}

fn chosen(call: &Call<'_, '_>) -> Result<Tensor, String> {
    let (condition, one, other) = (call.input(0)?, call.input(1)?, call.input(2)?);
    let shape = broadcast(&broadcast(&condition.shape, &one.shape)?, &other.shape)?;
    let values = match (&condition.values, &one.values, &other.values) {
        (Some(condition), Some(one), Some(other))
            if condition.len() == one.len() && one.len() == other.len() =>
        {
            let rows = condition.iter().zip(one).zip(other);
            let choose = |((condition, one), other): ((&i64, &i64), &i64)| {
                if *condition == 0 { *other } else { *one }
            };
            Some(rows.map(choose).collect())
        }
        _ => None,
    };
    Ok(known(shape, values))
}

/// Matrix products of the last two dimensions.
fn product(call: &Call<'_, '_>) -> Outcome {
    let (one, other) = (&call.input(0)?.shape, &call.input(1)?.shape);
    let misfit = || format!("the shapes {one:?} and {other:?} don't fit");
    let (Some((depth, rows)), Some((columns, others))) = (one.split_last(), other.split_last())
    else {
        return Err(misfit());
    };
    let (other_depth, batches) = match others.split_last() {
        Some((depth, batches)) => (depth, batches),
        None => (columns, &[][..]),
    };
    if depth != other_depth {
        return Err(misfit());
    }
    let (rows, own_batches) = match rows.split_last() {
        Some((row, batches)) => (Some(*row), batches),
        None => (None, &[][..]),
    };
    let mut shape = broadcast(own_batches, batches)?;
    shape.extend(rows);
    shape.extend((other.len() > 1).then_some(*columns));
    let work = (elements(&shape)? as u64).saturating_mul(*depth as u64);
    Ok((vec![Tensor::of_shape(shape)], work))
}

/// A product of two matrices, each transposed or not, plus a third.
fn general_product(call: &Call<'_, '_>) -> Outcome {
    let matrix = |place: usize, name: &str| -> Result<(usize, usize), String> {
        match (&call.input(place)?.shape[..], call.integer(name, 0)) {
            ([rows, columns], 0) => Ok((*rows, *columns)),
            ([rows, columns], _) => Ok((*columns, *rows)),
            _ => Err(format!("its input {place} is not a matrix")),
        }
    };
    let ((rows, depth), (other_depth, columns)) = (matrix(0, "transA")?, matrix(1, "transB")?);
    if depth != other_depth {
        return Err("its matrices don't fit".to_owned());
    }
    let shape = vec![rows, columns];
    if let Some(added) = call.optional(2)
        && broadcast(&shape, &added.shape)? != shape
    {
        return Err("what it adds is larger than its product".to_owned());
    }
    let work = (elements(&shape)? as u64).saturating_mul(depth as u64);
    Ok((vec![Tensor::of_shape(shape)], work))
}
