#!/usr/bin/python3
# Part of bgtask, under the Apache License 2.0; see LICENSE.
#
# Mock services on the bus of the first argument. Reads one command a line from standard input, as JSON, and answers
# each with a line when its effect is on the bus. Ends its services at the end of the input.

import json
import os
import signal
import sys

os.environ["DBUS_SYSTEM_BUS_ADDRESS"] = sys.argv[1]

import dbus
import dbusmock

# The thread that started this program may have blocked signals; the services inherit the mask, and must end by SIGTERM.
signal.pthread_sigmask(signal.SIG_SETMASK, [])
# A test in the same process may ignore signals at this moment; programs that it starts inherit that, too.
for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
    signal.signal(number, signal.SIG_DFL)

processes = {}

# The services log to standard output, where the answers go.
answers = os.fdopen(os.dup(1), "w")
os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def mock(name, path):
    return dbus.Interface(dbus.SystemBus().get_object(name, path), dbusmock.MOCK_IFACE)


def dictionary(properties):
    """The properties with numbers as unsigned ones, as the services of a desktop have them."""
    typed = {key: dbus.UInt32(value) if type(value) is int else value for key, value in properties.items()}
    return dbus.Dictionary(typed, signature="sv")


def start(name, path, interface, properties):
    processes[name] = dbusmock.DBusTestCase.spawn_server(name, path, interface, system_bus=True)
    mock(name, path).AddProperties(interface, dictionary(properties))
    # A client may have read before there were any.
    change(name, path, interface, properties)


def template(name, template, parameters):
    process, _ = dbusmock.DBusTestCase.spawn_server_template(
        template, dbus.Dictionary(parameters, signature="sv"), system_bus=True
    )
    processes[name] = process


def change(name, path, interface, properties):
    mock(name, path).UpdateProperties(interface, dictionary(properties))


def emit(name, path, interface, member, text):
    mock(name, path).EmitSignal(interface, member, "s", [text])


def suspend(name):
    processes[name].send_signal(signal.SIGSTOP)


def stop(name):
    process = processes.pop(name)
    process.kill()
    process.wait()


def plain(value):
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return str(value) if isinstance(value, str) else int(value)


# The calls of methods of a service since the last clearing, each with its arguments.
def calls(name, path):
    return [[str(method)] + plain(arguments) for _, method, arguments in mock(name, path).GetCalls()]


COMMANDS = {"calls": calls, "start": start, "template": template, "change": change, "signal": emit, "suspend": suspend, "stop": stop}

try:
    for line in sys.stdin:
        command = json.loads(line)
        try:
            result = COMMANDS[command.pop("command")](**command)
            print("done" if result is None else "done " + json.dumps(result), file=answers, flush=True)
        except Exception as error:
            print(f"{type(error).__name__}: {error}".replace("\n", " "), file=answers, flush=True)
finally:
    for name in list(processes):
        stop(name)
