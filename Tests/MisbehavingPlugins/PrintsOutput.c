/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Prints: complete lines to both streams, a control sequence, invalid UTF-8, a line of 10,000 bytes, and at the end
 * a line without a newline. The host logs each with plugin and launch, escapes harmful bytes, and loses no last
 * line. */

#include <bgtask.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    char *line = malloc(10001);
    if (line != NULL) {
        memset(line, 'x', 10000);
        line[10000] = '\0';
    }
    printf("a line on stdout\n");
    fprintf(stderr, "a line on stderr\n");
    printf("red: \x1b[31m\n");
    printf("not UTF-8: \xff\xfe\n");
    printf("%s\n", line != NULL ? line : "");
    printf("no newline at the end");
    fflush(stdout);
    free(line);
    bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    BGTASK_TRY(bgt_register(host, "com.example.printsoutput.task", run, NULL));
    return BGT_OK;
}
