// Counts what a program asks of the heap: LD_PRELOAD this, with HEAPCOUNT_FILE naming the file
// that the counters are shared through. A call counts as the program's own where it comes from the
// main executable, which holds all of our code and the Swift runtime that is linked into it; every
// other call is a library's.
//
//     offset  size  what (little-endian on every machine that we build for)
//          0     8  calls of our own
//          8     8  calls of the libraries
//         16     8  set by the reader: print where our own calls come from, from now on
//
// Such a line on standard error holds the places in the executable that led to the call, for
// llvm-symbolizer. They are found by frame pointers, which Swift keeps and unwind tables would not
// survive in what ships; so this is compiled with -fno-omit-frame-pointer.
//
// malloc, calloc, realloc, posix_memalign, aligned_alloc and memalign count. free does not: what is
// never asked for needs no giving back.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

// glibc's own, under the names that no library replaces.
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

typedef struct {
  uint64_t own_calls, library_calls, is_tracing;
} counters;

enum { frames_max = 24 };

static counters before_start;
static counters *shared = &before_start;
static uintptr_t executable_base, executable_start, executable_end;
// Where the main thread's stack begins, by the dynamic linker.
extern void *__libc_stack_end;

static int find_executable(struct dl_phdr_info *object, size_t size, void *unused) {
  (void)size, (void)unused;
  executable_base = object->dlpi_addr;
  executable_start = UINTPTR_MAX;
  for (int index = 0; index < object->dlpi_phnum; index++) {
    const ElfW(Phdr) *segment = &object->dlpi_phdr[index];
    if (segment->p_type != PT_LOAD) continue;
    uintptr_t start = object->dlpi_addr + segment->p_vaddr;
    if (start < executable_start) executable_start = start;
    if (start + segment->p_memsz > executable_end) executable_end = start + segment->p_memsz;
  }
  return 1;  // The executable comes first; the rest are libraries.
}

__attribute__((constructor)) static void start(void) {
  dl_iterate_phdr(find_executable, NULL);
  const char *path = getenv("HEAPCOUNT_FILE");
  int file = path ? open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600) : -1;
  if (file < 0 || ftruncate(file, sizeof(counters)) != 0) {
    fputs("heapcount: HEAPCOUNT_FILE must name a file that can be written\n", stderr);
    _exit(EXIT_FAILURE);
  }
  void *memory = mmap(NULL, sizeof(counters), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (memory == MAP_FAILED) _exit(EXIT_FAILURE);
  shared = memory;
}

static int is_own(const void *address) {
  return (uintptr_t)address >= executable_start && (uintptr_t)address < executable_end;
}

// One line, "heapcount: own BYTES OFFSET...", innermost caller first. A frame is two words: where
// the caller's frame is, which is further up the stack, and where the call returns to.
static void print_callers(void **frame, size_t size) {
  char line[32 + 20 * frames_max];
  int length = snprintf(line, sizeof line, "heapcount: own %zu", size);
  for (int depth = 0; depth < frames_max; depth++) {
    if (is_own(frame[1]))
      length += snprintf(line + length, sizeof line - (size_t)length, " 0x%zx",
                         (size_t)((uintptr_t)frame[1] - executable_base - 1));
    void **next = frame[0];
    if (next <= frame || (void *)(next + 1) >= __libc_stack_end) break;
    frame = next;
  }
  line[length++] = '\n';
  while (write(STDERR_FILENO, line, (size_t)length) < 0 && errno == EINTR) continue;
}

// The frame is that of the function that replaces one of glibc's.
static void count(void **frame, size_t size) {
  int own = is_own(frame[1]);
  __atomic_fetch_add(own ? &shared->own_calls : &shared->library_calls, 1, __ATOMIC_RELAXED);
  if (own && __atomic_load_n(&shared->is_tracing, __ATOMIC_RELAXED)) print_callers(frame, size);
}

void *malloc(size_t size) {
  count(__builtin_frame_address(0), size);
  return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
  count(__builtin_frame_address(0), number * size);
  return __libc_calloc(number, size);
}

void *realloc(void *old, size_t size) {
  count(__builtin_frame_address(0), size);
  return __libc_realloc(old, size);
}

void *memalign(size_t alignment, size_t size) {
  count(__builtin_frame_address(0), size);
  return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
  count(__builtin_frame_address(0), size);
  return __libc_memalign(alignment, size);
}

int posix_memalign(void **result, size_t alignment, size_t size) {
  count(__builtin_frame_address(0), size);
  if (alignment % sizeof(void *) != 0 || (alignment & (alignment - 1)) != 0) return EINVAL;
  void *memory = __libc_memalign(alignment, size);
  if (memory == NULL) return ENOMEM;
  *result = memory;
  return 0;
}
