// Threads that read files whose drivers take their time, beside the loop of the agent: one, and
// another one where none of them comes back.

#include "clinux.h"

#include <pthread.h>

enum job_state { JOB_IDLE, JOB_ASKED, JOB_READING, JOB_DONE };

struct job {
  enum job_state state;
  int file;
  // When the read began, by the reader's clock; and how long it took, once it is done.
  int64_t began, duration;
  // The bytes that were read, or a negative error number.
  int64_t result;
  uint8_t bytes[CLINUX_READER_BYTES_MAX];
};

struct clinux_reader {
  pthread_mutex_t mutex;
  pthread_cond_t asked;
  int event;
  int64_t (*clock)(void);
  // The threads and the loop: who leaves last, frees it.
  int users, threads;
  bool is_stopped;
  uint32_t next;
  struct job jobs[CLINUX_READER_JOBS_MAX];
};

static void leave(struct clinux_reader *reader) {
  pthread_mutex_lock(&reader->mutex);
  bool is_last = --reader->users == 0;
  pthread_mutex_unlock(&reader->mutex);
  if (!is_last) return;
  close(reader->event);
  pthread_cond_destroy(&reader->asked);
  pthread_mutex_destroy(&reader->mutex);
  free(reader);
}

// The next job that was asked for, in turn, so that none waits for ever.
static struct job *next_job(struct clinux_reader *reader) {
  for (uint32_t count = 0; count < CLINUX_READER_JOBS_MAX; count++) {
    struct job *job = &reader->jobs[(reader->next + count) % CLINUX_READER_JOBS_MAX];
    if (job->state != JOB_ASKED) continue;
    reader->next = (reader->next + count + 1) % CLINUX_READER_JOBS_MAX;
    return job;
  }
  return NULL;
}

static void *read_files(void *argument) {
  struct clinux_reader *reader = argument;
  pthread_mutex_lock(&reader->mutex);
  while (!reader->is_stopped) {
    struct job *job = next_job(reader);
    if (!job) {
      pthread_cond_wait(&reader->asked, &reader->mutex);
      continue;
    }
    job->state = JOB_READING;
    int file = job->file;
    job->began = reader->clock();
    pthread_mutex_unlock(&reader->mutex);
    // Only this thread touches the bytes of a job that is being read.
    ssize_t result;
    do {
      result = pread(file, job->bytes, sizeof job->bytes, 0);
    } while (result < 0 && errno == EINTR);
    int error = errno;
    int64_t end = reader->clock();
    pthread_mutex_lock(&reader->mutex);
    job->duration = end - job->began;
    job->result = result < 0 ? -error : result;
    job->state = JOB_DONE;
    eventfd_write(reader->event, 1);
  }
  pthread_mutex_unlock(&reader->mutex);
  leave(reader);
  return NULL;
}

// Signals are for the loop: they wake no other thread. The caller has the mutex, or is alone.
static int start_thread(struct clinux_reader *reader) {
  pthread_attr_t attributes;
  int error = pthread_attr_init(&attributes);
  if (error) return error;
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_attr_setstacksize(&attributes, 64 * 1024);
  sigset_t all, former;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &former);
  pthread_t thread;
  error = pthread_create(&thread, &attributes, read_files, reader);
  pthread_sigmask(SIG_SETMASK, &former, NULL);
  pthread_attr_destroy(&attributes);
  if (error) return error;
  reader->users++;
  reader->threads++;
  return 0;
}

clinux_reader *clinux_reader_start(int64_t (*clock)(void)) {
  struct clinux_reader *reader = calloc(1, sizeof *reader);
  if (!reader) return NULL;
  reader->event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (reader->event < 0) {
    free(reader);
    return NULL;
  }
  pthread_mutex_init(&reader->mutex, NULL);
  pthread_cond_init(&reader->asked, NULL);
  reader->clock = clock;
  reader->users = 1;
  pthread_mutex_lock(&reader->mutex);
  int error = start_thread(reader);
  pthread_mutex_unlock(&reader->mutex);
  if (!error) return reader;
  leave(reader);
  errno = error;
  return NULL;
}

void clinux_reader_stop(clinux_reader *reader) {
  pthread_mutex_lock(&reader->mutex);
  reader->is_stopped = true;
  pthread_cond_broadcast(&reader->asked);
  pthread_mutex_unlock(&reader->mutex);
  leave(reader);
}

int clinux_reader_event(clinux_reader *reader) { return reader->event; }

void clinux_reader_ask(clinux_reader *reader, uint32_t number, int file) {
  pthread_mutex_lock(&reader->mutex);
  struct job *job = &reader->jobs[number];
  if (job->state == JOB_IDLE) {
    job->file = file;
    job->state = JOB_ASKED;
    pthread_cond_signal(&reader->asked);
  }
  pthread_mutex_unlock(&reader->mutex);
}

int clinux_reader_relieve(clinux_reader *reader, int64_t longest) {
  pthread_mutex_lock(&reader->mutex);
  int64_t now = reader->clock();
  int lost = 0;
  for (uint32_t number = 0; number < CLINUX_READER_JOBS_MAX; number++) {
    struct job *job = &reader->jobs[number];
    if (job->state == JOB_READING && now - job->began > longest) lost++;
  }
  // Where there can be no other thread, the next call tries again.
  if (lost == reader->threads && lost < CLINUX_READER_THREADS_MAX) start_thread(reader);
  int threads = reader->threads;
  pthread_mutex_unlock(&reader->mutex);
  return threads;
}

bool clinux_reader_take(clinux_reader *reader, uint32_t number, uint8_t *bytes, int64_t *result,
                        int64_t *duration) {
  pthread_mutex_lock(&reader->mutex);
  struct job *job = &reader->jobs[number];
  bool is_done = job->state == JOB_DONE;
  if (is_done) {
    *result = job->result;
    *duration = job->duration;
    if (job->result > 0) memcpy(bytes, job->bytes, (size_t)job->result);
    job->state = JOB_IDLE;
  }
  pthread_mutex_unlock(&reader->mutex);
  return is_done;
}
