// Type traits and numeric limits: all of it is decided when compiling.
#include <metal_stdlib>
using namespace metal;

struct Empty {};
struct Base { int x; };
struct Derived : Base { int y; };
enum class Color : uchar { red };
enum Plain { one };
struct Functor { float operator()(int) const { return 1.0f; } };

static_assert(is_same_v<int, int> && !is_same_v<int, uint>, "");
static_assert(is_same<float4, vec<float, 4>>::value, "");
static_assert(is_same_v<metal::float4, float4> && is_same_v<packed_float3, metal::packed_float3>, "");
static_assert(is_same_v<float4x4, matrix<float, 4, 4>>, "");
static_assert(is_same_v<uint8_t, uchar> && is_same_v<size_t, ulong> && is_same_v<int64_t, long>, "");
static_assert(is_same_v<enable_if_t<true, int>, int>, "");
static_assert(is_same_v<conditional_t<true, int, float>, int> && is_same_v<conditional_t<false, int, float>, float>, "");
static_assert(is_same_v<void_t<int, float>, void>, "");
static_assert(is_integral_v<int> && is_integral_v<bool> && is_integral_v<ulong> && !is_integral_v<float>, "");
static_assert(is_integral_v<const int> && is_integral_v<uint3>, "vectors have their elements' kind");
static_assert(is_floating_point_v<half> && is_floating_point_v<bfloat> && is_floating_point_v<float2>, "");
static_assert(!is_floating_point_v<int> && !is_floating_point_v<Empty>, "");
static_assert(is_scalar_v<int> && is_scalar_v<half> && !is_scalar_v<float2> && !is_scalar_v<Base>, "");
static_assert(is_vector_v<float2> && !is_vector_v<float>, "");
static_assert(is_signed_v<int> && is_signed_v<float> && !is_signed_v<uint> && is_unsigned_v<uchar>, "");
static_assert(is_arithmetic_v<half> && !is_arithmetic_v<Base>, "");
static_assert(is_enum_v<Color> && is_enum_v<Plain> && !is_enum_v<int>, "");
static_assert(is_class_v<Base> && !is_class_v<int>, "");
static_assert(is_empty_v<Empty> && !is_empty_v<Base>, "");
static_assert(is_base_of_v<Base, Derived> && !is_base_of_v<Derived, Base>, "");
static_assert(is_convertible_v<int, float> && !is_convertible_v<Base, int>, "");
static_assert(is_pointer_v<device int *> && !is_pointer_v<int>, "");
static_assert(is_const_v<const int> && !is_const_v<int>, "");
static_assert(is_void_v<void>, "");
static_assert(is_array_v<int[3]> && extent_v<int[3]> == 3 && rank_v<int[3][4]> == 2, "");
static_assert(is_same_v<remove_cv_t<const volatile int>, int>, "");
static_assert(is_same_v<remove_reference_t<thread int &>, int>, "");
static_assert(is_same_v<remove_pointer_t<thread int *>, int>, "");
static_assert(is_same_v<make_unsigned_t<int>, uint> && is_same_v<make_signed_t<ulong>, long>, "");
static_assert(is_same_v<make_unsigned_t<short2>, ushort2>, "");
static_assert(is_same_v<make_vec_t<float, 3>, float3> && is_same_v<make_vec_t<half, 1>, half>, "");
static_assert(is_same_v<underlying_type_t<Color>, uchar>, "");
static_assert(is_same_v<decltype(declval<Functor>()(1)), float>, "");
static_assert(is_same_v<invoke_result_t<Functor, int>, float>, "");
static_assert(is_same_v<common_type_t<int, float>, float>, "");
static_assert(conjunction_v<true_type, true_type> && !conjunction_v<true_type, false_type>, "");
static_assert(disjunction_v<false_type, true_type> && negation_v<false_type>, "");
static_assert(_disjunction<is_same<int, float>, is_same<int, int>>::value, "");
static_assert(integral_constant<int, 3>::value == 3 && integral_constant<int, 3>() == 3, "");
static_assert(bool_constant<true>::value && !false_type::value, "");
static_assert(tuple_size_v<tuple<int, float>> == 2, "");
static_assert(is_same_v<tuple_element_t<1, tuple<int, float>>, float>, "");
static_assert(is_same_v<make_index_sequence<3>, index_sequence<0, 1, 2>>, "");
static_assert(integer_sequence<int, 4, 5>::size() == 2, "");

static_assert(numeric_limits<int>::max() == 2147483647 && numeric_limits<int>::min() == INT_MIN, "");
static_assert(numeric_limits<uint>::max() == 4294967295u && numeric_limits<uint>::lowest() == 0, "");
static_assert(numeric_limits<char>::min() == -128 && numeric_limits<uchar>::max() == 255, "");
static_assert(numeric_limits<short>::max() == 32767 && numeric_limits<ushort>::max() == 65535, "");
static_assert(numeric_limits<long>::min() == LONG_MIN && numeric_limits<ulong>::max() == ULONG_MAX, "");
static_assert(numeric_limits<bool>::max() && numeric_limits<int>::digits == 31, "");
static_assert(numeric_limits<float>::max() == FLT_MAX && numeric_limits<float>::lowest() == -FLT_MAX, "");
static_assert(numeric_limits<float>::infinity() > FLT_MAX && numeric_limits<float>::has_infinity, "");
static_assert(numeric_limits<float>::epsilon() == FLT_EPSILON && numeric_limits<float>::digits == 24, "");
static_assert(numeric_limits<half>::max() == MAXHALF && numeric_limits<half>::epsilon() == 0.0009765625h, "");
static_assert(float(numeric_limits<bfloat>::max()) > 3.3e38f && !numeric_limits<int>::has_infinity, "");
static_assert(numeric_limits<float>::quiet_NaN() != numeric_limits<float>::quiet_NaN(), "");
static_assert(!numeric_limits<Base>::is_specialized && numeric_limits<half>::is_specialized, "");
static_assert(CHAR_BIT == 8 && MAXFLOAT == FLT_MAX && INFINITY == HUGE_VALF && NAN != NAN, "");
static_assert(sizeof(float3) == 16 && sizeof(packed_float3) == 12 && sizeof(half3) == 8, "");
static_assert((mem_flags::mem_device | mem_flags::mem_threadgroup) == mem_flags(3), "");

struct Wide { int x; };
template <> struct metal::_numeric_limits_impl<Wide> : metal::_fp_numeric_limits_impl_base {
  static constexpr int max() { return 5; }
};
static_assert(numeric_limits<Wide>::max() == 5 && numeric_limits<Wide>::has_infinity, "");
static_assert(numeric_limits<const int>::digits == 31, "");
static_assert(__is_valid_simdgroup_type<half>::value && __is_valid_simdgroup_type<uint4>::value, "");
static_assert(!__is_valid_simdgroup_type<long>::value && !__is_valid_simdgroup_type<bfloat>::value, "");
static_assert(!__is_valid_simdgroup_type<Wide>::value, "");

kernel void k(device uint *out) {
  assert(out != nullptr);
  out[0] = 1;
}
