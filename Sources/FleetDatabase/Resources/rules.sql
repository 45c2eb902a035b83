-- Rules that several functions share. Nothing is granted to a role: only functions of the owner call them.

-- The time between two renewals of a host.
create or replace function bgtask_fleet.lease_interval() returns interval
language sql stable set search_path = pg_catalog, pg_temp as $$
    select greatest(minimum_interval, make_interval(secs => hosts::double precision / renewals_per_second))
    from bgtask_fleet.setting
$$;

-- The length of a lease: two renewals may fail before it ends.
create or replace function bgtask_fleet.lease_length() returns interval
language sql stable set search_path = pg_catalog, pg_temp as $$ select 3 * bgtask_fleet.lease_interval() $$;

create or replace function bgtask_fleet.check_value(p_name text, p_value text, p_pattern text, p_rule text) returns void
language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
begin
    if p_value is null or p_value !~ p_pattern then
        raise exception '% "%" is invalid', p_name, coalesce(p_value, '')
            using errcode = 'BG004', hint = p_rule;
    end if;
end
$$;

create or replace function bgtask_fleet.check_target(p_target text) returns void
language sql immutable set search_path = pg_catalog, pg_temp as $$
    select bgtask_fleet.check_value('target', p_target,
        '^(host|any|each):[a-z0-9]([a-z0-9.-]{0,61}[a-z0-9])?$', 'use host:NAME, any:GROUP or each:GROUP')
$$;

-- Checks the work of an item, a campaign or a schedule, so that no later tick, join or claim fails because of it.
create or replace function bgtask_fleet.check_work(
    p_target text, p_plugin text, p_identifier text, p_kind text, p_request jsonb, p_payload bytea,
    p_spread_seconds double precision
) returns void
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
    perform bgtask_fleet.check_target(p_target);
    perform bgtask_fleet.check_value('plugin', p_plugin, '^[A-Za-z0-9][A-Za-z0-9._-]{0,254}$', 'name a plugin');
    perform bgtask_fleet.check_value('identifier', p_identifier, '^[A-Za-z0-9][A-Za-z0-9._-]{0,254}$',
        'name an identifier that the plugin''s manifest permits');
    perform bgtask_fleet.check_value('kind', p_kind, '^[a-z][a-z-]{0,62}$',
        'name a kind of request, such as processing');
    if octet_length(p_payload) > 65536 then
        raise exception 'payload of % bytes is too large', octet_length(p_payload)
            using errcode = 'BG004', hint = 'use at most 65536 bytes';
    end if;
    if not coalesce(p_spread_seconds, 0) between 0 and 31622400 then
        raise exception 'spread of % s is invalid', p_spread_seconds
            using errcode = 'BG004', hint = 'use 0 seconds to 366 days';
    end if;
    if split_part(p_target, ':', 1) = 'host'
        and not exists (select from bgtask_fleet.host where name = split_part(p_target, ':', 2)) then
        raise exception 'host "%" is not enrolled', split_part(p_target, ':', 2)
            using errcode = 'BG004', hint = 'list the hosts with: bgtask-feeder hosts';
    end if;
    perform bgtask_fleet.check_request(coalesce(p_request, '{}'));
end
$$;

-- Checks that the members of a request are booleans or strings: a feeder refuses any other answer as a whole.
create or replace function bgtask_fleet.check_request(p_request jsonb) returns void
language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
declare
    v_member text;
begin
    if jsonb_typeof(p_request) <> 'object' then
        raise exception 'request is of the type %', jsonb_typeof(p_request)
            using errcode = 'BG004', hint = 'use a JSON object';
    end if;
    for v_member in
        select key from jsonb_each(p_request) where jsonb_typeof(value) not in ('boolean', 'string')
    loop
        raise exception 'member "%" of the request is of the type %', v_member, jsonb_typeof(p_request -> v_member)
            using errcode = 'BG004', hint = 'use a boolean or a string';
    end loop;
end
$$;

-- Locks the host's row against a newer feeder, and returns it. The login role must be the role of the host.
create or replace function bgtask_fleet.caller(p_host text, p_incarnation bigint) returns bgtask_fleet.host
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
    v_host bgtask_fleet.host;
begin
    select * into v_host from bgtask_fleet.host where name = p_host and role_name = session_user for share;
    if not found then
        raise exception 'host "%" does not belong to the role "%"', p_host, session_user
            using errcode = 'BG001', hint = 'the administrator enrolls it with: bgtask-feeder enroll NAME --role ROLE';
    end if;
    if v_host.incarnation <> p_incarnation then
        raise exception 'host "%" has a newer feeder', p_host
            using errcode = 'BG002', hint = 'run one feeder for each host';
    end if;
    return v_host;
end
$$;

-- The groups for which the feeder of a host claims: those of its choice that the host still has, or all.
create or replace function bgtask_fleet.active_groups(p_host bgtask_fleet.host) returns text[]
language sql immutable set search_path = pg_catalog, pg_temp as $$
    select case when p_host.chosen_groups is null then p_host.groups
        else array(select unnest(p_host.chosen_groups) intersect select unnest(p_host.groups)) end
$$;

create or replace function bgtask_fleet.target_text(p_host_id bigint, p_scope text) returns text
language sql stable set search_path = pg_catalog, pg_temp as $$
    select case when p_host_id is null then 'any:' || p_scope
           else 'host:' || (select name from bgtask_fleet.host where host_id = p_host_id) end
$$;

-- Ends an item: the outcome and the deletion are one transaction.
create or replace function bgtask_fleet.end_item(
    p_item bgtask_fleet.item, p_outcome text, p_detail jsonb
) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
    delete from bgtask_fleet.item where item_id = p_item.item_id;
    insert into bgtask_fleet.outcome
        (item_id, fence, plugin, identifier, target, host, campaign_id, outcome, detail)
    values (p_item.item_id, p_item.fence, p_item.plugin, p_item.identifier,
        bgtask_fleet.target_text(p_item.host_id, p_item.scope),
        (select name from bgtask_fleet.host where host_id = coalesce(p_item.claimed_by, p_item.host_id)),
        p_item.campaign_id, p_outcome, coalesce(p_detail, '{}'));
    if p_item.campaign_id is not null and p_item.host_id is not null then
        update bgtask_fleet.campaign_result set outcome = p_outcome, ended_at = now()
        where campaign_id = p_item.campaign_id and host_id = p_item.host_id and ended_at is null;
    end if;
end
$$;

-- Whether a host that returned an unbound item for this reason would refuse it again: the reason is neither the host's
-- capacity, nor its lease, nor the way to the host.
create or replace function bgtask_fleet.is_lasting(p_reason text) returns boolean
language sql immutable set search_path = pg_catalog, pg_temp as $$
    select p_reason not in ('never-submitted', 'lease-lost', 'claim-exists', 'no-capacity-now', 'processing-limit',
        'refresh-limit', 'lease-not-trusted', 'submitter-may-not-schedule', 'host-stopping', 'not-recorded')
$$;

-- Takes the claim from an item. A newer pending item of the same work replaces it instead. The delay applies to a bound
-- item and to an invalid one. Any other unbound item is due at once, but not for the hosts that refused it.
create or replace function bgtask_fleet.unclaim(p_item bgtask_fleet.item, p_reason text, p_delay interval) returns text
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
    v_delay interval = p_delay;
    v_refused bigint[] = p_item.refused_by;
    v_refused_at timestamptz = p_item.refused_at;
begin
    if p_item.end_requested is not null then
        perform bgtask_fleet.end_item(p_item, p_item.end_requested, jsonb_build_object('reason', p_reason));
        return p_item.end_requested;
    end if;
    if p_item.host_id is null and p_reason not like 'request-invalid%' then
        v_delay = null;
        if bgtask_fleet.is_lasting(p_reason) then
            if v_refused_at <= now() - interval '5 minutes' then v_refused = null; end if;
            v_refused = v_refused || p_item.claimed_by;
            v_refused_at = now();
            -- The list is bounded: the item waits for all hosts instead.
            if cardinality(v_refused) >= 20 then v_delay = interval '5 minutes'; end if;
        end if;
    end if;
    begin
        update bgtask_fleet.item set claimed_by = null, claimed_at = null, waiting_for = null,
            released_by = p_item.claimed_by, released_at = now(), release_reason = p_reason, releases = releases + 1,
            refused_by = v_refused, refused_at = v_refused_at, not_before = greatest(not_before, now() + v_delay)
        where item_id = p_item.item_id;
    exception when unique_violation then
        perform bgtask_fleet.end_item(p_item, 'replaced', jsonb_build_object('reason', p_reason));
        return 'replaced';
    end;
    return 'pending';
end
$$;

-- Inserts a pending item, or replaces the request of the pending item with the same plugin, identifier and target.
-- A replacement keeps the cursor. An older claimed item with the same key is asked to end where it still waits.
create or replace function bgtask_fleet.put_item(p_new bgtask_fleet.item) returns jsonb
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
    v_old bgtask_fleet.item;
    v_item bigint;
    v_replaced bigint;
    v_cursor bytea;
begin
    loop
        select * into v_old from bgtask_fleet.item
        where plugin = p_new.plugin and identifier = p_new.identifier and claimed_by is null
            and host_id is not distinct from p_new.host_id and scope is not distinct from p_new.scope
        for update;
        if found then
            perform bgtask_fleet.end_item(v_old, 'replaced', '{}');
            v_replaced = v_old.item_id;
            v_cursor = v_old.cursor;
        end if;
        begin
            insert into bgtask_fleet.item (plugin, identifier, kind, request, payload, host_id, scope, bucket, priority,
                not_before, deadline, campaign_id, cursor)
            values (p_new.plugin, p_new.identifier, p_new.kind, coalesce(p_new.request, '{}'), p_new.payload,
                p_new.host_id, p_new.scope, floor(random() * 16)::smallint, coalesce(p_new.priority, 0),
                p_new.not_before, p_new.deadline, p_new.campaign_id, v_cursor)
            returning item_id into v_item;
            exit;
        exception when unique_violation then
            -- Another transaction inserted the same key in between: replace its item.
        end;
    end loop;
    update bgtask_fleet.item set end_requested = 'replaced'
    where plugin = p_new.plugin and identifier = p_new.identifier and claimed_by is not null
        and host_id is not distinct from p_new.host_id and scope is not distinct from p_new.scope
        and end_requested is null;
    return jsonb_strip_nulls(jsonb_build_object('item', v_item, 'replaced', v_replaced));
end
$$;
