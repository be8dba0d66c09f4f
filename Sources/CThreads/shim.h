// Threads of POSIX, and what they share. Embedded Swift has no mutex for a board of 64 bits.
#ifndef HOMEWARD_CTHREADS_H
#define HOMEWARD_CTHREADS_H

#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stddef.h>
#include <time.h>

#pragma clang assume_nonnull begin

/// Starts a thread that runs `body` with `context`; false if the system has no room for it.
static inline bool cthreads_start(pthread_t *thread, void *_Nullable (*body)(void *_Nullable),
                                  void *context) {
  return pthread_create(thread, NULL, body, context) == 0;
}

static inline void cthreads_join(pthread_t thread) { pthread_join(thread, NULL); }

static inline void cthreads_mutex_init(pthread_mutex_t *mutex) { pthread_mutex_init(mutex, NULL); }

static inline void cthreads_semaphore_init(sem_t *semaphore) { sem_init(semaphore, 0, 0); }

/// Waits for a post, or for some seconds.
static inline void cthreads_semaphore_wait(sem_t *semaphore, time_t seconds) {
  struct timespec end;
  clock_gettime(CLOCK_REALTIME, &end);
  end.tv_sec += seconds;
  sem_timedwait(semaphore, &end);
}

#pragma clang assume_nonnull end
#endif
