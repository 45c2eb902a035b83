/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* The form of a request: each field, in the order in which a runner checks it. */

#include "submission.h"
#include <stdlib.h>
#include <string.h>

static bool refuse_too_new(problem *problem, const char *what, uint64_t number) {
    return refuse(problem, BGT_TOO_NEW,
                  "%s 0x%llx: not known to this host, whose ABI minor version is %u; leave it out, or upgrade bgtaskd",
                  what, (unsigned long long)number, BGTASK_ABI_MINOR);
}

static bool refuse_foreign(problem *problem, const char *member) {
    return refuse(problem, BGT_INVALID, "%s has no meaning for a request of this kind; leave it zero", member);
}

char *read_identifier(const char *identifier, problem *problem) {
    if (identifier == NULL) {
        (void)refuse(problem, BGT_INVALID, "identifier: NULL; pass the identifier of a task");
        return NULL;
    }
    char *name = read_text(identifier, BGTASK_IDENTIFIER_MAX);
    if (name == NULL) {
        (void)refuse(problem, BGT_INVALID,
                     "identifier: longer than 255 bytes or not UTF-8; write an identifier that the manifest permits");
        return NULL;
    }
    const char *flaw = flaw_of_task(name);
    if (flaw == NULL) return name;
    (void)refuse(problem, BGT_INVALID, "identifier \"%s\" %s", name, flaw);
    free(name);
    return NULL;
}

static bool check_numbers(const bgt_request *request, problem *problem) {
    const uint32_t known = BGT_NEEDS_NETWORK | BGT_NEEDS_EXTERNAL_POWER | BGTASK_PROTECTION_MASK;
    if (request->kind == 0) return refuse(problem, BGT_INVALID, "kind: 0; use a BGT_KIND_... other than BGT_KIND_EVENT");
    if (request->kind > BGT_KIND_EVENT) return refuse_too_new(problem, "kind", request->kind);
    if (request->kind == BGT_KIND_EVENT) {
        return refuse(problem, BGT_INVALID,
                      "kind 5: events are delivered, never submitted; use another BGT_KIND_...");
    }
    if (request->flags & ~known) return refuse_too_new(problem, "flags", request->flags & ~known);
    if (request->strategy > BGT_STRATEGY_FAIL) return refuse_too_new(problem, "strategy", request->strategy);
    if (request->resources & ~BGT_RESOURCE_GPU) {
        return refuse_too_new(problem, "resources", request->resources & ~BGT_RESOURCE_GPU);
    }
    return true;
}

static bool check_kind(const bgt_request *request, problem *problem) {
    const bool is_continued = request->kind == BGT_KIND_CONTINUED;
    const bool is_processing = request->kind == BGT_KIND_PROCESSING || request->kind == BGT_KIND_HEALTH_RESEARCH;
    const uint32_t conditions = BGT_NEEDS_NETWORK | BGT_NEEDS_EXTERNAL_POWER;
    const uint32_t own = (is_processing ? conditions : 0)
                         | (request->kind == BGT_KIND_HEALTH_RESEARCH ? BGTASK_PROTECTION_MASK : 0);
    if (request->flags & ~own) return refuse_foreign(problem, "flags");
    if (is_continued) return true;
    if (request->title != NULL) return refuse_foreign(problem, "title");
    if (request->subtitle != NULL) return refuse_foreign(problem, "subtitle");
    if (request->strategy != 0) return refuse_foreign(problem, "strategy");
    if (request->resources != 0) return refuse_foreign(problem, "resources");
    return true;
}

static bool read_titles(const bgt_request *request, bgt_pending *copy, problem *problem) {
    if (request->kind != BGT_KIND_CONTINUED) return true;
    if (request->title == NULL || *request->title == 0) {
        return refuse(problem, BGT_INVALID, "title: NULL or empty; give the title that users see");
    }
    copy->title = read_text(request->title, BGTASK_TITLE_MAX);
    if (copy->title == NULL) return refuse(problem, BGT_INVALID, "title: longer than 255 bytes or not UTF-8");
    if (request->subtitle == NULL) return true;
    copy->subtitle = read_text(request->subtitle, BGTASK_TITLE_MAX);
    if (copy->subtitle != NULL) return true;
    return refuse(problem, BGT_INVALID, "subtitle: longer than 255 bytes or not UTF-8");
}

static bool read_payload(const bgt_request *request, bgt_pending *copy, problem *problem) {
    if (request->payload_length > BGTASK_PAYLOAD_MAX) {
        return refuse(problem, BGT_INVALID,
                      "payload_length: %llu bytes; at most %u are allowed; put larger data into the container",
                      (unsigned long long)request->payload_length, BGTASK_PAYLOAD_MAX);
    }
    if ((request->payload == NULL) != (request->payload_length == 0)) {
        return refuse(problem, BGT_INVALID,
                      "payload: %s, but payload_length is %llu; pass NULL with length 0, or an address with a length"
                      " above 0",
                      request->payload == NULL ? "NULL" : "not NULL", (unsigned long long)request->payload_length);
    }
    if (request->payload == NULL) return true;
    uint8_t *payload = allocate(request->payload_length);
    copy->payload = memcpy(payload, request->payload, request->payload_length);
    copy->payload_length = request->payload_length;
    return true;
}

static bool check_deadline(const bgt_request *request, problem *problem) {
    if (request->expires_at_ns >= 0) return true;
    return refuse(problem, BGT_INVALID,
                  "expires_at_ns: %lld is negative; pass a time of the wall clock in nanoseconds since 1970, or 0 for no"
                  " deadline",
                  (long long)request->expires_at_ns);
}

void free_request(bgt_pending *request) {
    free((char *)request->identifier);
    free((uint8_t *)request->payload);
    free((char *)request->title);
    free((char *)request->subtitle);
    free(request);
}

bgt_pending *read_submission(const bgt_request *request, problem *problem) {
    bgt_request fields;
    if (request == NULL) {
        (void)refuse(problem, BGT_INVALID, "request: NULL; pass a bgt_request");
        return NULL;
    }
    const int32_t status = read_struct(request, &fields, sizeof fields, 72);
    if (status == BGT_TOO_NEW) {
        (void)refuse(problem, status,
                     "request: uses fields that this host, of ABI minor version %u, does not support; leave them zero,"
                     " or upgrade bgtaskd",
                     BGTASK_ABI_MINOR);
    } else if (status != BGT_OK) {
        (void)refuse(problem, status,
                     "request.size: not the size of a bgt_request; create the request with bgt_refresh_request or"
                     " similar");
    }
    if (status != BGT_OK) return NULL;
    char *identifier = read_identifier(fields.identifier, problem);
    if (identifier == NULL) return NULL;
    bgt_pending *copy = allocate(sizeof *copy);
    copy->size = sizeof *copy;
    copy->identifier = identifier;
    if (check_numbers(&fields, problem) && check_kind(&fields, problem) && read_titles(&fields, copy, problem)
        && read_payload(&fields, copy, problem) && check_deadline(&fields, problem)) {
        const bool is_continued = fields.kind == BGT_KIND_CONTINUED;
        copy->kind = fields.kind;
        copy->flags = fields.flags;
        copy->strategy = is_continued && fields.strategy == 0 ? BGT_STRATEGY_QUEUE : fields.strategy;
        copy->earliest_begin_ns = is_continued ? 0 : fields.earliest_begin_ns;
        copy->resources = fields.resources;
        copy->expires_at_ns = fields.expires_at_ns;
        return copy;
    }
    free_request(copy);
    return NULL;
}
