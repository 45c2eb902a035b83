/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

#ifndef LOGTRIM_CUT_H
#define LOGTRIM_CUT_H

#include "Folder.h"

/* Cuts one file to its newest `level` bytes, LOGTRIM_LEAST at least, as it is now; `freed` says by how much. One that
 * is gone, replaced or small enough by now is left alone, which is no problem. 0, or what errno says; ECANCELED: the
 * flag was raised, and the file is as it was. */
int cut_file(const struct log_folder *folder, const struct log_file *file, int64_t level, const int32_t *cancel,
             int64_t *freed);

#endif
