// Run by `cargo xtask wasm --test`: node test.mjs ENGINE.wasm
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";

import { Engine } from "./metalworking.mjs";

const engine = await Engine.load(await readFile(process.env.MW_ENGINE_WASM));

// The elementwise kernel of MLX's documentation of custom kernels, written out as a whole.
const EXP = `#include <metal_stdlib>
using namespace metal;
template <typename T>
[[kernel]] void exp_elementwise(device const T* inp [[buffer(0)]],
                                device T* out [[buffer(1)]],
                                uint elem [[thread_position_in_grid]]) {
  T tmp = inp[elem];
  out[elem] = metal::exp(tmp);
}
template [[host_name("myexp_float")]] [[kernel]] void exp_elementwise<float>(
    device const float*, device float*, uint);
template [[host_name("myexp_half")]] [[kernel]] void exp_elementwise<half>(
    device const half*, device half*, uint);
`;

const TILED = `#include <metal_stdlib>
using namespace metal;
constant constexpr uint N = 8;
// run: kernel=multiply grid=16,16 threadgroup=8,8 a=arange:f32[16,16] b=arange:-3,0.5:f32[16,16] c=zeros:f32[16,16]
kernel void multiply(device const float* a [[buffer(0)]],
                     device const float* b [[buffer(1)]],
                     device float* c [[buffer(2)]],
                     uint2 at [[thread_position_in_grid]],
                     uint2 in [[thread_position_in_threadgroup]]) {
  threadgroup float left[N][N];
  threadgroup float right[N][N];
  float sum = 0;
  for (uint tile = 0; tile < 2; ++tile) {
    left[in.y][in.x] = a[at.y * 16 + tile * N + in.x];
    right[in.y][in.x] = b[(tile * N + in.y) * 16 + at.x];
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (uint k = 0; k < N; ++k)
      sum += left[in.y][k] * right[k][in.x];
    threadgroup_barrier(mem_flags::mem_threadgroup);
  }
  c[at.y * 16 + at.x] = sum;
}
`;

test("the quick start's kernel compiles and tells its arguments", () => {
  const { ok, kernels, diagnostics } = engine.compile({ source: EXP });
  assert.deepEqual(diagnostics, []);
  assert.ok(ok);
  assert.deepEqual(kernels.map((kernel) => kernel.name), ["myexp_float", "myexp_half"]);
  const [inp, out, elem] = kernels[0].arguments;
  assert.equal(inp.name, "inp");
  assert.equal(inp.index, 0);
  assert.equal(inp.access, "read");
  assert.equal(out.type, "float");
  assert.equal(elem.kind, "builtin");
});

test("the quick start's kernel runs", () => {
  const inp = Float32Array.from({ length: 70 }, (_, index) => index / 16 - 2);
  const result = engine.run({
    source: EXP,
    launch: { kernel: "myexp_float", grid: "70", threadgroup: "32", "arg.out": "zeros:f32[70]" },
    buffers: { inp },
  });
  assert.ok(result.ok, result.error);
  const out = result.outputs.find((output) => output.name === "out");
  assert.equal(out.values.length, 70);
  for (const [index, value] of out.values.entries()) {
    const wanted = Math.exp(inp[index]);
    assert.ok(Math.abs(value - wanted) <= 1e-6 * wanted, `${index}: ${value}, not ${wanted}`);
  }
  assert.deepEqual(result.findings, []);
  // 70 lanes read once and write once.
  assert.deepEqual(result.counts.device.loads, { count: 70, bytes: 280 });
  assert.deepEqual(result.counts.device.stores, { count: 70, bytes: 280 });
  assert.equal(result.counts.library_calls, 70);
  assert.equal(result.counts.lines[7].device.loads.count, 70);
  assert.equal(result.counts.lines[8].device.stores.count, 70);
});

test("half is a number too", () => {
  const result = engine.run({
    source: EXP,
    launch: { kernel: "myexp_half", grid: "4", threadgroup: "4", "arg.inp": "f16:[0,1,-1,2]", "arg.out": "zeros:f16[4]" },
  });
  assert.deepEqual(Array.from(result.outputs[1].values).map((value) => value.toFixed(2)), ["1.00", "2.72", "0.37", "7.39"]);
});

test("a tiled product runs, with what happened in it", () => {
  const { launches } = engine.launches({ source: TILED });
  assert.equal(launches[0].grid, "16,16,1");
  const result = engine.run({ source: TILED, line: 0, trace: { threadgroup: [1, 0, 0] } });
  assert.ok(result.ok, result.error);
  const [a, b, c] = result.outputs.map((output) => output.values);
  for (let row = 0; row < 16; row += 1) {
    for (let column = 0; column < 16; column += 1) {
      let sum = 0;
      for (let k = 0; k < 16; k += 1) sum += a[row * 16 + k] * b[k * 16 + column];
      assert.ok(Math.abs(c[row * 16 + column] - sum) < 1e-2, `${row}, ${column}`);
    }
  }
  const { counts, trace } = result;
  // Each of 256 threads loads 2 elements for each of 2 tiles; without tiles it would be 32.
  assert.equal(counts.device.loads.count, 1024);
  assert.equal(counts.device.stores.count, 256);
  assert.equal(counts.threadgroup.stores.count, 1024);
  assert.equal(counts.threadgroup.loads.count, 256 * 2 * 8 * 2);
  assert.equal(counts.flops, 256 * 16 * 2);
  // Two simdgroups in each of four threadgroups, four barriers.
  assert.equal(counts.barriers, 2 * 4 * 4);

  assert.equal(trace.truncated, false);
  assert.deepEqual(trace.threadgroup_size, [8, 8, 1]);
  const events = [...trace.events()];
  assert.equal(events.length, trace.event_count);
  const loads = events.filter((event) => event.kind === "load" && event.memory === "device");
  assert.equal(loads.length, 2 * 2 * 2);
  const first = loads[0];
  assert.equal(first.place.line, 14);
  assert.match(first.place.function, /^multiply\(/);
  assert.equal(first.mask, 0xffffffff);
  // Lane 9 of threadgroup (1, 0): column 1, row 1 of the tile; element (1, 1) of a.
  assert.equal(first.buffers[9], 0);
  assert.equal(first.offsets[9], (1 * 16 + 1) * 4);
  // Threadgroup memory between barriers: the tile of a, as the loads found it.
  const phases = events.filter((event) => event.kind === "phase");
  assert.equal(phases.length, 5);
  const left = new Float32Array(phases[0].memory.slice(0, 256).buffer);
  assert.equal(left[1 * 8 + 1], a[1 * 16 + 1]);
  assert.ok(phases[0].isWritten(0));
  // Values lane by lane: the sum after the first product.
  const sums = events.filter((event) => event.kind === "values" && event.place?.line === 18 && event.format === "f32");
  assert.ok(sums.length > 0);
  assert.equal(sums[0].rows[0].length, 32);
  assert.deepEqual(trace.masks(18), [{ simdgroup: 0, mask: 0xffffffff }, { simdgroup: 1, mask: 0xffffffff }]);
});

test("divergent lanes have masks", () => {
  const source = `kernel void k(device int* out, uint i [[thread_position_in_grid]]) {
  if (i % 2 == 0) {
    out[i] = 7;
  } else
    out[i] = 9;
}`;
  const result = engine.run({ source, launch: { grid: "8", threadgroup: "8", "arg.out": "zeros:i32[8]" }, trace: {} });
  assert.deepEqual(Array.from(result.outputs[0].values), [7, 9, 7, 9, 7, 9, 7, 9]);
  assert.deepEqual(result.trace.masks(3).map(({ mask }) => mask), [0b01010101]);
  assert.deepEqual(result.trace.masks(5).map(({ mask }) => mask), [0b10101010]);
});

test("a mistake is told with line and column", () => {
  const source = EXP.replace("inp[elem];", "inpt[elem];");
  const result = engine.compile({ source, file: "exp.metal" });
  assert.equal(result.ok, false);
  assert.equal(result.diagnostics.length, 1);
  const [{ code, severity, message, primary }] = result.diagnostics;
  assert.match(code, /^MSL\d{4}$/);
  assert.equal(severity, "error");
  assert.match(message, /inpt/);
  assert.equal(primary.place.file, "exp.metal");
  assert.deepEqual([primary.place.start.line, primary.place.start.column], [7, 11]);
  assert.match(result.text, /exp\.metal:7:11/);
  assert.match(engine.explain(code).text, new RegExp(code));
  // Running it tells the same.
  const run = engine.run({ source, launch: { kernel: "myexp_float", grid: "1", threadgroup: "1" } });
  assert.equal(run.ok, false);
  assert.equal(run.diagnostics[0].code, code);
});

test("what a kernel does wrong is told with its line", () => {
  const source = `kernel void k(device float* out, uint i [[thread_position_in_grid]]) {
  out[i + 4] = 1;
}`;
  const result = engine.run({ source, launch: { grid: "8", threadgroup: "8", "arg.out": "zeros:f32[8]" } });
  assert.equal(result.ok, false);
  assert.match(result.error, /writes 4 bytes .* argument 0 \(`out`\), which has 32 bytes/);
  assert.match(result.error, /kernel\.metal:2:3/);
});

test("steps and memory are bounded", () => {
  const loop = `kernel void k(device int* out) { while (true) { out[0] += 1; } }`;
  const launch = { grid: "1", threadgroup: "1", "arg.out": "zeros:i32[1]" };
  const stopped = engine.run({ source: loop, launch, step_limit: 100000 });
  assert.match(stopped.error, /100000 steps/);
  const large = engine.run({ source: loop, launch: { ...launch, "arg.out": "zeros:i32[1000000000]" } });
  assert.match(large.error, /more than a run may have/);
  const small = engine.run({ source: loop, launch, memory_limit: 2 });
  assert.match(small.error, /more than a run may have/);
});

test("hostile nesting neither ends the engine nor leaves it unusable", () => {
  const deep = `kernel void k(device int* out) { out[0] = ${"(".repeat(3000)}1${")".repeat(3000)}; }`;
  const result = engine.compile({ source: deep });
  assert.equal(result.ok, false);
  for (const shape of [(n) => "-".repeat(n) + "1", (n) => "1" + "+1".repeat(n), (n) => "!".repeat(n) + "1"]) {
    engine.compile({ source: `kernel void k(device int* out) { out[0] = ${shape(300)}; }` });
    const { ok } = engine.compile({ source: `kernel void k(device int* out) { out[0] = ${shape(5000)}; }` });
    assert.equal(ok, false);
  }
  assert.ok(engine.compile({ source: EXP }).ok);
});

test("a request that makes no sense gets an answer", () => {
  assert.match(engine.run({ source: EXP, launch: { grid: "1" } }).error, /say which kernel/);
  assert.match(engine.run({ source: EXP, launch: { kernel: "myexp_float", grid: "1" } }).error, /threadgroup/);
  assert.match(engine.run({ source: EXP, launch: { colour: "red" } }).error, /colour/);
  assert.match(engine.explain("MSL9999").error, /MSL9999/);
  assert.match(engine.version(), /^\d+\.\d+/);
});
