// One entry of the virtual table of a class that libmlx hides.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

namespace metalworking {

// Which entry of its table a virtual function has. In the Itanium ABI a pointer to a virtual member holds one more
// than its offset in bytes (on AArch64 the offset, and the one in its second word).
template <typename Member>
size_t virtual_index(Member member) {
  uintptr_t words[2] = {0, 0};
  static_assert(sizeof(member) == sizeof(words));
  std::memcpy(words, &member, sizeof(member));
#if defined(__aarch64__)
  return words[0] / sizeof(void *);
#else
  return (words[0] - 1) / sizeof(void *);
#endif
}

// Puts `replacement` into the table of the class with this mangled name, in the library that holds
// `anything_inside`. Says why it could not, or nothing.
std::string replace_virtual_function(const std::string &mangled_class,
                                     size_t index,
                                     const void *anything_inside,
                                     void *replacement);

} // namespace metalworking
