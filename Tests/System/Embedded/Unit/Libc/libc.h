// What tests use of Swift's own module of libc, which no Embedded Swift has.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
