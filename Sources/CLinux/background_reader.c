// Threads that read files whose drivers take their time, beside the loop of the agent: one for each
// bus that has something to read, so that a bus which does not answer keeps no other one waiting.

#include "clinux.h"

#include <pthread.h>

enum job_state { JOB_IDLE, JOB_ASKED, JOB_READING, JOB_DONE };

struct job {
  struct clinux_reader *reader;
  enum job_state state;
  int file;
  // Of the jobs of a bus one is read at a time.
  uint32_t bus;
  // How long the read took, by the reader's clock.
  int64_t duration;
  // The bytes that were read, or a negative error number.
  int64_t result;
  uint8_t bytes[CLINUX_READER_BYTES_MAX];
};

struct clinux_reader {
  pthread_mutex_t mutex;
  pthread_cond_t called;
  int event;
  int64_t (*clock)(void);
  // The threads and the loop: who leaves last, frees it.
  int users;
  int threads;
  // Where the one thread that has nothing to do waits for a job; NULL where all have one.
  struct job **idle;
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
  pthread_cond_destroy(&reader->called);
  pthread_mutex_destroy(&reader->mutex);
  free(reader);
}

static bool is_read(const struct clinux_reader *reader, uint32_t bus) {
  for (uint32_t number = 0; number < CLINUX_READER_JOBS_MAX; number++) {
    const struct job *job = &reader->jobs[number];
    if (job->state == JOB_READING && job->bus == bus) return true;
  }
  return false;
}

// The next job that was asked for and whose bus is free, in turn, so that none waits for ever.
static struct job *next_job(struct clinux_reader *reader) {
  for (uint32_t count = 0; count < CLINUX_READER_JOBS_MAX && !reader->is_stopped; count++) {
    uint32_t number = (reader->next + count) % CLINUX_READER_JOBS_MAX;
    struct job *job = &reader->jobs[number];
    if (job->state == JOB_ASKED && !is_read(reader, job->bus)) return job;
  }
  return NULL;
}

static void begin(struct clinux_reader *reader, struct job *job) {
  job->state = JOB_READING;
  reader->next = (uint32_t)(job - reader->jobs) + 1;
}

// Reads the file of a job that this thread was given. The mutex is held before and after.
static void read_file(struct clinux_reader *reader, struct job *job) {
  pthread_mutex_unlock(&reader->mutex);
  // Only this thread touches the bytes of a job that is being read.
  int64_t began = reader->clock();
  ssize_t result;
  do {
    result = pread(job->file, job->bytes, sizeof job->bytes, 0);
  } while (result < 0 && errno == EINTR);
  int error = errno;
  int64_t end = reader->clock();
  pthread_mutex_lock(&reader->mutex);
  job->duration = end - began;
  job->result = result < 0 ? -error : result;
  job->state = JOB_DONE;
  eventfd_write(reader->event, 1);
}

// A job for this thread; NULL where it is to end: another one waits already.
static struct job *await_job(struct clinux_reader *reader) {
  struct job *job = next_job(reader);
  if (job) begin(reader, job);
  if (job || reader->idle) return job;
  reader->idle = &job;
  while (!job && !reader->is_stopped) pthread_cond_wait(&reader->called, &reader->mutex);
  if (!job) reader->idle = NULL;
  return job;
}

static void *read_files(void *argument) {
  struct job *job = argument;
  struct clinux_reader *reader = job->reader;
  pthread_mutex_lock(&reader->mutex);
  while (job && !reader->is_stopped) {
    read_file(reader, job);
    job = await_job(reader);
  }
  reader->threads--;
  pthread_mutex_unlock(&reader->mutex);
  leave(reader);
  return NULL;
}

// Signals are for the loop: they wake no other thread. The caller has the mutex.
static int start_thread(struct clinux_reader *reader, struct job *job) {
  pthread_attr_t attributes;
  int error = pthread_attr_init(&attributes);
  if (error) return error;
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_attr_setstacksize(&attributes, 64 * 1024);
  sigset_t all, former;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &former);
  pthread_t thread;
  error = pthread_create(&thread, &attributes, read_files, job);
  pthread_sigmask(SIG_SETMASK, &former, NULL);
  pthread_attr_destroy(&attributes);
  if (error) return error;
  reader->users++;
  reader->threads++;
  return 0;
}

// Gives each job whose bus is free to the thread that waits, or to a new one. Where there can be no
// other thread, those that read come back for it.
static int hand_out(struct clinux_reader *reader) {
  struct job *job;
  while ((job = next_job(reader))) {
    if (reader->idle) {
      *reader->idle = job;
      reader->idle = NULL;
      pthread_cond_signal(&reader->called);
    } else {
      if (reader->threads == CLINUX_READER_THREADS_MAX) return 0;
      int error = start_thread(reader, job);
      if (error) return error;
    }
    begin(reader, job);
  }
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
  pthread_cond_init(&reader->called, NULL);
  reader->clock = clock;
  reader->users = 1;
  for (uint32_t number = 0; number < CLINUX_READER_JOBS_MAX; number++)
    reader->jobs[number].reader = reader;
  return reader;
}

void clinux_reader_stop(clinux_reader *reader) {
  pthread_mutex_lock(&reader->mutex);
  reader->is_stopped = true;
  pthread_cond_broadcast(&reader->called);
  pthread_mutex_unlock(&reader->mutex);
  leave(reader);
}

int clinux_reader_event(clinux_reader *reader) { return reader->event; }

int clinux_reader_ask(clinux_reader *reader, uint32_t number, int file, uint32_t bus) {
  pthread_mutex_lock(&reader->mutex);
  struct job *job = &reader->jobs[number];
  int error = 0;
  if (job->state == JOB_IDLE) {
    job->file = file;
    job->bus = bus;
    job->state = JOB_ASKED;
    error = hand_out(reader);
    if (reader->threads > 0) error = 0;
    if (error) job->state = JOB_IDLE;
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
