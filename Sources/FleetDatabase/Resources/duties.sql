-- Periodic duties of the whole fleet. Each sync performs those that are due and that no other sync performs.
-- A duty that fails is due again after its period: it stops neither the renewal of the host nor other duties.

-- A duty that reached its limit is due again at once. In a small fleet a renewal performs all due duties: its renewals
-- are too rare for one duty each.
create or replace function bgtask_fleet.perform_duties() returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
    v_limit integer = (select case when hosts < 300 then 6 else 1 end from bgtask_fleet.setting);
    v_duty text;
    v_more boolean;
begin
    for v_duty in
        select name from bgtask_fleet.duty where due_at <= now() order by due_at limit v_limit for update skip locked
    loop
        v_more = false;
        begin
            v_more = bgtask_fleet.perform_duty(v_duty);
        exception when others then
            raise warning 'duty %: %', v_duty, sqlerrm;
        end;
        update bgtask_fleet.duty set due_at = case when v_more then now() else now() + every end where name = v_duty;
    end loop;
end
$$;

-- Performs a duty. True when it reached its limit, so that more may remain.
create or replace function bgtask_fleet.perform_duty(p_duty text) returns boolean
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
    case p_duty
        when 'rescue' then return bgtask_fleet.rescue(200) >= 200;
        when 'lapse' then return bgtask_fleet.lapse(200) >= 200;
        when 'schedule' then return bgtask_fleet.tick(100) >= 100;
        when 'campaign' then return bgtask_fleet.stop_campaigns(1000) >= 1000;
        when 'prune' then return bgtask_fleet.prune_old(1000);
        when 'count' then
            update bgtask_fleet.setting set hosts = (select count(*) from bgtask_fleet.host);
            return false;
    end case;
end
$$;

-- Returns claims of `any` items to the queue when the lease of their host ended before the grace period.
-- Bound items never move. Returns the number of rescued items.
create or replace function bgtask_fleet.rescue(p_limit integer) returns integer
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
    v_host bgtask_fleet.host;
    v_item bgtask_fleet.item;
    v_count integer = 0;
begin
    -- The lock on the host's row orders rescue and renewal: a host that renews at this moment keeps its claims.
    for v_host in
        select * from bgtask_fleet.host h
        where h.lease_until < now() - (select grace from bgtask_fleet.setting)
            and exists (select from bgtask_fleet.item i where i.claimed_by = h.host_id and i.host_id is null)
        order by h.host_id for update skip locked
    loop
        for v_item in
            select * from bgtask_fleet.item where claimed_by = v_host.host_id and host_id is null
            order by item_id limit p_limit - v_count for update skip locked
        loop
            perform bgtask_fleet.unclaim(v_item, 'lease-lost', interval '0 seconds');
            v_count = v_count + 1;
        end loop;
        exit when v_count >= p_limit;
    end loop;
    return v_count;
end
$$;

-- Ends pending items whose deadline has passed.
create or replace function bgtask_fleet.lapse(p_limit integer) returns integer
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
    v_item bgtask_fleet.item;
    v_count integer = 0;
begin
    for v_item in
        select * from bgtask_fleet.item where deadline <= now() and claimed_by is null
        order by deadline limit p_limit for update skip locked
    loop
        perform bgtask_fleet.end_item(v_item, 'lapsed', '{}');
        v_count = v_count + 1;
    end loop;
    return v_count;
end
$$;

-- Submits the newest due tick of each schedule; older ones are skipped, as the host skips missed occurrences.
create or replace function bgtask_fleet.tick(p_limit integer) returns integer
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
    v_schedule bgtask_fleet.schedule;
    v_every double precision;
    v_tick timestamptz;
    v_count integer = 0;
begin
    for v_schedule in
        select * from bgtask_fleet.schedule where next_at <= now()
        order by next_at limit p_limit for update skip locked
    loop
        v_every = extract(epoch from v_schedule.every);
        v_tick = to_timestamp(floor(extract(epoch from now())::double precision / v_every) * v_every);
        update bgtask_fleet.schedule set next_at = v_tick + every where name = v_schedule.name;
        -- A schedule that fails, such as one of a removed host, must not stop the other ones.
        begin
            insert into bgtask_fleet.schedule_tick (schedule, tick) values (v_schedule.name, v_tick)
            on conflict do nothing;
            continue when not found;
            perform bgtask_fleet.submit(v_schedule.target, v_schedule.plugin, v_schedule.identifier, v_schedule.kind,
                v_schedule.request, v_schedule.payload, v_tick, null, null, null, 0,
                jsonb_build_object('spread_seconds', extract(epoch from v_schedule.spread)));
            v_count = v_count + 1;
        exception when others then
            raise warning 'schedule %: %', v_schedule.name, sqlerrm;
        end;
    end loop;
    return v_count;
end
$$;

-- Stops campaigns whose share of failures has reached their limit, and at most p_limit items of stopped campaigns: a
-- stop is bounded, and a host may join a campaign at the moment of its stop. Returns the number of these items.
create or replace function bgtask_fleet.stop_campaigns(p_limit integer) returns integer
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
    v_campaign bgtask_fleet.campaign;
    v_stop record;
    v_count integer = 0;
begin
    update bgtask_fleet.campaign set stopped_at = now(), stop_reason = 'failures'
    where campaign_id in (select bgtask_fleet.failing_campaigns());
    for v_campaign in
        select * from bgtask_fleet.campaign c
        where stopped_at is not null and exists (select from bgtask_fleet.item i
            where i.campaign_id = c.campaign_id and (i.claimed_by is null or i.end_requested is null))
        order by campaign_id
    loop
        exit when v_count >= p_limit;
        select * into v_stop
        from bgtask_fleet.stop_campaign(v_campaign.campaign_id, v_campaign.stop_reason, p_limit - v_count);
        v_count = v_count + v_stop.ended + v_stop.requested;
    end loop;
    return v_count;
end
$$;

-- Every final outcome is a failure, except a success and the end of an item that did not run.
create or replace function bgtask_fleet.failing_campaigns() returns setof bigint
language sql stable set search_path = pg_catalog, pg_temp as $$
    select c.campaign_id
    from bgtask_fleet.campaign c join bgtask_fleet.campaign_result r on r.campaign_id = c.campaign_id
    where c.stopped_at is null and c.abort_percent is not null and r.outcome is not null
        and r.outcome <> 'not-installed'
    group by c.campaign_id
    having count(*) >= c.abort_after and count(*) filter (where r.outcome not in
        ('succeeded', 'no-data', 'replaced', 'cancelled', 'lapsed')) * 100 >= count(*) * c.abort_percent
$$;

-- Deletes old outcomes, ticks and campaigns, a bounded number at a time. True when more may remain.
create or replace function bgtask_fleet.prune_old(p_limit integer) returns boolean
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
    v_before timestamptz = now() - (select retention from bgtask_fleet.setting);
    v_count bigint;
    v_more boolean;
begin
    delete from bgtask_fleet.outcome where outcome_id in (
        select outcome_id from bgtask_fleet.outcome where ended_at < v_before order by ended_at limit p_limit);
    get diagnostics v_count = row_count;
    v_more = v_count >= p_limit;
    delete from bgtask_fleet.schedule_tick where (schedule, tick) in (
        select schedule, tick from bgtask_fleet.schedule_tick where tick < v_before limit p_limit);
    get diagnostics v_count = row_count;
    v_more = v_more or v_count >= p_limit;
    delete from bgtask_fleet.campaign where campaign_id in (
        select campaign_id from bgtask_fleet.campaign where stopped_at < v_before limit 10);
    get diagnostics v_count = row_count;
    return v_more or v_count >= 10;
end
$$;
