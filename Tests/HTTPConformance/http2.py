# SPDX-License-Identifier: Apache-2.0
# Copyright the Freshet project authors
"""Raw frames of HTTP/2 (RFC 9113) over TLS, and the runner of the table in http2_cases.py."""
import concurrent.futures, struct, time

import hpack

from servers import connect

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, PRIORITY, RST_STREAM, SETTINGS, PUSH_PROMISE, PING, GOAWAY, WINDOW_UPDATE, CONTINUATION = range(10)
END_STREAM, ACK, END_HEADERS, PADDED, HAS_PRIORITY = 1, 1, 4, 8, 32
CODES = ["NO_ERROR", "PROTOCOL_ERROR", "INTERNAL_ERROR", "FLOW_CONTROL_ERROR", "SETTINGS_TIMEOUT", "STREAM_CLOSED",
         "FRAME_SIZE_ERROR", "REFUSED_STREAM", "CANCEL", "COMPRESSION_ERROR", "CONNECT_ERROR", "ENHANCE_YOUR_CALM"]


def frame(kind, flags=0, stream=0, payload=b"", length=None):
    length = len(payload) if length is None else length
    return struct.pack(">I", length)[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload


def block(fields):
    """Fields as literals without indexing (RFC 7541 section 6.2.2), which leave the table alone."""
    data = b""
    for name, value in fields:
        data += b"\0" + string(name) + string(value)
    return data


def string(text):
    text = text.encode("latin1") if isinstance(text, str) else text
    return integer(len(text), 7) + text


def integer(value, bits):
    limit = (1 << bits) - 1
    if value < limit:
        return bytes([value])
    data, value = bytes([limit]), value - limit
    while value >= 128:
        data, value = data + bytes([value % 128 + 128]), value // 128
    return data + bytes([value])


def request(method="GET", path="/healthz", more=(), authority="localhost"):
    return [(":method", method), (":scheme", "https"), (":path", path), (":authority", authority), *more]


def headers(stream, fields, flags=END_STREAM | END_HEADERS):
    return frame(HEADERS, flags, stream, fields if isinstance(fields, bytes) else block(fields))


class Client:
    def __init__(self, port, preface=PREFACE + frame(SETTINGS)):
        self.socket = connect(port, ["h2"], timeout=3)
        if self.socket.selected_alpn_protocol() != "h2":
            raise SystemExit("test-http: the server does not negotiate h2")
        self.buffer, self.decoder, self.events, self.closed = b"", hpack.Decoder(), [], False
        self.decoder.max_allowed_table_size = 65536
        self.answers_settings = True
        if preface:
            self.send(preface)

    def send(self, data):
        try:
            self.socket.sendall(data)
        except OSError:
            pass

    def read(self, until, seconds):
        """Reads until an event fulfils `until`, or the connection is closed, or time is up."""
        limit = time.monotonic() + seconds
        while not self.closed and not any(until(event) for event in self.events):
            left = limit - time.monotonic()
            if left <= 0:
                return
            self.socket.settimeout(left)
            try:
                piece = self.socket.recv(65536)
            except TimeoutError:
                return
            except OSError:
                piece = b""
            if not piece:
                self.closed = True
                self.events.append(("closed",))
            self.buffer += piece
            while len(self.buffer) >= 9:
                length = int.from_bytes(self.buffer[:3], "big")
                if len(self.buffer) < 9 + length:
                    break
                kind, flags, stream = self.buffer[3], self.buffer[4], int.from_bytes(self.buffer[5:9], "big")
                payload, self.buffer = self.buffer[9:9 + length], self.buffer[9 + length:]
                self.received(kind, flags, stream, payload)

    def received(self, kind, flags, stream, payload):
        if kind == GOAWAY:
            self.events.append(("goaway", code(payload[4:8])))
        elif kind == RST_STREAM:
            self.events.append(("reset", stream, code(payload)))
        elif kind == HEADERS:
            fields = dict(self.decoder.decode(payload))
            self.events.append(("status", stream, fields.get(":status", "")))
            if flags & END_STREAM:
                self.events.append(("end", stream))
        elif kind == DATA:
            self.events.append(("data", stream, len(payload)))
            if flags & END_STREAM:
                self.events.append(("end", stream))
        elif kind == PING:
            self.events.append(("pong" if flags & ACK else "ping", payload))
        elif kind == SETTINGS:
            self.events.append(("settings", "ack") if flags & ACK else ("settings", parse(payload)))
            if not flags & ACK and self.answers_settings:
                self.send(frame(SETTINGS, ACK))

    def close(self):
        self.socket.close()


def code(payload):
    number = int.from_bytes(payload, "big")
    return CODES[number] if number < len(CODES) else hex(number)


def parse(payload):
    return {number: value for number, value in struct.iter_unpack(">HI", payload[:len(payload) // 6 * 6])}


PROBE = b"finished"


def outcome(port, pieces, expected, preface=None):
    """Sends the pieces and a PING, and returns whether the expectation holds and what was seen.

    Expectations, of which `/` separates alternatives:
      connection:CODE   GOAWAY with one of the codes (separated by `|`), or the connection is closed
      stream:CODE       RST_STREAM with one of the codes, or an answer of 400, or what `connection` allows
      answer:STATUS     the answer to stream 1 (or, with `@N`, N), and the connection lives on
      alive             the PING is answered, and no stream was reset
    """
    client = Client(port) if preface is None else Client(port, preface)
    try:
        if preface is None:
            client.read(lambda event: event == ("settings", "ack"), 3)
        for piece in pieces:
            if callable(piece):
                piece(client)
            else:
                client.send(piece)
        client.send(frame(PING, 0, 0, PROBE))
        kinds = [one.partition(":")[0] for one in expected.split("/")]
        if kinds == ["connection"]:
            client.read(lambda event: event[0] in ("goaway", "closed"), 2)
            client.read(lambda event: event[0] == "closed", 0.02)
        elif "alive" in kinds:
            client.read(lambda event: event == ("pong", PROBE), 3)
        elif "answer" in kinds:
            client.read(lambda event: event[0] in ("reset", "goaway") or event == ("end", wanted(expected)), 3)
            client.read(lambda event: event == ("pong", PROBE), 3)
        else:
            client.read(lambda event: event[0] in ("goaway", "closed", "reset", "status"), 2)
        events = client.events
        return any(holds(one, events) for one in expected.split("/")), \
            "; ".join(" ".join(map(str, event)) for event in events if event[0] not in ("settings", "data"))[:300]
    finally:
        client.close()


def wanted(expected):
    return int(expected.partition("@")[2].partition("/")[0] or 1)


def holds(expected, events):
    kind, _, rest = expected.partition(":")
    rest = rest.partition("@")[0]
    codes = rest.split("|")
    goaways = [event[1] for event in events if event[0] == "goaway"]
    refused = goaways[0] in codes if goaways else ("closed",) in events
    resets = [event[2] for event in events if event[0] == "reset"]
    if kind == "connection":
        return refused
    if kind == "stream":
        return any(reset in codes for reset in resets) or any(event[0] == "status" and event[2] == "400" for event in events) \
            or refused and bool(goaways)
    alive = ("pong", PROBE) in events and not goaways and ("closed",) not in events
    if kind == "alive":
        return alive and not resets
    return alive and any(event[0] == "status" and event[1] == wanted(expected) and event[2] in codes for event in events)


def run(port, cases):
    def one(case):
        section, name, pieces, expected, preface = case
        try:
            passed, seen = outcome(port, pieces, expected, preface)
        except Exception as error:  # an answer that is no HTTP/2
            passed, seen = False, repr(error)
        return section, name, passed, expected, seen

    with concurrent.futures.ThreadPoolExecutor(6) as threads:
        yield from threads.map(one, cases)
