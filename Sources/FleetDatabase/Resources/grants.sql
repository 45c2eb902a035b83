-- Each role may call its functions and touch no table.
revoke all on schema bgtask_fleet from public;
revoke all on all tables in schema bgtask_fleet from public;
revoke execute on all functions in schema bgtask_fleet from public;
grant usage on schema bgtask_fleet to bgtask_fleet_host, bgtask_fleet_submitter, bgtask_fleet_viewer;
grant execute on function
    bgtask_fleet.begin_feeder(text, integer),
    bgtask_fleet.choose_groups(text, bigint, text[]),
    bgtask_fleet.renew(text, bigint, jsonb, jsonb),
    bgtask_fleet.join_campaigns(text, bigint, jsonb),
    bgtask_fleet.claim(text, bigint, jsonb, integer, integer),
    bgtask_fleet.report(text, bigint, jsonb)
    to bgtask_fleet_host;
grant execute on function
    bgtask_fleet.submit(text, text, text, text, jsonb, bytea, timestamptz, double precision, timestamptz,
        double precision, integer, jsonb),
    bgtask_fleet.cancel(text, text, text),
    bgtask_fleet.put_schedule(text, text, text, text, text, jsonb, bytea, double precision, double precision),
    bgtask_fleet.remove_schedule(text),
    bgtask_fleet.drain(text, boolean)
    to bgtask_fleet_submitter;
grant execute on function
    bgtask_fleet.list_hosts(), bgtask_fleet.status(), bgtask_fleet.why(text, text)
    to bgtask_fleet_viewer, bgtask_fleet_submitter;
