// Errors of tasks for versions of MLX whose streams do not carry them.
//
// There an exception in a task ends the process. So the task keeps its message here, and the functions through
// which Python waits for arrays throw it once they have waited. An error is thrown once, by whoever waits first.
#include <mutex>
#include <optional>

#include "bridge.h"

namespace metalworking {

#if MW_STREAMS_CARRY_ERRORS

void keep_error(const std::string &) {}
std::vector<Hook> hooks_for_errors() { return {}; }

#else

namespace mx = mlx::core;

namespace {

std::mutex mutex;
std::optional<std::string> pending;

void throw_pending() {
  std::optional<std::string> message;
  {
    std::lock_guard<std::mutex> lock(mutex);
    message.swap(pending);
  }
  if (message) {
    throw std::runtime_error(*message);
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

void keep_error(const std::string &message) {
  std::lock_guard<std::mutex> lock(mutex);
  if (!pending) {
    pending = message;
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
