-- The functions of submitters.

-- Submits work. p_target: host:NAME, any:GROUP or each:GROUP. Delays count from the database's clock.
-- Returns {item, replaced} or {campaign, replaced}.
create or replace function bgtask_fleet.submit(
    p_target text, p_plugin text, p_identifier text, p_kind text, p_request jsonb, p_payload bytea,
    p_not_before timestamptz, p_delay_seconds double precision, p_deadline timestamptz,
    p_deadline_seconds double precision, p_priority integer, p_campaign jsonb
) returns jsonb
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
    v_class text = split_part(p_target, ':', 1);
    v_name text = substr(p_target, strpos(p_target, ':') + 1);
    v_item bgtask_fleet.item;
begin
    perform bgtask_fleet.check_work(p_target, p_plugin, p_identifier, p_kind, p_request, p_payload,
        (p_campaign ->> 'spread_seconds')::double precision);
    v_item.plugin = p_plugin;
    v_item.identifier = p_identifier;
    v_item.kind = p_kind;
    v_item.request = p_request;
    v_item.payload = p_payload;
    v_item.priority = coalesce(p_priority, 0);
    v_item.not_before = coalesce(p_not_before, now() + make_interval(secs => coalesce(p_delay_seconds, 0)));
    v_item.deadline = coalesce(p_deadline, now() + make_interval(secs => p_deadline_seconds));
    if v_item.deadline <= v_item.not_before then
        raise exception 'deadline % is not after the earliest begin %', v_item.deadline, v_item.not_before
            using errcode = 'BG004', hint = 'choose a later deadline';
    end if;
    if v_class = 'each' then
        return bgtask_fleet.put_campaign(v_item, v_name, coalesce(p_campaign, '{}'));
    elsif v_class = 'any' then
        v_item.scope = v_name;
    else
        select host_id into strict v_item.host_id from bgtask_fleet.host where name = v_name;
    end if;
    return bgtask_fleet.put_item(v_item);
end
$$;

-- Inserts a campaign, one row for any number of hosts, and stops the campaign with the same key and its items.
create or replace function bgtask_fleet.put_campaign(p_item bgtask_fleet.item, p_scope text, p_terms jsonb)
returns jsonb
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
    v_replaced bigint;
    v_campaign bigint;
begin
    for v_replaced in
        select campaign_id from bgtask_fleet.campaign
        where plugin = p_item.plugin and identifier = p_item.identifier and scope = p_scope and stopped_at is null
        order by campaign_id
    loop
        perform bgtask_fleet.stop_campaign(v_replaced, 'replaced', 1000);
    end loop;
    insert into bgtask_fleet.campaign (plugin, identifier, scope, kind, request, payload, priority, not_before,
        deadline, spread, continuous, last_host, abort_percent, abort_after)
    values (p_item.plugin, p_item.identifier, p_scope, p_item.kind, coalesce(p_item.request, '{}'), p_item.payload,
        p_item.priority, p_item.not_before, p_item.deadline,
        make_interval(secs => coalesce((p_terms ->> 'spread_seconds')::double precision, 0)),
        coalesce((p_terms ->> 'continuous')::boolean, false),
        coalesce((select max(host_id) from bgtask_fleet.host), 0),
        (p_terms ->> 'abort_percent')::smallint, coalesce((p_terms ->> 'abort_after')::integer, 10))
    returning campaign_id into v_campaign;
    return jsonb_strip_nulls(jsonb_build_object('campaign', v_campaign, 'replaced', v_replaced));
end
$$;

-- Stops a campaign for the reason replaced, cancelled or failures: its pending items end now, its claimed items where
-- they still wait. Stops at most p_limit items, null for all: the duty `campaign` stops the rest.
create or replace function bgtask_fleet.stop_campaign(
    p_campaign bigint, p_reason text, p_limit integer, out ended integer, out requested integer
)
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
    v_item bgtask_fleet.item;
begin
    ended = 0;
    requested = 0;
    update bgtask_fleet.campaign set stopped_at = now(), stop_reason = p_reason
    where campaign_id = p_campaign and stopped_at is null;
    for v_item in
        select * from bgtask_fleet.item
        where campaign_id = p_campaign and (claimed_by is null or end_requested is null)
        order by item_id limit p_limit for update
    loop
        if bgtask_fleet.stop_item(v_item, case p_reason when 'replaced' then 'replaced' else 'cancelled' end) then
            ended = ended + 1;
        else
            requested = requested + 1;
        end if;
    end loop;
end
$$;

-- Ends a pending item now, and a claimed one where it still waits. True when the item has ended.
create or replace function bgtask_fleet.stop_item(p_item bgtask_fleet.item, p_outcome text) returns boolean
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
    if p_item.claimed_by is null then
        perform bgtask_fleet.end_item(p_item, p_outcome, '{}');
    else
        update bgtask_fleet.item set end_requested = p_outcome where item_id = p_item.item_id;
    end if;
    return p_item.claimed_by is null;
end
$$;

-- Cancels the work with this key. Returns {cancelled, requested, campaigns}: pending items end now, claimed items end
-- where they still wait, after the next sync of their host.
create or replace function bgtask_fleet.cancel(p_target text, p_plugin text, p_identifier text) returns jsonb
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
    v_class text = split_part(p_target, ':', 1);
    v_name text = substr(p_target, strpos(p_target, ':') + 1);
    v_item bgtask_fleet.item;
    v_campaign bigint;
    v_stop record;
    v_cancelled integer = 0;
    v_requested integer = 0;
    v_campaigns bigint[] = '{}';
begin
    perform bgtask_fleet.check_target(p_target);
    -- Also a stopped campaign that has items still: its stop may not have reached them.
    for v_campaign in
        select campaign_id from bgtask_fleet.campaign c
        where v_class = 'each' and plugin = p_plugin and identifier = p_identifier and scope = v_name
            and (stopped_at is null or exists (select from bgtask_fleet.item i where i.campaign_id = c.campaign_id))
        order by campaign_id
    loop
        select * into v_stop from bgtask_fleet.stop_campaign(v_campaign, 'cancelled', null);
        v_cancelled = v_cancelled + v_stop.ended;
        v_requested = v_requested + v_stop.requested;
        v_campaigns = v_campaigns || v_campaign;
    end loop;
    for v_item in
        select * from bgtask_fleet.item i
        where i.plugin = p_plugin and i.identifier = p_identifier and case v_class
            when 'any' then i.scope = v_name
            when 'host' then i.host_id = (select host_id from bgtask_fleet.host where name = v_name)
            else false end
        order by item_id for update
    loop
        if bgtask_fleet.stop_item(v_item, 'cancelled') then
            v_cancelled = v_cancelled + 1;
        else
            v_requested = v_requested + 1;
        end if;
    end loop;
    return jsonb_build_object('cancelled', v_cancelled, 'requested', v_requested, 'campaigns', to_jsonb(v_campaigns));
end
$$;

-- Adds or replaces a schedule. Ticks are at multiples of its period.
create or replace function bgtask_fleet.put_schedule(
    p_name text, p_target text, p_plugin text, p_identifier text, p_kind text, p_request jsonb, p_payload bytea,
    p_every_seconds double precision, p_spread_seconds double precision
) returns timestamptz
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
    v_next timestamptz;
begin
    perform bgtask_fleet.check_value('schedule', p_name, '^[a-z0-9]([a-z0-9.-]{0,61}[a-z0-9])?$',
        'use lower-case letters, digits, dots and hyphens');
    perform bgtask_fleet.check_work(p_target, p_plugin, p_identifier, p_kind, p_request, p_payload, p_spread_seconds);
    if not coalesce(p_every_seconds between 1 and 31622400, false) then
        raise exception 'period of % s is invalid', p_every_seconds
            using errcode = 'BG004', hint = 'use 1 second to 366 days';
    end if;
    v_next = to_timestamp(ceil(extract(epoch from now())::double precision / p_every_seconds) * p_every_seconds);
    insert into bgtask_fleet.schedule
        (name, target, plugin, identifier, kind, request, payload, every, spread, next_at)
    values (p_name, p_target, p_plugin, p_identifier, p_kind, coalesce(p_request, '{}'), p_payload,
        make_interval(secs => p_every_seconds), make_interval(secs => coalesce(p_spread_seconds, 0)), v_next)
    on conflict (name) do update set target = excluded.target, plugin = excluded.plugin,
        identifier = excluded.identifier, kind = excluded.kind, request = excluded.request,
        payload = excluded.payload, every = excluded.every, spread = excluded.spread, next_at = excluded.next_at;
    return v_next;
end
$$;

create or replace function bgtask_fleet.remove_schedule(p_name text) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
    delete from bgtask_fleet.schedule where name = p_name;
    return found;
end
$$;

-- Starts or ends the drain of a host: it claims nothing while it is drained. False without such a host.
create or replace function bgtask_fleet.drain(p_host text, p_drained boolean) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
    update bgtask_fleet.host set drained_at = case when p_drained then coalesce(drained_at, now()) end
    where name = p_host;
    return found;
end
$$;
