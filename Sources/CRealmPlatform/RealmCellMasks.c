// SPDX-License-Identifier: Apache-2.0

// Vectors of the compiler, which it maps to what the processor has: blocks of 64 bytes, the length
// of a cache line, so that each block asks for one line of the memory that comes next.

#include "RealmCellMasks.h"

#include <stdbool.h>
#include <string.h>

enum { block_bytes = 64 };

/// The body of a function. `gather` puts the bits of the cells at `block`, 64 bytes, into `found`.
#define FOR_EACH_BLOCK(cell_bytes, gather) \
  const long lanes = block_bytes / cell_bytes; \
  const char *block = cells, *ahead = upcoming; \
  __builtin_prefetch(ahead); \
  _Pragma("clang loop unroll(disable)") \
  for (long word = 0; word < 4; word++, count -= 64) { \
    const long end = count < 64 ? count : 64; \
    uint64_t bits = 0; \
    long index = 0; \
    for (; index + lanes <= end; index += lanes, block += block_bytes) { \
      __builtin_prefetch(ahead += block_bytes); \
      uint64_t found = 0; \
      gather; \
      bits |= found << index; \
    } \
    if (index < end) { \
      char rest[block_bytes] = {0}; \
      memcpy(rest, block, (end - index) * cell_bytes); \
      block = rest; \
      uint64_t found = 0; \
      gather; \
      bits |= (found & (((uint64_t)1 << (end - index)) - 1)) << index; \
    } \
    mask[word] = bits; \
  }

/// The body of a function that tests numbers: `test` compares `values` with `first` and `last`.
#define MASK_OF_RANGE(type, lower_bound, upper_bound, test) \
  typedef type vector_t __attribute__((ext_vector_type(block_bytes / sizeof(type)))); \
  typedef bool bits_t __attribute__((ext_vector_type(block_bytes / sizeof(type)))); \
  const vector_t first = lower_bound, last = upper_bound; \
  FOR_EACH_BLOCK((long)sizeof(type), { \
    vector_t values; \
    memcpy(&values, block, block_bytes); \
    const bits_t matches = __builtin_convertvector(test, bits_t); \
    memcpy(&found, &matches, sizeof matches); \
  })

void realm_mask_bytes(
  const void *cells, long count, uint8_t lower, uint8_t span, const void *upcoming, uint64_t *mask
) {
  MASK_OF_RANGE(uint8_t, lower, span, values - first <= last)
}

void realm_mask_halves(
  const void *cells, long count, uint16_t lower, uint16_t span, const void *upcoming,
  uint64_t *mask
) {
  MASK_OF_RANGE(uint16_t, lower, span, values - first <= last)
}

void realm_mask_words(
  const void *cells, long count, uint32_t lower, uint32_t span, const void *upcoming,
  uint64_t *mask
) {
  MASK_OF_RANGE(uint32_t, lower, span, values - first <= last)
}

void realm_mask_double_words(
  const void *cells, long count, uint64_t lower, uint64_t span, const void *upcoming,
  uint64_t *mask
) {
  // Many processors compare vectors of this width for equality only.
  if (span == 0) {
    MASK_OF_RANGE(uint64_t, lower, lower, (values == first) & (values == last))
  } else {
    MASK_OF_RANGE(uint64_t, lower, span, values - first <= last)
  }
}

void realm_mask_floats(
  const void *cells, long count, float lower, float upper, const void *upcoming, uint64_t *mask
) {
  MASK_OF_RANGE(float, lower, upper, (values >= first) & (values <= last))
}

void realm_mask_doubles(
  const void *cells, long count, double lower, double upper, const void *upcoming, uint64_t *mask
) {
  MASK_OF_RANGE(double, lower, upper, (values >= first) & (values <= last))
}

void realm_mask_pairs(
  const void *cells, long count, uint64_t low, uint64_t high, const void *upcoming, uint64_t *mask
) {
  typedef uint32_t quarters_t __attribute__((ext_vector_type(16)));
  typedef int8_t bytes_t __attribute__((ext_vector_type(16)));
  typedef int32_t words_t __attribute__((ext_vector_type(4)));
  typedef bool bits_t __attribute__((ext_vector_type(4)));
  const uint64_t wanted[8] = {low, high, low, high, low, high, low, high};
  quarters_t four;
  memcpy(&four, wanted, block_bytes);
  FOR_EACH_BLOCK(16, {
    quarters_t quarters;
    memcpy(&quarters, block, block_bytes);
    // A byte for each quarter of a cell makes a word of each cell: all ones if all are equal.
    const bytes_t equal = __builtin_convertvector(quarters == four, bytes_t);
    words_t whole;
    memcpy(&whole, &equal, sizeof whole);
    const bits_t matches = __builtin_convertvector(whole == -1, bits_t);
    memcpy(&found, &matches, sizeof matches);
    found &= 15;
  })
}
