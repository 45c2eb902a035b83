/* Part of bgtask, under the Apache License 2.0; see LICENSE.
 *
 * The work of Stamp as a program, for queues that run programs: `Record DIRECTORY`. Linked with Bare.c. */
#include <stdint.h>

int32_t bare_stamp(const char *directory);

int main(int argc, char **argv) { return argc == 2 ? bare_stamp(argv[1]) : 2; }
