// libcurl's variadic calls, one typed wrapper for each kind of value.
#ifndef HOMEWARD_CCURL_H
#define HOMEWARD_CCURL_H

#include <curl/curl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

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

/// Has libcurl make and close its sockets by these functions.
static inline CURLcode ccurl_set_sockets(CURL *easy, curl_opensocket_callback open,
                                         curl_closesocket_callback close) {
  CURLcode result = curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, open);
  return result ? result : curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, close);
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

/// A field of the head of the last answer, or NULL where it has none; until the next transfer.
static inline const char *_Nullable ccurl_field(CURL *easy, const char *name) {
  struct curl_header *field = NULL;
  return curl_easy_header(easy, name, 0, CURLH_HEADER, -1, &field) == CURLHE_OK ? field->value
                                                                                : NULL;
}

/// The `Date` of the last answer in seconds since 1970, or -1; until the next transfer.
static inline int64_t ccurl_server_time(CURL *easy) {
  const char *date = ccurl_field(easy, "Date");
  return date ? curl_getdate(date, NULL) : -1;
}

/// Where the last answer sends on to, as an absolute URL, or NULL; until the next transfer.
static inline const char *_Nullable ccurl_redirect_url(CURL *easy) {
  char *url = NULL;
  curl_easy_getinfo(easy, CURLINFO_REDIRECT_URL, &url);
  return url;
}

/// Whether the URL of the last transfer was one of HTTPS.
static inline int ccurl_is_encrypted(CURL *easy) {
  char *url = NULL;
  curl_easy_getinfo(easy, CURLINFO_EFFECTIVE_URL, &url);
  return url && strncasecmp(url, "https:", 6) == 0;
}

/// Whether the environment names a proxy for HTTP or for HTTPS.
static inline int ccurl_has_environment_proxy(int is_encrypted) {
  if (getenv("all_proxy") || getenv("ALL_PROXY")) return 1;
  if (!is_encrypted) return getenv("http_proxy") != NULL;
  return getenv("https_proxy") || getenv("HTTPS_PROXY");
}

/// Whether libcurl's words on a failed connection name the server of the transfer, which the
/// environment then excludes from its proxy. They name the proxy instead, or as "via PROXY".
static inline int ccurl_failed_at_server(CURL *easy, const char *words) {
  char expected[CURL_ERROR_SIZE] = "", *url = NULL;
  CURLU *parts = curl_url();
  curl_easy_getinfo(easy, CURLINFO_EFFECTIVE_URL, &url);
  if (url && parts && curl_url_set(parts, CURLUPART_URL, url, 0) == CURLUE_OK) {
    char *host = NULL, *port = NULL;
    curl_url_get(parts, CURLUPART_HOST, &host, 0);
    curl_url_get(parts, CURLUPART_PORT, &port, CURLU_DEFAULT_PORT);
    if (host && port) {
      int is_bracketed = host[0] == '[';
      snprintf(expected, sizeof expected, "Failed to connect to %.*s port %s after ",
               (int)strlen(host) - 2 * is_bracketed, host + is_bracketed, port);
    }
    curl_free(host);
    curl_free(port);
  }
  curl_url_cleanup(parts);
  return expected[0] && strncasecmp(words, expected, strlen(expected)) == 0;
}

/// Has libcurl write more words on what goes wrong to `words`, which holds CURL_ERROR_SIZE bytes
/// and outlives the handle.
static inline CURLcode ccurl_set_error_words(CURL *easy, char *words) {
  return curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, words);
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
