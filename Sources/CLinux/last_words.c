// For the registers of a context.
#define _GNU_SOURCE 1
#include "clinux.h"

#include <link.h>
#include <ucontext.h>

static const int fatal_signals[] = {SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGFPE};
#define FATAL_SIGNAL_COUNT (sizeof fatal_signals / sizeof *fatal_signals)

static struct sigaction former_actions[FATAL_SIGNAL_COUNT];
static uintptr_t program_bias, program_start, program_end;
/// What the line begins with: `homeward 0.1.0`.
static char line_head[64];
static size_t line_head_size;
/// The stack that overflowed cannot be written to. More than any processor's registers take.
static uint8_t handler_stack[64 * 1024];

// The first object that is listed is the program.
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

static const char *signal_name(int signal) {
  switch (signal) {
  case SIGILL: return "SIGILL";
  case SIGTRAP: return "SIGTRAP";
  case SIGSEGV: return "SIGSEGV";
  case SIGBUS: return "SIGBUS";
  default: return "SIGFPE";
  }
}

// From here on only what signal-safety(7) allows, which has strlen and memcpy.
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

static void say_last_words(int signal, siginfo_t *information, void *context) {
  (void)information;
  uintptr_t counter = program_counter(context);
  char line[sizeof line_head + 96], *end = line + line_head_size;
  memcpy(line, line_head, line_head_size);
  end = append(end, ": ended by ");
  end = append(end, signal_name(signal));
  if (counter >= program_start && counter < program_end) {
    end = append(end, " at ");
    end = append_hexadecimal(end, counter - program_bias);
    end = append(end, "; please report this line\n");
  } else {
    end = append(end, " in a library; please report this line\n");
  }
  clinux_screen_leave();
  ssize_t written = write(STDERR_FILENO, line, (size_t)(end - line));
  (void)written;
  for (size_t index = 0; index < FATAL_SIGNAL_COUNT; index++) {
    if (fatal_signals[index] == signal) sigaction(signal, &former_actions[index], NULL);
  }
  // It is blocked until the handler returns, and then ends the process.
  raise(signal);
}

void clinux_report_fatal_signals(const uint8_t *version, size_t size) {
  dl_iterate_phdr(find_program, NULL);
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
    // One that is ignored would come again and again.
    if (!(former->sa_flags & SA_SIGINFO) && former->sa_handler == SIG_IGN)
      former->sa_handler = SIG_DFL;
  }
}
