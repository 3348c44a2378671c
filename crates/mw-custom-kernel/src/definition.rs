//! [`Definition`]: a kernel as the user writes it, and [`Generated`]: its text for one kind of call.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crate::dtype::{Dtype, TemplateArg};
use crate::error::Error;
use crate::runtime::Prepared;
use crate::signature::{self, Injected};
use crate::source::{KernelSource, MathMode, Pieces};

/// A custom kernel: what `metal_kernel` was called with.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Definition {
    /// Name, part of the function's name.
    pub name: String,
    /// Names of the inputs in the signature.
    pub input_names: Vec<String>,
    /// Names of the outputs in the signature.
    pub output_names: Vec<String>,
    /// The body.
    pub source: String,
    /// What stands before the function.
    pub header: String,
    /// Inputs that are not row-contiguous are copied before the kernel runs.
    pub ensure_row_contiguous: bool,
    /// Outputs are declared `device atomic<T>*`.
    pub atomic_outputs: bool,
    /// How free the compiler is with arithmetic.
    pub math_mode: MathMode,
}

/// What the signature depends on of an input.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct InputKind {
    /// Type of the elements.
    pub dtype: Dtype,
    /// Number of axes; a scalar has none.
    pub ndim: usize,
    /// Number of elements.
    pub size: usize,
}

/// What the signature depends on of a call.
#[derive(Clone, Copy, Debug)]
pub struct CallArguments<'a> {
    /// One for each input name.
    pub inputs: &'a [InputKind],
    /// The types of the outputs.
    pub outputs: &'a [Dtype],
    /// How many output shapes were given.
    pub output_shapes: usize,
    /// Template parameters in order.
    pub template: &'a [(String, TemplateArg)],
}

/// The text of a kernel for one kind of call.
#[derive(Debug)]
pub struct Generated {
    /// Name, text and pieces.
    pub source: KernelSource,
    /// Which facts each input brings along.
    pub injected: Vec<Injected>,
    prepared: OnceLock<Arc<Prepared>>,
}

impl Generated {
    /// The compiled kernel, once it was asked for: saves looking up the text.
    pub(crate) fn prepared(&self) -> &OnceLock<Arc<Prepared>> {
        &self.prepared
    }
}

impl Definition {
    /// A definition with MLX's defaults: inputs are made contiguous, outputs are not atomic.
    pub fn new(name: &str, input_names: &[&str], output_names: &[&str], source: &str) -> Self {
        let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        Self {
            name: name.to_owned(),
            input_names: owned(input_names),
            output_names: owned(output_names),
            source: source.to_owned(),
            header: String::new(),
            ensure_row_contiguous: true,
            atomic_outputs: false,
            math_mode: MathMode::Safe,
        }
    }

    /// Whether a kernel can be made of it at all.
    pub fn check(&self) -> Result<(), Error> {
        if self.output_names.is_empty() { Err(Error::NoOutputs) } else { Ok(()) }
    }

    /// What the body names of each input's shape.
    pub fn injected(&self) -> Vec<Injected> {
        self.input_names.iter().map(|name| Injected::of(&self.source, name)).collect()
    }

    /// The text for a call, as MLX writes it.
    ///
    /// One thing differs from MLX 0.32: with two outputs or more, shape injection and no built-in value MLX
    /// closes the list of parameters after each output, which is no Metal; here the list is closed once.
    ///
    /// # Errors
    /// A list has another length than the names, or an output is of type float64.
    pub fn generate(&self, arguments: &CallArguments<'_>) -> Result<Generated, Error> {
        self.check()?;
        let count = |list, expected: usize, got: usize| {
            if expected == got { Ok(()) } else { Err(Error::Count { list, expected, got }) }
        };
        count("inputs", self.input_names.len(), arguments.inputs.len())?;
        count("output_shapes", self.output_names.len(), arguments.output_shapes)?;
        count("output_dtypes", self.output_names.len(), arguments.outputs.len())?;
        let mut dtypes =
            arguments.inputs.iter().map(|input| input.dtype).chain(arguments.outputs.iter().copied());
        if dtypes.any(|dtype| dtype == Dtype::Float64) {
            return Err(Error::Float64);
        }
        let injected = self.injected();
        let function = signature::mangled_name(self, arguments);
        let (text, header_end, body) = signature::whole_text(self, &injected, arguments, &function);
        Ok(Generated {
            source: KernelSource {
                label: self.name.clone(),
                function,
                text,
                pieces: Some(Pieces { header_end, body }),
                math_mode: self.math_mode,
            },
            injected,
            prepared: OnceLock::new(),
        })
    }
}

/// A definition that remembers the texts it gave.
#[derive(Debug)]
pub struct Remembering {
    pub(crate) definition: Definition,
    calls: Mutex<Vec<(CallKey, Arc<Generated>)>>,
}

#[derive(PartialEq, Eq, Debug)]
struct CallKey {
    inputs: Vec<(Dtype, bool, bool)>,
    outputs: Vec<Dtype>,
    template: Vec<(String, TemplateArg)>,
}

impl CallKey {
    fn is(&self, arguments: &CallArguments<'_>) -> bool {
        self.inputs.len() == arguments.inputs.len()
            && self.inputs.iter().zip(arguments.inputs).all(|(key, input)| *key == Self::input(*input))
            && self.outputs == arguments.outputs
            && self.template == arguments.template
    }

    fn input(input: InputKind) -> (Dtype, bool, bool) {
        (input.dtype, input.ndim == 0, input.size < 8)
    }
}

impl Remembering {
    /// More kinds of calls than this are not kept: a program that makes a new template value for each call would
    /// fill the memory otherwise.
    const KEPT: usize = 64;

    /// No texts yet.
    pub fn new(definition: Definition) -> Self {
        Self { definition, calls: Mutex::default() }
    }

    /// The definition.
    pub fn definition(&self) -> &Definition {
        &self.definition
    }

    /// As [`Definition::generate`], once for each kind of call.
    ///
    /// # Errors
    /// As there.
    pub fn generate(&self, arguments: &CallArguments<'_>) -> Result<Arc<Generated>, Error> {
        let mut calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        if arguments.output_shapes == arguments.outputs.len()
            && let Some((_, known)) = calls.iter().find(|(key, _)| key.is(arguments))
        {
            return Ok(known.clone());
        }
        let generated = Arc::new(self.definition.generate(arguments)?);
        if calls.len() >= Self::KEPT {
            calls.remove(0);
        }
        let key = CallKey {
            inputs: arguments.inputs.iter().map(|input| CallKey::input(*input)).collect(),
            outputs: arguments.outputs.to_vec(),
            template: arguments.template.to_vec(),
        };
        calls.push((key, generated.clone()));
        Ok(generated)
    }
}
