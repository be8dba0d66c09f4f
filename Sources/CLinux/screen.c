#include "clinux.h"

#include <signal.h>

static struct termios former;
/// The terminal that is given to pictures, or -1.
static volatile sig_atomic_t screen = -1;

static void write_sequences(int descriptor, const char *sequences) {
  ssize_t written = write(descriptor, sequences, strlen(sequences));
  (void)written;
}

/// The signals that end a process. While it is stopped and its terminal is as it was, they may.
static sigset_t ending_signals(void) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGHUP);
  sigaddset(&set, SIGQUIT);
  return set;
}

/// Stops the process while it is in the background, as the kernel would for the call that follows.
/// A group of processes that no shell waits for cannot be stopped.
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
  // Ctrl-S would hold up what is drawn, and with it the end.
  keys.c_iflag &= ~(tcflag_t)IXON;
  keys.c_cc[VMIN] = 1;
  keys.c_cc[VTIME] = 0;
  if (tcsetattr(descriptor, TCSADRAIN, &keys) < 0) return -1;
  screen = descriptor;
  // The other screen; no cursor; no line that goes on in the next one.
  write_sequences(descriptor, "\033[?1049h\033[?25l\033[?7l");
  return 0;
}

void clinux_screen_leave(void) {
  int descriptor = screen;
  if (descriptor < 0) return;
  // A terminal that has no other screen is left empty.
  write_sequences(descriptor, "\033[0m\033[H\033[2J\033[?7h\033[?25h\033[?1049l");
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
