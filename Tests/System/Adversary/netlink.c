// A kernel that lies: preloaded into the agent, it changes what recvfrom() brings on netlink
// sockets. The dice begin with ADVERSARY_SEED, so a life can be repeated.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <unistd.h>

static uint64_t dice;

// SplitMix64.
static uint64_t roll(void) {
  uint64_t z = (dice += 0x9E3779B97F4A7C15);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
  return z ^ (z >> 31);
}

static ssize_t changed(unsigned char *bytes, ssize_t count, size_t room) {
  static const uint32_t numbers[] = {0, 1, 4, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0xFFFF, 0x10};
  for (uint64_t times = 1 + roll() % 4; times > 0 && count > 0; times--) {
    size_t place = roll() % (uint64_t)count;
    switch (roll() % 5) {
    case 0: bytes[place] ^= (unsigned char)(1u << (roll() % 8)); break;
    case 1: bytes[place] = (unsigned char)roll(); break;
    case 2: count = (ssize_t)place; break;
    case 3:
      place &= ~(size_t)3;
      if (place + 4 <= (size_t)count) memcpy(bytes + place, &numbers[roll() % 8], 4);
      break;
    case 4: // The same again behind it, as far as there is room.
      if ((size_t)count * 2 <= room) {
        memcpy(bytes + count, bytes, (size_t)count);
        count *= 2;
      }
      break;
    }
  }
  return count;
}

ssize_t recvfrom(int descriptor, void *bytes, size_t room, int flags, struct sockaddr *from,
                 socklen_t *size) {
  static ssize_t (*real)(int, void *, size_t, int, struct sockaddr *, socklen_t *);
  if (real == NULL) {
    real = (ssize_t (*)(int, void *, size_t, int, struct sockaddr *, socklen_t *))dlsym(
        RTLD_NEXT, "recvfrom");
    const char *seed = getenv("ADVERSARY_SEED");
    dice = seed == NULL ? 0 : strtoull(seed, NULL, 10);
  }
  ssize_t count = real(descriptor, bytes, room, flags, from, size);
  int domain = 0;
  socklen_t length = sizeof domain;
  if (count <= 0 || (size_t)count > room ||
      getsockopt(descriptor, SOL_SOCKET, SO_DOMAIN, &domain, &length) != 0 ||
      domain != AF_NETLINK || roll() % 2 == 0)
    return count;
  return changed(bytes, count, room);
}
