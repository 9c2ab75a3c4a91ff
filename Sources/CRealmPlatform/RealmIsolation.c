// SPDX-License-Identifier: Apache-2.0

#include "RealmIsolation.h"

#include <stdatomic.h>

uint64_t realm_thread_number(void) {
  static _Atomic uint64_t given;
  static _Thread_local uint64_t own;
  if (own == 0) own = atomic_fetch_add_explicit(&given, 1, memory_order_relaxed) + 1;
  return own;
}

// A reference to a serial executor is two words, returned in two registers.
typedef struct {
  uintptr_t identity;
  uintptr_t implementation;
} SerialExecutorReference;

extern __attribute__((swiftcall)) SerialExecutorReference swift_task_getCurrentExecutor(void);
extern __attribute__((swiftcall)) SerialExecutorReference swift_task_getMainExecutor(void);

uintptr_t realm_current_executor(void) { return swift_task_getCurrentExecutor().identity; }

uintptr_t realm_main_executor(void) { return swift_task_getMainExecutor().identity; }
