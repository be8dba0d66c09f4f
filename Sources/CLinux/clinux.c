#include "clinux.h"

static int argument_count;
static char **arguments;

__attribute__((constructor)) static void keep_arguments(int count, char **values) {
  argument_count = count;
  arguments = values;
}

int clinux_argument_count(void) { return argument_count; }

const char *clinux_argument(int index) {
  return index >= 0 && index < argument_count ? arguments[index] : NULL;
}
