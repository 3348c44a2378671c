//! Kernels that are compiled and run: values, cache, counts, messages.
#![expect(unsafe_code, reason = "hands memory to kernels")]
#![expect(clippy::result_large_err, reason = "the error is the test's end")]

use std::sync::Arc;

use mw_custom_kernel::{
    Argument, CallArguments, Definition, Dtype, Error, ErrorKind, InputKind, KernelSource, Launch, MathMode,
    Prepared, Runtime, TemplateArg, dispatch_counts,
};

/// A call with `f32` arrays of one axis.
fn call(
    definition: &Definition,
    inputs: &mut [Vec<f32>],
    length: usize,
    template: &[(String, TemplateArg)],
    grid: i32,
    threadgroup: i32,
) -> Result<Vec<f32>, Error> {
    let kinds: Vec<InputKind> =
        inputs.iter().map(|data| InputKind { dtype: Dtype::Float32, ndim: 1, size: data.len() }).collect();
    let generated = definition.generate(&CallArguments {
        inputs: &kinds,
        outputs: &[Dtype::Float32],
        output_shapes: 1,
        template,
    })?;
    let runtime = Runtime::global()?;
    let kernel = runtime.prepare_generated(&generated)?;
    let mut output = vec![0.0_f32; length];
    let Some(plan) = kernel.plan([grid, 1, 1], [threadgroup, 1, 1], length == 0)? else { return Ok(output) };
    let shapes: Vec<[i32; 1]> = inputs.iter().map(|data| [data.len() as i32]).collect();
    let arguments: Vec<Argument<'_>> = inputs
        .iter_mut()
        .zip(&shapes)
        .map(|(data, shape)| Argument {
            data: data.as_mut_ptr().cast(),
            size_bytes: size_of_val(data.as_slice()),
            shape,
            strides: &[1],
        })
        .collect();
    let shape = [length as i32];
    let outputs =
        [Argument { data: output.as_mut_ptr().cast(), size_bytes: length * 4, shape: &shape, strides: &[1] }];
    let launch = Launch { plan, inputs: &arguments, injected: &generated.injected, outputs: &outputs };
    // SAFETY: the vectors live until the call returns, and the kernels of these tests stay inside.
    unsafe { runtime.run(&kernel, &launch)? };
    Ok(output)
}

#[test]
fn a_kernel_computes() {
    let definition = Definition::new(
        "scaled_exp",
        &["inp"],
        &["out"],
        "uint e = thread_position_in_grid.x;\nT t = inp[e];\nout[e] = metal::exp(t) * inp_shape[0];",
    );
    let template = [("T".to_owned(), TemplateArg::Dtype(Dtype::Float32))];
    let x: Vec<f32> = (0..100).map(|i| i as f32 / 50.0).collect();
    let y = call(&definition, &mut [x.clone()], 100, &template, 100, 32).unwrap();
    for (x, y) in x.iter().zip(&y) {
        assert!((y / 100.0 - x.exp()).abs() <= 2e-6 * x.exp(), "{x} {y}");
    }
    assert_eq!(dispatch_counts()["scaled_exp"], 1);
}

#[test]
fn names_do_not_decide_what_runs() {
    let body = |tail: &str| format!("uint i = thread_position_in_grid.x; o[i] = a[i] {tail};");
    let one = Definition::new("same", &["a"], &["o"], &body("* 3.0f"));
    let other = Definition::new("same", &["a"], &["o"], &body("+ 50.0f"));
    let mut a = [vec![0.0, 1.0, 2.0, 3.0]];
    assert_eq!(call(&one, &mut a, 4, &[], 4, 4).unwrap(), [0.0, 3.0, 6.0, 9.0]);
    assert_eq!(call(&other, &mut a, 4, &[], 4, 4).unwrap(), [50.0, 51.0, 52.0, 53.0]);
}

#[test]
fn a_text_is_compiled_once() {
    let source = KernelSource::from_text(
        "custom_kernel_once_float",
        "[[kernel]] void custom_kernel_once_float(\n  device float* o [[buffer(0)]]) {\no[0] = 1;\n}\n",
        MathMode::Safe,
    );
    let runtime = Runtime::global().unwrap();
    let all: Vec<Arc<Prepared>> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(|| runtime.prepare(&source).unwrap())).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert!(all.iter().all(|one| Arc::ptr_eq(one, &all[0])));
    assert_eq!(all[0].label(), "once_float");
}

#[test]
fn mistakes_are_shown_in_the_users_own_lines() {
    let mut definition = Definition::new("broken", &["a"], &["o"], "\n  float x = a[0];\n  o[0] = y + x;\n");
    definition.header = "inline float twice(float x) { return 2 * x; }\n".to_owned();
    let error = call(&definition, &mut [vec![0.0; 9]], 1, &[], 1, 1).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Runtime);
    let text = error.to_string();
    assert!(text.starts_with("[metal::Device] Unable to build metal library from source\n"), "{text}");
    assert!(text.contains("--> broken:3:10"), "{text}");
    assert!(text.contains("o[0] = y + x;"), "{text}");

    definition.header = "inline float twice(float x) {\n  return 2 * z;\n}\n".to_owned();
    definition.source = "o[0] = twice(a[0]);".to_owned();
    let text = call(&definition, &mut [vec![0.0; 9]], 1, &[], 1, 1).unwrap_err().to_string();
    assert!(text.contains("--> broken (header):2:14"), "{text}");
}

#[test]
fn an_imported_text_is_taken_apart_again() {
    let definition = Definition::new("apart", &["a"], &["o"], "o[0] = nothing;\n");
    let generated = definition
        .generate(&CallArguments {
            inputs: &[InputKind { dtype: Dtype::Float32, ndim: 1, size: 9 }],
            outputs: &[Dtype::Float32],
            output_shapes: 1,
            template: &[("N".to_owned(), TemplateArg::Int(1))],
        })
        .unwrap();
    let source = KernelSource::from_text(&generated.source.function, &generated.source.text, MathMode::Safe);
    let text = Runtime::global().unwrap().prepare(&source).unwrap_err().to_string();
    assert!(text.contains("--> apart__1_float_float:1:8"), "{text}");
}

#[test]
fn a_name_that_is_no_name_is_told() {
    let definition = Definition::new("my kernel", &[], &["o"], "o[0] = 1;");
    let error = call(&definition, &mut [], 1, &[], 1, 1).unwrap_err();
    assert_eq!(
        error.to_string(),
        "[metal_kernel] The kernel name `my kernel` cannot be a name in Metal: use letters, digits and `_`, and begin with no digit, for example `my_kernel`"
    );
}

#[test]
fn the_prelude_knows_upstreams_names() {
    let definition = Definition::new(
        "names",
        &["a"],
        &["o"],
        "uint i = thread_position_in_grid.x;
         uint loc = elem_to_loc(i, a_shape, a_strides, a_ndim);
         complex64_t z = complex64_t(a[loc], 1.0f) * complex64_t(0.0f, 1.0f);
         bfloat16_t b = metal::exp(bfloat16_t(a[loc]));
         uint64_t wide = simd_sum(1u) + simd_shuffle_down(uint64_t(i), 0);
         o[i] = z.imag + float(b) + float(wide) + float(ceildiv(i, 2u)) + (Limits<float>::max > 1e38f ? 0.0f : 9.0f);",
    );
    let y = call(&definition, &mut [vec![0.0; 8]], 8, &[], 8, 8).unwrap();
    let expected: Vec<f32> =
        (0..8_u16).map(|i| 1.0 + 8.0 + f32::from(i) + f32::from(i.div_ceil(2))).collect();
    assert_eq!(y, expected);
}
