# Part of bgtask, under the Apache License 2.0; see LICENSE.
"""The job of the queues that run Python functions, and their applications. A worker imports this module. The
environment variable PEER_DIRECTORY names the directory of Redis and of the recorded times."""
import os, pathlib, time

DIRECTORY = pathlib.Path(os.environ["PEER_DIRECTORY"])
REDIS = DIRECTORY / "redis.sock"


def stamp():
    """Records the time of its first instruction, as Benchmarks/Plugins/Stamp.c does."""
    now = time.monotonic_ns()
    with open(DIRECTORY / "stamps", "a") as file:
        file.write(f"{now}\n")


if os.environ.get("PEER") == "huey":
    from huey import RedisHuey

    huey = RedisHuey("peer", url=f"unix://{REDIS}", results=False)
    stamp_by_huey = huey.task()(stamp)

if os.environ.get("PEER") == "celery":
    import celery

    app = celery.Celery("jobs", broker=f"redis+socket://{REDIS}")
    app.conf.update(task_ignore_result=True, broker_connection_retry_on_startup=True)
    stamp_by_celery = app.task(stamp)
