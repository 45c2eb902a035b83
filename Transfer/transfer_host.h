/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* The private interface between the host and its transfer library, libbgtask-transfer.so. The library is a plugin
 * library of ABI major 1, which the runner loads in launches of the lane `transfer` alone. Plugins never see this
 * table: their interface is bgtask.transfer/1 of bgtask.h. */

#ifndef BGTASK_TRANSFER_HOST_H
#define BGTASK_TRANSFER_HOST_H

#include <bgtask.h>

/* The identifier of the only handler. In a launch of the lane `transfer`, every task is delivered to it, on a queue of
 * the task's own; it is registered in entry and returns at once. `payload` of the task is the description of the
 * transfer, followed by the lines that the host adds at the launch:
 *
 *     host-part: .transfers/7.part     the incomplete file, relative to the container; its directory exists
 *     host-file: .transfers/7          the complete file
 *     host-rate: 0                     bytes per second; 0: no limit
 *     host-private: 1                  loopback and private networks are permitted; else left out
 *     host-reserve: 104857600          bytes of free space that the library leaves on the file system
 *
 * The library uses, for tasks of the kind transfer: bgtask.cursor/1 with BGT_CHECKPOINT_DURABLE, task_info,
 * is_expiring, set_expiration_handler, set_progress, setting, container_path, log, complete. */
#define BGT_TRANSFER_HANDLER "bgtask.transfer"

/* Progress of an upload counts the bytes of all requests: a body that is sent again after a redirect adds to both
 * numbers. While the library waits for the response to a whole body, it adds 1 to both every 10 s, at most for 5
 * minutes, because the host expires a launch whose progress stands still.
 *
 * The total of set_progress while the size of the file is not known. */
#define BGT_TRANSFER_UNKNOWN_TOTAL INT64_MAX

enum { BGT_TRANSFER_END_FINISHED = 1, BGT_TRANSFER_END_TRANSIENT = 2, BGT_TRANSFER_END_FATAL = 3 };

/* Faults of a try. The numbers are those of TransferFault of the host. */
enum {
    BGT_TRANSFER_NO_FAULT = 0,
    /* transient */
    BGT_TRANSFER_NETWORK = 1,
    BGT_TRANSFER_SERVER_BUSY = 2,
    BGT_TRANSFER_INSUFFICIENT_STORAGE = 3,
    BGT_TRANSFER_SLOW = 4,
    BGT_TRANSFER_STAGING_UNUSABLE = 5, /* the directory of incomplete files is missing, foreign or a link */
    /* fatal */
    BGT_TRANSFER_HTTP_STATUS = 20,
    BGT_TRANSFER_TOO_MANY_REDIRECTS = 21,
    BGT_TRANSFER_ADDRESS_NOT_PERMITTED = 22,
    BGT_TRANSFER_SCHEME_NOT_PERMITTED = 23,
    BGT_TRANSFER_DIGEST_MISMATCH = 24,
    BGT_TRANSFER_SIZE_MISMATCH = 25,
    BGT_TRANSFER_TOO_MANY_RESTARTS = 26, /* without progress; the message has the cause of the last one */
    BGT_TRANSFER_FILE_UNREADABLE = 27,
    BGT_TRANSFER_FILE_CHANGED = 28,
    BGT_TRANSFER_TLS_FAILED = 29,
    BGT_TRANSFER_TOO_LARGE = 30,
    BGT_TRANSFER_URL_INVALID = 31,
    BGT_TRANSFER_NETWORK_NOT_GRANTED = 32,
    BGT_TRANSFER_SECRET_MISSING = 34,
    BGT_TRANSFER_HEADER_INVALID = 37,
    BGT_TRANSFER_RESULT_UNKNOWN = 38 /* a POST was sent whole, and its response is missing or incomplete */
};

/* The end of one try. Owned by the library, valid for the call only. */
typedef struct bgt_transfer_end {
    uint32_t size;
    uint32_t result;        /* BGT_TRANSFER_END_... */
    uint32_t fault;         /* BGT_TRANSFER_...; 0 exactly if it finished */
    uint32_t http_status;   /* of the last answer; 0: none */
    int64_t retry_after_s;  /* delay that the server asks for, 0 to 86400; -1: none */
    uint64_t bytes;         /* of the file, transferred over all tries */
    uint64_t total;         /* of the file; UINT64_MAX: not known */
    uint32_t source_changes;/* how often the file of the server changed, over all tries */
    uint32_t restarts;      /* how often the file was begun again, over all tries */
    const char *BGTASK_NULLABLE message; /* one line for users, at most 255 bytes, in UTF-8 that may
                                          * be cut within a character; never NULL */
} bgt_transfer_end;

#define BGT_TRANSFER_LIBRARY "bgtask.transfer-library/1"
typedef struct bgt_transfer_library {
    uint32_t size;
    uint32_t reserved; /* 0 */

    /* Reports the end of a try, just before the completion of its task, with BGT_OUTCOME_SUCCESS for a finished one,
     * else BGT_OUTCOME_FAILURE. A task that is completed without this call was interrupted: it had expired, and its
     * cursor has moved to the last byte on disk. An expired POST that waits for its response ends with RESULT_UNKNOWN.
     * BGT_OK; BGT_NO_SUCH_TASK; BGT_ALREADY_COMPLETED; BGT_INVALID: NULL, or a number out of range.
     * @call thread=any phase=running blocks=no */
    int32_t (*BGTASK_NONNULL ended)(const bgt_host *BGTASK_NONNULL host, bgt_task task,
                                    const bgt_transfer_end *BGTASK_NULLABLE end);
} bgt_transfer_library;

_Static_assert(sizeof(bgt_transfer_end) == 56, "the host reads bgt_transfer_end with this layout");
_Static_assert(sizeof(bgt_transfer_library) == 16, "the library reads bgt_transfer_library with this layout");

#endif
