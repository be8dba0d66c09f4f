// This process: its arguments, its signals, and its next start.

// For execveat and memfd_create.
#define _GNU_SOURCE 1
#include "clinux.h"

#include <dirent.h>
#include <pthread.h>

static int argument_count;
static char **arguments;

// Descriptors from the starter of this process, such as the lock of flock(1) or the socket by which
// a supervisor detects its end: they stay open as long as the process lives.
enum { inherited_max = 64 };
static int inherited[inherited_max];
static int inherited_count;

static void remember_inherited(void) {
  DIR *open_ones = opendir("/proc/self/fd");
  if (!open_ones) return;
  struct dirent *entry;
  while ((entry = readdir(open_ones)) != NULL && inherited_count < inherited_max) {
    int number = atoi(entry->d_name);
    // Libraries have opened descriptors since, which would not have survived the start.
    if (number > STDERR_FILENO && number != dirfd(open_ones) &&
        fcntl(number, F_GETFD) == 0)
      inherited[inherited_count++] = number;
  }
  closedir(open_ones);
}

__attribute__((constructor)) static void keep_arguments(int count, char **values) {
  argument_count = count;
  arguments = values;
  remember_inherited();
  // Otherwise a start by a descriptor would name the process after the number of that.
  prctl(PR_SET_NAME, program_invocation_short_name);
}

int clinux_argument_count(void) { return argument_count; }

const char *clinux_argument(int index) {
  return index >= 0 && index < argument_count ? arguments[index] : NULL;
}

int clinux_program_of_process(void) {
  // Detects a program that may no longer be started before it is too late.
  if (access("/proc/self/exe", X_OK) < 0) return -1;
  return open("/proc/self/exe", O_PATH | O_CLOEXEC);
}

int clinux_start_anew(int program, const int *kept, int count) {
  sigset_t termination, before;
  sigemptyset(&termination);
  sigaddset(&termination, SIGTERM);
  // SIGTERM waits for the next start, and does not end the process before that listens to it.
  pthread_sigmask(SIG_BLOCK, &termination, &before);
  // Libraries make descriptors that would stay open, such as those by which libcurl wakes itself.
  close_range(STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC);
  for (int index = 0; index < inherited_count; index++) fcntl(inherited[index], F_SETFD, 0);
  for (int index = 0; index < count; index++) fcntl(kept[index], F_SETFD, 0);
  execveat(program, "", arguments, environ, AT_EMPTY_PATH);
  // An emulator of another processor may support only this call.
  execv("/proc/self/exe", arguments);
  int error = errno;
  for (int index = 0; index < count; index++) fcntl(kept[index], F_SETFD, FD_CLOEXEC);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  errno = error;
  return -1;
}

int clinux_text_in_memory(const void *bytes, size_t size) {
  int descriptor = memfd_create("configuration", MFD_CLOEXEC);
  if (descriptor < 0) return -1;
  ssize_t written = pwrite(descriptor, bytes, size, 0);
  if (written == (ssize_t)size) return descriptor;
  int error = written < 0 ? errno : ENOSPC;
  close(descriptor);
  errno = error;
  return -1;
}

int clinux_close_at_exec(int descriptor) {
  for (int index = 0; index < inherited_count; index++)
    if (inherited[index] == descriptor) inherited[index] = inherited[--inherited_count];
  return fcntl(descriptor, F_SETFD, FD_CLOEXEC);
}

static pthread_t loop_thread;
static _Thread_local bool is_loop_thread;

// Repeats the request as a signal that the loop reads. A loop that hangs does not cancel the alarm.
static void ask_to_end(int number) {
  (void)number;
  int error = errno;
  alarm(CLINUX_TERMINATION_SECONDS);
  pthread_kill(is_loop_thread ? pthread_self() : loop_thread, SIGINT);
  errno = error;
}

static void end_hanging(int number) {
  (void)number;
  static const char words[] =
      "homeward: it hangs, was asked to end (SIGTERM), and is ended; please report this line\n";
  clinux_screen_leave();
  ssize_t written = write(STDERR_FILENO, words, sizeof words - 1);
  (void)written;
  _exit(128 + SIGTERM);
}

static void handle(int signal, void (*handler)(int)) {
  struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
  sigaction(signal, &action, NULL);
}

int clinux_signalfd(bool of_terminal) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGHUP);
  if (of_terminal) {
    sigaddset(&set, SIGQUIT);
    sigaddset(&set, SIGWINCH);
    sigaddset(&set, SIGTSTP);
    sigaddset(&set, SIGCONT);
  }
  if (pthread_sigmask(SIG_BLOCK, &set, NULL) != 0) return -1;
  signal(SIGPIPE, SIG_IGN);
  int descriptor = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
  if (descriptor < 0) return -1;
  loop_thread = pthread_self();
  is_loop_thread = true;
  handle(SIGTERM, ask_to_end);
  handle(SIGALRM, end_hanging);
  // They may be blocked, from before a reload or by the starter of this process.
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGALRM);
  pthread_sigmask(SIG_UNBLOCK, &set, NULL);
  return descriptor;
}
