/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

#ifndef TRANSFER_LOOKUP_H
#define TRANSFER_LOOKUP_H

/* Lets names be looked up over TCP if the sandbox refuses datagrams, as with grants of single ports. Call it before
 * other threads start. */
void lookup_prepare(void);
/* Whether the sandbox permits to look up names at all. */
int lookup_is_permitted(void);

#endif
