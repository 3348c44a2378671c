//! Loader, scheduler, fibres, watchdog and faults, on 32-lane kernels written by hand.
#![expect(unsafe_code, reason = "makes views of buffers")]

use std::num::NonZero;
use std::sync::Arc;
use std::time::Duration;

use mw_backend::{Argument, BufferView, Grid, Launch, LaunchError, ThreadgroupOrder};
use mw_llvm::{CodegenOptions, TargetSpec};
use mw_passes::abi::{self, KERNEL_SYMBOL};

use crate::backend::run_watched;
use crate::code::LoadedCode;
use crate::launch::{CompiledKernel, KernelFacts, PreparedLaunch, Settings};
use crate::pool::Pool;
use crate::symbols;

/// Reads a `u32` of the context into `%name`.
fn context_u32(name: &str, offset: u64) -> String {
    format!(
        "%{name}.p = getelementptr i8, ptr %context, i64 {offset}\n\
         %{name} = load i32, ptr %{name}.p\n"
    )
}

/// Loads the address in argument slot `index` into `%name`.
fn argument(name: &str, index: u64) -> String {
    format!(
        "%{name}.p = getelementptr i8, ptr %arguments, i64 {}\n%{name} = load ptr, ptr %{name}.p\n",
        index * 8
    )
}

fn object(body: &str, rest: &str) -> Vec<u8> {
    let text = format!(
        "declare void @mw_barrier(ptr)\n{rest}\n\
         define void @{KERNEL_SYMBOL}(ptr %context, ptr %arguments) nounwind {{\n{body}\n}}\n"
    );
    let options = CodegenOptions::new(TargetSpec::host());
    mw_llvm::text::compile(&text, &options).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn compile(body: &str, rest: &str, facts: KernelFacts) -> Arc<CompiledKernel> {
    let code = LoadedCode::load(&object(body, rest), KERNEL_SYMBOL, &symbols::address).expect("object loads");
    Arc::new(CompiledKernel { code, facts })
}

struct Bench {
    pool: Pool,
    order: ThreadgroupOrder,
    limit: Duration,
    flush_denormals: bool,
}

impl Bench {
    fn new(threads: usize) -> Self {
        Self {
            pool: Pool::new(NonZero::new(threads).expect("at least one thread")),
            order: ThreadgroupOrder::Ascending,
            limit: Duration::from_secs(60),
            flush_denormals: true,
        }
    }

    fn run(&self, kernel: &Arc<CompiledKernel>, grid: Grid, args: &[Argument]) -> Result<(), LaunchError> {
        let launch = Launch { grid, args, resident: &[], order: self.order, time_limit: None };
        let settings =
            Settings { flush_denormals: self.flush_denormals, clear_memory: false, stack_bytes: 256 << 10 };
        let prepared = PreparedLaunch::new(&launch, &settings, |_| Ok::<_, LaunchError>(Arc::clone(kernel)))?;
        run_watched(&self.pool, prepared, self.limit, "test")
    }
}

fn buffer<T>(values: &mut [T]) -> Argument {
    // SAFETY: the tests keep the values until the launch has ended, and do not touch them meanwhile.
    Argument::Buffer(unsafe { BufferView::new(values.as_mut_ptr().cast(), size_of_val(values)) })
}

/// Counts itself at `out[threadgroup * simdgroups + simdgroup]` by adding its lanes.
fn count_lanes() -> Arc<CompiledKernel> {
    let body = [
        context_u32("group", abi::offset::THREADGROUP_POSITION),
        context_u32("simdgroups", abi::offset::DISPATCH_SIMDGROUPS_PER_THREADGROUP),
        context_u32("simdgroup", abi::offset::SIMDGROUP_INDEX),
        context_u32("lanes", abi::offset::LANE_COUNT),
        argument("out", 0),
        "%row = mul i32 %group, %simdgroups
         %index = add i32 %row, %simdgroup
         %wide = zext i32 %index to i64
         %place = getelementptr i32, ptr %out, i64 %wide
         %old = load i32, ptr %place
         %new = add i32 %old, %lanes
         store i32 %new, ptr %place
         ret void"
            .into(),
    ]
    .concat();
    compile(&body, "", KernelFacts::default())
}

#[test]
fn every_simdgroup_runs_once_with_its_lanes() {
    let kernel = count_lanes();
    for (threads, order) in [
        (1, ThreadgroupOrder::Ascending),
        (4, ThreadgroupOrder::Ascending),
        (4, ThreadgroupOrder::Shuffled(3)),
    ] {
        let bench = Bench { order, ..Bench::new(threads) };
        // 1000 full threadgroups of 3 simdgroups, and one of 40 threads.
        let mut out = vec![0_u32; 1001 * 3];
        let grid = Grid::of_threads([96_040, 1, 1], [96, 1, 1]);
        bench.run(&kernel, grid, &[buffer(&mut out)]).expect("the kernel ends");
        assert!(out[..3000].iter().all(|lanes| *lanes == 32), "a full simdgroup did not run once");
        assert_eq!(out[3000..], [32, 8, 0]);
    }
}

#[test]
fn launches_from_many_threads_do_not_mix() {
    let kernel = count_lanes();
    let bench = Bench::new(3);
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for round in 1..40_u32 {
                    let mut out = vec![0_u32; (round * 37) as usize];
                    let grid = Grid::of_threads([round * 37 * 32, 1, 1], [32, 1, 1]);
                    bench.run(&kernel, grid, &[buffer(&mut out)]).expect("the kernel ends");
                    assert!(out.iter().all(|lanes| *lanes == 32));
                }
            });
        }
    });
}

/// Each simdgroup passes its number around the threadgroup's memory, through barriers, `rounds` times.
fn pass_around(rounds: u32) -> Arc<CompiledKernel> {
    let body = [
        context_u32("simdgroup", abi::offset::SIMDGROUP_INDEX),
        context_u32("simdgroups", abi::offset::SIMDGROUPS_PER_THREADGROUP),
        context_u32("group", abi::offset::THREADGROUP_POSITION),
        argument("out", 0),
        argument("shared", 1),
        format!(
            "%mine64 = zext i32 %simdgroup to i64
             %mine = getelementptr i32, ptr %shared, i64 %mine64
             %after = add i32 %simdgroup, 1
             %wrapped = urem i32 %after, %simdgroups
             %next64 = zext i32 %wrapped to i64
             %next = getelementptr i32, ptr %shared, i64 %next64
             br label %loop
           loop:
             %round = phi i32 [ 0, %0 ], [ %round.next, %loop ]
             %value = phi i32 [ %simdgroup, %0 ], [ %got, %loop ]
             store i32 %value, ptr %mine
             call void @mw_barrier(ptr %context)
             %got = load i32, ptr %next
             call void @mw_barrier(ptr %context)
             %round.next = add i32 %round, 1
             %more = icmp ult i32 %round.next, {rounds}
             br i1 %more, label %loop, label %done
           done:
             %row = mul i32 %group, %simdgroups
             %index = add i32 %row, %simdgroup
             %index64 = zext i32 %index to i64
             %place = getelementptr i32, ptr %out, i64 %index64
             store i32 %got, ptr %place
             ret void"
        ),
    ]
    .concat();
    compile(&body, "", KernelFacts { has_barrier: true, ..KernelFacts::default() })
}

#[test]
fn simdgroups_meet_at_barriers() {
    let kernel = pass_around(5);
    let bench = Bench::new(2);
    for simdgroups in [1, 2, 3, 8, 32_u32] {
        let mut out = vec![u32::MAX; 200 * simdgroups as usize];
        let grid = Grid::of_threadgroups([200, 1, 1], [simdgroups * 32, 1, 1]);
        let args = [buffer(&mut out), Argument::Threadgroup { length: 128 }];
        bench.run(&kernel, grid, &args).expect("the kernel ends");
        for (index, value) in (0..).zip(&out) {
            assert_eq!(*value, (index % simdgroups + 5) % simdgroups, "{simdgroups} simdgroups, {index}");
        }
    }
}

#[test]
fn simdgroups_that_have_ended_do_not_hold_up_a_barrier() {
    // Simdgroup n passes n barriers, and counts at each how many have not ended.
    let body = [
        context_u32("simdgroup", abi::offset::SIMDGROUP_INDEX),
        argument("out", 0),
        "br label %head
       head:
         %n = phi i32 [ 0, %0 ], [ %n.next, %body ]
         %more = icmp ult i32 %n, %simdgroup
         br i1 %more, label %body, label %done
       body:
         %n64 = zext i32 %n to i64
         %place = getelementptr i32, ptr %out, i64 %n64
         %old = load i32, ptr %place
         %new = add i32 %old, 1
         store i32 %new, ptr %place
         call void @mw_barrier(ptr %context)
         %seen = load i32, ptr %place
         %seen.at = getelementptr i32, ptr %place, i64 32
         store i32 %seen, ptr %seen.at
         %n.next = add i32 %n, 1
         br label %head
       done:
         ret void"
            .into(),
    ]
    .concat();
    let kernel = compile(&body, "", KernelFacts { has_barrier: true, ..KernelFacts::default() });
    let mut out = [0_u32; 64];
    let grid = Grid::of_threadgroups([1, 1, 1], [8 * 32, 1, 1]);
    Bench::new(1).run(&kernel, grid, &[buffer(&mut out)]).expect("the kernel ends");
    assert_eq!(out[..8], [7, 6, 5, 4, 3, 2, 1, 0]);
    assert_eq!(out[32..39], [7, 6, 5, 4, 3, 2, 1], "a barrier let someone through too early");
}

#[test]
fn a_kernel_that_does_not_end_is_stopped_by_name() {
    let body = format!(
        "%stop.p = getelementptr i8, ptr %context, i64 {}
         %stop = load ptr, ptr %stop.p
         br label %loop
       loop:
         call void @mw_barrier(ptr %context)
         %flag = load atomic i32, ptr %stop monotonic, align 4
         %asked = icmp ne i32 %flag, 0
         br i1 %asked, label %done, label %loop
       done:
         ret void",
        abi::offset::STOP
    );
    let kernel = compile(&body, "", KernelFacts { has_barrier: true, ..KernelFacts::default() });
    let bench = Bench { limit: Duration::from_millis(50), ..Bench::new(2) };
    let grid = Grid::of_threadgroups([100, 1, 1], [64, 1, 1]);
    let error = bench.run(&kernel, grid, &[]).expect_err("the kernel never ends");
    assert_eq!(error, LaunchError::Watchdog { kernel: "test".into(), limit: "50ms".into() });
}

#[test]
fn a_fault_is_an_error_and_the_thread_lives_on() {
    let faulty = [
        context_u32("simdgroup", abi::offset::SIMDGROUP_INDEX),
        "call void @mw_barrier(ptr %context)
         %last = icmp eq i32 %simdgroup, 2
         br i1 %last, label %bad, label %good
       bad:
         store volatile i32 1, ptr inttoptr (i64 4096 to ptr)
         br label %good
       good:
         call void @mw_barrier(ptr %context)
         ret void"
            .into(),
    ]
    .concat();
    for has_barrier in [true, false] {
        let kernel = compile(&faulty, "", KernelFacts { has_barrier, ..KernelFacts::default() });
        let bench = Bench::new(2);
        let grid = Grid::of_threadgroups([50, 1, 1], [128, 1, 1]);
        let LaunchError::Fault { kernel, message } = bench.run(&kernel, grid, &[]).expect_err("it faults")
        else {
            panic!("another error");
        };
        assert_eq!(kernel, "test");
        assert!(message.starts_with("simdgroup 2 of threadgroup ("), "{message}");
        assert!(message.ends_with("accessed address 0x1000, which is in no buffer"), "{message}");
        let mut out = vec![0_u32; 200];
        let args = [buffer(&mut out), Argument::Threadgroup { length: 128 }];
        bench.run(&pass_around(3), grid, &args).expect("the next kernel runs");
        assert_eq!(out[..4], [3, 0, 1, 2]);
    }
}

#[test]
fn endless_recursion_is_an_error() {
    let recurse = "define i32 @deeper(i32 %n) noinline nounwind {
         %array = alloca [64 x i32]
         %place = getelementptr i32, ptr %array, i32 %n
         store volatile i32 %n, ptr %place
         %m = add i32 %n, 1
         %k = and i32 %m, 63
         %below = call i32 @deeper(i32 %k)
         %value = load volatile i32, ptr %place
         %sum = add i32 %below, %value
         ret i32 %sum
       }";
    let body =
        [argument("out", 0), "%value = call i32 @deeper(i32 0)\nstore i32 %value, ptr %out\nret void".into()]
            .concat();
    let kernel = compile(&body, recurse, KernelFacts::default());
    let mut out = [0_u32];
    let grid = Grid::of_threadgroups([1, 1, 1], [32, 1, 1]);
    let error = Bench::new(1).run(&kernel, grid, &[buffer(&mut out)]).expect_err("the stack ends");
    assert!(error.to_string().contains("ran out of stack"), "{error}");
}

#[test]
fn denormals_flush_while_a_kernel_runs_and_only_then() {
    let body = [
        argument("out", 0),
        "%x = load float, ptr %out
         %product = fmul float %x, 5.000000e-01
         store float %product, ptr %out
         ret void"
            .into(),
    ]
    .concat();
    let kernel = compile(&body, "", KernelFacts::default());
    let grid = Grid::of_threadgroups([1, 1, 1], [32, 1, 1]);
    for (flush_denormals, expected) in [(true, 0.0), (false, f32::MIN_POSITIVE / 2.0)] {
        let bench = Bench { flush_denormals, ..Bench::new(1) };
        let mut out = [f32::MIN_POSITIVE];
        bench.run(&kernel, grid, &[buffer(&mut out)]).expect("the kernel ends");
        assert_eq!(out[0].to_bits(), f32::to_bits(expected));
        let denormal = std::hint::black_box(f32::MIN_POSITIVE) / std::hint::black_box(4.0);
        assert!(denormal > 0.0, "the setting leaks out of the kernel");
    }
}

#[test]
fn threadgroup_variables_get_their_first_values_each_time() {
    let body = [
        context_u32("group", abi::offset::THREADGROUP_POSITION),
        argument("out", 0),
        format!(
            "%memory.p = getelementptr i8, ptr %context, i64 {}
             %memory = load ptr, ptr %memory.p
             %variable = getelementptr i8, ptr %memory, i64 8
             %value = load i32, ptr %variable
             store i32 99, ptr %variable
             %wide = zext i32 %group to i64
             %place = getelementptr i32, ptr %out, i64 %wide
             store i32 %value, ptr %place
             ret void",
            abi::offset::THREADGROUP_MEMORY
        ),
    ]
    .concat();
    let facts = KernelFacts {
        threadgroup_bytes: 16,
        image: vec![(8, 7_u32.to_le_bytes().to_vec())],
        ..KernelFacts::default()
    };
    let kernel = compile(&body, "", facts);
    let mut out = [0_u32; 5];
    let grid = Grid::of_threadgroups([5, 1, 1], [32, 1, 1]);
    Bench::new(1).run(&kernel, grid, &[buffer(&mut out)]).expect("the kernel ends");
    assert_eq!(out, [7; 5]);
}

#[test]
fn constants_and_library_functions_link() {
    let rest = "@table = internal constant [4 x i32] [i32 3, i32 1, i32 4, i32 1]
        @big = internal constant [64 x i32] zeroinitializer
        declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)";
    let body = [
        argument("out", 0),
        context_u32("simdgroup", abi::offset::SIMDGROUP_INDEX),
        "%wide = zext i32 %simdgroup to i64
         %entry = getelementptr [4 x i32], ptr @table, i64 0, i64 %wide
         %value = load i32, ptr %entry
         %place = getelementptr i32, ptr %out, i64 %wide
         %size = load i64, ptr %out
         %room = getelementptr i32, ptr %out, i64 8
         call void @llvm.memcpy.p0.p0.i64(ptr %room, ptr @table, i64 %size, i1 false)
         store i32 %value, ptr %place
         ret void"
            .into(),
    ]
    .concat();
    let kernel = compile(&body, rest, KernelFacts::default());
    let mut out = vec![0_u32; 64];
    out[0] = 16;
    let grid = Grid::of_threadgroups([1, 1, 1], [32, 1, 1]);
    Bench::new(1).run(&kernel, grid, &[buffer(&mut out)]).expect("the kernel ends");
    assert_eq!((out[0], &out[8..12]), (3, &[3, 1, 4, 1][..]));
}

#[test]
fn unknown_functions_are_named() {
    let object = object("call void @surprise()\nret void", "declare void @surprise()");
    let error = LoadedCode::load(&object, KERNEL_SYMBOL, &symbols::address).expect_err("no such function");
    assert_eq!(error.to_string(), "the code calls `surprise`, which no runtime function provides");
}

#[test]
fn damaged_objects_are_errors() {
    let object = object("ret void", "");
    for len in 0..object.len() {
        // Whatever comes out, it must not crash; most prefixes miss the section table at the end.
        let _ = LoadedCode::load(&object[..len], KERNEL_SYMBOL, &symbols::address);
    }
    for index in 0..object.len() {
        let mut flipped = object.clone();
        flipped[index] ^= 0x10;
        let _ = LoadedCode::load(&flipped, KERNEL_SYMBOL, &symbols::address);
    }
    LoadedCode::load(&object, "no_such_function", &symbols::address).expect_err("no such function");
}

#[test]
fn many_kernels_need_few_mappings() {
    let object = object("ret void", "");
    let mappings = || std::fs::read_to_string("/proc/self/maps").map_or(0, |maps| maps.lines().count());
    let before = mappings();
    let kernels: Vec<LoadedCode> = (0..20_000)
        .map(|_| LoadedCode::load(&object, KERNEL_SYMBOL, &symbols::address).expect("object loads"))
        .collect();
    let during = mappings();
    assert!(during < before + 64, "{before} mappings grew to {during}");
    drop(kernels);
}

#[test]
fn objects_for_other_machines_are_made() {
    let text = format!(
        "define void @{KERNEL_SYMBOL}(ptr %context, ptr %arguments) nounwind {{
           %out = load ptr, ptr %arguments
           %v = load <32 x float>, ptr %out, align 4
           %w = fmul <32 x float> %v, %v
           store <32 x float> %w, ptr %out, align 4
           ret void
         }}"
    );
    for name in ["x86-64-v2", "x86-64-v3", "x86-64-v4", "aarch64"] {
        let target = TargetSpec::named(name).expect("name is known");
        let assembly = mw_llvm::text::assembly(&text, &CodegenOptions::new(target)).expect("it compiles");
        let register = match name {
            "x86-64-v2" => "%xmm",
            "x86-64-v3" => "%ymm",
            "x86-64-v4" => "%zmm",
            _ => "v0.4s",
        };
        assert!(assembly.contains(register), "{name}: no {register} in\n{assembly}");
    }
}
