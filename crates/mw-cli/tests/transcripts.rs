//! What people type and what they get: each test is a transcript.
//!
//! `SNAPSHOTS=overwrite cargo test -p mw-cli` writes the outputs down anew.

#![expect(
    clippy::needless_raw_string_hashes,
    reason = "the tool that writes the outputs down quotes them so"
)]

use std::path::Path;

use snapbox::cmd::Command;
use snapbox::str;

/// `mw` in the folder of this crate, without settings of the machine.
fn mw(words: &str) -> Command {
    let mut command = Command::new(snapbox::cmd::cargo_bin!("mw")).current_dir(env!("CARGO_MANIFEST_DIR"));
    for variable in ["MW_CHIP", "MW_ENGINE", "MW_CPU", "MW_THREADS", "CLICOLOR_FORCE"] {
        command = command.env_remove(variable);
    }
    command.env("MW_CACHE_DIR", "off").args(words.split_whitespace())
}

const SCALE: &str = "../metalworking/examples/scale.ll";
const GATED: &str = "../mw-passes/tests/data/gated.ll";

#[test]
fn inspect_lists() {
    mw(&format!("inspect {GATED}"))
        .assert()
        .code(0)
        .stdout_eq(str![[r#"
gated  (3 function constants)

"#]])
        .stderr_eq(str![[r#"
note: 1 of 1 functions

"#]]);
    mw(&format!("inspect {GATED} --json"))
        .assert()
        .code(0)
        .stdout_eq(str![[r#"
{
  "file": "../mw-passes/tests/data/gated.ll",
  "libraries": [
    {
      "container_version": null,
      "function_count": 1,
      "functions": [
        {
          "air_version": "2.6",
          "function_constants": 3,
          "kind": "kernel",
          "language_version": "3.1",
          "name": "gated"
        }
      ]
    }
  ]
}

"#]])
        .stderr_eq(str![]);
    mw(&format!("inspect {GATED} --filter ^q")).assert().code(0).stdout_eq(str![]).stderr_eq(str![[r#"
note: 0 of 1 functions

"#]]);
}

#[test]
fn inspect_tells_everything_about_a_kernel() {
    mw(&format!("inspect {GATED} gated")).assert().code(0).stdout_eq(str![[r#"
kernel gated
  AIR 2.6, Metal 3.1, precise math, f32 denormals flushed
  as many threads per threadgroup as the device allows
  0 bytes of threadgroup memory
  6 blocks, 34 instructions
┌──────────┬───────────────┬─────────────────────────┬─────────────┬────────┬───────────────────────┐
│ argument ┆ type          ┆ binding                 ┆ access      ┆ bytes  ┆ exists                │
╞══════════╪═══════════════╪═════════════════════════╪═════════════╪════════╪═══════════════════════╡
│ x        ┆ device float* ┆ buffer(0)               ┆ read, write ┆ 4 each ┆ yes                   │
│ bias     ┆ device float* ┆ buffer(1)               ┆ read        ┆ 4 each ┆ by function constants │
│ table    ┆ device float* ┆ buffer(2)               ┆ read        ┆ 4 each ┆ by function constants │
│ i        ┆ uint          ┆ thread_position_in_grid ┆             ┆        ┆ yes                   │
└──────────┴───────────────┴─────────────────────────┴─────────────┴────────┴───────────────────────┘
┌───────────────────┬──────────┬──────┬──────────┐
│ function constant ┆ name     ┆ type ┆ required │
╞═══════════════════╪══════════╪══════╪══════════╡
│ 10                ┆ has_bias ┆ bool ┆ yes      │
│ 20                ┆ width    ┆ int  ┆ yes      │
│ 30                ┆ extra    ┆ bool ┆ no       │
└───────────────────┴──────────┴──────┴──────────┘

"#]]);
    mw(&format!("inspect {SCALE} scale --json")).assert().code(0).stdout_eq(str![[r#"
{
  "air_version": "2.6",
  "arguments": [
    {
      "access": "read, write",
      "address_space": "device",
      "count": 1,
      "element_align_bytes": 4,
      "element_size_bytes": 4,
      "exists": "yes",
      "index": 0,
      "kind": "buffer",
      "members": [],
      "name": "x",
      "size_bytes": null,
      "type": "float"
    },
    {
      "access": "read",
      "address_space": "constant",
      "count": 1,
      "element_align_bytes": 4,
      "element_size_bytes": 4,
      "exists": "yes",
      "index": 1,
      "kind": "buffer",
      "members": [],
      "name": "factor",
      "size_bytes": 4,
      "type": "float"
    },
    {
      "builtin": "thread_position_in_grid",
      "exists": "yes",
      "kind": "builtin",
      "name": "i",
      "type": "uint"
    }
  ],
  "blocks": 1,
  "f32_denormals_flushed": true,
  "fast_math": false,
  "function_constants": [],
  "instructions": 7,
  "language_version": "3.1",
  "max_total_threads_per_threadgroup": null,
  "name": "scale",
  "threadgroup_memory_bytes": 0
}

"#]]);
}

#[test]
fn slips_are_answered() {
    mw(&format!("inspect {GATED} gatde")).assert().code(2).stderr_eq(str![[r#"
error: the library has no function `gatde`: did you mean `gated`?

"#]]);
    mw("inspect nowhere.metallib").assert().code(2).stderr_eq(str![[r#"
error: cannot open `nowhere.metallib`: No such file or directory (os error 2)

"#]]);
    mw("inspect Cargo.toml").assert().code(2).stderr_eq(str![[r#"
error: cannot open the library `Cargo.toml`: not a Metal library: the file starts with 5b 70 61 63 6b 61 67 65, expected `MTLB` (metallib), a Mach-O file that embeds one, or LLVM bitcode (`.air`)

"#]]);
    mw(&format!("inspect {GATED} gatde --json")).assert().code(2).stdout_eq(str![[r#"
{
  "error": {
    "kind": "usage",
    "message": "the library has no function `gatde`: did you mean `gated`?"
  }
}

"#]]);
}

#[test]
fn run_prints_what_the_kernel_writes() {
    for engine in ["interp", "cpu"] {
        mw(&format!(
            "run {SCALE} scale --engine {engine} -g 5 -t 32 -a x=arange:f32[5] -a factor=f32:0.5 --expect x=arange:0,0.5:f32[5]"
        ))
        .assert()
        .code(0)
        .stdout_eq(str![[r#"
x = f32[5]
[0, 0.5, 1, 1.5, 2]
x: as expected (5 elements, largest error 0.000e0 absolute, 0.000e0 relative, 0 ulp)

"#]]);
    }
}

#[test]
fn run_as_json() {
    mw(&format!("run {SCALE} scale --engine interp -g 3 -t 3 -a x=f32:[1,nan,3] -a 1=f32:2 --json"))
        .assert()
        .code(0)
        .stdout_eq(str![[r#"
[
  {
    "checks": [],
    "compile_seconds": [..],
    "device": "Apple M2",
    "engine": "interp",
    "kernel": "scale",
    "ok": true,
    "outputs": [
      {
        "dtype": "f32",
        "name": "x",
        "saved": null,
        "shape": [
          3
        ],
        "values": [
          2.0,
          "NaN",
          6.0
        ]
      }
    ],
    "seconds": [
      [..]
    ]
  }
]

"#]])
        .stderr_eq(str![]);
}

#[test]
fn a_mismatch_is_exit_code_1() {
    mw(&format!(
        "run {SCALE} scale --engine interp -g 4 -t 4 -a x=ones:f32[2,2] -a factor=f32:1 --expect x=f32:[1,1,1,2] --tolerance ulp=3 -q"
    ))
    .assert()
    .code(1)
    .stdout_eq(str![[r#"
x: 1 of 4 elements are not as expected (largest error 1.000e0 absolute, 5.000e-1 relative, 8388608 ulp; allowed rtol=0,atol=0,ulp=3); the first is at [1, 1]: 1, expected 2

"#]]);
}

#[test]
fn function_constants_gate_arguments() {
    let base = format!("run {GATED} gated --engine interp -g 2 -t 2 -a x=ones:f32[2]");
    mw(&format!("{base} -c has_bias=false -c 20=9")).assert().code(0).stdout_eq(str![[r#"
x = f32[2]
[1, 1]

"#]]);
    mw(&format!("{base} -c has_bias=true -c 20=0 -a bias=f32:[5,6] -c extra=true"))
        .assert()
        .code(0)
        .stdout_eq(str![[r#"
x = f32[2]
[106, 107]

"#]]);
    mw(&format!("{base} -c has_bias=true -c 20=0")).assert().code(2).stderr_eq(str![[r#"
error: argument `bias` (`float`, buffer index 1) has no value: write `--arg bias=randn:f32[SHAPE]`

"#]]);
    mw(&format!("{base} -c has_bias=true")).assert().code(2).stderr_eq(str![[r#"
error: kernel `gated` needs values for its function constants 20 `width` (int): write `--constant INDEX=VALUE` for each

"#]]);
    mw(&format!("{base} -c has_bias=7 -c 20=0")).assert().code(2).stderr_eq(str![[r#"
error: function constant 10 `has_bias`: 7 does not fit bool (0 to 1)

"#]]);
    mw(&format!("{base} -c no_bias=true")).assert().code(2).stderr_eq(str![[r#"
error: kernel `gated` has no function constant `no_bias`; it has 10 `has_bias` (bool), 20 `width` (int), 30 `extra` (bool)

"#]]);
}

#[test]
fn host_side_faults_say_what_to_write() {
    let base = format!("run {SCALE} scale --engine interp");
    mw(&base).assert().code(2).stderr_eq(str![[r#"
error: no grid is given: write `--grid X,Y,Z` in threads, or `--threadgroups X,Y,Z`

"#]]);
    mw(&format!("{base} -g 8")).assert().code(2).stderr_eq(str![[r#"
error: no threadgroup size is given: write `--threadgroup X,Y,Z` in threads

"#]]);
    mw(&format!("{base} -g 8 -t 2048 -a x=ones:f32[8] -a factor=f32:1")).assert().code(2).stderr_eq(str![[r#"
error: a threadgroup of (2048, 1, 1) has 2048 threads, but the device allows 1024: use a smaller threadgroup (`max_total_threads_per_threadgroup` of the pipeline tells how large)

"#]]);
    mw(&format!("{base} -g 8 -t 8 -a x=ones:f32[8]")).assert().code(2).stderr_eq(str![[r#"
error: argument `factor` (`float`, buffer index 1) has no value: write `--arg factor=f32:VALUE`

"#]]);
    mw(&format!("{base} -g 8 -t 8 -a x=ones:f16[8] -a factor=f32:1")).assert().code(2).stderr_eq(str![[r#"
error: argument `x` is declared `float`, but f16[8] was given: give it f32 elements

"#]]);
    mw(&format!("{base} -g 8 -t 8 -a y=ones:f32[8] -a factor=f32:1")).assert().code(2).stderr_eq(str![[r#"
error: kernel `scale` has no buffer argument `y`; it has 0 `x`, 1 `factor`

"#]]);
    mw(&format!("{base} -g 8 -t 8 -a x=ones:f32 -a factor=f32:1")).assert().code(2).stderr_eq(str![[r#"
error: `arg.x = ones:f32`: `f32` lacks a shape: write `f32[4,8]`, or `f32[]` for a scalar

"#]]);
    mw(&format!("{base} -g 8 -t 8 -a x=ones:f32[8] -a factor=f32:1 --chip m77")).assert().code(2).stderr_eq(
        str![[r#"
error: unknown chip `m77`; known chips are a11, [..]

"#]],
    );
}

#[test]
fn an_access_out_of_bounds_is_a_fault_of_the_kernel() {
    mw(&format!("run {SCALE} scale --engine interp -g 8 -t 8 -a x=ones:f32[4] -a factor=f32:1"))
        .assert()
        .code(1)
        .stderr_eq(str![[r#"
error: kernel `scale`: thread (4, 0, 0) of the grid reads 4 bytes at 0x[..], offset 16 of argument 0 (`x`), which has 16 bytes (lane 4 of simdgroup 0 of threadgroup (0, 0, 0), in function `scale`, instruction 2 of block 0) (grid of (8, 1, 1) threads in threadgroups of (8, 1, 1))

"#]]);
}

#[test]
fn manifests_and_files() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("manifests");
    std::fs::create_dir_all(&folder).expect("a folder");
    let library = Path::new(env!("CARGO_MANIFEST_DIR")).join(SCALE);
    let manifest = format!(
        "library = {library:?}\nkernel = \"scale\"\ngrid = 4\nthreadgroup = 4\n\
         [args]\nx = {{ value = \"arange:f32[2,2]\", save = \"x.npy\" }}\n\
         [[launch]]\nargs.factor = \"f32:2\"\n[[launch]]\nargs.factor = \"f32:3\"\nargs.x = \"x.npy\"\n"
    );
    let path = folder.join("kernel.toml");
    std::fs::write(&path, manifest).expect("written");
    mw("run --engine interp").arg(&path).assert().code(0).stdout_eq(str![[r#"
x = f32[2,2]
[[0, 2],
 [4, 6]]
x written to [..]/manifests/x.npy
x = f32[2,2]
[[0, 6],
 [12, 18]]
x written to [..]/manifests/x.npy

"#]]);
    let comments = folder.join("kernel.metal");
    std::fs::write(
        &comments,
        format!(
            "// run: library={} kernel=scale grid=4 threadgroup=4 x=x.npy factor=f32:1 \\\n//   expect.x=f32:[0,6,12,18]\n",
            library.display()
        ),
    )
    .expect("written");
    mw("run --engine interp --manifest").arg(&comments).assert().code(0).stdout_eq(str![[r#"
x = f32[2,2]
[[0, 6],
 [12, 18]]
x: as expected (4 elements, largest error 0.000e0 absolute, 0.000e0 relative, 0 ulp)

"#]]);
}

#[test]
fn disassemble_prints_stages() {
    mw(&format!("disassemble {SCALE} scale")).assert().code(0).stdout_eq(str![[r#"
source_filename = "scale.metal"
target datalayout = "e-p:64:64:64-i1:8:8-i8:8:8-i16:16:16-i32:32:32-i64:64:64-f32:32:32-f64:64:64-v16:16:16-v24:32:32-v32:32:32-v48:64:64-v64:64:64-v96:128:128-v128:128:128-v192:256:256-v256:256:256-v512:512:512-v1024:1024:1024-n8:16:32"
target triple = "air64_v26-apple-macosx14.0.0"

define void @scale(ptr addrspace(1) %0, ptr addrspace(2) %1, i32 %2) {
  %4 = zext i32 %2 to i64
  %5 = getelementptr inbounds float, ptr addrspace(1) %0, i64 %4
  %6 = load float, ptr addrspace(1) %5, align 4
  %7 = load float, ptr addrspace(2) %1, align 4
  %8 = fmul float %6, %7
  store float %8, ptr addrspace(1) %5, align 4
  ret void
}

!air.kernel = !{!0}
!air.compile_options = !{!6}
!air.version = !{!7}
!air.language_version = !{!8}

!0 = !{ptr @scale, !1, !2}
!1 = !{}
!2 = !{!3, !4, !5}
!3 = !{i32 0, !"air.buffer", !"air.location_index", i32 0, i32 1, !"air.read_write", !"air.address_space", i32 1, !"air.arg_type_size", i32 4, !"air.arg_type_align_size", i32 4, !"air.arg_type_name", !"float", !"air.arg_name", !"x"}
!4 = !{i32 1, !"air.buffer", !"air.buffer_size", i32 4, !"air.location_index", i32 1, i32 1, !"air.read", !"air.address_space", i32 2, !"air.arg_type_size", i32 4, !"air.arg_type_align_size", i32 4, !"air.arg_type_name", !"float", !"air.arg_name", !"factor"}
!5 = !{i32 2, !"air.thread_position_in_grid", !"air.arg_type_name", !"uint", !"air.arg_name", !"i"}
!6 = !{!"air.compile.denorms_disable"}
!7 = !{i32 2, i32 6, i32 0}
!8 = !{!"Metal", i32 3, i32 1, i32 0}

"#]]);
    mw(&format!("disassemble {SCALE} scale --stage scalar")).assert().code(0).stdout_eq(str![[r#"
...
define void @scale(ptr addrspace(1) %0, ptr addrspace(2) %1, i32 %2)[..]{
...
  %8 = fmul float %6, %7
...

"#]]);
    mw(&format!("disassemble {SCALE} scale --stage simd")).assert().code(0).stdout_eq(str![[r#"
...
define void @mw_kernel(ptr %0, ptr %1) {
...
  %[..] = fmul <32 x float> %[..], %[..]
...

"#]]);
    mw(&format!("disassemble {SCALE} scale --stage asm")).assert().code(0).stdout_eq(str![[r#"
...
mw_kernel:
...

"#]]);
}

#[test]
fn what_is_not_supported_is_exit_code_3() {
    // No interpreter that lacks the package is started.
    mw("run script.py --flag").env("MW_PYTHON", "/nowhere/python").assert().code(3).stderr_eq(str![[r#"
error: `script.py` is a Python script, and no interpreter here has the package metalworking: install it with pip, or set MW_PYTHON to an interpreter that has it (tried `/nowhere/python`)

"#]]);
}

#[test]
fn sources_are_checked_explained_and_run() {
    mw("check ../../tests/run/language/loops.metal").assert().code(0).stdout_eq(str![[r#"
1 of 1 files compile, 1 of 1 kernels lower; checked runs are not part of `mw check` yet

"#]]);
    mw("inspect missing.metal").assert().code(2).stderr_eq(str![[r#"
error: cannot read `missing.metal`: [..]

"#]]);
    mw("explain MSL0500").assert().code(0).stdout_eq(str![[r#"
# MSL0500: not-lowered
...

"#]]);
    mw("run ../../tests/run/language/loops.metal --quiet").assert().code(0);
}

#[test]
fn help_documents_exit_codes() {
    mw("--help").assert().code(0).stdout_eq(str![[r#"
Metal kernels on any machine: look into libraries, run kernels, compare engines

Usage: mw <COMMAND>

Commands:
  compile      Compile Metal source to a library, to AIR bitcode or to AIR text
  check        Compile all Metal sources of a tree and say what is wrong
  explain      Explain a diagnostic, or a term of the glossary
  inspect      List the kernels of a library, or tell everything about one
  disassemble  Print a kernel's code at a stage of compilation
  run          Run a kernel
  conform      Run every kernel of a library on both engines and compare
  chips        List the chips whose limits can be asked for, or tell everything about one
  occupancy    How many simdgroups of a kernel a core holds, what decides it, and what would change it
  roofline     The roofs of a chip, and where a kernel lies under them
  completions  Print the completion script of a shell
  help         Print this message or the help of the given subcommand(s)

Options:
  -h, --help     Print help
  -V, --version  Print version

Exit codes:
  0  all went well
  1  a result is not what was expected, or a kernel faulted
  2  the command, a file or a launch is not right
  3  something is not supported
  4  an error inside metalworking: please report it

"#]]);
    mw("run --frobnicate").assert().code(2).stderr_eq(str![[r#"
error: unexpected argument '--frobnicate' found

  tip: to pass '--frobnicate' as a value, use '-- --frobnicate'

Usage: mw run [OPTIONS] [LIB] [KERNEL]

For more information, try '--help'.

"#]]);
}

#[test]
fn chips_and_completions() {
    mw("chips").assert().code(0).stdout_eq(str![[r#"
...
│ m2       ┆ Apple M2          ┆ Apple8  ┆ applegpu_g14g ┆ 2022 ┆ 8, 10     ┆ LPDDR5-6400 128-bit      │
...
MW_CHIP or --chip chooses one; without it a device is `m2`.

"#]]);
    mw("completions bash").assert().code(0).stdout_eq(str![[r#"
_mw() {
...
            opts="-h -V --help --version compile check explain inspect disassemble run conform [..]"
...

"#]]);
}
