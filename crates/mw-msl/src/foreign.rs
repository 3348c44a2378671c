//! Names of other languages and libraries that people type in Metal, and what Metal has for them.

/// What to write in Metal for a foreign name.
pub(crate) fn meaning(text: &str) -> Option<&'static str> {
    types(text).or_else(|| cuda(text)).or_else(|| graphics(text)).or_else(|| c_library(text))
}

fn types(text: &str) -> Option<&'static str> {
    Some(match text {
        "bfloat16_t" | "__nv_bfloat16" | "nv_bfloat16" | "bf16" | "bfloat16" => {
            "Metal's type is `bfloat` (MSL 3.1 and later); `bfloat16_t` is a typedef of MLX kernels only"
        }
        "float16_t" | "__half" | "fp16" | "float16" | "f16" => {
            "Metal's type is `half`; `float16_t` is a typedef of MLX kernels only"
        }
        "__half2" | "__nv_bfloat162" => "Metal's vector types are `half2` and `bfloat2`",
        "float32_t" | "float32" | "f32" => "Metal's type is `float`",
        "float64_t" | "float64" | "f64" => "Metal has no `double`: its widest floating-point type is `float`",
        "int8" | "i8" => "Metal's type is `char` (or `int8_t`)",
        "uint8" | "u8" | "byte" => "Metal's type is `uchar` (or `uint8_t`)",
        "int16" | "i16" => "Metal's type is `short` (or `int16_t`)",
        "uint16" | "u16" => "Metal's type is `ushort` (or `uint16_t`)",
        "int32" | "i32" => "Metal's type is `int` (or `int32_t`)",
        "uint32" | "u32" => "Metal's type is `uint` (or `uint32_t`)",
        "int64" | "i64" => "Metal's type is `long` (or `int64_t`)",
        "uint64" | "u64" => "Metal's type is `ulong` (or `uint64_t`)",
        "float8" | "float16x1" | "half8" | "int16x8" => {
            "Metal's vectors have up to 4 components: take an array or a struct of two `float4`"
        }
        "vec2" => "Metal's type is `float2`",
        "vec3" => "Metal's type is `float3`",
        "vec4" => "Metal's type is `float4`",
        "ivec2" => "Metal's type is `int2`",
        "ivec3" => "Metal's type is `int3`",
        "ivec4" => "Metal's type is `int4`",
        "uvec2" => "Metal's type is `uint2`",
        "uvec3" => "Metal's type is `uint3`",
        "uvec4" => "Metal's type is `uint4`",
        "mat2" => "Metal's type is `float2x2`",
        "mat3" => "Metal's type is `float3x3`",
        "mat4" => "Metal's type is `float4x4`",
        "dim3" => "Metal's type is `uint3`",
        "let" | "var" => "write the type of the variable, or `auto`",
        "fn" | "func" | "def" => "a function begins with the type of its result",
        "string" => "Metal has no strings",
        "tensor" => "include `<metal_tensor>` (MSL 4.0)",
        "vector" => "Metal has no `vector`: use an array of constant size, `array<T, N>` or a buffer",
        _ => return None,
    })
}

fn cuda(text: &str) -> Option<&'static str> {
    Some(match text {
        "__global__" | "__kernel" => "write `kernel` before `void`",
        "__device__" | "__host__" | "__forceinline__" => "write `inline`, or nothing",
        "__global" => "write `device`",
        "__local" | "__shared__" | "shared" | "groupshared" => "write `threadgroup`",
        "__private" => "write `thread`",
        "__constant__" | "__constant" => "write `constant`",
        "__restrict__" => "write nothing, or `__restrict`",
        "__syncthreads" => "write `threadgroup_barrier(mem_flags::mem_threadgroup)`",
        "__syncwarp" => "write `simdgroup_barrier(mem_flags::mem_threadgroup)`",
        "__threadfence" | "__threadfence_block" => {
            "write `atomic_thread_fence(mem_flags::mem_device, memory_order_seq_cst)` (MSL 3.2)"
        }
        "threadIdx" => "declare a parameter `uint3 t [[thread_position_in_threadgroup]]`",
        "blockIdx" => "declare a parameter `uint3 g [[threadgroup_position_in_grid]]`",
        "blockDim" => "declare a parameter `uint3 n [[threads_per_threadgroup]]`",
        "gridDim" => "declare a parameter `uint3 n [[threadgroups_per_grid]]`",
        "warpSize" => "declare a parameter `uint n [[threads_per_simdgroup]]`: it is 32 on every Apple GPU",
        "atomicAdd" | "atomic_add" => {
            "write `atomic_fetch_add_explicit(p, x, memory_order_relaxed)` on a `device atomic_…*`"
        }
        "atomicSub" | "atomic_sub" => {
            "write `atomic_fetch_sub_explicit(p, x, memory_order_relaxed)` on a `device atomic_…*`"
        }
        "atomicMax" | "atomic_max" => {
            "write `atomic_fetch_max_explicit(p, x, memory_order_relaxed)` on a `device atomic_…*`"
        }
        "atomicMin" | "atomic_min" => {
            "write `atomic_fetch_min_explicit(p, x, memory_order_relaxed)` on a `device atomic_…*`"
        }
        "atomicOr" => "write `atomic_fetch_or_explicit(p, x, memory_order_relaxed)` on a `device atomic_…*`",
        "atomicAnd" => {
            "write `atomic_fetch_and_explicit(p, x, memory_order_relaxed)` on a `device atomic_…*`"
        }
        "atomicXor" => {
            "write `atomic_fetch_xor_explicit(p, x, memory_order_relaxed)` on a `device atomic_…*`"
        }
        "atomicExch" => {
            "write `atomic_exchange_explicit(p, x, memory_order_relaxed)` on a `device atomic_…*`"
        }
        "atomicCAS" => {
            "write `atomic_compare_exchange_weak_explicit(p, &expected, x, memory_order_relaxed, memory_order_relaxed)`"
        }
        "atomic_fetch_add"
        | "atomic_fetch_sub"
        | "atomic_fetch_max"
        | "atomic_fetch_min"
        | "atomic_fetch_or"
        | "atomic_fetch_and"
        | "atomic_fetch_xor"
        | "atomic_load"
        | "atomic_store"
        | "atomic_exchange"
        | "atomic_compare_exchange_weak"
        | "atomic_compare_exchange_strong" => {
            "Metal's atomic functions end in `_explicit` and take a memory order: `…_explicit(…, memory_order_relaxed)`"
        }
        "atomic_compare_exchange_strong_explicit" => {
            "write `atomic_compare_exchange_weak_explicit`, in a loop"
        }
        "__shfl_sync" | "__shfl" => "write `simd_shuffle(x, lane)`",
        "__shfl_down_sync" | "__shfl_down" => "write `simd_shuffle_down(x, delta)`",
        "__shfl_up_sync" | "__shfl_up" => "write `simd_shuffle_up(x, delta)`",
        "__shfl_xor_sync" | "__shfl_xor" => "write `simd_shuffle_xor(x, mask)`",
        "__ballot_sync" => "write `simd_ballot(condition)`",
        "__any_sync" => "write `simd_any(condition)`",
        "__all_sync" => "write `simd_all(condition)`",
        "__activemask" => "write `simd_active_threads_mask()`",
        "__ldg" => "read the `const device` pointer itself",
        "__popc" | "__popcll" => "write `popcount`",
        "__clz" | "__clzll" => "write `clz`",
        "__ffs" => "write `ctz(x) + 1`",
        "__brev" => "write `reverse_bits`",
        "__fmaf_rn" | "__fmaf" => "write `fma`",
        "__fdividef" => "write `fast::divide(x, y)`",
        "__float2half" | "__float2half_rn" => "write `half(x)`",
        "__half2float" => "write `float(x)`",
        "__float2bfloat16" | "__float2bfloat16_rn" => "write `bfloat(x)`",
        "__bfloat162float" => "write `float(x)`",
        "__float_as_int" => "write `as_type<int>(x)`",
        "__float_as_uint" => "write `as_type<uint>(x)`",
        "__int_as_float" | "__uint_as_float" => "write `as_type<float>(x)`",
        "make_float2" => "write `float2(x, y)`",
        "make_float3" => "write `float3(x, y, z)`",
        "make_float4" => "write `float4(x, y, z, w)`",
        "make_int2" => "write `int2(x, y)`",
        "make_int3" => "write `int3(x, y, z)`",
        "make_int4" => "write `int4(x, y, z, w)`",
        "make_uint2" => "write `uint2(x, y)`",
        "make_uint3" => "write `uint3(x, y, z)`",
        "make_uint4" => "write `uint4(x, y, z, w)`",
        "make_half2" => "write `half2(x, y)`",
        "cooperative_groups" | "cg" => "Metal has simdgroups and threadgroups instead of cooperative groups",
        "get_global_id" => "declare a parameter `uint3 i [[thread_position_in_grid]]`",
        "get_local_id" => "declare a parameter `uint3 t [[thread_position_in_threadgroup]]`",
        "get_group_id" => "declare a parameter `uint3 g [[threadgroup_position_in_grid]]`",
        "get_global_size" => "declare a parameter `uint3 n [[threads_per_grid]]`",
        "get_local_size" => "declare a parameter `uint3 n [[threads_per_threadgroup]]`",
        "get_num_groups" => "declare a parameter `uint3 n [[threadgroups_per_grid]]`",
        "vload4" | "vstore4" | "vload2" | "vstore2" => "use a pointer to `packed_float4` or `float4`",
        "convert_float" | "convert_int" | "convert_float4" => "write the type as a function: `float(x)`",
        "as_float" => "write `as_type<float>(x)`",
        "as_int" => "write `as_type<int>(x)`",
        "as_uint" | "asuint" | "floatBitsToUint" => "write `as_type<uint>(x)`",
        "asfloat" | "uintBitsToFloat" | "intBitsToFloat" => "write `as_type<float>(x)`",
        "thread_position_in_grid"
        | "thread_position_in_threadgroup"
        | "threadgroup_position_in_grid"
        | "threads_per_threadgroup"
        | "threads_per_grid"
        | "thread_index_in_threadgroup"
        | "thread_index_in_simdgroup"
        | "simdgroup_index_in_threadgroup"
        | "threadgroups_per_grid" => {
            "this is an attribute: declare a parameter with it, such as `uint i [[thread_position_in_grid]]`"
        }
        "visible_function_table"
        | "intersection_function_table"
        | "acceleration_structure"
        | "intersector"
        | "imageblock" => "this compiler supports compute kernels over buffers only",
        _ => return None,
    })
}

fn graphics(text: &str) -> Option<&'static str> {
    Some(match text {
        "gl_GlobalInvocationID" | "SV_DispatchThreadID" => {
            "declare a parameter `uint3 i [[thread_position_in_grid]]`"
        }
        "gl_LocalInvocationID" | "SV_GroupThreadID" => {
            "declare a parameter `uint3 t [[thread_position_in_threadgroup]]`"
        }
        "gl_LocalInvocationIndex" | "SV_GroupIndex" => {
            "declare a parameter `uint t [[thread_index_in_threadgroup]]`"
        }
        "gl_WorkGroupID" | "SV_GroupID" => "declare a parameter `uint3 g [[threadgroup_position_in_grid]]`",
        "barrier" | "GroupMemoryBarrierWithGroupSync" | "memoryBarrierShared" | "workgroupBarrier" => {
            "write `threadgroup_barrier(mem_flags::mem_threadgroup)`"
        }
        "mem_none"
        | "mem_device"
        | "mem_threadgroup"
        | "mem_texture"
        | "CLK_LOCAL_MEM_FENCE"
        | "CLK_GLOBAL_MEM_FENCE" => {
            "the flags are `mem_flags::mem_threadgroup`, `mem_flags::mem_device` and so on"
        }
        "lerp" => "write `mix(a, b, t)`",
        "frac" => "write `fract`",
        "ddx" | "dFdx" => "Metal's kernels have no derivatives; fragment functions write `dfdx`",
        "ddy" | "dFdy" => "Metal's kernels have no derivatives; fragment functions write `dfdy`",
        "mul" => "write `a * b`",
        "mod" => "write `fmod(a, b)`",
        "inversesqrt" => "write `rsqrt`",
        "inverse" => "Metal has no `inverse` of matrices: write it out",
        "mad" => "write `fma(a, b, c)`",
        "rcp" => "write `1.0f / x`",
        "f32tof16" => "write `half(x)`",
        "f16tof32" => "write `float(x)`",
        "bitCount" | "countbits" | "bitcount" | "countOneBits" => "write `popcount`",
        "greaterThan" | "lessThan" | "equal" | "notEqual" => "compare vectors with `>`, `<`, `==` and `!=`",
        "subgroupAdd" | "WaveActiveSum" => "write `simd_sum`",
        "subgroupMax" | "WaveActiveMax" => "write `simd_max`",
        "subgroupMin" | "WaveActiveMin" => "write `simd_min`",
        "subgroupBroadcast" | "WaveReadLaneAt" => "write `simd_broadcast`",
        _ => return None,
    })
}

fn c_library(text: &str) -> Option<&'static str> {
    Some(match text {
        "std" => "Metal has no namespace `std`: its library lives in `metal`",
        "fmaxf" => "write `fmax`",
        "fminf" => "write `fmin`",
        "expf" | "__expf" => "write `exp`",
        "exp2f" => "write `exp2`",
        "logf" | "__logf" => "write `log`",
        "log2f" => "write `log2`",
        "tanhf" => "write `tanh`",
        "sinf" | "__sinf" => "write `sin`",
        "cosf" | "__cosf" => "write `cos`",
        "rsqrtf" => "write `rsqrt`",
        "sqrtf" => "write `sqrt`",
        "fabsf" => "write `fabs`",
        "floorf" => "write `floor`",
        "ceilf" => "write `ceil`",
        "roundf" => "write `round`",
        "fmodf" => "write `fmod`",
        "fmaf" => "write `fma`",
        "powf" | "__powf" => "write `pow`",
        "expm1" | "expm1f" => "Metal has no `expm1`: write `exp(x) - 1`, or a series for small `x`",
        "log1p" | "log1pf" => "Metal has no `log1p`: write `log(1 + x)`, or a series for small `x`",
        "erf" | "erff" => "Metal has no `erf`: write a polynomial approximation",
        "hypot" | "hypotf" => "Metal has no `hypot`: write `length(float2(x, y))`",
        "cbrt" => "Metal has no `cbrt`: write `pow(x, 1.0f / 3)` for positive `x`",
        "lgamma" | "tgamma" => "Metal has no gamma functions: write an approximation",
        "M_PI" => "Metal's constant is `M_PI_F` (or `M_PI_H` for `half`)",
        "M_E" => "Metal's constant is `M_E_F`",
        "M_SQRT2" => "Metal's constant is `M_SQRT2_F`",
        "M_LN2" => "Metal's constant is `M_LN2_F`",
        "DBL_MAX" | "DBL_MIN" | "DBL_EPSILON" => "Metal has no `double`: write `FLT_MAX` and so on",
        "malloc" | "calloc" | "free" | "realloc" => {
            "kernels cannot allocate memory: use an array of constant size, or a buffer"
        }
        "memcpy" | "memset" | "memmove" => "Metal has no such function: copy in a loop",
        "assert" => "Metal has no `assert`: write a value into a buffer, or use `static_assert`",
        "printf" => "Metal has no `printf`: write a value into a buffer, or log with `os_log` (MSL 3.2)",
        "cout" | "cerr" => {
            "kernels cannot print: write a value into a buffer, or log with `os_log` (MSL 3.2)"
        }
        "True" => "write `true`",
        "False" => "write `false`",
        "None" | "null" | "nil" => "write `nullptr`",
        "elif" => "write `else if`",
        "rand" => "Metal has no random numbers: write a generator, with its state in a buffer",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::meaning;

    #[test]
    fn what_metal_has_is_not_foreign() {
        for name in crate::stdlib::function_names() {
            assert_eq!(meaning(name), None, "`{name}` is Metal's own");
        }
        assert!(meaning("threadIdx").is_some_and(|help| help.contains("thread_position_in_threadgroup")));
    }
}
