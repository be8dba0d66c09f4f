#include <arpa/inet.h>
#include <fcntl.h>
#include <errno.h>
#include <microhttpd.h>
#include <math.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
// The practice home takes the rest of libc from here too.
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

// Swift cannot call variadic functions; these name the options that are used.

/// Starts a server on 127.0.0.1 with one thread per connection. Port 0 is any free port.
/// Null with the reason in `error` if it cannot.
static inline struct MHD_Daemon *_Nullable practice_http_start(
    uint16_t port, MHD_AccessHandlerCallback _Nonnull handler, void *_Nonnull context,
    MHD_RequestCompletedCallback _Nonnull completed, size_t connection_memory, int *_Nonnull error) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  errno = 0;
  struct MHD_Daemon *daemon = MHD_start_daemon(
      MHD_USE_THREAD_PER_CONNECTION | MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_POLL |
          MHD_ALLOW_UPGRADE,
      port, NULL, NULL, handler, context, MHD_OPTION_SOCK_ADDR, (struct sockaddr *)&address,
      MHD_OPTION_NOTIFY_COMPLETED, completed, context, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
      connection_memory, MHD_OPTION_END);
  *error = errno;
  return daemon;
}

/// Makes an upgraded connection send what it is given at once, and not wait for either side.
static inline void practice_prepare_socket(int descriptor) {
  int yes = 1;
  setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK);
}

/// Sends as much as a connection takes now: how much, or -1 if it takes no more at all.
static inline ssize_t practice_send(int descriptor, const void *_Nullable bytes, size_t count) {
  ssize_t sent = send(descriptor, bytes, count, MSG_NOSIGNAL);
  return sent < 0 && (errno == EAGAIN || errno == EINTR) ? 0 : sent;
}

/// Receives what is here, perhaps nothing: how much, or -1 at the end.
static inline ssize_t practice_receive(int descriptor, void *_Nonnull buffer, size_t size) {
  ssize_t received = recv(descriptor, buffer, size, 0);
  if (received < 0) return errno == EAGAIN || errno == EINTR ? 0 : -1;
  return received == 0 ? -1 : received;
}

/// Ends an upgraded connection.
static inline void practice_close_upgraded(struct MHD_UpgradeResponseHandle *_Nonnull handle) {
  MHD_upgrade_action(handle, MHD_UPGRADE_ACTION_CLOSE);
}

/// The socket of a connection; -1 if the library does not tell.
static inline int practice_connection_descriptor(struct MHD_Connection *_Nonnull connection) {
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  return info ? info->connect_fd : -1;
}

/// The port a server listens on.
static inline uint16_t practice_http_port(struct MHD_Daemon *_Nonnull daemon) {
  const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT);
  return info ? info->port : 0;
}

/// Prints a float with `decimals` decimals into `buffer`: the byte count without the final zero.
static inline int practice_print_fixed(char *_Nonnull buffer, size_t size, int decimals,
                                       double value) {
  return snprintf(buffer, size, "%.*f", decimals, value);
}

/// The same in scientific notation.
static inline int practice_print_scientific(char *_Nonnull buffer, size_t size, int decimals,
                                            double value) {
  return snprintf(buffer, size, "%.*e", decimals, value);
}

/// The size of the terminal on a descriptor; all zero if it is none.
static inline struct winsize practice_terminal_size(int descriptor) {
  struct winsize size = {0};
  ioctl(descriptor, TIOCGWINSZ, &size);
  return size;
}

/// Keeps SIGINT, SIGTERM and SIGHUP from ending the process; threads started later inherit it. A
/// reader that goes away is no reason to die either.
static inline void practice_block_signals(void) {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGHUP);
  pthread_sigmask(SIG_BLOCK, &signals, NULL);
  signal(SIGPIPE, SIG_IGN);
}

/// Waits for SIGINT, SIGTERM or SIGHUP: the signal, or 0 when the time is up.
static inline int practice_wait_for_signal(long milliseconds) {
  sigset_t signals;
  struct timespec limit = {milliseconds / 1000, milliseconds % 1000 * 1000000};
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGHUP);
  int signal = sigtimedwait(&signals, NULL, &limit);
  return signal > 0 ? signal : 0;
}

/// Connects to a port of this machine, for tests: a descriptor, or -1.
static inline int practice_connect(uint16_t port) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (descriptor >= 0 && connect(descriptor, (struct sockaddr *)&address, sizeof address) != 0) {
    close(descriptor);
    return -1;
  }
  return descriptor;
}
