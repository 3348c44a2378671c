//! How fast the interpreter is: `cargo run --release -p mw-interp --example speed`.
//!
//! A loop of eight arithmetic operations on f32 and i32, 64 simdgroups, printed as operations of lanes in a
//! second. One thread; other work on the machine shows.
#![expect(clippy::print_stdout, reason = "a program that prints")]

use std::sync::Arc;
use std::time::Instant;

use mw_air::schema::{Access, ArgRole, BufferArg, Builtin, KernelArg, KernelInfo, ModuleInfo};
use mw_air::{AddressSpace, FuncId};
use mw_backend::{Argument, BufferView, Grid, Launch, ThreadgroupOrder};
use mw_interp::InterpBackend;

const ROUNDS: u32 = 4000;

const TEXT: &str = "
declare float @llvm.fmuladd.f32(float, float, float)
define void @speed(ptr addrspace(1) %out, i32 %i) {
  %start = uitofp i32 %i to float
  br label %loop
loop:
  %n = phi i32 [ 0, %0 ], [ %n1, %loop ]
  %x = phi float [ %start, %0 ], [ %x3, %loop ]
  %h = phi i32 [ %i, %0 ], [ %h3, %loop ]
  %x1 = fmul float %x, 5.000000e-01
  %x2 = fadd float %x1, 1.000000e+00
  %x3 = call float @llvm.fmuladd.f32(float %x2, float 2.500000e-01, float %x1)
  %h1 = mul i32 %h, 1664525
  %h2 = add i32 %h1, 1013904223
  %h3 = xor i32 %h2, %n
  %n1 = add i32 %n, 1
  %more = icmp ult i32 %n1, ROUNDS
  br i1 %more, label %loop, label %end
end:
  %p = getelementptr float, ptr addrspace(1) %out, i32 %i
  store float %x3, ptr addrspace(1) %p
  ret void
}";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let module = mw_air::parse(&TEXT.replace("ROUNDS", &ROUNDS.to_string()))?;
    let arg = |role, name: &str| KernelArg {
        role,
        predicate: None,
        type_name: "".into(),
        name: name.into(),
        unused: false,
    };
    let buffer = BufferArg {
        location: 0,
        count: 1,
        access: Access::Write,
        space: AddressSpace::DEVICE,
        size: None,
        type_size: None,
        type_align: None,
        members: Vec::new(),
    };
    let kernel = KernelInfo {
        function: FuncId(1),
        name: "speed".into(),
        args: vec![
            arg(ArgRole::Buffer(buffer), "out"),
            arg(ArgRole::Builtin(Builtin::ThreadPositionInGrid), "i"),
        ],
        max_threads_per_threadgroup: None,
    };
    let info = ModuleInfo { denorms_disabled: true, kernels: vec![kernel], ..ModuleInfo::default() };
    let kernel = InterpBackend::default().prepare(&Arc::new(module), &Arc::new(info), 0)?;
    let mut out = vec![0_u32; 2048];
    // SAFETY: `out` outlives the launch and is not looked at before it ends.
    #[expect(unsafe_code, reason = "a view is made of an address")]
    let view = unsafe { BufferView::new(out.as_mut_ptr().cast(), out.len() * 4) };
    let launch = Launch {
        grid: Grid::of_threads([2048, 1, 1], [256, 1, 1]),
        args: &[Argument::Buffer(view), Argument::Builtin],
        resident: &[],
        order: ThreadgroupOrder::Ascending,
        time_limit: None,
    };
    let start = Instant::now();
    let report = kernel.run_observed(&launch, None)?;
    let seconds = start.elapsed().as_secs_f64();
    let lanes = report.steps as f64 * 32.0;
    println!(
        "{:.0} million operations of lanes in {seconds:.2} s: {:.0} million/s",
        lanes / 1e6,
        lanes / seconds / 1e6
    );
    Ok(())
}
