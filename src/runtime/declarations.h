/* declarations.h: `fino types`: TypeScript's declarations of fino's modules and globals, which the program carries. */
#ifndef FINO_RT_DECLARATIONS_H
#define FINO_RT_DECLARATIONS_H

/* ARGUMENTS: what follows `types`, NULL-terminated. Writes what is asked for, or says on stderr why not. Returns the code
 * to exit with. */
int rt_declarations_command(char *const *arguments);

#endif
