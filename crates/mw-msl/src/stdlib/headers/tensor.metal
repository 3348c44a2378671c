// Tensors and matrix multiplication of Metal 4: parsed and checked. Every operation ends in a built-in that
// lowering refuses by name.
#ifndef __METAL_TENSOR
#define __METAL_TENSOR

namespace metal {

constexpr constant size_t dynamic_extent = 0xfffffffffffffffful;
constexpr constant size_t dynamic_length_v = dynamic_extent;

struct tensor_handle {};
struct tensor_offset {};
struct tensor_inline {};

struct execution_thread {};
struct execution_simdgroup {};
template <int N> struct execution_simdgroups {};
struct execution_threadgroup {};

template <typename Index, size_t... Sizes> struct extents {
  typedef Index index_type;
  Index __sizes[sizeof...(Sizes)];
  extents() = default;
  template <typename... Is> constexpr extents(Is... sizes) : __sizes{Index(sizes)...} {}
  static constexpr constant size_t __rank = sizeof...(Sizes);
  static constexpr size_t rank() { return __rank; }
  constexpr Index extent(size_t i) const { return __sizes[i]; }
};
template <typename Index, typename Sequence> struct __metal_dextents;
template <typename Index, size_t... Is> struct __metal_dextents<Index, integer_sequence<size_t, Is...>> {
  typedef extents<Index, (Is, dynamic_extent)...> type;
};
template <typename Index, size_t Rank>
using dextents = typename __metal_dextents<Index, make_index_sequence<Rank>>::type;

template <typename Element, typename Extents, typename Tag = tensor_handle> struct tensor {
  typedef Element element_type;
  typedef remove_cv_t<Element> value_type;
  typedef Extents extents_type;
  typedef typename Extents::index_type index_type;
  Element *__data;
  Extents __extents;

  tensor(Element *data, Extents extents) : __data(data), __extents(extents) { __metal_tensor_operation(); }
  tensor(Element *data, Extents extents, array<index_type, Extents::__rank>) : __data(data), __extents(extents) {
    __metal_tensor_operation();
  }
  static constexpr size_t get_rank() { return Extents::rank(); }
  index_type get_extent(size_t i) const { return __extents.extent(i); }
  Extents get_extents() const { return __extents; }
  template <size_t... Sizes, typename... Is> tensor slice(Is...) const {
    __metal_tensor_operation();
    return *this;
  }
};

template <typename T> struct __metal_cooperative_tensor {
  typedef T element_type;
  T __elements[64];

  thread T &operator[](ushort i) thread { return __elements[i]; }
  const thread T &operator[](ushort i) const thread { return __elements[i]; }
  ushort get_capacity() const {
    __metal_tensor_operation();
    return 0;
  }
  ushort get_num_elements() const { return get_capacity(); }
  bool is_valid_element(ushort) const {
    __metal_tensor_operation();
    return false;
  }
  array<int, 2> get_multidimensional_index(ushort) const {
    __metal_tensor_operation();
    return array<int, 2>{0, 0};
  }
  thread T *begin() thread { return __elements; }
  thread T *end() thread { return __elements + get_capacity(); }
  template <typename Tensor> void load(const thread Tensor &) { __metal_tensor_operation(); }
  template <typename Tensor> void store(const thread Tensor &) const { __metal_tensor_operation(); }
};

} // namespace metal

namespace mpp {
namespace tensor_ops {

struct matmul2d_descriptor {
  enum class mode { multiply, multiply_accumulate };
  int m;
  int n;
  int k;
  bool transpose_left;
  bool transpose_right;
  bool relaxed_precision;
  mode matmul_mode;
  constexpr matmul2d_descriptor(int m, int n, int k = static_cast<int>(metal::dynamic_length_v), bool transpose_left = false,
                                bool transpose_right = false, bool relaxed_precision = false,
                                mode matmul_mode = mode::multiply)
      : m(m), n(n), k(k), transpose_left(transpose_left), transpose_right(transpose_right),
        relaxed_precision(relaxed_precision), matmul_mode(matmul_mode) {}
  constexpr operator ulong() const {
    return ulong(ushort(m)) | ulong(ushort(n)) << 16 | ulong(ushort(k)) << 32 | ulong(transpose_left) << 48 |
           ulong(transpose_right) << 49 | ulong(relaxed_precision) << 50 | ulong(matmul_mode) << 51;
  }
};

// The descriptor stands as a number in template arguments.
template <ulong Descriptor, typename Scope> struct matmul2d {
  template <typename Left, typename Right, typename Element>
  metal::__metal_cooperative_tensor<Left> get_left_input_cooperative_tensor() const {
    return metal::__metal_cooperative_tensor<Left>{};
  }
  template <typename Left, typename Right, typename Element>
  metal::__metal_cooperative_tensor<Right> get_right_input_cooperative_tensor() const {
    return metal::__metal_cooperative_tensor<Right>{};
  }
  template <typename Left, typename Right, typename Element>
  metal::__metal_cooperative_tensor<Element> get_destination_cooperative_tensor() const {
    return metal::__metal_cooperative_tensor<Element>{};
  }
  template <typename Left, typename Right, typename Destination>
  void run(const thread Left &, const thread Right &, thread Destination &) const {
    __metal_tensor_operation();
  }
};

} // namespace tensor_ops
} // namespace mpp

#endif
