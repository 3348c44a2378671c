//! From the values of a launch to bound buffers.

use metalworking::{Access, Binding, BindingKind, Buffer, ComputePipelineState, Device};
use mw_manifest::{Dtype, Key, Tensor, Value};

use super::Located;
use crate::exit::Failure;

/// An argument that is bound to a buffer index.
pub(super) struct Bound {
    pub(super) index: u32,
    pub(super) name: String,
    pub(super) dtype: Dtype,
    pub(super) shape: Vec<usize>,
    pub(super) is_written: bool,
    /// `None` for an argument of no bytes.
    pub(super) buffer: Option<Buffer>,
}

impl Bound {
    /// Number of elements.
    pub(super) fn count(&self) -> usize {
        self.shape.iter().product()
    }

    /// What the buffer holds now.
    pub(super) fn tensor(&self) -> Tensor {
        let bytes = self.buffer.as_ref().map(super::contents).unwrap_or_default();
        Tensor { dtype: self.dtype, shape: self.shape.clone(), bytes }
    }
}

/// Makes a buffer for each argument of the kernel that exists and is used.
pub(super) fn bind(
    device: &Device,
    pipeline: &ComputePipelineState,
    located: &Located,
) -> Result<Vec<Bound>, Failure> {
    let launch = &located.launch;
    check_names(pipeline, launch.args.keys())?;
    check_names(pipeline, launch.expect.keys())?;
    check_names(pipeline, launch.save.keys())?;
    let mut bound = Vec::new();
    for binding in pipeline.bindings() {
        let BindingKind::Buffer { index, access, size, element_align, .. } = &binding.kind else { continue };
        let given = launch.args.iter().find(|(key, _)| key.means(*index, &binding.name));
        let Some((key, value)) = given else {
            if binding.is_used {
                return Err(missing(binding, *index));
            }
            continue;
        };
        let tensor = value.make(&key.to_string(), launch.seed.unwrap_or(0), &located.folder)?;
        check_type(binding, value, &tensor)?;
        let reference = size.map(|size| size as usize).filter(|size| tensor.bytes.len() < *size);
        if let Some(size) = reference {
            return Err(Failure::usage(format!(
                "argument `{}` has {size} bytes, but {value} has {}: give it all members, as in `{{i32:7,f32:1}}`",
                binding.name,
                tensor.bytes.len()
            )));
        }
        debug_assert!(element_align.is_none_or(|align| align <= 4096), "buffers start at a page");
        let buffer = match tensor.bytes.len() {
            0 => None,
            _ => Some(device.new_buffer_with_bytes(&tensor.bytes)?),
        };
        bound.push(Bound {
            index: *index,
            name: binding.name.clone(),
            dtype: tensor.dtype,
            shape: tensor.shape,
            is_written: *access != Access::Read,
            buffer,
        });
    }
    Ok(bound)
}

fn missing(binding: &Binding, index: u32) -> Failure {
    let dtype = Dtype::from_name(scalar_name(&binding.type_name));
    let example = match (&binding.kind, dtype) {
        (BindingKind::Buffer { size: Some(_), .. }, Some(dtype)) => format!("{dtype}:VALUE"),
        (BindingKind::Buffer { size: Some(size), .. }, None) => {
            format!("{{…}} (a structure of {size} bytes)")
        }
        (BindingKind::Buffer { access: Access::Write, .. }, Some(dtype)) => format!("zeros:{dtype}[SHAPE]"),
        (_, Some(dtype)) if dtype.is_float() => format!("randn:{dtype}[SHAPE]"),
        (_, Some(dtype)) => format!("arange:{dtype}[SHAPE]"),
        (_, None) => "zeros:TYPE[SHAPE]".to_owned(),
    };
    let name = if binding.name.is_empty() { index.to_string() } else { binding.name.clone() };
    Failure::usage(format!(
        "argument `{}` (`{}`, buffer index {index}) has no value: write `--arg {name}={example}`",
        binding.name, binding.type_name
    ))
}

/// Refuses names and indices that the kernel does not have.
fn check_names<'a>(
    pipeline: &ComputePipelineState,
    keys: impl Iterator<Item = &'a Key>,
) -> Result<(), Failure> {
    let buffers = || {
        pipeline.bindings().iter().filter_map(|binding| match binding.kind {
            BindingKind::Buffer { index, .. } => Some((index, binding.name.as_str())),
            _ => None,
        })
    };
    for key in keys {
        if !buffers().any(|(index, name)| key.means(index, name)) {
            let names: Vec<String> = buffers().map(|(index, name)| format!("{index} `{name}`")).collect();
            return Err(Failure::usage(format!(
                "kernel `{}` has no buffer argument `{key}`; it has {}",
                pipeline.name(),
                names.join(", ")
            )));
        }
    }
    Ok(())
}

/// `float` of `float4`; types that are no vectors stay as they are.
fn scalar_name(type_name: &str) -> &str {
    let scalar = type_name.trim_end_matches(['2', '3', '4']);
    if Dtype::from_name(type_name).is_none() && Dtype::from_name(scalar).is_some() {
        scalar
    } else {
        type_name
    }
}

/// Refuses elements of another type than the argument declares, as far as its type is a plain one.
fn check_type(binding: &Binding, value: &Value, tensor: &Tensor) -> Result<(), Failure> {
    let declared = Dtype::from_name(scalar_name(&binding.type_name));
    let is_struct = matches!(value, Value::Struct(_));
    match declared {
        Some(declared) if declared != tensor.dtype && !is_struct => Err(Failure::usage(format!(
            "argument `{}` is declared `{}`, but {} was given: give it {declared} elements",
            binding.name,
            binding.type_name,
            tensor.describe()
        ))),
        _ => Ok(()),
    }
}
