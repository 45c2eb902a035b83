-- Migration 2: the cursor of an item, the groups of its host for which a feeder claims, and the limits of payloads.

alter table bgtask_fleet.item add column cursor bytea check (octet_length(cursor) <= 4096);
-- The hosts that refused an unbound item, until 5 minutes after the last refusal: they do not claim it again.
alter table bgtask_fleet.item add column refused_by bigint[], add column refused_at timestamptz;
-- Null: all groups with which the host is enrolled.
alter table bgtask_fleet.host add column chosen_groups text[];
-- The limits of an item: a campaign or schedule beyond them would fail at each join or tick.
alter table bgtask_fleet.campaign add check (octet_length(payload) <= 65536);
alter table bgtask_fleet.schedule add check (octet_length(payload) <= 65536), add check (spread >= '0 seconds');
-- A stopped campaign ends its items.
create index item_campaign on bgtask_fleet.item (campaign_id) where campaign_id is not null;
