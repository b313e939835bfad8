//! The graph of an ONNX file: operators, constants, inputs and outputs.
//!
//! Graphs inside of attributes (loops, branches), functions, sparse tensors and types other than tensors are refused:
//! encoders need none of them, and they would make size and work depend on the text.

use std::collections::HashMap;

use super::tensor::{ConstantFields, Tensor};
use super::wire::{Budget, FieldValue, Message};

/// Maximum operators. BERT-large has some 3 000.
const MOST_OPERATORS: usize = 20_000;

/// What is needed of a file to know the sizes of all that it computes.
#[derive(Default)]
pub(super) struct Graph<'file> {
    pub(super) operators: Vec<Operator<'file>>,
    pub(super) constants: HashMap<&'file str, Tensor>,
    /// The names of what has to be given.
    pub(super) inputs: Vec<&'file str>,
    pub(super) outputs: Vec<&'file str>,
}

/// An operator.
#[derive(Default)]
pub(super) struct Operator<'file> {
    pub(super) kind: &'file str,
    /// The names of its inputs; an omitted one is empty.
    pub(super) inputs: Vec<&'file str>,
    pub(super) outputs: Vec<&'file str>,
    pub(super) attributes: Vec<Attribute<'file>>,
    domain: &'file str,
}

/// An attribute of an operator.
#[derive(Default)]
pub(super) struct Attribute<'file> {
    pub(super) name: &'file str,
    pub(super) integer: Option<i64>,
    pub(super) integers: Vec<i64>,
    pub(super) floats: usize,
    pub(super) tensor: Option<Tensor>,
}

impl<'file> Graph<'file> {
    /// Reads a file. O(bytes), without copying weights.
    pub(super) fn read(bytes: &'file [u8]) -> Result<Self, String> {
        let budget = Budget::default();
        let mut message = Message::new(bytes, &budget);
        let (mut graph, mut has_version) = (None, false);
        while let Some((field, value)) = message.next()? {
            match field {
                1 => has_version = value.integer().is_ok(),
                2 | 3 => drop(value.text()?),
                7 if graph.is_some() => return Err("it has two graphs".to_owned()),
                7 => graph = Some(Self::of(value.bytes()?, &budget)?),
                8 | 14 => read_all(value, &budget)?,
                25 => return Err("it defines functions, which can't be read".to_owned()),
                _ => {}
            }
        }
        match graph {
            Some(graph) if has_version => Ok(graph),
            _ => Err("it is not an ONNX file: it has no graph".to_owned()),
        }
    }

    fn of(bytes: &'file [u8], budget: &Budget) -> Result<Self, String> {
        let mut graph = Self::default();
        let mut inputs = Vec::new();
        let mut message = Message::new(bytes, budget);
        while let Some((field, value)) = message.next()? {
            match field {
                1 => graph.add(Operator::read(value.bytes()?, budget)?)?,
                5 => {
                    let constant = ConstantFields::read(value.bytes()?, budget)?;
                    graph.add_constant(constant.name, constant.tensor()?)?;
                }
                11 => inputs.push(declared(value, budget)?),
                12 => graph.outputs.push(declared(value, budget)?),
                13 => drop(declared(value, budget)?),
                15 => return Err("it has sparse tensors, which can't be read".to_owned()),
                _ => {}
            }
        }
        // Old files list their constants among the inputs.
        inputs.retain(|input| !graph.constants.contains_key(input));
        graph.inputs = inputs;
        Ok(graph)
    }

    fn add(&mut self, operator: Operator<'file>) -> Result<(), String> {
        if operator.kind == "Constant" {
            let [name] = operator.outputs[..] else {
                return Err("a constant in it has no name".to_owned());
            };
            return self.add_constant(name, operator.constant()?);
        }
        if self.operators.len() == MOST_OPERATORS {
            return Err(format!("it has more than {MOST_OPERATORS} operators"));
        }
        self.operators.push(operator);
        Ok(())
    }

    fn add_constant(&mut self, name: &'file str, tensor: Tensor) -> Result<(), String> {
        match self.constants.insert(name, tensor) {
            None => Ok(()),
            Some(_) => Err(format!("it has two constants named {name:?}")),
        }
    }
}

impl<'file> Operator<'file> {
    fn read(bytes: &'file [u8], budget: &Budget) -> Result<Self, String> {
        let mut operator = Self::default();
        let mut message = Message::new(bytes, budget);
        while let Some((field, value)) = message.next()? {
            match field {
                1 => operator.inputs.push(value.text()?),
                2 => operator.outputs.push(value.text()?),
                3 => drop(value.text()?),
                4 => operator.kind = value.text()?,
                5 => operator
                    .attributes
                    .push(Attribute::read(value.bytes()?, budget)?),
                7 => operator.domain = value.text()?,
                _ => {}
            }
        }
        if !["", "ai.onnx"].contains(&operator.domain) {
            let (kind, domain) = (operator.kind, operator.domain);
            return Err(format!(
                "it has the operator {kind:?} of {domain:?}; only standard operators can be run"
            ));
        }
        Ok(operator)
    }

    pub(super) fn attribute(&self, name: &str) -> Option<&Attribute<'file>> {
        self.attributes.iter().find(|known| known.name == name)
    }

    /// The value of an operator of the kind `Constant`.
    fn constant(&self) -> Result<Tensor, String> {
        let [attribute] = &self.attributes[..] else {
            return Err("a constant in it has no value".to_owned());
        };
        let tensor = match attribute.name {
            "value" => attribute.tensor.clone(),
            "value_int" => attribute.integer.map(|value| Tensor::scalar(Some(value))),
            "value_ints" => Some(Tensor::list(attribute.integers.clone())),
            "value_float" => Some(Tensor::scalar(None)),
            "value_floats" => Some(Tensor::of_shape(vec![attribute.floats])),
            _ => None,
        };
        let tensor = tensor.ok_or("a constant in it has no value that can be read")?;
        Ok(Tensor {
            is_constant: true,
            ..tensor
        })
    }
}

impl<'file> Attribute<'file> {
    fn read(bytes: &'file [u8], budget: &Budget) -> Result<Self, String> {
        let mut attribute = Self::default();
        let mut message = Message::new(bytes, budget);
        while let Some((field, value)) = message.next()? {
            match field {
                1 => attribute.name = value.text()?,
                3 => attribute.integer = Some(value.integer()?),
                4 | 9 => drop(value.text()?),
                5 => {
                    let constant = ConstantFields::read(value.bytes()?, budget)?;
                    attribute.tensor = Some(constant.tensor()?);
                }
                7 => attribute.floats += value.count(4, budget)?,
                8 => value.integers(budget, |integer| attribute.integers.push(integer))?,
                6 | 10 | 11 | 14 | 15 | 22 | 23 => {
                    return Err("it has loops or branches, which can't be run".to_owned());
                }
                _ => {}
            }
        }
        Ok(attribute)
    }
}

/// The name of a declared input, output or intermediate value. Its type must be that of a tensor.
fn declared<'file>(value: FieldValue<'file>, budget: &Budget) -> Result<&'file str, String> {
    let mut name = "";
    let mut message = Message::new(value.bytes()?, budget);
    while let Some((field, value)) = message.next()? {
        match field {
            1 => name = value.text()?,
            2 => check_type(value.bytes()?, budget)?,
            _ => {}
        }
    }
    Ok(name)
}

/// Checks every length in a declared type.
fn check_type(bytes: &[u8], budget: &Budget) -> Result<(), String> {
    let mut message = Message::new(bytes, budget);
    while let Some((field, value)) = message.next()? {
        match field {
            1 => check_tensor_type(value.bytes()?, budget)?,
            6 => drop(value.text()?),
            _ => return Err("it has values that are no tensors, which can't be read".to_owned()),
        }
    }
    Ok(())
}

fn check_tensor_type(bytes: &[u8], budget: &Budget) -> Result<(), String> {
    let mut message = Message::new(bytes, budget);
    while let Some((field, value)) = message.next()? {
        if field != 2 {
            continue;
        }
        let mut sizes = Message::new(value.bytes()?, budget);
        while let Some((field, value)) = sizes.next()? {
            if field == 1 {
                read_all(value, budget)?;
            }
        }
    }
    Ok(())
}

/// Checks every length in a message whose fields are numbers and texts.
fn read_all(value: FieldValue<'_>, budget: &Budget) -> Result<(), String> {
    let mut message = Message::new(value.bytes()?, budget);
    while message.next()?.is_some() {}
    Ok(())
}
