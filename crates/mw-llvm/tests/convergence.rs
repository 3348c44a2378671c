//! The scalar clean-up leaves collectives where they are: as many of them, under the same conditions, in the
//! same loops. Each test is a trap for one transform that is right for one thread and wrong for lanes that
//! run together.

use mw_air::analysis::{Cfg, DominatorTree, LoopForest, PostDominatorTree};
use mw_air::{BlockId, Callee, Function, Inst, Module};
use mw_llvm::{ScalarOptions, optimize_scalar};

/// Where a call of a collective stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Place {
    /// Every thread comes by, once.
    Always,
    /// Some threads may not come by.
    Sometimes,
    /// In a loop, on every round.
    EachRound,
    /// In a loop, under a condition.
    SomeRounds,
}
use Place::{Always, EachRound, SomeRounds, Sometimes};

const DECLARATIONS: &str = "
declare void @air.wg.barrier(i32, i32) convergent mustprogress nounwind willreturn
declare void @air.simdgroup.barrier(i32, i32) convergent mustprogress nounwind willreturn
declare float @air.simd_sum.f32(float) convergent mustprogress nounwind willreturn
declare i32 @air.simd_shuffle.u.i32(i32, i16) convergent mustprogress nounwind willreturn
declare i1 @air.simd_any(i1) convergent mustprogress nounwind willreturn
";

fn optimized(body: &str) -> Module {
    let text = format!(
        "{DECLARATIONS}
         define void @kernel(ptr addrspace(1) %out, i32 %n, i32 %id, float %x) convergent nounwind mustprogress {{
         {body}
         }}
         !air.kernel = !{{!0}}
         !0 = !{{ptr @kernel, !1, !1}}
         !1 = !{{}}
         !2 = distinct !{{!2, !3}}
         !3 = !{{!\"llvm.loop.mustprogress\"}}
         !4 = distinct !{{!4, !3, !5}}
         !5 = !{{!\"llvm.loop.unroll.full\"}}"
    );
    let module = mw_air::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let options = ScalarOptions { verify: true, ..ScalarOptions::default() };
    let result = optimize_scalar(&module, options).unwrap_or_else(|error| panic!("{error}\n{text}"));
    mw_air::verify(&result).expect("the result is valid AIR");
    result
}

fn kernel(module: &Module) -> &Function {
    module.function(module.function_named("kernel").expect("the kernel is still there"))
}

/// The collectives of a kernel in the order of its blocks.
fn places(function: &Function, module: &Module) -> Vec<(String, Place)> {
    let cfg = Cfg::new(function);
    let loops = LoopForest::new(&cfg, &DominatorTree::new(&cfg)).expect("control flow is reducible");
    let post = PostDominatorTree::new(&cfg);
    let mut found = Vec::new();
    for block in cfg.order.iter().copied() {
        for inst in &function.block(block).insts {
            let Inst::Call(call) = &function.inst(*inst).inst else { continue };
            let Callee::Function(callee) = call.callee else { continue };
            let name = module.function(callee).name.trim_start_matches("air.").to_owned();
            if name.starts_with("llvm.") {
                continue;
            }
            let inner = loops.innermost[block.index()];
            let place = match inner {
                None if post.post_dominates(block, Function::ENTRY) => Always,
                None => Sometimes,
                Some(id) if post_dominates_round(&post, loops.get(id).header, block) => EachRound,
                Some(_) => SomeRounds,
            };
            found.push((name, place));
        }
    }
    found
}

fn post_dominates_round(post: &PostDominatorTree, header: BlockId, block: BlockId) -> bool {
    post.post_dominates(block, header)
}

#[track_caller]
fn expect(body: &str, expected: &[(&str, Place)]) {
    let module = optimized(body);
    let found = places(kernel(&module), &module);
    let expected: Vec<_> = expected.iter().map(|(name, place)| ((*name).to_owned(), *place)).collect();
    assert_eq!(
        found,
        expected,
        "{}",
        mw_air::print(&module, &mw_air::PrintOptions { metadata: false, ..Default::default() })
    );
}

#[test]
fn equal_calls_in_two_arms_stay_two() {
    expect(
        "  %c = icmp ult i32 %id, %n
           br i1 %c, label %a, label %b
         a:
           %s1 = call float @air.simd_sum.f32(float %x)
           store float %s1, ptr addrspace(1) %out
           br label %join
         b:
           %s2 = call float @air.simd_sum.f32(float %x)
           %d = fmul float %s2, 2.0
           store float %d, ptr addrspace(1) %out
           br label %join
         join:
           ret void",
        &[("simd_sum.f32", Sometimes), ("simd_sum.f32", Sometimes)],
    );
}

#[test]
fn barriers_at_the_end_of_both_arms_are_not_sunk() {
    expect(
        "  %c = icmp ult i32 %id, %n
           br i1 %c, label %a, label %b
         a:
           store float 1.0, ptr addrspace(1) %out
           call void @air.simdgroup.barrier(i32 2, i32 1)
           br label %join
         b:
           store float %x, ptr addrspace(1) %out
           call void @air.simdgroup.barrier(i32 2, i32 1)
           br label %join
         join:
           ret void",
        &[("simdgroup.barrier", Sometimes), ("simdgroup.barrier", Sometimes)],
    );
}

#[test]
fn a_call_is_not_sunk_to_its_only_use() {
    expect(
        "  %s = call float @air.simd_sum.f32(float %x)
           %c = icmp ult i32 %id, %n
           br i1 %c, label %a, label %join
         a:
           store float %s, ptr addrspace(1) %out
           br label %join
         join:
           ret void",
        &[("simd_sum.f32", Always)],
    );
}

#[test]
fn a_call_in_a_short_arm_is_not_speculated() {
    expect(
        "  %c = icmp ult i32 %id, %n
           br i1 %c, label %a, label %join
         a:
           %s = call float @air.simd_sum.f32(float %x)
           br label %join
         join:
           %r = phi float [ %x, %0 ], [ %s, %a ]
           store float %r, ptr addrspace(1) %out
           ret void",
        &[("simd_sum.f32", Sometimes)],
    );
}

#[test]
fn an_invariant_call_stays_in_its_loop() {
    expect(
        "  br label %loop
         loop:
           %i = phi i32 [ 0, %0 ], [ %next, %loop ]
           %s = call float @air.simd_sum.f32(float %x)
           %p = getelementptr float, ptr addrspace(1) %out, i32 %i
           store float %s, ptr addrspace(1) %p
           %next = add i32 %i, 1
           %more = icmp ult i32 %next, %id
           br i1 %more, label %loop, label %done, !llvm.loop !2
         done:
           ret void",
        &[("simd_sum.f32", EachRound)],
    );
}

#[test]
fn dead_and_repeated_calls_stay() {
    expect(
        "  %dead = call float @air.simd_sum.f32(float %x)
           %s1 = call i32 @air.simd_shuffle.u.i32(i32 %id, i16 3)
           %s2 = call i32 @air.simd_shuffle.u.i32(i32 %id, i16 3)
           %t = add i32 %s1, %s2
           store i32 %t, ptr addrspace(1) %out
           ret void",
        &[("simd_sum.f32", Always), ("simd_shuffle.u.i32", Always), ("simd_shuffle.u.i32", Always)],
    );
}

#[test]
fn a_branch_is_not_threaded_past_a_call() {
    // The second test repeats the first; threading would give each arm a call of its own.
    expect(
        "  %c = icmp ult i32 %id, %n
           br i1 %c, label %a, label %b
         a:
           store float 1.0, ptr addrspace(1) %out
           br label %join
         b:
           store float 2.0, ptr addrspace(1) %out
           br label %join
         join:
           %again = phi i1 [ true, %a ], [ false, %b ]
           %s = call float @air.simd_sum.f32(float %x)
           br i1 %again, label %d, label %e
         d:
           store float %s, ptr addrspace(1) %out
           br label %end
         e:
           %m = fneg float %s
           store float %m, ptr addrspace(1) %out
           br label %end
         end:
           ret void",
        &[("simd_sum.f32", Always)],
    );
}

#[test]
fn a_loop_is_not_unswitched_around_a_call() {
    expect(
        "  %c = icmp ult i32 %id, %n
           br label %loop
         loop:
           %i = phi i32 [ 0, %0 ], [ %next, %latch ]
           br i1 %c, label %a, label %latch
         a:
           %p = getelementptr float, ptr addrspace(1) %out, i32 %i
           store float %x, ptr addrspace(1) %p
           br label %latch
         latch:
           call void @air.simdgroup.barrier(i32 2, i32 1)
           %next = add i32 %i, 1
           %more = icmp ult i32 %next, %n
           br i1 %more, label %loop, label %done, !llvm.loop !2
         done:
           ret void",
        &[("simdgroup.barrier", EachRound)],
    );
}

#[test]
fn rotation_does_not_copy_a_call_in_the_header() {
    expect(
        "  br label %head
         head:
           %i = phi i32 [ 0, %0 ], [ %next, %body ]
           %c = icmp ult i32 %i, %id
           %any = call i1 @air.simd_any(i1 %c)
           br i1 %any, label %body, label %done
         body:
           %p = getelementptr float, ptr addrspace(1) %out, i32 %i
           store float %x, ptr addrspace(1) %p
           %next = add i32 %i, 1
           br label %head, !llvm.loop !2
         done:
           ret void",
        &[("simd_any", EachRound)],
    );
}

#[test]
fn a_constant_loop_unrolls_to_as_many_calls_as_rounds() {
    expect(
        "  br label %loop
         loop:
           %i = phi i32 [ 0, %0 ], [ %next, %loop ]
           %lane = trunc i32 %i to i16
           %s = call i32 @air.simd_shuffle.u.i32(i32 %id, i16 %lane)
           %p = getelementptr i32, ptr addrspace(1) %out, i32 %i
           store i32 %s, ptr addrspace(1) %p
           %next = add i32 %i, 1
           %more = icmp ult i32 %next, 3
           br i1 %more, label %loop, label %done, !llvm.loop !4
         done:
           ret void",
        &[("simd_shuffle.u.i32", Always), ("simd_shuffle.u.i32", Always), ("simd_shuffle.u.i32", Always)],
    );
}

#[test]
fn a_call_under_a_condition_in_a_loop_stays_there() {
    expect(
        "  br label %loop
         loop:
           %i = phi i32 [ 0, %0 ], [ %next, %latch ]
           %odd = and i32 %i, %id
           %c = icmp eq i32 %odd, 0
           br i1 %c, label %a, label %latch
         a:
           %s = call float @air.simd_sum.f32(float %x)
           %p = getelementptr float, ptr addrspace(1) %out, i32 %i
           store float %s, ptr addrspace(1) %p
           br label %latch
         latch:
           %next = add i32 %i, 1
           %more = icmp ult i32 %next, %n
           br i1 %more, label %loop, label %done, !llvm.loop !2
         done:
           ret void",
        &[("simd_sum.f32", SomeRounds)],
    );
}

#[test]
fn a_spin_loop_is_not_deleted() {
    let module = optimized(
        "  br label %loop
         loop:
           %v = load volatile i32, ptr addrspace(1) %out
           %c = icmp eq i32 %v, 0
           br i1 %c, label %loop, label %empty, !llvm.loop !2
         empty:
           br label %forever
         forever:
           %i = phi i32 [ 0, %empty ], [ %next, %forever ]
           %next = add i32 %i, %n
           %more = icmp ne i32 %next, %id
           br i1 %more, label %forever, label %done, !llvm.loop !2
         done:
           ret void",
    );
    let cfg = Cfg::new(kernel(&module));
    let loops = LoopForest::new(&cfg, &DominatorTree::new(&cfg)).expect("control flow is reducible");
    let headers = kernel(&module).block_ids().filter_map(|block| loops.innermost[block.index()]).count();
    assert_eq!(headers, 2, "a loop that may never end was deleted");
}

#[test]
fn the_result_has_one_return_and_no_switch() {
    let module = optimized(
        "  switch i32 %id, label %other [ i32 0, label %a
                                          i32 1, label %b
                                          i32 7, label %c ]
         a:
           store float 1.0, ptr addrspace(1) %out
           ret void
         b:
           store float 2.0, ptr addrspace(1) %out
           call void @air.wg.barrier(i32 2, i32 1)
           ret void
         c:
           store float 3.0, ptr addrspace(1) %out
           call void @air.simdgroup.barrier(i32 2, i32 1)
           ret void
         other:
           ret void",
    );
    let function = kernel(&module);
    let returns =
        function.blocks.iter().filter(|block| matches!(block.terminator, mw_air::Terminator::Ret(_))).count();
    let switches = function
        .blocks
        .iter()
        .filter(|block| matches!(block.terminator, mw_air::Terminator::Switch { .. }))
        .count();
    assert_eq!((returns, switches), (1, 0));
}

#[test]
fn helpers_go_inline_and_recursive_ones_stay() {
    let text = format!(
        "{DECLARATIONS}
         define void @kernel(ptr addrspace(1) %out, i32 %n) convergent nounwind {{
           %a = call i32 @twice(i32 %n)
           %b = call i32 @down(i32 %a)
           store i32 %b, ptr addrspace(1) %out
           ret void
         }}
         define linkonce_odr i32 @twice(i32 %n) noinline convergent {{
           %s = call i32 @air.simd_shuffle.u.i32(i32 %n, i16 1)
           %t = mul i32 %s, 2
           ret i32 %t
         }}
         define internal i32 @down(i32 %n) mustprogress {{
           %c = icmp eq i32 %n, 0
           br i1 %c, label %end, label %more
         more:
           %m = sub i32 %n, 1
           %d = call i32 @down(i32 %m)
           %e = call i32 @air.simd_shuffle.u.i32(i32 %d, i16 0)
           ret i32 %e
         end:
           ret i32 7
         }}
         !air.kernel = !{{!0}}
         !0 = !{{ptr @kernel, !1, !1}}
         !1 = !{{}}"
    );
    let module = mw_air::parse(&text).expect("the text is right");
    let result = optimize_scalar(&module, ScalarOptions::default()).expect("it can be optimised");
    let defined: Vec<&str> = result
        .functions
        .iter()
        .filter(|function| !function.is_declaration())
        .map(|function| &*function.name)
        .collect();
    assert_eq!(defined, ["kernel", "down"]);
}

#[test]
fn division_and_shifts_are_defined() {
    // With these constants LLVM would otherwise make poison of all of them.
    let module = optimized(
        "  %zero = and i32 %n, 0
           %q = udiv i32 %id, %zero
           %r = urem i32 %id, %zero
           %thirty = and i32 %n, 0
           %count = add i32 %thirty, 33
           %s = shl i32 %id, %count
           %f = fptosi float 0x4415AF1D80000000 to i32
           store i32 %q, ptr addrspace(1) %out
           %p1 = getelementptr i32, ptr addrspace(1) %out, i32 1
           store i32 %r, ptr addrspace(1) %p1
           %p2 = getelementptr i32, ptr addrspace(1) %out, i32 2
           store i32 %s, ptr addrspace(1) %p2
           %p3 = getelementptr i32, ptr addrspace(1) %out, i32 3
           store i32 %f, ptr addrspace(1) %p3
           ret void",
    );
    let text = mw_air::print_function(&module, kernel(&module));
    assert!(!text.contains("poison") && !text.contains("undef"), "{text}");
    assert!(text.contains("store i32 0,"), "quotient by zero is not 0: {text}");
    assert!(text.contains("store i32 2147483647,"), "conversion does not saturate: {text}");
    assert!(text.contains("shl i32 %2, 1"), "shift is not modulo the width: {text}");
}

/// A `bool` in memory may hold any byte, whatever the compiler promises.
#[test]
fn ranges_of_loads_are_not_relied_on() {
    let text = "
        define void @kernel(ptr addrspace(1) %p, ptr addrspace(1) %out) nounwind {
          %byte = load i8, ptr addrspace(1) %p, align 1, !range !2
          %set = icmp ugt i8 %byte, 1
          %number = zext i1 %set to i8
          store i8 %number, ptr addrspace(1) %out, align 1
          ret void
        }
        !air.kernel = !{!0}
        !0 = !{ptr @kernel, !1, !1}
        !1 = !{}
        !2 = !{i8 0, i8 2}";
    let module = optimize_scalar(&mw_air::parse(text).unwrap(), ScalarOptions::default()).unwrap();
    let compares = |inst: &mw_air::InstId| matches!(kernel(&module).inst(*inst).inst, Inst::ICmp { .. });
    assert!(
        kernel(&module).blocks.iter().flat_map(|block| &block.insts).any(compares),
        "the comparison is gone"
    );
}

/// Apple's compiler names the places of loops in the source; the reader of bitcode leaves nulls for them.
#[test]
fn loops_without_a_place_are_no_trouble() {
    let text = "
        define void @kernel(ptr addrspace(1) %out, i32 %n) convergent nounwind {
          br label %again
        again:
          %i = phi i32 [ 0, %0 ], [ %next, %again ]
          %at = getelementptr i32, ptr addrspace(1) %out, i32 %i
          store i32 %i, ptr addrspace(1) %at
          %next = add i32 %i, 1
          %more = icmp ult i32 %next, %n
          br i1 %more, label %again, label %end, !llvm.loop !2
        end:
          ret void
        }
        !air.kernel = !{!0}
        !0 = !{ptr @kernel, !1, !1}
        !1 = !{}
        !2 = distinct !{!2, null, null, !3}
        !3 = !{!\"llvm.loop.mustprogress\"}";
    let module = mw_air::parse(text).unwrap();
    assert!(optimize_scalar(&module, ScalarOptions::default()).is_ok());
}
