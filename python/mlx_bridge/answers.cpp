// What Python hears of devices and streams: that there is a GPU; and what libmlx hears: that all is on the CPU.
//
// Stock MLX without a GPU refuses `mx.gpu` as a device and in streams. Scripts for Macs ask for it, test
// `mx.default_device() == mx.gpu`, and make streams on it. So callers outside libmlx get streams that say `gpu` and
// are CPU streams underneath, under the same number; whatever comes back into libmlx is turned into its CPU stream
// where libmlx looks at it, in `to_stream` and a few functions like it. libmlx itself never sees a GPU, and its own
// answers stay what they are.
#include <unistd.h>

#include <memory>
#include <optional>
#include <type_traits>
#include <unordered_map>
#include <variant>

#include "bridge.h"
#include "mlx/backend/metal/metal.h"

namespace metalworking {

namespace mx = mlx::core;

namespace {

bool is_gpu(const mx::Device &device) { return device == mx::Device::gpu; }

const mx::Device cpu_device(mx::Device::cpu, 0);

template <typename AnyStream>
AnyStream with_device(AnyStream stream, const mx::Device &device) {
  stream.device = device;
  return stream;
}

template <typename AnyStream>
AnyStream on_cpu(AnyStream stream) {
  return is_gpu(stream.device) ? with_device(stream, cpu_device) : stream;
}

mx::Device on_cpu(const mx::Device &device) { return is_gpu(device) ? cpu_device : device; }

// A CPU stream that says what was asked for.
template <typename AnyStream>
AnyStream as_asked(AnyStream stream, const mx::Device &asked) {
  return is_gpu(asked) ? with_device(stream, asked) : stream;
}

// The device that Python set, at first the GPU, as on a Mac. libmlx keeps its own, which is always the CPU.
mx::Device &answered_device() {
  static mx::Device device(mx::Device::gpu, 0);
  return device;
}

// The device that a caller means.
mx::Device asked_device(const mx::StreamOrDevice &where) {
  return named_device(where).value_or(answered_device());
}

// ---- For callers outside libmlx -------------------------------------------------------------------------------

const mx::Device &default_device() { return answered_device(); }

void set_default_device(const mx::Device &device) {
  mx::set_default_device(on_cpu(device));
  answered_device() = device;
}

mx::Stream default_stream(mx::Device device) { return as_asked(mx::default_stream(on_cpu(device)), device); }
void set_default_stream(mx::Stream stream) { mx::set_default_stream(on_cpu(stream)); }
mx::Stream new_stream(mx::Device device) { return as_asked(mx::new_stream(on_cpu(device)), device); }
#if MW_HAS_THREAD_UNSAFE_STREAM
mx::Stream new_thread_unsafe_stream(mx::Device device) {
  return as_asked(mx::new_thread_unsafe_stream(on_cpu(device)), device);
}
#endif
#if MW_HAS_THREAD_LOCAL_STREAM
mx::ThreadLocalStream new_thread_local_stream(mx::Device device) {
  return as_asked(mx::new_thread_local_stream(on_cpu(device)), device);
}
#endif
mx::Stream to_stream(mx::StreamOrDevice where) {
  return as_asked(mx::to_stream(on_the_cpu(where)), asked_device(where));
}
void synchronize(mx::Stream stream) { mx::synchronize(on_cpu(stream)); }

bool is_available(const mx::Device &device) { return is_gpu(device) ? device.index == 0 : mx::is_available(device); }
int device_count(mx::Device::DeviceType type) {
  return type == mx::Device::gpu ? 1 : mx::device_count(type);
}
bool metal_is_available() { return true; }

using Facts = std::unordered_map<std::string, std::variant<std::string, size_t>>;

const Facts &gpu_facts() {
  static const Facts facts = [] {
    MwDeviceFacts device{};
    TableError error;
    if (!table().device_facts(&device, error.out())) {
      error.raise();
    }
    const auto pages = static_cast<size_t>(sysconf(_SC_PHYS_PAGES));
    return Facts{{"device_name", string_of(device.name)},
                 {"architecture", string_of(device.architecture)},
                 {"max_buffer_length", static_cast<size_t>(device.max_buffer_bytes)},
                 {"max_recommended_working_set_size", static_cast<size_t>(device.recommended_working_set_bytes)},
                 {"memory_size", pages * static_cast<size_t>(sysconf(_SC_PAGESIZE))},
                 // Metal's limit of allocations on every Mac that has been read.
                 {"resource_limit", static_cast<size_t>(499000)}};
  }();
  return facts;
}

const Facts &device_info(const mx::Device &device) { return is_gpu(device) ? gpu_facts() : mx::device_info(device); }
const Facts &metal_device_info() { return gpu_facts(); }

// ---- For libmlx itself ----------------------------------------------------------------------------------------

mx::Stream inner_to_stream(mx::StreamOrDevice where) { return as_stock_wants(mx::to_stream(on_the_cpu(where))); }
mx::Stream inner_to_stream_or(mx::StreamOrDevice where, mx::Device otherwise) {
  return mx::to_stream(on_the_cpu(where), on_cpu(otherwise));
}
mx::Stream inner_default_stream(mx::Device device) { return as_stock_wants(mx::default_stream(on_cpu(device))); }
// An imported function makes the streams that it was exported with.
mx::Stream inner_new_stream(mx::Device device) { return mx::new_stream(on_cpu(device)); }
void inner_synchronize(mx::Stream stream) { mx::synchronize(on_cpu(stream)); }

template <typename Function>
void add(std::vector<Hook> &hooks, Function *original, Function *replacement) {
  auto *address = reinterpret_cast<void *>(original);
  // The names live as long as libmlx.
  static std::vector<std::unique_ptr<std::string>> names;
  names.push_back(std::make_unique<std::string>(exported_name(address)));
  hooks.push_back({names.back()->c_str(), address, reinterpret_cast<void *>(replacement)});
}

} // namespace

std::optional<mx::Device> named_device(const mx::StreamOrDevice &where) {
  return std::visit(
      [](const auto &named) -> std::optional<mx::Device> {
        using Named = std::decay_t<decltype(named)>;
        if constexpr (std::is_same_v<Named, std::monostate>) {
          return std::nullopt;
        } else if constexpr (std::is_base_of_v<mx::Stream, Named>) {
          return named.device;
        } else {
          // A device, or only its type.
          return mx::Device(named);
        }
      },
      where);
}

mx::StreamOrDevice on_the_cpu(mx::StreamOrDevice where) {
  return std::visit(
      [](const auto &named) -> mx::StreamOrDevice {
        using Named = std::decay_t<decltype(named)>;
        if constexpr (std::is_same_v<Named, std::monostate>) {
          return named;
        } else if constexpr (std::is_base_of_v<mx::Stream, Named>) {
          return on_cpu(named);
        } else {
          return on_cpu(mx::Device(named));
        }
      },
      where);
}

std::vector<Hook> hooks_for_callers() {
  std::vector<Hook> hooks;
  add<const mx::Device &()>(hooks, &mx::default_device, &default_device);
  add<void(const mx::Device &)>(hooks, &mx::set_default_device, &set_default_device);
  add<mx::Stream(mx::Device)>(hooks, &mx::default_stream, &default_stream);
  add<void(mx::Stream)>(hooks, &mx::set_default_stream, &set_default_stream);
  add<mx::Stream(mx::Device)>(hooks, &mx::new_stream, &new_stream);
#if MW_HAS_THREAD_UNSAFE_STREAM
  add<mx::Stream(mx::Device)>(hooks, &mx::new_thread_unsafe_stream, &new_thread_unsafe_stream);
#endif
#if MW_HAS_THREAD_LOCAL_STREAM
  add<mx::ThreadLocalStream(mx::Device)>(hooks, &mx::new_thread_local_stream, &new_thread_local_stream);
#endif
  add<mx::Stream(mx::StreamOrDevice)>(hooks, &mx::to_stream, &to_stream);
  add<void(mx::Stream)>(hooks, &mx::synchronize, &synchronize);
  add<bool(const mx::Device &)>(hooks, &mx::is_available, &is_available);
  add<int(mx::Device::DeviceType)>(hooks, &mx::device_count, &device_count);
  add<const Facts &(const mx::Device &)>(hooks, &mx::device_info, &device_info);
  add<bool()>(hooks, &mx::metal::is_available, &metal_is_available);
  add<const Facts &()>(hooks, &mx::metal::device_info, &metal_device_info);
  return hooks;
}

std::vector<Hook> hooks_for_library() {
  std::vector<Hook> hooks;
  add<mx::Stream(mx::StreamOrDevice)>(hooks, &mx::to_stream, &inner_to_stream);
  add<mx::Stream(mx::StreamOrDevice, mx::Device)>(hooks, &mx::to_stream, &inner_to_stream_or);
  add<mx::Stream(mx::Device)>(hooks, &mx::default_stream, &inner_default_stream);
  add<mx::Stream(mx::Device)>(hooks, &mx::new_stream, &inner_new_stream);
  add<void(mx::Stream)>(hooks, &mx::synchronize, &inner_synchronize);
  return hooks;
}

} // namespace metalworking
