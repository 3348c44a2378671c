// Reads the dynamic section of loaded libraries, and writes to their tables.
//
// What is written is one pointer at a time, to a place that the dynamic linker itself writes to with the same
// meaning ("where this symbol is"), and only for symbols that the bridge names. Where the library was linked with
// `-z relro`, the page is sealed and is opened for the time of the write; with `-z now` also the entries of
// functions lie there.
#include "image.h"

#include <elf.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <stdexcept>

namespace metalworking {

namespace {

#if defined(__x86_64__)
bool is_symbol_address(unsigned long type) {
  return type == R_X86_64_JUMP_SLOT || type == R_X86_64_GLOB_DAT || type == R_X86_64_64;
}
#elif defined(__aarch64__)
bool is_symbol_address(unsigned long type) {
  return type == R_AARCH64_JUMP_SLOT || type == R_AARCH64_GLOB_DAT || type == R_AARCH64_ABS64;
}
#else
#error "the bridge knows x86-64 and AArch64"
#endif

struct Tables {
  const ElfW(Sym) *symbols = nullptr;
  const char *names = nullptr;
  std::vector<std::pair<const ElfW(Rela) *, size_t>> relocations;
};

Tables tables_of(const Image &image) {
  Tables tables;
  uintptr_t data = 0, calls = 0;
  size_t data_bytes = 0, call_bytes = 0;
  // The linker has made these addresses absolute already; some systems leave them relative.
  const auto address = [&](uintptr_t value) { return value < image.base ? value + image.base : value; };
  for (auto *entry = static_cast<const ElfW(Dyn) *>(image.dynamic); entry->d_tag != DT_NULL; ++entry) {
    switch (entry->d_tag) {
      case DT_SYMTAB:
        tables.symbols = reinterpret_cast<const ElfW(Sym) *>(address(entry->d_un.d_ptr));
        break;
      case DT_STRTAB:
        tables.names = reinterpret_cast<const char *>(address(entry->d_un.d_ptr));
        break;
      case DT_RELA:
        data = address(entry->d_un.d_ptr);
        break;
      case DT_RELASZ:
        data_bytes = entry->d_un.d_val;
        break;
      case DT_JMPREL:
        calls = address(entry->d_un.d_ptr);
        break;
      case DT_PLTRELSZ:
        call_bytes = entry->d_un.d_val;
        break;
      default:
        break;
    }
  }
  tables.relocations = {{reinterpret_cast<const ElfW(Rela) *>(data), data_bytes / sizeof(ElfW(Rela))},
                        {reinterpret_cast<const ElfW(Rela) *>(calls), call_bytes / sizeof(ElfW(Rela))}};
  return tables;
}

} // namespace

bool Image::contains(uintptr_t address) const {
  for (const auto &segment : segments) {
    if (address >= segment.begin && address < segment.end) {
      return true;
    }
  }
  return false;
}

bool Image::is_code(uintptr_t address) const {
  for (const auto &segment : segments) {
    if (segment.is_executable && address >= segment.begin && address < segment.end) {
      return true;
    }
  }
  return false;
}

void Image::for_each_reference(const std::function<void(std::string_view, uintptr_t *)> &found) const {
  if (dynamic == nullptr) {
    return;
  }
  const Tables tables = tables_of(*this);
  if (tables.symbols == nullptr || tables.names == nullptr) {
    return;
  }
  for (const auto &[first, count] : tables.relocations) {
    for (size_t index = 0; index < count; ++index) {
      const auto &relocation = first[index];
      const auto symbol = ELF64_R_SYM(relocation.r_info);
      if (symbol == 0 || relocation.r_addend != 0 || !is_symbol_address(ELF64_R_TYPE(relocation.r_info))) {
        continue;
      }
      auto *word = reinterpret_cast<uintptr_t *>(base + relocation.r_offset);
      if (contains(reinterpret_cast<uintptr_t>(word))) {
        found(tables.names + tables.symbols[symbol].st_name, word);
      }
    }
  }
}

std::vector<Image> loaded_images() {
  std::vector<Image> images;
  const auto add = [](dl_phdr_info *info, size_t, void *out) {
    Image image;
    image.path = info->dlpi_name;
    image.base = info->dlpi_addr;
    const uintptr_t page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
    for (int index = 0; index < info->dlpi_phnum; ++index) {
      const auto &header = info->dlpi_phdr[index];
      const uintptr_t begin = image.base + header.p_vaddr;
      const uintptr_t end = begin + header.p_memsz;
      switch (header.p_type) {
        case PT_LOAD:
          image.segments.push_back({begin, end, (header.p_flags & PF_X) != 0, (header.p_flags & PF_W) != 0});
          break;
        case PT_GNU_RELRO:
          // The linker seals whole pages and leaves the last, unfinished one open.
          image.sealed_begin = begin & ~(page - 1);
          image.sealed_end = end & ~(page - 1);
          break;
        case PT_DYNAMIC:
          image.dynamic = reinterpret_cast<const void *>(begin);
          break;
        default:
          break;
      }
    }
    static_cast<std::vector<Image> *>(out)->push_back(std::move(image));
    return 0;
  };
  dl_iterate_phdr(add, &images);
  return images;
}

Image image_of(const void *address) {
  for (auto &image : loaded_images()) {
    if (image.contains(reinterpret_cast<uintptr_t>(address))) {
      return image;
    }
  }
  throw std::runtime_error("no loaded library holds a function that the bridge needs");
}

void write_word(const Image &image, uintptr_t *word, uintptr_t value) {
  const auto address = reinterpret_cast<uintptr_t>(word);
  const uintptr_t page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  auto *start = reinterpret_cast<void *>(address & ~(page - 1));
  const bool is_sealed = address >= image.sealed_begin && address < image.sealed_end;
  if (is_sealed && mprotect(start, page, PROT_READ | PROT_WRITE) != 0) {
    throw std::runtime_error("the system does not let a table of " + image.path + " be changed: " +
                             std::strerror(errno));
  }
  // Both kinds of word are aligned, so that nobody sees half of one.
  reinterpret_cast<std::atomic<uintptr_t> *>(word)->store(value, std::memory_order_release);
  if (is_sealed) {
    mprotect(start, page, PROT_READ);
  }
}

} // namespace metalworking
