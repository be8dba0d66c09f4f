// The floor: the agent's steady cycle in plain C, with the same libraries and nothing else. What
// the agent costs is read beside what this costs.
//
//     floor HOME_URL TOKEN GPSD_PORT PROC SYS      registers itself, then a cycle every 10 s
//     floor seal N                                 seals N messages of 20 readings, and ends
//
// Every 10 s it reads thirteen values, parses the newest TPV that waited in gpsd's socket, and
// sends one sealed update_location and one sealed update_sensor_states over a connection that is
// kept; the sealed answer is opened and read. It has no configuration, no retries, no debouncing
// and no sources that come and go: when something is wrong, it says what and stops.
#define _GNU_SOURCE
#include <curl/curl.h>
#include <errno.h>
#include <fcntl.h>
#include <gps.h>
#include <math.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/statvfs.h>
#include <sys/timerfd.h>
#include <unistd.h>

enum { every_seconds = 10, message_max = 8 * 1024, sealed_max = 2 * message_max };
enum { box_overhead = crypto_secretbox_NONCEBYTES + crypto_secretbox_MACBYTES };

static void check(int is_fine, const char *what) {
  if (is_fine) return;
  fprintf(stderr, "floor: %s failed\n", what);
  exit(EXIT_FAILURE);
}

// MARK: Text, written at a cursor

static char *put(char *to, const char *text) { return stpcpy(to, text); }

static char *put_digits(char *to, long number, int digits_min) {
  char digits[24];
  int count = 0;
  for (; number > 0 || count < digits_min; number /= 10)
    digits[count++] = (char)('0' + number % 10);
  while (count > 0) *to++ = digits[--count];
  *to = 0;
  return to;
}

static char *put_number(char *to, double value, int decimals) {
  long scale = 1;
  for (int index = 0; index < decimals; index++) scale *= 10;
  long scaled = lround(fabs(value) * (double)scale);
  if (value < 0 && scaled > 0) *to++ = '-';
  to = put_digits(to, scaled / scale, 1);
  return decimals > 0 ? put_digits(put(to, "."), scaled % scale, decimals) : to;
}

// MARK: Sealing

static unsigned char key[crypto_secretbox_KEYBYTES];
static char body[sealed_max];      // What is sent.
static char answer[64 * 1024];     // What came back.
static size_t answer_count;
static unsigned char box[sealed_max];

static const char base64[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static char *put_base64(char *to, unsigned char *bytes, size_t count) {
  bytes[count] = bytes[count + 1] = 0;
  for (size_t index = 0; index < count; index += 3, to += 4) {
    unsigned group = (unsigned)bytes[index] << 16 | bytes[index + 1] << 8 | bytes[index + 2];
    for (int digit = 0; digit < 4; digit++) to[digit] = base64[group >> (18 - 6 * digit) & 63];
  }
  for (size_t missing = (3 - count % 3) % 3; missing > 0; missing--) to[-(long)missing] = '=';
  return to;
}

// The message in clear has been written at box + box_overhead.
static size_t seal(const char *type, const char *message_end) {
  unsigned char *message = box + box_overhead;
  size_t count = (size_t)((const unsigned char *)message_end - message);
  randombytes_buf(box, crypto_secretbox_NONCEBYTES);
  crypto_secretbox_easy(box + crypto_secretbox_NONCEBYTES, message, count, box, key);
  char *to = put(put(body, "{\"type\":\""), type);
  to = put(to, "\",\"encrypted\":true,\"encrypted_data\":\"");
  return (size_t)(put(put_base64(to, box, box_overhead + count), "\"}") - body);
}

// Opens the answer; returns the message in it, or NULL where it is not sealed with our key.
static const char *opened(void) {
  static unsigned char values[256];
  if (values['B'] == 0)
    for (unsigned char index = 0; index < 64; index++) values[(unsigned char)base64[index]] = index;
  const char *text = strstr(answer, "\"encrypted_data\":\"");
  if (text == NULL) return NULL;
  text += strlen("\"encrypted_data\":\"");
  size_t count = 0;
  for (unsigned group = 0, bits = 0; *text != '"' && *text != '=' && *text != 0; text++) {
    group = group << 6 | values[(unsigned char)*text];
    bits += 6;
    if (bits >= 8) bits -= 8, box[count++] = (unsigned char)(group >> bits);
  }
  unsigned char *message = box + crypto_secretbox_NONCEBYTES;
  if (count < box_overhead ||
      crypto_secretbox_open_easy(message, message, count - crypto_secretbox_NONCEBYTES, box, key))
    return NULL;
  box[count - crypto_secretbox_MACBYTES] = 0;
  return (const char *)message;
}

// MARK: HTTP

static CURL *http;

static size_t received(char *bytes, size_t size, size_t count, void *unused) {
  (void)unused;
  if (answer_count + size * count >= sizeof answer) return 0;
  memcpy(answer + answer_count, bytes, size * count);
  answer_count += size * count;
  answer[answer_count] = 0;
  return size * count;
}

static void open_http(const char *url, struct curl_slist *headers) {
  curl_easy_setopt(http, CURLOPT_URL, url);
  curl_easy_setopt(http, CURLOPT_HTTPHEADER, headers);
  curl_easy_setopt(http, CURLOPT_WRITEFUNCTION, received);
  curl_easy_setopt(http, CURLOPT_TIMEOUT, 30L);
  curl_easy_setopt(http, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(http, CURLOPT_FAILONERROR, 1L);
}

static void post(size_t count) {
  answer_count = 0;
  curl_easy_setopt(http, CURLOPT_POSTFIELDS, body);
  curl_easy_setopt(http, CURLOPT_POSTFIELDSIZE, (long)count);
  check(curl_easy_perform(http) == CURLE_OK, "sending");
}

static const char *member(const char *name, size_t *count) {
  const char *start = strstr(answer, name);
  check(start != NULL, "registering");
  start += strlen(name);
  *count = strcspn(start, "\"");
  return start;
}

static void enroll(const char *home, const char *token) {
  char url[512], header[512];
  put(put(url, home), "/api/mobile_app/registrations");
  put(put(header, "Authorization: Bearer "), token);
  struct curl_slist *headers = curl_slist_append(NULL, "Content-Type: application/json");
  open_http(url, curl_slist_append(headers, header));
  post((size_t)(put(body, "{\"device_id\":\"floor\",\"app_id\":\"floor\",\"app_name\":\"Floor\","
                          "\"app_version\":\"1\",\"device_name\":\"Floor\",\"manufacturer\":\"C\","
                          "\"model\":\"C\",\"os_name\":\"Linux\",\"os_version\":\"1\","
                          "\"supports_encryption\":true}") - body));
  size_t count;
  const char *secret = member("\"secret\":\"", &count);
  check(sodium_hex2bin(key, sizeof key, secret, count, NULL, NULL, NULL) == 0, "reading the key");
  const char *webhook = member("\"webhook_id\":\"", &count);
  char *end = put(put(url, home), "/api/webhook/");
  *(char *)mempcpy(end, webhook, count) = 0;
  open_http(url, curl_slist_append(NULL, "Content-Type: application/json"));
}

// MARK: The thirteen values

enum { file_count = 10, sensor_count = 13, state_max = 32 };
static const char *const file_paths[file_count] = {
    "class/power_supply/BAT0/capacity",    "class/power_supply/BAT0/status",
    "class/power_supply/BAT0/voltage_now", "class/power_supply/BAT0/current_now",
    "class/power_supply/BAT0/energy_now",  "class/power_supply/AC/online",
    "class/thermal/thermal_zone0/temp",    "loadavg", "meminfo", "uptime"};
static int files[file_count];
static const char *const sensors[sensor_count][3] = {
    {"sensor", "supply_bat0_capacity", "mdi:battery"},
    {"sensor", "supply_bat0_status", "mdi:battery-charging"},
    {"sensor", "supply_bat0_voltage", "mdi:flash"},
    {"sensor", "supply_bat0_current", "mdi:current-dc"},
    {"sensor", "supply_bat0_energy", "mdi:battery-high"},
    {"binary_sensor", "supply_ac_online", "mdi:power-plug"},
    {"sensor", "processor_temperature", "mdi:thermometer"},
    {"sensor", "load_1_minute", "mdi:gauge"},
    {"sensor", "load_5_minutes", "mdi:gauge"},
    {"sensor", "load_15_minutes", "mdi:gauge"},
    {"sensor", "memory_used", "mdi:memory"},
    {"sensor", "uptime", "mdi:clock-start"},
    {"sensor", "disk_used", "mdi:harddisk"}};
static char states[sensor_count][state_max];

static void open_files(const char *proc, const char *sys) {
  for (int index = 0; index < file_count; index++) {
    char path[512];
    put(put(put(path, index < 7 ? sys : proc), "/"), file_paths[index]);
    files[index] = open(path, O_RDONLY | O_CLOEXEC);
    check(files[index] >= 0, path);
  }
}

static const char *text_of(int file) {
  static char text[256];
  ssize_t count = pread(files[file], text, sizeof text - 1, 0);
  text[count > 0 ? count : 0] = 0;
  return text;
}

static double number_of(int file) { return strtod(text_of(file), NULL); }

static void sample(void) {
  put_number(states[0], number_of(0), 0);
  const char *status = text_of(1);
  snprintf(states[1], state_max, "\"%.*s\"", (int)strcspn(status, "\n"), status);
  put_number(states[2], number_of(2) / 1e6, 2);
  put_number(states[3], number_of(3) / 1e6, 2);
  put_number(states[4], number_of(4) / 1e6, 1);
  put(states[5], number_of(5) != 0 ? "true" : "false");
  put_number(states[6], number_of(6) / 1e3, 1);
  char *loads = (char *)text_of(7);
  for (int index = 7; index < 10; index++) put_number(states[index], strtod(loads, &loads), 2);
  const char *memory = text_of(8), *available = strstr(memory, "MemAvailable:");
  check(available != NULL, "reading meminfo");
  double total = strtod(memory + strlen("MemTotal:"), NULL);
  double free = strtod(available + strlen("MemAvailable:"), NULL);
  put_number(states[10], 100 * (total - free) / total, 1);
  put_number(states[11], floor(number_of(9)), 0);
  struct statvfs disk;
  check(statvfs("/", &disk) == 0, "statvfs");
  double used = (double)(disk.f_blocks - disk.f_bavail);
  put_number(states[12], 100 * used / (double)disk.f_blocks, 1);
}

static char *put_sensor(char *to, int sensor, const char *name) {
  to = put(put(put(to, "{\"type\":\""), sensors[sensor][0]), "\",\"unique_id\":\"");
  to = put(put(put(to, sensors[sensor][1]), "\",\"icon\":\""), sensors[sensor][2]);
  if (name != NULL) to = put(put(to, "\",\"name\":\""), name);
  return put(put(put(to, "\",\"state\":"), states[sensor]), "}");
}

// MARK: gpsd

static struct gps_data_t gps;

// Reads all that waited in the socket and lets libgps parse the newest TPV; 0 where there is none.
static int read_gps(void) {
  static char text[64 * 1024];
  static size_t count;
  ssize_t got;
  while ((got = recv(gps.gps_fd, text + count, sizeof text - 1 - count, MSG_DONTWAIT)) > 0)
    count += (size_t)got;
  check(got < 0 && errno == EAGAIN, "listening to gpsd");
  text[count] = 0;
  char *line = text, *newest = NULL, *end;
  for (; (end = strchr(line, '\n')) != NULL; line = end + 1)
    if (strncmp(line, "{\"class\":\"TPV\"", 14) == 0) newest = line;
  if (newest != NULL) {
    newest[strcspn(newest, "\n")] = 0;
    gps.set = 0;
    gps_unpack(newest, &gps);
  }
  count -= (size_t)(line - text);
  memmove(text, line, count);
  return newest != NULL && gps.fix.mode >= MODE_2D;
}

static char *put_member(char *to, const char *name, double value, int decimals) {
  return isfinite(value) ? put_number(put(to, name), value, decimals) : to;
}

static char *put_location(char *to) {
  to = put_number(put(to, "{\"gps\":["), gps.fix.latitude, 7);
  to = put(put_number(put(to, ","), gps.fix.longitude, 7), "]");
  to = put_member(to, ",\"gps_accuracy\":", isfinite(gps.fix.eph) ? ceil(gps.fix.eph) : 100, 0);
  to = put_member(to, ",\"altitude\":", gps.fix.altMSL, 1);
  to = put_member(to, ",\"speed\":", gps.fix.speed, 0);
  to = put_member(to, ",\"course\":", gps.fix.track, 0);
  return put(put_member(to, ",\"vertical_accuracy\":", gps.fix.epv, 0), "}");
}

// MARK: The work

static char *const message = (char *)box + box_overhead;

static void register_sensors(void) {
  sample();
  for (int index = 0; index < sensor_count; index++) {
    post(seal("register_sensor", put_sensor(message, index, sensors[index][1])));
    check(opened() != NULL, "registering a sensor");
  }
}

static void cycle(void) {
  sample();
  if (read_gps()) post(seal("update_location", put_location(message)));
  char *to = put(message, "[");
  for (int index = 0; index < sensor_count; index++)
    to = put_sensor(index > 0 ? put(to, ",") : to, index, NULL);
  post(seal("update_sensor_states", put(to, "]")));
  const char *verdicts = opened();
  check(verdicts != NULL, "opening the answer");
  int accepted = 0;
  while ((verdicts = strstr(verdicts, "\"success\":true")) != NULL) verdicts++, accepted++;
  check(accepted == sensor_count, "proving that the values arrived");
}

// The same twenty readings as Sealing/Main.swift writes.
static void seal_batches(long batches) {
  static const char *const id = "load_15_minutes", *const icon = "mdi:gauge";
  for (long batch = 0; batch < batches; batch++) {
    char *to = put(message, "[");
    for (int index = 0; index < 20; index++) {
      to = put(put(to, index > 0 ? "," : ""), "{\"type\":\"sensor\",\"unique_id\":\"");
      to = put(put(put(put(to, id), "\",\"icon\":\""), icon), "\",\"state\":");
      to = put(put_number(to, 12.34 + index + (double)(batch % 10), 2), "}");
    }
    seal("update_sensor_states", put(to, "]"));
  }
}

int main(int count, char **arguments) {
  check(sodium_init() >= 0, "sodium_init");
  if (count == 3 && strcmp(arguments[1], "seal") == 0) {
    seal_batches(atol(arguments[2]));
    return EXIT_SUCCESS;
  }
  check(count == 6, "reading the arguments: HOME_URL TOKEN GPSD_PORT PROC SYS");
  check(curl_global_init(CURL_GLOBAL_DEFAULT) == 0 && (http = curl_easy_init()), "libcurl");
  enroll(arguments[1], arguments[2]);
  check(gps_open("127.0.0.1", arguments[3], &gps) == 0, "reaching gpsd");
  check(gps_stream(&gps, WATCH_ENABLE | WATCH_JSON, NULL) == 0, "asking gpsd for reports");
  open_files(arguments[4], arguments[5]);
  register_sensors();
  int timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
  struct itimerspec ticks = {{every_seconds, 0}, {0, 1}};
  check(timer >= 0 && timerfd_settime(timer, 0, &ticks, NULL) == 0, "the timer");
  for (uint64_t expired; read(timer, &expired, sizeof expired) == sizeof expired;) cycle();
}
