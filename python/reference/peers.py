"""Other ways to do the same work: PoCL, MLX's CPU back-end, NumPy. A process that `mw-bench peers` drives.

Each line of standard input is a command, each answer is one line of JSON:

- ``versions`` answers the versions of all peers that are installed.
- ``prepare WORK`` makes the arrays of a work.
- ``run PEER WORK`` does it once and answers the seconds, or ``null`` where the peer has no such operator.
- ``release WORK`` frees the arrays.

The OpenCL kernels are those that a programmer would write first; they do what the Metal kernels do.
"""

from __future__ import annotations

import gc
import importlib.metadata
import json
import os
import sys
import time

import numpy as np

SOURCE = """
kernel void vadd(global const float *a, global const float *b, global float *o) {
  size_t i = get_global_id(0);
  o[i] = a[i] + b[i];
}
kernel void gelu(global const float *a, global float *o) {
  size_t i = get_global_id(0);
  float x = a[i];
  o[i] = 0.5f * x * (1.0f + tanh(0.7978845608f * (x + 0.044715f * x * x * x)));
}
#define N 256
#define REDUCE(op)                                   \\
  for (int k = N / 2; k > 0; k >>= 1) {              \\
    if (l < k) s[l] = op(s[l], s[l + k]);            \\
    barrier(CLK_LOCAL_MEM_FENCE);                    \\
  }
#define PLUS(x, y) ((x) + (y))
kernel void rms_norm(global const float *x, global const float *w, global float *o, int axis) {
  local float s[N];
  int l = get_local_id(0), r = get_group_id(0);
  float sum = 0;
  for (int i = l; i < axis; i += N) sum += x[r * axis + i] * x[r * axis + i];
  s[l] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  REDUCE(PLUS)
  float q = rsqrt(s[0] / axis + 1e-5f);
  for (int i = l; i < axis; i += N) o[r * axis + i] = x[r * axis + i] * q * w[i];
}
kernel void softmax(global const float *x, global float *o, int axis) {
  local float s[N];
  int l = get_local_id(0), r = get_group_id(0);
  float top = -INFINITY;
  for (int i = l; i < axis; i += N) top = fmax(top, x[r * axis + i]);
  s[l] = top;
  barrier(CLK_LOCAL_MEM_FENCE);
  REDUCE(fmax)
  top = s[0];
  barrier(CLK_LOCAL_MEM_FENCE);
  float sum = 0;
  for (int i = l; i < axis; i += N) sum += exp(x[r * axis + i] - top);
  s[l] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  REDUCE(PLUS)
  float q = 1.0f / s[0];
  for (int i = l; i < axis; i += N) o[r * axis + i] = exp(x[r * axis + i] - top) * q;
}
#define T 16
kernel void matmul(global const float *a, global const float *b, global float *c, int n) {
  local float s[T][T], t[T][T];
  int x = get_local_id(0), y = get_local_id(1), i = get_global_id(1), j = get_global_id(0);
  float sum = 0;
  for (int at = 0; at < n; at += T) {
    s[y][x] = a[i * n + at + x];
    t[y][x] = b[(at + y) * n + j];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < T; k++) sum += s[y][k] * t[k][x];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  c[i * n + j] = sum;
}
kernel void qmv(global const uint *w, global const float *scales, global const float *biases,
                global const float *x, global float *y, int axis) {
  int r = get_global_id(0), groups = axis / 64;
  float total = 0;
  for (int g = 0; g < groups; g++) {
    float dot = 0, sum = 0;
    for (int p = 0; p < 8; p++) {
      uint word = w[(r * groups + g) * 8 + p];
      for (int e = 0; e < 8; e++) {
        float v = x[g * 64 + p * 8 + e];
        dot += v * (float)((word >> (4 * e)) & 15u);
        sum += v;
      }
    }
    total += scales[r * groups + g] * dot + biases[r * groups + g] * sum;
  }
  y[r] = total;
}
"""


class OpenCl:
    """PoCL's CPU device; buffers lie over NumPy's memory."""

    def __init__(self) -> None:
        import pyopencl as cl

        self.cl = cl
        platforms = [it for it in cl.get_platforms() if "Portable" in it.name or "pocl" in it.name.lower()]
        if not platforms:
            raise ImportError("no PoCL")
        self.platform = platforms[0]
        self.device = self.platform.get_devices()[0]
        self.context = cl.Context([self.device])
        self.queue = cl.CommandQueue(self.context)
        program = cl.Program(self.context, SOURCE).build()
        self.kernels = {kernel.function_name: kernel for kernel in program.all_kernels()}

    def buffer(self, array: np.ndarray):
        flags = self.cl.mem_flags
        return self.cl.Buffer(self.context, flags.READ_WRITE | flags.USE_HOST_PTR, hostbuf=array)

    def launch(self, name: str, grid, group, *args):
        kernel = self.kernels[name]
        kernel.set_args(*args)

        # A kernel does not keep its buffers: the default argument does.
        def run(_keep=args) -> None:
            self.cl.enqueue_nd_range_kernel(self.queue, kernel, grid, group)
            self.queue.finish()

        return run


class Peers:
    def __init__(self) -> None:
        self.found = {"numpy": np.__version__, "python": ".".join(map(str, sys.version_info[:3]))}
        self.calls: dict[str, object] = {}
        self.rng = np.random.default_rng(0)
        try:
            import mlx.core as mx

            mx.set_default_device(mx.cpu)
            self.mx = mx
            self.found["mlx"] = importlib.metadata.version("mlx")
        except ImportError:
            self.mx = None
        try:
            self.cl = OpenCl()
            self.found["pocl"] = self.cl.platform.version.split(",")[0]
        except Exception as error:  # any failure of a driver means that this peer is not here
            self.cl = None
            self.found["no pocl"] = str(error).splitlines()[0]

    def array(self, *shape: int) -> np.ndarray:
        return self.rng.standard_normal(shape, dtype=np.float32)

    def prepare(self, work: str) -> None:
        name, _, size = work.partition("-")
        getattr(self, f"prepare_{name}")(size)

    def set(self, pocl=None, mlx=None, numpy=None) -> None:
        self.calls = {"pocl": pocl, "mlx": mlx, "numpy": numpy}

    def eval(self, call):
        return (lambda: self.mx.eval(call())) if self.mx else None

    def prepare_vadd(self, size: str) -> None:
        count = int(size.removesuffix("Mi")) << 20
        a, b = self.array(count), self.array(count)
        out = np.empty_like(a)
        pocl = None
        if self.cl:
            pocl = self.cl.launch("vadd", (count,), (256,), *(self.cl.buffer(it) for it in (a, b, out)))
        mlx = None
        if self.mx:
            left, right = self.mx.array(a), self.mx.array(b)
            mlx = self.eval(lambda: left + right)
        self.set(pocl, mlx, lambda: np.add(a, b, out=out))

    def prepare_gelu(self, size: str) -> None:
        count = int(size.removesuffix("Mi")) << 20
        a = self.array(count)
        out = np.empty_like(a)
        pocl = self.cl.launch("gelu", (count,), (256,), self.cl.buffer(a), self.cl.buffer(out)) if self.cl else None
        mlx = None
        if self.mx:
            mx, given = self.mx, self.mx.array(a)
            gelu = mx.compile(lambda x: 0.5 * x * (1 + mx.tanh(0.7978845608 * (x + 0.044715 * x * x * x))))
            mlx = self.eval(lambda: gelu(given))
        self.set(pocl, mlx, lambda: 0.5 * a * (1 + np.tanh(0.7978845608 * (a + 0.044715 * a * a * a))))

    def rows(self, size: str) -> tuple[int, int, np.ndarray]:
        rows, axis = map(int, size.split("x"))
        return rows, axis, self.array(rows, axis)

    def prepare_rms_norm(self, size: str) -> None:
        rows, axis, x = self.rows(size)
        w, out = self.array(axis), np.empty_like(x)
        pocl = None
        if self.cl:
            buffers = [self.cl.buffer(it) for it in (x, w, out)]
            pocl = self.cl.launch("rms_norm", (rows * 256,), (256,), *buffers, np.int32(axis))
        mlx = None
        if self.mx:
            given, weight = self.mx.array(x), self.mx.array(w)
            mlx = self.eval(lambda: self.mx.fast.rms_norm(given, weight, 1e-5))
        self.set(pocl, mlx, lambda: x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-5) * w)

    def prepare_softmax(self, size: str) -> None:
        rows, axis, x = self.rows(size)
        out = np.empty_like(x)
        pocl = None
        if self.cl:
            buffers = [self.cl.buffer(it) for it in (x, out)]
            pocl = self.cl.launch("softmax", (rows * 256,), (256,), *buffers, np.int32(axis))
        mlx = None
        if self.mx:
            given = self.mx.array(x)
            mlx = self.eval(lambda: self.mx.softmax(given, -1))

        def numpy() -> None:
            e = np.exp(x - x.max(-1, keepdims=True))
            e / e.sum(-1, keepdims=True)

        self.set(pocl, mlx, numpy)

    def prepare_matmul(self, size: str) -> None:
        n = int(size)
        a, b = self.array(n, n), self.array(n, n)
        out = np.empty_like(a)
        pocl = None
        if self.cl:
            buffers = [self.cl.buffer(it) for it in (a, b, out)]
            pocl = self.cl.launch("matmul", (n, n), (16, 16), *buffers, np.int32(n))
        mlx = None
        if self.mx:
            left, right = self.mx.array(a), self.mx.array(b)
            mlx = self.eval(lambda: left @ right)
        self.set(pocl, mlx, lambda: np.matmul(a, b, out=out))

    def prepare_qmv(self, size: str) -> None:
        n = int(size.rpartition("-")[2])
        words = self.rng.integers(0, 2**32, (n, n // 8), dtype=np.uint32)
        scales, biases, x = self.array(n, n // 64), self.array(n, n // 64), self.array(1, n)
        out = np.empty(n, np.float32)
        pocl = None
        if self.cl:
            buffers = [self.cl.buffer(it) for it in (words, scales, biases, x, out)]
            pocl = self.cl.launch("qmv", (n,), (64,), *buffers, np.int32(n))
        mlx = None
        if self.mx:
            mx = self.mx
            w, s, z, given = (mx.array(it) for it in (words, scales, biases, x))
            mlx = self.eval(lambda: mx.quantized_matmul(given, w, s, z, True, 64, 4))
        self.set(pocl, mlx, None)

    def run(self, peer: str) -> float | None:
        call = self.calls.get(peer)
        if call is None:
            return None
        start = time.perf_counter()
        call()
        return time.perf_counter() - start

    def answer(self, words: list[str]):
        match words:
            case ["versions"]:
                return self.found | {"threads": os.environ.get("OPENBLAS_NUM_THREADS", str(os.cpu_count()))}
            case ["prepare", work]:
                self.prepare(work)
                return True
            case ["run", peer, _]:
                return self.run(peer)
            case ["release", _]:
                self.calls = {}
                gc.collect()
                if self.mx:
                    self.mx.clear_cache()
                return True
        raise ValueError(f"unknown command {words}")


def serve() -> None:
    peers = Peers()
    for line in sys.stdin:
        print(json.dumps(peers.answer(line.split())), flush=True)
