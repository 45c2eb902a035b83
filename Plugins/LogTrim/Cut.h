/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

#ifndef LOGTRIM_CUT_H
#define LOGTRIM_CUT_H

#include "Directory.h"

/* Cuts one file to its newest `level` bytes, at least LOGTRIM_LEAST; `freed` receives the number of freed bytes. A file
 * that is missing, replaced or small enough by now is skipped without an error. Returns 0 or an errno; ECANCELED: the
 * flag was set, and the file is unchanged. */
int cut_file(const struct log_directory *directory, const struct log_file *file, int64_t level, const int32_t *cancel,
             int64_t *freed);

#endif
