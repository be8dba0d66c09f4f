// GNU libmicrohttpd. Swift cannot call variadic functions; these name the options that are used.
#ifndef HOMEWARD_CHTTPSERVER_H
#define HOMEWARD_CHTTPSERVER_H

#include <arpa/inet.h>
#include <errno.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#pragma clang assume_nonnull begin

/// Limits that the library keeps.
struct chttp_limits {
  unsigned connections;
  /// Bytes of a connection's memory: what is read at once, and all headers.
  size_t connection_bytes;
};

/// An address of either family.
union chttp_address {
  struct sockaddr any;
  struct sockaddr_in ipv4;
  struct sockaddr_in6 ipv6;
};

/// Size of an address of its family.
static inline socklen_t chttp_size(const union chttp_address *address) {
  return address->any.sa_family == AF_INET ? sizeof address->ipv4 : sizeof address->ipv6;
}

/// Makes a TCP socket for a numeric address, which is written into `address`; -1 with `errno`:
/// EINVAL if the text is no address.
static inline int chttp_socket_for(const char *text, uint16_t port, union chttp_address *address) {
  *address = (union chttp_address){
      .ipv4 = {.sin_family = AF_INET, .sin_port = htons(port)}};
  if (inet_pton(AF_INET, text, &address->ipv4.sin_addr) != 1) {
    *address = (union chttp_address){
        .ipv6 = {.sin6_family = AF_INET6, .sin6_port = htons(port)}};
    if (inet_pton(AF_INET6, text, &address->ipv6.sin6_addr) != 1) {
      errno = EINVAL;
      return -1;
    }
  }
  return socket(address->any.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
}

/// Closes a descriptor, and keeps `errno`; returns -1.
static inline int chttp_close_failed(int descriptor) {
  int error = errno;
  close(descriptor);
  errno = error;
  return -1;
}

/// Listens on a numeric address; returns a descriptor, or -1 with `errno`: EINVAL if the address is
/// none.
static inline int chttp_listen(const char *text, uint16_t port) {
  union chttp_address address;
  int descriptor = chttp_socket_for(text, port, &address);
  int yes = 1;
  if (descriptor < 0) return -1;
  setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (bind(descriptor, &address.any, chttp_size(&address)) != 0 || listen(descriptor, 1024) != 0)
    return chttp_close_failed(descriptor);
  return descriptor;
}

/// Connects to a numeric address; each reading and writing blocks for `seconds` at most. -1 with
/// `errno` on failure.
static inline int chttp_connect(const char *text, uint16_t port, time_t seconds) {
  union chttp_address address;
  int descriptor = chttp_socket_for(text, port, &address);
  struct timeval limit = {.tv_sec = seconds};
  if (descriptor < 0) return -1;
  setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
  if (connect(descriptor, &address.any, chttp_size(&address)) != 0)
    return chttp_close_failed(descriptor);
  return descriptor;
}

/// Port on which a descriptor listens.
static inline uint16_t chttp_port(int descriptor) {
  union chttp_address address = {0};
  socklen_t size = sizeof address;
  getsockname(descriptor, &address.any, &size);
  return ntohs(address.any.sa_family == AF_INET ? address.ipv4.sin_port : address.ipv6.sin6_port);
}

/// Leaves the escapes of an address as they are: the addresses of a relay have none, and an escaped
/// NUL would end a string of C before its end.
static inline size_t chttp_keep_escapes(void *_Nullable context,
                                        struct MHD_Connection *_Nullable connection, char *text) {
  (void)context;
  (void)connection;
  return strlen(text);
}

/// Makes a server of what listens on `descriptor`, which then belongs to it; null if it cannot. It
/// works in the thread that calls `chttp_wait` and `MHD_run`, and nowhere else.
static inline struct MHD_Daemon *_Nullable chttp_serve(
    int descriptor, struct chttp_limits limits, MHD_AccessHandlerCallback handler,
    MHD_RequestCompletedCallback completed, MHD_NotifyConnectionCallback connected, void *context) {
  return MHD_start_daemon(
      MHD_USE_EPOLL, 0, NULL, NULL, handler, context,
      MHD_OPTION_LISTEN_SOCKET, descriptor, MHD_OPTION_CONNECTION_LIMIT, limits.connections,
      MHD_OPTION_CONNECTION_MEMORY_LIMIT, limits.connection_bytes,
      MHD_OPTION_NOTIFY_COMPLETED, completed, context, MHD_OPTION_NOTIFY_CONNECTION, connected,
      context, MHD_OPTION_UNESCAPE_CALLBACK, chttp_keep_escapes, NULL, MHD_OPTION_END);
}

/// Waits until there is work for `MHD_run`, or `ending` is readable, or some milliseconds are over.
/// Whether `ending` is readable.
static inline bool chttp_wait(struct MHD_Daemon *daemon, int ending, int milliseconds) {
  const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD);
  struct pollfd ready[] = {{.fd = ending, .events = POLLIN},
                           {.fd = info ? info->epoll_fd : -1, .events = POLLIN}};
  MHD_UNSIGNED_LONG_LONG limit;
  bool has_limit = MHD_get_timeout(daemon, &limit) == MHD_YES;
  if (has_limit && limit < (unsigned)milliseconds) milliseconds = (int)limit;
  return poll(ready, 2, milliseconds) > 0 && ready[0].revents;
}

/// Socket of a connection; -1 if the library does not say.
static inline int chttp_socket(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  return info ? info->connect_fd : -1;
}

/// Sends an answer, of which the library makes a copy: MHD_YES, or MHD_NO without memory.
static inline enum MHD_Result chttp_answer(struct MHD_Connection *connection, unsigned status,
                                           const char *content_type, const void *bytes,
                                           size_t count, bool closes) {
  struct MHD_Response *response =
      MHD_create_response_from_buffer(count, (void *)bytes, MHD_RESPMEM_MUST_COPY);
  if (!response) return MHD_NO;
  MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, content_type);
  if (closes) MHD_add_response_header(response, MHD_HTTP_HEADER_CONNECTION, "close");
  enum MHD_Result result = MHD_queue_response(connection, status, response);
  MHD_destroy_response(response);
  return result;
}

#pragma clang assume_nonnull end
#endif
