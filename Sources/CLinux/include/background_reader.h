// Threads beside the loop of the agent, for work that a driver, a bus or a disk may delay.
#ifndef HOMEWARD_BACKGROUND_READER_H
#define HOMEWARD_BACKGROUND_READER_H

#include <stdbool.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

/// Maximum number of jobs of a reader at a time, and of its threads.
enum { CLINUX_READER_JOBS_MAX = 256, CLINUX_READER_THREADS_MAX = 8 };

/// Threads that read files beside their caller: with some drivers `pread(2)` waits until a part has
/// measured, and a disk may be on a network. Jobs of a bus run one at a time. A thread without work
/// ends.
typedef struct clinux_reader clinux_reader;

/// Creates a reader, without a thread yet. NULL if there is no memory or no descriptor, with
/// `errno`. `clock` returns nanoseconds, which time the jobs, on every thread; `perform` runs a
/// job.
clinux_reader *_Nullable clinux_reader_start(int64_t (*clock)(void), void (*perform)(void *work));
/// Starts no more jobs, and does not wait for a running one.
void clinux_reader_stop(clinux_reader *reader);
/// Returns the descriptor that becomes ready for input when a job is done; `clinux_eventfd_clear`
/// resets it. The reader owns it.
int clinux_reader_event(clinux_reader *reader);
/// Requests `work` as a job with a number below `CLINUX_READER_JOBS_MAX`, to run as soon as its bus
/// is free. The job stays until it is taken. A job that is requested already, or not taken yet,
/// does not change. Returns 0, or an error number if there is no thread and none can start: then
/// the job is not requested.
int clinux_reader_ask(clinux_reader *reader, uint32_t job, void *work, uint32_t bus);
/// Returns the number of threads, at most `CLINUX_READER_THREADS_MAX`.
int clinux_reader_threads(clinux_reader *reader);
/// Takes a job that is done. Returns whether it is, and the nanoseconds that it took.
bool clinux_reader_take(clinux_reader *reader, uint32_t job, int64_t *duration);

#pragma clang assume_nonnull end

#endif
