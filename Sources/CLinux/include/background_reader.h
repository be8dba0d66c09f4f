// Threads that do what a driver, a bus or a disk may hold up, beside the loop of the agent.
#ifndef HOMEWARD_BACKGROUND_READER_H
#define HOMEWARD_BACKGROUND_READER_H

#include <stdbool.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

/// What one reader can be asked for at a time, and its threads at most.
enum { CLINUX_READER_JOBS_MAX = 256, CLINUX_READER_THREADS_MAX = 8 };

/// Threads that read files beside their caller: some drivers let `pread(2)` wait until a part has
/// measured, and a disk may be on a network. Of the jobs of a bus one is done at a time.
/// A thread that finds nothing to do ends.
typedef struct clinux_reader clinux_reader;

/// Starts no thread yet. NULL where there is no memory or no descriptor, with `errno`. `clock`
/// returns nanoseconds, by which jobs are timed, on every thread; `perform` does a job.
clinux_reader *_Nullable clinux_reader_start(int64_t (*clock)(void), void (*perform)(void *work));
/// Begins nothing more. A job that has begun is not waited for.
void clinux_reader_stop(clinux_reader *reader);
/// What becomes ready for input when a job is done; `clinux_eventfd_clear` takes notice. It is
/// the reader's own.
int clinux_reader_event(clinux_reader *reader);
/// Has `work` done as this job, a number below `CLINUX_READER_JOBS_MAX`, as soon as its bus is
/// free. It stays until it was taken. A job that is asked for already, or was not taken yet, stays
/// as it is. Returns 0, or an error number where there is no thread and none can be started: then
/// the job is not asked for.
int clinux_reader_ask(clinux_reader *reader, uint32_t job, void *work, uint32_t bus);
/// How many threads there are, at most `CLINUX_READER_THREADS_MAX`.
int clinux_reader_threads(clinux_reader *reader);
/// Whether a job is done, and the nanoseconds that it took.
bool clinux_reader_take(clinux_reader *reader, uint32_t job, int64_t *duration);

#pragma clang assume_nonnull end

#endif
