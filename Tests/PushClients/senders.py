# Part of bgtask, under the Apache License 2.0; see LICENSE.
"""Drives the gateway of one run with unmodified clients of Apple's service, inside of a network and mount namespace in
which Apple's names lead to the gateway.

    senders.py DIRECTORY COUNT COMMAND OF THE GATEWAY...

It prints the results as JSON. DIRECTORY has the files of credentials.py, the valid device token of the plugin
com.example.receiver in `token`, an ended one in `ended-token`, and the secret path of a webhook in `webhook`."""
import asyncio
import collections
import concurrent.futures
import fcntl
import http.client
import json
import logging
import os
import signal
import socket
import ssl
import struct
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from credentials import NAMES

import aioapns
import kalyke
import pyapns_client

TOPIC = "com.example.receiver"
TEAM = "EXAMPLETEA"
AT_ONCE = 50
# The payload of the last push of all.
LAST = b"the last push"


def prepare_namespaces(directory):
    """Starts the loopback interface, and lets Apple's names lead to it. Both belong to the namespaces of this process."""
    (directory / "hosts").write_text("127.0.0.1 localhost " + " ".join(NAMES) + "\n")
    subprocess.run(["mount", "--bind", directory / "hosts", "/etc/hosts"], check=True)
    with socket.socket() as control:
        flags = struct.pack("16sH14s", b"lo", 1, b"")
        fcntl.ioctl(control, 0x8914, flags)  # SIOCSIFFLAGS with IFF_UP
    os.environ["SSL_CERT_FILE"] = str(directory / "ca.pem")


class Clients:
    def __init__(self, directory):
        self.directory = directory
        self.token = (directory / "token").read_text()
        self.ended = (directory / "ended-token").read_text()

    def new_aioapns(self, key="ALLOWEDKEY", topic=TOPIC):
        path = self.directory / f"{key}.p8"
        return aioapns.APNs(key=path.read_text(), key_id=key, team_id=TEAM, topic=topic, max_connections=1)

    def aioapns_request(self, number, token=None, **fields):
        fields.setdefault("push_type", aioapns.PushType.BACKGROUND)
        message = {"aps": {"content-available": 1}, "number": number}
        return aioapns.NotificationRequest(device_token=token or self.token, message=message, **fields)

    def new_pyapns(self, key="ALLOWEDKEY"):
        return pyapns_client.APNSClient(
            mode=pyapns_client.APNSClient.MODE_PROD, root_cert_path=str(self.directory / "ca.pem"),
            auth_key_path=str(self.directory / f"{key}.p8"), auth_key_id=key, team_id=TEAM)

    def pyapns_notification(self, number, topic=TOPIC, **fields):
        payload = pyapns_client.IOSPayload(content_available=True, custom={"number": number})
        return pyapns_client.IOSNotification(payload=payload, topic=topic, push_type="background", **fields)

    def new_kalyke(self, key="ALLOWEDKEY"):
        return kalyke.ApnsClient(
            use_sandbox=True, team_id=TEAM, auth_key_id=key, auth_key_filepath=self.directory / f"{key}.p8")

    @staticmethod
    def kalyke_config(topic=TOPIC, priority=kalyke.ApnsPriority.BASED_ON_POWER):
        return kalyke.ApnsConfig(topic=topic, push_type=kalyke.ApnsPushType.BACKGROUND, priority=priority)

    @staticmethod
    def kalyke_payload(number):
        return kalyke.Payload(content_available=True, custom={"number": number})


async def send_many(clients, count):
    """Sends `count` pushes, 50 at a time: most by one connection of aioapns, and a tenth by each other client, which opens
    a connection for each push. The number of pushes with each answer."""
    answers = collections.Counter()
    many = clients.new_aioapns()

    async def by_aioapns(number):
        answer = await many.send_notification(clients.aioapns_request(number))
        return "200" if answer.is_successful else f"{answer.status} {answer.description}"

    async def by_kalyke(number):
        await clients.new_kalyke().send_message(clients.token, clients.kalyke_payload(number), clients.kalyke_config())
        return "200"

    sync = [clients.new_pyapns() for _ in range(8)]
    threads = concurrent.futures.ThreadPoolExecutor(len(sync))

    def push(number):
        client = sync.pop()
        try:
            client.push(clients.pyapns_notification(number), clients.token)
        finally:
            sync.append(client)
        return "200"

    async def by_pyapns(number):
        return await asyncio.get_running_loop().run_in_executor(threads, push, number)

    places = asyncio.Semaphore(AT_ONCE)

    async def send(by, number):
        async with places:
            try:
                answers[await by(number)] += 1
            except Exception as error:
                answers[f"{by.__name__}: {type(error).__name__} {error}"] += 1

    work = [(by_kalyke if n % 10 == 3 else by_pyapns if n % 10 == 7 else by_aioapns, n) for n in range(count)]
    await asyncio.gather(*(send(by, number) for by, number in work))
    threads.shutdown()
    for connection in list(many.pool.connections):
        connection.close()
    return answers


async def refusals(clients):
    """The answers to pushes that the gateway has to refuse, by name."""
    found = {}
    allowed, foreign = clients.new_aioapns(), clients.new_aioapns("FOREIGNKEY")

    async def ask(name, client, request):
        answer = await client.send_notification(request)
        found[name] = f"{answer.status} {answer.description}" if answer.description else answer.status
        if answer.timestamp:
            found[name] += " with a time" if abs(answer.timestamp / 1000 - time.time()) < 3600 else " with a wrong time"

    await ask("a token of another plugin", allowed, clients.aioapns_request(0, apns_topic="com.example.second"))
    await ask("a topic of another key", allowed, clients.aioapns_request(0, apns_topic="com.example.other.app"))
    await ask("a key that may not", foreign, clients.aioapns_request(0))
    await ask("an unknown token", allowed, clients.aioapns_request(0, token="ab" * 32))
    await ask("an ended token", allowed, clients.aioapns_request(0, token=clients.ended))
    await ask("a short token", allowed, clients.aioapns_request(0, token="ab"))
    await ask("priority 10", allowed, clients.aioapns_request(0, priority=10))
    await ask("an alert", allowed, clients.aioapns_request(0, push_type=aioapns.PushType.ALERT))
    await ask("a long collapse id", allowed, clients.aioapns_request(0, collapse_key="a" * 65))
    await ask("a large payload", allowed, aioapns.NotificationRequest(
        device_token=clients.token, message={"text": "a" * 5000}, push_type=aioapns.PushType.BACKGROUND))
    for client in [allowed, foreign]:
        for connection in list(client.pool.connections):
            connection.close()
    try:
        clients.new_pyapns().push(clients.pyapns_notification(0), clients.ended)
    except pyapns_client.UnregisteredException as error:
        found["pyapns_client, an ended token"] = f"{error.status_code} Unregistered"
    try:
        config = clients.kalyke_config(priority=kalyke.ApnsPriority.IMMEDIATELY)
        await clients.new_kalyke().send_message(clients.token, clients.kalyke_payload(0), config)
    except Exception as error:
        found["kalyke, priority 10"] = type(error).__name__
    return found


def without_alpn(directory):
    """Whether the gateway speaks HTTP/2 to a client that negotiates no protocol: the first frame after its preface."""
    context = ssl.create_default_context(cafile=directory / "ca.pem")
    with socket.create_connection((NAMES[0], 443)) as plain, context.wrap_socket(plain, server_hostname=NAMES[0]) as tls:
        tls.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\x00\x00\x00\x04\x00\x00\x00\x00\x00")
        return tls.recv(9)[3:4] == b"\x04"


def webhook(directory, method="POST", path=None, body=b"any bytes\xff"):
    """The status of a call of the webhook, over HTTP/1.1."""
    context = ssl.create_default_context(cafile=directory / "ca.pem")
    connection = http.client.HTTPSConnection(NAMES[0], 443, context=context, timeout=30)
    try:
        connection.request(method, path or (directory / "webhook").read_text(), None if method == "GET" else body)
        return connection.getresponse().status
    finally:
        connection.close()


def webhooks(directory):
    return {
        "GET": webhook(directory, "GET"), "POST": webhook(directory), "a wrong secret": webhook(directory, path="/push/" + "0" * 64),
        "a large payload": webhook(directory, body=b"a" * 4097),
    }


def timed_webhooks(directory, count):
    """The statuses of calls of the webhook one after the other, and the longest time of one."""
    statuses, slowest = [], 0
    for _ in range(count):
        started = time.monotonic()
        statuses.append(webhook(directory))
        slowest = max(slowest, time.monotonic() - started)
    return statuses, slowest


async def flood(clients):
    """Sends 100 pushes at once to a gateway that permits 10 at once, again and again while another sender calls the
    webhook, which has a limit of its own."""
    client = clients.new_aioapns()
    statuses, unhurried = timed_webhooks(clients.directory, 3)
    answers, started = [], time.monotonic()
    other = asyncio.get_running_loop().run_in_executor(None, timed_webhooks, clients.directory, 5)
    while not answers or not other.done():
        answers += await asyncio.gather(*(client.send_notification(clients.aioapns_request(n)) for n in range(100)))
    during, slowest = await other
    found = {
        "accepted": sum(answer.is_successful for answer in answers),
        "refusals": collections.Counter(f"{a.status} {a.description}" for a in answers if not a.is_successful),
        "seconds": time.monotonic() - started,
        "webhooks": statuses + during + [webhook(clients.directory, body=LAST)],
        "unhurried": unhurried,
        "slowest": slowest,
    }
    for connection in list(client.pool.connections):
        connection.close()
    return found


class Gateway:
    """A running gateway; it stops in order at the end."""

    def __init__(self, command, *options):
        self.process = subprocess.Popen([*command, *options], stderr=subprocess.PIPE, text=True)
        while "serving" not in (line := self.process.stderr.readline()):
            if not line:
                sys.exit(f"the gateway ended with {self.process.wait()}")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.status = self.process.wait(30)
        finally:
            self.process.kill()


def main():
    directory, count, command = Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
    logging.disable()
    prepare_namespaces(directory)
    clients, results = Clients(directory), {}
    with Gateway(command, "--rate", "100000", "--burst", "100000") as gateway:
        started = time.monotonic()
        results["answers"] = asyncio.run(send_many(clients, count))
        results["seconds"] = time.monotonic() - started
        results["refusals"] = asyncio.run(refusals(clients))
        results["webhook"] = webhooks(directory)
        results["without ALPN"] = without_alpn(directory)
    results["status"] = gateway.status
    with Gateway(command, "--rate", "1", "--burst", "10"):
        results["flood"] = asyncio.run(flood(clients))
    json.dump(results, sys.stdout)


if __name__ == "__main__":
    main()
