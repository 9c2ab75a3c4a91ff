// SPDX-License-Identifier: Apache-2.0

// Standard output, which Swift 6 sees as a mutable global.

#ifndef REALM_OUTPUT_H
#define REALM_OUTPUT_H

/// Writes what the program has printed and the C library still holds, unless another thread is just
/// printing.
void realm_flush_standard_output(void);

#endif
