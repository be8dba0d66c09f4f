#pragma once
#include <stdint.h>

// How often this thread has asked for memory since it began.
uint64_t allocation_count(void);
