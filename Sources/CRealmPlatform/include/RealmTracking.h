// SPDX-License-Identifier: Apache-2.0

// Whether the calling thread is collecting accesses for the Observation library, which it says in a
// thread-local word of its own and by no function. Accessors ask with each read, so it must cost
// no more than a load.
#ifndef REALM_TRACKING_H
#define REALM_TRACKING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __APPLE__
#include <pthread.h>
#endif

/// Whether the calling thread tracks. `place` says where the word is: its distance from the thread
/// pointer; on Apple systems the number of a thread-specific value, or 0 for none.
static inline bool realm_is_tracking(intptr_t place) {
#ifdef __APPLE__
  return place != 0 && pthread_getspecific((pthread_key_t)place) != NULL;
#else
  return *(const uintptr_t *)((const char *)__builtin_thread_pointer() + place) != 0;
#endif
}

/// A place at which no thread ever tracks.
intptr_t realm_tracking_nowhere(void);

/// The thread-local words, as the calling thread has them, of the library that `address` lies in.
/// Null if it has none, or if the platform keeps them elsewhere.
const uintptr_t *_Nullable realm_thread_local_words(
    const void *_Nonnull address, size_t *_Nonnull count);

#endif
