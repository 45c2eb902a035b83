-- The functions of a host's feeder. Each checks that the host belongs to the login role and has no newer feeder.

-- Begins an incarnation of the feeder, renews the lease and returns the host's groups.
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
        chosen_groups = null, lease_until = now() + bgtask_fleet.lease_length()
    where name = p_host and role_name = session_user returning * into v_host;
    if not found then
        raise exception 'host "%" does not belong to the role "%"', p_host, session_user
            using errcode = 'BG001', hint = 'the administrator enrolls it with: bgtask-feeder enroll NAME --role ROLE';
    end if;
    return jsonb_build_object(
        'protocol', least(p_protocol, 1), 'host', v_host.host_id, 'incarnation', v_host.incarnation,
        'groups', to_jsonb(v_host.groups));
end
$$;

-- Limits the present feeder to some of the host's groups. Work for the host and for all hosts stays open to it.
create or replace function bgtask_fleet.choose_groups(p_host text, p_incarnation bigint, p_groups text[]) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
    v_host bgtask_fleet.host = bgtask_fleet.caller(p_host, p_incarnation);
    v_group text;
begin
    foreach v_group in array p_groups loop
        if v_group <> 'all' and v_group <> all(v_host.groups) then
            raise exception 'host "%" is not in the group "%"', p_host, v_group
                using errcode = 'BG004', hint = 'the administrator adds it with: bgtask-feeder enroll --group';
        end if;
    end loop;
    update bgtask_fleet.host set chosen_groups = p_groups where host_id = v_host.host_id;
end
$$;

-- Renews the lease. Returns its interval, the host's claims without cancelled and replaced ones, these apart as ending,
-- and new campaigns.
-- p_plugins: [{plugin, version, digest, ready, reason}], null when unchanged. p_waiting: [{item, fence, reason}].
create or replace function bgtask_fleet.renew(p_host text, p_incarnation bigint, p_plugins jsonb, p_waiting jsonb)
returns jsonb
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
    v_host bgtask_fleet.host = bgtask_fleet.caller(p_host, p_incarnation);
    v_groups text[] = bgtask_fleet.active_groups(v_host);
    -- Computed once: the duties, or an operator meanwhile, may change it, and the host must not trust a longer lease.
    v_interval interval = bgtask_fleet.lease_interval();
begin
    update bgtask_fleet.host set seen_at = now(), lease_until = now() + 3 * v_interval,
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
        'interval_seconds', extract(epoch from v_interval),
        'drained', v_host.drained_at is not null,
        'held', coalesce((select jsonb_agg(jsonb_build_object('item', item_id, 'fence', fence,
                'bound', host_id is not null) order by item_id)
            from bgtask_fleet.item where claimed_by = v_host.host_id and end_requested is null), '[]'),
        'ending', coalesce((select jsonb_agg(jsonb_build_object('item', item_id, 'fence', fence,
                'bound', host_id is not null) order by item_id)
            from bgtask_fleet.item where claimed_by = v_host.host_id and end_requested is not null), '[]'),
        'campaigns', case when v_host.drained_at is null then coalesce((
            select jsonb_agg(jsonb_build_object('campaign', campaign_id, 'spread_seconds', extract(epoch from spread)))
            from (
                select c.campaign_id, c.spread from bgtask_fleet.campaign c
                where c.campaign_id > v_host.campaign_cursor and c.stopped_at is null
                    and (c.scope = 'all' or c.scope = any(v_groups))
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
    v_groups text[] = bgtask_fleet.active_groups(v_host);
    v_campaign record;
    v_item bgtask_fleet.item;
    v_count integer = 0;
begin
    for v_campaign in
        select c.*, greatest(0, least((s.value ->> 'slot_seconds')::double precision,
            extract(epoch from c.spread)::double precision)) as slot
        from jsonb_array_elements(p_slots) s
        join bgtask_fleet.campaign c on c.campaign_id = (s.value ->> 'campaign')::bigint
        where c.stopped_at is null and (c.scope = 'all' or c.scope = any(v_groups))
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
        v_item.deadline = v_campaign.deadline;
        v_item.campaign_id = v_campaign.campaign_id;
        -- A campaign that fails must stop neither the other ones nor the claims of the host.
        begin
            v_item.not_before = v_campaign.not_before + make_interval(secs => v_campaign.slot);
            perform bgtask_fleet.put_item(v_item);
            v_count = v_count + 1;
        exception when data_exception or integrity_constraint_violation then
            raise warning 'campaign %: %', v_campaign.campaign_id, sqlerrm;
            update bgtask_fleet.campaign_result set outcome = 'invalid', ended_at = now()
            where campaign_id = v_campaign.campaign_id and host_id = v_host.host_id;
        end;
    end loop;
    return v_count;
end
$$;

-- Claims due items for this host: bound ones first, then those of its groups from the bucket p_bucket on, at most one
-- for each plugin and identifier. p_rooms: [{plugin, free}], the largest number of items of each plugin. A host holds
-- at most 1,000 claims: a report of all of them ends within its timeout.
create or replace function bgtask_fleet.claim(
    p_host text, p_incarnation bigint, p_rooms jsonb, p_bucket integer, p_limit integer
) returns jsonb
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
    v_host bgtask_fleet.host = bgtask_fleet.caller(p_host, p_incarnation);
    v_all bgtask_fleet.item[] = '{}';
    v_limit integer;
begin
    if v_host.drained_at is not null then return '[]'; end if;
    -- Two claims at once must not exceed the limit of the host together.
    perform from bgtask_fleet.host where host_id = v_host.host_id for no key update;
    v_limit = least(p_limit, 1000 - (select count(*) from bgtask_fleet.item where claimed_by = v_host.host_id));
    if v_limit <= 0 then return '[]'; end if;
    v_all = bgtask_fleet.claim_part(v_host, p_rooms, null, v_limit, v_all);
    -- Without a lease every other host may rescue a claim of a group at once.
    if v_host.lease_until > now() then
        for v_step in 0 .. 15 loop
            exit when cardinality(v_all) >= v_limit;
            v_all = bgtask_fleet.claim_part(v_host, p_rooms, (p_bucket + v_step) % 16, v_limit, v_all);
        end loop;
    end if;
    return bgtask_fleet.claimed(v_all);
end
$$;

-- Adds claims of bound items, or of one bucket, to p_all.
create or replace function bgtask_fleet.claim_part(
    p_caller bgtask_fleet.host, p_rooms jsonb, p_bucket integer, p_limit integer, p_all bgtask_fleet.item[]
) returns bgtask_fleet.item[]
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
    v_items bgtask_fleet.item[];
    v_due bigint[];
    v_scopes text[] = bgtask_fleet.active_groups(p_caller) || 'all'::text;
    v_plugins text[] = array(
        select value ->> 'plugin' from jsonb_array_elements(p_rooms)
        where (value ->> 'free')::integer > (select count(*) from unnest(p_all) a where a.plugin = value ->> 'plugin'));
begin
    -- The locks are taken first: the planner must not lock more rows than the limit.
    if p_bucket is null then
        v_due = array(
            select item_id from bgtask_fleet.item i
            where host_id = p_caller.host_id and claimed_by is null and not_before <= now()
                and (deadline is null or deadline > now()) and plugin = any(v_plugins)
                and not exists (select from bgtask_fleet.item held where held.claimed_by = p_caller.host_id
                    and held.plugin = i.plugin and held.identifier = i.identifier)
            order by priority, not_before, item_id limit p_limit for update skip locked);
    else
        v_due = array(
            select item_id from bgtask_fleet.item i
            where plugin = any(v_plugins) and scope = any(v_scopes) and bucket = p_bucket
                and host_id is null and claimed_by is null and not_before <= now()
                and (deadline is null or deadline > now())
                and (refused_by is null or p_caller.host_id <> all(refused_by)
                    or refused_at <= now() - interval '5 minutes')
                and not exists (select from bgtask_fleet.item held where held.claimed_by = p_caller.host_id
                    and held.plugin = i.plugin and held.identifier = i.identifier)
            order by priority, not_before, item_id limit p_limit - cardinality(p_all) for update skip locked);
    end if;
    if v_due = '{}' then return p_all; end if;
    -- Two groups may have an item with the same key: the host holds one of them at a time.
    with keys as (
        select distinct on (plugin, identifier) item_id, plugin, priority, not_before from bgtask_fleet.item
        where item_id = any(v_due) order by plugin, identifier, priority, not_before, item_id),
    ranked as (
        select item_id, plugin, row_number() over (partition by plugin order by priority, not_before, item_id) as rank
        from keys),
    chosen as (
        select item_id from ranked where rank <= (
            select max((value ->> 'free')::integer) from jsonb_array_elements(p_rooms)
            where value ->> 'plugin' = ranked.plugin)
            - (select count(*) from unnest(p_all) a where a.plugin = ranked.plugin)),
    taken as (
        update bgtask_fleet.item i set claimed_by = p_caller.host_id, claimed_at = now(), fence = fence + 1,
            waiting_for = null
        from chosen where i.item_id = chosen.item_id returning i.*)
    select array_agg(taken::bgtask_fleet.item) into v_items from taken;
    return p_all || v_items;
end
$$;

create or replace function bgtask_fleet.claimed(p_items bgtask_fleet.item[]) returns jsonb
language sql stable set search_path = pg_catalog, pg_temp as $$
    select coalesce(jsonb_agg(jsonb_strip_nulls(jsonb_build_object('item', i.item_id, 'fence', i.fence,
        'bound', i.host_id is not null, 'plugin', i.plugin, 'identifier', i.identifier, 'kind', i.kind,
        'request', i.request, 'payload', replace(encode(i.payload, 'base64'), E'\n', ''),
        'cursor', replace(encode(i.cursor, 'base64'), E'\n', ''),
        'deadline_seconds', extract(epoch from i.deadline - now()), 'campaign', i.campaign_id))), '[]')
    from unnest(p_items) i
$$;

-- Ends claims. p_reports: [{item, fence, outcome, detail}] for finished items, and [{item, fence, release,
-- delay_seconds, cursor}] with a reason for items that return to the queue. A cursor in base64 replaces that of the
-- item. Returns [{item, fence, accepted}]: a report with an old fence changes nothing.
create or replace function bgtask_fleet.report(p_host text, p_incarnation bigint, p_reports jsonb) returns jsonb
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
    v_host bgtask_fleet.host = bgtask_fleet.caller(p_host, p_incarnation);
    v_report jsonb;
    v_item bgtask_fleet.item;
    v_results jsonb = '[]';
    v_accepted boolean;
begin
    -- In the order of the items, so that two hosts never lock in opposite orders.
    for v_report in select value from jsonb_array_elements(p_reports) order by (value ->> 'item')::bigint loop
        select * into v_item from bgtask_fleet.item
        where item_id = (v_report ->> 'item')::bigint and fence = (v_report ->> 'fence')::bigint
            and claimed_by = v_host.host_id for update;
        v_accepted = found;
        if v_accepted and v_report ? 'release' then
            if v_report ? 'cursor' then
                update bgtask_fleet.item set cursor = decode(v_report ->> 'cursor', 'base64')
                where item_id = v_item.item_id;
            end if;
            perform bgtask_fleet.unclaim(v_item, left(v_report ->> 'release', 200), make_interval(secs =>
                greatest(0, least(coalesce((v_report ->> 'delay_seconds')::double precision, 30), 86400))));
        elsif v_accepted then
            perform bgtask_fleet.check_value('outcome', v_report ->> 'outcome', '^[a-z][a-z-]{0,62}$',
                'use lower-case letters and hyphens');
            -- A host cancels the request of a replaced item too.
            perform bgtask_fleet.end_item(v_item, case v_report ->> 'outcome'
                when 'cancelled' then coalesce(v_item.end_requested, 'cancelled') else v_report ->> 'outcome' end,
                v_report -> 'detail');
        end if;
        v_results = v_results || jsonb_build_object('item', v_report -> 'item', 'fence', v_report -> 'fence',
            'accepted', v_accepted);
    end loop;
    return v_results;
end
$$;
