//! Divergence and convergence, calls, barriers, edge threadgroups.

mod harness;

use harness::{compile, launch, map_words, row, view};
use mw_air::schema::Builtin;
use mw_backend::{Argument, Grid, Launch, LaunchError, ThreadgroupOrder};
use mw_interp::{Coverage, FindingKind, Observer, Position};

const LANES: [Builtin; 1] = [Builtin::ThreadIndexInThreadgroup];

/// Runs `body`, which defines `%r`, for 32 threads with `%x` the lane and `%y` its triple.
fn lanes(body: &str) -> Vec<u32> {
    let xs: Vec<u32> = (0..32).collect();
    let ys: Vec<u32> = xs.iter().map(|x| x * 3).collect();
    map_words(
        "declare i64 @air.simd_ballot.i64(i1)\ndeclare i32 @air.simd_sum.s.i32(i32)",
        body,
        32,
        &xs,
        &ys,
    )
}

#[test]
fn nested_branches_meet_again() {
    let out = lanes(
        "br label %start
start:
  %odd = trunc i32 %x to i1
  br i1 %odd, label %a, label %d
a:
  %big = icmp ugt i32 %x, 15
  br i1 %big, label %b, label %c
b:
  %vb = add i32 %x, 1000
  br label %join
c:
  %vc = add i32 %x, 2000
  br label %join
join:
  %vj = phi i32 [ %vb, %b ], [ %vc, %c ]
  %bj = call i64 @air.simd_ballot.i64(i1 true)
  br label %end
d:
  %vd = mul i32 %x, 5
  br label %end
end:
  %v = phi i32 [ %vj, %join ], [ %vd, %d ]
  %bjoin = phi i64 [ %bj, %join ], [ 0, %d ]
  %ball = call i64 @air.simd_ballot.i64(i1 true)
  %all = trunc i64 %ball to i32
  %full = icmp eq i32 %all, -1
  %jt = trunc i64 %bjoin to i32
  %jok = icmp eq i32 %jt, -1431655766
  %jw = select i1 %odd, i1 %jok, i1 true
  %ok = and i1 %full, %jw
  %r = select i1 %ok, i32 %v, i32 -1",
    );
    for (x, r) in (0..32).zip(out) {
        let want = match (x % 2 == 1, x > 15) {
            (true, true) => x + 1000,
            (true, false) => x + 2000,
            _ => x * 5,
        };
        assert_eq!(r, want, "lane {x}");
    }
}

#[test]
fn loops_keep_what_each_lane_left_with() {
    // Lane L leaves by one exit after L rounds, or (multiples of 7) by another earlier; values of lanes
    // that left stay what they were while the others go on.
    let out = lanes(
        "br label %head
head:
  %n = phi i32 [ 0, %0 ], [ %n1, %latch ]
  %acc = phi i32 [ 1, %0 ], [ %acc1, %latch ]
  %done = icmp uge i32 %n, %x
  br i1 %done, label %normal, label %body
body:
  %t = mul i32 %acc, 3
  %rem = urem i32 %x, 7
  %seven = icmp eq i32 %rem, 0
  %third = icmp eq i32 %n, 3
  %early = and i1 %seven, %third
  br i1 %early, label %other, label %latch
latch:
  %acc1 = add i32 %t, %n
  %n1 = add i32 %n, 1
  br label %head
normal:
  %c1 = call i32 @air.simd_sum.s.i32(i32 1)
  br label %end
other:
  %c2 = call i32 @air.simd_sum.s.i32(i32 1)
  br label %end
end:
  %v = phi i32 [ %acc, %normal ], [ %t, %other ]
  %c = phi i32 [ %c1, %normal ], [ %c2, %other ]
  %shift = shl i32 %c, 24
  %low = and i32 %v, 16777215
  %r = or i32 %low, %shift",
    );
    for (x, r) in (0..32_u32).zip(out) {
        let mut acc = 1_u32;
        let mut early = false;
        for n in 0..x {
            let t = acc.wrapping_mul(3);
            if x % 7 == 0 && n == 3 {
                (acc, early) = (t, true);
                break;
            }
            acc = t.wrapping_add(n);
        }
        // All lanes of one exit meet there: 4 multiples of 7 above 3 leave early.
        let together = if early { 4 } else { 28 };
        assert_eq!(r, (acc & 0x00ff_ffff) | together << 24, "lane {x}");
    }
}

#[test]
fn swapped_phis_read_before_they_write() {
    let out = lanes(
        "br label %head
head:
  %a = phi i32 [ 1, %0 ], [ %b, %head ]
  %b = phi i32 [ 2, %0 ], [ %a, %head ]
  %n = phi i32 [ 0, %0 ], [ %n1, %head ]
  %n1 = add i32 %n, 1
  %more = icmp ult i32 %n1, %x
  br i1 %more, label %head, label %end
end:
  %t = mul i32 %a, 10
  %r = add i32 %t, %b",
    );
    for (x, r) in (0..32_u32).zip(out) {
        let rounds = x.max(1) - 1;
        assert_eq!(r, if rounds % 2 == 0 { 12 } else { 21 }, "lane {x}");
    }
}

#[test]
fn switches_send_each_lane_its_way() {
    let out = lanes(
        "%k = and i32 %x, 7
  switch i32 %k, label %other [ i32 0, label %zero
                                i32 3, label %three
                                i32 5, label %three
                                i32 7, label %seven ]
zero:
  br label %end
three:
  %c3 = call i32 @air.simd_sum.s.i32(i32 1)
  br label %end
seven:
  %s = add i32 %x, 500
  br label %three2
three2:
  br label %end
other:
  br label %end
end:
  %r = phi i32 [ 100, %zero ], [ %c3, %three ], [ %s, %three2 ], [ %y, %other ]",
    );
    for (x, r) in (0..32_u32).zip(out) {
        let want = match x & 7 {
            0 => 100,
            3 | 5 => 8,
            7 => x + 500,
            _ => x * 3,
        };
        assert_eq!(r, want, "lane {x}");
    }
}

#[test]
fn unstructured_joins_meet_at_the_first_common_block() {
    // A diamond with a cross edge: some lanes of the left arm jump into the right one.
    let out = lanes(
        "%odd = trunc i32 %x to i1
  br i1 %odd, label %left, label %right
left:
  %cross = icmp ugt i32 %x, 20
  br i1 %cross, label %right, label %leftend
right:
  %from = phi i32 [ 7, %left ], [ 9, %0 ]
  %together = call i32 @air.simd_sum.s.i32(i32 1)
  %vr = mul i32 %together, %from
  br label %end
leftend:
  br label %end
end:
  %r = phi i32 [ %vr, %right ], [ 1, %leftend ]",
    );
    // 16 even lanes and the odd ones above 20 (21, 23, …, 31) stand together in the right arm.
    for (x, r) in (0..32_u32).zip(out) {
        let want = match (x % 2 == 1, x > 20) {
            (true, false) => 1,
            (true, true) => 22 * 7,
            (false, _) => 22 * 9,
        };
        assert_eq!(r, want, "lane {x}");
    }
}

#[test]
fn lanes_that_return_early_are_gone() {
    let text = "
declare i32 @air.simd_sum.s.i32(i32)
define void @k(ptr addrspace(1) %out, i32 %i) {
  %p = getelementptr i32, ptr addrspace(1) %out, i32 %i
  store i32 77, ptr addrspace(1) %p
  %low = icmp ult i32 %i, 10
  br i1 %low, label %leave, label %stay
leave:
  ret void
stay:
  %n = call i32 @air.simd_sum.s.i32(i32 1)
  store i32 %n, ptr addrspace(1) %p
  ret void
}";
    let mut buffers = [vec![0; 40]];
    let kernel = compile(text, &LANES);
    launch(&kernel, row(40), &mut buffers, 0, None).expect("it runs");
    let want: Vec<u32> = (0..40)
        .map(|x| {
            if x < 10 {
                77
            } else if x < 32 {
                22
            } else {
                8
            }
        })
        .collect();
    assert_eq!(buffers[0], want);
}

#[test]
fn calls_nest_recurse_and_go_through_pointers() {
    let text = "
@table = internal addrspace(2) constant [2 x ptr] [ptr @double, ptr @square]
define internal i32 @double(i32 %x) {
  %r = add i32 %x, %x
  ret i32 %r
}
define internal i32 @square(i32 %x) {
  %r = mul i32 %x, %x
  ret i32 %r
}
define internal i32 @fib(i32 %n) {
  %small = icmp ult i32 %n, 2
  br i1 %small, label %base, label %step
base:
  ret i32 %n
step:
  %a = sub i32 %n, 1
  %b = sub i32 %n, 2
  %fa = call i32 @fib(i32 %a)
  %fb = call i32 @fib(i32 %b)
  %s = add i32 %fa, %fb
  ret i32 %s
}
define void @k(ptr addrspace(1) %out, i32 %i) {
  %n = and i32 %i, 15
  %f = call i32 @fib(i32 %n)
  %which = and i32 %i, 1
  %tp = getelementptr [2 x ptr], ptr addrspace(2) @table, i32 0, i32 %which
  %fp = load ptr, ptr addrspace(2) %tp
  %g = call i32 %fp(i32 %i)
  %t = mul i32 %g, 10000
  %r = add i32 %t, %f
  %p = getelementptr i32, ptr addrspace(1) %out, i32 %i
  store i32 %r, ptr addrspace(1) %p
  ret void
}";
    let mut buffers = [vec![0; 32]];
    launch(&compile(text, &LANES), row(32), &mut buffers, 0, None).expect("it runs");
    let fib = |n: u32| (0..n).fold((0, 1), |(a, b), _| (b, a + b)).0;
    for (x, r) in (0..32_u32).zip(&buffers[0]) {
        let g = if x % 2 == 1 { x * x } else { x + x };
        assert_eq!(*r, g * 10000 + fib(x & 15), "lane {x}");
    }
}

#[test]
fn endless_recursion_is_a_fault() {
    let text = "
define internal i32 @down(i32 %n) {
  %slot = alloca [16 x i32]
  %m = add i32 %n, 1
  %r = call i32 @down(i32 %m)
  ret i32 %r
}
define void @k(ptr addrspace(1) %out, i32 %i) {
  %r = call i32 @down(i32 %i)
  store i32 %r, ptr addrspace(1) %out
  ret void
}";
    let error = launch(&compile(text, &LANES), row(1), &mut [vec![0]], 0, None).expect_err("no end");
    assert!(error.to_string().contains("1024 deep"), "{error}");
}

#[test]
fn simdgroups_meet_at_barriers() {
    // Every simdgroup writes, then reads what the next one wrote, ten times over.
    let text = "
@shared = internal addrspace(3) global [100 x i32] undef
declare void @air.wg.barrier(i32, i32)
define void @k(ptr addrspace(1) %out, i32 %i, i32 %n) {
  %next = add i32 %i, 1
  %wrap = icmp eq i32 %next, %n
  %other = select i1 %wrap, i32 0, i32 %next
  %mine = getelementptr [100 x i32], ptr addrspace(3) @shared, i32 0, i32 %i
  %theirs = getelementptr [100 x i32], ptr addrspace(3) @shared, i32 0, i32 %other
  br label %loop
loop:
  %round = phi i32 [ 0, %0 ], [ %round1, %loop ]
  %v = phi i32 [ %i, %0 ], [ %w, %loop ]
  store i32 %v, ptr addrspace(3) %mine
  call void @air.wg.barrier(i32 2, i32 1)
  %got = load i32, ptr addrspace(3) %theirs
  call void @air.wg.barrier(i32 2, i32 1)
  %w = add i32 %got, 100
  %round1 = add i32 %round, 1
  %more = icmp ult i32 %round1, 10
  br i1 %more, label %loop, label %end
end:
  %p = getelementptr i32, ptr addrspace(1) %out, i32 %i
  store i32 %w, ptr addrspace(1) %p
  ret void
}";
    let kernel = compile(text, &[Builtin::ThreadIndexInThreadgroup, Builtin::ThreadsPerGrid]);
    let mut buffers = [vec![0; 100]];
    let report = launch(&kernel, row(100), &mut buffers, 0, None).expect("it runs");
    let want: Vec<u32> = (0..100).map(|x| (x + 10) % 100 + 1000).collect();
    assert_eq!(buffers[0], want);
    assert_eq!(report.findings, []);
}

#[test]
fn barriers_in_called_functions_and_ended_simdgroups() {
    // Simdgroup 0 returns at once; the others meet without it, inside a function.
    let text = "
@shared = internal addrspace(3) global [96 x i32] zeroinitializer
declare void @air.wg.barrier(i32, i32)
define internal i32 @exchange(i32 %i) {
  %mine = getelementptr i32, ptr addrspace(3) @shared, i32 %i
  store i32 %i, ptr addrspace(3) %mine
  call void @air.wg.barrier(i32 2, i32 1)
  %o = sub i32 127, %i
  %theirs = getelementptr i32, ptr addrspace(3) @shared, i32 %o
  %v = load i32, ptr addrspace(3) %theirs
  ret i32 %v
}
define void @k(ptr addrspace(1) %out, i32 %i) {
  %first = icmp ult i32 %i, 32
  br i1 %first, label %leave, label %stay
leave:
  ret void
stay:
  %v = call i32 @exchange(i32 %i)
  %p = getelementptr i32, ptr addrspace(1) %out, i32 %i
  store i32 %v, ptr addrspace(1) %p
  ret void
}";
    let mut buffers = [vec![0; 96]];
    launch(&compile(text, &LANES), row(96), &mut buffers, 0, None).expect("it runs");
    let want: Vec<u32> = (0..96).map(|x| if x < 32 { 0 } else { 127 - x }).collect();
    assert_eq!(buffers[0], want);
}

#[test]
fn threadgroup_memory_is_fresh_for_each_threadgroup() {
    let text = "
@zero = internal addrspace(3) global i32 zeroinitializer
@five = internal addrspace(3) global [2 x i32] [i32 5, i32 6]
define void @k(ptr addrspace(1) %out, ptr addrspace(3) %dynamic, i32 %g) {
  %a = load i32, ptr addrspace(3) @zero
  %fp = getelementptr i32, ptr addrspace(3) @five, i32 1
  %b = load i32, ptr addrspace(3) %fp
  %s = add i32 %a, %b
  store i32 99, ptr addrspace(3) @zero
  store i32 99, ptr addrspace(3) %fp
  store i32 %s, ptr addrspace(3) %dynamic
  %c = load i32, ptr addrspace(3) %dynamic
  %p = getelementptr i32, ptr addrspace(1) %out, i32 %g
  store i32 %c, ptr addrspace(1) %p
  ret void
}";
    let kernel = compile(text, &[Builtin::ThreadgroupPositionInGrid]);
    assert_eq!(mw_backend::Kernel::static_threadgroup_memory(&kernel), 12);
    let mut buffers = [vec![0; 3]];
    let grid = Grid::of_threadgroups([3, 1, 1], [1, 1, 1]);
    launch(&kernel, grid, &mut buffers, 4, None).expect("it runs");
    assert_eq!(buffers[0], [6, 6, 6]);
}

#[test]
fn threads_know_where_they_are() {
    let text = "
define void @k(ptr addrspace(1) %out, <3 x i32> %grid, <3 x i32> %group, i32 %index, <3 x i32> %size, i16 %lane, i16 %simd) {
  %x = extractelement <3 x i32> %grid, i32 0
  %y = extractelement <3 x i32> %grid, i32 1
  %row = mul i32 %y, 7
  %slot = add i32 %row, %x
  %at = mul i32 %slot, 4
  %p = getelementptr i32, ptr addrspace(1) %out, i32 %at
  %gx = extractelement <3 x i32> %group, i32 0
  %gy = extractelement <3 x i32> %group, i32 1
  %g = mul i32 %gy, 10
  %g2 = add i32 %g, %gx
  store i32 %g2, ptr addrspace(1) %p
  %p1 = getelementptr i32, ptr addrspace(1) %p, i32 1
  store i32 %index, ptr addrspace(1) %p1
  %sx = extractelement <3 x i32> %size, i32 0
  %sy = extractelement <3 x i32> %size, i32 1
  %s = mul i32 %sy, 10
  %s2 = add i32 %s, %sx
  %p2 = getelementptr i32, ptr addrspace(1) %p, i32 2
  store i32 %s2, ptr addrspace(1) %p2
  %l = zext i16 %lane to i32
  %sg = zext i16 %simd to i32
  %sg100 = mul i32 %sg, 100
  %ls = add i32 %l, %sg100
  %p3 = getelementptr i32, ptr addrspace(1) %p, i32 3
  store i32 %ls, ptr addrspace(1) %p3
  ret void
}";
    let kernel = compile(
        text,
        &[
            Builtin::ThreadPositionInGrid,
            Builtin::ThreadgroupPositionInGrid,
            Builtin::ThreadIndexInThreadgroup,
            Builtin::ThreadsPerThreadgroup,
            Builtin::ThreadIndexInSimdgroup,
            Builtin::SimdgroupIndexInThreadgroup,
        ],
    );
    // 7 × 20 threads in groups of 4 × 9: partial at both edges.
    let grid = Grid::of_threads([7, 20, 1], [4, 9, 1]);
    let mut buffers = [vec![u32::MAX; 7 * 20 * 4]];
    launch(&kernel, grid, &mut buffers, 0, None).expect("it runs");
    for y in 0..20_u32 {
        for x in 0..7_u32 {
            let (gx, gy) = (x / 4, y / 9);
            let (sx, sy) = (if gx == 1 { 3 } else { 4 }, if gy == 2 { 2 } else { 9 });
            let index = (y % 9) * sx + x % 4;
            let want = [gy * 10 + gx, index, sy * 10 + sx, index % 32 + index / 32 * 100];
            let at = ((y * 7 + x) * 4) as usize;
            assert_eq!(buffers[0][at..at + 4], want, "thread {x}, {y}");
        }
    }
}

#[test]
fn the_order_of_threadgroups_is_the_launch_s() {
    let text = "
declare i32 @air.atomic.global.add.u.i32(ptr addrspace(1), i32, i32, i32, i1)
define void @k(ptr addrspace(1) %out, ptr addrspace(1) %counter, i32 %g) {
  %turn = call i32 @air.atomic.global.add.u.i32(ptr addrspace(1) %counter, i32 1, i32 0, i32 2, i1 true)
  %p = getelementptr i32, ptr addrspace(1) %out, i32 %turn
  store i32 %g, ptr addrspace(1) %p
  ret void
}";
    let kernel = compile(text, &[Builtin::ThreadgroupPositionInGrid]);
    for order in [ThreadgroupOrder::Ascending, ThreadgroupOrder::Shuffled(3)] {
        let (mut out, mut counter) = (vec![0; 20], vec![0]);
        let args =
            [Argument::Buffer(view(&mut out)), Argument::Buffer(view(&mut counter)), Argument::Builtin];
        let grid = Grid::of_threadgroups([20, 1, 1], [1, 1, 1]);
        let launch = Launch { grid, args: &args, resident: &[], order, time_limit: None };
        kernel.run_observed(&launch, None).expect("it runs");
        let want: Vec<u32> = (0..20).map(|turn| order.nth(turn, 20) as u32).collect();
        assert_eq!(out, want);
    }
}

#[test]
fn endless_loops_are_stopped() {
    let text = "
define void @k(ptr addrspace(1) %flag) {
  br label %wait
wait:
  %v = load i32, ptr addrspace(1) %flag
  %set = icmp ne i32 %v, 0
  br i1 %set, label %end, label %wait
end:
  ret void
}";
    let kernel = harness::try_compile(text, &[], 1_000_000).expect("it compiles");
    let error = launch(&kernel, row(1), &mut [vec![0]], 0, None).expect_err("no end");
    let LaunchError::Watchdog { kernel, limit } = error else { panic!("{error}") };
    assert_eq!((kernel.as_str(), limit.as_str()), ("k", "1000000 steps"));
    let mut words = vec![0];
    let args = [Argument::Buffer(view(&mut words))];
    let launch = Launch {
        grid: row(1),
        args: &args,
        resident: &[],
        order: ThreadgroupOrder::Ascending,
        time_limit: Some(std::time::Duration::from_millis(1)),
    };
    let error = compile(text, &[]).run_observed(&launch, None).expect_err("no end");
    assert!(matches!(error, LaunchError::Watchdog { .. }), "{error}");
}

#[test]
fn divergent_barriers_are_found() {
    let text = "
declare void @air.wg.barrier(i32, i32)
define void @k(ptr addrspace(1) %out, i32 %i) {
  %low = icmp ult i32 %i, 4
  br i1 %low, label %a, label %end
a:
  call void @air.wg.barrier(i32 2, i32 1)
  br label %end
end:
  ret void
}";
    let report = launch(&compile(text, &LANES), row(32), &mut [vec![0]], 0, None).expect("it runs");
    let [finding] = report.findings.as_slice() else { panic!("{report:?}") };
    assert_eq!((finding.kind, finding.mask, finding.count), (FindingKind::DivergentBarrier, 0b1111, 1));
}

#[test]
fn coverage_counts_active_lanes() {
    let text = "
define internal i32 @helper(i32 %x) {
  %r = add i32 %x, 1
  ret i32 %r
}
define void @k(ptr addrspace(1) %out, i32 %i) {
  %low = icmp ult i32 %i, 4
  br i1 %low, label %a, label %b
a:
  %x = call i32 @helper(i32 %i)
  br label %end
b:
  %never = icmp ugt i32 %i, 1000
  br i1 %never, label %c, label %end
c:
  br label %end
end:
  ret void
}";
    let kernel = compile(text, &LANES);
    let mut coverage = Coverage::default();
    launch(&kernel, row(40), &mut [vec![0]], 0, Some(&mut coverage)).expect("it runs");
    let module = kernel.module();
    let (k, helper) = (module.function_named("k").unwrap(), module.function_named("helper").unwrap());
    let lanes: Vec<u64> = (0..5).map(|block| coverage.lanes(k, mw_air::BlockId(block))).collect();
    assert_eq!(lanes, [40, 4, 36, 0, 40]);
    assert_eq!(coverage.lanes(helper, mw_air::BlockId(0)), 4);
    let missed: Vec<_> = kernel.own_blocks().filter(|(f, b)| !coverage.executed(*f, *b)).collect();
    assert_eq!(missed, [(k, mw_air::BlockId(3))]);
    assert_eq!(kernel.own_blocks().count(), 6);
}

/// Writes every event down.
#[derive(Default)]
struct Log(Vec<String>);

impl Observer for Log {
    fn begin_threadgroup(&mut self, position: [u32; 3], size: [u32; 3]) {
        self.0.push(format!("threadgroup {position:?} of {size:?}"));
    }

    fn enter_block(&mut self, at: &Position, mask: u32) {
        self.0.push(format!("block {} {mask:#x}", at.block.0));
    }

    fn load(&mut self, at: &Position, access: &mw_interp::Access<'_>) {
        let inst = at.inst.is_some();
        self.0.push(format!("load {} {:#x} {inst}", access.size, access.mask));
    }

    fn store(&mut self, _: &Position, access: &mw_interp::Access<'_>) {
        self.0.push(format!("store {} {:?}", access.size, mw_interp::place_of(access.addresses[0])));
    }

    fn barrier(&mut self, _: &Position, mask: u32) {
        self.0.push(format!("barrier {mask:#x}"));
    }

    fn call(&mut self, _: &Position, callee: mw_air::FuncId, mask: u32) {
        self.0.push(format!("call {} {mask:#x}", callee.0));
    }

    fn ret(&mut self, _: &Position, mask: u32) {
        self.0.push(format!("ret {mask:#x}"));
    }
}

#[test]
fn observers_hear_of_everything() {
    let text = "
@shared = internal addrspace(3) global i32 undef
declare void @air.wg.barrier(i32, i32)
define internal void @helper(i32 %x) {
  store i32 %x, ptr addrspace(3) @shared
  ret void
}
define void @k(ptr addrspace(1) %out) {
  %v = load i16, ptr addrspace(1) %out
  %w = zext i16 %v to i32
  call void @helper(i32 %w)
  call void @air.wg.barrier(i32 2, i32 1)
  ret void
}";
    let kernel = compile(text, &[]);
    let mut log = Log::default();
    launch(&kernel, row(2), &mut [vec![0]], 0, Some(&mut log)).expect("it runs");
    let helper = kernel.module().function_named("helper").unwrap().0;
    assert_eq!(
        log.0,
        [
            "threadgroup [0, 0, 0] of [2, 1, 1]",
            "block 0 0x3",
            "load 2 0x3 true",
            &format!("call {helper} 0x3"),
            "block 0 0x3",
            "store 4 Threadgroup",
            "ret 0x3",
            "barrier 0x3",
            "ret 0x3"
        ]
    );
}
