// Programs that the agent starts, each in a session of its own.

// For POSIX_SPAWN_SETSID and the actions that are not of POSIX.
#define _GNU_SOURCE 1
#include "program.h"

#include "clinux.h"

#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>

enum { words_max = 64 };

// Points at each of the texts that end with a NUL; false where there are too many.
static bool point(const char *_Nonnull texts, int count, char **words) {
  if (count >= words_max) return false;
  for (int index = 0; index < count; index++) {
    words[index] = (char *)texts;
    texts += strlen(texts) + 1;
  }
  words[count] = NULL;
  return true;
}

static int set_actions(posix_spawn_file_actions_t *actions, int output) {
  int error = posix_spawn_file_actions_addopen(actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  if (!error) error = posix_spawn_file_actions_adddup2(actions, output, STDOUT_FILENO);
  if (!error) error = posix_spawn_file_actions_adddup2(actions, output, STDERR_FILENO);
  // Those too that the starter of this process handed over, or a library opened.
  if (!error) error = posix_spawn_file_actions_addclosefrom_np(actions, STDERR_FILENO + 1);
  if (!error) error = posix_spawn_file_actions_addchdir_np(actions, "/");
  return error;
}

// A session of its own, and signals as a shell would give them: this process blocks and ignores
// some.
static int set_attributes(posix_spawnattr_t *attributes) {
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  int error = posix_spawnattr_setsigmask(attributes, &none);
  if (!error) error = posix_spawnattr_setsigdefault(attributes, &all);
  if (!error)
    error = posix_spawnattr_setflags(
        attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  return error;
}

// Starts it with its words, and its output in a pipe. The process is not copied: the child runs in
// its memory, and only what posix_spawn(3) does, until the kernel gives it another program.
static int spawn(const char *path, char *const *arguments, char *const *variables, int output,
                 pid_t *number) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  int error = posix_spawn_file_actions_init(&actions);
  if (error) return error;
  error = posix_spawnattr_init(&attributes);
  if (!error) {
    error = set_actions(&actions, output);
    if (!error) error = set_attributes(&attributes);
    if (!error) error = posix_spawn(number, path, &actions, &attributes, arguments, variables);
    posix_spawnattr_destroy(&attributes);
  }
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

int clinux_program_start(const char *path, const char *arguments, int argument_count,
                         const char *variables, int variable_count, clinux_program *program) {
  char *argument_words[words_max], *variable_words[words_max];
  if (!point(arguments, argument_count, argument_words) ||
      !point(variables, variable_count, variable_words)) {
    errno = E2BIG;
    return -1;
  }
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) < 0) return -1;
  pid_t number;
  int error = fcntl(ends[0], F_SETFL, O_NONBLOCK) < 0 ? errno : 0;
  if (!error) error = spawn(path, argument_words, variable_words, ends[1], &number);
  close(ends[1]);
  if (!error) {
    // The number cannot be another process's: this one has not taken notice of its end.
    int process = (int)syscall(SYS_pidfd_open, number, 0);
    if (process >= 0) {
      *program = (clinux_program){.number = number, .process = process, .output = ends[0]};
      return 0;
    }
    error = errno;
    kill(-number, SIGKILL);
    waitpid(number, NULL, 0);
  }
  close(ends[0]);
  errno = error;
  return -1;
}

void clinux_program_signal(pid_t number, int signal) { kill(-number, signal); }

int clinux_program_ending(pid_t number, int *status) {
  siginfo_t end = {.si_pid = 0};
  if (waitid(P_PID, (id_t)number, &end, WEXITED | WNOHANG | WNOWAIT) < 0) return -1;
  if (end.si_pid == 0) return 0;
  // While its end is not taken notice of, the number of its group is its own.
  kill(-number, SIGKILL);
  if (waitid(P_PID, (id_t)number, &end, WEXITED) < 0) return -1;
  *status = end.si_status;
  return end.si_code == CLD_EXITED ? 1 : 2;
}

int clinux_real_path(const char *path, void *place) {
  return realpath(path, place) == NULL ? -1 : (int)strlen(place);
}
