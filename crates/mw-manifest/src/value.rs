//! [`Value`]: what an argument is given, as text such as `randn:f32[1024,4096]`.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::Dtype;
use crate::error::ManifestError;
use crate::npy;
use crate::random::Random;
use crate::tensor::{Tensor, checked_size, describe, room};

/// A value of the grammar.
///
/// | text | value |
/// | --- | --- |
/// | `f32:1e-5`, `bool:true`, `complex64:1+2j` | a scalar |
/// | `i32:[1,2,3]` | the elements of a list |
/// | `zeros:f32[4,8]`, `ones:…`, `full:3:…` | one element, repeated |
/// | `arange:i32[10]`, `arange:5,2:i32[10]` | 0, 1, 2, … or start, start + step, … |
/// | `randn:f32[4]`, `randn:1,0.5:f32[4]` | normal, with mean and deviation |
/// | `uniform:-1,1:f32[4]` | uniform between two bounds (0 and 1 without) |
/// | `randint:0,10:i32[4]` | integers from the first bound to below the second |
/// | `{i32:7,f32:1,u8:[1,2]}` | a structure, each member at its alignment |
/// | `input.npy` | the array in a file |
#[derive(Clone, PartialEq, Debug)]
pub enum Value {
    /// A scalar or a list, as a tensor.
    Literal(Tensor),
    /// Generated elements.
    Generated {
        /// How.
        generator: Generator,
        /// Type of the elements.
        dtype: Dtype,
        /// Shape.
        shape: Vec<usize>,
    },
    /// Members of a structure.
    Struct(Vec<Value>),
    /// A NumPy file.
    File(PathBuf),
}

/// How elements are made.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Generator {
    /// All the same number.
    Full(f64),
    /// `start + step · index`.
    Arange {
        /// First element.
        start: f64,
        /// Difference of neighbours.
        step: f64,
    },
    /// Normally distributed.
    Normal {
        /// Mean.
        mean: f64,
        /// Standard deviation.
        deviation: f64,
    },
    /// Uniform in `[low, high)`.
    Uniform {
        /// Least value.
        low: f64,
        /// Bound.
        high: f64,
    },
    /// Uniform integers in `low..high`.
    Integers {
        /// Least value.
        low: i128,
        /// Bound.
        high: i128,
    },
}

impl Value {
    /// Reads a value of the grammar.
    pub fn parse(text: &str) -> Result<Self, ManifestError> {
        let text = text.trim();
        parse(text, 0).map_err(|reason| ManifestError::BadValue { text: text.to_owned(), reason })
    }

    /// Makes the tensor. `name` and `seed` determine random numbers; files are sought in `folder`.
    /// A structure becomes bytes (`u8`).
    pub fn make(&self, name: &str, seed: u64, folder: &Path) -> Result<Tensor, ManifestError> {
        match self {
            Self::Literal(tensor) => Ok(tensor.clone()),
            Self::Generated { generator, dtype, shape } => {
                generator.make(*dtype, shape, &mut Random::new(seed, name))
            }
            Self::Struct(members) => {
                let (mut bytes, mut align) = (Vec::new(), 1);
                for (index, member) in members.iter().enumerate() {
                    let part = member.make(&format!("{name}.{index}"), seed, folder)?;
                    let part_align = member.align(&part);
                    bytes.resize(bytes.len().next_multiple_of(part_align), 0);
                    bytes.extend(part.bytes);
                    align = align.max(part_align);
                }
                bytes.resize(bytes.len().next_multiple_of(align), 0);
                Ok(Tensor::of_bytes(Dtype::U8, bytes))
            }
            Self::File(path) => npy::read(&folder.join(path)),
        }
    }

    /// Alignment of a member of a structure.
    fn align(&self, made: &Tensor) -> usize {
        match self {
            Self::Struct(members) => members
                .iter()
                .map(|member| match member {
                    Self::Literal(tensor) => tensor.dtype.align(),
                    Self::Generated { dtype, .. } => dtype.align(),
                    Self::Struct(_) => member.align(made),
                    Self::File(_) => 1,
                })
                .max()
                .unwrap_or(1),
            Self::Literal(_) | Self::Generated { .. } | Self::File(_) => made.dtype.align(),
        }
    }
}

impl Generator {
    fn make(self, dtype: Dtype, shape: &[usize], random: &mut Random) -> Result<Tensor, ManifestError> {
        let size = checked_size(dtype, shape)?;
        let mut bytes = room(dtype, shape, size)?;
        let count = size / dtype.size();
        let is_complex = dtype == Dtype::Complex64;
        // A complex element is two numbers, except where the generator makes a sequence.
        let (dtype_of_part, parts) = match self {
            Self::Normal { .. } | Self::Uniform { .. } if is_complex => (Dtype::F32, count * 2),
            _ => (dtype, count),
        };
        for index in 0..parts {
            match self {
                Self::Full(value) => dtype_of_part.push_f64(value, &mut bytes),
                // Integers wrap, as NumPy's do; a long `arange:u8` is a useful pattern.
                Self::Arange { start, step } if dtype.integer_range().is_some() && dtype != Dtype::Bool => {
                    dtype.push_i128((start + step * index as f64) as i128, &mut bytes);
                }
                Self::Arange { start, step } => dtype.push_f64(start + step * index as f64, &mut bytes),
                Self::Normal { mean, deviation } => {
                    dtype_of_part.push_f64(mean + deviation * random.normal(), &mut bytes);
                }
                Self::Uniform { low, high } => {
                    dtype_of_part.push_f64(low + (high - low) * random.uniform(), &mut bytes);
                }
                Self::Integers { low, high } => {
                    dtype_of_part.push_i128(random.integer(low, high), &mut bytes);
                }
            }
        }
        Ok(Tensor { dtype, shape: shape.to_vec(), bytes })
    }

    fn parse(name: &str, numbers: &[f64], dtype: Dtype) -> Result<Self, String> {
        let usage = |text: &str| Err(format!("write `{text}`"));
        Ok(match (name, numbers) {
            ("zeros", []) => Self::Full(0.0),
            ("ones", []) => Self::Full(1.0),
            ("full", [value]) => Self::Full(*value),
            ("arange", []) => Self::Arange { start: 0.0, step: 1.0 },
            ("arange", [start, step]) => Self::Arange { start: *start, step: *step },
            ("randn", _) if !dtype.is_float() => {
                return Err(format!("`randn` makes no {dtype} elements: use `randint:low,high:{dtype}[…]`"));
            }
            ("randn", []) => Self::Normal { mean: 0.0, deviation: 1.0 },
            ("randn", [mean, deviation]) => Self::Normal { mean: *mean, deviation: *deviation },
            ("uniform", _) if !dtype.is_float() => {
                return Err(format!(
                    "`uniform` makes no {dtype} elements: use `randint:low,high:{dtype}[…]`"
                ));
            }
            ("uniform", []) => Self::Uniform { low: 0.0, high: 1.0 },
            ("uniform", [low, high]) => Self::Uniform { low: *low, high: *high },
            ("randint", []) if dtype == Dtype::Bool => Self::Integers { low: 0, high: 2 },
            ("randint", [low, high]) => {
                let (low, high) = (*low as i128, *high as i128);
                if low >= high {
                    return Err(format!("there is no integer from {low} to below {high}"));
                }
                if let Some((least, most)) = dtype.integer_range()
                    && (low < least || high - 1 > most)
                {
                    return Err(format!("integers from {low} to {} do not fit {dtype}", high - 1));
                }
                Self::Integers { low, high }
            }
            ("zeros" | "ones", _) => return usage(&format!("{name}:{dtype}[…]")),
            ("full", _) => return usage(&format!("full:VALUE:{dtype}[…]")),
            ("arange", _) => return usage(&format!("arange:{dtype}[…] or arange:START,STEP:{dtype}[…]")),
            ("randn", _) => return usage(&format!("randn:{dtype}[…] or randn:MEAN,DEVIATION:{dtype}[…]")),
            ("uniform", _) => return usage(&format!("uniform:LOW,HIGH:{dtype}[…]")),
            ("randint", _) => return usage(&format!("randint:LOW,HIGH:{dtype}[…]")),
            _ => return Err(format!("there is no generator `{name}`; {FORMS}")),
        })
    }
}

const FORMS: &str = "values look like `f32:1.5`, `i32:[1,2]`, `zeros:f32[4,8]`, `arange:i32[8]`, \
     `randn:f32[8]`, `uniform:-1,1:f32[8]`, `randint:0,9:i32[8]`, `{i32:7,f32:1}` or `file.npy`";

/// Structures may nest this deep.
const MAX_DEPTH: usize = 16;

fn parse(text: &str, depth: usize) -> Result<Value, String> {
    if depth > MAX_DEPTH {
        return Err(format!("structures nest at most {MAX_DEPTH} deep"));
    }
    if let Some(body) = text.strip_prefix('{') {
        let body = body.strip_suffix('}').ok_or("the structure has no closing `}`")?;
        let members = split(body, ',')?.into_iter().map(|member| parse(member.trim(), depth + 1));
        return members.collect::<Result<_, _>>().map(Value::Struct);
    }
    if let Some(path) = text.strip_prefix("npy:") {
        return Ok(Value::File(path.into()));
    }
    if Path::new(text).extension().is_some_and(|extension| extension == "npy") {
        return Ok(Value::File(text.into()));
    }
    let Some((head, rest)) = text.split_once(':') else { return Err(FORMS.to_owned()) };
    if let Some(dtype) = Dtype::from_name(head) {
        return literal(dtype, rest.trim()).map(Value::Literal);
    }
    let (numbers, typed) = match rest.rsplit_once(':') {
        Some((numbers, typed)) => (numbers, typed),
        None => ("", rest),
    };
    let numbers: Vec<f64> = numbers
        .split(',')
        .filter(|number| !number.trim().is_empty())
        .map(|number| {
            crate::dtype::parse_float(number.trim()).ok_or_else(|| format!("`{number}` is no number"))
        })
        .collect::<Result<_, _>>()?;
    let (dtype, shape) = typed_shape(typed)?;
    Ok(Value::Generated { generator: Generator::parse(head, &numbers, dtype)?, dtype, shape })
}

/// `f32[4,8]`.
fn typed_shape(text: &str) -> Result<(Dtype, Vec<usize>), String> {
    let missing = || format!("`{text}` lacks a shape: write `f32[4,8]`, or `f32[]` for a scalar");
    let (name, rest) = text.split_once('[').ok_or_else(missing)?;
    let extents = rest.strip_suffix(']').ok_or_else(missing)?;
    let dtype = Dtype::from_name(name.trim()).ok_or_else(|| {
        let names: Vec<&str> = Dtype::all().map(Dtype::name).collect();
        format!("`{name}` is no element type; types are {}", names.join(", "))
    })?;
    let extents = extents.split(',').map(str::trim).filter(|extent| !extent.is_empty());
    let shape = extents.map(|extent| {
        extent.replace('_', "").parse().map_err(|_| format!("`{extent}` is no extent of a shape"))
    });
    Ok((dtype, shape.collect::<Result<_, String>>()?))
}

fn literal(dtype: Dtype, text: &str) -> Result<Tensor, String> {
    let mut bytes = Vec::new();
    let Some(body) = text.strip_prefix('[') else {
        dtype.push_text(text, &mut bytes)?;
        return Ok(Tensor { dtype, shape: Vec::new(), bytes });
    };
    let body = body.strip_suffix(']').ok_or("the list has no closing `]`")?;
    let mut count = 0;
    for element in body.split(',').filter(|element| !element.trim().is_empty()) {
        dtype.push_text(element, &mut bytes)?;
        count += 1;
    }
    Ok(Tensor { dtype, shape: vec![count], bytes })
}

/// Splits at a character outside of brackets and braces.
pub(crate) fn split(text: &str, at: char) -> Result<Vec<&str>, String> {
    let (mut parts, mut start, mut depth) = (Vec::new(), 0, 0_i32);
    for (index, c) in text.char_indices() {
        match c {
            '[' | '{' => depth += 1,
            ']' | '}' => depth -= 1,
            c if c == at && depth == 0 => {
                parts.push(&text[start..index]);
                start = index + c.len_utf8();
            }
            _ => {}
        }
        if depth < 0 {
            return Err("a bracket closes that was not opened".to_owned());
        }
    }
    if depth != 0 {
        return Err("a bracket is not closed".to_owned());
    }
    parts.push(&text[start..]);
    Ok(parts.into_iter().filter(|part| !part.trim().is_empty()).collect())
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Literal(tensor) if tensor.shape.is_empty() => {
                write!(f, "{}:{}", tensor.dtype, tensor.dtype.format(&tensor.bytes))
            }
            Self::Literal(tensor) => {
                let elements: Vec<String> =
                    (0..tensor.count()).map(|index| tensor.dtype.format(tensor.element(index))).collect();
                write!(f, "{}:[{}]", tensor.dtype, elements.join(","))
            }
            Self::Generated { generator, dtype, shape } => {
                match generator {
                    Generator::Full(value) if *value == 0.0 => f.write_str("zeros:")?,
                    Generator::Full(value) if *value == 1.0 => f.write_str("ones:")?,
                    Generator::Full(value) => write!(f, "full:{value}:")?,
                    Generator::Arange { start, step } if (*start, *step) == (0.0, 1.0) => {
                        f.write_str("arange:")?;
                    }
                    Generator::Arange { start, step } => write!(f, "arange:{start},{step}:")?,
                    Generator::Normal { mean, deviation } if (*mean, *deviation) == (0.0, 1.0) => {
                        f.write_str("randn:")?;
                    }
                    Generator::Normal { mean, deviation } => write!(f, "randn:{mean},{deviation}:")?,
                    Generator::Uniform { low, high } => write!(f, "uniform:{low},{high}:")?,
                    Generator::Integers { low, high } => write!(f, "randint:{low},{high}:")?,
                }
                f.write_str(&describe(*dtype, shape))
            }
            Self::Struct(members) => {
                let members: Vec<String> = members.iter().map(ToString::to_string).collect();
                write!(f, "{{{}}}", members.join(","))
            }
            Self::File(path) => write!(f, "npy:{}", path.display()),
        }
    }
}
