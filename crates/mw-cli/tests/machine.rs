//! `mw chips NAME`, `mw occupancy` and `mw roofline`: what people type and what they get.

#![expect(
    clippy::needless_raw_string_hashes,
    reason = "the tool that writes the outputs down quotes them so"
)]

use serde_json::Value;
use snapbox::cmd::Command;
use snapbox::str;

/// `mw` without settings of the machine.
fn mw(words: &[&str]) -> Command {
    let mut command = Command::new(snapbox::cmd::cargo_bin!("mw"));
    for variable in ["MW_CHIP", "CLICOLOR_FORCE"] {
        command = command.env_remove(variable);
    }
    command.args(words)
}

fn json(words: &[&str]) -> Value {
    let mut words = words.to_vec();
    words.push("--json");
    let output = mw(&words).assert().code(0).get_output().stdout.clone();
    serde_json::from_slice(&output).unwrap()
}

#[test]
fn a_chip_is_told_with_sources() {
    mw(&["chips", "M5 Max"]).assert().code(0).stdout_eq(str![[r#"
Apple M5 Max  (m5-max, Apple10)
...
│ highest GPU clock                  ┆ 1600 MHz [..]
...
│ 40 cores: bandwidth                ┆ 614 GB/s [..]┆ stated by Apple [..]
...
Sources
...
"#]]);
    let document = json(&["chips", "m5-max"]);
    let largest = &document["configurations"][1];
    assert_eq!(largest["gpu_cores"], 40);
    assert_eq!(largest["bandwidth"]["value"], 614.0);
    assert_eq!(largest["bandwidth"]["source"], "apple-tech-specs");
    assert_eq!(document["facts"]["highest GPU clock"]["confidence"], "inferred");
    mw(&["chips", "m5-mex"]).assert().code(2).stderr_eq(str![[r#"
error: unknown chip `m5-mex`: did you mean `m5-max`, [..]

"#]]);
}

#[test]
fn occupancy_names_the_limit_and_draws_what_if() {
    mw(&["occupancy", "--registers", "32", "--threadgroup-memory", "8192", "--threads", "128"])
        .assert()
        .code(0)
        .stdout_eq(str![[r#"
Apple M2: 7 threadgroups of 128 threads, 28 simdgroups on a core
  bound by threadgroup memory
  threadgroup memory alone would allow 7 threadgroups
  registers alone would allow 13 threadgroups
  resident threads alone would allow 24 threadgroups
  enough to keep the arithmetic units busy: 24 simdgroups do (measured by P. Turner on M1)
...
"#]]);
    let document = json(&["occupancy", "-r", "64h", "-m", "16384", "-t", "128", "--chip", "m1-max"]);
    assert_eq!(document["simdgroups"], 12);
    assert_eq!(document["limiter"], "threadgroup memory");
    assert_eq!(document["what_if"][0]["of"], "register_halves");
    let later = json(&["occupancy", "-r", "64h", "-m", "16384", "-t", "128", "--chip", "m4"]);
    assert_eq!(later["confidence"], "inferred");
    assert_eq!(later["limiter"], "shared pool");
}

#[test]
fn occupancy_refuses_what_no_core_can_hold() {
    mw(&["occupancy", "--registers", "lots", "--threads", "64"]).assert().code(2).stderr_eq(str![[r#"
error: `--registers lots`: write a number of 32-bit registers (1 to 128) or of 16-bit halves (`1h` to `256h`)

"#]]);
    mw(&["occupancy", "--registers", "128", "--threads", "1024"]).assert().code(2).stderr_eq(str![[r#"
error: 1024 threads of 128 registers do not fit a core: at most 384 threads do; use fewer registers or a smaller threadgroup

"#]]);
}

#[test]
fn roofline_places_a_kernel() {
    mw(&["roofline", "--chip", "m5-max", "--flops", "1e9", "--bytes", "12e9"]).assert().code(0).stdout_eq(
        str![[r#"
Apple M5 Max, 40 GPU cores
┌─────────────┬──────────────────┬──────┬──────────────────┐
│ arithmetic  ┆ peak TFLOPS      ┆ GB/s ┆ ridge, FLOP/byte │
╞═════════════╪══════════════════╪══════╪══════════════════╡
│ fp32        ┆ 16.38 (inferred) ┆ 614  ┆ 26.7             │
│ fp16        ┆ 32.77 (inferred) ┆ 614  ┆ 53.4             │
│ matrix-fp16 ┆ 65.54 (inferred) ┆ 614  ┆ 106.7            │
└─────────────┴──────────────────┴──────┴──────────────────┘
published: 516.1 GB/s, 84 % of that (copy 4 GiB buffers[..]
published: 13.5 TFLOPS (SGEMM 4096x4096x4096 fp32[..]

1.0000e9 operations and 1.2000e10 bytes: 0.083 FLOP/byte
┌─────────────┬──────────┬───────────┬──────────────────┬──────────────┐
│ arithmetic  ┆ bound by ┆ memory    ┆ arithmetic alone ┆ at most      │
╞═════════════╪══════════╪═══════════╪══════════════════╪══════════════╡
│ fp32        ┆ memory   ┆ 19.544 ms ┆ 61.04 µs         ┆ 0.051 TFLOPS │
│ fp16        ┆ memory   ┆ 19.544 ms ┆ 30.52 µs         ┆ 0.051 TFLOPS │
│ matrix-fp16 ┆ memory   ┆ 19.544 ms ┆ 15.26 µs         ┆ 0.051 TFLOPS │
└─────────────┴──────────┴───────────┴──────────────────┴──────────────┘
No kernel is faster than the roof; launches, latency and too few threads make it slower.

"#]],
    );
}

#[test]
fn roofline_answers_in_json() {
    let document = json(&["roofline", "--chip", "m4", "--cores", "10"]);
    assert_eq!(document["roofs"][0]["bandwidth_gb_per_s"], 120.0);
    assert_eq!(document["roofs"][0]["kernel"], Value::Null);
    assert_eq!(document["roofs"].as_array().unwrap().len(), 2);
    let document = json(&["roofline", "--chip", "m5-max", "--flops", "1e9", "--bytes", "12e9"]);
    assert_eq!(document["published_gemm"]["id"], "gemm-119");
    assert_eq!(document["roofs"][0]["kernel"]["bound_by"], "memory");
}

#[test]
fn roofline_refuses_what_it_does_not_know() {
    mw(&["roofline", "--chip", "a18-pro"]).assert().code(3).stderr_eq(str![[r#"
error: nobody published the clock or the bandwidth of Apple A18 Pro: it has no roofline

"#]]);
    mw(&["roofline", "--chip", "m4", "--cores", "12"]).assert().code(2).stderr_eq(str![[r#"
error: Apple M4 was sold with 8 or 10 GPU cores: use one of these

"#]]);
    mw(&["roofline", "--flops", "0", "--bytes", "1"]).assert().code(2).stderr_eq(str![[r#"
error: `--flops 0`: write a number above 0

"#]]);
}
