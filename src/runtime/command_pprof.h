/* command_pprof.h: `fino pprof`, which shows, compares, joins and converts profiles. */
#ifndef FINO_RT_COMMAND_PPROF_H
#define FINO_RT_COMMAND_PPROF_H

/* Runs the command with the ARGUMENTS after its name, NULL-terminated. Returns the exit code. */
int rt_command_pprof(char *const *arguments);

#endif
