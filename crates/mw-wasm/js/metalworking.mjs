// The engine in JavaScript: compiles Metal source and runs it, in a page, a worker or Node. No dependencies.
//
//   import { Engine } from "./metalworking.mjs";
//   const engine = await Engine.load("mw_wasm.wasm");            // or bytes, a Response, a WebAssembly.Module
//   const { ok, kernels, diagnostics } = engine.compile({ source });
//   const result = engine.run({ source, launch: { grid: "64", threadgroup: "32", "arg.x": "arange:f32[64]" } });
//   result.outputs[0].values                                     // a typed array
//   for (const event of result.trace.events()) …                 // with `trace: {}` in the request
//
// Calls return when they are done: run the engine in a worker where a kernel may take long.

const NONE = 0xffffffff;
const LANES = 32;

/** Bytes of an element, and how they become numbers. */
const DTYPES = {
  bool: [1, (bytes) => Array.from(bytes, (byte) => byte !== 0)],
  i8: [1, (bytes) => new Int8Array(bytes.buffer)],
  u8: [1, (bytes) => bytes],
  i16: [2, (bytes) => new Int16Array(bytes.buffer)],
  u16: [2, (bytes) => new Uint16Array(bytes.buffer)],
  i32: [4, (bytes) => new Int32Array(bytes.buffer)],
  u32: [4, (bytes) => new Uint32Array(bytes.buffer)],
  i64: [8, (bytes) => new BigInt64Array(bytes.buffer)],
  u64: [8, (bytes) => new BigUint64Array(bytes.buffer)],
  f16: [2, (bytes) => Float32Array.from(new Uint16Array(bytes.buffer), halfToNumber)],
  bf16: [2, (bytes) => Float32Array.from(new Uint16Array(bytes.buffer), (bits) => bitsToFloat(bits << 16))],
  f32: [4, (bytes) => new Float32Array(bytes.buffer)],
  f64: [8, (bytes) => new Float64Array(bytes.buffer)],
  complex64: [8, (bytes) => new Float32Array(bytes.buffer)],
};

/** Element types of typed arrays. */
const TYPED_ARRAYS = new Map([
  [Int8Array, "i8"],
  [Uint8Array, "u8"],
  [Int16Array, "i16"],
  [Uint16Array, "u16"],
  [Int32Array, "i32"],
  [Uint32Array, "u32"],
  [BigInt64Array, "i64"],
  [BigUint64Array, "u64"],
  [Float32Array, "f32"],
  [Float64Array, "f64"],
]);

const scratch = new DataView(new ArrayBuffer(8));

function bitsToFloat(bits) {
  scratch.setUint32(0, bits >>> 0);
  return scratch.getFloat32(0);
}

function halfToNumber(bits) {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  if (exponent === 31) return fraction ? NaN : sign * Infinity;
  return exponent === 0 ? sign * fraction * 2 ** -24 : sign * (1024 + fraction) * 2 ** (exponent - 25);
}

/** The engine ended: a fault of ours, or no memory. The next call starts a new instance. */
export class EngineError extends Error {}

export class Engine {
  #module;
  #instance = null;

  constructor(module) {
    this.#module = module;
  }

  /** Loads the engine from an address, a response, bytes or a compiled module. */
  static async load(from) {
    if (from instanceof WebAssembly.Module) return new Engine(from);
    if (typeof from === "string" || from instanceof URL) from = fetch(from);
    const source = await from;
    if (typeof Response !== "undefined" && source instanceof Response) {
      if (!source.ok) throw new EngineError(`the engine was not found: ${source.status} at ${source.url}`);
      return new Engine(await WebAssembly.compile(await source.arrayBuffer()));
    }
    return new Engine(await WebAssembly.compile(source));
  }

  /** Diagnostics, and the kernels with their arguments. `request`: source, file, std, fast_math, defines, files. */
  compile(request) {
    return this.#call({ ...request, op: "compile" }).value;
  }

  /** The `// run:` lines of the source, as settings for `run`. */
  launches(request) {
    return this.#call({ ...request, op: "launches" }).value;
  }

  /** What a diagnostic code means. */
  explain(code) {
    return this.#call({ op: "explain", code }).value;
  }

  version() {
    return this.#call({ op: "version" }).value.version;
  }

  /**
   * Runs a kernel. Beside the members of `compile`: `launch` (settings in the grammar of `mw run`), `line` (which
   * `// run:` line they come over), `buffers` (typed arrays by argument name, or { dtype, shape, data }),
   * `step_limit`, `memory_limit`, `trace` ({ threadgroup, max_words }).
   */
  run(request) {
    const buffers = {};
    const parts = [];
    let length = 0;
    for (const [name, given] of Object.entries(request.buffers ?? {})) {
      const data = ArrayBuffer.isView(given) ? given : given.data;
      const dtype = given.dtype ?? TYPED_ARRAYS.get(data.constructor);
      if (!dtype) throw new TypeError(`argument ${name}: give a typed array, or { dtype, data }`);
      const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
      buffers[name] = { dtype, shape: given.shape ?? null, offset: length, length: bytes.length };
      parts.push([length, bytes]);
      length += bytes.length;
    }
    const data = new Uint8Array(length);
    for (const [offset, bytes] of parts) data.set(bytes, offset);
    const { value, bytes } = this.#call({ ...request, buffers, op: "run" }, data);
    for (const output of value.outputs ?? []) {
      const { offset, length } = output.bytes;
      output.bytes = bytes.slice(offset, offset + length);
      output.values = DTYPES[output.dtype][1](output.bytes);
    }
    if (value.trace) value.trace = new Trace(value.trace, bytes);
    return value;
  }

  /** Sends a frame, gives the answer: JSON and bytes of our own. */
  #call(request, data = new Uint8Array(0)) {
    this.#instance ??= new WebAssembly.Instance(this.#module, {});
    const { memory, mw_alloc, mw_call, mw_free, mw_last_panic, mw_last_panic_length } = this.#instance.exports;
    const text = new TextEncoder().encode(JSON.stringify(request));
    const start = Math.ceil((4 + text.length) / 8) * 8;
    const total = start + data.length;
    try {
      const block = mw_alloc(total) >>> 0;
      if (block === 0) throw new EngineError("the request does not fit into the engine's memory");
      const view = new Uint8Array(memory.buffer, block, total);
      new DataView(memory.buffer).setUint32(block, text.length, true);
      view.set(text, 4);
      view.set(data, start);
      const answer = mw_call(block, total) >>> 0;
      const length = new DataView(memory.buffer).getUint32(answer, true);
      const frame = new Uint8Array(memory.buffer, answer + 8, length).slice();
      mw_free(answer, 8 + length);
      const jsonLength = new DataView(frame.buffer).getUint32(0, true);
      const value = JSON.parse(new TextDecoder().decode(frame.subarray(4, 4 + jsonLength)));
      return { value, bytes: frame.subarray(Math.ceil((4 + jsonLength) / 8) * 8) };
    } catch (error) {
      if (error instanceof EngineError) throw error;
      // A trap leaves the instance in no state to go on.
      this.#instance = null;
      // Browsers give a module little stack, and none of them lets it ask how much is left.
      if (error instanceof RangeError) {
        const message = "the source nests too deep for the stack of this browser: write it in smaller parts";
        return { value: { ok: false, error: message, diagnostics: [], kernels: [] }, bytes: new Uint8Array(0) };
      }
      let message = String(error.message ?? error);
      try {
        const address = mw_last_panic() >>> 0;
        const said = new TextDecoder().decode(new Uint8Array(memory.buffer, address, mw_last_panic_length()).slice());
        if (said) message = said;
      } catch {
        // Then the trap's own message has to do.
      }
      throw new EngineError(`the engine stopped: ${message}`, { cause: error });
    }
  }
}

const KINDS = [
  "block", "values", "load", "store", "atomic", "stored", "barrier", "call", "return", "phase", "finding",
];
const MEMORIES = ["device", "threadgroup", "private", "constant", "other"];
const FORMATS = ["other", "bool", "i8", "i16", "i32", "i64", "f16", "bf16", "f32", "pointer"];

/** What one threadgroup did. Events are made from numbers when they are asked for. */
export class Trace {
  #words;
  #starts = null;

  constructor(description, bytes) {
    const { words, ...rest } = description;
    Object.assign(this, rest);
    const copy = bytes.slice(words.offset, words.offset + words.length);
    this.#words = new Uint32Array(copy.buffer);
  }

  /** Number of events. */
  get length() {
    return this.#index().length;
  }

  /** Word at which each event starts. */
  #index() {
    if (this.#starts) return this.#starts;
    const starts = [];
    for (let at = 0; at < this.#words.length; ) {
      starts.push(at);
      at += 4 + this.#payload(at);
    }
    return (this.#starts = starts);
  }

  #payload(at) {
    const head = this.#words[at];
    const detail = (head >> 16) & 255;
    switch (KINDS[head & 255]) {
      case "values": {
        const isWide = FORMATS[detail] === "i64" || FORMATS[detail] === "pointer";
        return (head >>> 24) * LANES * (isWide ? 2 : 1);
      }
      case "load":
      case "store":
      case "atomic":
        return MEMORIES[detail] === "device" ? 2 * LANES : LANES;
      case "stored":
        return 2 * LANES;
      case "phase":
        return Math.ceil(this.#words[at + 3] / 4) + Math.ceil(this.#words[at + 3] / 32);
      default:
        return 0;
    }
  }

  /** All events in order. */
  *events() {
    for (let index = 0; index < this.length; index += 1) yield this.event(index);
  }

  /** One event: kind, simdgroup, place (file, line, column, function), mask, and what belongs to the kind. */
  event(index) {
    const words = this.#words;
    const at = this.#index()[index];
    const [head, place, mask, extra] = words.subarray(at, at + 4);
    const payload = words.subarray(at + 4, at + 4 + this.#payload(at));
    const detail = (head >> 16) & 255;
    const event = {
      index,
      kind: KINDS[head & 255],
      simdgroup: (head >> 8) & 255,
      place: place === NONE ? null : this.places[place],
      mask,
    };
    switch (event.kind) {
      case "block":
        event.block = extra;
        break;
      case "values":
        event.format = FORMATS[detail];
        event.undefined = extra;
        event.rows = this.#rows(payload, event.format, head >>> 24);
        break;
      case "load":
      case "store":
      case "atomic":
        event.memory = MEMORIES[detail];
        event.size = extra;
        event.offsets = payload.subarray(0, LANES);
        if (event.memory === "device") event.buffers = payload.subarray(LANES);
        break;
      case "stored":
        event.low = payload.subarray(0, LANES);
        event.high = payload.subarray(LANES);
        break;
      case "call":
        event.callee = this.functions[extra];
        break;
      case "phase": {
        const bytes = new Uint8Array(payload.slice(0, Math.ceil(extra / 4)).buffer, 0, extra);
        const bits = payload.subarray(Math.ceil(extra / 4));
        event.memory = bytes;
        event.isWritten = (offset) => ((bits[offset >> 5] >>> (offset & 31)) & 1) === 1;
        break;
      }
    }
    return event;
  }

  /** Values by row and lane. */
  #rows(payload, format, count) {
    const isWide = format === "i64" || format === "pointer";
    const stride = isWide ? 2 * LANES : LANES;
    const rows = [];
    for (let row = 0; row < count; row += 1) {
      const words = payload.subarray(row * stride, (row + 1) * stride);
      rows.push(Array.from({ length: LANES }, (_, lane) => {
        const bits = words[lane];
        switch (format) {
          case "bool":
            return bits !== 0;
          case "i8":
            return (bits << 24) >> 24;
          case "i16":
            return (bits << 16) >> 16;
          case "i32":
            return bits | 0;
          case "f16":
            return halfToNumber(bits);
          case "bf16":
            return bitsToFloat(bits << 16);
          case "f32":
            return bitsToFloat(bits);
          default:
            return isWide ? BigInt.asIntN(64, (BigInt(words[LANES + lane]) << 32n) | BigInt(bits)) : bits;
        }
      }));
    }
    return rows;
  }

  /** The masks under which something on a line was done, one for each simdgroup and distinct mask. */
  masks(line) {
    const seen = new Map();
    for (const { place, simdgroup, mask, kind } of this.events()) {
      if (place?.line !== line || kind === "phase") continue;
      seen.set(`${simdgroup}:${mask}`, { simdgroup, mask });
    }
    return [...seen.values()];
  }
}
