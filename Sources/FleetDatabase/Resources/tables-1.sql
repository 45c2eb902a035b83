-- Migration 1: the tables. Only the functions of this schema read and write them.
-- The SQL stays inside the subset that YugabyteDB documents: no advisory locks, no LISTEN, no partitions.

create table bgtask_fleet.setting (
    single boolean primary key default true check (single),
    hosts bigint not null default 0,
    minimum_interval interval not null default '10 seconds' check (minimum_interval >= '1 second'),
    renewals_per_second integer not null default 2000 check (renewals_per_second > 0),
    grace interval not null default '60 seconds' check (grace >= '0 seconds'),
    retention interval not null default '30 days' check (retention > '0 seconds')
);
insert into bgtask_fleet.setting default values;

-- Renewals change no indexed column, so that they are heap-only updates.
create table bgtask_fleet.host (
    host_id bigint generated always as identity primary key,
    name text not null unique check (name ~ '^[a-z0-9]([a-z0-9.-]{0,61}[a-z0-9])?$'),
    role_name name not null,
    groups text[] not null default '{}',
    incarnation bigint not null default 0,
    protocol integer not null default 0,
    joined_at timestamptz not null default now(),
    seen_at timestamptz,
    lease_until timestamptz not null default now(),
    drained_at timestamptz,
    campaign_cursor bigint not null default 0
) with (fillfactor = 50);

create table bgtask_fleet.host_plugin (
    plugin text not null,
    host_id bigint not null references bgtask_fleet.host on delete cascade,
    version text not null,
    digest text not null default '',
    ready boolean not null default true,
    reason text,
    primary key (plugin, host_id)
);
create index host_plugin_host on bgtask_fleet.host_plugin (host_id);

create table bgtask_fleet.campaign (
    campaign_id bigint generated always as identity primary key,
    plugin text not null,
    identifier text not null,
    scope text not null,
    kind text not null,
    request jsonb not null default '{}',
    payload bytea,
    priority smallint not null default 0,
    created_at timestamptz not null default now(),
    not_before timestamptz not null,
    deadline timestamptz,
    spread interval not null default '0 seconds' check (spread >= '0 seconds'),
    continuous boolean not null default false,
    last_host bigint not null,
    abort_percent smallint check (abort_percent between 1 and 100),
    abort_after integer not null default 10 check (abort_after > 0),
    stopped_at timestamptz,
    stop_reason text
);
create index campaign_open on bgtask_fleet.campaign (campaign_id) where stopped_at is null;

-- One row for each host that has joined a campaign; without an outcome while its item is open.
create table bgtask_fleet.campaign_result (
    campaign_id bigint not null references bgtask_fleet.campaign on delete cascade,
    host_id bigint not null references bgtask_fleet.host on delete cascade,
    joined_at timestamptz not null default now(),
    outcome text,
    ended_at timestamptz,
    primary key (campaign_id, host_id)
);

create table bgtask_fleet.item (
    item_id bigint generated always as identity primary key,
    plugin text not null,
    identifier text not null,
    kind text not null,
    request jsonb not null default '{}',
    payload bytea check (octet_length(payload) <= 65536),
    host_id bigint references bgtask_fleet.host on delete cascade,
    scope text,
    bucket smallint not null default 0 check (bucket between 0 and 15),
    priority smallint not null default 0,
    submitted_at timestamptz not null default now(),
    not_before timestamptz not null,
    deadline timestamptz,
    campaign_id bigint references bgtask_fleet.campaign on delete set null,
    fence bigint not null default 0,
    claimed_by bigint references bgtask_fleet.host on delete set null,
    claimed_at timestamptz,
    end_requested text,
    waiting_for text,
    released_by bigint,
    released_at timestamptz,
    release_reason text,
    releases integer not null default 0,
    check ((host_id is null) <> (scope is null))
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);
create unique index item_bound on bgtask_fleet.item (host_id, plugin, identifier)
    where host_id is not null and claimed_by is null;
create unique index item_any on bgtask_fleet.item (plugin, identifier, scope)
    where host_id is null and claimed_by is null;
create unique index item_claim on bgtask_fleet.item (claimed_by, plugin, identifier) where claimed_by is not null;
create index item_bound_due on bgtask_fleet.item (host_id, not_before) where host_id is not null and claimed_by is null;
create index item_any_due on bgtask_fleet.item (plugin, scope, bucket, priority, not_before, item_id)
    where host_id is null and claimed_by is null;
create index item_deadline on bgtask_fleet.item (deadline) where deadline is not null and claimed_by is null;

create table bgtask_fleet.outcome (
    outcome_id bigint generated always as identity primary key,
    item_id bigint not null,
    fence bigint not null,
    plugin text not null,
    identifier text not null,
    target text not null,
    host text,
    campaign_id bigint,
    outcome text not null,
    detail jsonb not null default '{}',
    ended_at timestamptz not null default now()
);
create index outcome_ended on bgtask_fleet.outcome (ended_at);
create index outcome_work on bgtask_fleet.outcome (plugin, identifier, ended_at);
create index outcome_item on bgtask_fleet.outcome (item_id);

create table bgtask_fleet.schedule (
    name text primary key check (name ~ '^[a-z0-9]([a-z0-9.-]{0,61}[a-z0-9])?$'),
    target text not null,
    plugin text not null,
    identifier text not null,
    kind text not null,
    request jsonb not null default '{}',
    payload bytea,
    every interval not null check (every >= '1 second'),
    spread interval not null default '0 seconds',
    next_at timestamptz not null
);
create index schedule_next on bgtask_fleet.schedule (next_at);

-- The unique row of a tick makes it run once, without a leader.
create table bgtask_fleet.schedule_tick (
    schedule text not null references bgtask_fleet.schedule on delete cascade,
    tick timestamptz not null,
    primary key (schedule, tick)
);

-- Whichever sync locks the row of a due duty performs it.
create table bgtask_fleet.duty (
    name text primary key,
    every interval not null,
    due_at timestamptz not null default now()
);
insert into bgtask_fleet.duty (name, every) values
    ('rescue', '5 seconds'), ('lapse', '10 seconds'), ('schedule', '1 second'), ('campaign', '10 seconds'),
    ('count', '60 seconds'), ('prune', '60 seconds');
