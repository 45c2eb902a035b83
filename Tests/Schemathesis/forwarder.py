# Part of bgtask, under the Apache License 2.0; see LICENSE.
"""A TCP port of this machine that forwards its connections to a Unix socket."""
import socket
import threading


class Forwarder:
    """Forwards until the process ends."""

    def __init__(self, path):
        self.path = str(path)
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            caller, _ = self.listener.accept()
            host = socket.socket(socket.AF_UNIX)
            try:
                host.connect(self.path)
            except OSError:
                caller.close()
                host.close()
                continue
            for source, target in [(caller, host), (host, caller)]:
                threading.Thread(target=copy, args=(source, target), daemon=True).start()


def copy(source, target):
    try:
        while data := source.recv(65536):
            target.sendall(data)
    except OSError:
        pass
    for end, direction in [(source, socket.SHUT_RD), (target, socket.SHUT_WR)]:
        try:
            end.shutdown(direction)
        except OSError:
            pass
