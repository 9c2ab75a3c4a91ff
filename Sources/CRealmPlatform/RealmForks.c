// SPDX-License-Identifier: Apache-2.0

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "RealmForks.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MAP_ANONYMOUS
#define MAP_ANONYMOUS MAP_ANON
#endif

struct realm_fork_item {
  struct realm_fork_item *next;
  struct realm_fork_item *previous;
  enum realm_fork_action action;
  void *address;
  size_t byte_count;
};

int realm_fork_mark = 0;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct realm_fork_item *first = NULL;

static void prepare(void) { pthread_mutex_lock(&lock); }

static void leave_parent(void) { pthread_mutex_unlock(&lock); }

static void enter_child(void) {
  if (first != NULL) realm_fork_mark = 1;
  for (struct realm_fork_item *item = first; item != NULL; item = item->next) {
    switch (item->action) {
    case REALM_FORK_CLOSE:
      close(*(int *)item->address);
      *(int *)item->address = -1;
      break;
    case REALM_FORK_REPLACE:
      mmap(
        item->address, item->byte_count, PROT_READ | PROT_WRITE,
        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
      break;
    case REALM_FORK_CLEAR:
      *(uintptr_t *)item->address = 0;
      break;
    }
  }
  pthread_mutex_unlock(&lock);
}

static void watch(void) { pthread_atfork(prepare, leave_parent, enter_child); }

struct realm_fork_item *realm_fork_add(
  enum realm_fork_action action, void *address, size_t byte_count) {
  pthread_once(&once, watch);
  struct realm_fork_item *item = malloc(sizeof(*item));
  if (item == NULL) return NULL;
  pthread_mutex_lock(&lock);
  *item = (struct realm_fork_item){first, NULL, action, address, byte_count};
  if (first != NULL) first->previous = item;
  first = item;
  pthread_mutex_unlock(&lock);
  return item;
}

void realm_fork_remove(struct realm_fork_item *item) {
  if (item == NULL) return;
  pthread_mutex_lock(&lock);
  if (item->next != NULL) item->next->previous = item->previous;
  if (item->previous != NULL) item->previous->next = item->next;
  else first = item->next;
  pthread_mutex_unlock(&lock);
  free(item);
}
