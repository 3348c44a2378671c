// Loaded libraries: their segments, their relocation tables, and single words in them that are rewritten.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace metalworking {

// A part of a loaded library. `is_writable` is what its pages allow now: relocated read-only data does not.
struct Segment {
  uintptr_t begin;
  uintptr_t end;
  bool is_executable;
  bool is_writable;
};

// A loaded library.
struct Image {
  std::string path;
  uintptr_t base;
  std::vector<Segment> segments;
  // What the linker made read-only after relocating (RELRO).
  uintptr_t sealed_begin = 0;
  uintptr_t sealed_end = 0;
  const void *dynamic = nullptr;

  bool contains(uintptr_t address) const;
  bool is_code(uintptr_t address) const;
  // Calls `found` for each word that the dynamic linker fills with the address of a symbol: entries of the global
  // offset table, bound lazily or at once, and pointers in data.
  void for_each_reference(const std::function<void(std::string_view symbol, uintptr_t *word)> &found) const;
};

// All libraries of the process.
std::vector<Image> loaded_images();

// The library that holds an address; throws when there is none.
Image image_of(const void *address);

// Writes a word of a loaded library. The page is made writable for the time of the write where it is not; other
// threads see the old value or the new one.
void write_word(const Image &image, uintptr_t *word, uintptr_t value);

} // namespace metalworking
