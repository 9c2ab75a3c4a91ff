// SPDX-License-Identifier: Apache-2.0

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <stddef.h>
#include "RealmIsolation.h"

#include <stdatomic.h>

#ifdef __APPLE__
#include <pthread.h>
#else
#include <sys/syscall.h>
#include <unistd.h>
#endif

bool realm_is_first_thread(void) {
#ifdef __APPLE__
  return pthread_main_np() != 0;
#else
  return syscall(SYS_gettid) == getpid();
#endif
}

uint64_t realm_thread_number(void) {
  static _Atomic uint64_t given;
  static _Thread_local uint64_t own;
  if (own == 0) own = atomic_fetch_add_explicit(&given, 1, memory_order_relaxed) + 1;
  return own;
}

uint64_t realm_thread_identifier(void) {
  static _Thread_local uint64_t own;
  if (own == 0) {
#ifdef __APPLE__
    pthread_threadid_np(NULL, &own);
#else
    own = (uint64_t)syscall(SYS_gettid);
#endif
  }
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

// Declared here: not every platform has the dispatch library's headers in the C search path.
extern const char *dispatch_queue_get_label(void *queue);

const char *realm_current_queue_label(void) {
  const char *label = dispatch_queue_get_label(NULL);
  return label == NULL ? "" : label;
}

// What the Swift runtime itself loads weak references with.
extern void *swift_tryRetain(void *object);

bool realm_try_retain(void *object) {
  return swift_tryRetain(object) != NULL;
}
