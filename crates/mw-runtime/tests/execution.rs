//! Order, completion, events, memory: what happens after a commit.

mod support;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, mpsc};
use std::time::Duration;

use mw_backend::{Argument, LaunchError};
use mw_runtime::{CommandBuffer, CommandBufferStatus, CommandQueue, ComputePipelineState, Device};
use support::{Log, buffer_arg, device, increment, pipeline, reference_arg};

/// A command buffer with one dispatch whose only argument is a number.
fn numbered(queue: &CommandQueue, pipeline: &ComputePipelineState, number: u64) -> CommandBuffer {
    let buffer = queue.command_buffer();
    let mut encoder = buffer.compute_command_encoder();
    encoder.set_compute_pipeline_state(pipeline).set_value(0, &number).dispatch_threads(1, 1);
    encoder.end_encoding().unwrap();
    buffer
}

/// A device whose kernel logs its number, and its pipeline.
fn logging() -> (Device, ComputePipelineState, Log) {
    let log = Log::default();
    let sink = log.clone();
    let device = device(move |launch| {
        let Argument::Buffer(view) = &launch.args[0] else { panic!("a buffer") };
        let mut bytes = [0; 8];
        view.read(0, &mut bytes).unwrap();
        sink.push(u64::from_le_bytes(bytes));
        Ok(())
    });
    let pipeline = pipeline(&device, vec![reference_arg("number", 0, 8)]);
    (device, pipeline, log)
}

#[test]
fn kernels_work_on_the_hosts_memory() {
    let device = device(increment);
    let pipeline = pipeline(&device, vec![buffer_arg("x", 0)]);
    let x = device.new_buffer_with_data(&[1_u32, 2, 3]).unwrap();
    let buffer = device.new_command_queue().command_buffer();
    let mut encoder = buffer.compute_command_encoder();
    encoder.set_compute_pipeline_state(&pipeline).set_buffer(0, &x, 4);
    encoder.dispatch_threads(1, 1).dispatch_threads(1, 1).end_encoding().unwrap();
    buffer.commit().unwrap();
    buffer.wait_until_completed().unwrap();
    assert_eq!(x.to_vec::<u32>(), [1, 4, 5]);
    assert_eq!(buffer.status(), CommandBufferStatus::Completed);
    assert!(buffer.gpu_end_time() >= buffer.gpu_start_time());
}

#[test]
fn the_bytes_before_an_offset_belong_to_the_launch() {
    let reached = Arc::new(AtomicU64::new(0));
    let seen = Arc::clone(&reached);
    let device = device(move |launch| {
        let Argument::Buffer(view) = &launch.args[0] else { panic!("a buffer") };
        let around = launch.resident.iter().filter(|around| around.address() + 4 == view.address());
        seen.store(around.map(|around| around.len() as u64).sum(), Ordering::SeqCst);
        Ok(())
    });
    let pipeline = pipeline(&device, vec![buffer_arg("x", 0)]);
    let x = device.new_buffer_with_data(&[1_u32, 2, 3]).unwrap();
    for (offset, expected) in [(4, 12), (0, 0)] {
        let buffer = device.new_command_queue().command_buffer();
        let mut encoder = buffer.compute_command_encoder();
        encoder.set_compute_pipeline_state(&pipeline).set_buffer(0, &x, offset).dispatch_threads(1, 1);
        encoder.end_encoding().unwrap();
        buffer.commit().unwrap();
        buffer.wait_until_completed().unwrap();
        assert_eq!(reached.load(Ordering::SeqCst), expected, "bound at offset {offset}");
    }
}

#[test]
fn work_completes_without_a_waiter() {
    let (device, pipeline, log) = logging();
    let (sender, receiver) = mpsc::channel();
    let buffer = numbered(&device.new_command_queue(), &pipeline, 5);
    buffer.add_completed_handler(move |buffer| sender.send(buffer.status()).unwrap()).unwrap();
    buffer.commit().unwrap();
    drop(buffer);
    assert_eq!(receiver.recv_timeout(Duration::from_secs(60)).unwrap(), CommandBufferStatus::Completed);
    assert_eq!(log.entries(), [5]);
}

#[test]
fn places_are_taken_by_enqueue() {
    let (device, pipeline, log) = logging();
    let queue = device.new_command_queue();
    let [first, second, third] = [1, 2, 3].map(|number| numbered(&queue, &pipeline, number));
    first.enqueue().unwrap();
    second.enqueue().unwrap();
    third.commit().unwrap();
    second.commit().unwrap();
    assert_eq!(third.status(), CommandBufferStatus::Committed);
    first.commit().unwrap();
    third.wait_until_completed().unwrap();
    assert_eq!(log.entries(), [1, 2, 3]);
}

#[test]
fn a_place_that_is_given_up_holds_nobody() {
    let (device, pipeline, log) = logging();
    let queue = device.new_command_queue();
    let abandoned = numbered(&queue, &pipeline, 1);
    abandoned.enqueue().unwrap();
    let next = numbered(&queue, &pipeline, 2);
    next.commit().unwrap();
    drop(abandoned);
    next.wait_until_completed().unwrap();
    assert_eq!(log.entries(), [2]);
}

#[test]
fn handlers_run_in_order_before_the_wait_returns() {
    let (device, pipeline, log) = logging();
    let queue = device.new_command_queue();
    for round in 0..50 {
        let buffer = numbered(&queue, &pipeline, round * 10);
        let (before, one, two) = (log.clone(), log.clone(), log.clone());
        buffer.add_scheduled_handler(move |_| before.push(round * 10 + 1)).unwrap();
        buffer.add_completed_handler(move |_| one.push(round * 10 + 2)).unwrap();
        buffer.add_completed_handler(move |_| two.push(round * 10 + 3)).unwrap();
        buffer.commit().unwrap();
        buffer.wait_until_completed().unwrap();
        let seen = log.entries();
        let last: Vec<u64> = seen[seen.len() - 4..].iter().map(|entry| entry % 10).collect();
        assert_eq!(last, [1, 0, 2, 3]);
    }
}

#[test]
fn a_handler_may_commit_and_wait() {
    let (device, pipeline, log) = logging();
    let queue = device.new_command_queue();
    let (inner_queue, inner_pipeline) = (queue.clone(), pipeline.clone());
    let buffer = numbered(&queue, &pipeline, 1);
    buffer
        .add_completed_handler(move |own| {
            own.wait_until_completed().unwrap();
            let next = numbered(&inner_queue, &inner_pipeline, 2);
            next.commit().unwrap();
            next.wait_until_completed().unwrap();
        })
        .unwrap();
    buffer.commit().unwrap();
    buffer.wait_until_completed().unwrap();
    assert_eq!(log.entries(), [1, 2]);
}

#[test]
fn a_panicking_handler_does_not_stop_the_queue() {
    let (device, pipeline, log) = logging();
    let queue = device.new_command_queue();
    let buffer = numbered(&queue, &pipeline, 1);
    buffer.add_completed_handler(|_| panic!("on purpose")).unwrap();
    buffer.commit().unwrap();
    let next = numbered(&queue, &pipeline, 2);
    next.commit().unwrap();
    next.wait_until_completed().unwrap();
    assert_eq!(log.entries(), [1, 2]);
}

#[test]
fn a_failed_kernel_ends_its_command_buffer_only() {
    let failing = AtomicBool::new(true);
    let device = device(move |_| {
        if failing.swap(false, Ordering::Relaxed) {
            return Err(LaunchError::Fault { kernel: "k".to_owned(), message: "out of bounds".to_owned() });
        }
        Ok(())
    });
    let pipeline = pipeline(&device, vec![]);
    let queue = device.new_command_queue();
    let event = device.new_shared_event();
    let make = || {
        let buffer = queue.command_buffer();
        let mut encoder = buffer.compute_command_encoder();
        encoder.set_label("step").set_compute_pipeline_state(&pipeline).dispatch_threads(70, 32);
        encoder.end_encoding().unwrap();
        buffer
    };
    let (bad, good) = (make(), make());
    bad.encode_signal_event(&event, 1).unwrap();
    bad.commit().unwrap();
    good.commit().unwrap();
    good.wait_until_completed().unwrap();
    let error = bad.wait_until_completed().unwrap_err();
    insta::assert_snapshot!(error, @"kernel `k`: out of bounds (grid of (70, 1, 1) threads in threadgroups of (32, 1, 1), encoder `step`)");
    assert_eq!(bad.status(), CommandBufferStatus::Error);
    assert_eq!(event.signaled_value(), 1, "nobody must wait for ever for a failed command buffer");
}

#[test]
fn a_panicking_backend_is_an_error() {
    let device = device(|_| panic!("backend bug"));
    let pipeline = pipeline(&device, vec![]);
    let buffer = device.new_command_queue().command_buffer();
    let mut encoder = buffer.compute_command_encoder();
    encoder.set_compute_pipeline_state(&pipeline).dispatch_threads(1, 1).end_encoding().unwrap();
    buffer.commit().unwrap();
    let error = buffer.wait_until_completed().unwrap_err();
    insta::assert_snapshot!(error, @"internal error while kernel `k` ran: backend bug; please report it");
}

#[test]
fn events_order_queues_and_the_host() {
    let (device, pipeline, log) = logging();
    let (one, other) = (device.new_command_queue(), device.new_command_queue());
    let event = device.new_shared_event();
    let gate = device.new_event();
    let waits = numbered(&one, &pipeline, 0);
    let first = one.command_buffer();
    first.encode_wait_for_event(&event, 3).unwrap();
    first.encode_signal_event(&gate, 1).unwrap();
    first.commit().unwrap();
    waits.commit().unwrap();
    let second = other.command_buffer();
    second.encode_wait_for_event(&gate, 1).unwrap();
    second.encode_signal_event(&event, 9).unwrap();
    second.commit().unwrap();
    assert!(!event.wait_until_signaled_value(1, Some(Duration::from_millis(20))));
    first.wait_until_scheduled().unwrap();
    assert!(log.entries().is_empty());
    let (sender, receiver) = mpsc::channel();
    event.notify_at(9, move |_, value| sender.send(value).unwrap());
    event.set_signaled_value(3);
    assert!(event.wait_until_signaled_value(9, Some(Duration::from_secs(60))));
    assert_eq!(receiver.recv_timeout(Duration::from_secs(60)).unwrap(), 9);
    waits.wait_until_completed().unwrap();
    assert_eq!(log.entries(), [0]);
}

#[test]
fn many_threads_encode_and_dispatch_at_once() {
    let count = Arc::new(AtomicU64::new(0));
    let counter = count.clone();
    let device = device(move |_| {
        counter.fetch_add(1, Ordering::Relaxed);
        Ok(())
    });
    let pipeline = pipeline(&device, vec![buffer_arg("x", 0)]);
    let shared_queue = device.new_command_queue();
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let (device, pipeline, shared_queue) = (&device, &pipeline, &shared_queue);
            scope.spawn(move || {
                let own_queue = device.new_command_queue();
                let x = device.new_buffer(16).unwrap();
                for round in 0..200 {
                    let queue = if (thread + round) % 2 == 0 { shared_queue } else { &own_queue };
                    let buffer = queue.command_buffer();
                    let mut encoder = buffer.compute_command_encoder();
                    encoder.set_compute_pipeline_state(pipeline).set_buffer(0, &x, 0);
                    encoder.dispatch_threads(1, 1).end_encoding().unwrap();
                    buffer.commit().unwrap();
                    if round % 3 == 0 {
                        buffer.wait_until_completed().unwrap();
                    }
                }
                let last = own_queue.command_buffer();
                last.commit().unwrap();
                last.wait_until_completed().unwrap();
            });
        }
    });
    let last = shared_queue.command_buffer();
    last.commit().unwrap();
    last.wait_until_completed().unwrap();
    assert_eq!(count.load(Ordering::Relaxed), 8 * 200);
}

#[test]
fn indirect_counts_are_read_when_the_command_runs() {
    let log = Log::default();
    let sink = log.clone();
    let device = device(move |launch| {
        sink.push(launch.grid.threadgroup_count());
        Ok(())
    });
    let pipeline = pipeline(&device, vec![]);
    let counts = device.new_buffer_with_data(&[9_u32, 1, 1, 1]).unwrap();
    let run = |offset| {
        let buffer = device.new_command_queue().command_buffer();
        let mut encoder = buffer.compute_command_encoder();
        encoder.set_compute_pipeline_state(&pipeline);
        encoder.dispatch_threadgroups_indirect(&counts, offset, 1024);
        encoder.end_encoding().map_err(|error| error.to_string())?;
        buffer.commit().unwrap();
        buffer.wait_until_completed().map_err(|error| error.to_string())
    };
    run(0).unwrap();
    counts.write(0, &[4_u32, 5, 6]).unwrap();
    run(0).unwrap();
    counts.write(0, &[0_u32]).unwrap();
    run(0).unwrap();
    assert_eq!(log.entries(), [9, 120]);
    counts.write(0, &[1_u32 << 30]).unwrap();
    run(0).expect_err("too many threads");
    run(2).expect_err("misaligned");
    run(8).expect_err("past the end");
}

#[test]
fn blits_copy_and_fill() {
    let device = device(increment);
    let (from, to) = (device.new_buffer_with_data(&[1_u8, 2, 3, 4]).unwrap(), device.new_buffer(6).unwrap());
    let buffer = device.new_command_queue().command_buffer();
    let mut blit = buffer.blit_command_encoder();
    blit.fill_buffer(&to, 0..6, 9).copy_from_buffer(&from, 1, &to, 2, 3).copy_from_buffer(&to, 0, &to, 1, 4);
    blit.end_encoding().unwrap();
    let mut outside = buffer.blit_command_encoder();
    assert!(outside.copy_from_buffer(&from, 2, &to, 0, 3).end_encoding().is_err());
    assert!(buffer.commit().is_err());
    assert_eq!(to.to_vec::<u8>(), [0; 6], "a faulty command buffer runs nothing");

    let buffer = device.new_command_queue().command_buffer();
    let mut blit = buffer.blit_command_encoder();
    blit.fill_buffer(&to, 0..6, 9).copy_from_buffer(&from, 1, &to, 2, 3).copy_from_buffer(&to, 0, &to, 1, 4);
    blit.end_encoding().unwrap();
    buffer.commit().unwrap();
    buffer.wait_until_completed().unwrap();
    assert_eq!(to.to_vec::<u8>(), [9, 9, 9, 2, 3, 9]);
}

#[test]
fn memory_is_given_back() {
    let device = device(increment);
    let pipeline = pipeline(&device, vec![buffer_arg("x", 0)]);
    let queue = device.new_command_queue();
    let buffer = queue.command_buffer();
    {
        let x = device.new_buffer(1 << 20).unwrap();
        assert!((x.contents() as usize).is_multiple_of(4096));
        let mut encoder = buffer.compute_command_encoder();
        encoder.set_compute_pipeline_state(&pipeline).set_buffer(0, &x, 0).dispatch_threads(1, 1);
        encoder.end_encoding().unwrap();
    }
    assert_eq!(device.current_allocated_size(), 1 << 20, "the command buffer keeps it");
    buffer.commit().unwrap();
    buffer.wait_until_completed().unwrap();
    assert_eq!(device.current_allocated_size(), 0);
}

#[test]
fn a_heap_uses_its_room_again() {
    let device = device(increment);
    let heap = device.new_heap(4096).unwrap();
    let [a, b, c] = [1000, 256, 1000].map(|length| heap.new_buffer(length).unwrap());
    assert_eq!(heap.used_size(), 1024 + 256 + 1024);
    assert!(heap.new_buffer(2000).is_err());
    drop(b);
    let again = heap.new_buffer(200).unwrap();
    assert_eq!(again.contents() as usize, a.contents() as usize + 1024);
    drop((a, again, c));
    assert_eq!((heap.used_size(), heap.max_available_size()), (0, 4096));
}

#[test]
fn borrowed_memory_is_not_copied() {
    let device = device(increment);
    let pipeline = pipeline(&device, vec![buffer_arg("x", 0)]);
    let mut values = vec![10_u32, 20];
    let returned = Arc::new(AtomicBool::new(false));
    let flag = returned.clone();
    let pointer = std::ptr::NonNull::new(values.as_mut_ptr().cast::<u8>()).unwrap();
    #[expect(unsafe_code, reason = "wraps memory of this test")]
    // SAFETY: `values` outlives the buffer, and is not touched until the buffer is gone.
    let x = unsafe {
        device.new_buffer_with_bytes_no_copy(
            pointer,
            8,
            Some(Box::new(move |_, length| {
                assert_eq!(length, 8);
                flag.store(true, Ordering::Relaxed);
            })),
        )
    }
    .unwrap();
    let buffer = device.new_command_queue().command_buffer();
    let mut encoder = buffer.compute_command_encoder();
    encoder.set_compute_pipeline_state(&pipeline).set_buffer(0, &x, 0).dispatch_threads(1, 1);
    encoder.end_encoding().unwrap();
    drop(encoder);
    buffer.commit().unwrap();
    buffer.wait_until_completed().unwrap();
    drop(x);
    assert!(returned.load(Ordering::Relaxed));
    assert_eq!(values, [11, 21]);
}
