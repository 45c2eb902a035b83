/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Registrations of valid and invalid identifiers. */

#include "Scenarios.h"

#include <string.h>

void try_register(const char *name, bgt_handler handler, const char *context) {
    bgt_refusal refusal;
    memset(&refusal, 0xff, sizeof refusal);
    const int32_t status = bgt_register_or_explain(host, name, handler, (void *)context, released, &refusal);
    refused(context, status, &refusal);
}

void register_some(void) {
    char name[300];
    memset(name, 'a', sizeof name - 1);
    name[sizeof name - 1] = 0;
    try_register(TASK, NULL, "register without handler");
    try_register(NULL, handle, "register without name");
    try_register("nodot", handle, "register nodot");
    try_register(".*", handle, "register .*");
    try_register("com.example.*.b", handle, "register a star inside");
    try_register("com.ex\xff", handle, "register no UTF-8");
    try_register(name, handle, "register a long name");
    try_register(FOREIGN, handle, "register a foreign name");
    try_register("com.example.foreign.*", handle, "register a foreign pattern");
    try_register(LATE, handle, "register a composed name");
    try_register(PATTERN, handle, "register a pattern");
    try_register(TASK, handle, "task");
    try_register(OTHER, handle, "other");
    try_register(WATCHED, handle, "watched");
    try_register(TASK, handle, "register twice");
    bgt_refusal small = {.size = 4};
    answers_to("register with a small refusal",
               host->register_handler(host, OTHER, handle, "small refusal", released, &small));
}
