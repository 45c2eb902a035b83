/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Ends of a try by cause: the file, the connection, the answer. */

#define _GNU_SOURCE

#include "transfer.h"

#include "lookup.h"

#include <errno.h>
#include <string.h>
#include <time.h>

void transfer_fail_file(struct transfer *transfer, const char *action, int problem) {
    switch (problem) {
    case EFBIG:
        transfer_fail(transfer, BGT_TRANSFER_END_FATAL, BGT_TRANSFER_TOO_LARGE,
                      "%s: it is larger than the file system or a limit of the process permits", action);
        return;
    case ENOSPC:
    case EDQUOT:
        transfer_fail(transfer, BGT_TRANSFER_END_TRANSIENT, BGT_TRANSFER_INSUFFICIENT_STORAGE,
                      "%s: %s; %lld bytes of the file system stay free", action, strerrordesc_np(problem),
                      (long long)transfer->spec.reserve);
        return;
    case EBUSY:
        transfer_fail(transfer, BGT_TRANSFER_END_TRANSIENT, BGT_TRANSFER_NETWORK,
                      "%s: another process of this transfer has not ended yet", action);
        return;
    case ELOOP:
    case ENOTDIR:
    case EINVAL:
        transfer_fail(transfer, BGT_TRANSFER_END_FATAL, BGT_TRANSFER_FILE_UNREADABLE,
                      "%s: it is no regular file, or a symbolic link leads to it", action);
        return;
    case EIO:
    case EROFS:
        transfer_fail(transfer, BGT_TRANSFER_END_TRANSIENT, BGT_TRANSFER_INSUFFICIENT_STORAGE, "%s: %s", action,
                      strerrordesc_np(problem));
        return;
    default:
        transfer_fail(transfer, BGT_TRANSFER_END_FATAL, BGT_TRANSFER_FILE_UNREADABLE, "%s: %s", action,
                      strerrordesc_np(problem));
    }
}

void transfer_fail_staging(struct transfer *transfer, const char *action, int problem) {
    switch (problem) {
    case ENOENT:
    case ENOTDIR:
    case EACCES:
    case EPERM:
        transfer_fail(transfer, BGT_TRANSFER_END_TRANSIENT, BGT_TRANSFER_STAGING_UNUSABLE,
                      "%s: %s; the directory of incomplete files is missing, foreign or a link, or the file was "
                      "removed",
                      action, strerrordesc_np(problem));
        return;
    default: transfer_fail_file(transfer, action, problem);
    }
}

/* A refused connection may be refused by the sandbox: the grants permit other ports only, or no network at all. */
static int is_not_granted(const struct transfer *transfer) {
    long problem = 0;
    curl_easy_getinfo(transfer->easy, CURLINFO_OS_ERRNO, &problem);
    return problem == EACCES || transfer->refused_socket == EPERM || transfer->refused_socket == EACCES
        || transfer->refused_socket == EAFNOSUPPORT;
}

static void fail_connection(struct transfer *transfer, CURLcode code) {
    if (transfer->refused_address && !transfer->permitted_address) {
        transfer_fail(transfer, BGT_TRANSFER_END_FATAL, BGT_TRANSFER_ADDRESS_NOT_PERMITTED,
                      "%.100s has a loopback, link-local or private address, which is not granted",
                      transfer->place.origin);
    } else if (is_not_granted(transfer)) {
        transfer_fail(transfer, BGT_TRANSFER_END_FATAL, BGT_TRANSFER_NETWORK_NOT_GRANTED,
                      "the grants of the plugin do not permit a connection to %.100s", transfer->place.origin);
    } else {
        transfer_fail(transfer, BGT_TRANSFER_END_TRANSIENT, BGT_TRANSFER_NETWORK, "%.100s: %s",
                      transfer->place.origin, curl_easy_strerror(code));
    }
}

/* Without the right to look up names, a later try would fail too. */
static void fail_look_up(struct transfer *transfer, CURLcode code) {
    if (lookup_is_permitted()) {
        transfer_fail(transfer, BGT_TRANSFER_END_TRANSIENT, BGT_TRANSFER_NETWORK, "%.100s: %s",
                      transfer->place.origin, curl_easy_strerror(code));
        return;
    }
    transfer_fail(transfer, BGT_TRANSFER_END_FATAL, BGT_TRANSFER_NETWORK_NOT_GRANTED,
                  "the name of %.100s cannot be looked up: the grants permit neither datagrams nor port 53",
                  transfer->place.origin);
}

void transfer_fail_request(struct transfer *transfer, CURLcode code) {
    switch (code) {
    case CURLE_COULDNT_CONNECT: fail_connection(transfer, code); return;
    case CURLE_COULDNT_RESOLVE_HOST: fail_look_up(transfer, code); return;
    case CURLE_UNSUPPORTED_PROTOCOL: /* the scheme is examined before */
        transfer_fail(transfer, BGT_TRANSFER_END_TRANSIENT, BGT_TRANSFER_NETWORK, "%.100s answered, but not in HTTP",
                      transfer->place.origin);
        return;
    case CURLE_URL_MALFORMAT:
        transfer_fail(transfer, BGT_TRANSFER_END_FATAL, BGT_TRANSFER_URL_INVALID, "the URL is invalid");
        return;
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_SSL_INVALIDCERTSTATUS:
        transfer_fail(transfer, BGT_TRANSFER_END_FATAL, BGT_TRANSFER_TLS_FAILED,
                      "the certificate of %.100s is not valid for it: %s", transfer->place.origin,
                      curl_easy_strerror(code));
        return;
    case CURLE_OPERATION_TIMEDOUT:
        transfer_fail(transfer, BGT_TRANSFER_END_TRANSIENT, BGT_TRANSFER_SLOW,
                      "%.100s did not answer in time, or sent less than %lld bytes per second for %lld s",
                      transfer->place.origin, (long long)transfer->limits->low_speed,
                      (long long)transfer->limits->low_speed_seconds);
        return;
    default:
        transfer_fail(transfer, BGT_TRANSFER_END_TRANSIENT, BGT_TRANSFER_NETWORK, "%.100s: %s",
                      transfer->place.origin, curl_easy_strerror(code));
    }
}

void transfer_fail_decided(struct transfer *transfer) {
    const struct decision *decision = &transfer->decision;
    const int is_transient = decision->action == ACTION_TRANSIENT;
    if (is_transient) {
        transfer->end.retry_after_s = response_retry_after(&transfer->response, time(NULL));
    }
    transfer_fail(transfer, is_transient ? BGT_TRANSFER_END_TRANSIENT : BGT_TRANSFER_END_FATAL, decision->fault,
                  "%s: HTTP status %d", decision->message, transfer->response.status);
}
