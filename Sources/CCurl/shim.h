// libcurl's variadic calls, one typed wrapper for each kind of value.
#ifndef HOMEWARD_CCURL_H
#define HOMEWARD_CCURL_H

#include <curl/curl.h>
#include <string.h>

#pragma clang assume_nonnull begin

static inline CURLcode ccurl_set_long(CURL *easy, CURLoption option, long value) {
  return curl_easy_setopt(easy, option, value);
}
static inline CURLcode ccurl_set_string(CURL *easy, CURLoption option,
                                        const char *_Nullable value) {
  return curl_easy_setopt(easy, option, value);
}
/// The body of the next POST; libcurl reads it in place, so it outlives the transfer.
static inline CURLcode ccurl_set_body(CURL *easy, const void *bytes, long count) {
  CURLcode result = curl_easy_setopt(easy, CURLOPT_POSTFIELDS, bytes);
  return result ? result : curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE, count);
}
static inline CURLcode ccurl_set_headers(CURL *easy, struct curl_slist *_Nullable headers) {
  return curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers);
}

typedef size_t (*ccurl_write)(const char *bytes, size_t size, size_t count, void *context);
static inline CURLcode ccurl_set_write(CURL *easy, ccurl_write write, void *context) {
  CURLcode result = curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, write);
  return result ? result : curl_easy_setopt(easy, CURLOPT_WRITEDATA, context);
}

static inline long ccurl_response_code(CURL *easy) {
  long code = 0;
  curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &code);
  return code;
}

/// What the TLS library said of the server's chain of certificates: 0 for well, or one of its
/// X509_V_ERR numbers.
static inline long ccurl_verify_result(CURL *easy) {
  long result = 0;
  curl_easy_getinfo(easy, CURLINFO_SSL_VERIFYRESULT, &result);
  return result;
}

/// The media type that the last answer named, with its parameters; until the next transfer.
static inline const char *_Nullable ccurl_content_type(CURL *easy) {
  char *type = NULL;
  curl_easy_getinfo(easy, CURLINFO_CONTENT_TYPE, &type);
  return type;
}

/// The `Date` of the last answer in seconds since 1970, or -1; until the next transfer.
static inline long ccurl_server_time(CURL *easy) {
  struct curl_header *date = NULL;
  if (curl_easy_header(easy, "Date", 0, CURLH_HEADER, -1, &date)) return -1;
  return curl_getdate(date->value, NULL);
}

/// The socket of the transfer that just finished, or -1 where its connection is not kept.
static inline int ccurl_active_socket(CURL *easy) {
  curl_socket_t socket = CURL_SOCKET_BAD;
  curl_easy_getinfo(easy, CURLINFO_ACTIVESOCKET, &socket);
  return socket;
}

typedef int (*ccurl_socket)(CURL *easy, curl_socket_t socket, int what, void *context,
                            void *_Nullable socket_context);
typedef int (*ccurl_timer)(CURLM *multi, long milliseconds, void *context);
static inline CURLMcode ccurl_set_callbacks(CURLM *multi, ccurl_socket socket, ccurl_timer timer,
                                            void *context) {
  CURLMcode result = curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, socket);
  if (!result) result = curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, context);
  if (!result) result = curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, timer);
  if (!result) result = curl_multi_setopt(multi, CURLMOPT_TIMERDATA, context);
  return result;
}

static inline void ccurl_clear_callbacks(CURLM *multi) {
  curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, NULL);
  curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, NULL);
}

/// How many connections are kept that no transfer uses.
static inline CURLMcode ccurl_keep_connections(CURLM *multi, long count) {
  return curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, count);
}

/// Takes one finished transfer off the queue: 1 and its result, or 0 when there is none.
static inline int ccurl_take_finished(CURLM *multi, CURLcode *result) {
  int left = 0;
  CURLMsg *message;
  while ((message = curl_multi_info_read(multi, &left)))
    if (message->msg == CURLMSG_DONE) {
      *result = message->data.result;
      return 1;
    }
  return 0;
}

/// A part of a URL as libcurl understands it, or NULL where it has none. To be freed with
/// `curl_free`.
static inline char *_Nullable ccurl_url_part(CURLU *url, CURLUPart part, unsigned flags) {
  char *text = NULL;
  return curl_url_get(url, part, &text, flags) == CURLUE_OK ? text : NULL;
}

#pragma clang assume_nonnull end
#endif
