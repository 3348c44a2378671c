/* MLX's custom-kernel contract as one table of C functions: what `mw-custom-kernel` (src/c_abi.rs) offers.
 *
 * Texts are pointer and length, UTF-8, without a zero byte at the end. Handles are given back with their release
 * function, once. Functions that can fail return NULL or false and fill `error`, which must be zero before; its
 * message is given back with `error_release`. All functions may be called from any thread, at the same time, and
 * none throws. */
#ifndef METALWORKING_CUSTOM_KERNEL_H
#define METALWORKING_CUSTOM_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Changes with every change of this file. */
#define MW_CUSTOM_KERNEL_ABI 1u

typedef struct MwText {
  const char *data;
  size_t length;
} MwText;

enum MwErrorKind {
  MW_ERROR_NONE = 0,
  MW_ERROR_VALUE = 1,   /* the caller gave a wrong value */
  MW_ERROR_RUNTIME = 2, /* it went wrong while it ran, or while it was compiled */
};

typedef struct MwError {
  uint32_t kind;
  char *message;
  size_t length;
} MwError;

enum MwDtype {
  MW_BOOL = 0,
  MW_UINT8 = 1,
  MW_UINT16 = 2,
  MW_UINT32 = 3,
  MW_UINT64 = 4,
  MW_INT8 = 5,
  MW_INT16 = 6,
  MW_INT32 = 7,
  MW_INT64 = 8,
  MW_FLOAT16 = 9,
  MW_FLOAT32 = 10,
  MW_FLOAT64 = 11, /* refused */
  MW_BFLOAT16 = 12,
  MW_COMPLEX64 = 13,
};

enum MwMathMode { MW_MATH_SAFE = 0, MW_MATH_RELAXED = 1, MW_MATH_FAST = 2 };

/* What `metal_kernel` was called with. */
typedef struct MwDefinitionIn {
  MwText name;
  MwText source;
  MwText header;
  const MwText *input_names;
  size_t input_count;
  const MwText *output_names;
  size_t output_count;
  bool ensure_row_contiguous;
  bool atomic_outputs;
  uint32_t math_mode;
} MwDefinitionIn;

/* What a signature depends on of an input; `size` counts elements. */
typedef struct MwInputIn {
  uint32_t dtype;
  uint32_t ndim;
  size_t size;
} MwInputIn;

enum MwTemplateKind { MW_TEMPLATE_DTYPE = 0, MW_TEMPLATE_INT = 1, MW_TEMPLATE_BOOL = 2 };

typedef struct MwTemplateIn {
  MwText name;
  uint32_t kind;
  int32_t value;
} MwTemplateIn;

/* Which facts about its shape an input brings along, as arguments of their own. */
typedef struct MwInjected {
  bool shape;
  bool strides;
  bool ndim;
} MwInjected;

/* Valid as long as the MwGenerated that it came from. */
typedef struct MwGeneratedOut {
  MwText name;   /* of the function */
  MwText source; /* header and function */
  const MwInjected *injected;
  size_t input_count;
} MwGeneratedOut;

/* Memory of an array, from its first element on; strides count elements. */
typedef struct MwArray {
  void *data;
  size_t size_bytes;
  size_t ndim;
  const int32_t *shape;
  const int64_t *strides;
} MwArray;

typedef struct MwLaunch {
  int32_t grid[3];        /* threads */
  int32_t threadgroup[3]; /* as the user gave it: checked, then cut to the grid */
  const MwArray *inputs;
  const MwInjected *injected;
  size_t input_count;
  const MwArray *outputs;
  size_t output_count;
  bool may_be_empty; /* outputs have no elements or have values already: a grid of no threads is no mistake */
} MwLaunch;

typedef struct MwDeviceFacts {
  MwText name;
  MwText architecture;
  uint64_t max_buffer_bytes;
  uint64_t recommended_working_set_bytes;
} MwDeviceFacts;

typedef struct MwDefinition MwDefinition;
typedef struct MwGenerated MwGenerated;
typedef struct MwKernel MwKernel;

typedef struct MwCustomKernelTable {
  uint32_t abi_version; /* MW_CUSTOM_KERNEL_ABI */
  uint32_t size_bytes;  /* of this structure */

  void (*error_release)(MwError *error);

  MwDefinition *(*definition_new)(const MwDefinitionIn *definition, MwError *error);
  void (*definition_release)(MwDefinition *definition);

  /* The text for a call. The definition remembers it: asking again is cheap. */
  MwGenerated *(*generate)(const MwDefinition *definition, const MwInputIn *inputs, size_t input_count,
                           const uint32_t *output_dtypes, size_t output_dtype_count, size_t output_shape_count,
                           const MwTemplateIn *template_args, size_t template_count, MwError *error);
  void (*generated_view)(const MwGenerated *generated, MwGeneratedOut *view);
  void (*generated_release)(MwGenerated *generated);

  /* Compiles, or finds what was compiled before. */
  MwKernel *(*prepare_generated)(const MwGenerated *generated, MwError *error);
  MwKernel *(*prepare_text)(MwText function, MwText source, uint32_t math_mode, MwError *error);
  void (*kernel_release)(MwKernel *kernel);

  /* Checks grid and threadgroup, no memory. */
  bool (*check_launch)(const MwKernel *kernel, const MwLaunch *launch, MwError *error);
  /* Runs the kernel on this memory, in place, and returns when it has ended. */
  bool (*run)(const MwKernel *kernel, const MwLaunch *launch, MwError *error);

  /* Copies an array of any strides to `to`, in row order. Elements have 1, 2, 4 or 8 bytes. */
  void (*copy_to_row_contiguous)(const MwArray *array, size_t element_bytes, void *to);
  /* Sets `count` elements to a value, converted to their type. */
  void (*fill)(void *to, uint32_t dtype, size_t count, float value);

  /* The texts live as long as the process. */
  bool (*device_facts)(MwDeviceFacts *facts, MwError *error);

  /* As `run`, with every access checked; NULL where that does not exist. */
  bool (*run_checked)(const MwKernel *kernel, const MwLaunch *launch, MwError *error);
} MwCustomKernelTable;

#ifdef __cplusplus
}
#endif

#endif
