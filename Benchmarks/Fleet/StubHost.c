/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* A host without a core: answers the calls of a feeder, accepts every request of a batch, and lists all of them as
 * succeeded in its journal once a file exists.
 *
 *     StubHost SOCKET PLUGIN FILE         (Benchmarks/Fleet/run) */

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

typedef struct {
    long long item, fence;
} claim;

typedef struct {
    char *bytes;
    size_t length, capacity;
} text;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static claim *claims; /* the accepted ones: number k of the journal is claim k - 1 */
static long accepted;
static const char *plugin, *released;

static void append(text *to, const char *format, ...) {
    va_list values;
    if (to->capacity - to->length < 512) {
        to->capacity = 2 * to->capacity + 4096;
        to->bytes = realloc(to->bytes, to->capacity);
    }
    va_start(values, format);
    to->length += (size_t)vsnprintf(to->bytes + to->length, 512, format, values);
    va_end(values);
}

static long long number(const char *in, const char *key) {
    const char *found = strstr(in, key);
    return found == NULL ? 0 : atoll(found + strlen(key));
}

static void accept_batch(const char *body, text *answer) {
    append(answer, "{\"results\":[");
    pthread_mutex_lock(&lock);
    const long first = accepted;
    for (const char *at = body; (at = strstr(at, "\"claim\":{")) != NULL; at++) {
        claims = realloc(claims, (size_t)(accepted + 1) * sizeof *claims);
        claims[accepted].item = number(at, "\"item\":");
        claims[accepted].fence = number(at, "\"fence\":");
        accepted++;
        append(answer, "%s{\"submission\":%ld,\"plugin\":\"%s\",\"identifier\":\"%s.t\"}",
               accepted == first + 1 ? "" : ",", accepted, plugin, plugin);
    }
    pthread_mutex_unlock(&lock);
    append(answer, "]}");
}

static void list_journal(const char *target, text *answer) {
    long after = (long)number(target, "after="), limit = (long)number(target, "limit="), count = 0;
    append(answer, "{\"entries\":[");
    pthread_mutex_lock(&lock);
    if (access(released, F_OK) == 0) {
        for (; after < accepted && count < limit; after++, count++) {
            append(answer,
                   "%s{\"number\":%ld,\"event\":\"succeeded\",\"blame\":\"none\",\"message\":\"\","
                   "\"claim\":{\"item\":%lld,\"fence\":%lld,\"bound\":false}}",
                   count == 0 ? "" : ",", after + 1, claims[after].item, claims[after].fence);
        }
    }
    pthread_mutex_unlock(&lock);
    append(answer, "],\"last\":%ld}", after);
}

static void answer(const char *head, const char *body, text *to) {
    if (strncmp(head, "POST ", 5) == 0) {
        accept_batch(body, to);
    } else if (strstr(head, "/v1/journal") != NULL) {
        list_journal(head, to);
    } else if (strstr(head, "/v1/capacity") != NULL) {
        append(to, "{\"lanes\":[],\"plugins\":[{\"identifier\":\"%s\",\"version\":\"1\",\"digest\":\"d\",\"kinds\":[],"
                   "\"ready\":true,\"free\":1000000}]}", plugin);
    } else {
        append(to, "{\"name\":\"fleet\",\"acknowledged\":0,\"claims\":[]}");
    }
}

static size_t body_length(const char *head, const char *end) {
    for (const char *line = head; line < end; line = strchr(line, '\n') + 1) {
        if (strncasecmp(line, "content-length:", 15) == 0) {
            return (size_t)atoll(line + 15);
        }
    }
    return 0;
}

static void *serve(void *argument) {
    const int peer = (int)(long)argument;
    text input = {0}, output = {0}, head = {0};
    for (;;) {
        char *end = input.bytes == NULL ? NULL : strstr(input.bytes, "\r\n\r\n");
        const size_t wanted = end == NULL ? 0 : (size_t)(end - input.bytes) + 4 + body_length(input.bytes, end);
        if (end == NULL || input.length < wanted) {
            if (input.capacity - input.length < 65537) {
                input.capacity = 2 * input.capacity + 131072;
                input.bytes = realloc(input.bytes, input.capacity);
            }
            const ssize_t count = read(peer, input.bytes + input.length, 65536);
            if (count <= 0) {
                break;
            }
            input.length += (size_t)count;
            input.bytes[input.length] = 0;
            continue;
        }
        output.length = head.length = 0;
        *end = 0;
        answer(input.bytes, end + 4, &output);
        append(&head, "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %zu\r\n\r\n",
               output.length);
        if (write(peer, head.bytes, head.length) < 0) {
            break;
        }
        for (size_t sent = 0; sent < output.length;) {
            const ssize_t count = write(peer, output.bytes + sent, output.length - sent);
            if (count <= 0) {
                break;
            }
            sent += (size_t)count;
        }
        input.length -= wanted;
        memmove(input.bytes, input.bytes + wanted, input.length + 1);
    }
    free(input.bytes), free(output.bytes), free(head.bytes);
    close(peer);
    return NULL;
}

int main(int count, char **arguments) {
    if (count != 4) {
        fprintf(stderr, "usage: StubHost SOCKET PLUGIN FILE\n");
        return 2;
    }
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    strncpy(address.sun_path, arguments[1], sizeof address.sun_path - 1);
    plugin = arguments[2];
    released = arguments[3];
    const int listener = socket(AF_UNIX, SOCK_STREAM, 0);
    if (bind(listener, (struct sockaddr *)&address, sizeof address) != 0 || listen(listener, 16) != 0) {
        perror("StubHost");
        return 1;
    }
    for (;;) {
        const int peer = accept(listener, NULL, NULL);
        pthread_t thread;
        if (peer >= 0 && pthread_create(&thread, NULL, serve, (void *)(long)peer) == 0) {
            pthread_detach(thread);
        }
    }
}
