/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* A note of any version, for an entry without BGTASK_PLUGIN_ENTRY. */

#ifndef NOTES_H
#define NOTES_H

#include <bgtask.h>

#define NOTE(name, major, minor)                                                                                       \
    static const struct {                                                                                              \
        uint32_t sizes[2], type;                                                                                       \
        char owner[8];                                                                                                 \
        uint32_t version[3];                                                                                           \
    } name __attribute__((section(BGTASK_NOTE_SECTION), aligned(4), used)) = {                                         \
        {7, 12}, BGTASK_NOTE_TYPE, BGTASK_NOTE_OWNER, {major, minor, minor}}

#define EXPORTED __attribute__((visibility("default")))

#endif
