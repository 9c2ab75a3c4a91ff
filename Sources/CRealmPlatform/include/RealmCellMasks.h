// SPDX-License-Identifier: Apache-2.0

// Which cells of a leaf match, as bits: processors have an instruction that gathers the results of
// a comparison of vectors, which Swift cannot name.
//
// All functions take `count` cells, at most 256, and write bit i of `mask` (four words) for cell i.
// Meanwhile they ask for as much memory from `upcoming` on as they read, and for the line behind
// it; it need not be mapped.
#ifndef REALM_CELL_MASKS_H
#define REALM_CELL_MASKS_H

#include <stdint.h>

/// Cells for which `cell - lower <= span`, without signs, wrapping around.
void realm_mask_bytes(
  const void *cells, long count, uint8_t lower, uint8_t span, const void *upcoming, uint64_t *mask);
void realm_mask_halves(
  const void *cells, long count, uint16_t lower, uint16_t span, const void *upcoming,
  uint64_t *mask);
void realm_mask_words(
  const void *cells, long count, uint32_t lower, uint32_t span, const void *upcoming,
  uint64_t *mask);
void realm_mask_double_words(
  const void *cells, long count, uint64_t lower, uint64_t span, const void *upcoming,
  uint64_t *mask);

/// Numbers from `lower` to `upper`; NaN is none of them.
void realm_mask_floats(
  const void *cells, long count, float lower, float upper, const void *upcoming, uint64_t *mask);
void realm_mask_doubles(
  const void *cells, long count, double lower, double upper, const void *upcoming, uint64_t *mask);

/// Cells of 16 bytes that are the two words `low` and `high`.
void realm_mask_pairs(
  const void *cells, long count, uint64_t low, uint64_t high, const void *upcoming,
  uint64_t *mask);

#endif
