// For the registers of a context.
#define _GNU_SOURCE 1
#include "clinux.h"

#include <link.h>
#include <ucontext.h>

static const int fatal_signals[] = {SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGFPE, SIGABRT};
#define FATAL_SIGNAL_COUNT (sizeof fatal_signals / sizeof *fatal_signals)

static struct sigaction former_actions[FATAL_SIGNAL_COUNT];
static uintptr_t program_bias, program_start, program_end;
/// Begin of the line: `homeward 0.1.0`.
static char line_head[64];
static size_t line_head_size;
/// Directory that stores the line, or -1.
static volatile sig_atomic_t keeping_directory = -1;
/// Address in the stack of the first thread that is not below any frame to be examined.
static uintptr_t stack_end;
/// Limit of a frame chain: more of the stack than the kernel gives a thread by default.
#define STACK_SIZE_MAX (64u << 20)
#define CALLERS_MAX 8
/// Stack of the handler, as an overflowed stack cannot be written to: larger than the registers of
/// any processor.
static uint8_t handler_stack[64 * 1024];

// The first object of the list is the program.
static int find_program(struct dl_phdr_info *info, size_t size, void *context) {
  (void)size, (void)context;
  program_bias = info->dlpi_addr;
  program_start = UINTPTR_MAX;
  for (int index = 0; index < info->dlpi_phnum; index++) {
    if (info->dlpi_phdr[index].p_type != PT_LOAD) continue;
    uintptr_t start = program_bias + info->dlpi_phdr[index].p_vaddr;
    uintptr_t end = start + info->dlpi_phdr[index].p_memsz;
    if (start < program_start) program_start = start;
    if (end > program_end) program_end = end;
  }
  return 1;
}

static uintptr_t program_counter(const ucontext_t *context) {
#if defined(__x86_64__)
  return (uintptr_t)context->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
  return (uintptr_t)context->uc_mcontext.pc;
#elif defined(__arm__)
  return (uintptr_t)context->uc_mcontext.arm_pc;
#elif defined(__riscv)
  return (uintptr_t)context->uc_mcontext.__gregs[REG_PC];
#else
#error "where is the program counter of this architecture?"
#endif
}

/// Returns the frame of the interrupted function: it holds the address of its caller's frame and,
/// above that, the return address. 0 if an architecture has another layout.
static uintptr_t frame_address(const ucontext_t *context) {
#if defined(__x86_64__)
  return (uintptr_t)context->uc_mcontext.gregs[REG_RBP];
#elif defined(__aarch64__)
  return (uintptr_t)context->uc_mcontext.regs[29];
#else
  (void)context;
  return 0;
#endif
}

static uintptr_t stack_pointer(const ucontext_t *context) {
#if defined(__x86_64__)
  return (uintptr_t)context->uc_mcontext.gregs[REG_RSP];
#elif defined(__aarch64__)
  return (uintptr_t)context->uc_mcontext.sp;
#else
  (void)context;
  return 0;
#endif
}

static const char *signal_name(int signal) {
  switch (signal) {
  case SIGILL: return "SIGILL";
  case SIGTRAP: return "SIGTRAP";
  case SIGSEGV: return "SIGSEGV";
  case SIGBUS: return "SIGBUS";
  case SIGABRT: return "SIGABRT";
  default: return "SIGFPE";
  }
}

// From here on only what signal-safety(7) allows, which includes strlen and memcpy.
static char *append(char *end, const char *text) {
  size_t size = strlen(text);
  memcpy(end, text, size);
  return end + size;
}

static char *append_hexadecimal(char *end, uintptr_t number) {
  end = append(end, "0x");
  int shift = sizeof number * 8 - 4;
  while (shift > 0 && number >> shift == 0) shift -= 4;
  for (; shift >= 0; shift -= 4) *end++ = "0123456789abcdef"[number >> shift & 15];
  return end;
}

static char *append_decimal(char *end, uint64_t number) {
  char digits[20];
  int count = 0;
  do digits[count++] = (char)('0' + number % 10);
  while ((number /= 10) > 0);
  while (count > 0) *end++ = digits[--count];
  return end;
}

static bool is_in_program(uintptr_t address) {
  return address >= program_start && address < program_end;
}

// Appends the callers on the first thread only: the end of its stack is known. Each frame is above
// the one before, so this ends also if the stack was overwritten.
static char *append_callers(char *end, const ucontext_t *context) {
  if (getpid() != gettid()) return end;
  uintptr_t lowest = stack_pointer(context), frame = frame_address(context);
  const char *separator = ", called from ";
  for (int count = 0; count < CALLERS_MAX;) {
    if (frame < lowest || frame % sizeof frame != 0) break;
    if (frame > stack_end || stack_end - frame < 2 * sizeof frame) break;
    if (stack_end - frame > STACK_SIZE_MAX) break;
    const uintptr_t *words = (const uintptr_t *)frame;
    if (is_in_program(words[1])) {
      end = append(end, separator);
      // Inside the call, which ends at the return address.
      end = append_hexadecimal(end, words[1] - 1 - program_bias);
      separator = " ";
      count++;
    }
    lowest = frame + 2 * sizeof frame;
    frame = words[0];
  }
  return end;
}

static void write_all(int descriptor, const char *bytes, size_t size) {
  ssize_t written = write(descriptor, bytes, size);
  (void)written;
}

// Stores the line, once: the kernel reports a crash during the report of the last one.
static void keep(const char *line, const char *end) {
  if (keeping_directory < 0) return;
  // Frees a descriptor number for the file.
  close(STDIN_FILENO);
  int file = openat(keeping_directory, "last-words",
                    O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
  if (file < 0) return;
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  char text[CLINUX_LAST_WORDS_MAX];
  char *text_end = append_decimal(text, now.tv_sec > 0 ? (uint64_t)now.tv_sec : 0);
  *text_end++ = ' ';
  memcpy(text_end, line, (size_t)(end - line));
  write_all(file, text, (size_t)(text_end - text) + (size_t)(end - line));
}

static void say_last_words(int signal, siginfo_t *information, void *context) {
  (void)information;
  uintptr_t counter = program_counter(context);
  char line[CLINUX_LAST_WORDS_MAX - 24], *end = line + line_head_size;
  memcpy(line, line_head, line_head_size);
  end = append(end, ": ended by ");
  end = append(end, signal_name(signal));
  if (is_in_program(counter)) {
    end = append(end, " at ");
    end = append_hexadecimal(end, counter - program_bias);
  } else {
    end = append(end, " in a library");
  }
  // A terminal would break the line anywhere.
  struct termios settings;
  if (tcgetattr(STDERR_FILENO, &settings) < 0) end = append_callers(end, context);
  end = append(end, "; please report this line\n");
  clinux_screen_leave();
  write_all(STDERR_FILENO, line, (size_t)(end - line));
  keep(line, end);
  for (size_t index = 0; index < FATAL_SIGNAL_COUNT; index++) {
    if (fatal_signals[index] == signal) sigaction(signal, &former_actions[index], NULL);
  }
  // The signal is blocked until the handler returns, and then ends the process.
  raise(signal);
}

void clinux_keep_last_words(int directory) { keeping_directory = directory; }

void clinux_report_fatal_signals(const uint8_t *version, size_t size) {
  dl_iterate_phdr(find_program, NULL);
  stack_end = (uintptr_t)__builtin_frame_address(0) + 2 * sizeof(uintptr_t);
  char *end = append(line_head, "homeward ");
  if (size > sizeof line_head - 16) size = sizeof line_head - 16;
  memcpy(end, version, size);
  line_head_size = (size_t)(end - line_head) + size;
  stack_t stack = {.ss_sp = handler_stack, .ss_size = sizeof handler_stack};
  sigaltstack(&stack, NULL);
  struct sigaction action = {.sa_sigaction = say_last_words, .sa_flags = SA_SIGINFO | SA_ONSTACK};
  sigemptyset(&action.sa_mask);
  for (size_t index = 0; index < FATAL_SIGNAL_COUNT; index++) {
    struct sigaction *former = &former_actions[index];
    sigaction(fatal_signals[index], &action, former);
    // An ignored signal would come again and again.
    if (!(former->sa_flags & SA_SIGINFO) && former->sa_handler == SIG_IGN)
      former->sa_handler = SIG_DFL;
  }
}
