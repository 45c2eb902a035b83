/* Part of bgtask, under the Apache License 2.0; see LICENSE. */
#include <sqlite3.h>
