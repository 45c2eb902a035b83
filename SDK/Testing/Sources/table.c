/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* The host table of a fake host, on a page that cannot be written. The address of the host lies behind the table. */

#include "host.h"
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

typedef struct page {
    bgt_host table;
    uint64_t mark;
    bgtt_host *host;
} page;

static const uint64_t MARK = 0x62677461736b7474u;

const bgt_host *make_table(bgtt_host *host) {
    const size_t size = (size_t)sysconf(_SC_PAGESIZE);
    page *page = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) {
        complain("no memory is left; the process ends");
        abort();
    }
    page->table = (bgt_host){
        .size = sizeof(bgt_host),
        .minor = BGTASK_ABI_MINOR,
        .launch_info = host_launch_info,
        .register_handler = host_register_handler,
        .submit = host_submit,
        .cancel = host_cancel,
        .cancel_all = host_cancel_all,
        .pending = host_pending,
        .task_info = host_task_info,
        .set_expiration_handler = host_set_expiration_handler,
        .complete = host_complete,
        .remaining = host_remaining,
        .is_expiring = host_is_expiring,
        .set_progress = host_set_progress,
        .set_title = host_set_title,
        .begin_assertion = host_begin_assertion,
        .end_assertion = host_end_assertion,
        .container_path = host_container_path,
        .setting = host_setting,
        .log = host_log,
        .name = host_name,
        .query = host_query,
    };
    page->mark = MARK;
    page->host = host;
    mprotect(page, size, PROT_READ);
    return &page->table;
}

/* The mark is read from the page of the pointer, which is readable whatever the pointer is the address of. */
bgtt_host *host_of(const bgt_host *table) {
    const uintptr_t size = (uintptr_t)sysconf(_SC_PAGESIZE);
    const page *page = (const struct page *)(const void *)table;
    if (table == NULL || (uintptr_t)table % size != 0 || page->mark != MARK) {
        complain("a call got another host than the one that entry or a callback received: pass the pointer itself, never"
                 " a copy of the table (BGT-ABI-08)");
        abort();
    }
    return page->host;
}
