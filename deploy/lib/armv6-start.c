// The entry of a program for ARMv6. Debian's crt1.o for armhf holds ARMv7 code, which stops a
// Raspberry Pi Zero or 1 with SIGILL before the program begins.
extern int main(int, char **, char **);
extern int __libc_start_main(int (*)(int, char **, char **), int, char **, void (*)(void),
                             void (*)(void), void (*)(void), void *);

// `stack` is as the kernel leaves it: the number of arguments, then the arguments (execve(2)).
__attribute__((used, noreturn)) static void start(unsigned long *stack, void (*finish)(void)) {
  __libc_start_main(main, (int)stack[0], (char **)(stack + 1), 0, 0, finish, stack);
  __builtin_trap();
}

// r0 holds the function of the dynamic linker for the program's end.
__attribute__((naked)) void _start(void) {
  __asm__("mov r11, #0\n mov lr, #0\n mov r1, r0\n mov r0, sp\n bic sp, sp, #7\n bl start\n");
}
