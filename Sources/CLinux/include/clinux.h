// libc and kernel interfaces, with nullability and types that do not change between Debian
// releases. No shim header defines a feature macro, such as _GNU_SOURCE: two modules that
// include the same libc header under different macros do not import together, and Swift's own
// module of libc, which comes with Foundation, has none.
#ifndef HOMEWARD_CLINUX_H
#define HOMEWARD_CLINUX_H

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <limits.h>
#include <linux/netlink.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/timerfd.h>
#include <sys/timex.h>
#include <sys/un.h>
#include <sys/utsname.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#pragma clang assume_nonnull begin

/// Returns the arguments of the process. Embedded Swift has no `CommandLine`, so a constructor in
/// `process.c` stores those of glibc.
int clinux_argument_count(void);
const char *_Nullable clinux_argument(int index);

/// Makes the process write one line to standard error before SIGILL, SIGTRAP, SIGSEGV, SIGBUS,
/// SIGFPE or SIGABRT ends it. A failed precondition of Embedded Swift is such a signal, without a
/// message; systemd sends SIGABRT to a service that gives no sign of life:
///
///     homeward 0.1.0: ended by SIGILL at 0x5d2c1, called from 0x4a1b0 0x39ff2; please report
///     this line
///
/// The line contains nothing else of the process. The numbers are addresses of instructions in the
/// file of the program, wherever it was loaded: the failed one, and the calls that led there, as
/// far as the frames of the first thread show. The unstripped binary of the same build
/// (`deploy/build` stores it as `homeward.debug`) shows their places in the source:
///
///     llvm-symbolizer --obj=homeward.debug 0x5d2c1 0x4a1b0 0x39ff2
///
/// "in a library" replaces the number if the instruction is not in the program. After the line the
/// signal has its former effect, which is to end the process.
void clinux_report_fatal_signals(const uint8_t *version, size_t size);

/// Maximum size of the file with the last words.
enum { CLINUX_LAST_WORDS_MAX = 384 };

/// Stores the line, too: in the file `last-words` of an open directory, after the time in seconds
/// since 1970 and a space. The directory stays open until the process ends.
void clinux_keep_last_words(int directory);

static inline int clinux_errno(void) { return errno; }
/// Returns the English description of a kernel error, or NULL for an unknown number.
const char *_Nullable clinux_error_description(int code);

/// Opens a path as `open(2)` does; other programs do not inherit the descriptor. If it
/// `wants_file`, anything but a regular file is an error: EISDIR for a directory, ESPIPE for a
/// pipe, a device, and others.
int clinux_open(const char *path, int flags, mode_t mode, bool wants_file);

/// Opens a path like `clinux_open`, as `openat(2)` does.
int clinux_openat(int directory, const char *path, int flags, mode_t mode, bool wants_file);

static inline int clinux_epoll_add(int epoll, int descriptor, uint32_t events, uint64_t tag) {
  struct epoll_event event = {.events = events, .data = {.u64 = tag}};
  return epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event);
}
static inline int clinux_epoll_modify(int epoll, int descriptor, uint32_t events, uint64_t tag) {
  struct epoll_event event = {.events = events, .data = {.u64 = tag}};
  return epoll_ctl(epoll, EPOLL_CTL_MOD, descriptor, &event);
}
static inline int clinux_epoll_remove(int epoll, int descriptor) {
  return epoll_ctl(epoll, EPOLL_CTL_DEL, descriptor, NULL);
}

/// Ready descriptor as `epoll_wait(2)` reports it, without the packed union.
typedef struct {
  uint32_t events;
  uint64_t tag;
} clinux_ready;

#define CLINUX_READY_MAX 16

/// Waits at most `milliseconds` (-1: without limit) and fills up to `CLINUX_READY_MAX` entries.
static inline int clinux_epoll_wait(int epoll, clinux_ready *ready, int milliseconds) {
  struct epoll_event events[CLINUX_READY_MAX];
  int count = epoll_wait(epoll, events, CLINUX_READY_MAX, milliseconds);
  for (int index = 0; index < count; index++) {
    ready[index].events = events[index].events;
    ready[index].tag = events[index].data.u64;
  }
  return count;
}

/// Sets the time by which the kernel may delay the end of a sleep of this thread, to end it with
/// others; 0 for its default.
static inline void clinux_set_timer_slack(unsigned long nanoseconds) {
  prctl(PR_SET_TIMERSLACK, nanoseconds);
}

/// Returns a non-blocking TCP socket that is connecting to `address`; -1 and `errno` on failure.
int clinux_connect(const struct addrinfo *address);

/// Returns a non-blocking socket that listens at a path of the file system, which only its owner
/// may connect to; -1 and `errno` on failure.
int clinux_local_listen(const char *path, int backlog);
/// Returns the next connection of a listening socket, non-blocking.
int clinux_accept(int descriptor);
/// Returns a socket that is connected to one at a path. Connecting, reading and writing block for
/// at most `nanoseconds` each; with a negative number none of them blocks.
int clinux_local_connect(const char *path, int64_t nanoseconds);

/// Returns a non-blocking datagram socket that is connected to the one that sd_notify(3) names: a
/// path, or a name of the abstract namespace after an "@".
int clinux_notify_connect(const char *name);

/// Returns the pending error of a socket (`SO_ERROR`), or the error of asking.
static inline int clinux_socket_error(int descriptor) {
  int error = 0;
  socklen_t size = sizeof error;
  return getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &size) == 0 ? error : errno;
}

/// Bytes that a data plan counts: with the headers of TCP and IP, and with repeated segments.
typedef struct {
  uint64_t sent, received;
} clinux_traffic;
/// Makes a socket as `socket(2)` does, and counts its traffic.
int clinux_traffic_socket(int family, int type, int protocol);
/// Closes a socket as `close(2)` does. Its traffic stays counted.
int clinux_traffic_close(int socket);
/// Returns the traffic of a socket; zero if it is not one of TCP.
clinux_traffic clinux_traffic_of(int socket);
/// Returns the traffic of the counted sockets since the process began.
clinux_traffic clinux_traffic_read(void);

/// Returns the columns of a terminal; 0 if it is not one, or does not report them.
static inline int clinux_terminal_columns(int descriptor) {
  struct winsize size = {0};
  return ioctl(descriptor, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}
/// Returns the rows of a terminal; 0 if it is not one, or does not report them.
static inline int clinux_terminal_rows(int descriptor) {
  struct winsize size = {0};
  return ioctl(descriptor, TIOCGWINSZ, &size) == 0 ? size.ws_row : 0;
}

/// Prepares a terminal for pictures: another screen, no cursor, and keys that come at once and are
/// not shown; those for signals still make signals. A process in the background is stopped until it
/// is in the foreground. -1 and `errno` if it is not a terminal.
int clinux_screen_enter(int descriptor);

/// Returns the descriptor for pictures: writing fails with EAGAIN while the terminal accepts
/// nothing. -1 before the first `clinux_screen_enter`.
int clinux_screen_output(void);
/// Restores the terminal; does nothing if it shows no pictures. A signal handler may call it.
void clinux_screen_leave(void);
/// Stops this process as its terminal requests, though SIGTSTP is blocked; returns when it
/// continues. Meanwhile other signals may end it.
void clinux_stop(void);

/// Writes as much as a descriptor accepts now, also if writing to it would wait. Returns the number
/// of bytes, 0 for none, or -1 and `errno`.
static inline ssize_t clinux_write_now(int descriptor, const void *bytes, size_t count) {
  ssize_t written = send(descriptor, bytes, count, MSG_DONTWAIT | MSG_NOSIGNAL);
  if (written < 0 && errno == ENOTSOCK) {
    struct pollfd ready = {.fd = descriptor, .events = POLLOUT};
    if (poll(&ready, 1, 0) == 0) return 0;
    // A ready pipe accepts this much at once.
    written = write(descriptor, bytes, count < PIPE_BUF ? count : PIPE_BUF);
  }
  return written < 0 && (errno == EAGAIN || errno == EINTR) ? 0 : written;
}

/// Returns a descriptor of the program that this process runs, also if its file was replaced
/// meanwhile. -1 and `errno` if there is none (without `/proc`), or it may not be started.
int clinux_program_of_process(void);

/// Returns a descriptor with a text that no file has, read from its start; -1 and `errno`.
int clinux_text_in_memory(const void *_Nullable bytes, size_t size);

/// Starts a program of `clinux_program_of_process` in this process, with the same arguments. The
/// program inherits the descriptors `kept`, and those that this process was started with. Returns
/// only on failure, with `errno`.
int clinux_start_anew(int program, const int *kept, int count);

/// Stops other programs from inheriting a descriptor, and any later one with its number.
int clinux_close_at_exec(int descriptor);

/// Runs a program to its end, with the standard streams of this one. Returns its exit status, or -1
/// if it was not started, or a signal ended it.
int clinux_run(const char *program, const char *first, const char *second);

/// Runs a program with up to three words after its name, and reads the beginning of its standard
/// output. Returns the number of bytes, or -1 if it was not started, or did not exit with 0.
ssize_t clinux_output(const char *program, const char *first, const char *second,
                      const char *third, char *bytes, size_t size);

/// Returns the number of groups of a user, `max` at most, or -1 if there is no such user. Fills in
/// its number and the numbers of its groups.
int clinux_user(const char *name, uid_t *number, gid_t *groups, int max);

/// Returns whether a file system is mounted at a path (`STATX_ATTR_MOUNT_ROOT`); true if the kernel
/// does not report it.
bool clinux_is_mount_point(const char *path);

/// Returns whether another machine, or a program of this one (FUSE), serves the file at a path:
/// such a read may hang at any moment, without limit (`statfs(2)`).
bool clinux_is_remote(const char *path);

/// Reads the name of a group; false if it has none, or one that does not fit.
bool clinux_group_name(gid_t group, char *name, size_t size);

/// Makes a write beyond the file size limit of the process (RLIMIT_FSIZE) an error, EFBIG, as on a
/// full disk, instead of the end of the process.
static inline void clinux_survive_file_size_limit(void) { signal(SIGXFSZ, SIG_IGN); }

/// Seconds that a process has to react to SIGTERM, and to end, before it is ended.
enum { CLINUX_TERMINATION_SECONDS = 30 };

/// Returns the next signal of `clinux_signalfd`, or 0. SIGTERM comes as SIGINT, which requests the
/// same.
static inline int clinux_next_signal(int descriptor) {
  struct signalfd_siginfo signal;
  if (read(descriptor, &signal, sizeof signal) != sizeof signal) return 0;
  // The end itself has its time, too, if SIGTERM requested it.
  if (signal.ssi_signo == SIGINT && alarm(0) > 0) alarm(CLINUX_TERMINATION_SECONDS);
  return (int)signal.ssi_signo;
}

/// Excludes the memory of this process, with its keys and tokens, from core dumps. Even with a
/// limit of 0 the kernel pipes one to a program; with 1 it does not (`do_coredump` in
/// fs/coredump.c).
static inline void clinux_forbid_core_dumps(void) {
  struct rlimit limit = {1, 1};
  if (setrlimit(RLIMIT_CORE, &limit) == 0) return;
  // The limit is 0 already, and only root could raise it.
  limit.rlim_cur = limit.rlim_max = 0;
  setrlimit(RLIMIT_CORE, &limit);
}

/// Returns a descriptor that becomes readable for SIGTERM, SIGINT and SIGHUP, and if `of_terminal`,
/// for all other signals of a terminal, too. None of them ends the process, except SIGTERM if
/// `clinux_next_signal` is not called for `CLINUX_TERMINATION_SECONDS`: the thread that called this
/// hangs.
int clinux_signalfd(bool of_terminal);

/// Returns a descriptor that one thread makes readable and another one resets (`eventfd(2)`).
/// Signalling fails only if 2^64 signals wait, clearing only if none does.
static inline int clinux_eventfd(void) { return eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC); }
static inline void clinux_eventfd_signal(int descriptor) { eventfd_write(descriptor, 1); }
static inline void clinux_eventfd_clear(int descriptor) {
  eventfd_t count;
  eventfd_read(descriptor, &count);
}

/// Returns whether a program has set the kernel's clock, and keeps it right. A service that must
/// not ask the kernel reads the file of systemd-timesyncd.
static inline bool clinux_clock_is_synchronized(void) {
  struct timex timex = {.modes = 0};
  int state = adjtimex(&timex);
  if (state < 0) return access("/run/systemd/timesync/synchronized", F_OK) == 0;
  return state != TIME_ERROR && !(timex.status & STA_UNSYNC);
}
/// Returns the nanoseconds of a clock; those of the board (`CLOCK_BOOTTIME`, `CLOCK_MONOTONIC`,
/// `CLOCK_REALTIME`) cannot fail on Linux.
static inline int64_t clinux_clock(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}
static inline int64_t clinux_boot_clock(void) { return clinux_clock(CLOCK_BOOTTIME); }

/// Returns a descriptor that becomes ready for input when the wall clock was set, or the board
/// slept: the clock of the kernel's timeouts stands still meanwhile. -1 if there is none.
int clinux_clock_watch(void);
/// Resets the descriptor of `clinux_clock_watch`.
static inline void clinux_clock_watch_clear(int descriptor) {
  uint64_t count;
  // The read fails with ECANCELED, which reports the change.
  (void)!read(descriptor, &count, sizeof count);
}

/// Returns the seconds by which local time is ahead of UTC at a moment, by the system or `TZ`.
static inline int64_t clinux_seconds_ahead_of_utc(int64_t seconds_since_1970) {
  time_t seconds = (time_t)seconds_since_1970;
  struct tm local;
  return localtime_r(&seconds, &local) ? local.tm_gmtoff : 0;
}

/// Returns the name of the next entry of `directory`, or NULL at the end or on an error.
static inline const char *_Nullable clinux_readdir(DIR *directory) {
  struct dirent *entry = readdir(directory);
  return entry ? entry->d_name : NULL;
}

/// Returns the whole pages between two addresses to the kernel: their content is lost, and the
/// memory stays usable.
static inline void clinux_return_pages(const void *start, const void *end) {
  uintptr_t size = (uintptr_t)sysconf(_SC_PAGESIZE);
  uintptr_t first = ((uintptr_t)start + size - 1) / size * size, last = (uintptr_t)end / size * size;
  if (first < last) madvise((void *)first, last - first, MADV_DONTNEED);
}

/// Fills `indices` with the interfaces that are up, have an address of IPv4, and carry multicast,
/// and the loopback one. Returns their number, at most `max`; -1 and `errno` on failure.
int clinux_multicast_interfaces(unsigned *indices, int max);

/// Returns a non-blocking socket for datagrams of IPv4, as multicast DNS requires it: with a time
/// to live of 255, and copies for this machine.
int clinux_multicast_socket(void);

/// Sends one datagram out of one interface. `group` has 4 bytes, `port` is in the host's order.
ssize_t clinux_multicast_send(int descriptor, unsigned interface, const uint8_t *group,
                              uint16_t port, const void *_Nullable bytes, size_t count);

/// Returns a non-blocking socket to the kernel for one protocol of netlink. `port` becomes its
/// address for the kernel.
int clinux_netlink_socket(int protocol, uint32_t *port);

/// Joins a multicast group of a netlink socket, or leaves it.
static inline int clinux_netlink_hear(int descriptor, uint32_t group, bool joined) {
  return setsockopt(descriptor, SOL_NETLINK,
                    joined ? NETLINK_ADD_MEMBERSHIP : NETLINK_DROP_MEMBERSHIP, &group,
                    sizeof group);
}

/// Reads one datagram. `sender` is the port of its sender, 0 for the kernel. Returns the size of
/// the datagram, which may be more than `max`: the rest is dropped. -1 and `errno` on failure.
ssize_t clinux_netlink_receive(int descriptor, void *_Nullable bytes, size_t max, uint32_t *sender);

/// Reads an address of IPv4 or IPv6 into `bytes`, which holds 16. Returns its family, or 0 if
/// `text` is not an address.
static inline int clinux_address_read(const void *_Nullable text, uint8_t *_Nullable bytes) {
  if (inet_pton(AF_INET, (const char *)text, bytes) == 1) return AF_INET;
  return inet_pton(AF_INET6, (const char *)text, bytes) == 1 ? AF_INET6 : 0;
}
/// Writes an address as text with its NUL into `text`, which holds `INET6_ADDRSTRLEN`.
static inline void clinux_address_write(int family, const uint8_t *_Nullable bytes,
                                        uint8_t *_Nullable text) {
  inet_ntop(family, bytes, (char *)text, INET6_ADDRSTRLEN);
}
/// Sends an empty datagram to port 9 of an address on this interface.
void clinux_speak(int family, const uint8_t *_Nullable bytes, uint32_t interface);

/// Reads a line from a terminal that does not show it. Returns its number of bytes, at most `max`
/// (the rest of the line is dropped), or -1 and `errno`: 0 for the end of input. A signal that ends
/// the process does so after the terminal is restored.
ssize_t clinux_read_secret(int descriptor, uint8_t *bytes, size_t max);

/// Opens a serial port to read bytes, with 19,200 bits per second, 8 data bits, no parity and one
/// stop bit. It waits for no carrier and never blocks; no other program can open it meanwhile; DTR
/// and RTS are on, if it has them; earlier input is dropped. -1 and `errno` on failure: ENOTTY if
/// the path is not a serial port.
int clinux_serial_open(const char *path);
/// Drops unread input.
static inline int clinux_serial_discard(int descriptor) { return tcflush(descriptor, TCIFLUSH); }

#pragma clang assume_nonnull end
#endif
