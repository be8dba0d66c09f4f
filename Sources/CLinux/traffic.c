// Traffic of the connections of this process, on any thread: its threads share the descriptors.
#include "clinux.h"

#include <linux/tcp.h>
#include <stdatomic.h>

// Limit of the counted sockets that are open at the same time. A client has two at most.
enum { COUNTED_MAX = 64 };
// Descriptor plus 1; 0 for a free place.
static atomic_int counted[COUNTED_MAX];
static atomic_ullong sent, received;

// Returns the size of a segment's headers: 20 or 40 bytes of IP, and 32 of TCP with timestamps.
static uint64_t head(int socket) {
  int family = 0;
  socklen_t size = sizeof family;
  getsockopt(socket, SOL_SOCKET, SO_DOMAIN, &family, &size);
  return family == AF_INET6 ? 72 : 52;
}

clinux_traffic clinux_traffic_of(int socket) {
  struct tcp_info info = {0};
  socklen_t size = sizeof info;
  if (getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &size) != 0) return (clinux_traffic){0, 0};
  return (clinux_traffic){
      .sent = info.tcpi_bytes_sent + info.tcpi_segs_out * head(socket),
      .received = info.tcpi_bytes_received + info.tcpi_segs_in * head(socket)};
}

// Replaces the first `old` in the table by `new`. Returns whether there is one.
static bool replace(int old, int new) {
  for (int index = 0; index < COUNTED_MAX; index++) {
    int expected = old;
    if (atomic_compare_exchange_strong(&counted[index], &expected, new)) return true;
  }
  return false;
}

int clinux_traffic_socket(int family, int type, int protocol) {
  int descriptor = socket(family, type | SOCK_CLOEXEC, protocol);
  if (descriptor >= 0) replace(0, descriptor + 1);
  return descriptor;
}

int clinux_traffic_close(int socket) {
  if (replace(socket + 1, 0)) {
    clinux_traffic last = clinux_traffic_of(socket);
    atomic_fetch_add(&sent, last.sent);
    atomic_fetch_add(&received, last.received);
  }
  return close(socket);
}

clinux_traffic clinux_traffic_read(void) {
  clinux_traffic sum = {atomic_load(&sent), atomic_load(&received)};
  for (int index = 0; index < COUNTED_MAX; index++) {
    int socket = atomic_load(&counted[index]) - 1;
    if (socket < 0) continue;
    clinux_traffic open = clinux_traffic_of(socket);
    sum.sent += open.sent;
    sum.received += open.received;
  }
  return sum;
}
