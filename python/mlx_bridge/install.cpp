// What `metalworking.mlx` calls: puts the bridge in place.
#include <dlfcn.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <string>

#include "bridge.h"
#include "image.h"

namespace metalworking {

namespace {

const MwCustomKernelTable *given_table = nullptr;

// Which words of which libraries get which address.
struct Write {
  Image image;
  uintptr_t *word;
  uintptr_t value;
};

void collect(std::vector<Write> &writes, const Image &image, const std::vector<Hook> &hooks) {
  std::map<std::string_view, void *> replacements;
  for (const auto &hook : hooks) {
    replacements.emplace(hook.symbol, hook.replacement);
  }
  image.for_each_reference([&](std::string_view symbol, uintptr_t *word) {
    const auto found = replacements.find(symbol);
    if (found != replacements.end()) {
      writes.push_back({image, word, reinterpret_cast<uintptr_t>(found->second)});
    }
  });
}

const std::vector<Hook> &all_hooks_for_callers() {
  static const std::string name = exported_name(metal_kernel_original());
  static const std::vector<Hook> all = [] {
    std::vector<Hook> hooks = hooks_for_callers();
    hooks.push_back({name.c_str(), metal_kernel_original(), metal_kernel_replacement()});
    for (const auto &hook : hooks_for_errors()) {
      hooks.push_back(hook);
    }
    return hooks;
  }();
  return all;
}

void install(const void *inside_extension) {
  const Image library = image_of(metal_kernel_original());
  const Image own = image_of(reinterpret_cast<const void *>(&install));
  const Image extension = image_of(inside_extension);
  const std::vector<Hook> &hooks = all_hooks_for_callers();
  const Hook kernel = *std::find_if(hooks.begin(), hooks.end(), [](const Hook &hook) {
    return hook.replacement == metal_kernel_replacement();
  });
  std::vector<Write> writes;
  collect(writes, extension, hooks);
  if (std::none_of(writes.begin(), writes.end(), [&](const Write &write) {
        return write.value == reinterpret_cast<uintptr_t>(kernel.replacement);
      })) {
    throw std::runtime_error("mlx.core does not call " + std::string(kernel.symbol) + " across a library's boundary");
  }
  collect(writes, library, hooks_for_library());
  collect(writes, library, hooks_for_stock_kernels());
  // Other extensions that make kernels by themselves.
  for (const Image &image : loaded_images()) {
    if (image.base != library.base && image.base != own.base && image.base != extension.base) {
      collect(writes, image, {kernel});
    }
  }
  for (const auto &write : writes) {
    write_word(write.image, write.word, write.value);
  }
}

// Puts our functions in place of libmlx's in memory of the extension's own, such as the records of functions that
// Python knows by name.
size_t replace_in(void *memory, size_t bytes) {
  size_t replaced = 0;
  auto *words = static_cast<uintptr_t *>(memory);
  for (const auto &hook : all_hooks_for_callers()) {
    for (size_t index = 0; index < bytes / sizeof(uintptr_t); ++index) {
      if (hook.original != nullptr && words[index] == reinterpret_cast<uintptr_t>(hook.original)) {
        words[index] = reinterpret_cast<uintptr_t>(hook.replacement);
        ++replaced;
      }
    }
  }
  return replaced;
}

void copy_message(const std::string &message, char *out, size_t size) {
  if (size > 0) {
    const size_t length = std::min(message.size(), size - 1);
    std::memcpy(out, message.data(), length);
    out[length] = '\0';
  }
}

} // namespace

const MwCustomKernelTable &table() { return *given_table; }

std::string exported_name(void *function) {
  Dl_info info;
  if (dladdr(function, &info) == 0 || info.dli_sname == nullptr || info.dli_saddr != function) {
    throw std::runtime_error("libmlx does not export a function that the bridge needs");
  }
  return info.dli_sname;
}

} // namespace metalworking

#define MW_EXPORTED extern "C" __attribute__((visibility("default")))

// The version of MLX that this library was compiled for.
MW_EXPORTED const char *mw_bridge_mlx_version() {
#define MW_TEXT(x) #x
#define MW_VERSION(major, minor, patch) MW_TEXT(major) "." MW_TEXT(minor) "." MW_TEXT(patch)
  return MW_VERSION(MLX_VERSION_MAJOR, MLX_VERSION_MINOR, MLX_VERSION_PATCH);
}

MW_EXPORTED uint32_t mw_bridge_abi() { return MW_CUSTOM_KERNEL_ABI; }

// Puts the bridge in place, once. `inside_extension` is any address inside the extension module `mlx.core`.
// False, with a message, when that cannot be done; nothing has changed then.
MW_EXPORTED bool mw_bridge_install(const MwCustomKernelTable *table,
                                   const void *inside_extension,
                                   char *message,
                                   size_t message_size) {
  static std::mutex mutex;
  std::lock_guard<std::mutex> lock(mutex);
  if (metalworking::given_table != nullptr) {
    return true;
  }
  try {
    if (table->abi_version != MW_CUSTOM_KERNEL_ABI || table->size_bytes != sizeof(MwCustomKernelTable)) {
      throw std::runtime_error("the bridge and the native module are of different builds");
    }
    metalworking::given_table = table;
    metalworking::install(inside_extension);
    return true;
  } catch (const std::exception &error) {
    metalworking::given_table = nullptr;
    metalworking::copy_message(error.what(), message, message_size);
    return false;
  }
}

// Lets kernels of imported functions run. False, with a message, when they cannot.
MW_EXPORTED bool mw_bridge_let_imported_kernels_run(char *message, size_t message_size) {
  try {
    const std::string problem = metalworking::let_imported_kernels_run();
    metalworking::copy_message(problem, message, message_size);
    return problem.empty();
  } catch (const std::exception &error) {
    metalworking::copy_message(error.what(), message, message_size);
    return false;
  }
}

// Replaces functions in memory that the caller owns and that nobody else writes to now. Gives how many.
MW_EXPORTED size_t mw_bridge_replace_in(void *memory, size_t bytes) {
  return metalworking::replace_in(memory, bytes);
}
