/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/*
 * The plugin ABI of bgtask, major 1, minor 0. A plugin needs only this header: C11 or C++17, without linking. C++11 and
 * C++14 compile too, but do not check that functions passed to the host are noexcept.
 *
 * A complete plugin, hello.c:
 *
 *     #include <bgtask.h>
 *
 *     #define REFRESH "com.example.hello.refresh"
 *
 *     static int32_t submit_next(const bgt_host *host, int64_t seconds) {
 *         bgt_request next = bgt_refresh_request(REFRESH);
 *         next.earliest_begin_ns = bgt_seconds_from_now(seconds);
 *         return bgt_submit(host, &next, NULL);
 *     }
 *
 *     static void refresh(void *context, const bgt_host *host, bgt_task task) {
 *         (void)context;
 *         submit_next(host, 3600);
 *         for (int step = 0; step < 100 && !bgt_is_expiring(host, task); step++) {
 *             bgt_log(host, BGT_LOG_INFO, "one bounded piece of work");
 *         }
 *         bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
 *     }
 *
 *     static void receive(void *context, const bgt_host *host, bgt_task task) {
 *         (void)context;
 *         bgt_task_info info;
 *         if (bgt_get_task_info(host, task, &info) == BGT_OK && info.event == BGT_EVENT_STARTED) {
 *             submit_next(host, 0);
 *         }
 *         bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
 *     }
 *
 *     BGTASK_PLUGIN_ENTRY(host, plugin) {
 *         plugin->receive = receive;
 *         return bgt_register(host, REFRESH, refresh, NULL);
 *     }
 *
 * The event `started` submits the first request, and the handler submits each further one. Entry submits none: it runs
 * at every launch, and a submission replaces the pending request of its identifier. If entry submitted a request "in an
 * hour", every launch for another task would postpone it, and it might never run.
 *
 * Build it with `cc -shared -fPIC -fvisibility=hidden -Wl,-z,defs -o libhello.so hello.c` and write a manifest:
 *
 *     manifest: 1
 *     identifier: com.example.hello
 *     role: main
 *     library: libhello.so
 *     background-modes: [fetch]
 *     permitted-identifiers: [com.example.hello.refresh]
 *
 * COURSE OF A LAUNCH
 *
 * Before.   The host reads the manifest and the library's ELF note as plain bytes. It refuses another major, or a
 *           required minor newer than the host, with a reason. No code of a refused plugin runs (BGT-ABI-02).
 * Load.     Every launch is a new process. It loads the library with RTLD_NOW | RTLD_LOCAL, never closes it, and looks
 *           up one symbol, bgtask_plugin_entry (BGT-ABI-01). The launch has ONE time budget for all its tasks. Its
 *           deadline is already armed: constructors and entry count against the budget (BGT-ABI-14). Continued tasks
 *           have no budget: each runs as long as its progress grows. A launch of continued tasks alone limits only
 *           constructors and entry.
 * Entry.    Runs on the main thread, at every launch. It fills bgt_plugin, registers the handlers (BGT-ABI-10: only
 *           during entry) and may submit requests, each of which replaces the pending one of its identifier. Any status
 *           except BGT_OK ends the launch without calling `stop`: the registrations are dropped, the tasks are requeued
 *           with an attempt charged, and the journal records the status.
 * Running.  Every due task of the plugin is delivered in one batch. Each goes to the handler of its identifier, on a
 *           private serial queue of that identifier. Events go to `receive` on a queue of their own. The main thread
 *           belongs to run_main. A handler may return before its task is completed. Complete each task exactly once,
 *           from any thread. A continued request that a main plugin submits is delivered to this same process, as one
 *           more task.
 * Expiring. At the deadline, or earlier when the conditions of a task are lost, is_expiring becomes 1 and the task's
 *           expiration handler is called with the reason. Complete the task: a completion within the grace period still
 *           counts. At the end of the grace period a launch with open tasks is killed, with its child processes. A
 *           continued task outlives the deadline. It expires when its progress stands still, under memory pressure, or
 *           when a user stops it. When all tasks are expiring or completed, open assertions expire too, with the same
 *           grace period.
 * Stop.     The launch ends when every task is completed and no assertion is open. The outcomes are recorded then, and
 *           the machine may start another launch; this plugin's next launch of the lane begins when the process has
 *           ended. Within the grace period, the host first waits until entry, `receive`, handlers, expiration and
 *           assertion handlers have returned, and answers the calls in progress: a callback may submit a request after
 *           it has completed the last task. A thread of the plugin's own submits before it completes, holds an
 *           assertion, or sets quiet_ns of bgt_plugin, with which the host also waits for such threads. Then `stop` is
 *           called, with the rest of the grace period and at least 400 ms. It may run beside run_main, whose return the
 *           host does not await; once `stop` is due, run_main is no longer called. When `stop` has returned, calls in
 *           progress receive their answers, and new calls BGT_ENDED. Contexts are released, and the process ends with
 *           _exit: no atexit function and no static destructor runs. A callback that does not return within the grace
 *           period is cut off with the process, and so is other work on a thread of the plugin's own.
 *
 * A task of the batch without a handler when entry returns is not delivered: its outcome is not-registered, and its
 * request is used up.
 *
 * PHASES: entry; running, from the return of entry until `stop` is called; stop, from then to the end of the process.
 * No call to the host is allowed before entry, in a signal handler, and in a process that the plugin forked (there,
 * each call with a status returns BGT_ENDED). The comment of each function and callback ends with the line
 *     @call thread=... phase=... blocks=...
 * thread: who may call a function (any); or on which thread the host calls the plugin (main; queue, a serial queue;
 * own, a thread of its own; caller, the thread of the call). blocks: no; commit, until the host has committed; answer,
 * until the host has answered. Pointers that are passed to a function belong to the caller and are needed for the call
 * only, except a `context`, which belongs to the host until it calls `release`. Pointers that the host passes or
 * returns belong to it, and their comments say how long they are valid.
 *
 * STATE OF THE PROCESS: the working directory is /, the umask 022, stdin is empty, stdout and stderr are captured line
 * by line into the log, the environment is an allow-list, no signal is blocked. SIGPIPE, SIGTERM, SIGINT and SIGHUP
 * have a handler that does nothing: writing to a closed pipe fails with EPIPE, and programs that the plugin starts get
 * the defaults back. SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP and SIGSYS have handlers that report the crash.
 * Threads of the runner that call the plugin have stacks of 8 MiB.
 *
 * RULES FOR BOTH SIDES
 *
 * BGT-ABI-01  One symbol is looked up, bgtask_plugin_entry. A library that also serves later majors exports their
 *             entries as bgtask_plugin_entry_MAJOR, and has a note for each major. No other symbol begins with bgt_ or
 *             bgtask_.
 * BGT-ABI-02  The host loads a library whose note has its major and a required minor that is not newer than its own.
 *             It skips notes of other majors. Of a library that it refuses, no code runs.
 * BGT-ABI-03  A struct that crosses the ABI starts with its size and only grows at the end. Its reader uses min(size,
 *             known) bytes and takes the rest as zero. The host refuses a plugin's struct with a non-zero unknown tail
 *             as BGT_TOO_NEW, and one smaller than in minor 0 as BGT_INVALID. Into a struct that it fills, it writes at
 *             most `size` bytes, with zeroes for unknown fields. A plugin ignores the tail of a longer table. No struct
 *             contains another struct. bgt_plugin lies at the start of a zeroed page: when entry returns, the host
 *             refuses a launch whose plugin wrote behind `size` or into `reserved`.
 * BGT-ABI-04  Fixed-width integers, no padding; reserved fields are zero. Defined for 64-bit little-endian machines.
 * BGT-ABI-05  No entry of the host table and of a feature's table is NULL. A function that a host does not offer yet
 *             returns BGT_NOT_OFFERED. New hooks in bgt_plugin will always be optional.
 * BGT-ABI-06  Results are statuses (int32_t), except where a function says otherwise. BGT_OK is 0; 1 to 4 are Apple's
 *             codes; the codes of bgtask begin at 100; negative ones are the plugin's own. There is no last error.
 *             A number, bit or field that is newer than this host is BGT_TOO_NEW: try again without it. One that this
 *             host knows and does not accept here is BGT_INVALID: correct the plugin. A plugin treats a number that its
 *             header does not define as follows: a status as a failure, a reason as BGT_REASON_NONE, a reason of an
 *             expiration like BGT_EXPIRED_BUDGET; it ignores unknown flags. Kinds and events newer than the plugin's
 *             header are never delivered to it.
 * BGT-ABI-07  Strings in: UTF-8, NUL-terminated, valid for the call only; the callee copies. Strings out: into the
 *             caller's buffer. Neither side ever frees memory that the other side allocated.
 * BGT-ABI-08  Tasks are numbers, never pointers: an unknown or stale number, or one of another process, returns a
 *             status and is never undefined behaviour. The host table is valid until the process ends. Pass the pointer
 *             itself, never a copy of the table.
 * BGT-ABI-09  Each delivered task is completed exactly once. The first call counts. A later one returns
 *             BGT_ALREADY_COMPLETED; it is a violation, unless the task had expired before its completion.
 * BGT-ABI-10  Handlers are registered during entry, except handlers of continued tasks. If entry fails, all
 *             registrations are dropped.
 * BGT-ABI-11  Extensions receive the same table. They register no handlers and run no tasks, and receive events.
 * BGT-ABI-12  The host holds no lock while it calls the plugin; every call is legal inside every callback unless its
 *             comment says otherwise. An expiration handler has a thread of its own, which no handler and no other
 *             expiration handler can block: submitting in it is legal, and delays only itself.
 * BGT-ABI-13  `release(context)` (may be NULL) is called exactly once for every call that passed it, after the last use
 *             of the context. If that call fails, `release` is called before the call returns. Contexts of
 *             registrations are released after stop. A callback that never returns, a crash or a kill prevents the
 *             release.
 * BGT-ABI-14  The budget belongs to the launch. Deadlines are times of CLOCK_MONOTONIC, so a suspended machine uses up
 *             none of it. Constructors and entry count. The grace period follows the deadline. The wall clock is used
 *             for earliest_begin_ns and expires_at_ns alone.
 * BGT-ABI-15  No exception, panic or longjmp crosses the ABI, and no callback ends its thread (pthread_exit,
 *             pthread_cancel). In C++17 every function type here is noexcept, so write
 *             `static void refresh(void *, const bgt_host *, bgt_task) noexcept`. An escaping exception counts as a
 *             crash of the plugin.
 * BGT-ABI-16  The process belongs to the host. Do not change its signal mask and handlers, working directory, umask and
 *             descriptors that you did not open, and do not exit it. A language runtime may install signal handlers
 *             that call the earlier ones. Wait for processes that you start: leftover processes are killed at the end
 *             of the launch. The host watches, and the journal names: the handlers of SIGTERM, SIGINT, SIGHUP, SIGPIPE
 *             and of the crash signals (STATE OF THE PROCESS), the working directory, the umask, the main thread's
 *             signal mask after entry, the descriptors 0 to 2, exits. Other changes are not noticed: handlers of other
 *             signals, later masks, other descriptors, limits of resources.
 * BGT-ABI-17  Other processes of this plugin and of its extensions may use the container at the same time: lock your
 *             files, or use SQLite.
 * BGT-ABI-18  The control socket of the host is for users and operators. The host refuses calls of the processes of a
 *             launch, and journals them as violations. Use the functions of the host table.
 * BGT-ABI-19  An optional feature is a table that `query` returns by its id, `bgtask.NAME/REVISION`. The table starts
 *             with its size, grows only at its end, and is valid until the process ends. An incompatible change gets a
 *             new revision; a host may offer both. Ask in entry or later, from any thread: the answer does not change
 *             within a process. Ids that begin with `bgtask.` are defined by this header; other hosts and vendors use
 *             reverse DNS names (com.example.NAME/REVISION). A draft has a revision that ends in `-draft`, and may
 *             change or disappear.
 */

#ifndef BGTASK_H
#define BGTASK_H

#include <stddef.h>
#include <stdint.h>
#ifndef BGTASK_DECLARATIONS_ONLY
#include <time.h>
#endif

#if !defined(__BYTE_ORDER__) || __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__ || __SIZEOF_POINTER__ != 8
#error "the bgtask ABI is defined for 64-bit little-endian machines only"
#endif

#define BGTASK_ABI_MAJOR 1u
#define BGTASK_ABI_MINOR 0u /* the newest minor that this header describes */

/* The oldest host minor that this plugin requires, stored in its ELF note. Older hosts refuse the plugin. To support
 * older hosts, define a lower minor before the include: conveniences of later minors are not declared then, and a
 * function or field of a later minor is used only after BGTASK_HAS(host, function). */
#ifndef BGTASK_TARGET_MINOR
#define BGTASK_TARGET_MINOR BGTASK_ABI_MINOR
#endif

/* Whether a table or struct that the host passes has this member: BGTASK_HAS(host, query). */
#define BGTASK_HAS(table, member)                                                                                      \
    ((table)->size >= offsetof(__typeof__(*(table)), member) + sizeof((table)->member))

#if BGTASK_TARGET_MINOR > BGTASK_ABI_MINOR
#error "BGTASK_TARGET_MINOR exceeds BGTASK_ABI_MINOR of this bgtask.h; lower it, or install a newer bgtask.h"
#endif

#ifdef __cplusplus
#define BGTASK_EXTERN_C_ extern "C"
#define BGTASK_ZERO_ {}
#define BGTASK_ASSERT_(condition, text) static_assert(condition, text)
#define BGTASK_CAST_(type, value) static_cast<type>(value)
#else
#define BGTASK_EXTERN_C_
#define BGTASK_ZERO_ {0}
#define BGTASK_ASSERT_(condition, text) _Static_assert(condition, text)
#define BGTASK_CAST_(type, value) ((type)(value))
#endif

#define BGTASK_INLINE_ static inline __attribute__((__unused__))

/* Specifier of functions that a plugin passes to the host, for sources that compile as both C and C++. */
#if defined(__cplusplus) && __cplusplus >= 201703L
#define BGTASK_NOEXCEPT noexcept
#else
#define BGTASK_NOEXCEPT
#endif

#ifdef __clang__
#define BGTASK_NULLABLE _Nullable
#define BGTASK_NONNULL _Nonnull
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wnullability-extension"
#pragma clang assume_nonnull begin
#else
#define BGTASK_NULLABLE
#define BGTASK_NONNULL
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Statuses (int32_t, BGT-ABI-06). Negative ones are the plugin's own. ----------------------------------------- */

#define BGT_OK 0
/* Apple's codes. From `submit`, each comes with a sub-reason in bgt_refusal. */
#define BGT_UNAVAILABLE 1
#define BGT_TOO_MANY_PENDING 2
#define BGT_NOT_PERMITTED 3
#define BGT_IMMEDIATE_RUN_INELIGIBLE 4
/* bgtask's own codes. */
#define BGT_NOT_OFFERED 100       /* this host has no such feature; returned by functions of features */
#define BGT_INVALID 101           /* an argument: NULL, not UTF-8, too long, out of range, a field that must be zero */
#define BGT_WRONG_PHASE 102       /* not allowed now: registration after entry, or a call in a visitor */
#define BGT_WRONG_ROLE 103        /* an extension made a call that only a main plugin may make */
#define BGT_DUPLICATE 104         /* the identifier has a handler in this process; a file exists */
#define BGT_UNREGISTERED 105      /* permitted, but without a handler in this process */
#define BGT_NO_SUCH_TASK 106      /* unknown, stale, or of another process */
#define BGT_ALREADY_COMPLETED 107 /* the first completion counts */
#define BGT_TOO_NEW 108           /* a field, number or bit that is newer than this host (BGT-ABI-06) */
#define BGT_TRUNCATED 109         /* the buffer is too small; `needed` receives the size that suffices */
#define BGT_NOT_FOUND 110         /* no such setting or assertion; the task has no cursor, the transfer no file */
#define BGT_ENDED 111             /* the launch has ended, or the host is gone, or as in checkpoint: not recorded */
#define BGT_WRONG_KIND 112        /* not available for a task of this kind */

/* ---- Sub-reasons of a refused submission (uint32_t) -------------------------------------------------------------- */

#define BGT_REASON_NONE 0u
/* with BGT_UNAVAILABLE */
#define BGT_REASON_NOT_OFFERED 1u                /* this host does not run that kind */
#define BGT_REASON_BACKGROUND_REFRESH_OFF 2u     /* disabled by the operator */
#define BGT_REASON_PLUGIN_DISABLED 3u
#define BGT_REASON_NOT_RECORDED 4u               /* the host cannot use its ledger; nothing has changed */
#define BGT_REASON_HOST_STOPPING 5u
#define BGT_REASON_SUBMITTER_MAY_NOT_SCHEDULE 6u /* the extension's kind must not schedule, or it is disabled */
#define BGT_REASON_PLUGIN_MISSING 7u             /* the main plugin is no longer installed */
#define BGT_REASON_TRANSFER_LIBRARY_MISSING 33u  /* this host lacks its library of transfers */
/* with BGT_TOO_MANY_PENDING */
#define BGT_REASON_REFRESH_LIMIT 10u
#define BGT_REASON_PROCESSING_LIMIT 11u          /* health research counts as processing */
#define BGT_REASON_CONTINUED_LIMIT 12u
#define BGT_REASON_EVENT_LIMIT 13u               /* for a trigger, not for a submission */
#define BGT_REASON_TRANSFER_LIMIT 14u            /* for a transfer, not for a submission */
#define BGT_REASON_ALERT_LIMIT 15u               /* for an alert push, not for a submission */
/* with BGT_NOT_PERMITTED */
#define BGT_REASON_IDENTIFIER_NOT_PERMITTED 20u
#define BGT_REASON_MODE_FETCH_MISSING 21u
#define BGT_REASON_MODE_PROCESSING_MISSING 22u
#define BGT_REASON_NOT_IN_FOREGROUND 23u
#define BGT_REASON_RESOURCES_UNSUPPORTED 24u
#define BGT_REASON_ENTITLEMENT_MISSING 25u
#define BGT_REASON_BACKGROUND_DENIED 26u         /* the operator denies this plugin background launches */
#define BGT_REASON_NOT_ITS_MAIN_PLUGIN 27u       /* the main plugin does not list this extension */
#define BGT_REASON_NOT_AN_EXTENSION 28u          /* for a trigger, not for a submission */
#define BGT_REASON_MODE_REMOTE_NOTIFICATION_MISSING 29u /* for a push, not for a submission */
#define BGT_REASON_NETWORK_NOT_GRANTED 32u       /* for a transfer, not for a submission */
/* with BGT_IMMEDIATE_RUN_INELIGIBLE */
#define BGT_REASON_NO_CAPACITY_NOW 30u
/* with BGT_NOT_PERMITTED, of a request with a deadline */
#define BGT_REASON_DEADLINE_PASSED 31u /* it has passed, or is not later than the earliest begin */

/* ---- Constants (uint32_t unless stated otherwise) ---------------------------------------------------------------- */

#define BGT_KIND_REFRESH 1u
#define BGT_KIND_PROCESSING 2u
#define BGT_KIND_HEALTH_RESEARCH 3u
#define BGT_KIND_CONTINUED 4u
#define BGT_KIND_EVENT 5u /* delivered only, never submitted */

#define BGT_LANE_BACKGROUND 1u
#define BGT_LANE_EVENT 2u
#define BGT_LANE_CONTINUED 3u

#define BGT_ROLE_MAIN 1u
#define BGT_ROLE_EXTENSION 2u

#define BGT_CAUSE_DUE 1u      /* requests were due and eligible */
#define BGT_CAUSE_USER 2u     /* simulated or started by a user */
#define BGT_CAUSE_EVENT 3u    /* an event was pending */
#define BGT_CAUSE_RELAUNCH 4u /* an interrupted task runs again */

#define BGT_EVENT_STARTED 1u /* installed, updated, or nothing pending when the host started: submit your requests */
#define BGT_EVENT_TRIGGER 2u /* the trigger of an extension */
#define BGT_EVENT_FETCH 3u   /* legacy fetch */
/* A background push, with its payload of at most BGTASK_PUSH_PAYLOAD_MAX. Delivered only to a plugin whose manifest has
 * the background mode remote-notification. The number belongs to minor version 0, which the release tag abi-1.0 will
 * freeze: every released header defines it. A manifest that `requires` bgtask.push/1 is refused by hosts without it. */
#define BGT_EVENT_PUSH 4u
/* The last open transfer of a session has ended: the payload is the name of the session, without a NUL. Delivered only
 * to a plugin that began transfers (BGTASK_TRANSFER). List the session, and take its files: when the event is completed
 * as a success, the host forgets the ended transfers of the session, the responses to uploads included, but not
 * downloads with a file that is left to take. Files that are not taken count against the limit of transfers, and are
 * deleted after the host's `transfers.retention`, 7 days by default. */
#define BGT_EVENT_TRANSFERS_FINISHED 5u
/* An alert push, with its payload of at most BGTASK_PUSH_PAYLOAD_MAX. Delivered only to an extension whose manifest has
 * the extension-point notification-service. The number belongs to minor version 0, as BGT_EVENT_PUSH. */
#define BGT_EVENT_NOTIFICATION 6u

/* int32_t; never 0, so that a boolean result is not mistaken for an outcome */
#define BGT_OUTCOME_SUCCESS 1
#define BGT_OUTCOME_FAILURE 2 /* for the record: the task is retried only if it is submitted again */
#define BGT_OUTCOME_NO_DATA 3 /* the task succeeded without new data */

#define BGT_EXPIRED_BUDGET 1u
#define BGT_EXPIRED_EXTERNAL_POWER_LOST 2u
#define BGT_EXPIRED_NETWORK_LOST 3u
#define BGT_EXPIRED_NOT_IDLE 4u
#define BGT_EXPIRED_STOPPED_BY_USER 5u
#define BGT_EXPIRED_NO_PROGRESS 6u
#define BGT_EXPIRED_MEMORY_PRESSURE 7u
#define BGT_EXPIRED_HOST_SHUTDOWN 8u
#define BGT_EXPIRED_CONTAINER_LOCKED 9u
#define BGT_EXPIRED_LEASE_LOST 10u /* the host lost contact with its fleet: another host may run the item */

#define BGT_LOG_DEBUG 1u
#define BGT_LOG_INFO 2u
#define BGT_LOG_WARNING 3u
#define BGT_LOG_ERROR 4u

/* Vocabularies of `name`: the groups of numbers of this header. */
#define BGT_VOCABULARY_STATUS 1u
#define BGT_VOCABULARY_REASON 2u
#define BGT_VOCABULARY_KIND 3u
#define BGT_VOCABULARY_LANE 4u
#define BGT_VOCABULARY_ROLE 5u
#define BGT_VOCABULARY_CAUSE 6u
#define BGT_VOCABULARY_EVENT 7u
#define BGT_VOCABULARY_OUTCOME 8u
#define BGT_VOCABULARY_EXPIRED 9u
#define BGT_VOCABULARY_LOG 10u
#define BGT_VOCABULARY_FLAG 11u       /* one bit of bgt_request.flags */
#define BGT_VOCABULARY_PROTECTION 12u /* flags & BGTASK_PROTECTION_MASK */
#define BGT_VOCABULARY_STRATEGY 13u
#define BGT_VOCABULARY_RESOURCE 14u   /* one bit of bgt_request.resources */
#define BGT_VOCABULARY_VOCABULARY 15u

/* Bits of bgt_request.flags, for processing and health research only. */
#define BGT_NEEDS_NETWORK 1u
#define BGT_NEEDS_EXTERNAL_POWER 2u

/* One of four values in bgt_request.flags, for health research only: when the container has to be readable. It is
 * readable once its file system is mounted and, if encrypted, unlocked. */
#define BGT_PROTECTION_UNTIL_FIRST_AUTHENTICATION 0x000u /* at launch; a later lock has no effect */
#define BGT_PROTECTION_NONE 0x100u                       /* a lock never has an effect */
#define BGT_PROTECTION_UNLESS_OPEN 0x200u                /* at launch; open files stay readable */
#define BGT_PROTECTION_COMPLETE 0x300u                   /* while it runs, else BGT_EXPIRED_CONTAINER_LOCKED */
#define BGTASK_PROTECTION_MASK 0x300u

/* Values of bgt_request.strategy, for continued only. 0 means BGT_STRATEGY_QUEUE. */
#define BGT_STRATEGY_QUEUE 1u /* wait for capacity */
#define BGT_STRATEGY_FAIL 2u  /* BGT_IMMEDIATE_RUN_INELIGIBLE without capacity at once */

/* Bits of bgt_request.resources (uint64_t), for continued only. */
#define BGT_RESOURCE_GPU 1ull

#define BGTASK_IDENTIFIER_MAX 255u  /* bytes, without the NUL */
#define BGTASK_TITLE_MAX 255u       /* bytes, without the NUL; subtitles and names of assertions too */
#define BGTASK_PAYLOAD_MAX 65536u   /* bytes */
#define BGTASK_PUSH_PAYLOAD_MAX 4096u /* bytes, of a push */
#define BGTASK_ASSERTIONS_MAX 64u   /* open at once in one launch */
#define BGTASK_MESSAGE_MAX 1024u    /* bytes, without the NUL; of the message of a completion, cut beyond */
#define BGTASK_LOG_MAX 4096u        /* bytes, without the NUL; a longer line may be cut */
#define BGTASK_QUIET_MAX 1000000000ull /* nanoseconds, of bgt_plugin.quiet_ns */
#define BGTASK_REFUSAL_TEXT_MAX 240 /* bytes, with the NUL */

/* Value of `remaining` and of deadlines in a launch without a fixed budget. */
#define BGTASK_NO_DEADLINE 0xFFFFFFFFFFFFFFFFull

/* A delivered task. The number contains a generation: it is never used twice in a process and never 0. */
typedef uint64_t bgt_task;

/* An open assertion. The number is never used twice in a process and never 0. */
typedef uint64_t bgt_assertion;

typedef struct bgt_host bgt_host;

/* ---- Structs that cross the ABI ---------------------------------------------------------------------------------- */

/* A request to submit. Owned by the caller and copied by `submit`; later changes have no effect. Create it with
 * bgt_refresh_request or the similar functions below, which set `size` and zero the other fields. A field that does not
 * apply to the kind must be zero. Exception: earliest_begin_ns is ignored in a continued request. */
typedef struct bgt_request {
    uint32_t size;
    uint32_t kind;
    uint32_t flags;
    uint32_t strategy;
    const char *BGTASK_NULLABLE identifier; /* required; a concrete identifier, not a pattern */
    int64_t earliest_begin_ns;              /* wall clock, since 1970: the task begins no earlier, unless a user runs
                                               it before. 0 or a time in the past: no delay */
    const uint8_t *BGTASK_NULLABLE payload; /* passed to the task unread; NULL if and only if payload_length is 0 */
    uint64_t payload_length;                /* at most BGTASK_PAYLOAD_MAX */
    const char *BGTASK_NULLABLE title;      /* continued: required, not empty, at most BGTASK_TITLE_MAX */
    const char *BGTASK_NULLABLE subtitle;   /* continued: optional, at most BGTASK_TITLE_MAX */
    uint64_t resources;
    int64_t expires_at_ns;                  /* deadline, wall clock: a request that has not started by then lapses, and
                                               never starts. 0: none. A struct may end before this member */
} bgt_request;

/* The answer to a submission, and the cause of any other refused call that takes one. Owned by the caller, who sets
 * `size`; bgt_submit sets it. Where a function takes a refusal, it may be NULL. It is filled for every status, except
 * for BGT_INVALID of the refusal itself, and in a forked process. */
typedef struct bgt_refusal {
    uint32_t size;
    uint32_t sub_reason;                /* BGT_REASON_NONE when accepted */
    uint64_t submission;                /* accepted: number of the request in the journal; else 0 */
    char text[BGTASK_REFUSAL_TEXT_MAX]; /* NUL-terminated UTF-8: the value, the rule, the remedy; empty when accepted */
} bgt_refusal;

/* A pending request: the fields of bgt_request as submitted, and its number. Owned by the host, valid until the visitor
 * returns. */
typedef struct bgt_pending {
    uint32_t size;
    uint32_t kind;
    uint32_t flags;
    uint32_t strategy;
    const char *identifier;
    int64_t earliest_begin_ns;              /* 0: none */
    const uint8_t *BGTASK_NULLABLE payload; /* NULL if payload_length is 0 */
    uint64_t payload_length;
    const char *BGTASK_NULLABLE title;      /* continued only */
    const char *BGTASK_NULLABLE subtitle;
    uint64_t resources;
    uint64_t submission;                    /* number of the request in the journal */
    int64_t expires_at_ns;                  /* deadline; 0: none */
} bgt_pending;

/* Information about the launch of this process. Filled by the host; its pointers are valid until the process ends. */
typedef struct bgt_launch_info {
    uint32_t size;
    uint32_t lane;
    uint32_t cause;
    uint32_t role;
    uint64_t launch;                        /* the launch's number in the journal */
    uint64_t remaining_ns;                  /* as `remaining` returns it at this moment */
    uint64_t deadline_ns;                   /* CLOCK_MONOTONIC, or BGTASK_NO_DEADLINE; the grace period follows */
    uint64_t grace_ns;
    const char *BGTASK_NULLABLE plugin;     /* identifier of this plugin; never NULL once filled */
    const char *BGTASK_NONNULL const *BGTASK_NULLABLE identifiers; /* of the batch as launched, without events */
    uint64_t identifier_count;
    uint64_t supported_resources;           /* BGT_RESOURCE_... that a continued request may require on this machine */
    const char *BGTASK_NULLABLE host_name;  /* the product, "bgtask"; never NULL once filled */
    const char *BGTASK_NULLABLE host_version; /* for logs; never compare it, use BGTASK_HAS and query */
} bgt_launch_info;

/* Information about a delivered task. Filled by the host; its pointers are valid until the task is completed. */
typedef struct bgt_task_info {
    uint32_t size;
    uint32_t kind;
    uint32_t event;                           /* BGT_EVENT_... of an event, else 0 */
    uint32_t attempt;                         /* 1 plus the number of interruptions that were charged to the task */
    const char *BGTASK_NULLABLE identifier;   /* as submitted. Event: the plugin that triggered it, else this plugin.
                                                 Never NULL once filled */
    const uint8_t *BGTASK_NULLABLE payload;   /* NULL if payload_length is 0 */
    uint64_t payload_length;
    uint64_t submission;                      /* number of the request or the event in the journal */
    uint32_t flags;                           /* as submitted, including the protection */
    uint32_t expiration_reason;               /* BGT_EXPIRED_... while it is expiring, else 0 */
    const char *BGTASK_NULLABLE title;        /* continued: as submitted, without later changes; else NULL */
    const char *BGTASK_NULLABLE subtitle;     /* continued: as submitted; else NULL */
    int64_t fleet_item;                       /* number of the item of a fleet's queue; 0: the task is not of a fleet */
    int64_t fence;                            /* number of the claim of this item, higher than those of all its earlier
                                                 claims; 0: the task is not of a fleet. Send it with each write to a
                                                 shared store, and let the store refuse a lower one than it has seen */
} bgt_task_info;

/* ---- Functions that a plugin passes to the host ------------------------------------------------------------------ */

/* Runs one task, on the private serial queue of the task's identifier and never on the main thread. Tasks of different
 * identifiers run concurrently; so the handler of a pattern may run on several threads at once, with one context. May
 * block; may return before the task is completed.
 * @call thread=queue phase=running */
typedef void (*bgt_handler)(void *BGTASK_NULLABLE context, const bgt_host *host, bgt_task task) BGTASK_NOEXCEPT;

/* Called when a task expires, with the reason (BGT_EXPIRED_...). Runs on a thread that no handler and no other
 * expiration handler can block, at most once per task. Stop the work and complete the task within the grace period. It
 * may submit and cancel; it then waits for the disk, which uses up grace.
 * @call thread=own phase=running,stop */
typedef void (*bgt_expiration_handler)(void *BGTASK_NULLABLE context, const bgt_host *host, bgt_task task,
                                       uint32_t reason) BGTASK_NOEXCEPT;

/* Called when an assertion expires, with the reason, at most once per assertion.
 * @call thread=own phase=running,stop */
typedef void (*bgt_assertion_handler)(void *BGTASK_NULLABLE context, const bgt_host *host, bgt_assertion assertion,
                                      uint32_t reason) BGTASK_NOEXCEPT;

/* Receives one pending request, before `pending` returns. BGT_OK continues the visit; any other status ends it and is
 * returned by `pending`. Inside a visitor, the allowed calls are log, remaining, is_expiring, name and query.
 * @call thread=caller phase=entry,running */
typedef int32_t (*bgt_pending_visitor)(void *BGTASK_NULLABLE context, const bgt_host *host,
                                       const bgt_pending *request) BGTASK_NOEXCEPT;

/* Releases a context (BGT-ABI-13). Never called while a call that received the context runs. Must not block.
 * @call thread=any phase=entry,running,stop */
typedef void (*bgt_release)(void *BGTASK_NULLABLE context) BGTASK_NOEXCEPT;

/* Optional functions of a plugin. The host zeroes the struct, sets `size`, and reads the struct once, after entry has
 * returned BGT_OK. The plugin must not write beyond `size`: before it sets a hook of a later minor, it checks
 * BGTASK_HAS(plugin, hook). `context` must live until the process ends. */
typedef struct bgt_plugin {
    uint32_t size;
    uint32_t reserved; /* 0 */
    void *BGTASK_NULLABLE context; /* first argument of the functions below */

    /* Receives one event, which is delivered and completed like a task, within the launch's budget. If NULL,
     * BGT_EVENT_STARTED succeeds when entry returns BGT_OK, and every other event is consumed without a delivery.
     * @call thread=queue phase=running */
    void (*BGTASK_NULLABLE receive)(void *BGTASK_NULLABLE context, const bgt_host *host,
                                    bgt_task event) BGTASK_NOEXCEPT;

    /* Owns the main thread after entry has returned, for a run loop. The launch ends without waiting for its return.
     * Called before `stop` or not at all. `stop` may run before the first statement of run_main: do not free in `stop`
     * what run_main reads.
     * @call thread=main phase=running,stop */
    void (*BGTASK_NULLABLE run_main)(void *BGTASK_NULLABLE context, const bgt_host *host) BGTASK_NOEXCEPT;

    /* The last call: flush data, end your own threads, and return within the rest of the grace period. Called only
     * after a successful entry, while run_main may still run.
     * @call thread=own phase=stop */
    void (*BGTASK_NULLABLE stop)(void *BGTASK_NULLABLE context, const bgt_host *host) BGTASK_NOEXCEPT;

    /* Quiet period at the end of the launch, in nanoseconds, for language modules whose runtime runs the plugin's work
     * on threads of its own. Before `stop`, the host then also waits until these threads sleep, and until this long has
     * passed since their last call and since the last return of a callback, at most BGTASK_QUIET_MAX in all. Without
     * such a thread (run_main has one), callbacks start no quiet period. A larger value counts as BGTASK_QUIET_MAX; 0,
     * the default: no wait. */
    uint64_t quiet_ns;
} bgt_plugin;

/* The one exported symbol, `bgtask_plugin_entry`. Write it with BGTASK_PLUGIN_ENTRY. `host` is valid until the process
 * ends, `plugin` until entry returns. Return a status other than BGT_OK when the plugin cannot work at all, such as a
 * failed registration; a refused submission is no reason: due tasks would be abandoned for it.
 * @call thread=main phase=entry */
typedef int32_t (*bgt_plugin_entry)(const bgt_host *host, bgt_plugin *plugin) BGTASK_NOEXCEPT;

#define BGTASK_ENTRY_SYMBOL "bgtask_plugin_entry"

/* ---- The host ---------------------------------------------------------------------------------------------------- */

/* A function may be called inside every callback unless its comment says otherwise. Three statuses are not repeated
 * below: BGT_ENDED, after the end of the launch or in a forked process; BGT_WRONG_PHASE, inside a pending visitor, from
 * every function that a visitor may not call; BGT_NOT_OFFERED, from a function that this host does not offer. */
struct bgt_host {
    uint32_t size;
    uint32_t minor; /* minor of the host; its major equals this header's, else loading is refused */

    /* Fills `out`, whose `size` the caller has set, with information about this launch.
     * BGT_OK; BGT_INVALID: out is NULL or too small.
     * @call thread=any phase=entry,running,stop blocks=no */
    int32_t (*launch_info)(const bgt_host *host, bgt_launch_info *BGTASK_NULLABLE out) BGTASK_NOEXCEPT;

    /* Sets the handler of a permitted identifier, for this process. Handlers of continued tasks may be registered at
     * any time, all others in entry only. For continued tasks are: an identifier that only a pattern permits; a pattern
     * as written in the manifest (`com.example.export.*`); in the foreground (see submit) also an identifier that the
     * manifest lists by name, unless this launch has a task of another kind for it. A name takes precedence over a
     * pattern, a longer pattern over a shorter one (BGT-ABI-10, BGT-ABI-11). A launch for an identifier whose handler
     * is not registered in entry ends the task as not-registered. `context` belongs to the host until it calls
     * `release`, also when this fails (BGT-ABI-13).
     * BGT_OK; BGT_WRONG_PHASE: after entry, not for continued tasks; BGT_WRONG_ROLE: by an extension;
     * BGT_NOT_PERMITTED: not in the manifest; BGT_DUPLICATE: the identifier keeps its existing handler; BGT_INVALID:
     * identifier or handler NULL, identifier malformed.
     * @call thread=any phase=entry,running blocks=no */
    int32_t (*register_handler)(const bgt_host *host, const char *BGTASK_NULLABLE identifier,
                                bgt_handler BGTASK_NULLABLE handler, void *BGTASK_NULLABLE context,
                                bgt_release BGTASK_NULLABLE release,
                                bgt_refusal *BGTASK_NULLABLE refusal) BGTASK_NOEXCEPT;

    /* Makes a request pending; a request with the same identifier is replaced entirely. Returns after the durable
     * commit. A handler may submit its own identifier again: the running task no longer counts as pending. In entry,
     * submit after the registration. A continued request is accepted only in the foreground, that is in a launch or
     * command that a user started; a main plugin's request is delivered to this process. At most 16 calls
     * of submit, cancel, cancel_all and pending await the host's answer at once; further callers wait for their turn.
     * BGT_OK; BGT_UNAVAILABLE, BGT_TOO_MANY_PENDING, BGT_NOT_PERMITTED, BGT_IMMEDIATE_RUN_INELIGIBLE: see sub_reason;
     * BGT_UNREGISTERED: by a main plugin without a handler for identifier and kind; BGT_TOO_NEW: a kind, flag,
     * strategy, resource or field that this host does not know; BGT_INVALID: NULL, malformed, too long, a field or flag
     * of another kind.
     * @call thread=any phase=entry,running,stop blocks=commit */
    int32_t (*submit)(const bgt_host *host, const bgt_request *BGTASK_NULLABLE request,
                      bgt_refusal *BGTASK_NULLABLE refusal) BGTASK_NOEXCEPT;

    /* Removes the pending request with this identifier, even one that an extension submitted. A running task goes
     * on; if it is interrupted afterwards, it does not run again. Returns after the durable commit.
     * BGT_OK: also when none was pending; BGT_UNAVAILABLE: the commit failed, the request is still pending;
     * BGT_INVALID: NULL or malformed.
     * @call thread=any phase=entry,running,stop blocks=commit */
    int32_t (*cancel)(const bgt_host *host, const char *BGTASK_NULLABLE identifier,
                      bgt_refusal *BGTASK_NULLABLE refusal) BGTASK_NOEXCEPT;

    /* Like cancel, for every pending request of the main plugin.
     * BGT_OK; BGT_UNAVAILABLE.
     * @call thread=any phase=entry,running,stop blocks=commit */
    int32_t (*cancel_all)(const bgt_host *host, bgt_refusal *BGTASK_NULLABLE refusal) BGTASK_NOEXCEPT;

    /* Visits a snapshot of the pending requests of the main plugin, oldest submission first, without running tasks.
     * Waits for the host's answer, never for a commit. `context` is only passed on.
     * BGT_OK; the status of the visitor; BGT_UNAVAILABLE: the host could not read them; BGT_INVALID: visitor is
     * NULL.
     * @call thread=any phase=entry,running,stop blocks=answer */
    int32_t (*pending)(const bgt_host *host, bgt_pending_visitor BGTASK_NULLABLE visitor,
                       void *BGTASK_NULLABLE context, bgt_refusal *BGTASK_NULLABLE refusal) BGTASK_NOEXCEPT;

    /* Fills `out`, whose `size` the caller has set, with information about a task.
     * BGT_OK; BGT_NO_SUCH_TASK; BGT_ALREADY_COMPLETED: `out` is unchanged; BGT_INVALID: out is NULL or too small.
     * @call thread=any phase=running,stop blocks=no */
    int32_t (*task_info)(const bgt_host *host, bgt_task task, bgt_task_info *BGTASK_NULLABLE out) BGTASK_NOEXCEPT;

    /* Sets the expiration handler of a task, and releases the handler that it replaces; NULL removes the handler. A
     * handler that is set while the task is expiring is called soon, unless another one was called already. After
     * `complete` no new call begins; a call in progress is not waited for, so `context` must live longer than the
     * task's handler. `context` belongs to the host until it calls `release`, also when this fails.
     * BGT_OK; BGT_NO_SUCH_TASK; BGT_ALREADY_COMPLETED.
     * @call thread=any phase=running,stop blocks=no */
    int32_t (*set_expiration_handler)(const bgt_host *host, bgt_task task,
                                      bgt_expiration_handler BGTASK_NULLABLE handler, void *BGTASK_NULLABLE context,
                                      bgt_release BGTASK_NULLABLE release) BGTASK_NOEXCEPT;

    /* Completes a task with BGT_OUTCOME_..., exactly once per delivered task (BGT-ABI-09). The first call counts, even
     * while the task is expiring, until the end of the grace period. The completion is recorded before the process
     * ends. The pointers from task_info become invalid. `message` (may be NULL) explains the outcome in the journal and
     * to users: one line, cut at BGTASK_MESSAGE_MAX bytes; invalid UTF-8 is repaired. Whatever `outcome` is, the task
     * is completed: one that is none completes it as failed, with a violation. A call inside a pending visitor is a
     * violation, but completes the task, too.
     * BGT_OK; BGT_ALREADY_COMPLETED; BGT_NO_SUCH_TASK; BGT_INVALID: zero or negative, completed as failed; BGT_TOO_NEW:
     * an outcome that this host does not know, completed as failed; BGT_WRONG_PHASE: in a pending visitor, completed;
     * BGT_ENDED: too late, no completion counts after the kill time.
     * @call thread=any phase=running,stop blocks=no */
    int32_t (*complete)(const bgt_host *host, bgt_task task, int32_t outcome,
                        const char *BGTASK_NULLABLE message) BGTASK_NOEXCEPT;

    /* Nanoseconds left of the launch's shared budget: 0 after the launch's deadline, BGTASK_NO_DEADLINE without a fixed
     * budget. The budget does not apply to continued tasks. The result is never a status.
     * @call thread=any phase=entry,running,stop blocks=no */
    uint64_t (*remaining)(const bgt_host *host) BGTASK_NOEXCEPT;

    /* 1 when the task is expiring, completed or unknown, so that a loop that polls it always ends; else 0. The result
     * is never a status.
     * @call thread=any phase=entry,running,stop blocks=no */
    int32_t (*is_expiring)(const bgt_host *host, bgt_task task) BGTASK_NOEXCEPT;

    /* Reports the progress of a continued task: `completed` of `total` units, 0 <= completed <= total, total > 0. A
     * continued task without progress for a while (30 s by default, set by the operator) expires. Reports may be made
     * at any rate: the newest report replaces recent unsent ones, and the last one always arrives.
     * BGT_OK; BGT_NO_SUCH_TASK; BGT_ALREADY_COMPLETED; BGT_WRONG_KIND; BGT_INVALID: out of range.
     * @call thread=any phase=running,stop blocks=no */
    int32_t (*set_progress)(const bgt_host *host, bgt_task task, int64_t completed, int64_t total) BGTASK_NOEXCEPT;

    /* Replaces the title and the subtitle that users see of a continued task. `subtitle` may be NULL. The newest change
     * replaces recent unsent ones.
     * BGT_OK; BGT_NO_SUCH_TASK; BGT_ALREADY_COMPLETED; BGT_WRONG_KIND; BGT_INVALID: title NULL or empty, a string too
     * long or not UTF-8.
     * @call thread=any phase=running,stop blocks=no */
    int32_t (*set_title)(const bgt_host *host, bgt_task task, const char *BGTASK_NULLABLE title,
                         const char *BGTASK_NULLABLE subtitle) BGTASK_NOEXCEPT;

    /* Begins a background assertion, which keeps the launch open after its last completion until the assertion ends,
     * but never beyond the launch's deadline. Without a fixed budget, or once a continued task has outlived the
     * deadline, the limit is the time that a continued task may go without progress, counted from the last completion.
     * An assertion starts no work. Begin it before the completion that it outlasts, and always end it. An assertion
     * that is open at the end of the grace period is the launch's overrun, and the process is killed; completed tasks
     * stay completed. `on_expire` (may be NULL) is called when the assertion expires: at that limit, or earlier when
     * all tasks are expiring or completed, for example when the host shuts down or a user stops the last task. `name`
     * is for the journal and for users, and need not be unique. `context` belongs to the host until it calls `release`,
     * also when this fails, and with a NULL `on_expire` before this returns. `out` receives the assertion, 0 on
     * failure.
     * BGT_OK; BGT_INVALID: name or out NULL, name not UTF-8 or too long; BGT_UNAVAILABLE: BGTASK_ASSERTIONS_MAX are
     * open, end one; BGT_ENDED: also after the assertions of this launch have expired, and when no task and no
     * assertion is open.
     * @call thread=any phase=entry,running,stop blocks=no */
    int32_t (*begin_assertion)(const bgt_host *host, const char *BGTASK_NULLABLE name,
                               bgt_assertion_handler BGTASK_NULLABLE on_expire, void *BGTASK_NULLABLE context,
                               bgt_release BGTASK_NULLABLE release, bgt_assertion *BGTASK_NULLABLE out,
                               bgt_refusal *BGTASK_NULLABLE refusal) BGTASK_NOEXCEPT;

    /* Ends an assertion; the launch may end when this call returns. Also allowed inside the assertion's own handler.
     * The call of `stop` then waits for that handler to return, at most as long as the grace period.
     * BGT_OK; BGT_NOT_FOUND: unknown, of another process, or already ended; the journal records the violation.
     * @call thread=any phase=entry,running,stop blocks=no */
    int32_t (*end_assertion)(const bgt_host *host, bgt_assertion assertion) BGTASK_NOEXCEPT;

    /* Copies the path of the directory that a main plugin and its extensions share: absolute, existing, writable, kept
     * between launches (BGT-ABI-17). With BGT_OK and BGT_TRUNCATED `needed` (may be NULL) receives the size of the path
     * in bytes with the NUL.
     * BGT_OK; BGT_TRUNCATED: capacity < needed, and a buffer with capacity holds an empty string; BGT_INVALID: buffer
     * NULL with a capacity.
     * @call thread=any phase=entry,running,stop blocks=no */
    int32_t (*container_path)(const bgt_host *host, char *BGTASK_NULLABLE buffer, uint64_t capacity,
                              uint64_t *BGTASK_NULLABLE needed) BGTASK_NOEXCEPT;

    /* Copies the value of a setting: the operator's, else the manifest's. The value does not change during a launch.
     * `buffer`, `capacity` and `needed` as in container_path.
     * BGT_OK; BGT_NOT_FOUND: neither has the key; BGT_TRUNCATED; BGT_INVALID: key NULL, buffer NULL with a capacity.
     * @call thread=any phase=entry,running,stop blocks=no */
    int32_t (*setting)(const bgt_host *host, const char *BGTASK_NULLABLE key, char *BGTASK_NULLABLE buffer,
                       uint64_t capacity, uint64_t *BGTASK_NULLABLE needed) BGTASK_NOEXCEPT;

    /* Writes one line to the host's log, with a level BGT_LOG_...; an unknown level counts as error, a NULL message is
     * ignored. `task` is the task that the line is about, 0 for the launch; an unknown number counts as 0. Messages are
     * complete up to 4096 bytes and may be cut beyond. In a flood, lines are dropped and their number is logged.
     * @call thread=any phase=entry,running,stop blocks=no */
    void (*log)(const bgt_host *host, bgt_task task, uint32_t level,
                const char *BGTASK_NULLABLE message) BGTASK_NOEXCEPT;

    /* Name of a number of a vocabulary BGT_VOCABULARY_..., as this header spells it ("BGT_OK", "BGT_EXPIRED_BUDGET").
     * "plugin status" for a negative status; "unknown" for a number or vocabulary that this host does not know. Never
     * NULL, valid until the process ends.
     * @call thread=any phase=entry,running,stop blocks=no */
    const char *BGTASK_NONNULL (*BGTASK_NONNULL name)(const bgt_host *host, uint32_t vocabulary,
                                                      int64_t number) BGTASK_NOEXCEPT;

    /* Table of an optional feature by its id, matched exactly (BGT-ABI-19); valid until the process ends. NULL for an
     * unknown id.
     * @call thread=any phase=entry,running,stop blocks=no */
    const void *BGTASK_NULLABLE (*BGTASK_NONNULL query)(const bgt_host *host,
                                                        const char *BGTASK_NULLABLE id) BGTASK_NOEXCEPT;
};

/* ---- Optional features: ids and tables for `query` --------------------------------------------------------------- */

/* Legacy fetch, for plugins without permitted identifiers. */
#define BGTASK_LEGACY_FETCH "bgtask.legacy-fetch/1"
typedef struct bgt_legacy_fetch {
    uint32_t size;
    uint32_t reserved; /* 0 */

    /* Sets the least time in seconds between two BGT_EVENT_FETCH; UINT64_MAX, the default, for never. The interval
     * persists across launches until it is changed. Returns before the change is recorded.
     * BGT_OK; BGT_NOT_PERMITTED: the manifest permits identifiers, or lacks mode fetch; BGT_WRONG_ROLE: extension.
     * @call thread=any phase=entry,running blocks=no */
    int32_t (*set_minimum_interval)(const bgt_host *host, uint64_t seconds,
                                    bgt_refusal *BGTASK_NULLABLE refusal) BGTASK_NOEXCEPT;
} bgt_legacy_fetch;

/* Cursors, for tasks that continue. A cursor belongs to a task identifier and is kept across launches. It moves after
 * the work: everything before it is done. The host does not read its contents, and deletes it when the task succeeds.
 * A run that was interrupted after it moved the cursor, or that expired for another cause than a user's stop, continues
 * at the cursor in the next launch, without a charged attempt, even if the task was completed as failed. After three
 * runs in a row that did not move the cursor the task ends. */
#define BGTASK_CURSOR "bgtask.cursor/1"
#define BGTASK_CURSOR_MAX 4096u /* bytes */
enum { BGT_CHECKPOINT_DURABLE = 1 /* bit of the flags of checkpoint */ };

/* Information about a cursor. Filled by the host; `version` is valid until the process ends. */
typedef struct bgt_cursor_info {
    uint32_t size;
    uint32_t reserved; /* 0 */
    uint64_t length;                        /* bytes, at least 1 */
    int64_t moved_at_ns;                    /* wall clock, since 1970 */
    uint64_t submission;                    /* number of the request whose task wrote it */
    const char *BGTASK_NULLABLE version;    /* `version` of the manifest with which it was written; NULL when this
                                               launch wrote it, or the manifest had none */
} bgt_cursor_info;

/* After a crash or a kill of the process the newest cursor is kept. The host stores it at least once per second and
 * with the outcome: after a failure of the host or of the machine, the last second may be missing. */
typedef struct bgt_cursors {
    uint32_t size;
    uint32_t reserved; /* 0 */

    /* Copies the newest cursor of a task: that of an earlier run until this run writes one. `info` (may be NULL) is
     * filled also with BGT_TRUNCATED. A plugin of a later version that cannot use the cursor calls `discard`.
     * BGT_OK; BGT_NOT_FOUND: begin from the start; BGT_TRUNCATED: capacity is below `length`, nothing was copied;
     * BGT_NO_SUCH_TASK; BGT_ALREADY_COMPLETED; BGT_WRONG_KIND: an event; BGT_INVALID: info too small, buffer NULL with
     * a capacity.
     * @call thread=any phase=running,stop blocks=no */
    int32_t (*read)(const bgt_host *host, bgt_task task, bgt_cursor_info *BGTASK_NULLABLE info,
                    uint8_t *BGTASK_NULLABLE buffer, uint64_t capacity) BGTASK_NOEXCEPT;

    /* Moves the cursor of a task to `length` bytes at `cursor`, 1 to BGTASK_CURSOR_MAX. Call it after the work before
     * the cursor is done. With BGT_CHECKPOINT_DURABLE it returns after the durable commit, and counts as a call of
     * submit; use it where an item must not be repeated after a failure of the machine, and for a cursor that goes
     * back. It is allowed while the task is expiring.
     * BGT_OK; BGT_INVALID: NULL, or a length out of range: the cursor is unchanged; BGT_TOO_NEW: an unknown flag;
     * BGT_NO_SUCH_TASK; BGT_ALREADY_COMPLETED; BGT_WRONG_KIND: an event; BGT_UNAVAILABLE: the commit failed, and the
     * host tries it again; or the launch has too many open tasks; BGT_ENDED: the task of a newer request of the
     * identifier has started, and this task moves the cursor no more: complete it. The first calls after that start may
     * return BGT_OK without BGT_CHECKPOINT_DURABLE, and then have no effect.
     * @call thread=any phase=running,stop blocks=commit */
    int32_t (*checkpoint)(const bgt_host *host, bgt_task task, const uint8_t *BGTASK_NULLABLE cursor, uint64_t length,
                          uint32_t flags, bgt_refusal *BGTASK_NULLABLE refusal) BGTASK_NOEXCEPT;

    /* Deletes the cursor of a task: the task begins from the start. Returns after the durable commit. A task that
     * expires after it deleted the cursor of an earlier run is requeued.
     * BGT_OK: also when it had none; BGT_NO_SUCH_TASK; BGT_ALREADY_COMPLETED; BGT_WRONG_KIND: an event;
     * BGT_UNAVAILABLE, BGT_ENDED: as in checkpoint.
     * @call thread=any phase=running,stop blocks=commit */
    int32_t (*discard)(const bgt_host *host, bgt_task task, bgt_refusal *BGTASK_NULLABLE refusal) BGTASK_NOEXCEPT;
} bgt_cursors;

/* Background pushes (BGT_EVENT_PUSH): the device token, by which senders on other machines address this plugin on this
 * host through a gateway. Local senders name the plugin, and need no token. */
#define BGTASK_PUSH "bgtask.push/1"
#define BGTASK_PUSH_TOKEN_MAX 64u /* bytes, of a device token */
typedef struct bgt_pushes {
    uint32_t size;
    uint32_t reserved; /* 0 */

    /* Copies the device token of this plugin, and issues one if it has none: returns after the durable commit, and
     * counts as a call of submit. The token stays the same at each launch, until `unregister_plugin`, a user, or a
     * restore of the host ends it. Call this at each launch, and give a changed token to the senders. It is a secret:
     * do not log it. With BGT_OK and BGT_TRUNCATED `needed` (may be NULL) receives the number of bytes.
     * BGT_OK; BGT_TRUNCATED: capacity < needed, nothing was copied; BGT_NOT_PERMITTED: the manifest lacks the mode
     * remote-notification; BGT_WRONG_ROLE: extension; BGT_UNAVAILABLE: the commit failed, or the token was revoked
     * meanwhile; BGT_INVALID: buffer NULL with a capacity.
     * @call thread=any phase=entry,running,stop blocks=commit */
    int32_t (*register_plugin)(const bgt_host *host, uint8_t *BGTASK_NULLABLE buffer, uint64_t capacity,
                               uint64_t *BGTASK_NULLABLE needed, bgt_refusal *BGTASK_NULLABLE refusal) BGTASK_NOEXCEPT;

    /* Ends the device token of this plugin. Returns after the durable commit, and counts as a call of submit. Pushes
     * of local senders still arrive. The next registration issues another token.
     * BGT_OK: also when it had none; BGT_NOT_PERMITTED, BGT_WRONG_ROLE: as above; BGT_UNAVAILABLE: the commit failed.
     * @call thread=any phase=entry,running,stop blocks=commit */
    int32_t (*unregister_plugin)(const bgt_host *host, bgt_refusal *BGTASK_NULLABLE refusal) BGTASK_NOEXCEPT;
} bgt_pushes;

/* Background transfers: downloads and uploads that the host makes after the plugin's process has ended, and continues
 * after interruptions and restarts. The plugin groups transfers in sessions, to which it gives names. Only http and
 * https; the plugin needs the grant `network` of its manifest. */
#define BGTASK_TRANSFER "bgtask.transfer/1"
#define BGTASK_SESSION_MAX 64u      /* bytes, of a session's name: lower-case letters, digits, '-', '.', '_' */
#define BGTASK_LABEL_MAX 256u       /* bytes, without the NUL */
#define BGTASK_URL_MAX 8192u        /* bytes, without the NUL */
#define BGTASK_HEADERS_MAX 64u      /* headers of one transfer, secret ones included */
#define BGTASK_HEADERS_SIZE_MAX 16384u /* bytes, of all headers of one transfer */
#define BGTASK_SHA256_SIZE 32u      /* bytes */
enum { BGT_TRANSFER_DOWNLOAD = 1, BGT_TRANSFER_UPLOAD = 2 };                        /* kinds of transfers */
enum { BGT_TRANSFER_DISCRETIONARY = 1 };                                            /* bit of bgt_transfer.flags */
enum { BGT_TRANSFER_WAITING = 1, BGT_TRANSFER_RUNNING = 2, BGT_TRANSFER_PAUSED = 3, /* states: open */
       BGT_TRANSFER_FINISHED = 4, BGT_TRANSFER_FAILED = 5, BGT_TRANSFER_CANCELLED = 6 /* ended */ };
enum { BGT_TAKE_REPLACE = 1 };                                                      /* bit of the flags of take */

/* A transfer to begin. Owned by the caller and copied by `begin`. Create it with bgt_download or bgt_upload, which set
 * `size` and `kind`, and zero the other fields. */
typedef struct bgt_transfer {
    uint32_t size;
    uint32_t kind;                           /* BGT_TRANSFER_DOWNLOAD or BGT_TRANSFER_UPLOAD */
    uint32_t flags;                          /* BGT_TRANSFER_DISCRETIONARY: also needs external power, and waits for
                                                an idle machine and an unmetered network */
    uint32_t reserved;                       /* 0 */
    const char *BGTASK_NULLABLE session;     /* required; at most BGTASK_SESSION_MAX */
    const char *BGTASK_NULLABLE url;         /* required; at most BGTASK_URL_MAX */
    const char *BGTASK_NULLABLE label;       /* for users and for the plugin; at most BGTASK_LABEL_MAX */
    const char *BGTASK_NULLABLE method;      /* upload: "PUT" or "POST"; NULL: PUT. Download: NULL */
    const char *BGTASK_NULLABLE file;        /* upload: required; path of the file, relative to the container */
    const char *BGTASK_NONNULL const *BGTASK_NULLABLE headers; /* "Name: value" */
    uint64_t header_count;
    const char *BGTASK_NONNULL const *BGTASK_NULLABLE secret_headers; /* "Name: value", where ${KEY} in the value stands
                                                for the secret setting KEY. Not sent to another host after a redirect */
    uint64_t secret_header_count;
    const uint8_t *BGTASK_NULLABLE sha256;   /* download: digest of the file, BGTASK_SHA256_SIZE bytes; or NULL */
    uint64_t expected_size;                  /* download: bytes of the file; 0: not known */
    int64_t earliest_begin_ns;               /* wall clock, since 1970. 0 or a time in the past: no delay */
    int64_t expires_at_ns;                   /* deadline, wall clock: a transfer that has not started by then lapses.
                                                0: none */
} bgt_transfer;

/* One transfer of the plugin, open or ended. Owned by the host, valid until the visitor returns. */
typedef struct bgt_transfer_info {
    uint32_t size;
    uint32_t kind;
    uint32_t state;                          /* BGT_TRANSFER_WAITING, ... */
    uint32_t http_status;                    /* of the last answer; 0: none */
    uint64_t number;
    const char *BGTASK_NULLABLE session;     /* never NULL once filled */
    const char *BGTASK_NULLABLE url;         /* without user information and query; never NULL once filled */
    const char *BGTASK_NULLABLE label;
    const char *BGTASK_NULLABLE code;        /* of a failed transfer: "http-status", "digest-mismatch"; else NULL */
    const char *BGTASK_NULLABLE file;        /* of an ended transfer: path of the file that `take` moves, relative to
                                                the container: the download, or the body of the answer to an upload.
                                                NULL: none, or taken */
    uint64_t bytes;                          /* of the file, transferred so far: of a running transfer by its
                                                newest report, of other transfers at the end of the last try */
    uint64_t total;                          /* of the file; 0: not known */
} bgt_transfer_info;

/* Receives one transfer, before `list` returns. As bgt_pending_visitor.
 * @call thread=caller phase=entry,running */
typedef int32_t (*bgt_transfer_visitor)(void *BGTASK_NULLABLE context, const bgt_host *host,
                                        const bgt_transfer_info *transfer) BGTASK_NOEXCEPT;

/* Each call counts as a call of submit. Of an extension each returns BGT_WRONG_ROLE. */
typedef struct bgt_transfers {
    uint32_t size;
    uint32_t reserved; /* 0 */

    /* Begins a transfer. Returns after the durable commit; `number` (may be NULL) receives the number of the transfer,
     * 0 on failure. The transfer waits for network, starts in a process of its own with the grants and the container of
     * the plugin, and does not use the budget of the plugin. When the last open transfer of its session has ended, the
     * plugin receives BGT_EVENT_TRANSFERS_FINISHED once.
     * BGT_OK; BGT_UNAVAILABLE, BGT_TOO_MANY_PENDING, BGT_NOT_PERMITTED: see sub_reason; BGT_WRONG_ROLE; BGT_TOO_NEW: a
     * kind, flag or field that this host does not know; BGT_INVALID: NULL, malformed, too long, a field of the other
     * kind.
     * @call thread=any phase=entry,running,stop blocks=commit */
    int32_t (*begin)(const bgt_host *host, const bgt_transfer *BGTASK_NULLABLE transfer,
                     uint64_t *BGTASK_NULLABLE number, bgt_refusal *BGTASK_NULLABLE refusal) BGTASK_NOEXCEPT;

    /* Cancels an open transfer. Its part of a file is deleted. Returns after the durable commit.
     * BGT_OK: also when the transfer has ended or does not exist; BGT_UNAVAILABLE: the commit failed; BGT_WRONG_ROLE.
     * @call thread=any phase=entry,running,stop blocks=commit */
    int32_t (*cancel)(const bgt_host *host, uint64_t number, bgt_refusal *BGTASK_NULLABLE refusal) BGTASK_NOEXCEPT;

    /* Visits a snapshot of the transfers of a session, of all sessions if `session` is NULL: the open ones, and those
     * that have ended and are not forgotten, in the order of their numbers.
     * BGT_OK; the status of the visitor; BGT_UNAVAILABLE: the host could not read them; BGT_WRONG_ROLE; BGT_INVALID:
     * visitor NULL, session malformed.
     * @call thread=any phase=entry,running,stop blocks=answer */
    int32_t (*list)(const bgt_host *host, const char *BGTASK_NULLABLE session,
                    bgt_transfer_visitor BGTASK_NULLABLE visitor, void *BGTASK_NULLABLE context,
                    bgt_refusal *BGTASK_NULLABLE refusal) BGTASK_NOEXCEPT;

    /* Moves the file of an ended transfer to `to`, which is relative to the container or an absolute path in it. The
     * directory of `to` exists. An existing file is an error, unless `flags` has BGT_TAKE_REPLACE. The file appears
     * whole or not at all. Returns before the host records it. A transfer that no `list` of this process has visited
     * is looked up first.
     * BGT_OK; BGT_NOT_FOUND: the transfer is open or unknown, has no file, or its file is taken; BGT_DUPLICATE: `to`
     * exists; BGT_UNAVAILABLE: the system refused the move; BGT_WRONG_ROLE; BGT_TOO_NEW: an unknown flag; BGT_INVALID:
     * `to` is NULL, or outside of the container.
     * @call thread=any phase=entry,running,stop blocks=answer */
    int32_t (*take)(const bgt_host *host, uint64_t number, const char *BGTASK_NULLABLE to, uint32_t flags,
                    bgt_refusal *BGTASK_NULLABLE refusal) BGTASK_NOEXCEPT;
} bgt_transfers;

/* The notification of an alert push (BGT_EVENT_NOTIFICATION): an extension may change its content. Without a changed
 * content, and after any end other than BGT_OUTCOME_SUCCESS, the host shows the original. */
#define BGTASK_NOTIFICATION "bgtask.notification/1"
#define BGTASK_NOTIFICATION_MAX 4096u /* bytes, of a content */
typedef struct bgt_notifications {
    uint32_t size;
    uint32_t reserved; /* 0 */

    /* Sets the content of the notification: a JSON object in UTF-8 with the texts `title`, `subtitle` and `body`, each
     * of which may be missing, but not all of them. The host ignores other members. The content replaces the original
     * as a whole when the task completes with BGT_OUTCOME_SUCCESS; the last call counts. The bytes are copied. The host
     * shows the original if they are no such object.
     * BGT_OK; BGT_INVALID: NULL, empty, or more than BGTASK_NOTIFICATION_MAX bytes; BGT_WRONG_KIND: no alert push;
     * BGT_NO_SUCH_TASK, BGT_ALREADY_COMPLETED.
     * @call thread=any phase=running,stop blocks=no */
    int32_t (*set_content)(const bgt_host *host, bgt_task task, const char *BGTASK_NULLABLE json, uint64_t length,
                           bgt_refusal *BGTASK_NULLABLE refusal) BGTASK_NOEXCEPT;
} bgt_notifications;

/* With BGTASK_DECLARATIONS_ONLY, for generators of bindings, the header has types, constants and ids alone: no
 * assertions, no functions, and no include of time.h. */
#ifndef BGTASK_DECLARATIONS_ONLY

/* ---- Layout (BGT-ABI-04) ----------------------------------------------------------------------------------------- */

#define BGTASK_LAYOUT_(name)                                                                                           \
    "layout of " name ": built plugins rely on it, so add members only at the end of a struct, and raise "             \
    "BGTASK_ABI_MINOR with the size asserted here. In a plugin: include bgtask.h without packed structs"
#define BGTASK_SIZE_(type, bytes) BGTASK_ASSERT_(sizeof(type) == (bytes), BGTASK_LAYOUT_(#type))
#define BGTASK_AT_(type, field, offset)                                                                                \
    BGTASK_ASSERT_(offsetof(type, field) == (offset), BGTASK_LAYOUT_(#type "." #field))

BGTASK_SIZE_(bgt_request, 80);
BGTASK_AT_(bgt_request, size, 0);
BGTASK_AT_(bgt_request, kind, 4);
BGTASK_AT_(bgt_request, flags, 8);
BGTASK_AT_(bgt_request, strategy, 12);
BGTASK_AT_(bgt_request, identifier, 16);
BGTASK_AT_(bgt_request, earliest_begin_ns, 24);
BGTASK_AT_(bgt_request, payload, 32);
BGTASK_AT_(bgt_request, payload_length, 40);
BGTASK_AT_(bgt_request, title, 48);
BGTASK_AT_(bgt_request, subtitle, 56);
BGTASK_AT_(bgt_request, resources, 64);
BGTASK_AT_(bgt_request, expires_at_ns, 72);

BGTASK_SIZE_(bgt_refusal, 256);
BGTASK_AT_(bgt_refusal, size, 0);
BGTASK_AT_(bgt_refusal, sub_reason, 4);
BGTASK_AT_(bgt_refusal, submission, 8);
BGTASK_AT_(bgt_refusal, text, 16);

BGTASK_SIZE_(bgt_pending, 88);
BGTASK_AT_(bgt_pending, size, 0);
BGTASK_AT_(bgt_pending, kind, 4);
BGTASK_AT_(bgt_pending, flags, 8);
BGTASK_AT_(bgt_pending, strategy, 12);
BGTASK_AT_(bgt_pending, identifier, 16);
BGTASK_AT_(bgt_pending, earliest_begin_ns, 24);
BGTASK_AT_(bgt_pending, payload, 32);
BGTASK_AT_(bgt_pending, payload_length, 40);
BGTASK_AT_(bgt_pending, title, 48);
BGTASK_AT_(bgt_pending, subtitle, 56);
BGTASK_AT_(bgt_pending, resources, 64);
BGTASK_AT_(bgt_pending, submission, 72);
BGTASK_AT_(bgt_pending, expires_at_ns, 80);

BGTASK_SIZE_(bgt_launch_info, 96);
BGTASK_AT_(bgt_launch_info, size, 0);
BGTASK_AT_(bgt_launch_info, lane, 4);
BGTASK_AT_(bgt_launch_info, cause, 8);
BGTASK_AT_(bgt_launch_info, role, 12);
BGTASK_AT_(bgt_launch_info, launch, 16);
BGTASK_AT_(bgt_launch_info, remaining_ns, 24);
BGTASK_AT_(bgt_launch_info, deadline_ns, 32);
BGTASK_AT_(bgt_launch_info, grace_ns, 40);
BGTASK_AT_(bgt_launch_info, plugin, 48);
BGTASK_AT_(bgt_launch_info, identifiers, 56);
BGTASK_AT_(bgt_launch_info, identifier_count, 64);
BGTASK_AT_(bgt_launch_info, supported_resources, 72);
BGTASK_AT_(bgt_launch_info, host_name, 80);
BGTASK_AT_(bgt_launch_info, host_version, 88);

BGTASK_SIZE_(bgt_task_info, 88);
BGTASK_AT_(bgt_task_info, size, 0);
BGTASK_AT_(bgt_task_info, kind, 4);
BGTASK_AT_(bgt_task_info, event, 8);
BGTASK_AT_(bgt_task_info, attempt, 12);
BGTASK_AT_(bgt_task_info, identifier, 16);
BGTASK_AT_(bgt_task_info, payload, 24);
BGTASK_AT_(bgt_task_info, payload_length, 32);
BGTASK_AT_(bgt_task_info, submission, 40);
BGTASK_AT_(bgt_task_info, flags, 48);
BGTASK_AT_(bgt_task_info, expiration_reason, 52);
BGTASK_AT_(bgt_task_info, title, 56);
BGTASK_AT_(bgt_task_info, subtitle, 64);
BGTASK_AT_(bgt_task_info, fleet_item, 72);
BGTASK_AT_(bgt_task_info, fence, 80);

BGTASK_SIZE_(bgt_plugin, 48);
BGTASK_AT_(bgt_plugin, size, 0);
BGTASK_AT_(bgt_plugin, reserved, 4);
BGTASK_AT_(bgt_plugin, context, 8);
BGTASK_AT_(bgt_plugin, receive, 16);
BGTASK_AT_(bgt_plugin, run_main, 24);
BGTASK_AT_(bgt_plugin, stop, 32);
BGTASK_AT_(bgt_plugin, quiet_ns, 40);

BGTASK_SIZE_(bgt_host, 168);
BGTASK_AT_(bgt_host, size, 0);
BGTASK_AT_(bgt_host, minor, 4);
BGTASK_AT_(bgt_host, launch_info, 8);
BGTASK_AT_(bgt_host, register_handler, 16);
BGTASK_AT_(bgt_host, submit, 24);
BGTASK_AT_(bgt_host, cancel, 32);
BGTASK_AT_(bgt_host, cancel_all, 40);
BGTASK_AT_(bgt_host, pending, 48);
BGTASK_AT_(bgt_host, task_info, 56);
BGTASK_AT_(bgt_host, set_expiration_handler, 64);
BGTASK_AT_(bgt_host, complete, 72);
BGTASK_AT_(bgt_host, remaining, 80);
BGTASK_AT_(bgt_host, is_expiring, 88);
BGTASK_AT_(bgt_host, set_progress, 96);
BGTASK_AT_(bgt_host, set_title, 104);
BGTASK_AT_(bgt_host, begin_assertion, 112);
BGTASK_AT_(bgt_host, end_assertion, 120);
BGTASK_AT_(bgt_host, container_path, 128);
BGTASK_AT_(bgt_host, setting, 136);
BGTASK_AT_(bgt_host, log, 144);
BGTASK_AT_(bgt_host, name, 152);
BGTASK_AT_(bgt_host, query, 160);

BGTASK_SIZE_(bgt_legacy_fetch, 16);
BGTASK_AT_(bgt_legacy_fetch, size, 0);
BGTASK_AT_(bgt_legacy_fetch, reserved, 4);
BGTASK_AT_(bgt_legacy_fetch, set_minimum_interval, 8);

BGTASK_SIZE_(bgt_cursor_info, 40);
BGTASK_AT_(bgt_cursor_info, size, 0);
BGTASK_AT_(bgt_cursor_info, reserved, 4);
BGTASK_AT_(bgt_cursor_info, length, 8);
BGTASK_AT_(bgt_cursor_info, moved_at_ns, 16);
BGTASK_AT_(bgt_cursor_info, submission, 24);
BGTASK_AT_(bgt_cursor_info, version, 32);

BGTASK_SIZE_(bgt_cursors, 32);
BGTASK_AT_(bgt_cursors, size, 0);
BGTASK_AT_(bgt_cursors, reserved, 4);
BGTASK_AT_(bgt_cursors, read, 8);
BGTASK_AT_(bgt_cursors, checkpoint, 16);
BGTASK_AT_(bgt_cursors, discard, 24);

BGTASK_SIZE_(bgt_pushes, 24);
BGTASK_AT_(bgt_pushes, size, 0);
BGTASK_AT_(bgt_pushes, reserved, 4);
BGTASK_AT_(bgt_pushes, register_plugin, 8);
BGTASK_AT_(bgt_pushes, unregister_plugin, 16);

BGTASK_SIZE_(bgt_transfer, 120);
BGTASK_AT_(bgt_transfer, size, 0);
BGTASK_AT_(bgt_transfer, kind, 4);
BGTASK_AT_(bgt_transfer, flags, 8);
BGTASK_AT_(bgt_transfer, reserved, 12);
BGTASK_AT_(bgt_transfer, session, 16);
BGTASK_AT_(bgt_transfer, url, 24);
BGTASK_AT_(bgt_transfer, label, 32);
BGTASK_AT_(bgt_transfer, method, 40);
BGTASK_AT_(bgt_transfer, file, 48);
BGTASK_AT_(bgt_transfer, headers, 56);
BGTASK_AT_(bgt_transfer, header_count, 64);
BGTASK_AT_(bgt_transfer, secret_headers, 72);
BGTASK_AT_(bgt_transfer, secret_header_count, 80);
BGTASK_AT_(bgt_transfer, sha256, 88);
BGTASK_AT_(bgt_transfer, expected_size, 96);
BGTASK_AT_(bgt_transfer, earliest_begin_ns, 104);
BGTASK_AT_(bgt_transfer, expires_at_ns, 112);

BGTASK_SIZE_(bgt_transfer_info, 80);
BGTASK_AT_(bgt_transfer_info, size, 0);
BGTASK_AT_(bgt_transfer_info, kind, 4);
BGTASK_AT_(bgt_transfer_info, state, 8);
BGTASK_AT_(bgt_transfer_info, http_status, 12);
BGTASK_AT_(bgt_transfer_info, number, 16);
BGTASK_AT_(bgt_transfer_info, session, 24);
BGTASK_AT_(bgt_transfer_info, url, 32);
BGTASK_AT_(bgt_transfer_info, label, 40);
BGTASK_AT_(bgt_transfer_info, code, 48);
BGTASK_AT_(bgt_transfer_info, file, 56);
BGTASK_AT_(bgt_transfer_info, bytes, 64);
BGTASK_AT_(bgt_transfer_info, total, 72);

BGTASK_SIZE_(bgt_transfers, 40);
BGTASK_AT_(bgt_transfers, size, 0);
BGTASK_AT_(bgt_transfers, reserved, 4);
BGTASK_AT_(bgt_transfers, begin, 8);
BGTASK_AT_(bgt_transfers, cancel, 16);
BGTASK_AT_(bgt_transfers, list, 24);
BGTASK_AT_(bgt_transfers, take, 32);

BGTASK_SIZE_(bgt_notifications, 16);
BGTASK_AT_(bgt_notifications, size, 0);
BGTASK_AT_(bgt_notifications, reserved, 4);
BGTASK_AT_(bgt_notifications, set_content, 8);

/* ---- Conveniences: inline functions of the plugin, no part of the ABI -------------------------------------------- */

BGTASK_INLINE_ bgt_request bgtask_request_(uint32_t kind, const char *identifier) {
    bgt_request request = BGTASK_ZERO_;
    request.size = sizeof request;
    request.kind = kind;
    request.identifier = identifier;
    return request;
}

/* Requests with `size` set and default values otherwise. The strings are referenced, not copied, until `submit`. */
BGTASK_INLINE_ bgt_request bgt_refresh_request(const char *identifier) {
    return bgtask_request_(BGT_KIND_REFRESH, identifier);
}

BGTASK_INLINE_ bgt_request bgt_processing_request(const char *identifier, uint32_t flags) {
    bgt_request request = bgtask_request_(BGT_KIND_PROCESSING, identifier);
    request.flags = flags;
    return request;
}

/* `protection` is one of BGT_PROTECTION_... */
BGTASK_INLINE_ bgt_request bgt_health_research_request(const char *identifier, uint32_t flags, uint32_t protection) {
    bgt_request request = bgtask_request_(BGT_KIND_HEALTH_RESEARCH, identifier);
    request.flags = flags | protection;
    return request;
}

BGTASK_INLINE_ bgt_request bgt_continued_request(const char *identifier, const char *title,
                                                 const char *BGTASK_NULLABLE subtitle) {
    bgt_request request = bgtask_request_(BGT_KIND_CONTINUED, identifier);
    request.strategy = BGT_STRATEGY_QUEUE;
    request.title = title;
    request.subtitle = subtitle;
    return request;
}

/* Wall-clock time for earliest_begin_ns and expires_at_ns of bgt_request. INT64_MAX, that is never, when the time is
 * out of range; 0, that is no delay and no deadline, when it is before 1970. */
BGTASK_INLINE_ int64_t bgt_seconds_from_now(int64_t seconds) {
    struct timespec now = BGTASK_ZERO_;
    (void)timespec_get(&now, TIME_UTC);
    if (seconds > INT64_MAX / 1000000000 - now.tv_sec - 1) {
        return INT64_MAX;
    }
    return seconds < -now.tv_sec ? 0 : (now.tv_sec + seconds) * 1000000000 + now.tv_nsec;
}

/* bgt_get_launch_info, bgt_get_task_info and bgt_submit set `size` of the struct that the host fills. */
BGTASK_INLINE_ int32_t bgt_get_launch_info(const bgt_host *host, bgt_launch_info *out) {
    out->size = sizeof *out;
    return host->launch_info(host, out);
}

BGTASK_INLINE_ int32_t bgt_get_task_info(const bgt_host *host, bgt_task task, bgt_task_info *out) {
    out->size = sizeof *out;
    return host->task_info(host, task, out);
}

BGTASK_INLINE_ int32_t bgt_submit(const bgt_host *host, const bgt_request *request,
                                  bgt_refusal *BGTASK_NULLABLE refusal) {
    if (refusal != NULL) {
        refusal->size = sizeof *refusal;
    }
    return host->submit(host, request, refusal);
}

/* A task whose registration failed never runs, so the result must be checked. */
#define BGTASK_MUST_CHECK_ __attribute__((__warn_unused_result__))

BGTASK_MUST_CHECK_ BGTASK_INLINE_ int32_t bgt_register(const bgt_host *host, const char *identifier,
                                                       bgt_handler handler, void *BGTASK_NULLABLE context) {
    return host->register_handler(host, identifier, handler, context, NULL, NULL);
}

BGTASK_MUST_CHECK_ BGTASK_INLINE_ int32_t bgt_register_with_release(const bgt_host *host, const char *identifier,
                                                                    bgt_handler handler, void *BGTASK_NULLABLE context,
                                                                    bgt_release release) {
    return host->register_handler(host, identifier, handler, context, release, NULL);
}

/* Registers a handler and explains a failure in `refusal`. */
BGTASK_MUST_CHECK_ BGTASK_INLINE_ int32_t bgt_register_or_explain(const bgt_host *host, const char *identifier,
                                                                  bgt_handler handler, void *BGTASK_NULLABLE context,
                                                                  bgt_release BGTASK_NULLABLE release,
                                                                  bgt_refusal *refusal) {
    refusal->size = sizeof *refusal;
    return host->register_handler(host, identifier, handler, context, release, refusal);
}

BGTASK_INLINE_ int32_t bgt_set_expiration_handler(const bgt_host *host, bgt_task task,
                                                  bgt_expiration_handler BGTASK_NULLABLE handler,
                                                  void *BGTASK_NULLABLE context) {
    return host->set_expiration_handler(host, task, handler, context, NULL);
}

BGTASK_INLINE_ int32_t bgt_set_expiration_handler_with_release(const bgt_host *host, bgt_task task,
                                                               bgt_expiration_handler BGTASK_NULLABLE handler,
                                                               void *BGTASK_NULLABLE context, bgt_release release) {
    return host->set_expiration_handler(host, task, handler, context, release);
}

BGTASK_INLINE_ int32_t bgt_cancel(const bgt_host *host, const char *identifier) {
    return host->cancel(host, identifier, NULL);
}

BGTASK_INLINE_ int32_t bgt_cancel_all(const bgt_host *host) {
    return host->cancel_all(host, NULL);
}

BGTASK_INLINE_ int32_t bgt_visit_pending(const bgt_host *host, bgt_pending_visitor visitor,
                                         void *BGTASK_NULLABLE context) {
    return host->pending(host, visitor, context, NULL);
}

BGTASK_INLINE_ int32_t bgt_complete(const bgt_host *host, bgt_task task, int32_t outcome) {
    return host->complete(host, task, outcome, NULL);
}

BGTASK_INLINE_ int32_t bgt_complete_with_message(const bgt_host *host, bgt_task task, int32_t outcome,
                                                 const char *BGTASK_NULLABLE message) {
    return host->complete(host, task, outcome, message);
}

BGTASK_INLINE_ uint64_t bgt_remaining(const bgt_host *host) {
    return host->remaining(host);
}

BGTASK_INLINE_ int32_t bgt_is_expiring(const bgt_host *host, bgt_task task) {
    return host->is_expiring(host, task);
}

BGTASK_INLINE_ int32_t bgt_set_progress(const bgt_host *host, bgt_task task, int64_t completed, int64_t total) {
    return host->set_progress(host, task, completed, total);
}

BGTASK_INLINE_ int32_t bgt_set_title(const bgt_host *host, bgt_task task, const char *title,
                                     const char *BGTASK_NULLABLE subtitle) {
    return host->set_title(host, task, title, subtitle);
}

BGTASK_INLINE_ int32_t bgt_begin_assertion(const bgt_host *host, const char *name,
                                           bgt_assertion_handler BGTASK_NULLABLE on_expire,
                                           void *BGTASK_NULLABLE context, bgt_release BGTASK_NULLABLE release,
                                           bgt_assertion *out) {
    return host->begin_assertion(host, name, on_expire, context, release, out, NULL);
}

BGTASK_INLINE_ int32_t bgt_end_assertion(const bgt_host *host, bgt_assertion assertion) {
    return host->end_assertion(host, assertion);
}

/* BGT_NOT_OFFERED when the host has no legacy fetch. */
BGTASK_INLINE_ int32_t bgt_set_minimum_fetch_interval(const bgt_host *host, uint64_t seconds) {
    const bgt_legacy_fetch *fetch = BGTASK_CAST_(const bgt_legacy_fetch *, host->query(host, BGTASK_LEGACY_FETCH));
    return fetch == NULL ? BGT_NOT_OFFERED : fetch->set_minimum_interval(host, seconds, NULL);
}

/* BGT_NOT_OFFERED when the host has no cursors. */
BGTASK_INLINE_ int32_t bgt_read_cursor(const bgt_host *host, bgt_task task, bgt_cursor_info *BGTASK_NULLABLE info,
                                       uint8_t *BGTASK_NULLABLE buffer, uint64_t capacity) {
    const bgt_cursors *cursors = BGTASK_CAST_(const bgt_cursors *, host->query(host, BGTASK_CURSOR));
    if (info != NULL) {
        info->size = sizeof *info;
    }
    return cursors == NULL ? BGT_NOT_OFFERED : cursors->read(host, task, info, buffer, capacity);
}

BGTASK_INLINE_ int32_t bgt_checkpoint(const bgt_host *host, bgt_task task, const void *cursor, uint64_t length,
                                      uint32_t flags) {
    const bgt_cursors *cursors = BGTASK_CAST_(const bgt_cursors *, host->query(host, BGTASK_CURSOR));
    if (cursors == NULL) {
        return BGT_NOT_OFFERED;
    }
    return cursors->checkpoint(host, task, BGTASK_CAST_(const uint8_t *, cursor), length, flags, NULL);
}

BGTASK_INLINE_ int32_t bgt_discard_cursor(const bgt_host *host, bgt_task task) {
    const bgt_cursors *cursors = BGTASK_CAST_(const bgt_cursors *, host->query(host, BGTASK_CURSOR));
    return cursors == NULL ? BGT_NOT_OFFERED : cursors->discard(host, task, NULL);
}

/* BGT_NOT_OFFERED when the host has no pushes. */
BGTASK_INLINE_ int32_t bgt_register_for_pushes(const bgt_host *host, uint8_t *BGTASK_NULLABLE buffer,
                                               uint64_t capacity, uint64_t *BGTASK_NULLABLE needed) {
    const bgt_pushes *pushes = BGTASK_CAST_(const bgt_pushes *, host->query(host, BGTASK_PUSH));
    return pushes == NULL ? BGT_NOT_OFFERED : pushes->register_plugin(host, buffer, capacity, needed, NULL);
}

BGTASK_INLINE_ int32_t bgt_unregister_for_pushes(const bgt_host *host) {
    const bgt_pushes *pushes = BGTASK_CAST_(const bgt_pushes *, host->query(host, BGTASK_PUSH));
    return pushes == NULL ? BGT_NOT_OFFERED : pushes->unregister_plugin(host, NULL);
}

/* A download or an upload of a file of the container with default values otherwise. The strings are referenced, not
 * copied, until bgt_begin_transfer. */
BGTASK_INLINE_ bgt_transfer bgt_download(const char *session, const char *url) {
    bgt_transfer transfer = BGTASK_ZERO_;
    transfer.size = sizeof transfer;
    transfer.kind = BGT_TRANSFER_DOWNLOAD;
    transfer.session = session;
    transfer.url = url;
    return transfer;
}

BGTASK_INLINE_ bgt_transfer bgt_upload(const char *session, const char *url, const char *file) {
    bgt_transfer transfer = bgt_download(session, url);
    transfer.kind = BGT_TRANSFER_UPLOAD;
    transfer.file = file;
    return transfer;
}

/* BGT_NOT_OFFERED when the host has no transfers. Sets `size` of the refusal. */
BGTASK_INLINE_ int32_t bgt_begin_transfer(const bgt_host *host, const bgt_transfer *transfer,
                                          uint64_t *BGTASK_NULLABLE number, bgt_refusal *BGTASK_NULLABLE refusal) {
    const bgt_transfers *transfers = BGTASK_CAST_(const bgt_transfers *, host->query(host, BGTASK_TRANSFER));
    if (refusal != NULL) {
        refusal->size = sizeof *refusal;
    }
    return transfers == NULL ? BGT_NOT_OFFERED : transfers->begin(host, transfer, number, refusal);
}

BGTASK_INLINE_ int32_t bgt_cancel_transfer(const bgt_host *host, uint64_t number) {
    const bgt_transfers *transfers = BGTASK_CAST_(const bgt_transfers *, host->query(host, BGTASK_TRANSFER));
    return transfers == NULL ? BGT_NOT_OFFERED : transfers->cancel(host, number, NULL);
}

/* Visits the transfers of a session, or with NULL those of all sessions. */
BGTASK_INLINE_ int32_t bgt_visit_transfers(const bgt_host *host, const char *BGTASK_NULLABLE session,
                                           bgt_transfer_visitor visitor, void *BGTASK_NULLABLE context) {
    const bgt_transfers *transfers = BGTASK_CAST_(const bgt_transfers *, host->query(host, BGTASK_TRANSFER));
    return transfers == NULL ? BGT_NOT_OFFERED : transfers->list(host, session, visitor, context, NULL);
}

/* `flags`: 0 or BGT_TAKE_REPLACE. */
BGTASK_INLINE_ int32_t bgt_take_transfer(const bgt_host *host, uint64_t number, const char *to, uint32_t flags) {
    const bgt_transfers *transfers = BGTASK_CAST_(const bgt_transfers *, host->query(host, BGTASK_TRANSFER));
    return transfers == NULL ? BGT_NOT_OFFERED : transfers->take(host, number, to, flags, NULL);
}

/* The transfer that bgt_show_transfer looks for. */
typedef struct bgtask_shown_ {
    uint64_t number, bytes, total;
    uint32_t state, reserved;
} bgtask_shown_;

BGTASK_INLINE_ int32_t bgtask_find_shown_(void *BGTASK_NULLABLE context, const bgt_host *host,
                                          const bgt_transfer_info *transfer) BGTASK_NOEXCEPT {
    bgtask_shown_ *shown = BGTASK_CAST_(bgtask_shown_ *, context);
    (void)host;
    if (shown != NULL && transfer->number == shown->number) {
        shown->bytes = transfer->bytes;
        shown->total = transfer->total;
        shown->state = transfer->state;
    }
    return BGT_OK;
}

/* Sets the progress of a continued task to that of a transfer of the session, in bytes. Call it about once a second
 * while `state` is below BGT_TRANSFER_FINISHED: as with all progress, the task expires when the bytes do not grow for
 * the stall limit of the host. `session` may be NULL. BGT_NOT_FOUND: the transfer is unknown, or forgotten after its
 * end, or the session has more transfers than one list contains; `state` is 0 then. End the loop at each failure. */
BGTASK_INLINE_ int32_t bgt_show_transfer(const bgt_host *host, bgt_task task, const char *BGTASK_NULLABLE session,
                                         uint64_t number, uint32_t *BGTASK_NULLABLE state) {
    bgtask_shown_ shown = BGTASK_ZERO_;
    shown.number = number;
    const int32_t status = bgt_visit_transfers(host, session, bgtask_find_shown_, &shown);
    if (state != NULL) {
        *state = shown.state;
    }
    if (status != BGT_OK || shown.state == 0) {
        return status != BGT_OK ? status : BGT_NOT_FOUND;
    }
    const uint64_t known = shown.total == 0 && shown.state == BGT_TRANSFER_FINISHED ? shown.bytes : shown.total;
    const uint64_t most = INT64_MAX, total = known == 0 || known > most ? most : known;
    const uint64_t bytes = shown.bytes < total ? shown.bytes : total;
    return host->set_progress(host, task, BGTASK_CAST_(int64_t, bytes), BGTASK_CAST_(int64_t, total));
}

/* BGT_NOT_OFFERED when the host has no notification service extensions. */
BGTASK_INLINE_ int32_t bgt_set_notification_content(const bgt_host *host, bgt_task task, const char *json,
                                                    uint64_t length) {
    const bgt_notifications *notifications =
        BGTASK_CAST_(const bgt_notifications *, host->query(host, BGTASK_NOTIFICATION));
    return notifications == NULL ? BGT_NOT_OFFERED : notifications->set_content(host, task, json, length, NULL);
}

/* A place in the work of bgt_for_each. */
typedef struct bgt_position {
    uint64_t length; /* 0: the start */
    uint8_t cursor[BGTASK_CURSOR_MAX];
} bgt_position;

/* Result of one step of bgt_for_each. */
typedef enum bgt_step {
    BGT_STEP_DONE = -1000, /* one item is done, and `next` is the place behind it */
    BGT_STEP_END = -1001   /* no item was left, nothing was done */
} bgt_step;

/* Does the item at `here` and fills `next`, which is empty before. Returns BGT_STEP_DONE or BGT_STEP_END; any other
 * number, such as the status of a call, is a failure. */
typedef int32_t (*bgt_item)(void *BGTASK_NULLABLE context, const bgt_host *host, bgt_task task,
                            const bgt_position *here, bgt_position *next) BGTASK_NOEXCEPT;

/* Whether the work behind the cursor `here` of an earlier run is the rest of this task's work: not 0. A new version
 * that cannot use the cursor compares `info->version`. A task whose payload names other work compares
 * `info->submission`. */
typedef int32_t (*bgt_accepts)(void *BGTASK_NULLABLE context, const bgt_host *host, bgt_task task,
                               const bgt_cursor_info *info, const bgt_position *here) BGTASK_NOEXCEPT;

/* Reads the place where bgt_for_each_accepted begins. Deletes a cursor that `accepts` refuses. */
BGTASK_INLINE_ int32_t bgt_find_position_(const bgt_host *host, bgt_task task, bgt_accepts BGTASK_NULLABLE accepts,
                                          void *BGTASK_NULLABLE context, bgt_position *here) {
    bgt_cursor_info info = BGTASK_ZERO_;
    here->length = 0;
    const int32_t status = bgt_read_cursor(host, task, &info, here->cursor, sizeof here->cursor);
    if (status != BGT_OK) {
        return status == BGT_NOT_FOUND ? BGT_OK : status;
    }
    here->length = info.length;
    if (accepts != NULL && !accepts(context, host, task, &info, here)) {
        here->length = 0;
        /* The host repeats a failed commit, and the next checkpoint replaces the cursor. */
        const int32_t discard = bgt_discard_cursor(host, task);
        return discard == BGT_UNAVAILABLE ? BGT_OK : discard;
    }
    return BGT_OK;
}

/* Does the rest of a task's work item by item, and completes the task: as a success after the last item, otherwise as a
 * failure. An interrupted task continues behind its last item. The cursor moves only after an item is done, so no item
 * is skipped; the item during which the process ended is done again. Stops between two items when the task is expiring.
 * `accepts` receives the cursor of an earlier run before the first item, and the `context` of `item`. If it returns 0,
 * the cursor is deleted, and the work begins from the start. NULL: each cursor is accepted.
 * `flags`: of checkpoint. After a failed commit the loop goes on: the next checkpoint confirms the earlier ones, and
 * before the completion the last one is repeated a few times. One loop per task.
 * BGT_OK: all items are done; BGT_ENDED: the task is expiring, or the task of a newer request of the identifier has
 * started, and does the rest; BGT_INVALID: the next place is empty, too long or the same as before;
 * BGT_NOT_OFFERED: this host has no cursors, nothing was done and the task is open; the status of the item or of
 * checkpoint, except BGT_UNAVAILABLE of checkpoint. */
BGTASK_MUST_CHECK_ BGTASK_INLINE_ int32_t bgt_for_each_accepted(const bgt_host *host, bgt_task task,
                                                                bgt_accepts BGTASK_NULLABLE accepts, bgt_item item,
                                                                void *BGTASK_NULLABLE context, uint32_t flags) {
    bgt_position places[2];
    unsigned now = 0;
    int32_t checkpoint = BGT_OK;
    int32_t status = bgt_find_position_(host, task, accepts, context, &places[0]);
    if (status == BGT_NOT_OFFERED) {
        return status;
    }
    while (status == BGT_OK) {
        const bgt_position *here = &places[now];
        bgt_position *next = &places[1 - now];
        if (host->is_expiring(host, task)) {
            status = BGT_ENDED;
            break;
        }
        next->length = 0;
        status = item(context, host, task, here, next);
        if (status == BGT_STEP_DONE) {
            status = BGT_INVALID;
            if (next->length != 0 && next->length <= BGTASK_CURSOR_MAX &&
                (next->length != here->length || __builtin_memcmp(next->cursor, here->cursor, next->length) != 0)) {
                checkpoint = bgt_checkpoint(host, task, next->cursor, next->length, flags);
                /* The cursor is written, and the host repeats the commit. */
                status = checkpoint == BGT_UNAVAILABLE ? BGT_OK : checkpoint;
                now = 1 - now;
            }
        } else if (status == BGT_OK) {
            status = BGT_INVALID;
        }
    }
    /* Each repetition waits for the next commit. */
    for (int left = 3; left > 0 && checkpoint == BGT_UNAVAILABLE && !host->is_expiring(host, task); left--) {
        checkpoint = bgt_checkpoint(host, task, places[now].cursor, places[now].length, flags);
    }
    if (status == BGT_STEP_END) {
        return host->complete(host, task, BGT_OUTCOME_SUCCESS, NULL);
    }
    (void)host->complete(host, task, BGT_OUTCOME_FAILURE, NULL);
    return status;
}

/* bgt_for_each_accepted that accepts each cursor. */
BGTASK_MUST_CHECK_ BGTASK_INLINE_ int32_t bgt_for_each(const bgt_host *host, bgt_task task, bgt_item item,
                                                       void *BGTASK_NULLABLE context, uint32_t flags) {
    return bgt_for_each_accepted(host, task, NULL, item, context, flags);
}

BGTASK_INLINE_ int32_t bgt_container_path(const bgt_host *host, char *BGTASK_NULLABLE buffer, uint64_t capacity,
                                          uint64_t *BGTASK_NULLABLE needed) {
    return host->container_path(host, buffer, capacity, needed);
}

BGTASK_INLINE_ int32_t bgt_setting(const bgt_host *host, const char *key, char *BGTASK_NULLABLE buffer,
                                   uint64_t capacity, uint64_t *BGTASK_NULLABLE needed) {
    return host->setting(host, key, buffer, capacity, needed);
}

/* A line about the launch; bgt_log_task: about one task. */
BGTASK_INLINE_ void bgt_log(const bgt_host *host, uint32_t level, const char *message) {
    host->log(host, 0, level, message);
}

BGTASK_INLINE_ void bgt_log_task(const bgt_host *host, bgt_task task, uint32_t level, const char *message) {
    host->log(host, task, level, message);
}

BGTASK_INLINE_ const char *bgt_status_name(const bgt_host *host, int32_t status) {
    return host->name(host, BGT_VOCABULARY_STATUS, status);
}

BGTASK_INLINE_ const char *bgt_name(const bgt_host *host, uint32_t vocabulary, int64_t number) {
    return host->name(host, vocabulary, number);
}

BGTASK_INLINE_ const void *BGTASK_NULLABLE bgt_query(const bgt_host *host, const char *id) {
    return host->query(host, id);
}

#endif /* BGTASK_DECLARATIONS_ONLY */

#ifdef __cplusplus
}
#endif

#ifdef __clang__
#pragma clang assume_nonnull end
#pragma clang diagnostic pop
#endif

/* Returns from the enclosing function with the status of `expression` unless it is BGT_OK. */
#define BGTASK_TRY(expression)                                                                                         \
    do {                                                                                                               \
        const int32_t bgtask_status_ = (expression);                                                                   \
        if (bgtask_status_ != BGT_OK) {                                                                                \
            return bgtask_status_;                                                                                     \
        }                                                                                                              \
    } while (0)

/* ---- Entry and ELF note ------------------------------------------------------------------------------------------ */

/* The note, which is read before the library is loaded. Section .note.bgtask, type SHT_NOTE, 4-byte aligned,
 * little-endian 32-bit fields: 7 (length of the name with its NUL), 12 (length of the descriptor), BGTASK_NOTE_TYPE,
 * "bgtask" padded with NULs to 8 bytes, ABI major, required minor, minor of the header that the plugin was built with.
 * Languages without the macro emit the same 32 bytes. */
#define BGTASK_NOTE_SECTION ".note.bgtask"
#define BGTASK_NOTE_OWNER "bgtask"
#define BGTASK_NOTE_TYPE 1u

#ifdef __has_attribute
#if __has_attribute(__retain__)
#define BGTASK_RETAIN_ , __retain__
#endif
#endif
#ifndef BGTASK_RETAIN_
#define BGTASK_RETAIN_
#endif

/* AddressSanitizer of clang would pad the note. */
#ifdef __clang__
#define BGTASK_PLAIN_ , __no_sanitize__("address")
#else
#define BGTASK_PLAIN_
#endif

/* A target that is defined or changed after the include would reach the note alone. */
enum { BGTASK_TARGET_AT_INCLUDE_ = BGTASK_TARGET_MINOR };

/* Emits only the note, for an entry written without BGTASK_PLUGIN_ENTRY. Use it once per library, at file scope. */
#define BGTASK_PLUGIN_NOTE                                                                                             \
    BGTASK_ASSERT_((BGTASK_TARGET_MINOR + 0u) == (BGTASK_TARGET_AT_INCLUDE_ + 0u),                                     \
                   "define BGTASK_TARGET_MINOR before bgtask.h");                                                      \
    static const struct {                                                                                              \
        uint32_t name_size, descriptor_size, type;                                                                     \
        char owner[8];                                                                                                 \
        uint32_t abi_major, required_minor, header_minor;                                                              \
    } bgtask_note_                                                                                                     \
        __attribute__((__section__(BGTASK_NOTE_SECTION), __aligned__(4), __used__ BGTASK_RETAIN_ BGTASK_PLAIN_)) = {   \
            sizeof BGTASK_NOTE_OWNER, 12u,                 BGTASK_NOTE_TYPE, BGTASK_NOTE_OWNER,                        \
            BGTASK_ABI_MAJOR,         BGTASK_TARGET_MINOR, BGTASK_ABI_MINOR}

/* Defines bgtask_plugin_entry and the note. Use it once per library, at file scope, followed by the body:
 *     BGTASK_PLUGIN_ENTRY(host, plugin) { ... return BGT_OK; } */
#define BGTASK_PLUGIN_ENTRY(host, plugin)                                                                              \
    BGTASK_PLUGIN_NOTE;                                                                                                \
    BGTASK_EXTERN_C_ __attribute__((__visibility__("default"), __used__)) int32_t bgtask_plugin_entry(                 \
        const bgt_host *, bgt_plugin *) BGTASK_NOEXCEPT;                                                               \
    BGTASK_EXTERN_C_ int32_t bgtask_plugin_entry(__attribute__((__unused__)) const bgt_host *host,                     \
                                                 __attribute__((__unused__)) bgt_plugin *plugin) BGTASK_NOEXCEPT

#endif /* BGTASK_H */
