// Errors of kernels for versions of MLX whose streams do not carry them.
//
// There an exception in a task ends the process, and one that leaves the evaluation of a graph half done can leave
// tasks behind whose memory is gone. So errors are kept here, and the functions through which Python waits for
// arrays throw them once they have waited. An error is thrown once, by whoever waits first.
#include <mutex>
#include <utility>

#include "bridge.h"

namespace metalworking {

#if MW_STREAMS_CARRY_ERRORS

void keep_error(std::exception_ptr) {}
std::vector<Hook> hooks_for_errors() { return {}; }

#else

namespace mx = mlx::core;

namespace {

std::mutex mutex;
std::exception_ptr pending;

void throw_pending() {
  std::exception_ptr error;
  {
    std::lock_guard<std::mutex> lock(mutex);
    error = std::exchange(pending, nullptr);
  }
  if (error) {
    std::rethrow_exception(error);
  }
}

void eval_arrays(std::vector<mx::array> arrays) {
  mx::eval(std::move(arrays));
  throw_pending();
}

void eval_array(mx::array *array) {
  array->eval();
  throw_pending();
}

void synchronize_all() {
  mx::synchronize();
  throw_pending();
}

} // namespace

void keep_error(std::exception_ptr error) {
  std::lock_guard<std::mutex> lock(mutex);
  if (!pending) {
    pending = std::move(error);
  }
}

std::vector<Hook> hooks_for_errors() {
  static const std::string eval_name =
      exported_name(reinterpret_cast<void *>(static_cast<void (*)(std::vector<mx::array>)>(&mx::eval)));
  static const std::string synchronize_name =
      exported_name(reinterpret_cast<void *>(static_cast<void (*)()>(&mx::synchronize)));
  return {
      {eval_name.c_str(), nullptr, reinterpret_cast<void *>(&eval_arrays)},
      {synchronize_name.c_str(), nullptr, reinterpret_cast<void *>(&synchronize_all)},
      // A member function takes its object as the first argument.
      {"_ZN3mlx4core5array4evalEv", nullptr, reinterpret_cast<void *>(&eval_array)},
  };
}

#endif

} // namespace metalworking
