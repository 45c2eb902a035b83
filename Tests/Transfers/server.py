# Part of bgtask, under the Apache License 2.0; see LICENSE.
"""A server of raw sockets whose answers are written by each test, byte for byte if it must be."""
import email.utils
import fcntl
import hashlib
import socket
import struct
import termios
import threading
import time

SIOCOUTQ = termios.TIOCOUTQ


class Exchange:
    """One request, and the means to answer it."""

    def __init__(self, connection, method, path, headers, number):
        self.connection, self.method, self.path, self.headers, self.number = connection, method, path, headers, number
        self.keeps_open = True

    def head(self, status, headers):
        lines = [f"HTTP/1.1 {status} Status"] + [f"{name}: {value}" for name, value in headers.items()]
        self.send("\r\n".join(lines + ["", ""]).encode())

    def answer(self, status, headers=None, body=b""):
        self.head(status, {"Content-Length": len(body), **(headers or {})})
        self.send(body)

    def send(self, data):
        self.connection.sendall(data)

    def chunk(self, data):
        self.send(b"%x\r\n%s\r\n" % (len(data), data))

    def read_body(self):
        left, parts = int(self.headers.get("content-length", 0)), []
        if self.headers.get("expect") == "100-continue":
            self.send(b"HTTP/1.1 100 Continue\r\n\r\n")
        while left > 0:
            data = self.connection.recv(min(left, 1 << 20))
            if not data:
                break
            parts.append(data)
            left -= len(data)
        return b"".join(parts)

    def hang_up(self):
        """Closes the connection after the sent bytes have arrived."""
        self.keeps_open = False

    def range_start(self):
        value = self.headers.get("range")
        return int(value.removeprefix("bytes=").removesuffix("-")) if value else None


class Server:
    def __init__(self, behave, address="127.0.0.1", tls=None, family=socket.AF_INET):
        self.behave, self.tls, self.requests = behave, tls, []
        self.socket = socket.create_server((address, 0), family=family, backlog=128)
        self.port = self.socket.getsockname()[1]
        self.origin = f"{'https' if tls else 'http'}://{address}:{self.port}"
        self.lock = threading.Lock()
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                connection, _ = self.socket.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        try:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if self.tls:
                connection = self.tls.wrap_socket(connection, server_side=True)
            with connection:
                while self.serve_one(connection):
                    pass
        except (OSError, ValueError):
            pass

    def serve_one(self, connection):
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            byte = connection.recv(1)
            if not byte:
                return False
            head += byte
        first, *lines = head.decode("latin-1").rstrip("\r\n").split("\r\n")
        method, path, _ = first.split(" ")
        headers = {name.lower(): value for name, value in (line.split(": ", 1) for line in lines)}
        with self.lock:
            exchange = Exchange(connection, method, path, headers, len(self.requests))
            self.requests.append(exchange)
        self.behave(exchange)
        return exchange.keeps_open

    def close(self):
        self.socket.close()


class File:
    """A file of a server that honours ranges and validators."""

    def __init__(self, body, etag='"one"', modified=None):
        self.body, self.etag, self.modified = body, etag, modified
        self.digest = hashlib.sha256(body).hexdigest()

    def headers(self):
        values = {"Accept-Ranges": "bytes"}
        if self.etag:
            values["ETag"] = self.etag
        if self.modified:
            values["Last-Modified"] = email.utils.formatdate(self.modified, usegmt=True)
            values["Date"] = email.utils.formatdate(usegmt=True)
        return values

    def start_of(self, exchange):
        """The start of the part to send; None for the whole file."""
        wanted = exchange.headers.get("if-range")
        if wanted and wanted not in (self.etag, self.headers().get("Last-Modified")):
            return None
        return exchange.range_start()

    def begin(self, exchange):
        """Sends the head of the right answer. Returns the bytes that belong behind it."""
        start = self.start_of(exchange)
        if start is not None and start >= len(self.body):
            exchange.answer(416, {"Content-Range": f"bytes */{len(self.body)}", **self.headers()})
            return b""
        body = self.body[start or 0:]
        headers = {"Content-Length": len(body), **self.headers()}
        if start is not None:
            headers["Content-Range"] = f"bytes {start}-{len(self.body) - 1}/{len(self.body)}"
        exchange.head(200 if start is None else 206, headers)
        return body

    def serve(self, exchange, until=None):
        """Sends the right answer. With `until`, hangs up at this offset of the file."""
        start = self.start_of(exchange) or 0
        body = self.begin(exchange)
        exchange.send(body if until is None else body[:max(until - start, 0)])
        if until is not None:
            exchange.hang_up()


def send_slowly(exchange, data, rate, piece=65536, report=lambda sent: None):
    """Sends at a rate in bytes per second, and reports each number of sent bytes. Returns the number of bytes that
    arrived at the client's machine, when the connection breaks or all are sent."""
    start, sent = time.monotonic(), 0
    try:
        while sent < len(data):
            exchange.send(data[sent:sent + piece])
            sent = min(sent + piece, len(data))
            report(sent)
            time.sleep(max(0, start + sent / rate - time.monotonic()))
        return sent
    except OSError:
        waiting = struct.unpack("i", fcntl.ioctl(exchange.connection, SIOCOUTQ, b"\0" * 4))[0]
        return max(0, sent - waiting)


def is_closed(connection):
    try:
        return connection.recv(1, socket.MSG_DONTWAIT | socket.MSG_PEEK) == b""
    except BlockingIOError:
        return False
    except OSError:
        return True


def send_in_step(exchange, data, has_written, piece=32768):
    """Sends a piece when the client has written the one before, so that a busy machine does not count as lost bytes.
    Returns the number of bytes that were sent before the client ended."""
    sent = 0
    while sent < len(data):
        while not has_written(sent):
            if is_closed(exchange.connection):
                return sent
            time.sleep(0.0002)
        try:
            exchange.send(data[sent:sent + piece])
        except OSError:
            return sent
        sent = min(sent + piece, len(data))
    return sent
