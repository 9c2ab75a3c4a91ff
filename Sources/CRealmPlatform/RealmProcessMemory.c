// SPDX-License-Identifier: Apache-2.0

#include "RealmProcessMemory.h"

#ifdef __APPLE__

#include <malloc/malloc.h>

struct realm_process_memory realm_process_memory(void) {
  malloc_statistics_t statistics = {0};
  malloc_zone_statistics(NULL, &statistics);
  struct realm_process_memory memory = {statistics.size_in_use, statistics.size_allocated};
  return memory;
}

void realm_keep_little_freed_memory(void) {}

void realm_release_freed_memory(void) { malloc_zone_pressure_relief(NULL, 0); }

#else

#include <fcntl.h>
#include <malloc.h>
#include <stdlib.h>
#include <unistd.h>

// The pages of the process that no file backs: those of files are realms, which are mapped.
static uint64_t resident_bytes(void) {
  int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  char text[128];
  ssize_t count = read(file, text, sizeof(text) - 1);
  close(file);
  if (count <= 0) return 0;
  text[count] = 0;
  char *rest = text;
  strtoull(rest, &rest, 10);
  unsigned long long resident = strtoull(rest, &rest, 10);
  unsigned long long shared = strtoull(rest, &rest, 10);
  if (resident < shared) return 0;
  return (resident - shared) * (uint64_t)sysconf(_SC_PAGESIZE);
}

struct realm_process_memory realm_process_memory(void) {
  struct realm_process_memory memory = {0, resident_bytes()};
#if defined(__GLIBC__) && (__GLIBC__ > 2 || (__GLIBC__ == 2 && __GLIBC_MINOR__ >= 33))
  struct mallinfo2 information = mallinfo2();
  memory.used = information.uordblks + information.hblkhd;
#endif
  return memory;
}

void realm_keep_little_freed_memory(void) {
#ifdef __GLIBC__
  // Without these the limits grow to twice the largest buffer that was freed, up to 64 MiB, and
  // `malloc_trim` leaves the end of each thread's area as it is.
  mallopt(M_MMAP_THRESHOLD, 1 << 20);
  mallopt(M_TRIM_THRESHOLD, 4 << 20);
#endif
}

void realm_release_freed_memory(void) {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

#endif
