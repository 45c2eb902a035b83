/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* The state of a fake host, and the functions that its parts share. Every function whose comment says "locked" is called
 * with the lock of the host; no other function is. */

#ifndef BGTASK_TESTING_HOST_H
#define BGTASK_TESTING_HOST_H

#include <bgtask-testing.h>
#include <pthread.h>
#include <sys/types.h>

#include "table.h"

/* The numbers of tasks and assertions contain the number of the launch, as in a runner. */
enum { LAUNCH = 1, REASONS_MAX = 32 };

typedef enum phase { BEFORE_ENTRY, ENTRY, RUNNING, FAILED, ENDED } phase;

/* An array of pointers that grows. */
typedef struct list {
    void **items;
    size_t count;
} list;

typedef struct setting {
    char *key;
    char *value;
} setting;

typedef struct registration {
    char *name; /* with the ".*" of a pattern */
    bgt_handler handler;
    void *context;
    bgt_release release;
    bool is_late; /* registered after entry */
    int calls;
} registration;

typedef struct task {
    bgtt_host *host;
    bgt_task number;
    uint32_t kind, event, flags, attempt;
    char *identifier; /* of an event: the plugin's */
    uint8_t *payload;
    size_t payload_length;
    uint64_t submission;
    int64_t fleet_item, fence;
    char *title, *subtitle; /* as submitted */
    char *shown_title, *shown_subtitle;
    bool is_delivered, is_expiring, is_completed, had_expired, has_returned, has_progress;
    uint32_t reason;
    uint64_t expired_at;
    int64_t completed, total;
    int32_t outcome;
    char *message;
    bgt_expiration_handler on_expire;
    void *context;
    bgt_release release;
    bool was_called; /* the one call of an expiration handler has begun */
    int calls;       /* callbacks of this task that run or are due */
} task;

typedef struct assertion {
    bgtt_host *host;
    bgt_assertion number;
    bgt_assertion_handler on_expire;
    void *context;
    bgt_release release;
    bool is_open;
} assertion;

typedef struct refusal {
    int32_t status;
    uint32_t sub_reason;
    char *text;
} refusal;

typedef struct worker {
    bgtt_host *host;
    pthread_t thread;
    void (*body)(bgtt_host *host, void *subject);
    void *subject;
    bool is_done;
} worker;

typedef struct cursor {
    char *identifier;
    uint8_t bytes[BGTASK_CURSOR_MAX];
    uint64_t length; /* 0: none */
    char *version;   /* of the plugin that wrote it; NULL when this launch did */
    uint64_t submission;
    int64_t moved_at_ns;
} cursor;

/* A refused call: its status, sub-reason and text. */
typedef struct problem {
    int32_t status;
    uint32_t sub_reason;
    char text[BGTASK_REFUSAL_TEXT_MAX];
} problem;

struct bgtt_host {
    const bgt_host *table;
    pid_t process;
    pthread_mutex_t lock;
    pthread_cond_t changed;

    char *plugin, *container;
    uint32_t role, lane, cause, timeout_ms;
    uint64_t supported_resources, budget_ns, grace_ns;
    uint64_t start, now; /* nanoseconds of CLOCK_MONOTONIC; `now` moves with bgtt_advance */
    bool has_fetch_mode, has_push_mode, is_registered;
    uint8_t push_token[BGTASK_PUSH_TOKEN_MAX];
    size_t push_token_length;
    uint8_t notification[BGTASK_NOTIFICATION_MAX];
    size_t notification_length; /* 0: no content was set */

    phase phase;
    bgt_plugin *page; /* in which entry writes; NULL before entry */
    bgt_plugin hooks;
    const char **batch; /* identifiers, for launch_info */
    size_t batch_count;
    list permitted;     /* char */
    list settings;      /* setting */
    list registrations; /* registration */
    list tasks;         /* task */
    list assertions;    /* assertion */
    uint32_t assertions_reason;
    list refusals;      /* refusal; taken ones stay in the list */
    size_t refusals_taken;
    list submissions;   /* bgt_pending */
    list pending;       /* bgt_pending, of the submissions */
    list cancellations; /* char */
    list violations;    /* char */
    list lines;         /* bgtt_line */
    list cursors;       /* cursor, one for each identifier */
    list withheld;      /* char, ids of features */
    list texts;         /* char, titles that were shown before */
    list workers;       /* worker */
    list transfers;     /* transfer, in the order of the numbers */
    problem in_entry; /* the last call of entry that was refused; its status is BGT_OK for none */
    const char *call_in_entry;
    uint64_t fetch_interval;
    int callbacks; /* calls of the plugin that run or are due */
    bgtt_host *next_retired;
};

/* memory.c */
HIDDEN void *allocate(size_t size); /* zeroed; never NULL */
HIDDEN char *copy_text(const char *text); /* NULL for NULL */
HIDDEN void append(list *list, void *item);
HIDDEN void remove_at(list *list, size_t index);

/* host.c */
HIDDEN void complain(const char *format, ...) __attribute__((__format__(__printf__, 1, 2)));
HIDDEN bgtt_host *host_of(const bgt_host *table);
HIDDEN void lock(bgtt_host *host);
HIDDEN void unlock(bgtt_host *host); /* wakes the waiting threads */
/* Waits until `holds` is true; false after the timeout. Locked. */
HIDDEN bool await(bgtt_host *host, bool (*holds)(bgtt_host *host, const void *subject), const void *subject);

/* table.c */
HIDDEN const bgt_host *make_table(bgtt_host *host);

/* texts.c */
HIDDEN size_t valid_length(const uint8_t *bytes, size_t count); /* of the first character; 0 when it is invalid */
HIDDEN char *read_text(const char *text, size_t limit);         /* NULL when it is too long or not UTF-8 */
HIDDEN char *read_repaired(const char *text, size_t limit);
HIDDEN const char *flaw_of_name(const char *text); /* of a reverse-DNS name; NULL when it is valid */
HIDDEN const char *flaw_of_task(const char *text); /* of a task's identifier, which may have one label */
HIDDEN const char *flaw_of_permitted(const char *text); /* of a task's identifier or a pattern */
HIDDEN bool is_pattern(const char *text);
HIDDEN bool covers(const char *permitted, const char *identifier);
HIDDEN int32_t write_text(const char *text, char *buffer, uint64_t capacity, uint64_t *needed);
HIDDEN const char *name_of(uint32_t vocabulary, int64_t number);

/* structs.c */
HIDDEN bool has_valid_size(const void *address, size_t minimum);
HIDDEN bool fill(void *address, const void *value, size_t size, size_t minimum);
/* BGT_OK, BGT_INVALID or BGT_TOO_NEW. */
HIDDEN int32_t read_struct(const void *address, void *value, size_t size, size_t minimum);

/* calls.c */
HIDDEN extern _Thread_local bool is_visiting;
/* BGT_OK, or the status with which every call fails now: in a visitor, after the end, in a forked process. */
HIDDEN int32_t bar(bgtt_host *host, const char *call);
HIDDEN bool permit(bgtt_host *host, const char *call, problem *problem);
HIDDEN bool refuse(problem *problem, int32_t status, const char *format, ...)
    __attribute__((__format__(__printf__, 3, 4)));
HIDDEN int32_t answer(bgt_refusal *refusal, const problem *problem, uint64_t submission);
/* Whether a call that takes a refusal may begin: BGT_ENDED in a forked process, where the refusal stays as it is, and
 * BGT_INVALID for a refusal of a wrong size. */
HIDDEN int32_t can_answer(bgtt_host *host, const bgt_refusal *refusal);
HIDDEN bool is_forked(bgtt_host *host);
HIDDEN bool refuse_ended(problem *problem, const char *call);
/* Locked. */
HIDDEN void violate(bgtt_host *host, const char *rule, const char *format, ...)
    __attribute__((__format__(__printf__, 3, 4)));

/* entry.c */
/* Keeps the problem of a refused call of entry, for the line of bgtt_enter. */
HIDDEN void keep_problem(bgtt_host *host, const char *call, const problem *problem);

/* workers.c */
/* Calls `body` on a new thread, counted as a callback from now on. Locked. */
HIDDEN void start_worker(bgtt_host *host, void (*body)(bgtt_host *host, void *subject), void *subject);
/* Joins every thread that has returned. False when one still runs. */
HIDDEN bool join_workers(bgtt_host *host);

/* registrations.c. Locked. */
HIDDEN registration *registration_for(bgtt_host *host, const char *identifier);
HIDDEN bool serves_continued_alone(bgtt_host *host, const char *identifier);
HIDDEN bool is_permitted(bgtt_host *host, const char *identifier, bool by_name_only);

/* tasks.c. Locked. */
/* The status of a call about a task; BGT_OK when it is open. */
HIDDEN int32_t presence(bgtt_host *host, bgt_task number, task **found);
HIDDEN task *find_task(bgtt_host *host, bgt_task number); /* NULL unless it was delivered */
HIDDEN bool has_unfinished(bgtt_host *host);
HIDDEN const char *number_of(const task *task, char text[32]); /* as messages have it: 1.2 */

/* outcomes.c. Locked. */
HIDDEN task *task_at(bgtt_host *host, bgt_task number); /* NULL for an unknown number */

/* delivery.c. Locked. */
HIDDEN void begin_task(bgtt_host *host, task *task);

/* expirations.c. Locked. */
HIDDEN void start_expiration_call(bgtt_host *host, task *task);

/* assertions.c. Locked. */
HIDDEN bool has_open_assertion(bgtt_host *host);
HIDDEN void expire_assertions(bgtt_host *host, uint32_t reason);

/* free.c */
HIDDEN void free_setting(void *item);

/* requests.c */
/* Takes the next refusal of bgtt_refuse_next. Locked. */
HIDDEN bool is_refused(bgtt_host *host, problem *problem);

/* cursors.c */
HIDDEN extern const bgt_cursors CURSORS;
HIDDEN extern const bgt_pushes PUSHES;
HIDDEN extern const bgt_transfers TRANSFERS;
HIDDEN extern const bgt_notifications NOTIFICATIONS;
/* Drops the cursor of a task that succeeded. Locked. */
HIDDEN void drop_cursor(bgtt_host *host, const task *task);

/* launch.c */
/* Releases every context that no call uses. */
HIDDEN void release_contexts(bgtt_host *host);

#endif /* BGTASK_TESTING_HOST_H */
