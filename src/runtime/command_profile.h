/* command_profile.h: `fino profile`, which asks a fino that runs for a profile (live.h). */
#ifndef FINO_RT_COMMAND_PROFILE_H
#define FINO_RT_COMMAND_PROFILE_H

/* Runs the command with the ARGUMENTS after its name, NULL-terminated. Returns the exit code. */
int rt_command_profile(char *const *arguments);

#endif
