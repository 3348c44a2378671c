// `mlx::core::fast::metal_kernel` for machines without Metal: a lazy graph node whose primitive is MLX's own
// `CustomKernel`, evaluated on a CPU stream by the function table.
//
// The node is a `CustomKernel` because MLX treats that class by name: `mx.export_function` writes its state, and
// `mx.import_function` makes one. So functions travel between machines, with Metal and without.
#include <cstring>
#include <iostream>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "bridge.h"
#include "mlx/allocator.h"
#include "mlx/backend/cpu/encoder.h"
#include "mlx/backend/metal/metal.h"
#include "mlx/fast.h"
#include "mlx/fast_primitives.h"
#include "vtable.h"

// libmlx hides this class: its virtual table is made here once more, in the unit that defines this function.
void mlx::core::fast::CustomKernel::eval_gpu(const std::vector<array> &, std::vector<array> &) {
  throw std::runtime_error("[CustomKernel::eval_gpu] Without Metal custom kernels run on CPU streams.");
}

namespace metalworking {

namespace mx = mlx::core;
using mx::fast::CustomKernel;

namespace {

// Private members of `CustomKernel`: an explicit instantiation may name them.
template <typename Tag, typename Tag::Type member>
struct Reveal {
  friend typename Tag::Type reveal(Tag) { return member; }
};
#define MW_REVEAL(member, ...)                                \
  struct member##Tag {                                        \
    using Type = __VA_ARGS__ CustomKernel::*;                 \
    friend Type reveal(member##Tag);                          \
  };                                                          \
  template struct Reveal<member##Tag, &CustomKernel::member>;
MW_REVEAL(name_, std::string)
MW_REVEAL(source_, std::string)
MW_REVEAL(grid_, std::tuple<int, int, int>)
MW_REVEAL(threadgroup_, std::tuple<int, int, int>)
MW_REVEAL(shape_infos_, std::vector<std::tuple<bool, bool, bool>>)
MW_REVEAL(ensure_row_contiguous_, bool)
MW_REVEAL(init_value_, std::optional<float>)
MW_REVEAL(is_precompiled_, bool)
#if MW_HAS_COMPILE_OPTIONS
MW_REVEAL(compile_options_, mx::CompileOptions::Data)
#endif

uint32_t math_mode_of(const CustomKernel &node) {
#if MW_HAS_COMPILE_OPTIONS
  return static_cast<uint32_t>(mx::CompileOptions(node.*reveal(compile_options_Tag{})).math_mode);
#else
  (void)node;
  return MW_MATH_SAFE;
#endif
}

uint32_t dtype_number(mx::Dtype dtype) {
  switch (dtype.val()) {
    case mx::Dtype::Val::bool_:
      return MW_BOOL;
    case mx::Dtype::Val::uint8:
      return MW_UINT8;
    case mx::Dtype::Val::uint16:
      return MW_UINT16;
    case mx::Dtype::Val::uint32:
      return MW_UINT32;
    case mx::Dtype::Val::uint64:
      return MW_UINT64;
    case mx::Dtype::Val::int8:
      return MW_INT8;
    case mx::Dtype::Val::int16:
      return MW_INT16;
    case mx::Dtype::Val::int32:
      return MW_INT32;
    case mx::Dtype::Val::int64:
      return MW_INT64;
    case mx::Dtype::Val::float16:
      return MW_FLOAT16;
    case mx::Dtype::Val::float32:
      return MW_FLOAT32;
    case mx::Dtype::Val::float64:
      return MW_FLOAT64;
    case mx::Dtype::Val::bfloat16:
      return MW_BFLOAT16;
    case mx::Dtype::Val::complex64:
      return MW_COMPLEX64;
  }
  return MW_FLOAT64;
}

template <typename T>
std::shared_ptr<T> owned(T *handle, void (*release)(T *)) {
  return std::shared_ptr<T>(handle, release);
}

// ---- Evaluation -----------------------------------------------------------------------------------------------

// An argument with what a launch needs to know of it, kept until the task has run.
struct Bound {
  void *data;
  size_t size_bytes;
  std::vector<int32_t> shape;
  std::vector<int64_t> strides;

  MwArray array() const { return {data, size_bytes, shape.size(), shape.data(), strides.data()}; }
};

Bound bind(mx::array &array) {
  char *data = array.data<char>();
  size_t size_bytes = array.nbytes();
  if (!array.flags().row_contiguous && array.size() > 0) {
    // A view may reach anywhere in its buffer.
    const char *begin = static_cast<const char *>(array.buffer().raw_ptr());
    size_bytes = array.buffer_size() - static_cast<size_t>(data - begin);
  }
  return {data,
          size_bytes,
          std::vector<int32_t>(array.shape().begin(), array.shape().end()),
          std::vector<int64_t>(array.strides().begin(), array.strides().end())};
}

// A copy to make before the launch.
struct Copy {
  Bound from;
  size_t element_bytes;
  void *to;
};

struct Fill {
  void *to;
  uint32_t dtype;
  size_t count;
};

// All that the task of a launch needs; runs on a thread of the stream.
struct Task {
  std::shared_ptr<MwKernel> kernel;
  std::vector<Copy> copies;
  std::vector<Fill> fills;
  float init_value;
  std::vector<Bound> inputs;
  std::vector<Bound> outputs;
  std::vector<MwInjected> injected;
  int32_t grid[3];
  int32_t threadgroup[3];
  bool may_be_empty;

  MwLaunch launch(const std::vector<MwArray> &in, const std::vector<MwArray> &out) const {
    MwLaunch launch{};
    for (int axis = 0; axis < 3; ++axis) {
      launch.grid[axis] = grid[axis];
      launch.threadgroup[axis] = threadgroup[axis];
    }
    launch.inputs = in.data();
    launch.injected = injected.data();
    launch.input_count = in.size();
    launch.outputs = out.data();
    launch.output_count = out.size();
    launch.may_be_empty = may_be_empty;
    return launch;
  }

  void run() const {
#if MW_STREAMS_CARRY_ERRORS
    run_or_throw();
#else
    try {
      run_or_throw();
    } catch (...) {
      keep_error(std::current_exception());
    }
#endif
  }

  void run_or_throw() const {
    const auto &functions = table();
    for (const auto &copy : copies) {
      const MwArray from = copy.from.array();
      functions.copy_to_row_contiguous(&from, copy.element_bytes, copy.to);
    }
    for (const auto &fill : fills) {
      functions.fill(fill.to, fill.dtype, fill.count, init_value);
    }
    std::vector<MwArray> in, out;
    for (const auto &input : inputs) {
      in.push_back(input.array());
    }
    for (const auto &output : outputs) {
      out.push_back(output.array());
    }
    const MwLaunch arguments = launch(in, out);
    TableError error;
    const auto run = functions.run_checked ? functions.run_checked : functions.run;
    if (!run(kernel.get(), &arguments, error.out())) {
      error.raise();
    }
  }
};

void evaluate(CustomKernel &node,
              std::shared_ptr<MwKernel> kernel,
              const std::vector<mx::array> &inputs,
              std::vector<mx::array> &outputs) {
  auto task = std::make_shared<Task>();
  task->kernel = std::move(kernel);
  const auto &grid = node.*reveal(grid_Tag{});
  const auto &threadgroup = node.*reveal(threadgroup_Tag{});
  std::tie(task->grid[0], task->grid[1], task->grid[2]) = grid;
  std::tie(task->threadgroup[0], task->threadgroup[1], task->threadgroup[2]) = threadgroup;
  const auto &init_value = node.*reveal(init_value_Tag{});
  task->init_value = init_value.value_or(0.0f);
  task->may_be_empty = true;
  for (const auto &output : outputs) {
    task->may_be_empty &= output.size() == 0 || init_value.has_value();
  }
  // The sizes are known now, so mistakes in them are told by the call that evaluates.
  const MwLaunch sizes = task->launch({}, {});
  TableError error;
  if (!table().check_launch(task->kernel.get(), &sizes, error.out())) {
    error.raise();
  }

  auto &encoder = mx::cpu::get_command_encoder(node.stream());
  const bool ensure_row_contiguous = node.*reveal(ensure_row_contiguous_Tag{});
  for (const auto &given : inputs) {
    mx::array input = given;
    encoder.set_input_array(input);
    if (ensure_row_contiguous && !input.flags().row_contiguous) {
      mx::array copy(input.shape(), input.dtype(), nullptr, {});
      copy.set_data(mx::allocator::malloc(copy.nbytes()));
      encoder.add_temporary(copy);
      task->copies.push_back({bind(input), input.itemsize(), copy.data<void>()});
      input = copy;
    }
    task->inputs.push_back(bind(input));
  }
  for (const auto &[shape, strides, ndim] : node.*reveal(shape_infos_Tag{})) {
    task->injected.push_back({shape, strides, ndim});
  }
  for (auto &output : outputs) {
    output.set_data(mx::allocator::malloc(output.nbytes()));
    encoder.set_output_array(output);
    if (init_value.has_value()) {
      task->fills.push_back({output.data<void>(), dtype_number(output.dtype()), output.size()});
    }
    task->outputs.push_back(bind(output));
  }
  encoder.dispatch([task = std::move(task)]() { task->run(); });
}

std::shared_ptr<MwKernel> prepared(MwKernel *kernel, const TableError &error) {
  if (kernel == nullptr) {
    error.raise();
  }
  return owned(kernel, table().kernel_release);
}

// Evaluates a kernel that `prepare` compiles. An error is thrown, or kept where MLX does not stand an exception
// here; the outputs are zero then.
template <typename Prepare>
void prepare_and_evaluate(CustomKernel &node,
                          const std::vector<mx::array> &inputs,
                          std::vector<mx::array> &outputs,
                          Prepare prepare) {
#if !MW_STREAMS_CARRY_ERRORS
  try {
#endif
    TableError error;
    evaluate(node, prepared(prepare(error.out()), error), inputs, outputs);
#if !MW_STREAMS_CARRY_ERRORS
  } catch (...) {
    keep_error(std::current_exception());
    for (auto &output : outputs) {
      output.set_data(mx::allocator::malloc(output.nbytes()));
      std::memset(output.data<char>(), 0, output.nbytes());
    }
  }
#endif
}

void evaluate_by_text(CustomKernel *node, const std::vector<mx::array> &inputs, std::vector<mx::array> &outputs);

// A node made here. If it knows what was generated, it finds its compiled kernel without looking at the text.
class Node final : public CustomKernel {
 public:
  template <typename... Arguments>
  explicit Node(std::shared_ptr<MwGenerated> generated, Arguments &&...arguments)
      : CustomKernel(std::forward<Arguments>(arguments)...), generated_(std::move(generated)) {}

  void eval_cpu(const std::vector<mx::array> &inputs, std::vector<mx::array> &outputs) override {
    if (generated_ == nullptr) {
      evaluate_by_text(this, inputs, outputs);
      return;
    }
    prepare_and_evaluate(*this, inputs, outputs, [&](MwError *error) {
      return table().prepare_generated(generated_.get(), error);
    });
  }

 private:
  std::shared_ptr<MwGenerated> generated_;
};

// What libmlx's own `CustomKernel`, as an import makes it, does in place of refusing.
void evaluate_by_text(CustomKernel *node, const std::vector<mx::array> &inputs, std::vector<mx::array> &outputs) {
  if (node->*reveal(is_precompiled_Tag{})) {
    throw std::runtime_error("[CustomKernel::eval_cpu] A precompiled CUDA kernel runs on CUDA only.");
  }
  prepare_and_evaluate(*node, inputs, outputs, [&](MwError *error) {
    return table().prepare_text(text_of(node->*reveal(name_Tag{})),
                                text_of(node->*reveal(source_Tag{})),
                                math_mode_of(*node),
                                error);
  });
}

// ---- Construction ---------------------------------------------------------------------------------------------

thread_local bool asks_stock = false;

// Whether MLX traces a function for export on this thread. It does not say so; but its own `metal_kernel` makes
// kernels then, and refuses otherwise.
bool is_exporting() {
  asks_stock = true;
  bool is_made = true;
  try {
    mx::fast::metal_kernel("probe", {}, {"out"}, "")(
        {}, {{1}}, {mx::float32}, {1, 1, 1}, {1, 1, 1}, {}, std::nullopt, false, {});
  } catch (const std::exception &) {
    is_made = false;
  }
  asks_stock = false;
  return is_made;
}

// Whether any function is traced on this thread: arrays that are marked as a tracer's say so.
bool is_tracing() {
  static const mx::array *witness = [] {
    auto *array = new mx::array(0.0f);
    array->set_tracer(true);
    return array;
  }();
  return witness->is_tracer();
}

// Where the node runs: on a CPU stream. In a function that is exported the kernel says that it is one of a GPU, as
// MLX's own does, so that the function also runs on a Mac.
mx::Stream stream_of(const mx::StreamOrDevice &where) {
  if (is_tracing() && is_exporting()) {
    if (named_device(where).value_or(mx::Device::gpu) == mx::Device::cpu) {
      throw std::invalid_argument("[metal_kernel] Only supports the GPU.");
    }
    return mx::Stream(-1, mx::Device::gpu);
  }
  return mx::to_stream(on_the_cpu(where));
}

std::shared_ptr<MwDefinition> define(const std::string &name,
                                     const std::vector<std::string> &input_names,
                                     const std::vector<std::string> &output_names,
                                     const std::string &source,
                                     const std::string &header,
                                     bool ensure_row_contiguous,
                                     bool atomic_outputs,
                                     uint32_t math_mode) {
  std::vector<MwText> inputs, outputs;
  for (const auto &input : input_names) {
    inputs.push_back(text_of(input));
  }
  for (const auto &output : output_names) {
    outputs.push_back(text_of(output));
  }
  const MwDefinitionIn definition{text_of(name),  text_of(source), text_of(header),       inputs.data(),
                                  inputs.size(),  outputs.data(),  outputs.size(),        ensure_row_contiguous,
                                  atomic_outputs, math_mode};
  TableError error;
  MwDefinition *made = table().definition_new(&definition, error.out());
  if (made == nullptr) {
    error.raise();
  }
  return owned(made, table().definition_release);
}

std::shared_ptr<MwGenerated> generate(const MwDefinition &definition,
                                      const std::vector<mx::array> &inputs,
                                      size_t output_shape_count,
                                      const std::vector<mx::Dtype> &output_dtypes,
                                      const std::vector<std::pair<std::string, mx::fast::TemplateArg>> &template_args) {
  std::vector<MwInputIn> kinds;
  for (const auto &input : inputs) {
    kinds.push_back({dtype_number(input.dtype()), static_cast<uint32_t>(input.ndim()), input.size()});
  }
  std::vector<uint32_t> dtypes;
  for (const auto &dtype : output_dtypes) {
    dtypes.push_back(dtype_number(dtype));
  }
  std::vector<MwTemplateIn> values;
  for (const auto &[name, value] : template_args) {
    MwTemplateIn made{text_of(name), MW_TEMPLATE_INT, 0};
    if (auto *number = std::get_if<int>(&value)) {
      made.value = *number;
    } else if (auto *truth = std::get_if<bool>(&value)) {
      made.kind = MW_TEMPLATE_BOOL;
      made.value = *truth;
    } else {
      made.kind = MW_TEMPLATE_DTYPE;
      made.value = static_cast<int32_t>(dtype_number(std::get<mx::Dtype>(value)));
    }
    values.push_back(made);
  }
  TableError error;
  MwGenerated *made = table().generate(&definition,
                                       kinds.data(),
                                       kinds.size(),
                                       dtypes.data(),
                                       dtypes.size(),
                                       output_shape_count,
                                       values.data(),
                                       values.size(),
                                       error.out());
  if (made == nullptr) {
    error.raise();
  }
  return owned(made, table().generated_release);
}

mx::fast::CustomKernelFunction make_kernel(const std::string &name,
                                           const std::vector<std::string> &input_names,
                                           const std::vector<std::string> &output_names,
                                           const std::string &source,
                                           const std::string &header,
                                           bool ensure_row_contiguous,
                                           bool atomic_outputs
#if MW_HAS_COMPILE_OPTIONS
                                           ,
                                           const mx::CompileOptions &compile_options
#endif
) {
#if MW_HAS_COMPILE_OPTIONS
  const auto math_mode = static_cast<uint32_t>(compile_options.math_mode);
#else
  const uint32_t math_mode = MW_MATH_SAFE;
#endif
  auto definition = define(
      name, input_names, output_names, source, header, ensure_row_contiguous, atomic_outputs, math_mode);
  return [=](const std::vector<mx::array> &inputs,
             const std::vector<mx::Shape> &output_shapes,
             const std::vector<mx::Dtype> &output_dtypes,
             std::tuple<int, int, int> grid,
             std::tuple<int, int, int> threadgroup,
             const std::vector<std::pair<std::string, mx::fast::TemplateArg>> &template_args,
             std::optional<float> init_value,
             bool verbose,
             mx::StreamOrDevice where) {
    auto generated = generate(*definition, inputs, output_shapes.size(), output_dtypes, template_args);
    MwGeneratedOut view;
    table().generated_view(generated.get(), &view);
    const std::string text = string_of(view.source);
    if (verbose) {
      std::cout << "Generated source code for `" << name << "`:" << std::endl
                << "```" << std::endl
                << text << std::endl
                << "```" << std::endl;
    }
    std::vector<std::tuple<bool, bool, bool>> shape_infos;
    for (size_t input = 0; input < view.input_count; ++input) {
      const MwInjected &injected = view.injected[input];
      shape_infos.emplace_back(injected.shape, injected.strides, injected.ndim);
    }
    const mx::Stream stream = stream_of(where);
    auto node = std::make_shared<Node>(generated,
                                       stream,
                                       string_of(view.name),
                                       text,
                                       grid,
                                       threadgroup,
                                       std::move(shape_infos),
                                       ensure_row_contiguous,
                                       init_value,
                                       std::vector<mx::fast::ScalarArg>{},
                                       false,
                                       0
#if MW_HAS_COMPILE_OPTIONS
                                       ,
                                       compile_options.serialize()
#endif
    );
    return mx::array::make_arrays(output_shapes, output_dtypes, std::move(node), inputs);
  };
}

// ---- Kernels that stock MLX made before the bridge was in place -----------------------------------------------
//
// A module may have made its kernels when it was imported, before this one. Calling such a kernel runs MLX's own
// code: it asks whether there is Metal, then for a GPU stream, and makes a node of it. On the way it meets three
// functions of libmlx through libmlx's own table: it hears that there is Metal, gets a stream that says so, and the
// node is exchanged for one of ours when it is put into arrays.

// Code of MLX's `metal_kernel` lies around its entry.
constexpr uintptr_t KERNEL_CODE_BYTES = 1 << 16;

thread_local bool wants_gpu_stream = false;

bool stock_metal_is_available() {
  const auto caller = reinterpret_cast<uintptr_t>(__builtin_return_address(0));
  const auto code = reinterpret_cast<uintptr_t>(&mx::fast::metal_kernel);
  const uintptr_t distance = caller > code ? caller - code : code - caller;
  // In a function that is exported it does the right thing by itself.
  if (distance > KERNEL_CODE_BYTES || asks_stock || is_exporting()) {
    return mx::metal::is_available();
  }
  wants_gpu_stream = true;
  return true;
}

std::vector<mx::array> stock_make_arrays(std::vector<mx::Shape> shapes,
                                         const std::vector<mx::Dtype> &dtypes,
                                         const std::shared_ptr<mx::Primitive> &primitive,
                                         const std::vector<mx::array> &inputs) {
  const mx::Stream stream = primitive->stream();
  if (stream.device == mx::Device::gpu && stream.index >= 0 && std::string_view(primitive->name()) == "CustomKernel") {
    const auto &kernel = static_cast<const CustomKernel &>(*primitive);
    auto node = std::make_shared<Node>(nullptr,
                                       mx::Stream(stream.index, mx::Device::cpu),
                                       kernel.*reveal(name_Tag{}),
                                       kernel.*reveal(source_Tag{}),
                                       kernel.*reveal(grid_Tag{}),
                                       kernel.*reveal(threadgroup_Tag{}),
                                       kernel.*reveal(shape_infos_Tag{}),
                                       kernel.*reveal(ensure_row_contiguous_Tag{}),
                                       kernel.*reveal(init_value_Tag{}),
                                       std::vector<mx::fast::ScalarArg>{},
                                       false,
                                       0
#if MW_HAS_COMPILE_OPTIONS
                                       ,
                                       kernel.*reveal(compile_options_Tag{})
#endif
    );
    return mx::array::make_arrays(std::move(shapes), dtypes, std::move(node), inputs);
  }
  return mx::array::make_arrays(std::move(shapes), dtypes, primitive, inputs);
}

} // namespace

mx::Stream as_stock_wants(mx::Stream stream) {
  if (std::exchange(wants_gpu_stream, false)) {
    stream.device = mx::Device(mx::Device::gpu, 0);
  }
  return stream;
}

std::vector<Hook> hooks_for_stock_kernels() {
  static const std::string available = exported_name(reinterpret_cast<void *>(&mx::metal::is_available));
  static const std::string arrays = exported_name(reinterpret_cast<void *>(&mx::array::make_arrays));
  return {{available.c_str(), nullptr, reinterpret_cast<void *>(&stock_metal_is_available)},
          {arrays.c_str(), nullptr, reinterpret_cast<void *>(&stock_make_arrays)}};
}

void *metal_kernel_original() { return reinterpret_cast<void *>(&mx::fast::metal_kernel); }
void *metal_kernel_replacement() { return reinterpret_cast<void *>(&make_kernel); }

std::string let_imported_kernels_run() {
  return replace_virtual_function("N3mlx4core4fast12CustomKernelE",
                                  virtual_index<void (mx::Primitive::*)(const std::vector<mx::array> &,
                                                                        std::vector<mx::array> &)>(
                                      &mx::Primitive::eval_cpu),
                                  metal_kernel_original(),
                                  reinterpret_cast<void *>(&evaluate_by_text));
}

} // namespace metalworking
