// What the parts of the bridge share: the function table, versions, errors.
//
// The bridge is one shared library for each version of MLX, compiled against that version's own headers and loaded
// by `metalworking.mlx` after `mlx.core`. It takes the place of functions of libmlx for those who call them across
// a library's boundary (relocation.h), and of one virtual function (kernel.cpp). It knows no Python.
#pragma once

#include <exception>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "metalworking_custom_kernel.h"
#include "mlx/array.h"
#include "mlx/device.h"
#include "mlx/stream.h"
#include "mlx/transforms.h"
#include "mlx/utils.h"
#include "mlx/version.h"

// 0.31.2 brought streams that each thread has its own of.
#define MW_HAS_THREAD_LOCAL_STREAM (MLX_VERSION_NUMERIC >= 31002)
// 0.32.0 brought `compile_options`, and streams that any thread may use.
#define MW_HAS_COMPILE_OPTIONS (MLX_VERSION_NUMERIC >= 32000)
#define MW_HAS_THREAD_UNSAFE_STREAM (MLX_VERSION_NUMERIC >= 32000)
// From 0.32.1 on what a task of a stream throws comes out of the call that waits for it; before, it ends the process.
#define MW_STREAMS_CARRY_ERRORS (MLX_VERSION_NUMERIC >= 32001)

namespace metalworking {

// A function of libmlx, and ours in its place.
struct Hook {
  const char *symbol;   // mangled
  void *original;       // in libmlx
  void *replacement;    // here
};

// The table that `install` was given.
const MwCustomKernelTable &table();

// An error of the table, which gives its message back when it goes.
class TableError {
 public:
  TableError() = default;
  TableError(const TableError &) = delete;
  TableError &operator=(const TableError &) = delete;
  ~TableError() { table().error_release(&error_); }
  MwError *out() { return &error_; }
  std::string message() const { return std::string(error_.message, error_.length); }
  // As the exception that MLX throws for such a mistake: `ValueError` or `RuntimeError` in Python.
  [[noreturn]] void raise() const {
    if (error_.kind == MW_ERROR_VALUE) {
      throw std::invalid_argument(message());
    }
    throw std::runtime_error(message());
  }

 private:
  MwError error_{MW_ERROR_NONE, nullptr, 0};
};

inline MwText text_of(const std::string &text) { return {text.data(), text.size()}; }
inline std::string string_of(MwText text) { return std::string(text.data, text.length); }

// The mangled name under which libmlx exports a function.
std::string exported_name(void *function);

// kernel.cpp
void *metal_kernel_original();
void *metal_kernel_replacement();
// Lets kernels of imported functions run. Says why not, or nothing.
std::string let_imported_kernels_run();

// Lets kernels run that stock MLX made before the bridge was in place.
std::vector<Hook> hooks_for_stock_kernels();
// A stream, as code of such a kernel wants it: one that says that it is the GPU's. Asked once for each kernel.
mlx::core::Stream as_stock_wants(mlx::core::Stream stream);

// answers.cpp: what callers outside libmlx are told, and what libmlx hears.
std::vector<Hook> hooks_for_callers();
std::vector<Hook> hooks_for_library();
// The device that a stream is on or that is named itself, if any.
std::optional<mlx::core::Device> named_device(const mlx::core::StreamOrDevice &where);
// What stands for a stream or device inside libmlx: its CPU.
mlx::core::StreamOrDevice on_the_cpu(mlx::core::StreamOrDevice where);

// pending.cpp: errors of kernels, for versions whose streams do not carry them.
void keep_error(std::exception_ptr error);
std::vector<Hook> hooks_for_errors();

} // namespace metalworking
