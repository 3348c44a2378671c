//! The contract as one table of C functions: what the library for stock MLX calls.
//!
//! `include/metalworking_custom_kernel.h` declares the same for C and C++; a test compares the two. Nothing
//! unwinds across it: a panic becomes an error. Texts are pointer and length, never ended by a zero byte.
#![expect(unsafe_code, reason = "speaks C")]

use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use crate::definition::{CallArguments, Definition, Generated, InputKind, Remembering};
use crate::dtype::{Dtype, TemplateArg};
use crate::error::{Error, ErrorKind};
use crate::launch::{Argument, Launch};
use crate::memory;
use crate::runtime::{Prepared, Runtime};
use crate::signature::Injected;
use crate::source::{KernelSource, MathMode};

/// Changes with every change of the table or of a structure.
pub const ABI_VERSION: u32 = 1;

/// Bytes of text: valid UTF-8, not ended by a zero byte.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Text {
    data: *const u8,
    length: usize,
}

/// What went wrong. The memory of the message is given back with `error_release`.
#[derive(Debug)]
#[repr(C)]
pub struct ErrorOut {
    /// 0 nothing, 1 a wrong value, 2 anything else.
    kind: u32,
    message: *mut u8,
    length: usize,
}

/// A definition as `metal_kernel` gets it.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct DefinitionIn {
    name: Text,
    source: Text,
    header: Text,
    input_names: *const Text,
    input_count: usize,
    output_names: *const Text,
    output_count: usize,
    ensure_row_contiguous: bool,
    atomic_outputs: bool,
    math_mode: u32,
}

/// What the signature depends on of an input.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct InputIn {
    dtype: u32,
    ndim: u32,
    size: usize,
}

/// A template parameter with its value: kind 0 a dtype, 1 an int, 2 a bool.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct TemplateIn {
    name: Text,
    kind: u32,
    value: i32,
}

/// What was generated. Valid as long as the `Generated` it came from.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct GeneratedOut {
    name: Text,
    source: Text,
    injected: *const InjectedFlags,
    input_count: usize,
}

/// As [`Injected`].
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct InjectedFlags {
    shape: bool,
    strides: bool,
    ndim: bool,
}

/// Memory of an array.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct ArrayIn {
    data: *mut c_void,
    size_bytes: usize,
    ndim: usize,
    shape: *const i32,
    strides: *const i64,
}

/// A launch. `threadgroup` is as the user gave it.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct LaunchIn {
    grid: [i32; 3],
    threadgroup: [i32; 3],
    inputs: *const ArrayIn,
    injected: *const InjectedFlags,
    input_count: usize,
    outputs: *const ArrayIn,
    output_count: usize,
    /// Outputs have no elements or have values already.
    may_be_empty: bool,
}

/// What the device says of itself.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct DeviceFacts {
    name: Text,
    architecture: Text,
    max_buffer_bytes: u64,
    recommended_working_set_bytes: u64,
}

/// A definition that remembers its texts.
#[derive(Debug)]
pub struct DefinitionHandle(Remembering);

/// A generated text.
#[derive(Debug)]
pub struct GeneratedHandle {
    generated: Arc<Generated>,
    injected: Vec<InjectedFlags>,
}

/// A compiled kernel.
#[derive(Debug)]
pub struct KernelHandle(Arc<Prepared>);

/// How a launch runs.
pub type RunFunction =
    unsafe extern "C" fn(kernel: *const KernelHandle, launch: *const LaunchIn, error: *mut ErrorOut) -> bool;

/// The table. Handles are given back with their `release` function, once. Functions that fail return null or
/// false and fill the error. All may be called from any thread, at the same time.
#[derive(Debug)]
#[repr(C)]
#[expect(missing_docs, reason = "the header documents each")]
pub struct Table {
    pub abi_version: u32,
    pub size_bytes: u32,
    pub error_release: unsafe extern "C" fn(*mut ErrorOut),
    pub definition_new: unsafe extern "C" fn(*const DefinitionIn, *mut ErrorOut) -> *mut DefinitionHandle,
    pub definition_release: unsafe extern "C" fn(*mut DefinitionHandle),
    pub generate: unsafe extern "C" fn(
        *const DefinitionHandle,
        *const InputIn,
        usize,
        *const u32,
        usize,
        usize,
        *const TemplateIn,
        usize,
        *mut ErrorOut,
    ) -> *mut GeneratedHandle,
    pub generated_view: unsafe extern "C" fn(*const GeneratedHandle, *mut GeneratedOut),
    pub generated_release: unsafe extern "C" fn(*mut GeneratedHandle),
    pub prepare_generated: unsafe extern "C" fn(*const GeneratedHandle, *mut ErrorOut) -> *mut KernelHandle,
    pub prepare_text: unsafe extern "C" fn(Text, Text, u32, *mut ErrorOut) -> *mut KernelHandle,
    pub kernel_release: unsafe extern "C" fn(*mut KernelHandle),
    pub check_launch: RunFunction,
    pub run: RunFunction,
    pub copy_to_row_contiguous: unsafe extern "C" fn(*const ArrayIn, usize, *mut c_void),
    pub fill: unsafe extern "C" fn(*mut c_void, u32, usize, f32),
    pub device_facts: unsafe extern "C" fn(*mut DeviceFacts, *mut ErrorOut) -> bool,
    /// Runs a launch with every access checked, where that exists; called in place of `run` while checking is on.
    pub run_checked: Option<RunFunction>,
}

/// The table of this process.
pub fn table() -> &'static Table {
    static TABLE: Table = Table {
        abi_version: ABI_VERSION,
        size_bytes: size_of::<Table>() as u32,
        error_release,
        definition_new,
        definition_release,
        generate,
        generated_view,
        generated_release,
        prepare_generated,
        prepare_text,
        kernel_release,
        check_launch,
        run,
        copy_to_row_contiguous,
        fill,
        device_facts,
        run_checked: None,
    };
    &TABLE
}

impl Text {
    fn of(text: &str) -> Self {
        Self { data: text.as_ptr(), length: text.len() }
    }

    /// # Safety
    /// The bytes must be valid for reads while the result is used.
    unsafe fn get(&self) -> Result<&str, Error> {
        // SAFETY: the caller's promise.
        let bytes = unsafe { slice(self.data, self.length) };
        std::str::from_utf8(bytes)
            .map_err(|error| Error::Internal { function: "Text", message: error.to_string() })
    }
}

/// # Safety
/// `data` must be valid for reads of `count` values while the result is used; it may be null when there are none.
unsafe fn slice<'a, T>(data: *const T, count: usize) -> &'a [T] {
    if count == 0 || data.is_null() {
        return &[];
    }
    // SAFETY: the caller's promise, and not null.
    unsafe { std::slice::from_raw_parts(data, count) }
}

/// # Safety
/// As for [`slice`], for the list and each text.
unsafe fn texts(data: *const Text, count: usize) -> Result<Vec<String>, Error> {
    // SAFETY: the caller's promise.
    unsafe { slice(data, count).iter().map(|text| text.get().map(str::to_owned)).collect() }
}

fn dtype(number: u32) -> Result<Dtype, Error> {
    Dtype::from_number(number)
        .ok_or_else(|| Error::Internal { function: "dtype", message: format!("there is no dtype {number}") })
}

fn math_mode(number: u32) -> Result<MathMode, Error> {
    MathMode::from_number(number).ok_or_else(|| Error::Internal {
        function: "math_mode",
        message: format!("there is no math mode {number}"),
    })
}

/// Runs `body`; an error or a panic is written to `out`.
///
/// # Safety
/// `out` must be valid for writes, or null.
unsafe fn guarded<T>(
    function: &'static str,
    out: *mut ErrorOut,
    body: impl FnOnce() -> Result<T, Error>,
) -> Option<T> {
    let error = match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(value)) => return Some(value),
        Ok(Err(error)) => error,
        Err(panic) => {
            let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
            let message = text.or_else(|| panic.downcast_ref::<String>().cloned());
            Error::Internal { function, message: message.unwrap_or_else(|| "a panic".to_owned()) }
        }
    };
    if !out.is_null() {
        let kind = match error.kind() {
            ErrorKind::Value => 1,
            ErrorKind::Runtime => 2,
        };
        let message = Box::leak(error.to_string().into_bytes().into_boxed_slice());
        // SAFETY: valid for writes, by the caller's promise.
        unsafe { out.write(ErrorOut { kind, message: message.as_mut_ptr(), length: message.len() }) };
    }
    None
}

fn handed_out<T>(value: Option<T>) -> *mut T {
    value.map_or(std::ptr::null_mut(), |value| Box::into_raw(Box::new(value)))
}

/// # Safety
/// `handle` must be null or come from [`handed_out`], and not be used after.
unsafe fn take_back<T>(handle: *mut T) {
    if !handle.is_null() {
        // SAFETY: the caller's promise.
        drop(unsafe { Box::from_raw(handle) });
    }
}

unsafe extern "C" fn error_release(error: *mut ErrorOut) {
    // SAFETY: null, or an error that a function of the table filled or the caller set to zero.
    unsafe {
        if let Some(error) = error.as_mut()
            && !error.message.is_null()
        {
            drop(Box::from_raw(std::ptr::slice_from_raw_parts_mut(error.message, error.length)));
            error.message = std::ptr::null_mut();
        }
    }
}

unsafe extern "C" fn definition_new(
    input: *const DefinitionIn,
    error: *mut ErrorOut,
) -> *mut DefinitionHandle {
    // SAFETY: the table's contract: all pointers are valid for the call.
    handed_out(unsafe {
        guarded("definition_new", error, || {
            let input = &*input;
            let definition = Definition {
                name: input.name.get()?.to_owned(),
                input_names: texts(input.input_names, input.input_count)?,
                output_names: texts(input.output_names, input.output_count)?,
                source: input.source.get()?.to_owned(),
                header: input.header.get()?.to_owned(),
                ensure_row_contiguous: input.ensure_row_contiguous,
                atomic_outputs: input.atomic_outputs,
                math_mode: math_mode(input.math_mode)?,
            };
            definition.check()?;
            Ok(DefinitionHandle(Remembering::new(definition)))
        })
    })
}

unsafe extern "C" fn definition_release(handle: *mut DefinitionHandle) {
    // SAFETY: the table's contract.
    unsafe { take_back(handle) };
}

unsafe extern "C" fn generate(
    definition: *const DefinitionHandle,
    inputs: *const InputIn,
    input_count: usize,
    outputs: *const u32,
    output_count: usize,
    output_shape_count: usize,
    template: *const TemplateIn,
    template_count: usize,
    error: *mut ErrorOut,
) -> *mut GeneratedHandle {
    // SAFETY: the table's contract: all pointers are valid for the call.
    handed_out(unsafe {
        guarded("generate", error, || {
            let kinds = slice(inputs, input_count)
                .iter()
                .map(|input| {
                    Ok(InputKind { dtype: dtype(input.dtype)?, ndim: input.ndim as usize, size: input.size })
                })
                .collect::<Result<Vec<_>, Error>>()?;
            let dtypes = slice(outputs, output_count)
                .iter()
                .map(|number| dtype(*number))
                .collect::<Result<Vec<_>, Error>>()?;
            let template = slice(template, template_count)
                .iter()
                .map(|argument| {
                    let value = match argument.kind {
                        0 => TemplateArg::Dtype(dtype(argument.value.cast_unsigned())?),
                        1 => TemplateArg::Int(argument.value),
                        _ => TemplateArg::Bool(argument.value != 0),
                    };
                    Ok((argument.name.get()?.to_owned(), value))
                })
                .collect::<Result<Vec<_>, Error>>()?;
            let generated = (*definition).0.generate(&CallArguments {
                inputs: &kinds,
                outputs: &dtypes,
                output_shapes: output_shape_count,
                template: &template,
            })?;
            let flags =
                |one: &Injected| InjectedFlags { shape: one.shape, strides: one.strides, ndim: one.ndim };
            let injected = generated.injected.iter().map(flags).collect();
            Ok(GeneratedHandle { generated, injected })
        })
    })
}

unsafe extern "C" fn generated_view(handle: *const GeneratedHandle, out: *mut GeneratedOut) {
    // SAFETY: the table's contract.
    unsafe {
        let handle = &*handle;
        out.write(GeneratedOut {
            name: Text::of(&handle.generated.source.function),
            source: Text::of(&handle.generated.source.text),
            injected: handle.injected.as_ptr(),
            input_count: handle.injected.len(),
        });
    }
}

unsafe extern "C" fn generated_release(handle: *mut GeneratedHandle) {
    // SAFETY: the table's contract.
    unsafe { take_back(handle) };
}

unsafe extern "C" fn prepare_generated(
    handle: *const GeneratedHandle,
    error: *mut ErrorOut,
) -> *mut KernelHandle {
    // SAFETY: the table's contract.
    handed_out(unsafe {
        guarded("prepare_generated", error, || {
            Ok(KernelHandle(Runtime::global()?.prepare_generated(&(*handle).generated)?))
        })
    })
}

unsafe extern "C" fn prepare_text(
    name: Text,
    text: Text,
    mode: u32,
    error: *mut ErrorOut,
) -> *mut KernelHandle {
    // SAFETY: the table's contract.
    handed_out(unsafe {
        guarded("prepare_text", error, || {
            let source = KernelSource::from_text(name.get()?, text.get()?, math_mode(mode)?);
            Ok(KernelHandle(Runtime::global()?.prepare(&source)?))
        })
    })
}

unsafe extern "C" fn kernel_release(handle: *mut KernelHandle) {
    // SAFETY: the table's contract.
    unsafe { take_back(handle) };
}

unsafe extern "C" fn check_launch(
    kernel: *const KernelHandle,
    launch: *const LaunchIn,
    error: *mut ErrorOut,
) -> bool {
    // SAFETY: the table's contract.
    unsafe {
        guarded("check_launch", error, || {
            let launch = &*launch;
            (*kernel).0.plan(launch.grid, launch.threadgroup, launch.may_be_empty)
        })
        .is_some()
    }
}

/// # Safety
/// The arrays and their lists must be valid while the result is used.
unsafe fn arguments<'a>(arrays: *const ArrayIn, count: usize) -> Vec<Argument<'a>> {
    // SAFETY: the caller's promise.
    unsafe {
        slice(arrays, count)
            .iter()
            .map(|array| Argument {
                data: array.data.cast(),
                size_bytes: array.size_bytes,
                shape: slice(array.shape, array.ndim),
                strides: slice(array.strides, array.ndim),
            })
            .collect()
    }
}

unsafe extern "C" fn run(kernel: *const KernelHandle, launch: *const LaunchIn, error: *mut ErrorOut) -> bool {
    // SAFETY: the table's contract: the memory is valid until the function returns.
    unsafe {
        guarded("run", error, || {
            let launch = &*launch;
            let kernel = &(*kernel).0;
            let Some(plan) = kernel.plan(launch.grid, launch.threadgroup, launch.may_be_empty)? else {
                return Ok(());
            };
            let injected: Vec<Injected> = slice(launch.injected, launch.input_count)
                .iter()
                .map(|flags| Injected { shape: flags.shape, strides: flags.strides, ndim: flags.ndim })
                .collect();
            let inputs = arguments(launch.inputs, launch.input_count);
            let outputs = arguments(launch.outputs, launch.output_count);
            let launch = Launch { plan, inputs: &inputs, injected: &injected, outputs: &outputs };
            Runtime::global()?.run(kernel, &launch)
        })
        .is_some()
    }
}

unsafe extern "C" fn copy_to_row_contiguous(array: *const ArrayIn, element_bytes: usize, to: *mut c_void) {
    // SAFETY: the table's contract.
    unsafe {
        let array = &*array;
        memory::copy_to_row_contiguous(
            array.data.cast_const().cast(),
            to.cast(),
            element_bytes,
            slice(array.shape, array.ndim),
            slice(array.strides, array.ndim),
        );
    }
}

unsafe extern "C" fn fill(to: *mut c_void, number: u32, count: usize, value: f32) {
    if let Some(dtype) = Dtype::from_number(number) {
        // SAFETY: the table's contract.
        unsafe { memory::fill(to.cast(), dtype, count, value) };
    }
}

unsafe extern "C" fn device_facts(out: *mut DeviceFacts, error: *mut ErrorOut) -> bool {
    // SAFETY: the table's contract.
    unsafe {
        guarded("device_facts", error, || {
            let device = Runtime::global()?.device();
            out.write(DeviceFacts {
                name: Text::of(device.name()),
                architecture: Text::of(device.architecture().unwrap_or_default()),
                max_buffer_bytes: device.max_buffer_length(),
                recommended_working_set_bytes: device.recommended_max_working_set_size(),
            });
            Ok(())
        })
        .is_some()
    }
}
