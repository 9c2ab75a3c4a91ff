// SPDX-License-Identifier: Apache-2.0

#include "RealmOutput.h"

#include <stdio.h>

void realm_flush_standard_output(void) {
  // A thread that is stuck in printing must not keep the process from ending.
  if (ftrylockfile(stdout) != 0) return;
  fflush(stdout);
  funlockfile(stdout);
}
