// What the C library does with text: it reads decimal numbers, whatever locale the program has set,
// searches and compares.
#ifndef HOMEWARD_CTEXT_H
#define HOMEWARD_CTEXT_H

#include <locale.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#pragma clang assume_nonnull begin

// The C library declares it for _GNU_SOURCE only, which no shim defines.
extern double strtod_l(const char *text, char *_Nullable *_Nullable end, locale_t locale);

/// Returns the nearest double, ties to even, of a number of JSON that ends with a NUL.
static inline double ctext_double(const uint8_t *text) {
  // The C library has this locale from the start: nothing is allocated.
  return strtod_l((const char *)text, NULL, newlocale(LC_ALL_MASK, "C", (locale_t)0));
}

/// Returns the length of a text that ends with a NUL.
static inline size_t ctext_length(const uint8_t *text) { return strlen((const char *)text); }

/// Returns the first position of a byte, or -1.
static inline intptr_t ctext_find(const uint8_t *text, size_t count, uint8_t byte) {
  const uint8_t *_Nullable found = memchr(text, byte, count);
  return found ? found - text : -1;
}

/// Whether two texts of the same length have the same bytes.
static inline bool ctext_is_equal(const uint8_t *text, const uint8_t *other, size_t count) {
  return memcmp(text, other, count) == 0;
}

#pragma clang assume_nonnull end

#endif
