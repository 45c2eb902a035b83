/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Requests: the options of curl, the headers, and redirects, which are followed here and not by curl, because each one
 * needs the rules of addresses, secrets and resuming again. */

#define _GNU_SOURCE

#include "transfer.h"

#include "address.h"
#include "download.h"
#include "upload.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Called for each address to which curl is about to connect, after the look-up of the name: a record of the name that
 * changes after an earlier check cannot bypass it. */
static curl_socket_t open_socket(void *context, curlsocktype purpose, struct curl_sockaddr *address) {
    struct transfer *transfer = context;
    const enum address_kind kind = address_kind(&address->addr, address->addrlen);
    (void)purpose;
    if (kind != ADDRESS_PUBLIC && !(kind == ADDRESS_PRIVATE && transfer->spec.permits_private)) {
        transfer->refused_address = 1;
        return CURL_SOCKET_BAD;
    }
    transfer->permitted_address = 1;
    const int file = socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
    if (file < 0) {
        transfer->refused_socket = errno;
    }
    return file < 0 ? CURL_SOCKET_BAD : file;
}

static size_t read_head(char *bytes, size_t size, size_t count, void *context) {
    struct transfer *transfer = context;
    (void)size;
    if (!transfer->is_decided) {
        response_read_line(&transfer->response, bytes, count);
    }
    return count;
}

/* The list has copies of the headers, which may be secrets. */
void transfer_release_headers(struct transfer *transfer) {
    for (struct curl_slist *at = transfer->header_list; at != NULL; at = at->next) {
        explicit_bzero(at->data, strlen(at->data));
    }
    curl_slist_free_all(transfer->header_list);
    transfer->header_list = NULL;
}

static int add_header(struct transfer *transfer, const char *name, const char *value) {
    char *line = NULL;
    /* curl sends an empty header only if it is written with a semicolon. */
    if (asprintf(&line, *value == '\0' ? "%s;%s" : "%s: %s", name, value) < 0) {
        return -1;
    }
    struct curl_slist *longer = curl_slist_append(transfer->header_list, line);
    explicit_bzero(line, strlen(line));
    free(line);
    if (longer == NULL) {
        return -1;
    }
    transfer->header_list = longer;
    return 0;
}

static int add_headers(struct transfer *transfer) {
    const int is_first_origin = strcmp(transfer->place.origin, transfer->first_place.origin) == 0;
    transfer_release_headers(transfer);
    int result = add_header(transfer, "Accept-Encoding", "identity");
    for (size_t i = 0; i < transfer->spec.header_count && result == 0; i++) {
        const struct spec_header *header = &transfer->spec.headers[i];
        if (!header->is_secret || is_first_origin) {
            result = add_header(transfer, header->name, header->value);
        }
    }
    const struct question *question = &transfer->question;
    if (result == 0 && question->asked_range) {
        char range[64];
        const char *etag = question->validator.etag;
        snprintf(range, sizeof range, "bytes=%lld-", (long long)question->offset);
        result = add_header(transfer, "Range", range);
        if (result == 0) {
            result = add_header(transfer, "If-Range", *etag != '\0' ? etag : question->validator.last_modified);
        }
    }
    return result;
}

/* The first error of several curl_easy_setopt. */
#define SET(option, value) (code = code != CURLE_OK ? code : curl_easy_setopt(easy, option, value))

static CURLcode set_rules(struct transfer *transfer) {
    CURL *easy = transfer->easy;
    CURLcode code = CURLE_OK;
    SET(CURLOPT_NOSIGNAL, 1L);
    SET(CURLOPT_PROTOCOLS_STR, "http,https");
    SET(CURLOPT_FOLLOWLOCATION, 0L);
    SET(CURLOPT_PROXY, ""); /* also ignores the environment */
    SET(CURLOPT_NETRC, (long)CURL_NETRC_IGNORED);
    SET(CURLOPT_OPENSOCKETFUNCTION, open_socket);
    SET(CURLOPT_OPENSOCKETDATA, transfer);
    SET(CURLOPT_CONNECTTIMEOUT, (long)transfer->limits->connect_seconds);
    SET(CURLOPT_LOW_SPEED_LIMIT, (long)transfer->limits->low_speed);
    SET(CURLOPT_LOW_SPEED_TIME, (long)transfer->limits->low_speed_seconds);
    SET(CURLOPT_TCP_KEEPALIVE, 1L);
    if (transfer->limits->authorities != NULL) {
        SET(CURLOPT_CAINFO, transfer->limits->authorities);
    }
    if (transfer->limits->names != NULL) {
        SET(CURLOPT_RESOLVE, transfer->limits->names);
    }
    return code;
}

static CURLcode set_request(struct transfer *transfer) {
    CURL *easy = transfer->easy;
    CURLcode code = set_rules(transfer);
    SET(CURLOPT_URL, transfer->url);
    SET(CURLOPT_PRIVATE, transfer);
    SET(CURLOPT_USERAGENT, "bgtask-transfer/1");
    SET(CURLOPT_HTTPHEADER, transfer->header_list);
    SET(CURLOPT_HEADERFUNCTION, read_head);
    SET(CURLOPT_HEADERDATA, transfer);
    SET(CURLOPT_WRITEDATA, transfer);
    SET(CURLOPT_BUFFERSIZE, 262144L);
    if (code != CURLE_OK) {
        return code;
    }
    return transfer->spec.is_upload ? upload_set(transfer) : download_set(transfer);
}

void transfer_request(struct transfer *transfer) {
    const uint32_t fault = url_read(&transfer->place, transfer->url);
    if (fault != BGT_TRANSFER_NO_FAULT) {
        transfer_fail(transfer, BGT_TRANSFER_END_FATAL, fault,
                      "the target of a redirect is no URL of http or https, or has user information");
        return;
    }
    transfer->question = (struct question){.total = -1};
    if (!transfer->spec.is_upload) {
        download_question(transfer);
    }
    response_clear(&transfer->response);
    transfer->is_decided = transfer->is_longer = 0;
    transfer->refused_address = transfer->permitted_address = transfer->refused_socket = 0;
    transfer->discarded = 0;
    transfer->is_paused = 0;
    curl_easy_reset(transfer->easy);
    if (add_headers(transfer) != 0 || set_request(transfer) != CURLE_OK) {
        transfer_fail(transfer, BGT_TRANSFER_END_TRANSIENT, BGT_TRANSFER_NETWORK, "the request could not be prepared");
        return;
    }
    transfer->state = TRANSFER_REQUESTS;
}

static void set_url(struct transfer *transfer, const char *url) {
    char *copy = strdup(url);
    if (copy == NULL) {
        transfer_fail(transfer, BGT_TRANSFER_END_TRANSIENT, BGT_TRANSFER_NETWORK, "memory is short");
        return;
    }
    free(transfer->url);
    transfer->url = copy;
    transfer_request(transfer);
}

void transfer_request_first(struct transfer *transfer) {
    transfer->redirects = 0;
    set_url(transfer, transfer->spec.url);
}

void transfer_redirect(struct transfer *transfer) {
    char *location = NULL;
    curl_easy_getinfo(transfer->easy, CURLINFO_REDIRECT_URL, &location);
    if (location == NULL) {
        transfer_fail(transfer, BGT_TRANSFER_END_FATAL, BGT_TRANSFER_HTTP_STATUS,
                      "the server redirects without a location: HTTP status %d", transfer->response.status);
        return;
    }
    if (transfer->redirects == REDIRECTS_MAX) {
        transfer_fail(transfer, BGT_TRANSFER_END_FATAL, BGT_TRANSFER_TOO_MANY_REDIRECTS,
                      "the server redirects more than %d times", REDIRECTS_MAX);
        return;
    }
    if (strncmp(transfer->place.origin, "https:", 6) == 0 && strncasecmp(location, "https:", 6) != 0) {
        transfer_fail(transfer, BGT_TRANSFER_END_FATAL, BGT_TRANSFER_SCHEME_NOT_PERMITTED,
                      "a redirect leads from https to another scheme");
        return;
    }
    transfer->redirects++;
    set_url(transfer, location);
}
