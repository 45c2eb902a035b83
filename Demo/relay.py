# Part of bgtask, under the Apache License 2.0; see LICENSE.

"""Carries the connections of one Unix socket to another one, until it is killed: then the connections are cut.

    relay.py LISTEN TARGET
"""

import asyncio
import os
import sys


async def carry(reader, writer):
    try:
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    except OSError:
        pass
    finally:
        writer.close()


async def main():
    listen, target = sys.argv[1:]
    if os.path.exists(listen):
        os.unlink(listen)

    async def accept(reader, writer):
        try:
            far_reader, far_writer = await asyncio.open_unix_connection(target)
        except OSError:
            return writer.close()
        await asyncio.gather(carry(reader, far_writer), carry(far_reader, writer))

    await (await asyncio.start_unix_server(accept, listen)).serve_forever()


asyncio.run(main())
