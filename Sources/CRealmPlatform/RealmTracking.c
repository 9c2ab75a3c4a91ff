// SPDX-License-Identifier: Apache-2.0

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "RealmTracking.h"

#ifdef __APPLE__

intptr_t realm_tracking_nowhere(void) { return 0; }

const uintptr_t *realm_thread_local_words(const void *address, size_t *count) {
  (void)address;
  *count = 0;
  return NULL;
}

#else

#include <link.h>

intptr_t realm_tracking_nowhere(void) {
  static _Thread_local uintptr_t never;
  return (intptr_t)&never - (intptr_t)__builtin_thread_pointer();
}

typedef struct {
  uintptr_t address;
  const uintptr_t *words;
  size_t count;
} Search;

static int visit(struct dl_phdr_info *info, size_t size, void *context) {
  Search *search = context;
  bool is_here = false;
  size_t byte_count = 0;
  for (size_t i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *header = &info->dlpi_phdr[i];
    if (header->p_type == PT_TLS) byte_count = header->p_memsz;
    if (header->p_type != PT_LOAD) continue;
    uintptr_t start = info->dlpi_addr + header->p_vaddr;
    if (search->address - start < header->p_memsz) is_here = true;
  }
  if (!is_here) return 0;
  size_t needed = offsetof(struct dl_phdr_info, dlpi_tls_data) + sizeof(void *);
  if (size >= needed && info->dlpi_tls_data != NULL) {
    search->words = info->dlpi_tls_data;
    search->count = byte_count / sizeof(uintptr_t);
  }
  return 1;
}

const uintptr_t *realm_thread_local_words(const void *address, size_t *count) {
  Search search = {(uintptr_t)address, NULL, 0};
  dl_iterate_phdr(visit, &search);
  *count = search.count;
  return search.words;
}

#endif
