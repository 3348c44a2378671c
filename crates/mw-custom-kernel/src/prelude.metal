// What kernels written for `mx.fast.metal_kernel` find before their first line. The names are MLX's; the code
// is not. Types of MLX's arrays, limits, index arithmetic, and the functions that Metal's library lacks for
// bfloat, bool, 64-bit and complex values.
#pragma once
#include <metal_stdlib>
#include <metal_math>

using namespace metal;

#define MTL_CONST constant
#define MLX_MTL_PRAGMA_UNROLL _Pragma("clang loop unroll(full)")
#define MLX_MTL_LOOP_UNROLL _Pragma("clang loop unroll(full)")
#define instantiate_kernel(name, func, ...) \
  template [[host_name(name)]] [[kernel]] decltype(func<__VA_ARGS__>) func<__VA_ARGS__>;

static constant constexpr int MAX_REDUCE_SPECIALIZED_DIMS = 4;
static constant constexpr int REDUCE_N_READS = 4;
static constant constexpr int REDUCE_N_WRITES = 4;
static constant constexpr int SOFTMAX_N_READS = 4;
static constant constexpr int RMS_N_READS = 4;
static constant constexpr int RMS_LOOPED_LIMIT = 4096;
static constant constexpr int CROSS_ENTROPY_N_READS = 4;

// Types.

typedef half float16_t;
typedef bfloat bfloat16_t;

inline uint16_t bfloat16_to_uint16(const bfloat16_t x) { return as_type<uint16_t>(x); }
inline bfloat16_t uint16_to_bfloat16(const uint16_t x) { return as_type<bfloat16_t>(x); }

template <bool condition, typename T, typename U>
struct ConditionalType {
  using type = U;
};
template <typename T, typename U>
struct ConditionalType<true, T, U> {
  using type = T;
};

template <typename U>
struct WorkPerThread {
  static_assert(sizeof(U) <= 8, "Type too large");
  static constexpr int constant n = 8 / sizeof(U);
};

template <typename T>
struct complex_t;
template <typename T>
static constexpr constant bool is_complex_v = false;
template <typename T>
static constexpr constant bool is_complex_v<complex_t<T>> = true;
template <typename From, typename To>
static constexpr constant bool is_lane_convertible_v = is_convertible_v<From, To> ||
    (is_same_v<To, bfloat16_t> && is_convertible_v<From, float>) ||
    (is_same_v<From, bfloat16_t> && is_convertible_v<float, To>);

#define MW_REAL_ONLY(from, to) \
  typename = typename enable_if<!is_complex_v<U> && is_lane_convertible_v<from, to>>::type
#define MW_COMPLEX_MEMBERS(space)                                                                           \
  template <typename U, MW_REAL_ONLY(U, T)>                                                                 \
  constexpr complex_t(U value) space : real(static_cast<T>(value)), imag(static_cast<T>(0)) {}              \
  template <typename U, typename = typename enable_if<!is_same_v<U, T> && is_lane_convertible_v<U, T>>::type> \
  constexpr complex_t(complex_t<U> value) space : real(static_cast<T>(value.real)),                         \
                                                  imag(static_cast<T>(value.imag)) {}                       \
  constexpr complex_t(vec<T, 2> value) space : real(value.x), imag(value.y) {}                              \
  constexpr operator vec<T, 2>() const space { return vec<T, 2>(real, imag); }                              \
  template <typename U, MW_REAL_ONLY(T, U)>                                                                 \
  constexpr operator U() const space {                                                                      \
    return static_cast<U>(real);                                                                            \
  }

template <typename T>
struct complex_t {
  T real;
  T imag;
  constexpr complex_t(T re, T im) thread : real(re), imag(im) {}
  constexpr complex_t() thread : real(0), imag(0) {}
  constexpr complex_t() threadgroup : real(0), imag(0) {}
  MW_COMPLEX_MEMBERS(thread)
  MW_COMPLEX_MEMBERS(threadgroup)
  MW_COMPLEX_MEMBERS(device)
  MW_COMPLEX_MEMBERS(constant)
};

using complex32_t = complex_t<half>;
using complex64_t = complex_t<float>;

template <typename T>
constexpr complex_t<T> operator-(complex_t<T> x) {
  return complex_t<T>(-x.real, -x.imag);
}
// Ordered by the real part first.
template <typename T>
constexpr bool operator==(complex_t<T> a, complex_t<T> b) {
  return a.real == b.real && a.imag == b.imag;
}
template <typename T>
constexpr bool operator>(complex_t<T> a, complex_t<T> b) {
  return a.real == b.real ? a.imag > b.imag : a.real > b.real;
}
template <typename T>
constexpr bool operator>=(complex_t<T> a, complex_t<T> b) {
  return a.real == b.real ? a.imag >= b.imag : a.real > b.real;
}
template <typename T>
constexpr bool operator<(complex_t<T> a, complex_t<T> b) {
  return b > a;
}
template <typename T>
constexpr bool operator<=(complex_t<T> a, complex_t<T> b) {
  return b >= a;
}
template <typename T>
constexpr complex_t<T> operator+(complex_t<T> a, complex_t<T> b) {
  return complex_t<T>(a.real + b.real, a.imag + b.imag);
}
template <typename T>
constexpr complex_t<T> operator-(complex_t<T> a, complex_t<T> b) {
  return complex_t<T>(a.real - b.real, a.imag - b.imag);
}
template <typename T>
constexpr complex_t<T> operator*(complex_t<T> a, complex_t<T> b) {
  return complex_t<T>(a.real * b.real - a.imag * b.imag, a.real * b.imag + a.imag * b.real);
}
// Smith's method: the larger part of the divisor scales, so that nothing overflows on the way.
template <typename T>
constexpr complex_t<T> operator/(complex_t<T> a, complex_t<T> b) {
  const bool real_is_larger = (b.real < 0 ? -b.real : b.real) >= (b.imag < 0 ? -b.imag : b.imag);
  const float larger = real_is_larger ? b.real : b.imag;
  const float smaller = real_is_larger ? b.imag : b.real;
  const float ratio = smaller / larger;
  const float scale = larger + smaller * ratio;
  if (real_is_larger) {
    return complex_t<T>(static_cast<T>((a.real + a.imag * ratio) / scale),
                        static_cast<T>((a.imag - a.real * ratio) / scale));
  }
  return complex_t<T>(static_cast<T>((a.real * ratio + a.imag) / scale),
                      static_cast<T>((a.imag * ratio - a.real) / scale));
}
// Each part by itself, with the sign of the divisor, as Python's `%`.
template <typename T>
constexpr complex_t<T> operator%(complex_t<T> a, complex_t<T> b) {
  T re = a.real - b.real * static_cast<int64_t>(a.real / b.real);
  T im = a.imag - b.imag * static_cast<int64_t>(a.imag / b.imag);
  if (re != 0 && ((re < 0) != (b.real < 0))) {
    re += b.real;
  }
  if (im != 0 && ((im < 0) != (b.imag < 0))) {
    im += b.imag;
  }
  return complex_t<T>(re, im);
}

#define MW_COMPLEX_MIXED(op)                                                                               \
  template <typename T, typename U, typename = typename enable_if<!is_complex_v<U> && is_lane_convertible_v<U, T>>::type> \
  constexpr complex_t<T> operator op(U a, complex_t<T> b) {                                                \
    return complex_t<T>(a) op b;                                                                           \
  }                                                                                                        \
  template <typename T, typename U, typename = typename enable_if<!is_complex_v<U> && is_lane_convertible_v<U, T>>::type> \
  constexpr complex_t<T> operator op(complex_t<T> a, U b) {                                                \
    return a op complex_t<T>(b);                                                                           \
  }
MW_COMPLEX_MIXED(+)
MW_COMPLEX_MIXED(-)
MW_COMPLEX_MIXED(*)
MW_COMPLEX_MIXED(/)

#define MW_COMPLEX_ASSIGN(space)                                                             \
  template <typename T>                                                                      \
  constexpr space complex_t<T>& operator+=(space complex_t<T>& a, complex_t<T> b) {          \
    a.real += b.real;                                                                        \
    a.imag += b.imag;                                                                        \
    return a;                                                                                \
  }
MW_COMPLEX_ASSIGN(thread)
MW_COMPLEX_ASSIGN(threadgroup)
MW_COMPLEX_ASSIGN(device)

// Limits of types: those of floating-point types are infinite.

template <typename U>
struct Limits {
  static const constant U max = numeric_limits<U>::max();
  static const constant U min = numeric_limits<U>::min();
  static const constant U finite_max = numeric_limits<U>::max();
  static const constant U finite_min = numeric_limits<U>::min();
};
#define MW_FLOAT_LIMITS(type)                                                     \
  template <>                                                                     \
  struct Limits<type> {                                                           \
    static constexpr constant type max = numeric_limits<type>::infinity();        \
    static constexpr constant type min = -numeric_limits<type>::infinity();       \
    static constexpr constant type finite_max = numeric_limits<type>::max();      \
    static constexpr constant type finite_min = -numeric_limits<type>::max();     \
  };
MW_FLOAT_LIMITS(half)
MW_FLOAT_LIMITS(float)
MW_FLOAT_LIMITS(bfloat16_t)
template <>
struct Limits<bool> {
  static constexpr constant bool max = true;
  static constexpr constant bool min = false;
};
template <typename T>
struct Limits<complex_t<T>> {
  static constexpr constant complex_t<T> max =
      complex_t<T>(numeric_limits<T>::infinity(), numeric_limits<T>::infinity());
  static constexpr constant complex_t<T> min =
      complex_t<T>(-numeric_limits<T>::infinity(), -numeric_limits<T>::infinity());
};

// From an element's number in row order, or its position in three axes, to its place in memory.

template <typename IdxT = int64_t>
METAL_FUNC IdxT elem_to_loc(IdxT elem, constant const int* shape, constant const int64_t* strides, int ndim) {
  IdxT loc = 0;
  for (int axis = ndim - 1; axis >= 0 && elem > 0; --axis) {
    loc += (elem % shape[axis]) * IdxT(strides[axis]);
    elem /= shape[axis];
  }
  return loc;
}
// `elem.z` counts in row order over all axes but the last two.
template <typename IdxT = int64_t>
METAL_FUNC IdxT elem_to_loc(uint3 elem, constant const int* shape, constant const int64_t* strides, int ndim) {
  IdxT loc = IdxT(elem.x) * IdxT(strides[ndim - 1]) + IdxT(elem.y) * IdxT(strides[ndim - 2]);
  return loc + elem_to_loc<IdxT>(IdxT(elem.z), shape, strides, ndim - 2);
}
template <typename IdxT = int64_t>
METAL_FUNC IdxT elem_to_loc_1(uint elem, constant const int64_t& stride) {
  return IdxT(elem) * IdxT(stride);
}
template <typename IdxT = int64_t>
METAL_FUNC IdxT elem_to_loc_2(uint2 elem, constant const int64_t strides[2]) {
  return IdxT(elem.x) * IdxT(strides[1]) + IdxT(elem.y) * IdxT(strides[0]);
}
template <typename IdxT = int64_t>
METAL_FUNC IdxT elem_to_loc_3(uint3 elem, constant const int64_t strides[3]) {
  return IdxT(elem.x) * IdxT(strides[2]) + IdxT(elem.y) * IdxT(strides[1]) + IdxT(elem.z) * IdxT(strides[0]);
}
template <typename IdxT = int64_t>
METAL_FUNC vec<IdxT, 2> elem_to_loc_2_nd(
    uint3 elem, constant const int* shape, constant const int64_t* a_strides, constant const int64_t* b_strides,
    int ndim) {
  return vec<IdxT, 2>(elem_to_loc<IdxT>(elem, shape, a_strides, ndim),
                      elem_to_loc<IdxT>(elem, shape, b_strides, ndim));
}
template <typename IdxT = int64_t>
METAL_FUNC vec<IdxT, 3> elem_to_loc_3_nd(
    uint3 elem, constant const int* shape, constant const int64_t* a_strides, constant const int64_t* b_strides,
    constant const int64_t* c_strides, int ndim) {
  return vec<IdxT, 3>(elem_to_loc<IdxT>(elem, shape, a_strides, ndim),
                      elem_to_loc<IdxT>(elem, shape, b_strides, ndim),
                      elem_to_loc<IdxT>(elem, shape, c_strides, ndim));
}

// Walks over the elements of an array in row order without dividing for each; knows up to `DIM` axes by
// counting, what lies beyond by arithmetic.
template <int DIM, typename OffsetT = size_t, bool General = true>
struct LoopedElemToLoc {
  int dim;
  LoopedElemToLoc<DIM - 1, OffsetT, General> inner_looper;
  OffsetT offset{0};
  int index{0};

  LoopedElemToLoc(int axes) thread : dim(axes), inner_looper(axes - 1) {}

  void next(const constant int* shape, const constant int64_t* strides) thread { next(1, shape, strides); }
  void next(int n, const constant int* shape, const constant int64_t* strides) thread {
    if (dim == 0) {
      return;
    }
    const int length = shape[dim - 1];
    index += n;
    offset += OffsetT(n) * OffsetT(strides[dim - 1]);
    if (index >= length) {
      const int rows = index / length;
      index -= rows * length;
      inner_looper.next(rows, shape, strides);
      offset = inner_looper.offset + OffsetT(index) * OffsetT(strides[dim - 1]);
    }
  }
  OffsetT location() thread { return offset; }
};
template <typename OffsetT>
struct LoopedElemToLoc<1, OffsetT, true> {
  int dim;
  OffsetT offset{0};
  uint index{0};

  LoopedElemToLoc(int axes) thread : dim(axes) {}

  void next(const constant int* shape, const constant int64_t* strides) thread { next(1, shape, strides); }
  void next(int n, const constant int* shape, const constant int64_t* strides) thread {
    index += n;
    offset = dim > 1 ? elem_to_loc<OffsetT>(OffsetT(index), shape, strides, dim)
                     : OffsetT(index) * OffsetT(strides[0]);
  }
  OffsetT location() thread { return offset; }
};
template <typename OffsetT>
struct LoopedElemToLoc<1, OffsetT, false> {
  OffsetT offset{0};

  LoopedElemToLoc(int) thread {}

  void next(const constant int*, const constant int64_t* strides) thread { offset += OffsetT(strides[0]); }
  void next(int n, const constant int*, const constant int64_t* strides) thread {
    offset += OffsetT(n) * OffsetT(strides[0]);
  }
  OffsetT location() thread { return offset; }
};

// Functions.

template <typename T, typename U>
inline T ceildiv(T n, U m) {
  return (n + m - 1) / m;
}

template <typename U, typename T>
inline U cast_to(T value) {
  return static_cast<U>(value);
}
// A denormal is not zero.
template <>
inline bool cast_to<bool, float>(float value) {
  return (as_type<uint32_t>(value) << 1) != 0;
}
template <>
inline bool cast_to<bool, bfloat16_t>(bfloat16_t value) {
  return (as_type<uint16_t>(value) & 0x7FFF) != 0;
}
template <>
inline bool cast_to<bool, complex64_t>(complex64_t value) {
  return cast_to<bool>(value.real) || cast_to<bool>(value.imag);
}

// log(1 + x), corrected for what 1 + x lost.
inline float log1p(float x) {
  const float sum = 1.0f + x;
  if (sum == INFINITY) {
    return sum;
  }
  return sum == 1.0f ? x : x * (metal::log(sum) / (sum - 1.0f));
}
inline bfloat16_t log1p(bfloat16_t x) { return bfloat16_t(log1p(float(x))); }
inline complex64_t log1p(complex64_t z) {
  const float angle = metal::atan2(z.imag, 1.0f + z.real);
  const float square = z.real * (2.0f + z.real) + z.imag * z.imag;
  return complex64_t(0.5f * log1p(square), angle);
}
inline float hypot(float x, float y) {
  x = metal::fabs(x);
  y = metal::fabs(y);
  if (x == INFINITY || y == INFINITY) {
    return INFINITY;
  }
  const float larger = metal::max(x, y);
  const float ratio = metal::min(x, y) / larger;
  return larger == 0.0f ? 0.0f : larger * metal::sqrt(1.0f + ratio * ratio);
}

#define MW_SHUFFLE(name)                                                                                     \
  inline uint64_t name(uint64_t data, uint16_t n) { return as_type<uint64_t>(metal::name(as_type<uint2>(data), n)); } \
  inline int64_t name(int64_t data, uint16_t n) { return as_type<int64_t>(metal::name(as_type<uint2>(data), n)); } \
  inline bool name(bool data, uint16_t n) { return metal::name(static_cast<uint32_t>(data), n); }            \
  inline complex64_t name(complex64_t data, uint16_t n) {                                                    \
    return complex64_t(metal::name(data.real, n), metal::name(data.imag, n));                                \
  }
MW_SHUFFLE(simd_shuffle)
MW_SHUFFLE(simd_shuffle_down)
MW_SHUFFLE(simd_shuffle_up)
inline uint64_t simd_shuffle_and_fill_up(uint64_t data, uint64_t filling, uint16_t n) {
  return as_type<uint64_t>(metal::simd_shuffle_and_fill_up(as_type<uint2>(data), as_type<uint2>(filling), n));
}
inline int64_t simd_shuffle_and_fill_up(int64_t data, int64_t filling, uint16_t n) {
  return as_type<int64_t>(metal::simd_shuffle_and_fill_up(as_type<uint2>(data), as_type<uint2>(filling), n));
}
inline bool simd_shuffle_and_fill_up(bool data, bool filling, uint16_t n) {
  return metal::simd_shuffle_and_fill_up(static_cast<uint32_t>(data), static_cast<uint32_t>(filling), n);
}
inline complex64_t simd_shuffle_and_fill_up(complex64_t data, complex64_t filling, uint16_t n) {
  return complex64_t(metal::simd_shuffle_and_fill_up(data.real, filling.real, n),
                     metal::simd_shuffle_and_fill_up(data.imag, filling.imag, n));
}

// Which group of rows a tile belongs to: `offsets` holds the first row of each group and the end, `M` at most.
template <int BM>
METAL_FUNC bool schedule_row_tile(
    const device int32_t* offsets, const int num_groups, const int M, const int tile, const uint simd_lane_id,
    thread int& row, thread int& group, thread short& rows) {
  int before = 0;
  for (int first = 0; first < num_groups; first += 32) {
    const int candidate = first + int(simd_lane_id);
    int begin = 0;
    int end = 0;
    if (candidate < num_groups) {
      begin = offsets[candidate];
      end = candidate + 1 < num_groups ? offsets[candidate + 1] : M;
    }
    const int tiles = (end - begin + BM - 1) / BM;
    const int through = before + metal::simd_prefix_inclusive_sum(tiles);
    const bool is_owner = tile < through && tile >= through - tiles;
    const ulong owners = static_cast<ulong>(simd_vote::vote_t(metal::simd_ballot(is_owner)));
    if (owners != 0) {
      const ushort lane = ushort(metal::ctz(owners));
      row = metal::simd_shuffle(begin, lane) + (tile - metal::simd_shuffle(through - tiles, lane)) * BM;
      group = first + lane;
      rows = short(metal::min(BM, metal::simd_shuffle(end, lane) - row));
      return true;
    }
    before = metal::simd_shuffle(through, ushort(31));
  }
  return false;
}

// Metal's library has no function of bfloat: these compute in float and round once.

#define MW_BFLOAT_1(scope, name) \
  METAL_FUNC bfloat16_t name(bfloat16_t x) { return bfloat16_t(scope::name(float(x))); }
#define MW_BFLOAT_2(scope, name) \
  METAL_FUNC bfloat16_t name(bfloat16_t x, bfloat16_t y) { return bfloat16_t(scope::name(float(x), float(y))); }
#define MW_BFLOAT_3(scope, name)                                          \
  METAL_FUNC bfloat16_t name(bfloat16_t x, bfloat16_t y, bfloat16_t z) {  \
    return bfloat16_t(scope::name(float(x), float(y), float(z)));         \
  }
#define MW_BFLOAT_MATH(s)                                                                                    \
  MW_BFLOAT_1(s, abs) MW_BFLOAT_1(s, acos) MW_BFLOAT_1(s, acosh) MW_BFLOAT_1(s, asin) MW_BFLOAT_1(s, asinh)  \
  MW_BFLOAT_1(s, atan) MW_BFLOAT_1(s, atanh) MW_BFLOAT_1(s, ceil) MW_BFLOAT_1(s, cos) MW_BFLOAT_1(s, cosh)   \
  MW_BFLOAT_1(s, cospi) MW_BFLOAT_1(s, exp) MW_BFLOAT_1(s, exp10) MW_BFLOAT_1(s, exp2) MW_BFLOAT_1(s, fabs)  \
  MW_BFLOAT_1(s, floor) MW_BFLOAT_1(s, fract) MW_BFLOAT_1(s, log) MW_BFLOAT_1(s, log10) MW_BFLOAT_1(s, log2) \
  MW_BFLOAT_1(s, rint) MW_BFLOAT_1(s, round) MW_BFLOAT_1(s, rsqrt) MW_BFLOAT_1(s, sin) MW_BFLOAT_1(s, sinh)  \
  MW_BFLOAT_1(s, sinpi) MW_BFLOAT_1(s, sqrt) MW_BFLOAT_1(s, tan) MW_BFLOAT_1(s, tanh) MW_BFLOAT_1(s, tanpi)  \
  MW_BFLOAT_1(s, trunc) MW_BFLOAT_2(s, atan2) MW_BFLOAT_2(s, divide) MW_BFLOAT_2(s, fdim)                    \
  MW_BFLOAT_2(s, fmax) MW_BFLOAT_2(s, fmin) MW_BFLOAT_2(s, fmod) MW_BFLOAT_2(s, max) MW_BFLOAT_2(s, min)     \
  MW_BFLOAT_2(s, nextafter) MW_BFLOAT_2(s, pow) MW_BFLOAT_2(s, powr) MW_BFLOAT_3(s, fma)                     \
  MW_BFLOAT_3(s, fmax3) MW_BFLOAT_3(s, fmedian3) MW_BFLOAT_3(s, fmin3) MW_BFLOAT_3(s, max3)                  \
  MW_BFLOAT_3(s, median3) MW_BFLOAT_3(s, min3)                                                               \
  METAL_FUNC bfloat16_t frexp(bfloat16_t x, thread int& e) { return bfloat16_t(s::frexp(float(x), e)); }     \
  METAL_FUNC bfloat16_t ldexp(bfloat16_t x, int e) { return bfloat16_t(s::ldexp(float(x), e)); }
#define MW_BFLOAT_SHUFFLE(name)                                                   \
  METAL_FUNC bfloat16_t name(bfloat16_t data, ushort n) {                         \
    return as_type<bfloat16_t>(metal::name(as_type<ushort>(data), n));            \
  }
#define MW_BFLOAT_FILL(name)                                                                            \
  METAL_FUNC bfloat16_t name(bfloat16_t data, bfloat16_t filling, ushort n) {                           \
    return as_type<bfloat16_t>(metal::name(as_type<ushort>(data), as_type<ushort>(filling), n));        \
  }                                                                                                     \
  METAL_FUNC bfloat16_t name(bfloat16_t data, bfloat16_t filling, ushort n, ushort modulo) {            \
    return as_type<bfloat16_t>(metal::name(as_type<ushort>(data), as_type<ushort>(filling), n, modulo)); \
  }

namespace metal {
MW_BFLOAT_MATH(metal)
namespace fast {
MW_BFLOAT_MATH(metal::fast)
}
namespace precise {
MW_BFLOAT_MATH(metal::precise)
}
MW_BFLOAT_SHUFFLE(simd_broadcast)
MW_BFLOAT_SHUFFLE(simd_shuffle)
MW_BFLOAT_SHUFFLE(simd_shuffle_down)
MW_BFLOAT_SHUFFLE(simd_shuffle_up)
MW_BFLOAT_SHUFFLE(simd_shuffle_rotate_down)
MW_BFLOAT_SHUFFLE(simd_shuffle_rotate_up)
MW_BFLOAT_SHUFFLE(simd_shuffle_xor)
MW_BFLOAT_FILL(simd_shuffle_and_fill_down)
MW_BFLOAT_FILL(simd_shuffle_and_fill_up)
MW_BFLOAT_1(metal, simd_max)
MW_BFLOAT_1(metal, simd_min)
MW_BFLOAT_1(metal, simd_sum)
MW_BFLOAT_1(metal, simd_product)
MW_BFLOAT_1(metal, simd_prefix_exclusive_sum)
MW_BFLOAT_1(metal, simd_prefix_inclusive_sum)
MW_BFLOAT_1(metal, simd_prefix_exclusive_product)
MW_BFLOAT_1(metal, simd_prefix_inclusive_product)
}
