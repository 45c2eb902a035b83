/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* A bare client of a fleet's queue, with the statements and batches of a feeder and without a host: claims items until
 * there is none, waits for a line on standard input, and reports each as succeeded.
 *
 *     Claims CONNECTION HOST PLUGIN       (Benchmarks/Fleet/run) */

#include <postgresql/libpq-fe.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CLAIM_BATCH = 100, REPORT_BATCH = 500, BUCKETS = 16 };

typedef struct {
    long long item, fence;
} claim;

static PGconn *connection;

static void end(const char *what) {
    fprintf(stderr, "Claims: %s: %s\n", what, PQerrorMessage(connection));
    exit(1);
}

/* Sends the statement with its timeout in one round trip, as the feeder does. Returns the result, which the caller
 * frees. */
static char *call(const char *statement, int count, const char *const *values) {
    const char *const timeout[] = {"10000"};
    char *text = NULL;
    if (PQenterPipelineMode(connection) != 1 ||
        PQsendQueryParams(connection, "select set_config('statement_timeout', $1, true)", 1, NULL, timeout, NULL, NULL,
                          0) != 1 ||
        PQsendQueryParams(connection, statement, count, NULL, values, NULL, NULL, 0) != 1 ||
        PQpipelineSync(connection) != 1) {
        end("send");
    }
    for (;;) {
        PGresult *result = PQgetResult(connection);
        if (result == NULL) {
            continue; /* between the results of two statements */
        }
        const ExecStatusType status = PQresultStatus(result);
        if (status == PGRES_TUPLES_OK) {
            free(text);
            text = strdup(PQgetvalue(result, 0, 0));
        }
        PQclear(result);
        if (status == PGRES_PIPELINE_SYNC) {
            break;
        }
        if (status != PGRES_TUPLES_OK) {
            end("result");
        }
    }
    PQexitPipelineMode(connection);
    return text;
}

static long long number(const char *text, const char *key) {
    const char *found = strstr(text, key);
    return found == NULL ? 0 : atoll(found + strlen(key));
}

static long claim_all(const char *host, const char *incarnation, const char *plugin, claim **claims) {
    char rooms[512], bucket[8], limit[8];
    snprintf(rooms, sizeof rooms, "[{\"plugin\":\"%s\",\"free\":1000000}]", plugin);
    snprintf(limit, sizeof limit, "%d", CLAIM_BATCH);
    const char *const values[] = {host, incarnation, rooms, bucket, limit};
    long count = 0;
    for (;;) {
        snprintf(bucket, sizeof bucket, "%d", rand() % BUCKETS);
        char *text = call("select bgtask_fleet.claim($1, $2, $3, $4, $5)", 5, values);
        const long before = count;
        for (const char *item = text; (item = strstr(item, "\"item\": ")) != NULL; item++) {
            *claims = realloc(*claims, (size_t)(count + 1) * sizeof **claims);
            /* The keys of jsonb are ordered by length: "item" precedes "fence". */
            (*claims)[count].item = number(item, "\"item\": ");
            (*claims)[count].fence = number(item, "\"fence\": ");
            count++;
        }
        free(text);
        if (count == before) {
            return count;
        }
    }
}

static void report_all(const char *host, const char *incarnation, const claim *claims, long count) {
    char *reports = malloc(REPORT_BATCH * 128 + 3);
    const char *const values[] = {host, incarnation, reports};
    for (long done = 0; done < count;) {
        size_t length = 0;
        for (long batch = 0; batch < REPORT_BATCH && done < count; batch++, done++) {
            length += (size_t)sprintf(reports + length,
                                      "%s{\"item\":%lld,\"fence\":%lld,\"outcome\":\"succeeded\",\"delay_seconds\":0}",
                                      batch == 0 ? "[" : ",", claims[done].item, claims[done].fence);
        }
        strcpy(reports + length, "]");
        free(call("select bgtask_fleet.report($1, $2, $3)", 3, values));
    }
    free(reports);
}

int main(int count, char **arguments) {
    if (count != 4) {
        fprintf(stderr, "usage: Claims CONNECTION HOST PLUGIN\n");
        return 2;
    }
    connection = PQconnectdb(arguments[1]);
    if (PQstatus(connection) != CONNECTION_OK) {
        end("connect");
    }
    const char *const beginning[] = {arguments[2], "1"};
    char *start = call("select bgtask_fleet.begin_feeder($1, $2)", 2, beginning);
    char incarnation[32];
    snprintf(incarnation, sizeof incarnation, "%lld", number(start, "\"incarnation\": "));
    free(start);
    claim *claims = NULL;
    const long claimed = claim_all(arguments[2], incarnation, arguments[3], &claims);
    printf("%ld\n", claimed);
    fflush(stdout);
    if (getchar() != EOF) {
        report_all(arguments[2], incarnation, claims, claimed);
    }
    free(claims);
    PQfinish(connection);
    return 0;
}
