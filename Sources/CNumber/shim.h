// The C library's reading of decimal numbers, whatever locale the program has set.
#ifndef HOMEWARD_CNUMBER_H
#define HOMEWARD_CNUMBER_H

#include <locale.h>
#include <stdint.h>
#include <stdlib.h>

#pragma clang assume_nonnull begin

// The C library declares it for _GNU_SOURCE only, which no shim defines.
extern double strtod_l(const char *text, char *_Nullable *_Nullable end, locale_t locale);

/// Returns the nearest double, ties to even, of a number of JSON that ends with a NUL.
static inline double cnumber_double(const uint8_t *text) {
  // The C library has this locale from the start: nothing is allocated.
  return strtod_l((const char *)text, NULL, newlocale(LC_ALL_MASK, "C", (locale_t)0));
}

#pragma clang assume_nonnull end

#endif
