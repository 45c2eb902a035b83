/* Part of bgtask, under the Apache License 2.0; see LICENSE. */
#ifndef CPOSTGRESQL_SHIM_H
#define CPOSTGRESQL_SHIM_H

/* Debian has the header in a directory of its own. */
#if __has_include(<postgresql/libpq-fe.h>)
#include <postgresql/libpq-fe.h>
#else
#include <libpq-fe.h>
#endif

/* Fields of an error as functions: Swift imports these macros, whose values are characters, with another type. */
static inline char *bgp_state(const PGresult *result) { return PQresultErrorField(result, PG_DIAG_SQLSTATE); }
static inline char *bgp_message(const PGresult *result) { return PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY); }
static inline char *bgp_hint(const PGresult *result) { return PQresultErrorField(result, PG_DIAG_MESSAGE_HINT); }

#endif
