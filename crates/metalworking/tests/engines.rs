//! The same programs on both engines, through the public API only.

use metalworking::{
    ComputePipelineState, Device, Engine, EngineError, FunctionConstantValues, Library, ThreadgroupOrder,
};

const SCALE: &str = include_str!("../examples/scale.ll");
const GATED: &str = include_str!("../../mw-passes/tests/data/gated.ll");

fn devices() -> Vec<Device> {
    Engine::ALL.map(|engine| engine.device(None).expect("a device")).into()
}

fn scale(device: &Device) -> ComputePipelineState {
    let library = Library::from_air_text(SCALE).expect("valid");
    device.new_compute_pipeline_state(&library.function("scale").expect("there")).expect("compiles")
}

/// Multiplies `values` by `factor` on the device.
fn run_scale(device: &Device, pipeline: &ComputePipelineState, values: &[f32], factor: f32) -> Vec<f32> {
    let x = device.new_buffer_with_data(values).expect("memory");
    let queue = device.new_command_queue();
    queue.set_threadgroup_order(ThreadgroupOrder::Shuffled(values.len() as u64));
    let commands = queue.command_buffer();
    let mut encoder = commands.compute_command_encoder();
    encoder.set_compute_pipeline_state(pipeline).set_buffer(0, &x, 0).set_value(1, &factor);
    encoder.dispatch_threads(values.len(), 64).end_encoding().expect("valid");
    commands.commit().expect("valid");
    commands.wait_until_completed().expect("runs");
    x.to_vec()
}

#[test]
fn edges_of_the_grid_are_kept_to() {
    for device in devices() {
        let pipeline = scale(&device);
        assert_eq!(pipeline.thread_execution_width(), 32);
        assert_eq!(pipeline.max_total_threads_per_threadgroup(), 1024);
        for count in [1, 2, 31, 32, 33, 63, 64, 65, 1000] {
            let values: Vec<f32> = (0..count).map(|index| index as f32).collect();
            let expected: Vec<f32> = values.iter().map(|value| value * 0.5).collect();
            assert_eq!(run_scale(&device, &pipeline, &values, 0.5), expected, "{} threads", values.len());
        }
    }
}

#[test]
fn denormals_flush_as_the_module_says() {
    for device in devices() {
        let pipeline = scale(&device);
        let tiny = f32::MIN_POSITIVE / 2.0;
        let bits: Vec<u32> =
            run_scale(&device, &pipeline, &[tiny, -tiny], 1.0).into_iter().map(f32::to_bits).collect();
        assert_eq!(bits, [0, 0x8000_0000], "{}", device.backend_name());
    }
}

#[test]
fn many_threads_share_a_device() {
    for device in devices() {
        std::thread::scope(|scope| {
            for thread in 0..6 {
                let device = &device;
                scope.spawn(move || {
                    let pipeline = scale(device);
                    let values = vec![thread as f32; 100 + thread];
                    for round in 0..20 {
                        let expected = vec![thread as f32 * round as f32; values.len()];
                        assert_eq!(run_scale(device, &pipeline, &values, round as f32), expected);
                    }
                });
            }
        });
    }
}

#[test]
fn function_constants_gate_arguments() {
    let library = Library::from_air_text(GATED).expect("valid");
    for device in devices() {
        let run = |values: &FunctionConstantValues, bias: Option<&[f32]>| {
            let function =
                library.function_with_constants("gated", values).map_err(|error| error.to_string())?;
            let pipeline = device.new_compute_pipeline_state(&function).map_err(|error| error.to_string())?;
            let x = device.new_buffer_with_data(&[1.0_f32, 2.0]).expect("memory");
            let bias = bias.map(|bias| device.new_buffer_with_data(bias).expect("memory"));
            let commands = device.new_command_queue().command_buffer();
            let mut encoder = commands.compute_command_encoder();
            encoder.set_compute_pipeline_state(&pipeline).set_buffer(0, &x, 0);
            if let Some(bias) = &bias {
                encoder.set_buffer(1, bias, 0);
            }
            encoder.dispatch_threads(2, 2).end_encoding().map_err(|error| error.to_string())?;
            commands.commit().map_err(|error| error.to_string())?;
            commands.wait_until_completed().map_err(|error| error.to_string())?;
            Ok::<_, String>(x.to_vec::<f32>())
        };
        let mut values = FunctionConstantValues::new();
        values.set(10, false).set_named("width", 4_i32);
        assert_eq!(run(&values, None).unwrap(), [1.0, 2.0]);
        values.set(30, true);
        assert_eq!(run(&values, None).unwrap(), [101.0, 102.0]);
        values.reset();
        values.set(10, true).set(20, 4_i32);
        assert_eq!(run(&values, Some(&[10.0, 20.0])).unwrap(), [11.0, 22.0]);
        let missing = run(&values, None).unwrap_err();
        assert!(missing.contains("needs `bias` (`float`) at buffer index 1"), "{missing}");
        values.set(20, true);
        let wrong = run(&values, None).unwrap_err();
        assert_eq!(
            wrong,
            "function constant 20 (`width`) of `gated` is declared `int`, but was given a bool: set a value of type `int`"
        );
        values.reset();
        let none = run(values.set(10, true), None).unwrap_err();
        assert!(none.contains("20 `width` (int)"), "{none}");
        let unknown = run(values.set_named("height", 1_i32), None).unwrap_err();
        assert!(unknown.contains("declares no function constant `height`"), "{unknown}");
    }
}

#[test]
fn settings_that_name_nothing_are_refused() {
    assert!(matches!(Engine::Interp.device(Some("m99")), Err(EngineError::UnknownChip(_))));
    let unknown = "gpu".parse::<Engine>().unwrap_err().to_string();
    assert_eq!(unknown, "there is no engine `gpu`; engines are cpu, interp, checked");
    let device = Engine::Interp.device(Some("M4 Max")).expect("a chip");
    assert_eq!((device.name(), device.architecture()), ("Apple M4 Max", Some("applegpu_g16s")));
}
