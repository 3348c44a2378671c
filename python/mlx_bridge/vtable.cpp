// Finds a hidden class's virtual table by its run-time type information, which the ABI lays out:
// the class's name lies in read-only data; its type information is a pair whose second word points to that name;
// its table is a zero word (the offset to the top), a pointer to the type information, then the functions.
// Each step must have one answer, or nothing is changed.
#include "vtable.h"

#include <vector>

#include "image.h"

namespace metalworking {

namespace {

// Addresses of all words that hold `value`, in the data that the linker relocates.
std::vector<uintptr_t *> words_with(const Image &image, uintptr_t value) {
  std::vector<uintptr_t *> found;
  for (const auto &segment : image.segments) {
    if (!segment.is_writable) {
      continue;
    }
    const uintptr_t first = (segment.begin + sizeof(void *) - 1) & ~(sizeof(void *) - 1);
    for (uintptr_t at = first; at + sizeof(void *) <= segment.end; at += sizeof(void *)) {
      auto *word = reinterpret_cast<uintptr_t *>(at);
      if (*word == value) {
        found.push_back(word);
      }
    }
  }
  return found;
}

// Addresses of a whole zero-ended text.
std::vector<uintptr_t> texts_with(const Image &image, const std::string &text) {
  std::vector<uintptr_t> found;
  const size_t length = text.size() + 1;
  for (const auto &segment : image.segments) {
    if (segment.is_executable || segment.is_writable) {
      continue;
    }
    uintptr_t at = segment.begin;
    while (at + length <= segment.end) {
      const void *hit = memmem(reinterpret_cast<const void *>(at), segment.end - at, text.c_str(), length);
      if (hit == nullptr) {
        break;
      }
      const auto address = reinterpret_cast<uintptr_t>(hit);
      // Not the tail of a longer name.
      if (address == segment.begin || reinterpret_cast<const char *>(hit)[-1] == '\0') {
        found.push_back(address);
      }
      at = address + 1;
    }
  }
  return found;
}

} // namespace

std::string replace_virtual_function(const std::string &mangled_class,
                                     size_t index,
                                     const void *anything_inside,
                                     void *replacement) {
  const Image image = image_of(anything_inside);
  std::vector<uintptr_t *> tables;
  for (const uintptr_t name : texts_with(image, mangled_class)) {
    for (const uintptr_t *second : words_with(image, name)) {
      const auto type_information = reinterpret_cast<uintptr_t>(second - 1);
      for (uintptr_t *pointer : words_with(image, type_information)) {
        const bool is_table = pointer[-1] == 0 && image.is_code(pointer[1 + index]);
        if (is_table) {
          tables.push_back(pointer + 1);
        }
      }
    }
  }
  if (tables.size() != 1) {
    return "the class " + mangled_class + " has " + std::to_string(tables.size()) + " virtual tables in " +
           image.path + ", not one";
  }
  write_word(image, tables[0] + index, reinterpret_cast<uintptr_t>(replacement));
  return "";
}

} // namespace metalworking
