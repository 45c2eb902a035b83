/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Memory, copied texts and lists. Without memory the process ends: a test cannot go on. */

#include "host.h"
#include <stdlib.h>
#include <string.h>

void *allocate(size_t size) {
    void *memory = calloc(1, size > 0 ? size : 1);
    if (memory == NULL) {
        complain("no memory is left; the process ends");
        abort();
    }
    return memory;
}

char *copy_text(const char *text) {
    if (text == NULL) return NULL;
    const size_t size = strlen(text) + 1;
    return memcpy(allocate(size), text, size);
}

void append(list *list, void *item) {
    void **items = realloc(list->items, (list->count + 1) * sizeof *items);
    if (items == NULL) {
        complain("no memory is left; the process ends");
        abort();
    }
    list->items = items;
    list->items[list->count++] = item;
}

void remove_at(list *list, size_t index) {
    list->count--;
    for (size_t next = index; next < list->count; next++) list->items[next] = list->items[next + 1];
}
