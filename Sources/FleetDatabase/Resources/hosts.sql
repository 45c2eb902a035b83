-- The functions of a host's feeder. Each checks that the host belongs to the login role and has no newer feeder.

-- Begins an incarnation of the feeder, renews the lease and returns the terms and the host's claims.
create or replace function bgtask_fleet.begin_feeder(p_host text, p_protocol integer) returns jsonb
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
    v_host bgtask_fleet.host;
begin
    if p_protocol < 1 then
        raise exception 'protocol % of the feeder is not supported', p_protocol
            using errcode = 'BG003', hint = 'install a newer bgtask-feeder';
    end if;
    update bgtask_fleet.host set incarnation = incarnation + 1, protocol = p_protocol, seen_at = now(),
        lease_until = now() + bgtask_fleet.lease_length()
    where name = p_host and role_name = session_user returning * into v_host;
    if not found then
        raise exception 'host "%" does not belong to the role "%"', p_host, session_user
            using errcode = 'BG001', hint = 'the administrator enrolls it with: bgtask-feeder enroll NAME --role ROLE';
    end if;
    return jsonb_build_object(
        'protocol', least(p_protocol, 1), 'host', v_host.host_id, 'incarnation', v_host.incarnation,
        'lease_seconds', extract(epoch from bgtask_fleet.lease_length()), 'groups', to_jsonb(v_host.groups),
        'claims', coalesce((select jsonb_agg(jsonb_build_object('item', item_id, 'fence', fence,
                'bound', host_id is not null) order by item_id)
            from bgtask_fleet.item where claimed_by = v_host.host_id), '[]'));
end
$$;

-- Renews the lease. Returns its length, the claims that shall end where they still wait, and new campaigns.
-- p_plugins: [{plugin, version, digest, ready, reason}], null when unchanged. p_waiting: [{item, fence, reason}].
create or replace function bgtask_fleet.renew(p_host text, p_incarnation bigint, p_plugins jsonb, p_waiting jsonb)
returns jsonb
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
    v_host bgtask_fleet.host = bgtask_fleet.caller(p_host, p_incarnation);
    v_length interval = bgtask_fleet.lease_length();
begin
    update bgtask_fleet.host set seen_at = now(), lease_until = now() + v_length,
        campaign_cursor = greatest(campaign_cursor, coalesce((
            -- A campaign with a lower number may be committed later, but not ten minutes later.
            select max(campaign_id) from bgtask_fleet.campaign_result
            where host_id = v_host.host_id and joined_at < now() - interval '10 minutes'
                and campaign_id > v_host.campaign_cursor), 0))
    where host_id = v_host.host_id;
    if p_plugins is not null then
        delete from bgtask_fleet.host_plugin where host_id = v_host.host_id
            and plugin not in (select value ->> 'plugin' from jsonb_array_elements(p_plugins));
        insert into bgtask_fleet.host_plugin as known (plugin, host_id, version, digest, ready, reason)
        select value ->> 'plugin', v_host.host_id, coalesce(value ->> 'version', ''), coalesce(value ->> 'digest', ''),
            coalesce((value ->> 'ready')::boolean, true), value ->> 'reason'
        from jsonb_array_elements(p_plugins)
        on conflict (plugin, host_id) do update
            set version = excluded.version, digest = excluded.digest, ready = excluded.ready, reason = excluded.reason
            where (known.version, known.digest, known.ready, known.reason)
                is distinct from (excluded.version, excluded.digest, excluded.ready, excluded.reason);
    end if;
    update bgtask_fleet.item i set waiting_for = w.value ->> 'reason'
    from jsonb_array_elements(coalesce(p_waiting, '[]')) w
    where i.item_id = (w.value ->> 'item')::bigint and i.fence = (w.value ->> 'fence')::bigint
        and i.claimed_by = v_host.host_id and i.waiting_for is distinct from w.value ->> 'reason';
    perform bgtask_fleet.perform_duties();
    return jsonb_build_object(
        'lease_seconds', extract(epoch from v_length), 'drained', v_host.drained_at is not null,
        'end', coalesce((select jsonb_agg(jsonb_build_object('item', item_id, 'fence', fence, 'plugin', plugin,
                'identifier', identifier, 'cause', end_requested) order by item_id)
            from bgtask_fleet.item where claimed_by = v_host.host_id and end_requested is not null), '[]'),
        'campaigns', case when v_host.drained_at is null then coalesce((
            select jsonb_agg(jsonb_build_object('campaign', campaign_id, 'spread_seconds', extract(epoch from spread)))
            from (
                select c.campaign_id, c.spread from bgtask_fleet.campaign c
                where c.campaign_id > v_host.campaign_cursor and c.stopped_at is null
                    and (c.scope = '*' or c.scope = any(v_host.groups))
                    and (c.continuous or c.last_host >= v_host.host_id)
                    and not exists (select from bgtask_fleet.campaign_result r
                        where r.campaign_id = c.campaign_id and r.host_id = v_host.host_id)
                order by c.campaign_id limit 100) fresh), '[]') else '[]' end);
end
$$;

-- Makes items of campaigns for this host. p_slots: [{campaign, slot_seconds}]; the feeder computes the slots.
create or replace function bgtask_fleet.join_campaigns(p_host text, p_incarnation bigint, p_slots jsonb) returns integer
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
    v_host bgtask_fleet.host = bgtask_fleet.caller(p_host, p_incarnation);
    v_campaign record;
    v_item bgtask_fleet.item;
    v_count integer = 0;
begin
    for v_campaign in
        select c.*, greatest(0, least((s.value ->> 'slot_seconds')::double precision,
            extract(epoch from c.spread)::double precision)) as slot
        from jsonb_array_elements(p_slots) s
        join bgtask_fleet.campaign c on c.campaign_id = (s.value ->> 'campaign')::bigint
        where c.stopped_at is null and (c.scope = '*' or c.scope = any(v_host.groups))
            and (c.continuous or c.last_host >= v_host.host_id)
        order by c.campaign_id
    loop
        insert into bgtask_fleet.campaign_result (campaign_id, host_id)
        values (v_campaign.campaign_id, v_host.host_id) on conflict do nothing;
        continue when not found;
        if not exists (select from bgtask_fleet.host_plugin
            where plugin = v_campaign.plugin and host_id = v_host.host_id) then
            update bgtask_fleet.campaign_result set outcome = 'not-installed', ended_at = now()
            where campaign_id = v_campaign.campaign_id and host_id = v_host.host_id;
            continue;
        end if;
        v_item = null;
        v_item.plugin = v_campaign.plugin;
        v_item.identifier = v_campaign.identifier;
        v_item.kind = v_campaign.kind;
        v_item.request = v_campaign.request;
        v_item.payload = v_campaign.payload;
        v_item.host_id = v_host.host_id;
        v_item.priority = v_campaign.priority;
        v_item.not_before = v_campaign.not_before + make_interval(secs => v_campaign.slot);
        v_item.deadline = v_campaign.deadline;
        v_item.campaign_id = v_campaign.campaign_id;
        perform bgtask_fleet.put_item(v_item);
        v_count = v_count + 1;
    end loop;
    return v_count;
end
$$;

create or replace function bgtask_fleet.claimed(p_items bgtask_fleet.item[]) returns jsonb
language sql stable set search_path = pg_catalog, pg_temp as $$
    select coalesce(jsonb_agg(jsonb_strip_nulls(jsonb_build_object('item', i.item_id, 'fence', i.fence,
        'bound', i.host_id is not null, 'plugin', i.plugin, 'identifier', i.identifier, 'kind', i.kind,
        'request', i.request, 'payload', encode(i.payload, 'base64'),
        'deadline_seconds', extract(epoch from i.deadline - now()), 'campaign', i.campaign_id))), '[]')
    from unnest(p_items) i
$$;

-- Claims due items that are bound to this host, at most one for each plugin and identifier.
create or replace function bgtask_fleet.claim_bound(
    p_host text, p_incarnation bigint, p_plugins text[], p_limit integer
) returns jsonb
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
    v_host bgtask_fleet.host = bgtask_fleet.caller(p_host, p_incarnation);
    v_items bgtask_fleet.item[];
begin
    if v_host.drained_at is not null then return '[]'; end if;
    with due as materialized (
        select item_id from bgtask_fleet.item i
        where host_id = v_host.host_id and claimed_by is null and not_before <= now()
            and (deadline is null or deadline > now()) and plugin = any(p_plugins)
            and not exists (select from bgtask_fleet.item held where held.claimed_by = v_host.host_id
                and held.plugin = i.plugin and held.identifier = i.identifier)
        order by priority, not_before, item_id limit least(p_limit, 1000) for update skip locked),
    taken as (
        update bgtask_fleet.item i set claimed_by = v_host.host_id, claimed_at = now(), fence = fence + 1,
            waiting_for = null
        from due where i.item_id = due.item_id returning i.*)
    select array_agg(taken::bgtask_fleet.item) into v_items from taken;
    return bgtask_fleet.claimed(v_items);
end
$$;

-- Claims due items of this host's groups: p_buckets buckets from p_bucket on, until p_limit items are claimed.
create or replace function bgtask_fleet.claim_any(
    p_host text, p_incarnation bigint, p_plugins text[], p_bucket integer, p_buckets integer, p_limit integer
) returns jsonb
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
    v_host bgtask_fleet.host = bgtask_fleet.caller(p_host, p_incarnation);
    v_scopes text[] = v_host.groups || '*'::text;
    v_items bgtask_fleet.item[];
    v_all bgtask_fleet.item[] = '{}';
    v_limit integer = least(p_limit, 1000);
begin
    -- Without a lease every other host may rescue the claim at once.
    if v_host.drained_at is not null or v_host.lease_until <= now() then return '[]'; end if;
    for v_bucket in p_bucket .. p_bucket + least(p_buckets, 16) - 1 loop
        exit when v_limit <= 0;
        -- The locks are taken first: the planner must not lock more rows than the limit.
        with due as materialized (
            select item_id, plugin, identifier from bgtask_fleet.item i
            where plugin = any(p_plugins) and scope = any(v_scopes) and bucket = v_bucket % 16
                and host_id is null and claimed_by is null and not_before <= now()
                and (deadline is null or deadline > now())
                and (released_by is distinct from v_host.host_id or released_at < now() - interval '60 seconds')
                and not exists (select from bgtask_fleet.item held where held.claimed_by = v_host.host_id
                    and held.plugin = i.plugin and held.identifier = i.identifier)
            order by priority, not_before, item_id limit v_limit for update skip locked),
        -- Two groups may have an item with the same key; the host holds one of them at a time.
        chosen as (select distinct on (plugin, identifier) item_id from due order by plugin, identifier, item_id),
        taken as (
            update bgtask_fleet.item i set claimed_by = v_host.host_id, claimed_at = now(), fence = fence + 1,
                waiting_for = null
            from chosen where i.item_id = chosen.item_id returning i.*)
        select array_agg(taken::bgtask_fleet.item) into v_items from taken;
        v_limit = v_limit - coalesce(cardinality(v_items), 0);
        v_all = v_all || v_items;
    end loop;
    return bgtask_fleet.claimed(v_all);
end
$$;

-- Gives claims a new fence and returns their items: those that the feeder claimed and never submitted.
create or replace function bgtask_fleet.reclaim(p_host text, p_incarnation bigint, p_items bigint[]) returns jsonb
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
    v_host bgtask_fleet.host = bgtask_fleet.caller(p_host, p_incarnation);
    v_items bgtask_fleet.item[];
begin
    with taken as (
        update bgtask_fleet.item i set fence = fence + 1, claimed_at = now(), waiting_for = null
        where item_id = any(p_items) and claimed_by = v_host.host_id returning i.*)
    select array_agg(taken::bgtask_fleet.item) into v_items from taken;
    return bgtask_fleet.claimed(v_items);
end
$$;

-- Ends items. p_outcomes: [{item, fence, outcome, detail}]. Returns [{item, fence, accepted}]: an outcome with an
-- old fence changes nothing.
create or replace function bgtask_fleet.finish(p_host text, p_incarnation bigint, p_outcomes jsonb) returns jsonb
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
    v_host bgtask_fleet.host = bgtask_fleet.caller(p_host, p_incarnation);
    v_outcome jsonb;
    v_item bgtask_fleet.item;
    v_results jsonb = '[]';
    v_accepted boolean;
begin
    -- In the order of the items, so that two hosts never lock in opposite orders.
    for v_outcome in select value from jsonb_array_elements(p_outcomes) order by (value ->> 'item')::bigint loop
        select * into v_item from bgtask_fleet.item
        where item_id = (v_outcome ->> 'item')::bigint and fence = (v_outcome ->> 'fence')::bigint
            and claimed_by = v_host.host_id for update;
        v_accepted = found;
        if v_accepted then
            perform bgtask_fleet.check_value('outcome', v_outcome ->> 'outcome', '^[a-z][a-z-]{0,62}$',
                'use lower-case letters and hyphens');
            perform bgtask_fleet.end_item(v_item, v_outcome ->> 'outcome', v_outcome -> 'detail');
        end if;
        v_results = v_results || jsonb_build_object('item', v_outcome -> 'item', 'fence', v_outcome -> 'fence',
            'accepted', v_accepted);
    end loop;
    return v_results;
end
$$;

-- Returns claimed items to the queue. p_releases: [{item, fence, reason, delay_seconds}]. Returns as finish does.
create or replace function bgtask_fleet.release(p_host text, p_incarnation bigint, p_releases jsonb) returns jsonb
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
    v_host bgtask_fleet.host = bgtask_fleet.caller(p_host, p_incarnation);
    v_release jsonb;
    v_item bgtask_fleet.item;
    v_results jsonb = '[]';
    v_accepted boolean;
begin
    for v_release in select value from jsonb_array_elements(p_releases) order by (value ->> 'item')::bigint loop
        select * into v_item from bgtask_fleet.item
        where item_id = (v_release ->> 'item')::bigint and fence = (v_release ->> 'fence')::bigint
            and claimed_by = v_host.host_id for update;
        v_accepted = found;
        if v_accepted then
            perform bgtask_fleet.unclaim(v_item, left(v_release ->> 'reason', 200), make_interval(secs =>
                greatest(0, least(coalesce((v_release ->> 'delay_seconds')::double precision, 30), 86400))));
        end if;
        v_results = v_results || jsonb_build_object('item', v_release -> 'item', 'fence', v_release -> 'fence',
            'accepted', v_accepted);
    end loop;
    return v_results;
end
$$;
