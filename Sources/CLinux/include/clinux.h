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

/// The arguments of the process. Embedded Swift has no `CommandLine`, so a constructor in
/// `process.c` keeps what glibc hands to it.
int clinux_argument_count(void);
const char *_Nullable clinux_argument(int index);

/// Has the process say one line on standard error before SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGFPE
/// or SIGABRT ends it. A failed precondition of Embedded Swift is such a signal, and says nothing
/// itself; systemd sends SIGABRT to a service that gives no sign of life:
///
///     homeward 0.1.0: ended by SIGILL at 0x5d2c1, called from 0x4a1b0 0x39ff2; please report
///     this line
///
/// Nothing else of the process is in the line. The numbers are addresses of instructions in the
/// file of the program, wherever it was loaded: the one that failed, and the calls that led there,
/// as far as the frames of the first thread tell. The unstripped binary of the same build
/// (`deploy/build` keeps it as `homeward.debug`) tells which places of the source these are:
///
///     llvm-symbolizer --obj=homeward.debug 0x5d2c1 0x4a1b0 0x39ff2
///
/// "in a library" stands in place of the number where the instruction is none of the program's.
/// After the line the signal does what it did before, which is to end the process.
void clinux_report_fatal_signals(const uint8_t *version, size_t size);

/// The most that the file with the last words holds.
enum { CLINUX_LAST_WORDS_MAX = 384 };

/// Has the line kept, too: in the file `last-words` of an open directory, behind the time in
/// seconds since 1970 and a space. The directory stays open until the process ends.
void clinux_keep_last_words(int directory);

static inline int clinux_errno(void) { return errno; }
/// What an error of the kernel is called in English, or NULL where it has no such number.
const char *_Nullable clinux_error_description(int code);

/// Opens a path as `open(2)` does; other programs do not get the descriptor. Where it `wants_file`,
/// all else than a regular file is an error: EISDIR for a directory, ESPIPE for a pipe, a device,
/// and others.
int clinux_open(const char *path, int flags, mode_t mode, bool wants_file);

/// The same for `openat(2)`.
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

/// One ready descriptor: what `epoll_wait(2)` reports, without its packed union.
typedef struct {
  uint32_t events;
  uint64_t tag;
} clinux_ready;

#define CLINUX_READY_MAX 16

/// Waits at most `milliseconds` (-1: for ever) and fills up to `CLINUX_READY_MAX` entries.
static inline int clinux_epoll_wait(int epoll, clinux_ready *ready, int milliseconds) {
  struct epoll_event events[CLINUX_READY_MAX];
  int count = epoll_wait(epoll, events, CLINUX_READY_MAX, milliseconds);
  for (int index = 0; index < count; index++) {
    ready[index].events = events[index].events;
    ready[index].tag = events[index].data.u64;
  }
  return count;
}

/// How much later the kernel may end a sleep of this thread, to end it with others; 0 for its
/// default.
static inline void clinux_set_timer_slack(unsigned long nanoseconds) {
  prctl(PR_SET_TIMERSLACK, nanoseconds);
}

/// A non-blocking TCP socket that is connecting to `address`; -1 and `errno` when it cannot be.
static inline int clinux_connect(const struct addrinfo *address) {
  int descriptor = socket(address->ai_family,
                          address->ai_socktype | SOCK_NONBLOCK | SOCK_CLOEXEC,
                          address->ai_protocol);
  if (descriptor < 0) return -1;
  if (connect(descriptor, address->ai_addr, address->ai_addrlen) == 0 || errno == EINPROGRESS)
    return descriptor;
  int error = errno;
  close(descriptor);
  errno = error;
  return -1;
}

/// A non-blocking socket that listens at a path of the file system, which only its owner may
/// connect to; -1 and `errno` when it cannot be.
int clinux_local_listen(const char *path, int backlog);
/// The next connection of a listening socket, non-blocking.
int clinux_accept(int descriptor);
/// A socket that is connected to one at a path. Connecting, reading and writing block for so long
/// at most each; with a negative number none of them blocks.
int clinux_local_connect(const char *path, int64_t nanoseconds);

/// A non-blocking datagram socket that is connected to the one that sd_notify(3) names: a path, or
/// a name of the abstract namespace behind an "@".
int clinux_notify_connect(const char *name);

/// The pending error of a socket (`SO_ERROR`), or the error of asking.
static inline int clinux_socket_error(int descriptor) {
  int error = 0;
  socklen_t size = sizeof error;
  return getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &size) == 0 ? error : errno;
}

/// Bytes that a data plan counts: with the heads of TCP and IP, and with what was sent again.
typedef struct {
  uint64_t sent, received;
} clinux_traffic;
/// Makes a socket as `socket(2)` does, whose traffic counts.
int clinux_traffic_socket(int family, int type, int protocol);
/// Closes a socket as `close(2)` does. What it has carried stays counted.
int clinux_traffic_close(int socket);
/// What a socket has carried; nothing where it is none of TCP.
clinux_traffic clinux_traffic_of(int socket);
/// What such sockets have carried since the process began.
clinux_traffic clinux_traffic_read(void);

/// How many columns a terminal has; 0 where it is none, or does not say.
static inline int clinux_terminal_columns(int descriptor) {
  struct winsize size = {0};
  return ioctl(descriptor, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}
/// The same of its rows.
static inline int clinux_terminal_rows(int descriptor) {
  struct winsize size = {0};
  return ioctl(descriptor, TIOCGWINSZ, &size) == 0 ? size.ws_row : 0;
}

/// Gives a terminal to pictures: another screen, no cursor, and keys that come at once and are not
/// shown; those for signals still make signals. A process in the background is stopped until it is
/// in the foreground. -1 and `errno` where it is no terminal.
int clinux_screen_enter(int descriptor);

/// Where pictures are written: writing fails with EAGAIN while the terminal takes nothing. -1
/// before the first `clinux_screen_enter`.
int clinux_screen_output(void);
/// Makes the terminal what it was before; nothing where it was not given to pictures. A signal
/// handler may call it.
void clinux_screen_leave(void);
/// Stops this process as its terminal wants to have it stopped, though SIGTSTP is blocked; comes
/// back when it goes on. Meanwhile other signals may end it.
void clinux_stop(void);

/// Writes what a descriptor takes at this moment, also where writing to it would wait. Returns how
/// many bytes that is, 0 for none, or -1 and `errno`.
static inline ssize_t clinux_write_now(int descriptor, const void *bytes, size_t count) {
  ssize_t written = send(descriptor, bytes, count, MSG_DONTWAIT | MSG_NOSIGNAL);
  if (written < 0 && errno == ENOTSOCK) {
    struct pollfd ready = {.fd = descriptor, .events = POLLOUT};
    if (poll(&ready, 1, 0) == 0) return 0;
    // A pipe that is ready takes so much at once.
    written = write(descriptor, bytes, count < PIPE_BUF ? count : PIPE_BUF);
  }
  return written < 0 && (errno == EAGAIN || errno == EINTR) ? 0 : written;
}

/// A descriptor of the program that this process runs, also where its file was replaced meanwhile.
/// -1 and `errno` where there is none (`/proc` is not there), or it may not be started.
int clinux_program_of_process(void);

/// A descriptor with a text that no file has, read from its start; -1 and `errno`.
int clinux_text_in_memory(const void *_Nullable bytes, size_t size);

/// Starts a program of `clinux_program_of_process` in this process, with the same arguments. Of its
/// descriptors it keeps `kept`, and those that it was started with. Returns only where that fails,
/// with `errno`.
int clinux_start_anew(int program, const int *kept, int count);

/// It is handed to no other program any more, and neither is one that gets its number.
int clinux_close_at_exec(int descriptor);

/// Runs a program that finds its own way, with the standard streams of this one. Returns its exit
/// status, or -1 where it was not started or did not end by itself.
int clinux_run(const char *program, const char *first, const char *second);

/// Runs a program with up to three words behind its name, and takes the beginning of what it
/// writes to its standard output. Returns how many bytes that is, or -1 where it was not started,
/// or did not end by itself with 0.
ssize_t clinux_output(const char *program, const char *first, const char *second,
                      const char *third, char *bytes, size_t size);

/// The number of a user and the numbers of its groups. Returns how many groups it has, `max` at
/// most, or -1 where there is no such user.
int clinux_user(const char *name, uid_t *number, gid_t *groups, int max);

/// Whether a file system is mounted at a path (`STATX_ATTR_MOUNT_ROOT`), or that is not known.
bool clinux_is_mount_point(const char *path);

/// Whether another machine answers for the file at a path, or a program of this one (FUSE): such a
/// read may hang at any moment, and for ever (`statfs(2)`).
bool clinux_is_remote(const char *path);

/// What a group is called; false where it has no name, or one that has no room.
bool clinux_group_name(gid_t group, char *name, size_t size);

/// A file that would become larger than the process may write (RLIMIT_FSIZE) is an error of that
/// write, EFBIG, like a disk that is full; it does not end the process.
static inline void clinux_survive_file_size_limit(void) { signal(SIGXFSZ, SIG_IGN); }

/// How long a process has to take notice of SIGTERM, and to end, before it is ended.
enum { CLINUX_TERMINATION_SECONDS = 30 };

/// The next signal of `clinux_signalfd`, or 0. SIGTERM comes as SIGINT, which asks for the same.
static inline int clinux_next_signal(int descriptor) {
  struct signalfd_siginfo signal;
  if (read(descriptor, &signal, sizeof signal) != sizeof signal) return 0;
  // The end itself has its time, too, if SIGTERM asked for it.
  if (signal.ssi_signo == SIGINT && alarm(0) > 0) alarm(CLINUX_TERMINATION_SECONDS);
  return (int)signal.ssi_signo;
}

/// Keeps the memory of this process, with its keys and tokens, out of core dumps. Also a limit of 0
/// lets the kernel pipe one to a program; 1 does not (`do_coredump` in fs/coredump.c).
static inline void clinux_forbid_core_dumps(void) {
  struct rlimit limit = {1, 1};
  if (setrlimit(RLIMIT_CORE, &limit) == 0) return;
  // It is 0 already, and only root could raise it.
  limit.rlim_cur = limit.rlim_max = 0;
  setrlimit(RLIMIT_CORE, &limit);
}

/// A descriptor that becomes readable for SIGTERM, SIGINT and SIGHUP, and where `of_terminal`, for
/// all others by which a terminal tells something, too. None of them ends the process, but SIGTERM
/// where `clinux_next_signal` is not called for `CLINUX_TERMINATION_SECONDS`: the thread that
/// called this hangs.
int clinux_signalfd(bool of_terminal);

/// A descriptor that one thread makes readable and another one quiet (`eventfd(2)`). Signalling
/// fails only where 2^64 signals wait, clearing where none does.
static inline int clinux_eventfd(void) { return eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC); }
static inline void clinux_eventfd_signal(int descriptor) { eventfd_write(descriptor, 1); }
static inline void clinux_eventfd_clear(int descriptor) {
  eventfd_t count;
  eventfd_read(descriptor, &count);
}

/// Whether a program told the kernel what time it is, and keeps it right. A service that must not
/// ask the kernel learns it from the file of systemd-timesyncd.
static inline bool clinux_clock_is_synchronized(void) {
  struct timex timex = {.modes = 0};
  int state = adjtimex(&timex);
  if (state < 0) return access("/run/systemd/timesync/synchronized", F_OK) == 0;
  return state != TIME_ERROR && !(timex.status & STA_UNSYNC);
}
/// Nanoseconds of a clock; those of the board (`CLOCK_BOOTTIME`, `CLOCK_MONOTONIC`,
/// `CLOCK_REALTIME`) cannot fail on Linux.
static inline int64_t clinux_clock(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}
static inline int64_t clinux_boot_clock(void) { return clinux_clock(CLOCK_BOOTTIME); }

/// A descriptor that becomes ready for input when the wall clock was set, or the board slept: the
/// clock that timeouts of the kernel go by stands still meanwhile. -1 where there is none.
int clinux_clock_watch(void);
/// Takes notice of that.
static inline void clinux_clock_watch_clear(int descriptor) {
  uint64_t count;
  // It fails with ECANCELED: that is the news.
  (void)!read(descriptor, &count, sizeof count);
}

/// How far local time is ahead of UTC at a moment, in seconds, as the system or `TZ` has it.
static inline int64_t clinux_seconds_ahead_of_utc(int64_t seconds_since_1970) {
  time_t seconds = (time_t)seconds_since_1970;
  struct tm local;
  return localtime_r(&seconds, &local) ? local.tm_gmtoff : 0;
}

/// The name of the entry that `directory` stands on next, or NULL at the end or on an error.
static inline const char *_Nullable clinux_readdir(DIR *directory) {
  struct dirent *entry = readdir(directory);
  return entry ? entry->d_name : NULL;
}

/// Gives the whole pages between two addresses back to the kernel: what stood there is gone, and
/// the memory can be used on.
static inline void clinux_return_pages(const void *start, const void *end) {
  uintptr_t size = (uintptr_t)sysconf(_SC_PAGESIZE);
  uintptr_t first = ((uintptr_t)start + size - 1) / size * size, last = (uintptr_t)end / size * size;
  if (first < last) madvise((void *)first, last - first, MADV_DONTNEED);
}

/// Fills `indices` with the interfaces that are up, have an address of IPv4, and carry multicast,
/// and the loopback one. Returns how many there are, at most `max`; -1 and `errno` on failure.
int clinux_multicast_interfaces(unsigned *indices, int max);

/// A non-blocking socket for datagrams of IPv4, with what multicast DNS asks of it: a time to live
/// of 255, and copies for this machine.
int clinux_multicast_socket(void);

/// Sends one datagram out of one interface. `group` has 4 bytes, `port` is in the host's order.
ssize_t clinux_multicast_send(int descriptor, unsigned interface, const uint8_t *group,
                              uint16_t port, const void *_Nullable bytes, size_t count);

/// A non-blocking socket to the kernel for one protocol of netlink. `port` is what the kernel knows
/// it by.
int clinux_netlink_socket(int protocol, uint32_t *port);

/// Joins a multicast group of a netlink socket, or leaves it.
static inline int clinux_netlink_hear(int descriptor, uint32_t group, bool joined) {
  return setsockopt(descriptor, SOL_NETLINK,
                    joined ? NETLINK_ADD_MEMBERSHIP : NETLINK_DROP_MEMBERSHIP, &group,
                    sizeof group);
}

/// Reads one datagram. `sender` is the port it comes from, 0 for the kernel. Returns how many bytes
/// it has, which may be more than `max`: the rest is dropped. -1 and `errno` on failure.
ssize_t clinux_netlink_receive(int descriptor, void *_Nullable bytes, size_t max, uint32_t *sender);

/// Reads an address of IPv4 or IPv6 into `bytes`, which holds 16. Returns its family, or 0 where
/// `text` is none.
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

/// Reads a line from a terminal that does not show it. Returns how many bytes it has, at most `max`
/// (the rest of the line is dropped), or -1 and `errno`: 0 for the end of input. A signal that ends
/// the process does so once the terminal is as it was.
ssize_t clinux_read_secret(int descriptor, uint8_t *bytes, size_t max);

/// Opens a serial port to read what comes in as bytes, with 19,200 bits per second, 8 data bits, no
/// parity and one stop bit. It waits for no carrier and never blocks; no other program can open it
/// meanwhile; DTR and RTS are on, where it has them; what came before is gone. -1 and `errno` on
/// failure: ENOTTY where the path is no serial port.
int clinux_serial_open(const char *path);
/// Drops what came in and was not read.
static inline int clinux_serial_discard(int descriptor) { return tcflush(descriptor, TCIFLUSH); }

#pragma clang assume_nonnull end
#endif
