/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Behaves like a plugin with the runtime of Go: while it is loaded, it sets handlers of SIGSEGV and SIGPIPE that call
 * the earlier handlers. Only with the flag -DGO_RUNTIME it exports the symbol by which the runner recognizes that
 * runtime. */

#define _GNU_SOURCE /* sigaction */

#include <bgtask.h>

#include <signal.h>

static struct sigaction earlier[2];

static void chain(int signal, siginfo_t *information, void *context) {
    struct sigaction *action = &earlier[signal == SIGPIPE];
    if (action->sa_flags & SA_SIGINFO) {
        action->sa_sigaction(signal, information, context);
    } else if (action->sa_handler != SIG_DFL && action->sa_handler != SIG_IGN) {
        action->sa_handler(signal);
    }
}

__attribute__((__constructor__)) static void install(void) {
    struct sigaction action = {.sa_flags = SA_SIGINFO | SA_ONSTACK};
    action.sa_sigaction = chain;
    sigaction(SIGSEGV, &action, &earlier[0]);
    sigaction(SIGPIPE, &action, &earlier[1]);
}

#ifdef GO_RUNTIME
__attribute__((__visibility__("default"))) void crosscall2(void);
void crosscall2(void) {}
#endif

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    (void)plugin;
    return bgt_register(host, "com.example.chainshandlers.task", run, NULL);
}
