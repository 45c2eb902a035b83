/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Handlers of tasks, and the rules for adding one (BGT-ABI-10, BGT-ABI-11). */

#include "host.h"
#include <stdlib.h>
#include <string.h>

/* The longest identifier with the suffix of a pattern. */
enum { LONGEST = BGTASK_IDENTIFIER_MAX + 2 };

bool is_permitted(bgtt_host *host, const char *identifier, bool by_name_only) {
    for (size_t index = 0; index < host->permitted.count; index++) {
        const char *permitted = host->permitted.items[index];
        if (by_name_only ? strcmp(permitted, identifier) == 0 : covers(permitted, identifier)) return true;
    }
    return false;
}

/* A name takes precedence over a pattern, a longer pattern over a shorter one. */
registration *registration_for(bgtt_host *host, const char *identifier) {
    registration *best = NULL;
    for (size_t index = 0; index < host->registrations.count; index++) {
        registration *next = host->registrations.items[index];
        if (!covers(next->name, identifier)) continue;
        if (!is_pattern(next->name)) return next;
        if (best == NULL || strlen(next->name) > strlen(best->name)) best = next;
    }
    return best;
}

static bool has_registration(bgtt_host *host, const char *name) {
    for (size_t index = 0; index < host->registrations.count; index++) {
        if (strcmp(((registration *)host->registrations.items[index])->name, name) == 0) return true;
    }
    return false;
}

/* The manifest does not name the kind of an identifier. One that it lists by name is for continued tasks in a launch in
 * the foreground, unless the launch has a task of another kind for it. Locked. */
static bool may_be_late(bgtt_host *host, const char *name) {
    if (is_pattern(name) || !is_permitted(host, name, true)) return is_permitted(host, name, is_pattern(name));
    bool is_in_foreground = host->cause == BGT_CAUSE_USER;
    for (size_t index = 0; index < host->tasks.count; index++) {
        const task *task = host->tasks.items[index];
        if (task->kind == BGT_KIND_CONTINUED) {
            is_in_foreground = true;
        } else if (task->kind != BGT_KIND_EVENT && strcmp(task->identifier, name) == 0) {
            return false;
        }
    }
    return is_in_foreground;
}

/* Whether the handler of a listed identifier was registered after entry, for continued tasks alone. Locked. */
bool serves_continued_alone(bgtt_host *host, const char *identifier) {
    const registration *registration = registration_for(host, identifier);
    return registration != NULL && registration->is_late && is_permitted(host, identifier, true);
}

/* Locked. */
static bool check(bgtt_host *host, const char *name, problem *problem) {
    const char *flaw = flaw_of_permitted(name);
    if (flaw != NULL) return refuse(problem, BGT_INVALID, "identifier \"%s\" %s", name, flaw);
    const bool is_exact = is_permitted(host, name, true);
    const bool may_register = is_exact || (!is_pattern(name) && is_permitted(host, name, false));
    const char *rule = "BGT-ABI-10";
    if (host->role != BGT_ROLE_MAIN) {
        rule = "BGT-ABI-11";
        (void)refuse(problem, BGT_WRONG_ROLE,
                     "an extension registered \"%s\"; only its main plugin may register handlers; register it there",
                     name);
    } else if (host->phase != ENTRY && !(host->phase == RUNNING && may_be_late(host, name))) {
        (void)refuse(problem, BGT_WRONG_PHASE,
                     "\"%s\" was registered after entry; register it during entry; only handlers of continued tasks may"
                     " be registered later, and for an identifier that the manifest lists by name, only in a launch"
                     " that a user started",
                     name);
    } else if (!may_register) {
        (void)refuse(problem, BGT_NOT_PERMITTED,
                     "\"%s\" was registered, but the manifest does not permit it; add it to permitted-identifiers, or"
                     " remove the registration",
                     name);
    } else if (has_registration(host, name)) {
        (void)refuse(problem, BGT_DUPLICATE,
                     "\"%s\" was registered twice; the first handler stays; remove the second registration", name);
    } else {
        return true;
    }
    violate(host, rule, "%s", problem->text);
    return false;
}

static bool do_register(bgtt_host *host, const char *identifier, bgt_handler handler, void *context,
                        bgt_release release, problem *problem) {
    if (!permit(host, "register_handler", problem)) return false;
    if (handler == NULL) return refuse(problem, BGT_INVALID, "handler: NULL; pass a function");
    char *name = identifier == NULL ? NULL : read_text(identifier, LONGEST);
    if (name == NULL) {
        return refuse(problem, BGT_INVALID,
                      "identifier: NULL, longer than %d bytes, or not UTF-8; write an identifier that the manifest"
                      " permits",
                      LONGEST);
    }
    lock(host);
    bool is_registered = false;
    if (host->phase == ENDED) {
        (void)refuse_ended(problem, "register_handler");
    } else if (check(host, name, problem)) {
        registration *added = allocate(sizeof *added);
        *added = (registration){.name = name,
                                .handler = handler,
                                .context = context,
                                .release = release,
                                .is_late = host->phase == RUNNING};
        append(&host->registrations, added);
        is_registered = true;
    }
    unlock(host);
    if (!is_registered) free(name);
    return is_registered;
}

int32_t host_register_handler(const bgt_host *table, const char *identifier, bgt_handler handler, void *context,
                              bgt_release release, bgt_refusal *refusal) {
    bgtt_host *host = host_of(table);
    problem problem = {.status = BGT_OK};
    int32_t status = can_answer(host, refusal);
    if (status == BGT_OK) {
        (void)do_register(host, identifier, handler, context, release, &problem);
        keep_problem(host, "register_handler", &problem);
        status = answer(refusal, &problem, 0);
    }
    if (status != BGT_OK && release != NULL) release(context);
    return status;
}
