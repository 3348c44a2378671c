//! Memory: layouts, block copies, atomics, undefined bytes, faults.

mod harness;

use harness::{as_f32s, compile, f32s, launch, row, try_compile, view};
use mw_air::schema::Builtin;
use mw_backend::{Argument, CompileError, Launch, LaunchError, ThreadgroupOrder};
use mw_interp::FindingKind;

const LANES: [Builtin; 1] = [Builtin::ThreadIndexInThreadgroup];

#[test]
fn private_arrays_belong_to_their_thread() {
    let text = "
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare void @llvm.memcpy.p0.p1.i64(ptr, ptr addrspace(1), i64, i1)
define void @k(ptr addrspace(1) %out, ptr addrspace(1) %in, i32 %i) {
  %a = alloca [8 x i32], align 4
  %b = alloca [8 x i32], align 4
  call void @llvm.memset.p0.i64(ptr %a, i8 1, i64 32, i1 false)
  %ip = getelementptr i32, ptr addrspace(1) %in, i32 %i
  call void @llvm.memcpy.p0.p1.i64(ptr %b, ptr addrspace(1) %ip, i64 10, i1 false)
  %k = and i32 %i, 7
  %p = getelementptr [8 x i32], ptr %a, i32 0, i32 %k
  store i32 %i, ptr %p
  br label %loop
loop:
  %n = phi i32 [ 0, %0 ], [ %n1, %loop ]
  %s = phi i32 [ 0, %0 ], [ %s1, %loop ]
  %q = getelementptr [8 x i32], ptr %a, i32 0, i32 %n
  %v = load i32, ptr %q
  %s1 = add i32 %s, %v
  %n1 = add i32 %n, 1
  %more = icmp ult i32 %n1, 8
  br i1 %more, label %loop, label %end
end:
  %bp = getelementptr i8, ptr %b, i32 5
  %b16 = load i16, ptr %bp
  %bw = zext i16 %b16 to i32
  %r = add i32 %s1, %bw
  %rp = getelementptr i32, ptr addrspace(1) %out, i32 %i
  store i32 %r, ptr addrspace(1) %rp
  ret void
}";
    let input: Vec<u32> =
        (0..43).map(|x: u32| 0x0403_0201_u32.wrapping_add(x.wrapping_mul(0x0900_0101))).collect();
    let mut buffers = [vec![0; 40], input.clone()];
    launch(&compile(text, &LANES), row(40), &mut buffers, 0, None).expect("it runs");
    for thread in 0..40 {
        let bytes: Vec<u8> = input[thread..].iter().flat_map(|word| word.to_le_bytes()).collect();
        let tail = u32::from(u16::from_le_bytes([bytes[5], bytes[6]]));
        assert_eq!(buffers[0][thread], 7 * 0x0101_0101 + thread as u32 + tail, "thread {thread}");
    }
}

#[test]
fn overlapping_moves_go_through_a_buffer() {
    let text = "
declare void @llvm.memmove.p1.p1.i64(ptr addrspace(1), ptr addrspace(1), i64, i1)
define void @k(ptr addrspace(1) %up, ptr addrspace(1) %down) {
  %u = getelementptr i8, ptr addrspace(1) %up, i32 3
  call void @llvm.memmove.p1.p1.i64(ptr addrspace(1) %u, ptr addrspace(1) %up, i64 29, i1 false)
  %d = getelementptr i8, ptr addrspace(1) %down, i32 3
  call void @llvm.memmove.p1.p1.i64(ptr addrspace(1) %down, ptr addrspace(1) %d, i64 29, i1 false)
  ret void
}";
    let words: Vec<u32> =
        (0..8_u32).map(|x| u32::from_le_bytes([0, 1, 2, 3].map(|b| (x * 4 + b) as u8))).collect();
    let mut buffers = [words.clone(), words];
    launch(&compile(text, &[]), row(1), &mut buffers, 0, None).expect("it runs");
    let bytes = |words: &[u32]| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>();
    let up: Vec<u8> = [0, 1, 2].into_iter().chain(0..29).collect();
    let down: Vec<u8> = (3..32).chain([29, 30, 31]).collect();
    assert_eq!((bytes(&buffers[0]), bytes(&buffers[1])), (up, down));
}

#[test]
fn vectors_of_three_touch_no_fourth_element() {
    let text = "
define void @k(ptr addrspace(1) %out) {
  %v = load <3 x float>, ptr addrspace(1) %out, align 16
  %w = fadd <3 x float> %v, %v
  store <3 x float> %w, ptr addrspace(1) %out, align 16
  ret void
}";
    let mut buffers = [f32s(&[1.0, 2.0, 3.0])];
    launch(&compile(text, &[]), row(1), &mut buffers, 0, None).expect("twelve bytes are enough");
    assert_eq!(as_f32s(&buffers[0]), [2.0, 4.0, 6.0]);
}

#[test]
fn the_highest_lane_wins_and_inactive_lanes_write_nothing() {
    let text = "
define void @k(ptr addrspace(1) %out, i32 %i) {
  %odd = trunc i32 %i to i1
  br i1 %odd, label %a, label %end
a:
  %h = lshr i32 %i, 3
  %p = getelementptr i32, ptr addrspace(1) %out, i32 %h
  store i32 %i, ptr addrspace(1) %p
  br label %end
end:
  ret void
}";
    let mut buffers = [vec![0; 4]];
    launch(&compile(text, &LANES), row(31), &mut buffers, 0, None).expect("it runs");
    assert_eq!(buffers[0], [7, 15, 23, 29]);
}

#[test]
fn pointers_in_buffers_reach_resident_memory() {
    let text = "
%args = type { i32, ptr addrspace(1), ptr addrspace(1) }
define void @k(ptr addrspace(1) %arguments, i32 %i) {
  %ap = getelementptr %args, ptr addrspace(1) %arguments, i32 0, i32 1
  %bp = getelementptr %args, ptr addrspace(1) %arguments, i32 0, i32 2
  %a = load ptr addrspace(1), ptr addrspace(1) %ap
  %b = load ptr addrspace(1), ptr addrspace(1) %bp
  %x = getelementptr i32, ptr addrspace(1) %a, i32 %i
  %y = getelementptr i32, ptr addrspace(1) %b, i32 %i
  %v = load i32, ptr addrspace(1) %x
  %w = add i32 %v, 1
  store i32 %w, ptr addrspace(1) %y
  ret void
}";
    let kernel = compile(text, &LANES);
    let (mut input, mut output) = (vec![5, 6, 7], vec![0; 3]);
    let (from, to) = (view(&mut input), view(&mut output));
    let mut arguments = vec![0; 6];
    for (at, address) in [(2, from.address()), (4, to.address())] {
        arguments[at] = address as u32;
        arguments[at + 1] = (address >> 32) as u32;
    }
    let args = [Argument::Buffer(view(&mut arguments)), Argument::Builtin];
    let run = |resident: &[mw_backend::BufferView]| {
        let launch = Launch {
            grid: row(3),
            args: &args,
            resident,
            order: ThreadgroupOrder::Ascending,
            time_limit: None,
        };
        kernel.run_observed(&launch, None)
    };
    run(&[from, to]).expect("it runs");
    let error = run(&[from]).expect_err("the output is not resident");
    assert!(matches!(error, LaunchError::Fault { .. }), "{error}");
    assert_eq!(output, [6, 7, 8]);
}

#[test]
fn atomics_happen_in_lane_order() {
    let text = "
declare i32 @air.atomic.global.add.u.i32(ptr addrspace(1), i32, i32, i32, i1)
declare i32 @air.atomic.global.max.s.i32(ptr addrspace(1), i32, i32, i32, i1)
declare i32 @air.atomic.global.min.u.i32(ptr addrspace(1), i32, i32, i32, i1)
declare float @air.atomic.global.add.f32(ptr addrspace(1), float, i32, i32, i1)
declare void @air.atomic.global.max.u.i64(ptr addrspace(1), i64, i32, i32, i1)
declare i32 @air.atomic.global.xchg.i32(ptr addrspace(1), i32, i32, i32, i1)
declare i32 @air.atomic.global.cmpxchg.weak.i32(ptr addrspace(1), ptr, i32, i32, i32, i32, i1)
declare i32 @air.atomic.global.load.i32(ptr addrspace(1), i32, i32, i1)
declare void @air.atomic.global.store.i32(ptr addrspace(1), i32, i32, i32, i1)
define void @k(ptr addrspace(1) %out, ptr addrspace(1) %s, i32 %i) {
  %old = call i32 @air.atomic.global.add.u.i32(ptr addrspace(1) %s, i32 %i, i32 0, i32 2, i1 true)
  %s1 = getelementptr i32, ptr addrspace(1) %s, i32 1
  %neg = sub i32 3, %i
  %o1 = call i32 @air.atomic.global.max.s.i32(ptr addrspace(1) %s1, i32 %neg, i32 0, i32 2, i1 true)
  %s2 = getelementptr i32, ptr addrspace(1) %s, i32 2
  %o2 = call i32 @air.atomic.global.min.u.i32(ptr addrspace(1) %s2, i32 %neg, i32 0, i32 2, i1 true)
  %s3 = getelementptr i32, ptr addrspace(1) %s, i32 3
  %f = uitofp i32 %i to float
  %o3 = call float @air.atomic.global.add.f32(ptr addrspace(1) %s3, float %f, i32 0, i32 2, i1 true)
  %s4 = getelementptr i32, ptr addrspace(1) %s, i32 4
  %w = zext i32 %i to i64
  %wide = mul i64 %w, 4294967297
  call void @air.atomic.global.max.u.i64(ptr addrspace(1) %s4, i64 %wide, i32 0, i32 2, i1 true)
  %s6 = getelementptr i32, ptr addrspace(1) %s, i32 6
  %o6 = call i32 @air.atomic.global.xchg.i32(ptr addrspace(1) %s6, i32 %i, i32 0, i32 2, i1 true)
  %s7 = getelementptr i32, ptr addrspace(1) %s, i32 7
  %box = alloca i32
  store i32 %i, ptr %box
  %next = add i32 %i, 1
  %o7 = call i32 @air.atomic.global.cmpxchg.weak.i32(ptr addrspace(1) %s7, ptr %box, i32 %next, i32 0, i32 0, i32 2, i1 true)
  %seen = load i32, ptr %box
  %s8 = getelementptr i32, ptr addrspace(1) %s, i32 8
  %v8 = call i32 @air.atomic.global.load.i32(ptr addrspace(1) %s8, i32 0, i32 2, i1 true)
  %v8i = add i32 %v8, %i
  call void @air.atomic.global.store.i32(ptr addrspace(1) %s8, i32 %v8i, i32 0, i32 2, i1 true)
  %a = mul i32 %old, 10000
  %b = mul i32 %o6, 100
  %c = add i32 %a, %b
  %d = add i32 %c, %seen
  %p = getelementptr i32, ptr addrspace(1) %out, i32 %i
  store i32 %d, ptr addrspace(1) %p
  ret void
}";
    let mut shared = vec![0, 0x8000_0000, u32::MAX, 0, 1, 1, 50, 0, 1000];
    shared[7] = 0;
    let mut buffers = [vec![0; 10], shared];
    launch(&compile(text, &LANES), row(10), &mut buffers, 0, None).expect("it runs");
    let shared = &buffers[1];
    assert_eq!(shared[..3], [45, 3, 0]);
    assert_eq!(f32::from_bits(shared[3]), 45.0);
    assert_eq!(shared[4..9], [9, 9, 9, 10, 1009]);
    for lane in 0..10_u32 {
        let before: u32 = (0..lane).sum();
        let swapped = if lane == 0 { 50 } else { lane - 1 };
        // Every lane finds the number that it expects, because lane order counts up.
        assert_eq!(buffers[0][lane as usize], before * 10000 + swapped * 100 + lane);
    }
}

#[test]
fn compare_exchange_writes_back_what_it_saw() {
    let text = "
declare i32 @air.atomic.local.cmpxchg.weak.i32(ptr addrspace(3), ptr, i32, i32, i32, i32, i1)
@s = internal addrspace(3) global i32 zeroinitializer
define void @k(ptr addrspace(1) %out, i32 %i) {
  %box = alloca i32
  store i32 0, ptr %box
  %v = add i32 %i, 100
  %o = call i32 @air.atomic.local.cmpxchg.weak.i32(ptr addrspace(3) @s, ptr %box, i32 %v, i32 0, i32 0, i32 1, i1 true)
  %seen = load i32, ptr %box
  %r = cmpxchg ptr addrspace(3) @s, i32 100, i32 200 monotonic monotonic
  %old = extractvalue { i32, i1 } %r, 0
  %ok = extractvalue { i32, i1 } %r, 1
  %okw = zext i1 %ok to i32
  %n = atomicrmw sub ptr addrspace(3) @s, i32 1 monotonic
  %a = mul i32 %seen, 1000000
  %b = mul i32 %old, 1000
  %c = add i32 %a, %b
  %d = mul i32 %okw, 500
  %e = add i32 %c, %d
  %f = add i32 %e, %n
  %p = getelementptr i32, ptr addrspace(1) %out, i32 %i
  store i32 %f, ptr addrspace(1) %p
  ret void
}";
    let mut buffers = [vec![0; 3]];
    launch(&compile(text, &LANES), row(3), &mut buffers, 0, None).expect("it runs");
    assert_eq!(buffers[0], [100_000 + 500 + 200, 100_000_000 + 200_000 + 199, 100_000_000 + 200_000 + 198]);
}

#[test]
fn undefined_values_are_zero_and_tracked_to_their_use() {
    let text = "
@shared = internal addrspace(3) global [64 x i32] undef
define void @k(ptr addrspace(1) %out, i32 %i) {
  %p = getelementptr i32, ptr addrspace(3) @shared, i32 %i
  %odd = trunc i32 %i to i1
  br i1 %odd, label %write, label %read
write:
  store i32 %i, ptr addrspace(3) %p
  br label %read
read:
  %v = load i32, ptr addrspace(3) %p
  %w = add i32 %v, 5
  %masked = and i32 %w, 0
  %harmless = icmp eq i32 %masked, 1
  br i1 %harmless, label %c, label %b
b:
  %frozen = freeze i32 %w
  %fine = icmp ugt i32 %frozen, 6
  br i1 %fine, label %d, label %e
d:
  br label %e
e:
  %big = icmp ugt i32 %w, 6
  br i1 %big, label %c, label %end
c:
  br label %end
end:
  %r = phi i32 [ 1, %c ], [ %w, %e ]
  %q = getelementptr i32, ptr addrspace(1) %out, i32 %i
  store i32 %r, ptr addrspace(1) %q
  ret void
}";
    let mut buffers = [vec![0; 4]];
    let report = launch(&compile(text, &LANES), row(4), &mut buffers, 0, None).expect("it runs");
    assert_eq!(buffers[0], [5, 6, 5, 1]);
    let [branch, store] = report.findings.as_slice() else { panic!("{report:?}") };
    assert_eq!((branch.kind, branch.mask, branch.count), (FindingKind::BranchOnUndef, 0b0101, 1));
    assert_eq!(branch.first.inst, None);
    assert_eq!((store.kind, store.mask), (FindingKind::StoreOfUndef, 0b0101));
}

#[test]
fn undefined_addresses_are_found() {
    let text = "
define void @k(ptr addrspace(1) %out, i32 %i) {
  %slot = alloca i32
  %n = load i32, ptr %slot
  %p = getelementptr i32, ptr addrspace(1) %out, i32 %n
  store i32 1, ptr addrspace(1) %p
  ret void
}";
    let report = launch(&compile(text, &LANES), row(2), &mut [vec![0]], 0, None).expect("it runs");
    let [finding] = report.findings.as_slice() else { panic!("{report:?}") };
    assert_eq!((finding.kind, finding.mask), (FindingKind::AddressOnUndef, 0b11));
}

#[test]
fn undefined_padding_travels_with_copies_and_ends_with_stores() {
    let text = "
%s = type { i8, i32 }
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
define void @k(ptr addrspace(1) %out) {
  %a = alloca %s
  %b = alloca %s
  store i8 7, ptr %a
  %f = getelementptr %s, ptr %a, i32 0, i32 1
  store i32 9, ptr %f
  call void @llvm.memcpy.p0.p0.i64(ptr %b, ptr %a, i64 8, i1 false)
  %x = load i8, ptr %b
  %g = getelementptr %s, ptr %b, i32 0, i32 1
  %y = load i32, ptr %g
  %xw = zext i8 %x to i32
  %xs = icmp eq i32 %xw, 7
  br i1 %xs, label %one, label %end
one:
  %ys = icmp eq i32 %y, 9
  br i1 %ys, label %two, label %end
two:
  %word = load i32, ptr %b
  %ws = icmp eq i32 %word, 7
  br i1 %ws, label %three, label %end
three:
  store i32 1, ptr addrspace(1) %out
  br label %end
end:
  ret void
}";
    let mut buffers = [vec![0]];
    let report = launch(&compile(text, &[]), row(1), &mut buffers, 0, None).expect("it runs");
    assert_eq!(buffers[0], [1]);
    // Only the load of the padding is a finding.
    let [finding] = report.findings.as_slice() else { panic!("{report:?}") };
    assert_eq!(finding.kind, FindingKind::BranchOnUndef);
}

/// The message of the fault that a kernel body ends in.
fn fault(body: &str, buffers: &mut [Vec<u32>]) -> String {
    let text = format!(
        "@shared = internal addrspace(3) global [4 x i32] undef\n\
         @table = internal addrspace(2) constant [2 x i32] [i32 1, i32 2]\n\
         define void @k(ptr addrspace(1) %out, ptr addrspace(1) %in, i32 %i) {{\n{body}\n}}"
    );
    match launch(&compile(&text, &LANES), row(40), buffers, 0, None) {
        Err(LaunchError::Fault { kernel, message }) => {
            assert_eq!(kernel, "k");
            message
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn accesses_outside_are_faults_that_name_everything() {
    let message = fault(
        "%p = getelementptr i32, ptr addrspace(1) %in, i32 %i\n%v = load i32, ptr addrspace(1) %p\nret void",
        &mut [vec![0; 40], vec![0; 37]],
    );
    for part in [
        "thread (37, 0, 0)",
        "reads 4 bytes",
        "argument 1 (`arg1`)",
        "148 bytes",
        "lane 5 of simdgroup 1",
        "`k`",
    ] {
        assert!(message.contains(part), "{message}");
    }
    let message = fault(
        "%p = getelementptr i8, ptr addrspace(1) %out, i32 -3\nstore i16 0, ptr addrspace(1) %p\nret void",
        &mut [vec![0; 40], vec![]],
    );
    assert!(message.contains("writes 2 bytes") && message.contains("3 bytes before argument 0"), "{message}");
    let message = fault(
        "%p = getelementptr i32, ptr addrspace(3) @shared, i32 %i\nstore i32 0, ptr addrspace(3) %p\nret void",
        &mut [vec![0], vec![0]],
    );
    assert!(
        message.contains("thread (4, 0, 0)")
            && message.contains("offset 16 of threadgroup memory, which has 16 bytes"),
        "{message}"
    );
    let message = fault("store i32 0, ptr addrspace(2) @table\nret void", &mut [vec![0], vec![0]]);
    assert!(message.contains("writes 4 bytes of constant data"), "{message}");
    let message = fault(
        "%a = alloca i32\n%p = getelementptr i32, ptr %a, i32 10000\nstore i32 0, ptr %p\nret void",
        &mut [vec![0], vec![0]],
    );
    assert!(message.contains("private memory"), "{message}");
    let message = fault("%v = load i32, ptr addrspace(1) null\nret void", &mut [vec![0], vec![0]]);
    assert!(message.contains("at 0x0"), "{message}");
    let message = fault("unreachable", &mut [vec![0], vec![0]]);
    assert!(message.contains("unreachable"), "{message}");
}

#[test]
fn what_is_not_supported_is_named() {
    let text = "
declare i32 @__tensorops_impl_matmul2d_op_run(i32)
define void @k(ptr addrspace(1) %out) {
  %v = call i32 @__tensorops_impl_matmul2d_op_run(i32 0)
  store i32 %v, ptr addrspace(1) %out
  ret void
}";
    let error = try_compile(text, &[], 1000).expect_err("no tensors");
    assert!(matches!(error, CompileError::Unsupported { .. }), "{error}");
    assert!(error.to_string().contains("__tensorops_impl_matmul2d_op_run"), "{error}");

    let text = "
declare ptr @air.get_function_pointer_visible_function_table(ptr addrspace(1), i32)
define void @k(ptr addrspace(1) %out, i32 %i) {
  %never = icmp ugt i32 %i, 100
  br i1 %never, label %a, label %end
a:
  %f = call ptr @air.get_function_pointer_visible_function_table(ptr addrspace(1) %out, i32 0)
  call void %f(i32 1)
  br label %end
end:
  ret void
}";
    let kernel = compile(text, &LANES);
    launch(&kernel, row(10), &mut [vec![0]], 0, None).expect("not reached");
    let error = launch(&kernel, row(200), &mut [vec![0]], 0, None).expect_err("reached");
    assert!(matches!(error, LaunchError::Unsupported { .. }), "{error}");
    assert!(error.to_string().contains("visible_function_table"), "{error}");
}

#[test]
fn coherent_accesses_are_accesses() {
    let text = "
declare <2 x i32> @air.load.device_coherent.v2i32.p1v2i32(ptr addrspace(1))
declare void @air.store.system_coherent.volatile.i32.p1i32(i32, ptr addrspace(1))
declare void @air.atomic.fence(i32, i32, i32)
define void @k(ptr addrspace(1) %out) {
  %v = call <2 x i32> @air.load.device_coherent.v2i32.p1v2i32(ptr addrspace(1) %out)
  call void @air.atomic.fence(i32 1, i32 5, i32 3)
  %a = extractelement <2 x i32> %v, i32 1
  call void @air.store.system_coherent.volatile.i32.p1i32(i32 %a, ptr addrspace(1) %out)
  ret void
}";
    let mut buffers = [vec![1, 2]];
    launch(&compile(text, &[]), row(1), &mut buffers, 0, None).expect("it runs");
    assert_eq!(buffers[0], [2, 2]);
}

#[test]
fn straying_just_outside_private_memory_is_found_and_harmless() {
    let text = "
define internal i32 @inner(i32 %n) {
  %a = alloca [4 x i32]
  store i32 7, ptr %a
  %p = getelementptr i32, ptr %a, i32 %n
  store i32 9, ptr %p
  %v = load i32, ptr %a
  ret i32 %v
}
define void @k(ptr addrspace(1) %out) {
  %a = alloca i32
  %p = getelementptr i32, ptr %a, i32 -5
  store i32 1, ptr %p
  store i32 2, ptr %a
  %q = getelementptr i32, ptr %a, i32 5
  store i32 3, ptr %q
  %v = load i32, ptr %a
  %w = call i32 @inner(i32 100)
  %s = add i32 %v, %w
  store i32 %s, ptr addrspace(1) %out
  ret void
}";
    let mut buffers = [vec![0]];
    let report = launch(&compile(text, &[]), row(1), &mut buffers, 0, None).expect("it runs");
    assert_eq!(buffers[0], [9]);
    let kinds: Vec<FindingKind> = report.findings.iter().map(|finding| finding.kind).collect();
    assert_eq!(kinds, [FindingKind::OutsidePrivate; 3]);
}

#[test]
fn reading_through_an_absent_argument_is_undefined_and_writing_a_fault() {
    let text = "
define void @k(ptr addrspace(1) %out, ptr addrspace(1) %absent, i32 %i) {
  %p = getelementptr i32, ptr addrspace(1) %absent, i32 4
  %v = load i32, ptr addrspace(1) %p
  %low = icmp ult i32 %i, 3
  br i1 %low, label %a, label %b
a:
  store i32 5, ptr addrspace(1) %out
  ret void
b:
  store i32 %v, ptr addrspace(1) %p
  ret void
}";
    let kernel = compile(text, &LANES);
    let mut buffers = [vec![0]];
    let report = launch(&kernel, row(3), &mut buffers, 0, None).expect("what is read is not used");
    assert_eq!((buffers[0][0], report.findings), (5, vec![]));
    let error = launch(&kernel, row(4), &mut buffers, 0, None).expect_err("nothing to write to");
    assert!(error.to_string().contains("argument 1 (`arg1`), to which nothing is bound"), "{error}");
}
