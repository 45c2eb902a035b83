/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* The header asserts its own sizes and offsets. This file adds checks for this package's build only: structs without
 * padding, and constants with the type of the fields that hold them. */
#pragma GCC diagnostic error "-Wpadded"
#include "bgtask.h"

BGTASK_ASSERT_(_Alignof(bgt_host) == 8 && _Alignof(bgt_request) == 8, "structs with pointers are aligned to 8 bytes");
BGTASK_ASSERT_(sizeof(bgt_task) == 8 && sizeof(bgt_assertion) == 8, "ids of tasks and assertions have 64 bits");
BGTASK_ASSERT_(sizeof BGTASK_NOTE_OWNER == 7, "the note's owner has 7 bytes with its NUL");
BGTASK_ASSERT_(sizeof(((bgt_refusal *)0)->text) == 240, "the text of a refusal has 240 bytes");

BGTASK_ASSERT_(_Generic(BGT_OK, int32_t : 1, default : 0), "statuses are int32_t");
BGTASK_ASSERT_(_Generic(BGT_OUTCOME_SUCCESS, int32_t : 1, default : 0), "outcomes are int32_t");
BGTASK_ASSERT_(_Generic(BGT_KIND_REFRESH, uint32_t : 1, default : 0), "kinds are uint32_t");
