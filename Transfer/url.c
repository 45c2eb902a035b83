/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

#include "url.h"

#include "text.h"
#include "transfer_host.h"

#include <curl/curl.h>
#include <stdio.h>
#include <string.h>

static void add_part(struct digest *digest, CURLU *parts, CURLUPart part) {
    char *text = NULL;
    if (curl_url_get(parts, part, &text, CURLU_DEFAULT_PORT) == CURLUE_OK) {
        digest_add(digest, text, strlen(text) + 1);
    }
    curl_free(text);
}

static int read_origin(struct url *url, CURLU *parts, char *scheme) {
    char *host = NULL;
    char *port = NULL;
    int length = -1;
    if (curl_url_get(parts, CURLUPART_HOST, &host, 0) == CURLUE_OK
        && curl_url_get(parts, CURLUPART_PORT, &port, CURLU_DEFAULT_PORT) == CURLUE_OK) {
        length = snprintf(url->origin, sizeof url->origin, "%s://%s:%s", scheme, host, port);
    }
    curl_free(host);
    curl_free(port);
    for (char *at = url->origin; length > 0 && *at != '\0'; at++) {
        *at = (char)(*at >= 'A' && *at <= 'Z' ? *at + 32 : *at);
    }
    return length > 0 && (size_t)length < sizeof url->origin ? 0 : -1;
}

static uint32_t read_parts(struct url *url, CURLU *parts) {
    char *scheme = NULL;
    char *user = NULL;
    if (curl_url_get(parts, CURLUPART_SCHEME, &scheme, 0) != CURLUE_OK) {
        return BGT_TRANSFER_URL_INVALID;
    }
    /* A name or a password in a URL would appear in the ledger; secret headers are for credentials. */
    if (curl_url_get(parts, CURLUPART_USER, &user, 0) == CURLUE_OK
        || curl_url_get(parts, CURLUPART_PASSWORD, &user, 0) == CURLUE_OK) {
        curl_free(user);
        curl_free(scheme);
        return BGT_TRANSFER_URL_INVALID;
    }
    const int is_permitted = strcmp(scheme, "http") == 0 || strcmp(scheme, "https") == 0;
    const int has_origin = is_permitted && read_origin(url, parts, scheme) == 0;
    curl_free(scheme);
    if (!is_permitted) {
        return BGT_TRANSFER_SCHEME_NOT_PERMITTED;
    }
    if (!has_origin) {
        return BGT_TRANSFER_URL_INVALID;
    }
    struct digest digest;
    digest_start(&digest);
    digest_add(&digest, url->origin, strlen(url->origin) + 1);
    add_part(&digest, parts, CURLUPART_PATH);
    digest_value(&digest, url->place);
    add_part(&digest, parts, CURLUPART_QUERY);
    digest_value(&digest, url->address);
    return BGT_TRANSFER_NO_FAULT;
}

uint32_t url_read(struct url *url, const char *text) {
    CURLU *parts = curl_url();
    memset(url, 0, sizeof *url);
    if (parts == NULL || !text_is_printable(text)
        || curl_url_set(parts, CURLUPART_URL, text, CURLU_NON_SUPPORT_SCHEME) != CURLUE_OK) {
        curl_url_cleanup(parts);
        return BGT_TRANSFER_URL_INVALID;
    }
    const uint32_t fault = read_parts(url, parts);
    curl_url_cleanup(parts);
    return fault;
}
