/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Linking this module keeps every thread at the priority that the program was started with: see priority.c. */
