//! The operators that choose, join and reshape.

use super::operators::Call;
use super::tensor::{MOST_VALUES, Tensor, elements};

type Outcome = Result<Tensor, String>;

/// A place among `length`, where negative ones count from the end.
fn place(place: i64, length: usize) -> Result<usize, String> {
    let from_start = if place < 0 {
        place + length as i64
    } else {
        place
    };
    let found = usize::try_from(from_start)
        .ok()
        .filter(|place| *place < length);
    found.ok_or_else(|| format!("it names the dimension {place} of {length}"))
}

/// Sizes from integers.
pub(super) fn sizes(values: &[i64]) -> Result<Vec<usize>, String> {
    let size = |value: &i64| usize::try_from(*value);
    let sizes: Result<_, _> = values.iter().map(size).collect();
    sizes.map_err(|_| format!("its result would have the sizes {values:?}"))
}

/// The values of `input` with another shape of as many elements.
fn reshaped(input: &Tensor, shape: Vec<usize>) -> Outcome {
    if elements(&shape)? != input.elements()? {
        let from = &input.shape;
        return Err(format!("{from:?} can't become {shape:?}"));
    }
    Ok(Tensor {
        shape,
        values: input.values.clone(),
        is_constant: false,
    })
}

pub(super) fn shape(call: &Call<'_, '_>) -> Outcome {
    let shape = &call.input(0)?.shape;
    let bound = |name: &str, default: usize| {
        let bound = call.integer(name, default as i64);
        let from_start = if bound < 0 {
            bound + shape.len() as i64
        } else {
            bound
        };
        from_start.clamp(0, shape.len() as i64) as usize
    };
    let (start, end) = (bound("start", 0), bound("end", shape.len()));
    let sizes = shape.get(start..end).unwrap_or_default();
    Ok(Tensor::list(
        sizes.iter().map(|size| *size as i64).collect(),
    ))
}

pub(super) fn gather(call: &Call<'_, '_>) -> Outcome {
    let (data, chosen) = (call.input(0)?, call.input(1)?);
    let axis = place(call.integer("axis", 0), data.shape.len())?;
    let mut shape = data.shape[..axis].to_vec();
    shape.extend(&chosen.shape);
    shape.extend(&data.shape[axis + 1..]);
    let values = match (&data.values, &chosen.values) {
        (Some(values), Some(chosen)) if data.shape.len() == 1 => {
            let value = |at: &i64| Some(values[place(*at, values.len()).ok()?]);
            chosen.iter().map(value).collect()
        }
        _ => None,
    };
    Ok(Tensor {
        shape,
        values,
        is_constant: false,
    })
}

/// `GatherND`: each row of the last dimension of the indices names a part of the data.
pub(super) fn gather_each(call: &Call<'_, '_>) -> Outcome {
    let (data, indices) = (&call.input(0)?.shape, &call.input(1)?.shape);
    let batches = usize::try_from(call.integer("batch_dims", 0)).unwrap_or(usize::MAX);
    let named = indices.last().and_then(|named| named.checked_add(batches));
    let (Some(named), Some((_, outer))) = (named, indices.split_last()) else {
        return Err("its indices have no dimensions".to_owned());
    };
    let rest = data.get(named..);
    let rest = rest.ok_or("its indices name more dimensions than there are")?;
    Ok(Tensor::of_shape([outer, rest].concat()))
}

pub(super) fn concat(call: &Call<'_, '_>) -> Outcome {
    let first = call.input(0)?;
    let axis = place(call.integer("axis", 0), first.shape.len())?;
    let mut shape = first.shape.clone();
    let mut values = first.values.clone().filter(|_| shape.len() == 1);
    for at in 1..call.inputs.len() {
        let next = call.input(at)?;
        let mut expected = shape.clone();
        if let Some(size) = next.shape.get(axis) {
            expected[axis] = *size;
        }
        if next.shape != expected {
            return Err(format!("{shape:?} and {:?} can't be joined", next.shape));
        }
        shape[axis] = shape[axis].saturating_add(next.shape[axis]);
        values = values.zip(next.values.as_ref()).map(|(mut all, next)| {
            all.extend(next);
            all
        });
    }
    Ok(Tensor {
        shape,
        values: values.filter(|values| values.len() <= MOST_VALUES),
        is_constant: false,
    })
}

pub(super) fn reshape(call: &Call<'_, '_>) -> Outcome {
    let input = call.input(0)?;
    let wanted = call.integers(1, "shape")?.ok_or("it has no shape")?;
    let keeps_zero = call.integer("allowzero", 0) != 0;
    let mut shape = Vec::with_capacity(wanted.len());
    let mut open = None;
    for (at, size) in wanted.iter().enumerate() {
        shape.push(match *size {
            -1 if open.is_none() => {
                open = Some(at);
                1
            }
            0 if !keeps_zero => *input
                .shape
                .get(at)
                .ok_or("it keeps a size that isn't there")?,
            size => sizes(&[size])?[0],
        });
    }
    if let Some(open) = open {
        let rest = elements(&shape)?;
        if rest == 0 {
            return Err("its open size can't be known".to_owned());
        }
        shape[open] = input.elements()? / rest;
    }
    reshaped(input, shape)
}

pub(super) fn flatten(call: &Call<'_, '_>) -> Outcome {
    let input = call.input(0)?;
    let dimensions = input.shape.len();
    let axis = match call.integer("axis", 1) {
        axis if axis == dimensions as i64 => dimensions,
        axis => place(axis, dimensions)?,
    };
    let (rows, columns) = input.shape.split_at(axis);
    reshaped(input, vec![elements(rows)?, elements(columns)?])
}

pub(super) fn transpose(call: &Call<'_, '_>) -> Outcome {
    let shape = &call.input(0)?.shape;
    let Some(order) = call.operator.attribute("perm") else {
        return Ok(Tensor::of_shape(shape.iter().rev().copied().collect()));
    };
    let order: Result<Vec<usize>, String> = order
        .integers
        .iter()
        .map(|at| place(*at, shape.len()))
        .collect();
    let order = order?;
    let mut seen = order.clone();
    seen.sort_unstable();
    if seen.iter().ne(&(0..shape.len()).collect::<Vec<_>>()) {
        return Err("it does not name each dimension once".to_owned());
    }
    Ok(Tensor::of_shape(
        order.iter().map(|at| shape[*at]).collect(),
    ))
}

pub(super) fn squeeze(call: &Call<'_, '_>) -> Outcome {
    let input = call.input(0)?;
    let dimensions = input.shape.len();
    let dropped: Vec<usize> = match call.integers(1, "axes")? {
        Some(axes) => {
            let places = axes.iter().map(|axis| place(*axis, dimensions));
            places.collect::<Result<_, _>>()?
        }
        None => (0..dimensions).filter(|at| input.shape[*at] == 1).collect(),
    };
    let kept = input.shape.iter().enumerate();
    let kept = kept.filter(|(at, _)| !dropped.contains(at));
    reshaped(input, kept.map(|(_, size)| *size).collect())
}

pub(super) fn unsqueeze(call: &Call<'_, '_>) -> Outcome {
    let input = call.input(0)?;
    let axes = call.integers(1, "axes")?.ok_or("it has no axes")?;
    let dimensions = input.shape.len() + axes.len();
    let added = axes.iter().map(|axis| place(*axis, dimensions));
    let added: Vec<usize> = added.collect::<Result<_, _>>()?;
    let mut kept = input.shape.iter();
    let size = |at: usize| {
        if added.contains(&at) {
            Some(1)
        } else {
            kept.next().copied()
        }
    };
    let shape: Option<Vec<usize>> = (0..dimensions).map(size).collect();
    reshaped(input, shape.ok_or("it adds a dimension twice")?)
}

pub(super) fn slice(call: &Call<'_, '_>) -> Outcome {
    let input = call.input(0)?;
    let missing = "it has no bounds";
    let starts = call.integers(1, "starts")?.ok_or(missing)?;
    let ends = call.integers(2, "ends")?.ok_or(missing)?;
    let all: Vec<i64> = (0..starts.len() as i64).collect();
    let axes = call.integers(3, "axes")?.unwrap_or(&all);
    let ones = vec![1; starts.len()];
    let steps = call.integers(4, "steps")?.unwrap_or(&ones);
    if [ends.len(), axes.len(), steps.len()] != [starts.len(); 3] {
        return Err("its bounds are not equally many".to_owned());
    }
    let mut sliced = input.clone();
    sliced.is_constant = false;
    for (((start, end), axis), step) in starts.iter().zip(ends).zip(axes).zip(steps) {
        let axis = place(*axis, input.shape.len())?;
        let (first, count) = taken(*start, *end, *step, input.shape[axis])?;
        sliced.shape[axis] = count;
        let is_list = input.shape.len() == 1 && starts.len() == 1;
        let values = sliced.values.take().filter(|_| is_list);
        let places = (0..count as i64).map(|at| (first + at * step) as usize);
        sliced.values = values.map(|values| places.map(|at| values[at]).collect());
    }
    Ok(sliced)
}

/// The first place between two bounds in a dimension of `length`, and the number of places.
fn taken(start: i64, end: i64, step: i64, length: usize) -> Result<(i64, usize), String> {
    let length = length as i64;
    let bound = |bound: i64, least: i64, most: i64| {
        let from_start = if bound < 0 { bound + length } else { bound };
        from_start.clamp(least, most)
    };
    let (start, end) = match step {
        1.. => (bound(start, 0, length), bound(end, 0, length)),
        ..0 => (bound(start, -1, length - 1), bound(end, -1, length - 1)),
        0 => return Err("its step is 0".to_owned()),
    };
    Ok((start, steps_between(start, end, step)))
}

/// The number of steps from a start until a limit is reached; `step` is not 0.
fn steps_between(start: i64, limit: i64, step: i64) -> usize {
    let distance = ((limit - start) * step.signum()).max(0);
    let length = step.saturating_abs();
    (distance / length + i64::from(distance % length != 0)) as usize
}

pub(super) fn split(call: &Call<'_, '_>) -> Result<Vec<Tensor>, String> {
    let shape = &call.input(0)?.shape;
    let axis = place(call.integer("axis", 0), shape.len())?;
    let parts = call.operator.outputs.len();
    let lengths: Vec<usize> = if let Some(lengths) = call.integers(1, "split")? {
        sizes(lengths)?
    } else {
        let each = shape[axis].div_ceil(parts.max(1));
        let length = |part| each.min(shape[axis].saturating_sub(part * each));
        (0..parts).map(length).collect()
    };
    let sum = lengths
        .iter()
        .fold(0, |sum: usize, length| sum.saturating_add(*length));
    if lengths.len() != parts || sum != shape[axis] {
        return Err("its parts don't add up".to_owned());
    }
    let part = |length: usize| {
        let mut part = shape.clone();
        part[axis] = length;
        Tensor::of_shape(part)
    };
    Ok(lengths.into_iter().map(part).collect())
}

/// The number of integers from a start to a limit.
pub(super) fn range(call: &Call<'_, '_>) -> Outcome {
    let [start, limit, step] = [call.values(0)?, call.values(1)?, call.values(2)?];
    let ([start], [limit], [step]) = (start, limit, step) else {
        return Err("its bounds are not single numbers".to_owned());
    };
    if *step == 0 {
        return Err("its step is 0".to_owned());
    }
    let count = steps_between(*start, *limit, *step);
    if count > MOST_VALUES {
        return Ok(Tensor::of_shape(vec![count]));
    }
    Ok(Tensor::list(
        (0..count as i64).map(|at| start + at * step).collect(),
    ))
}

pub(super) fn reduced(call: &Call<'_, '_>) -> Outcome {
    let input = call.input(0)?;
    let dimensions = input.shape.len();
    let axes = call.integers(1, "axes")?.unwrap_or_default();
    let axes: Vec<usize> = match axes {
        [] if call.integer("noop_with_empty_axes", 0) != 0 => {
            return Ok(Tensor::of_shape(input.shape.clone()));
        }
        [] => (0..dimensions).collect(),
        axes => {
            let places = axes.iter().map(|axis| place(*axis, dimensions));
            places.collect::<Result<_, _>>()?
        }
    };
    let keeps = call.integer("keepdims", 1) != 0;
    let sizes = input.shape.iter().enumerate();
    let sizes = sizes.filter_map(|(at, size)| {
        if axes.contains(&at) {
            keeps.then_some(1)
        } else {
            Some(*size)
        }
    });
    Ok(Tensor::of_shape(sizes.collect()))
}
