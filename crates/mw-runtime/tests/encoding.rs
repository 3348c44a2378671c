//! Host-side faults: each is an error that names the rule and says what to write instead.

mod support;

use mw_backend::Argument;
use mw_runtime::{
    CommandBufferStatus, ComputeCommandEncoder, ComputePipelineState, Device, EncodeError, Size,
};
use support::{
    buffer_arg, device, device_with_memory, function, pipeline, position_arg, reference_arg, threadgroup_arg,
};

/// The fault of encoding `steps` after the pipeline is set; checks that the commit repeats it.
fn fault_with(
    device: &Device,
    pipeline: &ComputePipelineState,
    steps: impl FnOnce(&mut ComputeCommandEncoder),
) -> EncodeError {
    let buffer = device.new_command_queue().command_buffer();
    let mut encoder = buffer.compute_command_encoder();
    encoder.set_compute_pipeline_state(pipeline);
    steps(&mut encoder);
    let fault = encoder.end_encoding().expect_err("a fault");
    assert_eq!(buffer.commit().expect_err("the same fault"), fault);
    buffer.wait_until_completed().expect_err("and it is the command buffer's error");
    assert_eq!(buffer.status(), CommandBufferStatus::Error);
    fault
}

#[expect(clippy::unnecessary_wraps, reason = "the signature of a launch")]
fn nothing(_: &mw_backend::Launch<'_>) -> Result<(), mw_backend::LaunchError> {
    Ok(())
}

#[test]
fn a_missing_buffer_is_named() {
    let device = device(nothing);
    let pipeline = pipeline(&device, vec![buffer_arg("x", 0), buffer_arg("out", 3), position_arg()]);
    let x = device.new_buffer(64).unwrap();
    let fault = fault_with(&device, &pipeline, |encoder| {
        encoder.set_buffer(0, &x, 0).dispatch_threads(16, 16);
    });
    insta::assert_snapshot!(fault, @"kernel `k` needs `out` (`float`) at buffer index 3, where nothing is bound: call `set_buffer` or `set_bytes` with index 3");
}

#[test]
fn a_short_reference_is_named() {
    let device = device(nothing);
    let pipeline = pipeline(&device, vec![reference_arg("params", 1, 32)]);
    let params = device.new_buffer(40).unwrap();
    let fault = fault_with(&device, &pipeline, |encoder| {
        encoder.set_buffer(1, &params, 16).dispatch_threads(1, 1);
    });
    insta::assert_snapshot!(fault, @"kernel `k` reads 32 bytes through `params` (`float`, buffer index 1), but only 24 bytes are bound after offset 16: bind at least 32");
}

#[test]
fn offsets_count_bytes() {
    let device = device(nothing);
    let pipeline = pipeline(&device, vec![buffer_arg("x", 0)]);
    let x = device.new_buffer(64).unwrap();
    let misaligned = fault_with(&device, &pipeline, |encoder| {
        encoder.set_buffer(0, &x, 2).dispatch_threads(1, 1);
    });
    insta::assert_snapshot!(misaligned, @"offset 2 of `x` (`float`, buffer index 0) of kernel `k` is no multiple of 4 bytes, the alignment of its type: offsets count bytes, not elements");
    let past_end = fault_with(&device, &pipeline, |encoder| {
        encoder.set_buffer(0, &x, 65);
    });
    insta::assert_snapshot!(past_end, @"offset 65 is past the end of the buffer of 64 bytes: offsets count bytes, not elements");
    let unbound = fault_with(&device, &pipeline, |encoder| {
        encoder.set_buffer_offset(0, 4);
    });
    assert_eq!(unbound, EncodeError::OffsetWithoutBuffer { index: 0 });
}

#[test]
fn threadgroups_are_limited_by_device_and_kernel() {
    let device = device(nothing);
    let plain = pipeline(&device, vec![]);
    let fault = fault_with(&device, &plain, |encoder| {
        encoder.dispatch_threads(4096, (64, 32));
    });
    insta::assert_snapshot!(fault, @"a threadgroup of (64, 32, 1) has 2048 threads, but the device allows 1024: use a smaller threadgroup (`max_total_threads_per_threadgroup` of the pipeline tells how large)");
    let limited = device.new_compute_pipeline_state(&function(vec![], Some(128))).unwrap();
    assert_eq!(limited.max_total_threads_per_threadgroup(), 128);
    let fault = fault_with(&device, &limited, |encoder| {
        encoder.dispatch_threads(4096, 256);
    });
    insta::assert_snapshot!(fault, @"a threadgroup of (256, 1, 1) has 256 threads, but kernel `k` allows 128: use a smaller threadgroup (`max_total_threads_per_threadgroup` of the pipeline tells how large)");
}

#[test]
fn sizes_are_neither_zero_nor_too_large() {
    let device = device(nothing);
    let pipeline = pipeline(&device, vec![]);
    let zero_grid = fault_with(&device, &pipeline, |encoder| {
        encoder.dispatch_threads((8, 0, 1), 8);
    });
    insta::assert_snapshot!(zero_grid, @"the grid (8, 0, 1) has a zero: every dimension is at least 1 (unused ones are 1); skip the dispatch if there is nothing to do");
    let zero_group = fault_with(&device, &pipeline, |encoder| {
        encoder.dispatch_threads(8, 0);
    });
    assert_eq!(
        zero_group,
        EncodeError::ZeroSize { what: "threads per threadgroup", size: Size::new(0, 1, 1) }
    );
    let threads_as_threadgroups = fault_with(&device, &pipeline, |encoder| {
        encoder.dispatch_threadgroups(1 << 28, 256);
    });
    insta::assert_snapshot!(threads_as_threadgroups, @"a grid of (268435456, 1, 1) threadgroups has more than 2^32 - 1 threads along an axis: `dispatch_threadgroups` counts threadgroups; to count threads use `dispatch_threads`");
    let overflow = fault_with(&device, &pipeline, |encoder| {
        encoder.dispatch_threads(1, (usize::MAX, 2));
    });
    assert!(matches!(overflow, EncodeError::ThreadgroupTooLarge { .. }));
}

#[test]
fn threadgroup_memory_is_summed() {
    let device = device_with_memory(20_000, nothing);
    let pipeline = pipeline(&device, vec![threadgroup_arg("scratch", 0)]);
    assert_eq!(pipeline.static_threadgroup_memory_length(), 20_000);
    let missing = fault_with(&device, &pipeline, |encoder| {
        encoder.dispatch_threads(1, 1);
    });
    insta::assert_snapshot!(missing, @"kernel `k` needs threadgroup memory for `scratch` at threadgroup index 0: call `set_threadgroup_memory_length(length, 0)`");
    let crooked = fault_with(&device, &pipeline, |encoder| {
        encoder.set_threadgroup_memory_length(100, 0);
    });
    insta::assert_snapshot!(crooked, @"threadgroup memory length 100 is no multiple of 16: use 112");
    let too_much = fault_with(&device, &pipeline, |encoder| {
        encoder.set_threadgroup_memory_length(16_384, 0).dispatch_threads(1, 1);
    });
    insta::assert_snapshot!(too_much, @"kernel `k` gets 36384 bytes of threadgroup memory (20000 declared in the kernel, 16384 set by the encoder), but the device has 32768: lower `set_threadgroup_memory_length`");
    let too_much_declared = device_with_memory(40_000, nothing);
    too_much_declared.new_compute_pipeline_state(&function(vec![], None)).expect_err("32 KiB at most");
}

#[test]
fn tables_have_ends() {
    let device = device(nothing);
    let pipeline = pipeline(&device, vec![]);
    let index = fault_with(&device, &pipeline, |encoder| {
        encoder.set_bytes(31, &[0; 4]);
    });
    insta::assert_snapshot!(index, @"buffer index 31 is outside the argument table: indices run from 0 to 30");
    let bytes = fault_with(&device, &pipeline, |encoder| {
        encoder.set_bytes(0, &[0; 5000]);
    });
    insta::assert_snapshot!(bytes, @"`set_bytes` takes at most 4096 bytes, not 5000: put them into a buffer and use `set_buffer`");
}

#[test]
fn inline_bytes_may_be_empty_and_are_copied_at_once() {
    let device = device(|launch| {
        let [Argument::Buffer(empty), Argument::Buffer(value)] = launch.args else { panic!("two buffers") };
        assert_eq!(empty.len(), 0);
        let mut bytes = [0; 4];
        value.read(0, &mut bytes).unwrap();
        assert_eq!(u32::from_le_bytes(bytes), 7);
        assert!(value.address().is_multiple_of(32));
        Ok(())
    });
    let pipeline = pipeline(&device, vec![buffer_arg("shape", 0), buffer_arg("n", 1)]);
    let buffer = device.new_command_queue().command_buffer();
    let mut encoder = buffer.compute_command_encoder();
    let mut value = 7_u32.to_le_bytes();
    encoder.set_compute_pipeline_state(&pipeline).set_bytes(0, &[]).set_bytes(1, &value);
    value.fill(0);
    encoder.dispatch_threads(1, 1).end_encoding().unwrap();
    buffer.commit().unwrap();
    buffer.wait_until_completed().unwrap();
}

#[test]
fn life_cycles_are_kept_to() {
    let device = device(nothing);
    let pipeline = pipeline(&device, vec![]);
    let queue = device.new_command_queue();

    let no_pipeline = queue.command_buffer();
    assert_eq!(
        no_pipeline.compute_command_encoder().dispatch_threads(1, 1).end_encoding(),
        Err(EncodeError::NoPipeline)
    );

    let used_after_end = queue.command_buffer();
    let mut encoder = used_after_end.compute_command_encoder();
    encoder.set_compute_pipeline_state(&pipeline).end_encoding().unwrap();
    encoder.dispatch_threads(1, 1);
    assert_eq!(encoder.end_encoding(), Err(EncodeError::EncodingEnded));
    assert_eq!(used_after_end.commit(), Err(EncodeError::EncodingEnded));

    let dropped = queue.command_buffer();
    drop(dropped.compute_command_encoder());
    assert_eq!(dropped.commit(), Err(EncodeError::EncoderDropped));

    let twice_open = queue.command_buffer();
    let mut first = twice_open.compute_command_encoder();
    let mut second = twice_open.blit_command_encoder();
    assert_eq!(second.end_encoding(), Err(EncodeError::EncoderOpen));
    assert_eq!(twice_open.commit(), Err(EncodeError::EncoderOpen), "the first one is still open");
    first.end_encoding().unwrap();

    let twice_committed = queue.command_buffer();
    twice_committed.commit().unwrap();
    assert_eq!(twice_committed.commit(), Err(EncodeError::AlreadyCommitted));
    assert_eq!(twice_committed.compute_command_encoder().end_encoding(), Err(EncodeError::AlreadyCommitted));
    assert_eq!(twice_committed.add_completed_handler(|_| {}), Err(EncodeError::AlreadyCommitted));

    let never_committed = queue.command_buffer();
    let error = never_committed.wait_until_completed().unwrap_err();
    insta::assert_snapshot!(error, @"the command buffer was not committed: call `commit` before waiting for it");
}

#[test]
fn devices_do_not_mix() {
    let (one, other) = (device(nothing), device(nothing));
    let pipeline = pipeline(&other, vec![]);
    assert_eq!(fault_with(&one, &pipeline, |_| {}), EncodeError::OtherDevice);
}
