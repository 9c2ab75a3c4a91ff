/* SPDX-License-Identifier: Apache-2.0 */

/* Counts the allocations of each thread. On Linux the test program has allocation functions of its
   own, which win over those of the C library and call them; Darwin's library offers a hook. */

#include "AllocationCounter.h"

#include <stddef.h>

#ifdef __has_feature
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif

static _Thread_local uint64_t count;

uint64_t allocation_count(void) { return count; }

#if defined(__GLIBC__) && !defined(SANITIZED)

#include <errno.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t number, size_t size);
extern void *__libc_realloc(void *block, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

bool allocations_are_counted(void) { return true; }

void *malloc(size_t size) {
  count += 1;
  return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
  count += 1;
  return __libc_calloc(number, size);
}

void *realloc(void *block, size_t size) {
  count += 1;
  return __libc_realloc(block, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
  count += 1;
  return __libc_memalign(alignment, size);
}

int posix_memalign(void **block, size_t alignment, size_t size) {
  count += 1;
  void *found = __libc_memalign(alignment, size);
  if (found == NULL) return ENOMEM;
  *block = found;
  return 0;
}

#elif defined(__APPLE__) && !defined(SANITIZED)

typedef void allocation_hook(
    uint32_t kind, uintptr_t first, uintptr_t second, uintptr_t third, uintptr_t result,
    uint32_t skipped);

extern allocation_hook *malloc_logger;

static void note(
    uint32_t kind, uintptr_t first, uintptr_t second, uintptr_t third, uintptr_t result,
    uint32_t skipped) {
  const uint32_t allocates = 2;
  if (kind & allocates) count += 1;
}

__attribute__((constructor)) static void install(void) { malloc_logger = note; }

bool allocations_are_counted(void) { return true; }

#else

bool allocations_are_counted(void) { return false; }

#endif
