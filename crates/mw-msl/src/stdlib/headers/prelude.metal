// Metal's standard library as far as it is written in MSL. Comes before every source.
//
// Traits that the compiler answers: __is_convertible_to(From, To), __is_base_of(Base, Derived), __is_empty(T),
// __is_enum(T), __is_class(T), __is_union(T), __is_constructible(T, Args...), __is_trivially_copyable(T).

// Scalars.
typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
typedef signed char int8_t;
typedef unsigned char uint8_t;
typedef short int16_t;
typedef unsigned short uint16_t;
typedef int int32_t;
typedef unsigned int uint32_t;
typedef long int64_t;
typedef unsigned long uint64_t;
typedef unsigned long size_t;
typedef long ptrdiff_t;
typedef long intptr_t;
typedef unsigned long uintptr_t;

// Vectors and matrices, at global scope and in namespace metal.
#define __METAL_VECTORS(T)                                                     \
  typedef __metal_vec<T, 2> T##2;                                              \
  typedef __metal_vec<T, 3> T##3;                                              \
  typedef __metal_vec<T, 4> T##4;                                              \
  typedef __metal_packed_vec<T, 2> packed_##T##2;                              \
  typedef __metal_packed_vec<T, 3> packed_##T##3;                              \
  typedef __metal_packed_vec<T, 4> packed_##T##4;                              \
  namespace metal {                                                            \
  using ::T##2;                                                                \
  using ::T##3;                                                                \
  using ::T##4;                                                                \
  using ::packed_##T##2;                                                       \
  using ::packed_##T##3;                                                       \
  using ::packed_##T##4;                                                       \
  }
#define __METAL_MATRICES_OF_COLUMNS(T, C)                                      \
  typedef __metal_matrix<T, C, 2> T##C##x2;                                    \
  typedef __metal_matrix<T, C, 3> T##C##x3;                                    \
  typedef __metal_matrix<T, C, 4> T##C##x4;                                    \
  namespace metal {                                                            \
  using ::T##C##x2;                                                            \
  using ::T##C##x3;                                                            \
  using ::T##C##x4;                                                            \
  }
__METAL_VECTORS(bool)
__METAL_VECTORS(char)
__METAL_VECTORS(uchar)
__METAL_VECTORS(short)
__METAL_VECTORS(ushort)
__METAL_VECTORS(int)
__METAL_VECTORS(uint)
__METAL_VECTORS(long)
__METAL_VECTORS(ulong)
__METAL_VECTORS(half)
__METAL_VECTORS(bfloat)
__METAL_VECTORS(float)
__METAL_MATRICES_OF_COLUMNS(half, 2)
__METAL_MATRICES_OF_COLUMNS(half, 3)
__METAL_MATRICES_OF_COLUMNS(half, 4)
__METAL_MATRICES_OF_COLUMNS(float, 2)
__METAL_MATRICES_OF_COLUMNS(float, 3)
__METAL_MATRICES_OF_COLUMNS(float, 4)
#undef __METAL_VECTORS
#undef __METAL_MATRICES_OF_COLUMNS

typedef __metal_atomic<bool> atomic_bool;
typedef __metal_atomic<int> atomic_int;
typedef __metal_atomic<uint> atomic_uint;
typedef __metal_atomic<long> atomic_long;
typedef __metal_atomic<ulong> atomic_ulong;
typedef __metal_atomic<float> atomic_float;

// Words that sources use as if they belonged to the language.
#define METAL_FUNC inline __attribute__((__always_inline__))
#define METAL_CONST_ARG(x)
#define METAL_ASM(x)
#define NULL 0
#define assert(condition) ((void)0)
#ifndef __METAL_MEMORY_SCOPE_SYSTEM__
#define __METAL_MEMORY_SCOPE_SYSTEM__ 3
#endif
// Values of the last argument of `__metal_…` functions.
#define __METAL_PRECISE_MATH__ 0
#define __METAL_FAST_MATH__ 1
#define __METAL_MAYBE_FAST_MATH__ 2

// Limits of numbers.
#define CHAR_BIT 8
#define SCHAR_MAX 127
#define SCHAR_MIN (-128)
#define UCHAR_MAX 255
#define CHAR_MAX 127
#define CHAR_MIN (-128)
#define SHRT_MAX 32767
#define SHRT_MIN (-32768)
#define USHRT_MAX 65535
#define INT_MAX 2147483647
#define INT_MIN (-2147483647 - 1)
#define UINT_MAX 4294967295u
#define LONG_MAX 9223372036854775807l
#define LONG_MIN (-9223372036854775807l - 1l)
#define ULONG_MAX 18446744073709551615ul
#define INT8_MAX 127
#define INT8_MIN (-128)
#define UINT8_MAX 255
#define INT16_MAX 32767
#define INT16_MIN (-32768)
#define UINT16_MAX 65535
#define INT32_MAX INT_MAX
#define INT32_MIN INT_MIN
#define UINT32_MAX UINT_MAX
#define INT64_MAX LONG_MAX
#define INT64_MIN LONG_MIN
#define UINT64_MAX ULONG_MAX
#define SIZE_MAX ULONG_MAX

#define FLT_RADIX 2
#define FLT_DIG 6
#define FLT_MANT_DIG 24
#define FLT_MAX_10_EXP 38
#define FLT_MAX_EXP 128
#define FLT_MIN_10_EXP (-37)
#define FLT_MIN_EXP (-125)
#define FLT_MAX 0x1.fffffep127f
#define FLT_MIN 0x1.0p-126f
#define FLT_EPSILON 0x1.0p-23f
#define FLT_TRUE_MIN 0x1.0p-149f
#define FLT_DECIMAL_DIG 9
#define HALF_DIG 3
#define HALF_MANT_DIG 11
#define HALF_MAX_10_EXP 4
#define HALF_MAX_EXP 16
#define HALF_MIN_10_EXP (-4)
#define HALF_MIN_EXP (-13)
#define HALF_MAX 0x1.ffcp15h
#define HALF_MIN 0x1.0p-14h
#define HALF_EPSILON 0x1.0p-10h
#define BFLT_DIG 2
#define BFLT_MANT_DIG 8
#define BFLT_MAX_10_EXP 38
#define BFLT_MAX_EXP 128
#define BFLT_MIN_10_EXP (-37)
#define BFLT_MIN_EXP (-125)
#define BFLT_MAX 0x1.fep127bf
#define BFLT_MIN 0x1.0p-126bf
#define BFLT_EPSILON 0x1.0p-7bf
#define MAXFLOAT FLT_MAX
#define MAXHALF HALF_MAX
#define MAXBFLOAT BFLT_MAX
#define INFINITY (as_type<float>(0x7f800000u))
#define NAN (as_type<float>(0x7fc00000u))
#define HUGE_VALF INFINITY
#define HUGE_VALH (as_type<half>(ushort(0x7c00)))
#define HUGE_VALBF (as_type<bfloat>(ushort(0x7f80)))
#define FP_ILOGB0 (-2147483647 - 1)
#define FP_ILOGBNAN (-2147483647 - 1)

#define M_E_F 2.71828182845904523536f
#define M_LOG2E_F 1.44269504088896340736f
#define M_LOG10E_F 0.434294481903251827651f
#define M_LN2_F 0.693147180559945309417f
#define M_LN10_F 2.30258509299404568402f
#define M_PI_F 3.14159265358979323846f
#define M_PI_2_F 1.57079632679489661923f
#define M_PI_4_F 0.785398163397448309616f
#define M_1_PI_F 0.318309886183790671538f
#define M_2_PI_F 0.636619772367581343076f
#define M_2_SQRTPI_F 1.12837916709551257390f
#define M_SQRT2_F 1.41421356237309504880f
#define M_SQRT1_2_F 0.707106781186547524401f
#define M_E_H 2.71828182845904523536h
#define M_LOG2E_H 1.44269504088896340736h
#define M_LOG10E_H 0.434294481903251827651h
#define M_LN2_H 0.693147180559945309417h
#define M_LN10_H 2.30258509299404568402h
#define M_PI_H 3.14159265358979323846h
#define M_PI_2_H 1.57079632679489661923h
#define M_PI_4_H 0.785398163397448309616h
#define M_1_PI_H 0.318309886183790671538h
#define M_2_PI_H 0.636619772367581343076h
#define M_2_SQRTPI_H 1.12837916709551257390h
#define M_SQRT2_H 1.41421356237309504880h
#define M_SQRT1_2_H 0.707106781186547524401h
#define M_E_BF 2.71828182845904523536bf
#define M_LOG2E_BF 1.44269504088896340736bf
#define M_LOG10E_BF 0.434294481903251827651bf
#define M_LN2_BF 0.693147180559945309417bf
#define M_LN10_BF 2.30258509299404568402bf
#define M_PI_BF 3.14159265358979323846bf
#define M_PI_2_BF 1.57079632679489661923bf
#define M_PI_4_BF 0.785398163397448309616bf
#define M_1_PI_BF 0.318309886183790671538bf
#define M_2_PI_BF 0.636619772367581343076bf
#define M_2_SQRTPI_BF 1.12837916709551257390bf
#define M_SQRT2_BF 1.41421356237309504880bf
#define M_SQRT1_2_BF 0.707106781186547524401bf

namespace metal {

using ::uchar;
using ::ushort;
using ::uint;
using ::ulong;
using ::int8_t;
using ::uint8_t;
using ::int16_t;
using ::uint16_t;
using ::int32_t;
using ::uint32_t;
using ::int64_t;
using ::uint64_t;
using ::size_t;
using ::ptrdiff_t;
using ::intptr_t;
using ::uintptr_t;
using ::atomic_bool;
using ::atomic_int;
using ::atomic_uint;
using ::atomic_long;
using ::atomic_ulong;
using ::atomic_float;

template <typename T, int N> using vec = __metal_vec<T, N>;
template <typename T, int N> using packed_vec = __metal_packed_vec<T, N>;
template <typename T, int Cols, int Rows = Cols> using matrix = __metal_matrix<T, Cols, Rows>;
template <typename T> using atomic = __metal_atomic<T>;
template <typename T, int Cols, int Rows = Cols>
using simdgroup_matrix = __metal_simdgroup_matrix<T, Cols, Rows>;

typedef __metal_simdgroup_matrix<half, 8, 8> simdgroup_half8x8;
typedef __metal_simdgroup_matrix<bfloat, 8, 8> simdgroup_bfloat8x8;
typedef __metal_simdgroup_matrix<float, 8, 8> simdgroup_float8x8;

// Type traits.
template <typename T, T Value> struct integral_constant {
  static constexpr constant T value = Value;
  typedef T value_type;
  typedef integral_constant<T, Value> type;
  constexpr operator value_type() const { return Value; }
  constexpr value_type operator()() const { return Value; }
};
template <bool Value> using bool_constant = integral_constant<bool, Value>;
typedef integral_constant<bool, true> true_type;
typedef integral_constant<bool, false> false_type;

template <bool Condition, typename T = void> struct enable_if {};
template <typename T> struct enable_if<true, T> { typedef T type; };
template <bool Condition, typename T = void> using enable_if_t = typename enable_if<Condition, T>::type;

template <bool Condition, typename T, typename F> struct conditional { typedef T type; };
template <typename T, typename F> struct conditional<false, T, F> { typedef F type; };
template <bool Condition, typename T, typename F>
using conditional_t = typename conditional<Condition, T, F>::type;

template <typename...> struct __metal_make_void { typedef void type; };
template <typename... Ts> using void_t = typename __metal_make_void<Ts...>::type;

template <typename T> struct type_identity { typedef T type; };
template <typename T> using type_identity_t = typename type_identity<T>::type;

template <typename T, typename U> struct is_same : false_type {};
template <typename T> struct is_same<T, T> : true_type {};
template <typename T, typename U> constexpr constant bool is_same_v = is_same<T, U>::value;

template <typename T> struct remove_const { typedef T type; };
template <typename T> struct remove_const<const T> { typedef T type; };
template <typename T> using remove_const_t = typename remove_const<T>::type;
template <typename T> struct remove_volatile { typedef T type; };
template <typename T> struct remove_volatile<volatile T> { typedef T type; };
template <typename T> using remove_volatile_t = typename remove_volatile<T>::type;
template <typename T> struct remove_addrspace { typedef T type; };
template <typename T> struct remove_addrspace<device T> { typedef T type; };
template <typename T> struct remove_addrspace<constant T> { typedef T type; };
template <typename T> struct remove_addrspace<threadgroup T> { typedef T type; };
template <typename T> using remove_addrspace_t = typename remove_addrspace<T>::type;
template <typename T> struct remove_cv {
  typedef remove_addrspace_t<remove_volatile_t<remove_const_t<remove_addrspace_t<T>>>> type;
};
template <typename T> using remove_cv_t = typename remove_cv<T>::type;
template <typename T> struct remove_reference { typedef T type; };
template <typename T> struct remove_reference<T &> { typedef T type; };
template <typename T> struct remove_reference<T &&> { typedef T type; };
template <typename T> using remove_reference_t = typename remove_reference<T>::type;
template <typename T> struct remove_cvref { typedef remove_cv_t<remove_reference_t<T>> type; };
template <typename T> using remove_cvref_t = typename remove_cvref<T>::type;
template <typename T> struct remove_pointer { typedef T type; };
template <typename T> struct remove_pointer<T *> { typedef T type; };
template <typename T> struct remove_pointer<T *const> { typedef T type; };
template <typename T> using remove_pointer_t = typename remove_pointer<T>::type;
template <typename T> struct remove_extent { typedef T type; };
template <typename T> struct remove_extent<T[]> { typedef T type; };
template <typename T, size_t N> struct remove_extent<T[N]> { typedef T type; };
template <typename T> using remove_extent_t = typename remove_extent<T>::type;
template <typename T> struct add_const { typedef const T type; };
template <typename T> using add_const_t = typename add_const<T>::type;
template <typename T> struct add_volatile { typedef volatile T type; };
template <typename T> using add_volatile_t = typename add_volatile<T>::type;
template <typename T> struct add_cv { typedef const volatile T type; };
template <typename T> using add_cv_t = typename add_cv<T>::type;
template <typename T> struct decay { typedef remove_cv_t<remove_reference_t<T>> type; };
template <typename T> using decay_t = typename decay<T>::type;

template <typename T> T &&declval();

template <typename T> struct is_const : false_type {};
template <typename T> struct is_const<const T> : true_type {};
template <typename T> constexpr constant bool is_const_v = is_const<T>::value;
template <typename T> struct is_volatile : false_type {};
template <typename T> struct is_volatile<volatile T> : true_type {};
template <typename T> constexpr constant bool is_volatile_v = is_volatile<T>::value;
template <typename T> struct is_lvalue_reference : false_type {};
template <typename T> struct is_lvalue_reference<T &> : true_type {};
template <typename T> constexpr constant bool is_lvalue_reference_v = is_lvalue_reference<T>::value;
template <typename T> struct is_rvalue_reference : false_type {};
template <typename T> struct is_rvalue_reference<T &&> : true_type {};
template <typename T> constexpr constant bool is_rvalue_reference_v = is_rvalue_reference<T>::value;
template <typename T>
struct is_reference : bool_constant<is_lvalue_reference<T>::value || is_rvalue_reference<T>::value> {};
template <typename T> constexpr constant bool is_reference_v = is_reference<T>::value;
template <typename T> struct __metal_is_pointer : false_type {};
template <typename T> struct __metal_is_pointer<T *> : true_type {};
template <typename T> struct is_pointer : __metal_is_pointer<remove_cv_t<T>> {};
template <typename T> constexpr constant bool is_pointer_v = is_pointer<T>::value;
template <typename T> struct is_array : false_type {};
template <typename T> struct is_array<T[]> : true_type {};
template <typename T, size_t N> struct is_array<T[N]> : true_type {};
template <typename T> constexpr constant bool is_array_v = is_array<T>::value;
template <typename T> struct is_void : is_same<void, remove_cv_t<T>> {};
template <typename T> constexpr constant bool is_void_v = is_void<T>::value;

// A number's kind: 0 none, 1 signed integer, 2 unsigned integer, 3 floating-point; vectors have their
// elements' kind.
template <typename T> struct __metal_kind { static constexpr constant int value = 0; };
template <> struct __metal_kind<bool> { static constexpr constant int value = 2; };
template <> struct __metal_kind<char> { static constexpr constant int value = 1; };
template <> struct __metal_kind<uchar> { static constexpr constant int value = 2; };
template <> struct __metal_kind<short> { static constexpr constant int value = 1; };
template <> struct __metal_kind<ushort> { static constexpr constant int value = 2; };
template <> struct __metal_kind<int> { static constexpr constant int value = 1; };
template <> struct __metal_kind<uint> { static constexpr constant int value = 2; };
template <> struct __metal_kind<long> { static constexpr constant int value = 1; };
template <> struct __metal_kind<ulong> { static constexpr constant int value = 2; };
template <> struct __metal_kind<half> { static constexpr constant int value = 3; };
template <> struct __metal_kind<bfloat> { static constexpr constant int value = 3; };
template <> struct __metal_kind<float> { static constexpr constant int value = 3; };
template <typename T, int N> struct __metal_kind<__metal_vec<T, N>> {
  static constexpr constant int value = __metal_kind<T>::value;
};
template <typename T> struct __metal_is_vector : false_type {};
template <typename T, int N> struct __metal_is_vector<__metal_vec<T, N>> : true_type {};

template <typename T> struct is_vector : __metal_is_vector<remove_cv_t<T>> {};
template <typename T> constexpr constant bool is_vector_v = is_vector<T>::value;
template <typename T>
struct is_integral
    : bool_constant<__metal_kind<remove_cv_t<T>>::value == 1 || __metal_kind<remove_cv_t<T>>::value == 2> {};
template <typename T> constexpr constant bool is_integral_v = is_integral<T>::value;
template <typename T> struct is_floating_point : bool_constant<__metal_kind<remove_cv_t<T>>::value == 3> {};
template <typename T> constexpr constant bool is_floating_point_v = is_floating_point<T>::value;
template <typename T> struct is_arithmetic : bool_constant<__metal_kind<remove_cv_t<T>>::value != 0> {};
template <typename T> constexpr constant bool is_arithmetic_v = is_arithmetic<T>::value;
template <typename T>
struct is_signed
    : bool_constant<__metal_kind<remove_cv_t<T>>::value == 1 || __metal_kind<remove_cv_t<T>>::value == 3> {};
template <typename T> constexpr constant bool is_signed_v = is_signed<T>::value;
template <typename T> struct is_unsigned : bool_constant<__metal_kind<remove_cv_t<T>>::value == 2> {};
template <typename T> constexpr constant bool is_unsigned_v = is_unsigned<T>::value;
template <typename T> struct is_enum : bool_constant<__is_enum(T)> {};
template <typename T> constexpr constant bool is_enum_v = is_enum<T>::value;
template <typename T>
struct is_scalar
    : bool_constant<(is_arithmetic<T>::value && !is_vector<T>::value) || is_enum<T>::value || is_pointer<T>::value> {
};
template <typename T> constexpr constant bool is_scalar_v = is_scalar<T>::value;
template <typename T> struct is_fundamental : bool_constant<is_arithmetic<T>::value || is_void<T>::value> {};
template <typename T> constexpr constant bool is_fundamental_v = is_fundamental<T>::value;
template <typename T> struct is_class : bool_constant<__is_class(T)> {};
template <typename T> constexpr constant bool is_class_v = is_class<T>::value;
template <typename T> struct is_union : bool_constant<__is_union(T)> {};
template <typename T> constexpr constant bool is_union_v = is_union<T>::value;
template <typename T> struct is_empty : bool_constant<__is_empty(T)> {};
template <typename T> constexpr constant bool is_empty_v = is_empty<T>::value;
template <typename From, typename To> struct is_convertible : bool_constant<__is_convertible_to(From, To)> {};
template <typename From, typename To>
constexpr constant bool is_convertible_v = is_convertible<From, To>::value;
template <typename Base, typename Derived> struct is_base_of : bool_constant<__is_base_of(Base, Derived)> {};
template <typename Base, typename Derived>
constexpr constant bool is_base_of_v = is_base_of<Base, Derived>::value;
template <typename T, typename... Args>
struct is_constructible : bool_constant<__is_constructible(T, Args...)> {};
template <typename T, typename... Args>
constexpr constant bool is_constructible_v = is_constructible<T, Args...>::value;
template <typename T> struct is_trivially_copyable : bool_constant<__is_trivially_copyable(T)> {};
template <typename T> constexpr constant bool is_trivially_copyable_v = is_trivially_copyable<T>::value;

template <typename T> struct negation : bool_constant<!T::value> {};
template <typename T> constexpr constant bool negation_v = negation<T>::value;
template <typename...> struct conjunction : true_type {};
template <typename T, typename... Ts>
struct conjunction<T, Ts...> : conditional_t<(T::value), conjunction<Ts...>, T> {};
template <typename... Ts> constexpr constant bool conjunction_v = conjunction<Ts...>::value;
template <typename...> struct disjunction : false_type {};
template <typename T, typename... Ts>
struct disjunction<T, Ts...> : conditional_t<(T::value), T, disjunction<Ts...>> {};
template <typename... Ts> constexpr constant bool disjunction_v = disjunction<Ts...>::value;
// Names that sources use for the same.
template <typename... Ts> using _conjunction = conjunction<Ts...>;
template <typename... Ts> using _disjunction = disjunction<Ts...>;
template <typename T> using _negation = negation<T>;

template <typename T> struct __metal_signs {};
template <> struct __metal_signs<char> { typedef char s; typedef uchar u; };
template <> struct __metal_signs<uchar> { typedef char s; typedef uchar u; };
template <> struct __metal_signs<short> { typedef short s; typedef ushort u; };
template <> struct __metal_signs<ushort> { typedef short s; typedef ushort u; };
template <> struct __metal_signs<int> { typedef int s; typedef uint u; };
template <> struct __metal_signs<uint> { typedef int s; typedef uint u; };
template <> struct __metal_signs<long> { typedef long s; typedef ulong u; };
template <> struct __metal_signs<ulong> { typedef long s; typedef ulong u; };
template <typename T, int N> struct __metal_signs<__metal_vec<T, N>> {
  typedef __metal_vec<typename __metal_signs<T>::s, N> s;
  typedef __metal_vec<typename __metal_signs<T>::u, N> u;
};
template <typename T> struct make_signed { typedef typename __metal_signs<remove_cv_t<T>>::s type; };
template <typename T> using make_signed_t = typename make_signed<T>::type;
template <typename T> struct make_unsigned { typedef typename __metal_signs<remove_cv_t<T>>::u type; };
template <typename T> using make_unsigned_t = typename make_unsigned<T>::type;

template <typename T, int N> struct make_vec { typedef __metal_vec<T, N> type; };
template <typename T> struct make_vec<T, 1> { typedef T type; };
template <typename T, int N> using make_vec_t = typename make_vec<T, N>::type;
template <typename T> struct make_scalar { typedef T type; };
template <typename T, int N> struct make_scalar<__metal_vec<T, N>> { typedef T type; };
template <typename T> using make_scalar_t = typename make_scalar<T>::type;

template <typename T> struct underlying_type { typedef __underlying_type(T) type; };
template <typename T> using underlying_type_t = typename underlying_type<T>::type;
template <typename T> struct alignment_of : integral_constant<size_t, alignof(T)> {};
template <typename T> constexpr constant size_t alignment_of_v = alignof(T);
template <typename T> struct rank : integral_constant<size_t, 0> {};
template <typename T> struct rank<T[]> : integral_constant<size_t, rank<T>::value + 1> {};
template <typename T, size_t N> struct rank<T[N]> : integral_constant<size_t, rank<T>::value + 1> {};
template <typename T> constexpr constant size_t rank_v = rank<T>::value;
template <typename T, unsigned I = 0> struct extent : integral_constant<size_t, 0> {};
template <typename T, size_t N, unsigned I>
struct extent<T[N], I> : integral_constant<size_t, I == 0 ? N : extent<T, I == 0 ? 0 : I - 1>::value> {};
template <typename T, unsigned I = 0> constexpr constant size_t extent_v = extent<T, I>::value;

template <typename... Ts> struct common_type {};
template <typename T> struct common_type<T> { typedef decay_t<T> type; };
template <typename T, typename U> struct common_type<T, U> {
  typedef decay_t<decltype(true ? declval<T>() : declval<U>())> type;
};
template <typename T, typename U, typename V, typename... Ts>
struct common_type<T, U, V, Ts...> : common_type<typename common_type<T, U>::type, V, Ts...> {};
template <typename... Ts> using common_type_t = typename common_type<Ts...>::type;

template <typename F, typename... Args> struct invoke_result {
  typedef decltype(declval<F>()(declval<Args>()...)) type;
};
template <typename F, typename... Args> using invoke_result_t = typename invoke_result<F, Args...>::type;
template <typename> struct result_of;
template <typename F, typename... Args> struct result_of<F(Args...)> : invoke_result<F, Args...> {};
template <typename T> using result_of_t = typename result_of<T>::type;

// Numeric limits.
template <typename T, bool Signed, int Digits> struct __metal_integer_limits {
  static constexpr constant bool is_specialized = true;
  static constexpr constant bool is_signed = Signed;
  static constexpr constant bool is_integer = true;
  static constexpr constant bool is_exact = true;
  static constexpr constant bool is_iec559 = false;
  static constexpr constant bool is_bounded = true;
  static constexpr constant bool is_modulo = !Signed;
  static constexpr constant bool has_infinity = false;
  static constexpr constant bool has_quiet_NaN = false;
  static constexpr constant bool has_signaling_NaN = false;
  static constexpr constant int radix = 2;
  static constexpr constant int digits = Digits;
  static constexpr constant int digits10 = Digits * 3 / 10;
  static constexpr constant int max_digits10 = 0;
  static constexpr constant int min_exponent = 0;
  static constexpr constant int max_exponent = 0;
  static constexpr T max() { return T(0xfffffffffffffffful >> (64 - Digits)); }
  static constexpr T min() { return Signed ? T(0xfffffffffffffffful << Digits) : T(0); }
  static constexpr T lowest() { return min(); }
  static constexpr T epsilon() { return T(0); }
  static constexpr T round_error() { return T(0); }
  static constexpr T infinity() { return T(0); }
  static constexpr T quiet_NaN() { return T(0); }
  static constexpr T signaling_NaN() { return T(0); }
  static constexpr T denorm_min() { return T(0); }
};
// A base that sources use too.
struct _fp_numeric_limits_impl_base {
  static constexpr constant bool is_specialized = true;
  static constexpr constant bool is_signed = true;
  static constexpr constant bool is_integer = false;
  static constexpr constant bool is_exact = false;
  static constexpr constant bool is_iec559 = true;
  static constexpr constant bool is_bounded = true;
  static constexpr constant bool is_modulo = false;
  static constexpr constant bool has_infinity = true;
  static constexpr constant bool has_quiet_NaN = true;
  static constexpr constant bool has_signaling_NaN = true;
};
template <int Digits, int Digits10, int MinExponent, int MaxExponent>
struct __metal_float_limits : _fp_numeric_limits_impl_base {
  static constexpr constant int radix = 2;
  static constexpr constant int digits = Digits;
  static constexpr constant int digits10 = Digits10;
  static constexpr constant int max_digits10 = 2 + Digits * 3 / 10;
  static constexpr constant int min_exponent = MinExponent;
  static constexpr constant int max_exponent = MaxExponent;
};
// Sources specialise this one, by which numbers of their own get limits.
template <typename T> struct _numeric_limits_impl {
  static constexpr constant bool is_specialized = false;
};
template <typename T> struct numeric_limits : _numeric_limits_impl<remove_cv_t<T>> {};
template <> struct _numeric_limits_impl<char> : __metal_integer_limits<char, true, 7> {};
template <> struct _numeric_limits_impl<uchar> : __metal_integer_limits<uchar, false, 8> {};
template <> struct _numeric_limits_impl<short> : __metal_integer_limits<short, true, 15> {};
template <> struct _numeric_limits_impl<ushort> : __metal_integer_limits<ushort, false, 16> {};
template <> struct _numeric_limits_impl<int> : __metal_integer_limits<int, true, 31> {};
template <> struct _numeric_limits_impl<uint> : __metal_integer_limits<uint, false, 32> {};
template <> struct _numeric_limits_impl<long> : __metal_integer_limits<long, true, 63> {};
template <> struct _numeric_limits_impl<ulong> : __metal_integer_limits<ulong, false, 64> {};
template <> struct _numeric_limits_impl<bool> : __metal_integer_limits<bool, false, 1> {
  static constexpr bool max() { return true; }
  static constexpr bool min() { return false; }
  static constexpr bool lowest() { return false; }
};
template <> struct _numeric_limits_impl<half> : __metal_float_limits<11, 3, -13, 16> {
  static constexpr half max() { return HALF_MAX; }
  static constexpr half min() { return HALF_MIN; }
  static constexpr half lowest() { return -HALF_MAX; }
  static constexpr half epsilon() { return HALF_EPSILON; }
  static constexpr half round_error() { return 0.5h; }
  static constexpr half infinity() { return as_type<half>(ushort(0x7c00)); }
  static constexpr half quiet_NaN() { return as_type<half>(ushort(0x7e00)); }
  static constexpr half signaling_NaN() { return as_type<half>(ushort(0x7d00)); }
  static constexpr half denorm_min() { return as_type<half>(ushort(1)); }
};
template <> struct _numeric_limits_impl<bfloat> : __metal_float_limits<8, 2, -125, 128> {
  static constexpr bfloat max() { return as_type<bfloat>(ushort(0x7f7f)); }
  static constexpr bfloat min() { return as_type<bfloat>(ushort(0x0080)); }
  static constexpr bfloat lowest() { return as_type<bfloat>(ushort(0xff7f)); }
  static constexpr bfloat epsilon() { return as_type<bfloat>(ushort(0x3c00)); }
  static constexpr bfloat round_error() { return as_type<bfloat>(ushort(0x3f00)); }
  static constexpr bfloat infinity() { return as_type<bfloat>(ushort(0x7f80)); }
  static constexpr bfloat quiet_NaN() { return as_type<bfloat>(ushort(0x7fc0)); }
  static constexpr bfloat signaling_NaN() { return as_type<bfloat>(ushort(0x7fa0)); }
  static constexpr bfloat denorm_min() { return as_type<bfloat>(ushort(1)); }
};
template <> struct _numeric_limits_impl<float> : __metal_float_limits<24, 6, -125, 128> {
  static constexpr float max() { return FLT_MAX; }
  static constexpr float min() { return FLT_MIN; }
  static constexpr float lowest() { return -FLT_MAX; }
  static constexpr float epsilon() { return FLT_EPSILON; }
  static constexpr float round_error() { return 0.5f; }
  static constexpr float infinity() { return INFINITY; }
  static constexpr float quiet_NaN() { return NAN; }
  static constexpr float signaling_NaN() { return as_type<float>(0x7fa00000u); }
  static constexpr float denorm_min() { return as_type<float>(1u); }
};

// Synchronisation. The numbers are AIR's.
enum class mem_flags : uint {
  mem_none = 0,
  mem_device = 1,
  mem_threadgroup = 2,
  mem_texture = 4,
  mem_threadgroup_imageblock = 8,
  mem_object_data = 16
};
constexpr mem_flags operator|(mem_flags a, mem_flags b) { return mem_flags(uint(a) | uint(b)); }
constexpr mem_flags operator&(mem_flags a, mem_flags b) { return mem_flags(uint(a) & uint(b)); }
enum memory_order : int {
  memory_order_relaxed = 0,
  memory_order_acquire = 2,
  memory_order_release = 3,
  memory_order_acq_rel = 4,
  memory_order_seq_cst = 5
};
enum thread_scope : int {
  thread_scope_thread = 0,
  thread_scope_threadgroup = 1,
  thread_scope_device = 2,
  thread_scope_system = 3,
  thread_scope_simdgroup = 4
};

// Lanes as masks.
class simd_vote {
public:
  typedef ulong vote_t;
  explicit constexpr simd_vote(vote_t v = 0) : __mask(v) {}
  explicit constexpr operator vote_t() const { return __mask; }
  bool all() const { return __metal_simd_vote_all(__mask); }
  bool any() const { return __metal_simd_vote_any(__mask); }

private:
  vote_t __mask;
};
METAL_FUNC simd_vote simd_ballot(bool expr) { return simd_vote(__metal_simd_ballot(expr)); }
METAL_FUNC simd_vote simd_active_threads_mask() { return simd_vote(__metal_simd_active_threads_mask()); }

class quad_vote {
public:
  typedef uint vote_t;
  explicit constexpr quad_vote(vote_t v = 0) : __mask(v) {}
  explicit constexpr operator vote_t() const { return __mask; }
  bool all() const { return (__mask & 15) == 15; }
  bool any() const { return (__mask & 15) != 0; }

private:
  vote_t __mask;
};
METAL_FUNC quad_vote quad_ballot(bool expr) { return quad_vote(__metal_quad_ballot(expr)); }
METAL_FUNC quad_vote quad_active_threads_mask() { return quad_vote(__metal_quad_ballot(true)); }

// Types that lanes exchange; sources ask it by this name.
template <typename T>
struct __is_valid_simdgroup_type
    : bool_constant<
          __metal_kind<T>::value != 0 && sizeof(make_scalar_t<T>) <= 4 && !is_same<make_scalar_t<T>, bfloat>::value &&
          !is_same<make_scalar_t<T>, bool>::value> {};

// Simdgroup matrices.
template <typename T, int Cols, int Rows = Cols>
METAL_FUNC simdgroup_matrix<T, Cols, Rows> make_filled_simdgroup_matrix(T value) {
  static_assert(Cols == 8 && Rows == 8, "simdgroup matrices have 8 columns and 8 rows");
  return __metal_simdgroup_matrix_init_filled(value);
}

// Containers.
template <typename T, size_t N> struct array {
  typedef T value_type;
  typedef size_t size_type;
  T __elems[N];

  constexpr size_t size() const { return N; }
  constexpr size_t size() const device { return N; }
  constexpr size_t size() const constant { return N; }
  constexpr size_t size() const threadgroup { return N; }
  constexpr size_t max_size() const { return N; }
  constexpr bool empty() const { return N == 0; }

  constexpr thread T &operator[](size_t i) thread { return __elems[i]; }
  constexpr const thread T &operator[](size_t i) const thread { return __elems[i]; }
  constexpr device T &operator[](size_t i) device { return __elems[i]; }
  constexpr const device T &operator[](size_t i) const device { return __elems[i]; }
  constexpr const constant T &operator[](size_t i) const constant { return __elems[i]; }
  constexpr threadgroup T &operator[](size_t i) threadgroup { return __elems[i]; }
  constexpr const threadgroup T &operator[](size_t i) const threadgroup { return __elems[i]; }

  constexpr thread T *data() thread { return __elems; }
  constexpr const thread T *data() const thread { return __elems; }
  constexpr device T *data() device { return __elems; }
  constexpr const device T *data() const device { return __elems; }
  constexpr const constant T *data() const constant { return __elems; }
  constexpr threadgroup T *data() threadgroup { return __elems; }
  constexpr const threadgroup T *data() const threadgroup { return __elems; }

  constexpr thread T *begin() thread { return __elems; }
  constexpr const thread T *begin() const thread { return __elems; }
  constexpr device T *begin() device { return __elems; }
  constexpr const device T *begin() const device { return __elems; }
  constexpr const constant T *begin() const constant { return __elems; }
  constexpr threadgroup T *begin() threadgroup { return __elems; }
  constexpr const threadgroup T *begin() const threadgroup { return __elems; }
  constexpr thread T *end() thread { return __elems + N; }
  constexpr const thread T *end() const thread { return __elems + N; }
  constexpr device T *end() device { return __elems + N; }
  constexpr const device T *end() const device { return __elems + N; }
  constexpr const constant T *end() const constant { return __elems + N; }
  constexpr threadgroup T *end() threadgroup { return __elems + N; }
  constexpr const threadgroup T *end() const threadgroup { return __elems + N; }

  constexpr thread T &front() thread { return __elems[0]; }
  constexpr const thread T &front() const thread { return __elems[0]; }
  constexpr thread T &back() thread { return __elems[N - 1]; }
  constexpr const thread T &back() const thread { return __elems[N - 1]; }
  void fill(T value) thread {
    for (size_t i = 0; i < N; ++i) {
      __elems[i] = value;
    }
  }
};

template <typename T> constexpr T &&forward(remove_reference_t<T> &x) { return static_cast<T &&>(x); }
template <typename T> constexpr remove_reference_t<T> &&move(T &&x) {
  return static_cast<remove_reference_t<T> &&>(x);
}
template <typename T> METAL_FUNC void swap(thread T &a, thread T &b) {
  T t = a;
  a = b;
  b = t;
}

template <typename T, typename U> struct pair {
  typedef T first_type;
  typedef U second_type;
  T first;
  U second;
};
template <typename T, typename U> constexpr pair<T, U> make_pair(T a, U b) { return pair<T, U>{a, b}; }

template <typename T, T... Is> struct integer_sequence {
  typedef T value_type;
  static constexpr size_t size() { return sizeof...(Is); }
};
template <size_t... Is> using index_sequence = integer_sequence<size_t, Is...>;
template <typename T, T N, T... Is>
struct __metal_make_sequence : __metal_make_sequence<T, N - 1, N - 1, Is...> {};
template <typename T, T... Is> struct __metal_make_sequence<T, 0, Is...> {
  typedef integer_sequence<T, Is...> type;
};
template <typename T, T N> using make_integer_sequence = typename __metal_make_sequence<T, N>::type;
template <size_t N> using make_index_sequence = make_integer_sequence<size_t, N>;
template <typename... Ts> using index_sequence_for = make_index_sequence<sizeof...(Ts)>;

template <typename... Ts> struct tuple {};
template <typename T, typename... Ts> struct tuple<T, Ts...> {
  T __head;
  tuple<Ts...> __tail;
};
template <size_t I, typename T> struct tuple_element;
template <typename T, typename... Ts> struct tuple_element<0, tuple<T, Ts...>> { typedef T type; };
template <size_t I, typename T, typename... Ts>
struct tuple_element<I, tuple<T, Ts...>> : tuple_element<I - 1, tuple<Ts...>> {};
template <typename T, typename U> struct tuple_element<0, pair<T, U>> { typedef T type; };
template <typename T, typename U> struct tuple_element<1, pair<T, U>> { typedef U type; };
template <typename T, size_t N, size_t I> struct tuple_element<I, array<T, N>> { typedef T type; };
template <size_t I, typename T> using tuple_element_t = typename tuple_element<I, T>::type;
template <typename T> struct tuple_size;
template <typename... Ts> struct tuple_size<tuple<Ts...>> : integral_constant<size_t, sizeof...(Ts)> {};
template <typename T, typename U> struct tuple_size<pair<T, U>> : integral_constant<size_t, 2> {};
template <typename T, size_t N> struct tuple_size<array<T, N>> : integral_constant<size_t, N> {};
template <typename T> constexpr constant size_t tuple_size_v = tuple_size<T>::value;
template <size_t I, typename T, typename... Ts>
constexpr thread tuple_element_t<I, tuple<T, Ts...>> &get(thread tuple<T, Ts...> &t) {
  if constexpr (I == 0) {
    return t.__head;
  } else {
    return get<I - 1>(t.__tail);
  }
}
template <size_t I, typename T, typename... Ts>
constexpr const thread tuple_element_t<I, tuple<T, Ts...>> &get(const thread tuple<T, Ts...> &t) {
  if constexpr (I == 0) {
    return t.__head;
  } else {
    return get<I - 1>(t.__tail);
  }
}
template <size_t I, typename T, typename U>
constexpr thread tuple_element_t<I, pair<T, U>> &get(thread pair<T, U> &p) {
  if constexpr (I == 0) {
    return p.first;
  } else {
    return p.second;
  }
}
template <size_t I, typename T, size_t N> constexpr thread T &get(thread array<T, N> &a) {
  return a.__elems[I];
}
constexpr tuple<> make_tuple() { return tuple<>{}; }
template <typename T, typename... Ts> constexpr tuple<T, Ts...> make_tuple(T head, Ts... tail) {
  return tuple<T, Ts...>{head, make_tuple(tail...)};
}
template <typename... Ts> struct __metal_ties {
  void __assign(tuple<>) const {}
};
template <typename T, typename... Ts> struct __metal_ties<T, Ts...> {
  thread T *__head;
  __metal_ties<Ts...> __tail;
  template <typename U, typename... Us> void __assign(tuple<U, Us...> from) const {
    *__head = from.__head;
    __tail.__assign(from.__tail);
  }
  template <typename... Us> void operator=(tuple<Us...> from) const { __assign(from); }
  template <typename U, typename V> void operator=(pair<U, V> from) const {
    __assign(make_tuple(from.first, from.second));
  }
};
constexpr __metal_ties<> tie() { return __metal_ties<>{}; }
template <typename T, typename... Ts> constexpr __metal_ties<T, Ts...> tie(thread T &head, thread Ts &...tail) {
  return __metal_ties<T, Ts...>{&head, tie(tail...)};
}

// A value that is the same in all threads of a simdgroup.
template <typename T> struct uniform {
  T __value;
  uniform() = default;
  constexpr uniform(T value) : __value(value) {}
  constexpr operator T() const { return __value; }
};
template <typename T> METAL_FUNC uniform<T> make_uniform(T value) { return uniform<T>(value); }

// Logging (MSL 3.2): messages are checked and dropped.
enum os_log_type : uchar { os_log_type_default = 0, os_log_type_info = 1, os_log_type_debug = 2, os_log_type_error = 16, os_log_type_fault = 17 };
struct os_log {
  constexpr os_log(constant char *, constant char *) constant {}
  template <typename... Args> void log_with_type(os_log_type, constant char *, Args...) const constant {}
  template <typename... Args> void log(constant char *, Args...) const constant {}
  template <typename... Args> void log_debug(constant char *, Args...) const constant {}
  template <typename... Args> void log_info(constant char *, Args...) const constant {}
  template <typename... Args> void log_error(constant char *, Args...) const constant {}
  template <typename... Args> void log_fault(constant char *, Args...) const constant {}
};
constant os_log os_log_default("", "");

// Textures, samplers and function tables: named, so that a kernel that takes one gets an error that says so.
enum class access { sample, read, write, read_write };
template <typename T, access A = access::sample> using texture1d = __metal_opaque<"texture1d">;
template <typename T, access A = access::sample> using texture1d_array = __metal_opaque<"texture1d_array">;
template <typename T, access A = access::sample> using texture2d = __metal_opaque<"texture2d">;
template <typename T, access A = access::sample> using texture2d_array = __metal_opaque<"texture2d_array">;
template <typename T, access A = access::read> using texture2d_ms = __metal_opaque<"texture2d_ms">;
template <typename T, access A = access::sample> using texture3d = __metal_opaque<"texture3d">;
template <typename T, access A = access::sample> using texturecube = __metal_opaque<"texturecube">;
template <typename T, access A = access::sample> using texturecube_array = __metal_opaque<"texturecube_array">;
template <typename T, access A = access::read> using texture_buffer = __metal_opaque<"texture_buffer">;
template <typename T, access A = access::sample> using depth2d = __metal_opaque<"depth2d">;
template <typename T, access A = access::sample> using depth2d_array = __metal_opaque<"depth2d_array">;
template <typename T, access A = access::sample> using depthcube = __metal_opaque<"depthcube">;
typedef __metal_opaque<"sampler"> sampler;
enum class coord { normalized, pixel };
enum class address { clamp_to_zero, clamp_to_edge, repeat, mirrored_repeat, clamp_to_border };
enum class s_address { clamp_to_zero, clamp_to_edge, repeat, mirrored_repeat, clamp_to_border };
enum class t_address { clamp_to_zero, clamp_to_edge, repeat, mirrored_repeat, clamp_to_border };
enum class r_address { clamp_to_zero, clamp_to_edge, repeat, mirrored_repeat, clamp_to_border };
enum class filter { nearest, linear, bicubic };
enum class mag_filter { nearest, linear, bicubic };
enum class min_filter { nearest, linear, bicubic };
enum class mip_filter { none, nearest, linear };
enum class compare_func { never, less, less_equal, greater, greater_equal, equal, not_equal, always };
enum class border_color { transparent_black, opaque_black, opaque_white };
template <typename T> using visible_function_table = __metal_opaque<"visible_function_table">;
template <typename... Tags> using intersection_function_table = __metal_opaque<"intersection_function_table">;

} // namespace metal
