/* SPDX-License-Identifier: Apache-2.0 */

/* Ends a program, or lets one of its calls fail, at its n-th call on the files of one folder: a
   library that `Scripts/kills` preloads into the programs of this package, on Linux.

   FAULT_CLOCK    seconds by which the time of day is off, ahead and behind in turn, at each look
                  at it; works without the others
   FAULT_FOLDER   the folder; calls on other files are not counted
   FAULT_COUNTER  a file of eight bytes that gets the number of calls
   FAULT_AT       the call that is concerned; none if it is missing
   FAULT_KIND     kill: the process is killed before the call
                  tear: a write is made up to the half, a multiple of FAULT_UNIT bytes, then the
                  process is killed
                  fail: the call fails with FAULT_ERROR; fail-on: so do all after it
                  short: a write is made up to the half, and says so
                  drop: as fail, and if the call is a sync, what was written since the last one is
                  gone, as where the system takes pages for written that the disk refused, and
                  forgets them
                  lie: a write does nothing, and reports success: no program can stand that, so who
                  checks what programs leave must notice it */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define DESCRIPTORS 4096
#define REAL(name) ((__typeof__(&name))real(#name))

enum kind { KILL, TEAR, FAIL, FAIL_ON, SHORT, DROP, LIE };

struct page {
  struct page *before;
  int fd;
  off_t offset;
  ssize_t count;
  char bytes[];
};

static const char *folder;
static _Atomic uint64_t *counter;
static uint64_t fault_at;
static enum kind fault_kind;
static int fault_error = EIO;
static size_t fault_unit = 512;
static _Atomic char tracked[DESCRIPTORS];
static pthread_mutex_t written_lock = PTHREAD_MUTEX_INITIALIZER;
static struct page *written;

static void *real(const char *name) { return dlsym(RTLD_NEXT, name); }

/* How wrong the time of day is at this look. */
static time_t clock_error(void) {
  static _Atomic int looks;
  const char *value = getenv("FAULT_CLOCK");
  time_t seconds = value ? strtoll(value, NULL, 10) : 0;
  return atomic_fetch_add(&looks, 1) & 1 ? -seconds : seconds;
}

int clock_gettime(clockid_t clock, struct timespec *now) {
  int result = REAL(clock_gettime)(clock, now);
  if (result == 0 && clock == CLOCK_REALTIME) now->tv_sec += clock_error();
  return result;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
  int result = REAL(gettimeofday)(now, zone);
  if (result == 0) now->tv_sec += clock_error();
  return result;
}

time_t time(time_t *place) {
  time_t now = REAL(time)(NULL) + clock_error();
  if (place) *place = now;
  return now;
}

__attribute__((constructor)) static void begin(void) {
  static const char *const names[] = {"kill", "tear", "fail", "fail-on", "short", "drop", "lie"};
  const char *path = getenv("FAULT_COUNTER"), *kind = getenv("FAULT_KIND"), *value;
  if (!path || !(folder = getenv("FAULT_FOLDER"))) return;
  int fd = REAL(open)(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0 || ftruncate(fd, 8) != 0) abort();
  counter = mmap(NULL, 8, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (counter == MAP_FAILED) abort();
  for (int index = 0; kind && index < 7; index += 1)
    if (strcmp(kind, names[index]) == 0) fault_kind = index;
  if ((value = getenv("FAULT_AT"))) fault_at = strtoull(value, NULL, 10);
  if ((value = getenv("FAULT_ERROR"))) fault_error = atoi(value);
  if ((value = getenv("FAULT_UNIT"))) fault_unit = strtoul(value, NULL, 10);
}

static int is_ours(const char *path) {
  return counter && path && strncmp(path, folder, strlen(folder)) == 0;
}

static int is_tracked(int fd) { return counter && fd >= 0 && fd < DESCRIPTORS && tracked[fd]; }

static void end(void) {
  kill(getpid(), SIGKILL);
  for (;;) pause();
}

/* Counts a call. 0: it is made; 1: a write is made in part, or not at all; -1: it fails. */
static int step(int is_write) {
  uint64_t number = atomic_fetch_add(counter, 1) + 1;
  if (!fault_at || number < fault_at || (number > fault_at && fault_kind != FAIL_ON)) return 0;
  if (is_write && (fault_kind == TEAR || fault_kind == SHORT || fault_kind == LIE)) return 1;
  if (fault_kind == KILL || fault_kind == TEAR) end();
  if (fault_kind == SHORT || fault_kind == LIE) return 0;
  errno = fault_error;
  return -1;
}

static void note(int fd, size_t count, off_t offset) {
  if (fault_kind != DROP) return;
  struct page *page = malloc(sizeof *page + count);
  if (!page) abort();
  *page = (struct page){.fd = fd, .offset = offset};
  page->count = pread(fd, page->bytes, count, offset);
  pthread_mutex_lock(&written_lock);
  page->before = written;
  written = page;
  pthread_mutex_unlock(&written_lock);
}

/* Forgets what was written to a file since its last sync, or makes it undone. */
static void forget(int fd, int is_lost) {
  pthread_mutex_lock(&written_lock);
  for (struct page **place = &written; *place;) {
    struct page *page = *place;
    if (page->fd != fd) {
      place = &page->before;
      continue;
    }
    ssize_t done = 1;
    if (is_lost && page->count > 0) {
      done = REAL(pwrite)(fd, page->bytes, page->count, page->offset);
    }
    if (done < 0) abort();
    *place = page->before;
    free(page);
  }
  pthread_mutex_unlock(&written_lock);
}

static ssize_t write_at(
    int fd, const void *bytes, size_t count, off_t offset,
    ssize_t (*call)(int, const void *, size_t, off_t)) {
  if (!is_tracked(fd)) return call(fd, bytes, count, offset);
  int what = step(1);
  if (what < 0) return -1;
  if (what > 0 && fault_kind == LIE) return (ssize_t)count;
  if (what > 0 && count > 1) {
    size_t part = fault_kind == TEAR ? count / 2 / fault_unit * fault_unit : count / 2;
    ssize_t done = part ? call(fd, bytes, part, offset) : 0;
    if (fault_kind == TEAR) end();
    return done;
  }
  note(fd, count, offset);
  return call(fd, bytes, count, offset);
}

ssize_t pwrite(int fd, const void *bytes, size_t count, off_t offset) {
  return write_at(fd, bytes, count, offset, REAL(pwrite));
}

ssize_t pwrite64(int fd, const void *bytes, size_t count, off64_t offset) {
  return write_at(fd, bytes, count, offset, REAL(pwrite));
}

static int sync_of(int fd, int (*call)(int)) {
  if (!is_tracked(fd)) return call(fd);
  int fails = step(0) < 0, error = errno;
  if (fault_kind == DROP) forget(fd, fails);
  errno = error;
  return fails ? -1 : call(fd);
}

int fsync(int fd) { return sync_of(fd, REAL(fsync)); }

int fdatasync(int fd) { return sync_of(fd, REAL(fdatasync)); }

#define COUNTED(condition, call) ((condition) && step(0) < 0 ? -1 : (call))

int ftruncate(int fd, off_t size) { return COUNTED(is_tracked(fd), REAL(ftruncate)(fd, size)); }

int ftruncate64(int fd, off64_t size) { return ftruncate(fd, size); }

int posix_fallocate(int fd, off_t offset, off_t count) {
  return is_tracked(fd) && step(0) < 0 ? errno : REAL(posix_fallocate)(fd, offset, count);
}

int posix_fallocate64(int fd, off64_t offset, off64_t count) {
  return posix_fallocate(fd, offset, count);
}

int flock(int fd, int operation) {
  return COUNTED(is_tracked(fd) && !(operation & LOCK_UN), REAL(flock)(fd, operation));
}

int rename(const char *from, const char *to) {
  return COUNTED(is_ours(to), REAL(rename)(from, to));
}

int unlink(const char *path) { return COUNTED(is_ours(path), REAL(unlink)(path)); }

static int open_by(const char *path, int flags, int mode, int (*call)(const char *, int, ...)) {
  int is_counted = is_ours(path);
  if (is_counted && step(0) < 0) return -1;
  int fd = call(path, flags, mode);
  if (fd >= 0 && fd < DESCRIPTORS) tracked[fd] = is_counted;
  return fd;
}

#define MODE \
  va_list list; \
  va_start(list, flags); \
  int mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(list, int) : 0; \
  va_end(list)

int open(const char *path, int flags, ...) {
  MODE;
  return open_by(path, flags, mode, REAL(open));
}

int open64(const char *path, int flags, ...) {
  MODE;
  return open_by(path, flags, mode, REAL(open64));
}

int close(int fd) {
  if (is_tracked(fd)) {
    if (fault_kind == DROP) forget(fd, 0);
    tracked[fd] = 0;
  }
  return REAL(close)(fd);
}

static int lock_by(int fd, int command, void *argument, int (*call)(int, int, ...)) {
  int is_lock = command == F_OFD_SETLK || command == F_OFD_SETLKW;
  int is_counted = is_lock && is_tracked(fd) && ((struct flock *)argument)->l_type != F_UNLCK;
  return COUNTED(is_counted, call(fd, command, argument));
}

int fcntl(int fd, int command, ...) {
  va_list list;
  va_start(list, command);
  void *argument = va_arg(list, void *);
  va_end(list);
  return lock_by(fd, command, argument, REAL(fcntl));
}

int fcntl64(int fd, int command, ...) {
  va_list list;
  va_start(list, command);
  void *argument = va_arg(list, void *);
  va_end(list);
  return lock_by(fd, command, argument, REAL(fcntl64));
}
