-- The roles of a fleet, which cannot log in: operators grant them to the login roles of hosts and users.
do $$
declare
    wanted text;
begin
    foreach wanted in array array['bgtask_fleet_host', 'bgtask_fleet_submitter', 'bgtask_fleet_viewer'] loop
        if not exists (select from pg_catalog.pg_roles where rolname = wanted) then
            execute format('create role %I nologin', wanted);
        end if;
    end loop;
end
$$;
