// For accept4, ppoll and strerrordesc_np.
#define _GNU_SOURCE 1
#include "clinux.h"

#include <grp.h>
#include <linux/magic.h>
#include <pwd.h>
#include <spawn.h>
#include <stddef.h>
#include <sys/vfs.h>
#include <sys/wait.h>

// Closes a descriptor that cannot be used. Returns -1, and leaves `errno` as it is.
static int closed(int descriptor) {
  int error = errno;
  close(descriptor);
  errno = error;
  return -1;
}

// Closes the descriptor of anything but a regular file, if one is wanted.
static int opened(int descriptor, bool wants_file) {
  struct stat status;
  if (descriptor < 0 || !wants_file) return descriptor;
  if (fstat(descriptor, &status) == 0) {
    if (S_ISREG(status.st_mode)) return descriptor;
    errno = S_ISDIR(status.st_mode) ? EISDIR : ESPIPE;
  }
  return closed(descriptor);
}

enum { opening = O_CLOEXEC | O_NOCTTY };

int clinux_open(const char *path, int flags, mode_t mode, bool wants_file) {
  return opened(open(path, flags | opening, mode), wants_file);
}

int clinux_openat(int directory, const char *path, int flags, mode_t mode, bool wants_file) {
  return opened(openat(directory, path, flags | opening, mode), wants_file);
}

// Waits for the end of a child. Returns its exit status, or -1 if a signal ended it.
static int exit_status(pid_t child) {
  int status;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int clinux_run(const char *program, const char *first, const char *second) {
  char *words[] = {(char *)program, (char *)first, (char *)second, NULL};
  pid_t child;
  return posix_spawn(&child, program, NULL, NULL, words, environ) ? -1 : exit_status(child);
}

ssize_t clinux_output(const char *program, const char *first, const char *second,
                      const char *third, char *bytes, size_t size) {
  char *words[] = {(char *)program, (char *)first, (char *)second, (char *)third, NULL};
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) < 0) return -1;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t child;
  int started = posix_spawn(&child, program, &actions, NULL, words, environ) == 0;
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  size_t count = 0;
  char rest[256];
  while (started) {
    int isFull = count == size;
    ssize_t got = read(ends[0], isFull ? rest : bytes + count, isFull ? sizeof rest : size - count);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    if (!isFull) count += (size_t)got;
  }
  close(ends[0]);
  return started && exit_status(child) == 0 ? (ssize_t)count : -1;
}

int clinux_user(const char *name, uid_t *number, gid_t *groups, int max) {
  struct passwd *entry = getpwnam(name);
  if (!entry) return -1;
  *number = entry->pw_uid;
  int count = max;
  return getgrouplist(name, entry->pw_gid, groups, &count) < 0 ? max : count;
}

bool clinux_is_mount_point(const char *path) {
  struct statx status;
  if (statx(AT_FDCWD, path, 0, 0, &status) < 0) return false;
  return !(status.stx_attributes_mask & STATX_ATTR_MOUNT_ROOT) ||
         (status.stx_attributes & STATX_ATTR_MOUNT_ROOT);
}

bool clinux_is_remote(const char *path) {
  struct statfs status;
  if (statfs(path, &status) < 0) return false;
  switch ((uint32_t)status.f_type) {
  case AFS_FS_MAGIC:
  case CEPH_SUPER_MAGIC:
  case CIFS_SUPER_MAGIC:
  case CODA_SUPER_MAGIC:
  case FUSE_SUPER_MAGIC:
  case NFS_SUPER_MAGIC:
  case SMB_SUPER_MAGIC:
  case SMB2_SUPER_MAGIC:
  case V9FS_MAGIC: return true;
  default: return false;
  }
}

bool clinux_group_name(gid_t group, char *name, size_t size) {
  struct group *entry = getgrgid(group);
  if (!entry || strlen(entry->gr_name) >= size) return false;
  memcpy(name, entry->gr_name, strlen(entry->gr_name) + 1);
  return true;
}

const char *clinux_error_description(int code) { return strerrordesc_np(code); }

int clinux_multicast_interfaces(unsigned *indices, int max) {
  struct ifaddrs *list;
  if (getifaddrs(&list) < 0) return -1;
  int count = 0;
  for (struct ifaddrs *entry = list; entry && count < max; entry = entry->ifa_next) {
    if (!entry->ifa_addr || entry->ifa_addr->sa_family != AF_INET) continue;
    if (!(entry->ifa_flags & IFF_UP)) continue;
    if (!(entry->ifa_flags & (IFF_MULTICAST | IFF_LOOPBACK))) continue;
    unsigned index = if_nametoindex(entry->ifa_name);
    int known = index == 0;
    for (int place = 0; place < count; place++) known |= indices[place] == index;
    if (!known) indices[count++] = index;
  }
  freeifaddrs(list);
  return count;
}

int clinux_multicast_socket(void) {
  int descriptor = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (descriptor < 0) return -1;
  int hops = 255, loop = 1;
  if (setsockopt(descriptor, IPPROTO_IP, IP_MULTICAST_TTL, &hops, sizeof hops) == 0 &&
      setsockopt(descriptor, IPPROTO_IP, IP_MULTICAST_LOOP, &loop, sizeof loop) == 0)
    return descriptor;
  return closed(descriptor);
}

ssize_t clinux_multicast_send(int descriptor, unsigned interface, const uint8_t *group,
                              uint16_t port, const void *bytes, size_t count) {
  struct ip_mreqn route = {.imr_ifindex = (int)interface};
  if (setsockopt(descriptor, IPPROTO_IP, IP_MULTICAST_IF, &route, sizeof route) < 0) return -1;
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
  memcpy(&address.sin_addr, group, sizeof address.sin_addr);
  return sendto(descriptor, bytes, count, MSG_NOSIGNAL, (struct sockaddr *)&address,
                sizeof address);
}

void clinux_speak(int family, const uint8_t *bytes, uint32_t interface) {
  int descriptor = socket(family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (descriptor < 0) return;
  union {
    struct sockaddr any;
    struct sockaddr_in ipv4;
    struct sockaddr_in6 ipv6;
  } to = {0};
  to.any.sa_family = (sa_family_t)family;
  uint32_t index = htonl(interface);
  if (family == AF_INET) {
    to.ipv4.sin_port = htons(9);
    memcpy(&to.ipv4.sin_addr, bytes, sizeof to.ipv4.sin_addr);
    setsockopt(descriptor, IPPROTO_IP, IP_UNICAST_IF, &index, sizeof index);
  } else {
    to.ipv6.sin6_port = htons(9);
    to.ipv6.sin6_scope_id = interface;
    memcpy(&to.ipv6.sin6_addr, bytes, sizeof to.ipv6.sin6_addr);
    setsockopt(descriptor, IPPROTO_IPV6, IPV6_UNICAST_IF, &index, sizeof index);
  }
  sendto(descriptor, "", 0, MSG_NOSIGNAL, &to.any, sizeof to);
  close(descriptor);
}

int clinux_clock_watch(void) {
  int descriptor = timerfd_create(CLOCK_REALTIME, TFD_NONBLOCK | TFD_CLOEXEC);
  // Latest time that each kernel accepts.
  struct itimerspec never = {.it_value = {.tv_sec = INT32_MAX}};
  if (sizeof never.it_value.tv_sec > 4) never.it_value.tv_sec = INT64_MAX / 1000000000;
  timerfd_settime(descriptor, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &never, NULL);
  return descriptor;
}

int clinux_netlink_socket(int protocol, uint32_t *port) {
  int descriptor = socket(AF_NETLINK, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, protocol);
  if (descriptor < 0) return -1;
  struct sockaddr_nl address = {.nl_family = AF_NETLINK};
  socklen_t size = sizeof address;
  if (bind(descriptor, (struct sockaddr *)&address, size) == 0 &&
      getsockname(descriptor, (struct sockaddr *)&address, &size) == 0) {
    *port = address.nl_pid;
    return descriptor;
  }
  return closed(descriptor);
}

ssize_t clinux_netlink_receive(int descriptor, void *bytes, size_t max, uint32_t *sender) {
  struct sockaddr_nl address = {0};
  socklen_t size = sizeof address;
  // MSG_TRUNC: the length of the whole datagram is returned.
  ssize_t count =
      recvfrom(descriptor, bytes, max, MSG_TRUNC, (struct sockaddr *)&address, &size);
  *sender = address.nl_pid;
  return count;
}

int clinux_connect(const struct addrinfo *address) {
  int type = address->ai_socktype | SOCK_NONBLOCK | SOCK_CLOEXEC;
  int descriptor = socket(address->ai_family, type, address->ai_protocol);
  if (descriptor < 0) return -1;
  if (connect(descriptor, address->ai_addr, address->ai_addrlen) == 0 || errno == EINPROGRESS)
    return descriptor;
  return closed(descriptor);
}

static int local_address(const char *path, struct sockaddr_un *address) {
  *address = (struct sockaddr_un){.sun_family = AF_UNIX};
  size_t count = strlen(path);
  if (count >= sizeof address->sun_path) {
    errno = ENAMETOOLONG;
    return -1;
  }
  memcpy(address->sun_path, path, count);
  return 0;
}

int clinux_local_listen(const char *path, int backlog) {
  struct sockaddr_un address;
  if (local_address(path, &address) < 0) return -1;
  int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (descriptor < 0) return -1;
  // The file gets the mode of its socket: there is no moment at which others may connect.
  if (fchmod(descriptor, S_IRUSR | S_IWUSR) == 0 &&
      bind(descriptor, (struct sockaddr *)&address, sizeof address) == 0 &&
      listen(descriptor, backlog) == 0)
    return descriptor;
  return closed(descriptor);
}

int clinux_accept(int descriptor) {
  return accept4(descriptor, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

int clinux_local_connect(const char *path, int64_t nanoseconds) {
  struct sockaddr_un address;
  if (local_address(path, &address) < 0) return -1;
  int waits = nanoseconds < 0 ? SOCK_NONBLOCK : 0;
  int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | waits, 0);
  if (descriptor < 0) return -1;
  if (nanoseconds < 0) nanoseconds = 0;
  struct timeval timeout = {.tv_sec = (time_t)(nanoseconds / 1000000000),
                            .tv_usec = (suseconds_t)(nanoseconds % 1000000000 / 1000)};
  if (setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof timeout) == 0 &&
      setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout) == 0 &&
      connect(descriptor, (struct sockaddr *)&address, sizeof address) == 0)
    return descriptor;
  return closed(descriptor);
}

int clinux_notify_connect(const char *name) {
  struct sockaddr_un address;
  if (local_address(name, &address) < 0) return -1;
  // The size ends with an abstract name: zeros behind it would count.
  socklen_t size = offsetof(struct sockaddr_un, sun_path) + strlen(name);
  if (*name == '@') address.sun_path[0] = 0;
  int descriptor = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (descriptor < 0) return -1;
  if (connect(descriptor, (struct sockaddr *)&address, size) == 0) return descriptor;
  return closed(descriptor);
}

static volatile sig_atomic_t caught;

static void catch_signal(int number) { caught = number; }

/// Reads a line. Signals come only while it waits, under the mask `waiting`.
static ssize_t read_line(int descriptor, uint8_t *bytes, size_t max, const sigset_t *waiting) {
  size_t count = 0;
  for (;;) {
    struct pollfd ready = {.fd = descriptor, .events = POLLIN};
    if (ppoll(&ready, 1, NULL, waiting) < 0) {
      if (errno == EINTR && !caught) continue;
      return -1;
    }
    uint8_t byte;
    ssize_t got = read(descriptor, &byte, 1);
    if (got < 0) return -1;
    if (got == 0 && count == 0) {
      errno = 0;
      return -1;
    }
    if (got == 0 || byte == '\n') return (ssize_t)count;
    if (count < max) bytes[count++] = byte;
  }
}

ssize_t clinux_read_secret(int descriptor, uint8_t *bytes, size_t max) {
  static const int ending[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
  enum { ending_count = sizeof ending / sizeof *ending };
  struct termios shown, hidden;
  if (tcgetattr(descriptor, &shown) < 0) return -1;
  hidden = shown;
  hidden.c_lflag &= ~(tcflag_t)ECHO;
  hidden.c_lflag |= ECHONL;

  sigset_t held, before;
  sigemptyset(&held);
  for (int index = 0; index < ending_count; index++) sigaddset(&held, ending[index]);
  if (sigprocmask(SIG_BLOCK, &held, &before) < 0) return -1;
  struct sigaction catching = {.sa_handler = catch_signal}, usual[ending_count];
  for (int index = 0; index < ending_count; index++)
    sigaction(ending[index], &catching, &usual[index]);
  caught = 0;

  ssize_t count = -1;
  // Input from before the question is not its answer.
  if (tcsetattr(descriptor, TCSAFLUSH, &hidden) == 0) {
    count = read_line(descriptor, bytes, max, &before);
    int error = errno;
    // The rest of a paste is no answer to the next question, and no command of the shell.
    tcsetattr(descriptor, TCSAFLUSH, &shown);
    errno = error;
  }
  int error = errno;
  for (int index = 0; index < ending_count; index++)
    sigaction(ending[index], &usual[index], NULL);
  sigprocmask(SIG_SETMASK, &before, NULL);
  if (caught) raise(caught);
  errno = error;
  return count;
}

int clinux_serial_open(const char *path) {
  int descriptor = open(path, O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0) return -1;
  struct termios line;
  if (tcgetattr(descriptor, &line) == 0 && ioctl(descriptor, TIOCEXCL) == 0) {
    line.c_iflag = IGNBRK;
    line.c_oflag = 0;
    line.c_lflag = 0;
    line.c_cflag = CS8 | CREAD | CLOCAL;
    // With 0, a port without input would read like one that is gone.
    line.c_cc[VMIN] = 1;
    line.c_cc[VTIME] = 0;
    if (cfsetispeed(&line, B19200) == 0 && cfsetospeed(&line, B19200) == 0 &&
        tcsetattr(descriptor, TCSANOW, &line) == 0 && tcflush(descriptor, TCIFLUSH) == 0) {
      // They power adapters with a level shifter; a port without these lines does not need them.
      int lines = TIOCM_DTR | TIOCM_RTS;
      ioctl(descriptor, TIOCMBIS, &lines);
      return descriptor;
    }
  }
  return closed(descriptor);
}
