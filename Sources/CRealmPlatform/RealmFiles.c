// SPDX-License-Identifier: Apache-2.0

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "RealmFiles.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#if defined(__linux__)
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#elif defined(__APPLE__)
#include <os/os_sync_wait_on_address.h>
#endif

int realm_open(const char *path, int flags, int mode) {
  int fd;
  do {
    fd = open(path, flags | O_CLOEXEC, mode);
  } while (fd < 0 && errno == EINTR);
  return fd < 0 ? -errno : fd;
}

int realm_memory_file(void) {
#if defined(__linux__)
  int fd = memfd_create("realm", MFD_CLOEXEC);
  return fd < 0 ? -errno : fd;
#else
  char path[] = "/tmp/realm.XXXXXX";
  int fd = mkstemp(path);
  if (fd < 0) return -errno;
  unlink(path);
  fcntl(fd, F_SETFD, FD_CLOEXEC);
  return fd;
#endif
}

int realm_sync(int fd) {
#if defined(__APPLE__)
  // fsync leaves the data in the drive's cache there. File systems without F_FULLFSYNC get fsync.
  if (fcntl(fd, F_FULLFSYNC) == 0) return 0;
  if (errno != ENOTSUP && errno != EINVAL && errno != ENOTTY) return errno;
  return fsync(fd) == 0 ? 0 : errno;
#else
  return fdatasync(fd) == 0 ? 0 : errno;
#endif
}

int realm_allocate(int fd, int64_t offset, int64_t byte_count) {
#if defined(__APPLE__)
  fstore_t store = {F_ALLOCATEALL, F_PEOFPOSMODE, 0, byte_count, 0};
  if (fcntl(fd, F_PREALLOCATE, &store) != 0 && errno == ENOSPC) return ENOSPC;
  return ftruncate(fd, offset + byte_count) == 0 ? 0 : errno;
#else
  return posix_fallocate(fd, offset, byte_count);
#endif
}

int realm_lock_file(int fd, bool exclusive) {
  return flock(fd, (exclusive ? LOCK_EX : LOCK_SH) | LOCK_NB) == 0 ? 0 : errno;
}

int realm_unlock_file(int fd) { return flock(fd, LOCK_UN) == 0 ? 0 : errno; }

#if defined(__APPLE__) && !defined(F_OFD_SETLK)
#define F_OFD_SETLK 90
#define F_OFD_SETLKW 91
#define F_OFD_GETLK 92
#endif

static int change_byte_lock(int fd, int64_t offset, short type, int command) {
  struct flock lock = {0};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  lock.l_start = offset;
  lock.l_len = 1;
  return fcntl(fd, command, &lock) == 0 ? 0 : errno;
}

int realm_lock_byte(int fd, int64_t offset, bool waits) {
  int result;
  do {
    result = change_byte_lock(fd, offset, F_WRLCK, waits ? F_OFD_SETLKW : F_OFD_SETLK);
  } while (result == EINTR);
  return result == EACCES ? EAGAIN : result;
}

int realm_share_byte(int fd, int64_t offset) {
  int result;
  do {
    result = change_byte_lock(fd, offset, F_RDLCK, F_OFD_SETLK);
  } while (result == EINTR);
  return result == EACCES ? EAGAIN : result;
}

int realm_find_byte_lock(int fd, int64_t offset, bool *is_locked) {
  struct flock lock = {0};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  lock.l_start = offset;
  lock.l_len = 1;
  if (fcntl(fd, F_OFD_GETLK, &lock) != 0) return errno;
  *is_locked = lock.l_type != F_UNLCK;
  return 0;
}

int realm_unlock_byte(int fd, int64_t offset) {
  return change_byte_lock(fd, offset, F_UNLCK, F_OFD_SETLK);
}

void realm_wait_on_word(
  const void *word, uint32_t expected, int64_t timeout_nanoseconds, bool shared) {
#if defined(__linux__)
  struct timespec timeout = {timeout_nanoseconds / 1000000000, timeout_nanoseconds % 1000000000};
  int operation = shared ? FUTEX_WAIT : FUTEX_WAIT_PRIVATE;
  syscall(
    SYS_futex, word, operation, expected, timeout_nanoseconds < 0 ? NULL : &timeout, NULL, 0);
#else
  void *address = (void *)word;
  uint32_t flags = shared ? OS_SYNC_WAIT_ON_ADDRESS_SHARED : OS_SYNC_WAIT_ON_ADDRESS_NONE;
  if (timeout_nanoseconds < 0) {
    os_sync_wait_on_address(address, expected, 4, flags);
  } else {
    os_sync_wait_on_address_with_timeout(
      address, expected, 4, flags, OS_CLOCK_MACH_ABSOLUTE_TIME, (uint64_t)timeout_nanoseconds);
  }
#endif
}

void realm_wake_word(const void *word, bool shared) {
#if defined(__linux__)
  syscall(
    SYS_futex, word, shared ? FUTEX_WAKE : FUTEX_WAKE_PRIVATE, 0x7FFFFFFF, NULL, NULL, 0);
#else
  os_sync_wake_by_address_all(
    (void *)word, 4, shared ? OS_SYNC_WAKE_BY_ADDRESS_SHARED : OS_SYNC_WAKE_BY_ADDRESS_NONE);
#endif
}

void realm_name_thread(const char *name) {
#if defined(__APPLE__)
  pthread_setname_np(name);
#else
  pthread_setname_np(pthread_self(), name);
#endif
}
