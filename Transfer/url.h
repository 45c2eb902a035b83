/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

#ifndef TRANSFER_URL_H
#define TRANSFER_URL_H

#include "digest.h"

/* The identity of a URL. */
struct url {
    char origin[320];           /* "https://example.com:443" */
    uint8_t address[DIGEST_SIZE]; /* digest of scheme, host, port, path and query */
    uint8_t place[DIGEST_SIZE];   /* the same without the query, which may be a signature that changes */
};

/* Reads a URL. Returns 0, or a fault BGT_TRANSFER_...: no valid URL, or neither http nor https. */
uint32_t url_read(struct url *url, const char *text);

#endif
