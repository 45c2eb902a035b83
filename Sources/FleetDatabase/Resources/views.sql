-- The functions of viewers, and of the administrator.

create or replace function bgtask_fleet.list_hosts() returns jsonb
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
    select coalesce(jsonb_agg(jsonb_strip_nulls(jsonb_build_object('name', h.name, 'role', h.role_name,
        'groups', bgtask_fleet.active_groups(h), 'alive', h.lease_until > now(), 'drained', h.drained_at is not null,
        'seen_seconds', extract(epoch from now() - h.seen_at),
        'claims', (select count(*) from bgtask_fleet.item where claimed_by = h.host_id),
        'plugins', (select count(*) from bgtask_fleet.host_plugin p where p.host_id = h.host_id)))
        order by h.name), '[]')
    from bgtask_fleet.host h
$$;

create or replace function bgtask_fleet.status() returns jsonb
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
    select jsonb_build_object(
        'migration', (select max(version) from bgtask_fleet.migration),
        'hosts', (select count(*) from bgtask_fleet.host),
        'alive', (select count(*) from bgtask_fleet.host where lease_until > now()),
        'drained', (select count(*) from bgtask_fleet.host where drained_at is not null),
        'pending', (select count(*) from bgtask_fleet.item where claimed_by is null),
        'due', (select count(*) from bgtask_fleet.item where claimed_by is null and not_before <= now()),
        'claimed', (select count(*) from bgtask_fleet.item where claimed_by is not null),
        'campaigns', (select count(*) from bgtask_fleet.campaign where stopped_at is null),
        'schedules', (select count(*) from bgtask_fleet.schedule),
        'oldest_due_seconds', (select extract(epoch from now() - min(not_before)) from bgtask_fleet.item
            where claimed_by is null and not_before <= now()),
        'lease_seconds', extract(epoch from bgtask_fleet.lease_length()),
        'outcomes_last_hour', (select coalesce(jsonb_object_agg(outcome, number), '{}') from (
            select outcome, count(*) as number from bgtask_fleet.outcome
            where ended_at > now() - interval '1 hour' group by outcome) counted))
$$;

-- The facts about the work with this plugin and identifier: its items, campaigns, hosts and last outcomes.
create or replace function bgtask_fleet.why(p_plugin text, p_identifier text) returns jsonb
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
    select jsonb_build_object(
        'items', coalesce((select jsonb_agg(jsonb_strip_nulls(jsonb_build_object('item', i.item_id, 'fence', i.fence,
            'target', bgtask_fleet.target_text(i.host_id, i.scope), 'campaign', i.campaign_id,
            'due_in_seconds', extract(epoch from i.not_before - now()),
            'deadline_in_seconds', extract(epoch from i.deadline - now()),
            'claimed_by', c.name, 'claimed_seconds', extract(epoch from now() - i.claimed_at),
            'host_alive', coalesce(c.lease_until, b.lease_until) > now(),
            'host_seen_seconds', extract(epoch from now() - coalesce(c.seen_at, b.seen_at)),
            'host_drained', coalesce(c.drained_at, b.drained_at) is not null,
            'waiting_for', i.waiting_for, 'end_requested', i.end_requested,
            'release_reason', i.release_reason, 'released_by', r.name, 'releases', i.releases,
            'with_plugin', (select count(*) from bgtask_fleet.host_plugin p join bgtask_fleet.host h
                on h.host_id = p.host_id where p.plugin = i.plugin and (h.host_id = i.host_id
                or i.scope = 'all' or i.scope = any(bgtask_fleet.active_groups(h)))),
            'reasons', (select jsonb_object_agg(reason, number) from (
                select case when h.lease_until <= now() then 'unreachable' when h.drained_at is not null then 'drained'
                    when p.ready then 'ready' else coalesce(p.reason, 'not-ready') end as reason, count(*) as number
                from bgtask_fleet.host_plugin p join bgtask_fleet.host h on h.host_id = p.host_id
                where p.plugin = i.plugin and (h.host_id = i.host_id or i.scope = 'all'
                    or i.scope = any(bgtask_fleet.active_groups(h)))
                group by 1) counted))) order by i.item_id)
            from (select * from bgtask_fleet.item where plugin = p_plugin and identifier = p_identifier
                order by item_id limit 20) i
            left join bgtask_fleet.host c on c.host_id = i.claimed_by
            left join bgtask_fleet.host b on b.host_id = i.host_id
            left join bgtask_fleet.host r on r.host_id = i.released_by), '[]'),
        'campaigns', coalesce((select jsonb_agg(jsonb_strip_nulls(jsonb_build_object('campaign', c.campaign_id,
            'target', 'each:' || c.scope, 'stopped', c.stop_reason,
            'joined', (select count(*) from bgtask_fleet.campaign_result r where r.campaign_id = c.campaign_id),
            'ended', (select count(*) from bgtask_fleet.campaign_result r where r.campaign_id = c.campaign_id
                and r.outcome is not null))) order by c.campaign_id)
            from (select * from bgtask_fleet.campaign where plugin = p_plugin and identifier = p_identifier
                order by campaign_id desc limit 5) c), '[]'),
        'outcomes', coalesce((select jsonb_agg(jsonb_strip_nulls(jsonb_build_object('item', o.item_id,
            'target', o.target, 'host', o.host, 'outcome', o.outcome,
            'ended_seconds', extract(epoch from now() - o.ended_at))) order by o.outcome_id)
            from (select * from bgtask_fleet.outcome where plugin = p_plugin and identifier = p_identifier
                order by ended_at desc limit 5) o), '[]'))
$$;

-- Enrolls a host, or changes its role and groups. For the administrator: no role may call it.
create or replace function bgtask_fleet.enroll(p_host text, p_role text, p_groups text[]) returns bigint
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
    v_group text;
    v_host bigint;
begin
    perform bgtask_fleet.check_value('host', p_host, '^[a-z0-9]([a-z0-9.-]{0,61}[a-z0-9])?$',
        'use lower-case letters, digits, dots and hyphens');
    foreach v_group in array p_groups loop
        perform bgtask_fleet.check_value('group', v_group, '^[a-z0-9]([a-z0-9.-]{0,61}[a-z0-9])?$',
            'use lower-case letters, digits, dots and hyphens');
    end loop;
    insert into bgtask_fleet.host (name, role_name, groups) values (p_host, p_role, p_groups)
    on conflict (name) do update set role_name = excluded.role_name, groups = excluded.groups
    returning host_id into v_host;
    return v_host;
end
$$;
