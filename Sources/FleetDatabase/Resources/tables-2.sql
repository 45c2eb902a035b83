-- Migration 2: the cursor of an item, and the groups of its host for which a feeder claims.

alter table bgtask_fleet.item add column cursor bytea check (octet_length(cursor) <= 4096);
-- Null: all groups with which the host is enrolled.
alter table bgtask_fleet.host add column chosen_groups text[];
