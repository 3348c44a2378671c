//! `CustomKernel`: MLX's contract on memory that Python names by address, for `metalworking/fast.py`.

use std::collections::BTreeMap;

use mw_custom_kernel as custom;
use mw_custom_kernel::{
    Argument, CallArguments, Definition, Dtype, InputKind, Launch, MathMode, Runtime, TemplateArg,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::error::custom_error;

/// An array: address of the first element, shape, strides in elements, number of the type in `DTYPES`.
type ArrayArg = (usize, Vec<i32>, Vec<i64>, u32);

/// A template argument: `("dtype", number)`, `("int", value)` or `("bool", value)`.
type TemplateValue = (String, String, i64);

/// A custom kernel, as the user wrote it.
#[pyclass(frozen, module = "metalworking._native")]
pub(crate) struct CustomKernel(custom::Remembering);

#[pymethods]
impl CustomKernel {
    #[new]
    #[expect(clippy::too_many_arguments, reason = "MLX's arguments")]
    fn new(
        name: String,
        input_names: Vec<String>,
        output_names: Vec<String>,
        source: String,
        header: String,
        ensure_row_contiguous: bool,
        atomic_outputs: bool,
        math_mode: u32,
    ) -> PyResult<Self> {
        let math_mode = MathMode::from_number(math_mode)
            .ok_or_else(|| PyValueError::new_err(format!("there is no math mode {math_mode}")))?;
        let definition = Definition {
            name,
            input_names,
            output_names,
            source,
            header,
            ensure_row_contiguous,
            atomic_outputs,
            math_mode,
        };
        definition.check().map_err(custom_error)?;
        Ok(Self(custom::Remembering::new(definition)))
    }

    /// The whole text for a call, as MLX would print it, and the name of its function.
    fn generate(
        &self,
        inputs: Vec<(u32, usize, usize)>,
        outputs: Vec<u32>,
        template: Vec<TemplateValue>,
    ) -> PyResult<(String, String)> {
        let inputs: Vec<InputKind> = inputs
            .into_iter()
            .map(|(dtype, ndim, size)| Ok(InputKind { dtype: self::dtype(dtype)?, ndim, size }))
            .collect::<PyResult<_>>()?;
        let generated = self.generated(&inputs, &dtypes(&outputs)?, &template_args(template)?)?;
        Ok((generated.source.function.clone(), generated.source.text.clone()))
    }

    /// Runs the kernel, without the GIL, on arrays that the caller keeps alive: inputs of any strides, outputs
    /// contiguous and of nobody else's.
    ///
    /// # Safety
    /// Python cannot promise what Rust asks for: `fast.py` holds every array until this returns, and makes the
    /// outputs itself.
    #[expect(clippy::too_many_arguments, reason = "one for each part of a call")]
    fn run(
        &self,
        py: Python<'_>,
        inputs: Vec<ArrayArg>,
        outputs: Vec<ArrayArg>,
        template: Vec<TemplateValue>,
        grid: [i32; 3],
        threadgroup: [i32; 3],
        init_value: Option<f32>,
    ) -> PyResult<()> {
        let inputs = arrays(inputs)?;
        let outputs = arrays(outputs)?;
        let template = template_args(template)?;
        py.detach(|| self.run_detached(&inputs, &outputs, &template, grid, threadgroup, init_value))
    }
}

impl CustomKernel {
    fn generated(
        &self,
        inputs: &[InputKind],
        outputs: &[Dtype],
        template: &[(String, TemplateArg)],
    ) -> PyResult<std::sync::Arc<custom::Generated>> {
        let arguments = CallArguments { inputs, outputs, output_shapes: outputs.len(), template };
        self.0.generate(&arguments).map_err(custom_error)
    }

    fn run_detached(
        &self,
        inputs: &[Array],
        outputs: &[Array],
        template: &[(String, TemplateArg)],
        grid: [i32; 3],
        threadgroup: [i32; 3],
        init_value: Option<f32>,
    ) -> PyResult<()> {
        let kinds: Vec<InputKind> = inputs
            .iter()
            .map(|input| InputKind { dtype: input.dtype, ndim: input.shape.len(), size: input.count() })
            .collect();
        let output_types: Vec<Dtype> = outputs.iter().map(|output| output.dtype).collect();
        let generated = self.generated(&kinds, &output_types, template)?;
        let runtime = Runtime::global().map_err(custom_error)?;
        let prepared = runtime.prepare_generated(&generated).map_err(custom_error)?;
        let copies: Vec<Option<Contiguous>> = inputs.iter().map(|input| self.copy(input)).collect();
        if let Some(value) = init_value {
            for output in outputs {
                // SAFETY: `fast.py` made the output with as many elements of this type.
                unsafe { custom::fill(output.address(), output.dtype, output.count(), value) };
            }
        }
        let is_written = init_value.is_some() || outputs.iter().all(|output| output.count() == 0);
        let plan = prepared.plan(grid, threadgroup, is_written).map_err(custom_error)?;
        let Some(plan) = plan else { return Ok(()) };
        let bound: Vec<Argument<'_>> = inputs
            .iter()
            .zip(&copies)
            .map(|(input, copy)| match copy {
                Some(copy) => copy.argument(&input.shape),
                None => input.argument(),
            })
            .collect();
        let results: Vec<Argument<'_>> = outputs.iter().map(Array::argument).collect();
        let launch = Launch { plan, inputs: &bound, injected: &generated.injected, outputs: &results };
        // SAFETY: the caller in Python holds inputs and outputs until this returns; outputs are its own new
        // arrays, which overlap nothing and which nobody else knows yet.
        unsafe { runtime.run(&prepared, &launch) }.map_err(custom_error)
    }

    /// A contiguous copy, where the definition wants one or the array cannot be bound as it is.
    fn copy(&self, input: &Array) -> Option<Contiguous> {
        // A binding begins at the first element: what lies before it could not be reached.
        let is_backward = input.strides.iter().any(|stride| *stride < 0);
        let wants_copy = self.0.definition().ensure_row_contiguous || is_backward;
        if !wants_copy || custom::is_row_contiguous(&input.shape, &input.strides) {
            return None;
        }
        let size = input.dtype.size_bytes();
        let mut memory = vec![0_u64; (input.count() * size).div_ceil(8)];
        // SAFETY: the caller in Python holds the array, whose shape and strides name its own elements; the copy
        // has room for all of them.
        unsafe {
            custom::copy_to_row_contiguous(
                input.address(),
                memory.as_mut_ptr().cast(),
                size,
                &input.shape,
                &input.strides,
            );
        }
        let mut strides = vec![1_i64; input.shape.len()];
        for axis in (1..strides.len()).rev() {
            strides[axis - 1] = strides[axis] * i64::from(input.shape[axis]);
        }
        Some(Contiguous { size_bytes: input.count() * size, memory, strides })
    }
}

/// Memory of an array that the caller holds.
struct Array {
    address: usize,
    shape: Vec<i32>,
    strides: Vec<i64>,
    dtype: Dtype,
}

impl Array {
    fn count(&self) -> usize {
        self.shape.iter().map(|length| usize::try_from(*length).unwrap_or(0)).product()
    }

    fn address(&self) -> *mut u8 {
        std::ptr::with_exposed_provenance_mut(self.address)
    }

    /// Bytes from the first element to the end of the last.
    fn extent_bytes(&self) -> usize {
        if self.count() == 0 {
            return 0;
        }
        let reach: i64 = self
            .shape
            .iter()
            .zip(&self.strides)
            .map(|(length, stride)| (i64::from(*length) - 1) * (*stride).max(0))
            .sum();
        (usize::try_from(reach).unwrap_or(0) + 1) * self.dtype.size_bytes()
    }

    fn argument(&self) -> Argument<'_> {
        Argument {
            data: self.address(),
            size_bytes: self.extent_bytes(),
            shape: &self.shape,
            strides: &self.strides,
        }
    }
}

/// A contiguous copy, aligned for every type.
struct Contiguous {
    memory: Vec<u64>,
    size_bytes: usize,
    strides: Vec<i64>,
}

impl Contiguous {
    fn argument<'a>(&'a self, shape: &'a [i32]) -> Argument<'a> {
        Argument {
            data: self.memory.as_ptr().cast_mut().cast(),
            size_bytes: self.size_bytes,
            shape,
            strides: &self.strides,
        }
    }
}

fn arrays(list: Vec<ArrayArg>) -> PyResult<Vec<Array>> {
    list.into_iter()
        .map(|(address, shape, strides, number)| {
            if shape.len() != strides.len() || shape.iter().any(|length| *length < 0) {
                return Err(PyValueError::new_err("a shape and its strides do not go together"));
            }
            Ok(Array { address, shape, strides, dtype: dtype(number)? })
        })
        .collect()
}

fn dtype(number: u32) -> PyResult<Dtype> {
    Dtype::from_number(number).ok_or_else(|| PyValueError::new_err(format!("there is no type {number}")))
}

fn dtypes(numbers: &[u32]) -> PyResult<Vec<Dtype>> {
    numbers.iter().map(|number| dtype(*number)).collect()
}

fn template_args(list: Vec<TemplateValue>) -> PyResult<Vec<(String, TemplateArg)>> {
    list.into_iter()
        .map(|(name, kind, value)| {
            let too_large =
                |_| PyValueError::new_err(format!("template argument `{name}` does not fit an `int`"));
            let value = match &*kind {
                "dtype" => TemplateArg::Dtype(dtype(u32::try_from(value).map_err(too_large)?)?),
                "bool" => TemplateArg::Bool(value != 0),
                _ => TemplateArg::Int(i32::try_from(value).map_err(too_large)?),
            };
            Ok((name, value))
        })
        .collect()
}

/// Names of the element types, in the order of their numbers.
#[pyfunction]
pub(crate) fn dtype_names() -> Vec<&'static str> {
    Dtype::ALL.iter().map(|dtype| dtype.name()).collect()
}

/// How often kernels ran since the start of the process, by name.
#[pyfunction]
pub(crate) fn dispatch_counts() -> BTreeMap<String, u64> {
    custom::dispatch_counts()
}

/// Sets all counts to zero.
#[pyfunction]
pub(crate) fn reset_dispatch_counts() {
    custom::reset_dispatch_counts();
}
