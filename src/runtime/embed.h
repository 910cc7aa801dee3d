/* embed.h: files as parts of the program. */
#ifndef FINO_RT_EMBED_H
#define FINO_RT_EMBED_H

/* Declares NAME, the bytes of FILE (a path from the top of the tree), and NAME_end, behind the last of them, where a
 * NUL is. At file scope. build.sh must be told of such files (is_fresh): no rule that the compiler writes names them.
 */
#define RT_EMBED(name, file)                                                                                           \
    __asm__(".section .rodata\n" #name ": .incbin \"" file "\"\n" #name "_end: .byte 0\n.previous\n");                 \
    extern const char name[], name##_end[];

#endif
