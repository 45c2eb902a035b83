/* Part of bgtask, under the Apache License 2.0; see LICENSE. */
/* fails: entry-within-struct; settings: field=new */
/* fails: entry-reserved; settings: field=reserved */

/* Behaves like a plugin that was built for a later minor and does not ask BGTASK_HAS: with the setting `field` = `new`,
 * entry sets a hook behind bgt_plugin; with `reserved`, it writes into `reserved`. */

#include <bgtask.h>

#include <string.h>

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    char field[16] = "";
    bgt_setting(host, "field", field, sizeof field, NULL);
    if (strcmp(field, "new") == 0) {
        void (**hook)(void *, const bgt_host *, bgt_task) = (void (**)(void *, const bgt_host *, bgt_task))(plugin + 1);
        *hook = run;
    } else if (strcmp(field, "reserved") == 0) {
        plugin->reserved = 0xdeadbeef;
    }
    return bgt_register(host, "com.example.writesbehindhooks.task", run, NULL);
}
