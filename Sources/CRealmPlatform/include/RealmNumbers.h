// SPDX-License-Identifier: Apache-2.0

// Printing numbers, for which the C library has only a function of any number of arguments.
#ifndef REALM_NUMBERS_H
#define REALM_NUMBERS_H

#include <stddef.h>
#include <stdio.h>

/// Writes a finite number as "-d.ddde-xx" with so many digits, correctly rounded. Returns how many
/// characters that takes; `size` must be more.
static inline int realm_print_number(char *text, size_t size, int digits, double number) {
  return snprintf(text, size, "%.*e", digits - 1, number);
}

#endif
