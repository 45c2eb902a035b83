-- The schema and the versions of its tables. Functions have no version: each init replaces them.
create schema if not exists bgtask_fleet;
create table if not exists bgtask_fleet.migration (
    version integer primary key,
    applied_at timestamptz not null default now()
);

create or replace function bgtask_fleet.newest_migration() returns integer
language sql stable set search_path = pg_catalog, pg_temp as $$
    select coalesce(max(version), 0) from bgtask_fleet.migration
$$;
