// hiredis 0.14 to 1.2 with nullability, and with limits for what a server says.
#ifndef HOMEWARD_CHIREDIS_H
#define HOMEWARD_CHIREDIS_H

#include <errno.h>
#include <hiredis/hiredis.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/time.h>

#pragma clang assume_nonnull begin

/// Elements of one array in a reply.
enum { chiredis_elements_max = 1 << 20 };

/// Connects to a host, or with a port of 0 to the path of a socket; null without memory. A
/// connection that failed says why, and is closed in any case.
static inline redisContext *_Nullable chiredis_connect(const char *host, uint16_t port,
                                                       long connect_seconds, long read_seconds) {
  struct timeval connecting = {.tv_sec = connect_seconds}, reading = {.tv_sec = read_seconds};
  // Old versions write without MSG_NOSIGNAL.
  signal(SIGPIPE, SIG_IGN);
  redisContext *context = port ? redisConnectWithTimeout(host, port, connecting)
                               : redisConnectUnixWithTimeout(host, connecting);
  if (!context || context->err) return context;
#if HIREDIS_MAJOR >= 1
  context->reader->maxelements = chiredis_elements_max;
#endif
  if (redisSetTimeout(context, reading) == REDIS_OK && port) redisEnableKeepAlive(context);
  return context;
}

static inline bool chiredis_failed(const redisContext *context) { return context->err != 0; }

/// Why a connection failed, in the library's words.
static inline const char *chiredis_words(const redisContext *context) { return context->errstr; }

/// Whether the server has kept the connection, and says nothing that was not asked.
static inline bool chiredis_is_quiet(const redisContext *context) {
  char byte;
  return recv(context->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0 &&
         (errno == EAGAIN || errno == EWOULDBLOCK);
}

/// Adds a command to what is sent next: words that lie one after the other in `bytes`.
static inline bool chiredis_append(redisContext *context, const uint8_t *bytes,
                                   const size_t *lengths, int count) {
  if (count < 1 || count > 2048) return false;
  const char *words[count];
  for (int index = 0; index < count; index++) {
    words[index] = (const char *)bytes;
    bytes += lengths[index];
  }
  return redisAppendCommandArgv(context, count, words, lengths) == REDIS_OK;
}

/// Sends what was added.
static inline bool chiredis_send(redisContext *context) {
  int is_done = 0;
  while (!is_done)
    if (redisBufferWrite(context, &is_done) != REDIS_OK) return false;
  return true;
}

/// Reads what has come, and waits for it; returns the number of bytes, -1 if the connection failed.
static inline ptrdiff_t chiredis_receive(redisContext *context) {
  size_t before = context->reader->len;
  if (redisBufferRead(context) != REDIS_OK) return -1;
  return (ptrdiff_t)(context->reader->len - before);
}

/// Takes the next reply out of what was read; null if it is not complete, or the connection failed.
static inline redisReply *_Nullable chiredis_next(redisContext *context) {
  void *reply = NULL;
  return redisGetReplyFromReader(context, &reply) == REDIS_OK ? (redisReply *)reply : NULL;
}

static inline const redisReply *_Nullable chiredis_element(const redisReply *reply, size_t index) {
  return index < reply->elements ? reply->element[index] : NULL;
}

#pragma clang assume_nonnull end
#endif
