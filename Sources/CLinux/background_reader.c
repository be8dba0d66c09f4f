// Threads beside the loop of the agent, for work that a driver of the kernel, a bus or a disk may
// delay: one for each bus with work, so that a bus that does not answer delays no other one.

#include "background_reader.h"
#include "clinux.h"

#include <malloc.h>
#include <pthread.h>

enum job_state { JOB_IDLE, JOB_ASKED, JOB_AT_WORK, JOB_DONE };

struct job {
  struct clinux_reader *reader;
  enum job_state state;
  void *work;
  // Jobs of a bus run one at a time.
  uint32_t bus;
  // Duration by the reader's clock.
  int64_t duration;
};

struct clinux_reader {
  pthread_mutex_t mutex;
  int event;
  int64_t (*clock)(void);
  void (*perform)(void *work);
  // The threads and the loop: the last one to leave frees it.
  int users;
  int threads;
  bool is_stopped;
  uint32_t next;
  // Number after that of the last job ever asked: those behind it are not looked at.
  uint32_t known;
  // Number of jobs that wait for a thread.
  uint32_t asked;
  struct job jobs[CLINUX_READER_JOBS_MAX];
};

static void leave(struct clinux_reader *reader) {
  pthread_mutex_lock(&reader->mutex);
  bool is_last = --reader->users == 0;
  pthread_mutex_unlock(&reader->mutex);
  if (!is_last) return;
  close(reader->event);
  pthread_mutex_destroy(&reader->mutex);
  free(reader);
}

static bool is_at_work(const struct clinux_reader *reader, uint32_t bus) {
  for (uint32_t number = 0; number < reader->known; number++) {
    const struct job *job = &reader->jobs[number];
    if (job->state == JOB_AT_WORK && job->bus == bus) return true;
  }
  return false;
}

// Takes the next requested job whose bus is free, in turn, so that each one gets its turn.
static struct job *begin_next(struct clinux_reader *reader) {
  if (reader->asked == 0 || reader->is_stopped) return NULL;
  for (uint32_t count = 0; count < reader->known; count++) {
    uint32_t number = (reader->next + count) % reader->known;
    struct job *job = &reader->jobs[number];
    if (job->state != JOB_ASKED || is_at_work(reader, job->bus)) continue;
    job->state = JOB_AT_WORK;
    reader->asked--;
    reader->next = number + 1;
    return job;
  }
  return NULL;
}

// Runs a job of this thread. The mutex is held before and after.
static void perform(struct clinux_reader *reader, struct job *job) {
  pthread_mutex_unlock(&reader->mutex);
  int64_t began = reader->clock();
  reader->perform(job->work);
  int64_t end = reader->clock();
  pthread_mutex_lock(&reader->mutex);
  job->duration = end - began;
  job->state = JOB_DONE;
  eventfd_write(reader->event, 1);
}

static void *work(void *argument) {
  struct job *job = argument;
  struct clinux_reader *reader = job->reader;
  pthread_mutex_lock(&reader->mutex);
  for (; job; job = begin_next(reader)) perform(reader, job);
  reader->threads--;
  pthread_mutex_unlock(&reader->mutex);
  leave(reader);
  return NULL;
}

// Starts a thread without signals, which are for the loop. The caller holds the mutex.
static int start_thread(struct clinux_reader *reader, struct job *job) {
  pthread_attr_t attributes;
  int error = pthread_attr_init(&attributes);
  if (error) return error;
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_attr_setstacksize(&attributes, 256 * 1024);
  sigset_t all, former;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &former);
  pthread_t thread;
  error = pthread_create(&thread, &attributes, work, job);
  pthread_sigmask(SIG_SETMASK, &former, NULL);
  pthread_attr_destroy(&attributes);
  if (error) return error;
  reader->users++;
  reader->threads++;
  return 0;
}

// Gives each job whose bus is free a thread of its own. If no other thread can start, the running
// ones come back for it.
static int hand_out(struct clinux_reader *reader) {
  while (reader->threads < CLINUX_READER_THREADS_MAX) {
    struct job *job = begin_next(reader);
    if (!job) return 0;
    int error = start_thread(reader, job);
    if (!error) continue;
    job->state = JOB_ASKED;
    reader->asked++;
    return error;
  }
  return 0;
}

clinux_reader *clinux_reader_start(int64_t (*clock)(void), void (*perform)(void *work)) {
  struct clinux_reader *reader = calloc(1, sizeof *reader);
  if (!reader) return NULL;
  reader->event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (reader->event < 0) {
    free(reader);
    return NULL;
  }
#ifdef __GLIBC__
  // The threads are few and short-lived: a heap for each would waste memory.
  mallopt(M_ARENA_MAX, 1);
#endif
  pthread_mutex_init(&reader->mutex, NULL);
  reader->clock = clock;
  reader->perform = perform;
  reader->users = 1;
  for (uint32_t number = 0; number < CLINUX_READER_JOBS_MAX; number++)
    reader->jobs[number].reader = reader;
  return reader;
}

void clinux_reader_stop(clinux_reader *reader) {
  pthread_mutex_lock(&reader->mutex);
  reader->is_stopped = true;
  pthread_mutex_unlock(&reader->mutex);
  leave(reader);
}

int clinux_reader_event(clinux_reader *reader) { return reader->event; }

int clinux_reader_ask(clinux_reader *reader, uint32_t number, void *work, uint32_t bus) {
  pthread_mutex_lock(&reader->mutex);
  struct job *job = &reader->jobs[number];
  int error = 0;
  if (job->state == JOB_IDLE) {
    job->work = work;
    job->bus = bus;
    job->state = JOB_ASKED;
    reader->asked++;
    if (number >= reader->known) reader->known = number + 1;
    error = hand_out(reader);
    if (reader->threads > 0) error = 0;
    if (error) {
      job->state = JOB_IDLE;
      reader->asked--;
    }
  }
  pthread_mutex_unlock(&reader->mutex);
  return error;
}

int clinux_reader_threads(clinux_reader *reader) {
  pthread_mutex_lock(&reader->mutex);
  int threads = reader->threads;
  pthread_mutex_unlock(&reader->mutex);
  return threads;
}

bool clinux_reader_take(clinux_reader *reader, uint32_t number, int64_t *duration) {
  pthread_mutex_lock(&reader->mutex);
  struct job *job = &reader->jobs[number];
  bool is_done = job->state == JOB_DONE;
  if (is_done) {
    *duration = job->duration;
    job->state = JOB_IDLE;
  }
  pthread_mutex_unlock(&reader->mutex);
  return is_done;
}
