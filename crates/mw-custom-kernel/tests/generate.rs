//! The text of kernels, compared with what MLX 0.32.4 prints (`mx.export_function`).
#![expect(clippy::result_large_err, reason = "the error is the test's end")]

use mw_custom_kernel::{CallArguments, Definition, Dtype, Error, Generated, InputKind, TemplateArg};

fn input(dtype: Dtype, shape: &[usize]) -> InputKind {
    InputKind { dtype, ndim: shape.len(), size: shape.iter().product() }
}

fn generate(
    definition: &Definition,
    inputs: &[InputKind],
    outputs: &[Dtype],
    template: &[(&str, TemplateArg)],
) -> Result<Generated, Error> {
    let template: Vec<_> = template.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
    definition.generate(&CallArguments { inputs, outputs, output_shapes: outputs.len(), template: &template })
}

#[test]
fn the_quick_start() {
    let source = "uint e = thread_position_in_grid.x; T t = inp[e]; out[e] = metal::exp(t);";
    let definition = Definition::new("myexp", &["inp"], &["out"], source);
    let f32 = Dtype::Float32;
    let made =
        generate(&definition, &[input(f32, &[16])], &[f32], &[("T", TemplateArg::Dtype(f32))]).unwrap();
    assert_eq!(made.source.function, "custom_kernel_myexp__float_float_float");
    assert_eq!(
        made.source.text,
        "template <typename T>\n\
         [[kernel]] void custom_kernel_myexp__float_float_float(\n\
         \x20 const device float* inp [[buffer(0)]],\n\
         \x20 device float* out [[buffer(1)]],\n\
         \x20 uint3 thread_position_in_grid [[thread_position_in_grid]]) {\n\
         uint e = thread_position_in_grid.x; T t = inp[e]; out[e] = metal::exp(t);\n\
         }\n\
         \n\
         template [[host_name(\"custom_kernel_myexp__float_float_float\")]] [[kernel]] \
         decltype(custom_kernel_myexp__float_float_float<float>) custom_kernel_myexp__float_float_float<float>;\n"
    );
}

#[test]
fn small_inputs_are_constant_and_scalars_references() {
    let definition = Definition::new("k", &["a", "b", "c"], &["o"], "b_shape c_strides c_ndim a_shape");
    let (f32, bf16) = (Dtype::Float32, Dtype::Bfloat16);
    let made = generate(&definition, &[input(f32, &[]), input(f32, &[2, 3]), input(bf16, &[8])], &[f32], &[])
        .unwrap();
    assert_eq!(made.source.function, "custom_kernel_k_floats_floatc_bfloat16_t_float");
    assert_eq!(
        made.source.text,
        "[[kernel]] void custom_kernel_k_floats_floatc_bfloat16_t_float(\n\
         \x20 const constant float& a [[buffer(0)]],\n\
         \x20 const constant float* b [[buffer(1)]],\n\
         \x20 const constant int* b_shape [[buffer(2)]],\n\
         \x20 const device bfloat16_t* c [[buffer(3)]],\n\
         \x20 const constant int64_t* c_strides [[buffer(4)]],\n\
         \x20 const constant int& c_ndim [[buffer(5)]],\n\
         \x20 device float* o [[buffer(6)]]) {\n\
         b_shape c_strides c_ndim a_shape\n\
         }\n"
    );
}

#[test]
fn template_values_are_part_of_the_name() {
    let definition = Definition::new("k", &[], &["o"], "");
    let template = [
        ("T", TemplateArg::Dtype(Dtype::Complex64)),
        ("B", TemplateArg::Bool(true)),
        ("C", TemplateArg::Bool(false)),
        ("N", TemplateArg::Int(-3)),
    ];
    let made = generate(&definition, &[], &[Dtype::Int64], &template).unwrap();
    assert_eq!(made.source.function, "custom_kernel_k__complex64_t_1_0__3_int64_t");
    assert!(made.source.text.starts_with("template <typename T, bool B, bool C, int N>\n"));
    assert!(made.source.text.contains("_int64_t<complex64_t, 1, 0, -3>;\n"));
}

#[test]
fn only_the_body_asks_for_facts_and_built_in_values() {
    let mut definition = Definition::new("k", &["a"], &["o"], "dispatch_threads_per_threadgroup");
    definition.header = "// a_shape thread_position_in_grid\n".to_owned();
    definition.atomic_outputs = true;
    let made = generate(&definition, &[input(Dtype::Bool, &[64])], &[Dtype::Uint32], &[]).unwrap();
    assert_eq!(
        made.source.text,
        "// a_shape thread_position_in_grid\n\
         [[kernel]] void custom_kernel_k_bool_uint32_t(\n\
         \x20 const device bool* a [[buffer(0)]],\n\
         \x20 device atomic<uint32_t>* o [[buffer(1)]],\n\
         \x20 uint3 dispatch_threads_per_threadgroup [[dispatch_threads_per_threadgroup]],\n\
         \x20 uint3 threads_per_threadgroup [[threads_per_threadgroup]]) {\n\
         dispatch_threads_per_threadgroup\n\
         }\n"
    );
}

#[test]
fn two_outputs_with_injected_shapes_close_the_list_once() {
    let definition = Definition::new("k", &["a"], &["o", "p"], "a_ndim");
    let made = generate(&definition, &[input(Dtype::Int8, &[9])], &[Dtype::Int8, Dtype::Int8], &[]).unwrap();
    assert!(
        made.source.text.contains("device int8_t* o [[buffer(2)]],\n  device int8_t* p [[buffer(3)]]) {\n")
    );
}

#[test]
fn mistakes_have_upstreams_texts() {
    let definition = Definition::new("k", &["a"], &["o"], "");
    let f32 = Dtype::Float32;
    let error =
        |inputs: &[InputKind], outputs: &[Dtype]| generate(&definition, inputs, outputs, &[]).unwrap_err();
    assert_eq!(
        error(&[], &[f32]).to_string(),
        "[metal_kernel] Expected `inputs` to have size 1 but got size 0.\n"
    );
    assert_eq!(
        error(&[input(f32, &[1])], &[f32, f32]).to_string(),
        "[metal_kernel] Expected `output_shapes` to have size 1 but got size 2.\n"
    );
    assert_eq!(
        error(&[input(f32, &[1])], &[Dtype::Float64]).to_string(),
        "float64 is not supported on the GPU"
    );
    let none = Definition::new("k", &["a"], &[], "").check().unwrap_err();
    assert_eq!(none.to_string(), "[metal_kernel] Must specify at least one output.");
}
