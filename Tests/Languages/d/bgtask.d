// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The declarations of bgtask.h, minor 0, that the model plugin uses, and the note.
module bgtask;

extern (C) nothrow @nogc:

enum : int
{
    BGT_OK = 0,
    BGT_OUTCOME_SUCCESS = 1,
    BGT_OUTCOME_FAILURE = 2,
    BGT_OUTCOME_NO_DATA = 3,
}

enum : uint
{
    BGT_KIND_PROCESSING = 2,
    BGT_LOG_INFO = 2,
    BGT_NEEDS_NETWORK = 1,
    BGT_VOCABULARY_STATUS = 1,
    BGT_VOCABULARY_KIND = 3,
    BGT_VOCABULARY_EVENT = 7,
    BGT_VOCABULARY_EXPIRED = 9,
}

alias bgt_task = ulong;
alias bgt_assertion = ulong;
alias bgt_handler = void function(void* context, const(bgt_host)* host, bgt_task task);
alias bgt_expiration_handler = void function(void* context, const(bgt_host)* host, bgt_task task, uint reason);
alias bgt_assertion_handler = void function(void* context, const(bgt_host)* host, bgt_assertion assertion, uint reason);
alias bgt_pending_visitor = int function(void* context, const(bgt_host)* host, const(bgt_pending)* request);
alias bgt_release = void function(void* context);

struct bgt_request
{
    uint size = bgt_request.sizeof;
    uint kind;
    uint flags;
    uint strategy;
    const(char)* identifier;
    long earliest_begin_ns;
    const(ubyte)* payload;
    ulong payload_length;
    const(char)* title;
    const(char)* subtitle;
    ulong resources;
    long expires_at_ns;
}

struct bgt_refusal
{
    uint size = bgt_refusal.sizeof;
    uint sub_reason;
    ulong submission;
    char[240] text = 0;
}

struct bgt_pending
{
    uint size;
    uint kind;
    uint flags;
    uint strategy;
    const(char)* identifier;
    long earliest_begin_ns;
    const(ubyte)* payload;
    ulong payload_length;
    const(char)* title;
    const(char)* subtitle;
    ulong resources;
    ulong submission;
    long expires_at_ns;
}

struct bgt_launch_info
{
    uint size = bgt_launch_info.sizeof;
    uint lane;
    uint cause;
    uint role;
    ulong launch;
    ulong remaining_ns;
    ulong deadline_ns;
    ulong grace_ns;
    const(char)* plugin;
    const(char*)* identifiers;
    ulong identifier_count;
    ulong supported_resources;
    const(char)* host_name;
    const(char)* host_version;
}

struct bgt_task_info
{
    uint size = bgt_task_info.sizeof;
    uint kind;
    uint event;
    uint attempt;
    const(char)* identifier;
    const(ubyte)* payload;
    ulong payload_length;
    ulong submission;
    uint flags;
    uint expiration_reason;
    const(char)* title;
    const(char)* subtitle;
    long fleet_item;
    long fence;
}

struct bgt_plugin
{
    extern (C) nothrow @nogc:
    uint size;
    uint reserved;
    void* context;
    bgt_handler receive;
    void function(void* context, const(bgt_host)* host) run_main;
    void function(void* context, const(bgt_host)* host) stop;
    ulong quiet_ns;
}

struct bgt_host
{
    extern (C) nothrow @nogc:
    uint size;
    uint minor;
    int function(const(bgt_host)*, bgt_launch_info*) launch_info;
    int function(const(bgt_host)*, const(char)*, bgt_handler, void*, bgt_release, bgt_refusal*) register_handler;
    int function(const(bgt_host)*, const(bgt_request)*, bgt_refusal*) submit;
    int function(const(bgt_host)*, const(char)*, bgt_refusal*) cancel;
    int function(const(bgt_host)*, bgt_refusal*) cancel_all;
    int function(const(bgt_host)*, bgt_pending_visitor, void*, bgt_refusal*) pending;
    int function(const(bgt_host)*, bgt_task, bgt_task_info*) task_info;
    int function(const(bgt_host)*, bgt_task, bgt_expiration_handler, void*, bgt_release) set_expiration_handler;
    int function(const(bgt_host)*, bgt_task, int, const(char)*) complete;
    ulong function(const(bgt_host)*) remaining;
    int function(const(bgt_host)*, bgt_task) is_expiring;
    int function(const(bgt_host)*, bgt_task, long, long) set_progress;
    int function(const(bgt_host)*, bgt_task, const(char)*, const(char)*) set_title;
    int function(const(bgt_host)*, const(char)*, bgt_assertion_handler, void*, bgt_release, bgt_assertion*,
            bgt_refusal*) begin_assertion;
    int function(const(bgt_host)*, bgt_assertion) end_assertion;
    int function(const(bgt_host)*, char*, ulong, ulong*) container_path;
    int function(const(bgt_host)*, const(char)*, char*, ulong, ulong*) setting;
    void function(const(bgt_host)*, bgt_task, uint, const(char)*) log;
    const(char)* function(const(bgt_host)*, uint, long) name;
    const(void)* function(const(bgt_host)*, const(char)*) query;
}

// The layouts of bgtask.h: a wrong declaration does not compile.
static assert(bgt_request.sizeof == 80 && bgt_refusal.sizeof == 256 && bgt_pending.sizeof == 88);
static assert(bgt_launch_info.sizeof == 96 && bgt_task_info.sizeof == 88);
static assert(bgt_plugin.sizeof == 48 && bgt_host.sizeof == 168);

/// The ELF note.
struct Note
{
    uint name_size = 7;
    uint descriptor_size = 12;
    uint type = 1;
    char[8] owner = "bgtask\0\0";
    uint abi_major = 1;
    uint required_minor = 0;
    uint header_minor = 0;
}

static assert(Note.sizeof == 32);

version (GNU)
{
    import gcc.attributes;

    @attribute("section", ".note.bgtask") @attribute("used") align(4) immutable Note bgtaskNote = Note();
}
else version (LDC)
{
    import ldc.attributes;

    @(section(".note.bgtask")) @assumeUsed align(4) immutable Note bgtaskNote = Note();
}
