#include "clinux.h"

#include <poll.h>
#include <signal.h>

static struct termios former;
/// Terminal that shows pictures, or -1.
static volatile sig_atomic_t screen = -1;
/// Descriptor of that terminal for writing without waiting, or -1.
static volatile sig_atomic_t output = -1;

/// Writes to the terminal unless it accepts nothing, as when its flow is stopped: the process could
/// not end.
static void write_sequences(const char *sequences) {
  enum { wait_max_ms = 200 };
  size_t left = strlen(sequences);
  while (left > 0) {
    struct pollfd terminal = {.fd = output, .events = POLLOUT};
    if (poll(&terminal, 1, wait_max_ms) <= 0) return;
    ssize_t written = write(output, sequences, left);
    if (written <= 0) return;
    sequences += written;
    left -= (size_t)written;
  }
}

/// Opens the terminal a second time, since the flags of a descriptor apply to all programs that
/// share it. If that is not allowed, returns the descriptor itself.
static int open_without_waiting(int descriptor) {
  char path[32];
  snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
  int opened = open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  return opened < 0 ? descriptor : opened;
}

/// Returns the signals that end a process. They may end it while it is stopped and its terminal is
/// restored.
static sigset_t ending_signals(void) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGHUP);
  sigaddset(&set, SIGQUIT);
  return set;
}

/// Stops the process while it is in the background, as the kernel would for the next call. A
/// process group that no shell waits for cannot be stopped.
static void wait_for_foreground(int descriptor) {
  enum { tries_max = 100 };
  sigset_t set = ending_signals(), before;
  sigprocmask(SIG_UNBLOCK, &set, &before);
  for (int tries = 0; tries < tries_max; tries++) {
    pid_t foreground = tcgetpgrp(descriptor);
    if (foreground < 0 || foreground == getpgrp()) break;
    kill(0, SIGTTOU);
  }
  sigprocmask(SIG_SETMASK, &before, NULL);
}

int clinux_screen_enter(int descriptor) {
  struct termios keys;
  if (screen < 0) wait_for_foreground(descriptor);
  if (tcgetattr(descriptor, &keys) < 0) return -1;
  if (screen < 0) former = keys;
  keys.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
  // Ctrl-S would stop the drawing, and with it the end.
  keys.c_iflag &= ~(tcflag_t)IXON;
  keys.c_cc[VMIN] = 1;
  keys.c_cc[VTIME] = 0;
  if (output < 0) output = open_without_waiting(descriptor);
  // Not after all output: that would wait for a terminal that accepts nothing.
  if (tcsetattr(descriptor, TCSANOW, &keys) < 0) return -1;
  screen = descriptor;
  return 0;
}

int clinux_screen_output(void) { return output; }

void clinux_screen_leave(void) {
  int descriptor = screen;
  if (descriptor < 0) return;
  // A terminal without another screen is left empty.
  write_sequences("\033[0m\033[H\033[2J\033[?7h\033[?25h\033[?1049l");
  tcsetattr(descriptor, TCSANOW, &former);
  screen = -1;
}

void clinux_stop(void) {
  sigset_t set = ending_signals(), before;
  sigaddset(&set, SIGTSTP);
  raise(SIGTSTP);
  sigprocmask(SIG_UNBLOCK, &set, &before);
  sigprocmask(SIG_SETMASK, &before, NULL);
}
