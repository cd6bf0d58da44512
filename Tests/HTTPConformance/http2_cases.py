# SPDX-License-Identifier: Apache-2.0
# Copyright the Freshet project authors
"""Cases of RFC 9113 and RFC 7541: section, name, frames, and the expected reaction (see http2.outcome)."""
import struct

from http2 import *

cases = []
PROTOCOL, SIZE, FLOW = "PROTOCOL_ERROR", "FRAME_SIZE_ERROR", "FLOW_CONTROL_ERROR"


def case(section, name, pieces, expected, preface=None):
    cases.append((section, name, pieces if isinstance(pieces, list) else [pieces], expected, preface))


def setting(number, value):
    return struct.pack(">HI", number, value)


def word(value):
    return struct.pack(">I", value)


def until(*event):
    """Waits for an event before the next piece is sent."""
    return lambda client: client.read(lambda seen: seen[:len(event)] == event, 3)


def json_post(stream, length=None, flags=END_HEADERS, path="/v1/refresh"):
    more = [("content-type", "application/json")] + ([("content-length", str(length))] if length is not None else [])
    return headers(stream, request("POST", path, more), flags)


GET = headers(1, request())
OPEN = json_post(1)
ENDED = [GET, until("end", 1), lambda client: client.events.clear()]

# 3.4: preface
case("9113-3.4", "a preface and SETTINGS", GET, "answer:200")
case("9113-3.4", "a wrong preface", b"", "connection:PROTOCOL_ERROR", b"PRI * HTTP/2.0\r\n\r\nXX\r\n\r\n" + frame(SETTINGS))
case("9113-3.4", "a request of HTTP/1.1", b"", "connection:PROTOCOL_ERROR", b"GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n")
case("9113-3.4", "no SETTINGS after the preface", GET, "connection:PROTOCOL_ERROR", PREFACE + frame(PING, 0, 0, bytes(8)))
case("9113-3.4", "HEADERS after the preface", b"", "connection:PROTOCOL_ERROR", PREFACE + GET)

# 4.1 and 4.2: frames
case("9113-4.1", "an unknown frame is ignored", frame(0x16, 0xff, 0, b"abc"), "alive")
case("9113-4.1", "an unknown frame on a stream is ignored", [frame(0x16, 0, 1, b"abc"), GET], "answer:200")
case("9113-4.1", "undefined flags are ignored", frame(PING, 0x16, 0, bytes(8)), "alive")
case("9113-4.1", "the reserved bit of a stream is ignored", frame(HEADERS, 5, 1 | 1 << 31, block(request())), "answer:200")
case("9113-4.2", "DATA of 16 KiB", [json_post(1), frame(DATA, 0, 1, b"a" * 16384)], "alive")
case("9113-4.2", "DATA beyond SETTINGS_MAX_FRAME_SIZE", [OPEN, frame(DATA, 0, 1, b"a" * 16385)], f"stream:{SIZE}/connection:{SIZE}")
case("9113-4.2", "HEADERS beyond SETTINGS_MAX_FRAME_SIZE",
     headers(1, request(more=[("x", "a" * 16384)])), f"connection:{SIZE}")
case("9113-4.2", "a length of 2 to the power of 24", frame(DATA, 0, 1, b"", 0xffffff), f"connection:{SIZE}|{PROTOCOL}")
case("9113-4.3", "HEADERS, then PRIORITY before CONTINUATION",
     [headers(1, request(), END_STREAM), frame(PRIORITY, 0, 1, bytes(4) + b"\x10"), frame(CONTINUATION, 4, 1, b"")], f"connection:{PROTOCOL}")
case("9113-4.3", "HEADERS, then HEADERS of another stream",
     [headers(1, request(), END_STREAM), headers(3, request())], f"connection:{PROTOCOL}")
case("9113-4.3", "HEADERS, then an unknown frame", [headers(1, request(), END_STREAM), frame(0x16, 0, 1)], f"connection:{PROTOCOL}")

# 5.1: states of streams
for name, kind, data in [("DATA", DATA, b"a"), ("RST_STREAM", RST_STREAM, word(8)), ("WINDOW_UPDATE", WINDOW_UPDATE, word(1)),
                         ("CONTINUATION", CONTINUATION, b"")]:
    case("9113-5.1", f"idle: {name}", frame(kind, END_HEADERS, 1, data), f"connection:{PROTOCOL}")
    expected = "alive" if kind in (RST_STREAM, WINDOW_UPDATE) else f"stream:STREAM_CLOSED/connection:STREAM_CLOSED|{PROTOCOL}"
    case("9113-5.1", f"closed: {name}", ENDED + [frame(kind, END_HEADERS, 1, data)], expected)
    case("9113-5.1", f"reset by the client: {name}", [OPEN, frame(RST_STREAM, 0, 1, word(8)), frame(kind, END_HEADERS, 1, data)],
         "alive" if kind in (RST_STREAM, WINDOW_UPDATE) else f"stream:STREAM_CLOSED/connection:STREAM_CLOSED|{PROTOCOL}")
case("9113-5.1", "half closed: DATA", [json_post(1, flags=5), frame(DATA, 0, 1, b"a")], f"stream:STREAM_CLOSED/connection:STREAM_CLOSED|{PROTOCOL}")
case("9113-5.1", "half closed: HEADERS", [json_post(1, flags=5), GET], f"stream:STREAM_CLOSED|{PROTOCOL}")
case("9113-5.1", "half closed: WINDOW_UPDATE", [GET, frame(WINDOW_UPDATE, 0, 1, word(1))], "answer:200")
case("9113-5.1", "half closed: PRIORITY", [GET, frame(PRIORITY, 0, 1, bytes(4) + b"\x10")], "answer:200")
case("9113-5.1", "closed: HEADERS", ENDED + [GET], f"stream:STREAM_CLOSED/connection:STREAM_CLOSED|{PROTOCOL}")
case("9113-5.1", "closed: PRIORITY", ENDED + [frame(PRIORITY, 0, 1, bytes(4) + b"\x10")], "alive")
case("9113-5.1", "idle: PRIORITY", frame(PRIORITY, 0, 1, bytes(4) + b"\x10"), "alive")
case("9113-5.1.1", "an even stream", headers(2, request()), f"connection:{PROTOCOL}")
case("9113-5.1.1", "a lower stream than the last", [headers(5, request()), headers(3, request())], f"connection:{PROTOCOL}|STREAM_CLOSED")
case("9113-5.1.1", "stream 2 to the power of 31 less 1", headers(0x7fffffff, request()), "answer:200@2147483647")
case("9113-5.1.1", "HEADERS on stream 0", headers(0, request()), f"connection:{PROTOCOL}")


def many_streams(client):
    limit = next((event[1].get(3) for event in client.events if event[0] == "settings" and event[1] != "ack"), None) or 100
    client.send(b"".join(json_post(1 + 2 * number) for number in range(limit + 1)))


case("9113-5.1.2", "one stream more than SETTINGS_MAX_CONCURRENT_STREAMS", [many_streams], f"stream:{PROTOCOL}|REFUSED_STREAM")
case("9113-5.3.1", "HEADERS that depend on themselves", frame(HEADERS, 0x25, 1, word(1) + b"\x10" + block(request())), f"stream:{PROTOCOL}")
case("9113-5.3.1", "PRIORITY that depends on itself", [frame(PRIORITY, 0, 1, word(1) + b"\x10")], f"stream:{PROTOCOL}")
case("9113-5.3.1", "HEADERS with a priority", frame(HEADERS, 0x25, 1, word(0) + b"\x10" + block(request())), "answer:200")
case("9113-5.4.1", "GOAWAY closes the connection", frame(HEADERS, 5, 0), f"connection:{PROTOCOL}")

# 6.1: DATA
case("9113-6.1", "DATA on stream 0", frame(DATA, 0, 0, b"a"), f"connection:{PROTOCOL}")
case("9113-6.1", "padding as long as the frame", [OPEN, frame(DATA, PADDED, 1, b"\x05abcde"[:5])], f"connection:{PROTOCOL}")
case("9113-6.1", "padding without its length", [OPEN, frame(DATA, PADDED, 1, b"")], f"connection:{SIZE}|{PROTOCOL}")
case("9113-6.1", "padded DATA", [json_post(1, 2), frame(DATA, PADDED | 1, 1, b"\x03{}" + bytes(3))], "answer:400")
# 6.2: HEADERS
case("9113-6.2", "padding longer than the frame", frame(HEADERS, 0xd, 1, b"\xff" + block(request())), f"connection:{PROTOCOL}")
case("9113-6.2", "padded HEADERS", frame(HEADERS, 0xd, 1, b"\x03" + block(request()) + bytes(3)), "answer:200")
case("9113-6.2", "a priority of 4 bytes", frame(HEADERS, 0x25, 1, word(0)), f"connection:{SIZE}|{PROTOCOL}|COMPRESSION_ERROR")
# 6.3: PRIORITY
case("9113-6.3", "PRIORITY on stream 0", frame(PRIORITY, 0, 0, bytes(5)), f"connection:{PROTOCOL}")
case("9113-6.3", "PRIORITY of 4 bytes", [OPEN, frame(PRIORITY, 0, 1, bytes(4))], f"stream:{SIZE}/connection:{SIZE}")
# 6.4: RST_STREAM
case("9113-6.4", "RST_STREAM on stream 0", frame(RST_STREAM, 0, 0, word(8)), f"connection:{PROTOCOL}")
case("9113-6.4", "RST_STREAM of 3 bytes", [OPEN, frame(RST_STREAM, 0, 1, bytes(3))], f"connection:{SIZE}")
case("9113-6.4", "RST_STREAM of 5 bytes", [OPEN, frame(RST_STREAM, 0, 1, bytes(5))], f"connection:{SIZE}")
case("9113-6.4", "an unknown code", [OPEN, frame(RST_STREAM, 0, 1, word(0xff))], "alive")
# 6.5: SETTINGS
case("9113-6.5", "an acknowledgement with a payload", frame(SETTINGS, ACK, 0, bytes(6)), f"connection:{SIZE}")
case("9113-6.5", "SETTINGS on a stream", frame(SETTINGS, 0, 1), f"connection:{PROTOCOL}")
case("9113-6.5", "SETTINGS of 5 bytes", frame(SETTINGS, 0, 0, bytes(5)), f"connection:{SIZE}")
case("9113-6.5.2", "ENABLE_PUSH of 2", frame(SETTINGS, 0, 0, setting(2, 2)), f"connection:{PROTOCOL}")
case("9113-6.5.2", "INITIAL_WINDOW_SIZE of 2 to the power of 31", frame(SETTINGS, 0, 0, setting(4, 1 << 31)), f"connection:{FLOW}")
case("9113-6.5.2", "MAX_FRAME_SIZE of 16383", frame(SETTINGS, 0, 0, setting(5, 16383)), f"connection:{PROTOCOL}")
case("9113-6.5.2", "MAX_FRAME_SIZE of 2 to the power of 24", frame(SETTINGS, 0, 0, setting(5, 1 << 24)), f"connection:{PROTOCOL}")
case("9113-6.5.2", "an unknown setting", frame(SETTINGS, 0, 0, setting(0xff, 1)), "alive")
case("9113-6.5.2", "HEADER_TABLE_SIZE of 0", [frame(SETTINGS, 0, 0, setting(1, 0)), GET], "answer:200")
case("9113-6.5.2", "ENABLE_CONNECT_PROTOCOL of 2", frame(SETTINGS, 0, 0, setting(8, 2)), f"connection:{PROTOCOL}/alive")
case("9113-6.5.3", "the last of equal settings counts",
     [frame(SETTINGS, 0, 0, setting(4, 1) + setting(4, 65535)), GET], "answer:200")
case("9113-6.5.3", "SETTINGS are acknowledged", [frame(SETTINGS, 0, 0, setting(3, 100)), until("settings", "ack")], "alive")
# 6.6: PUSH_PROMISE
case("9113-6.6", "PUSH_PROMISE of a client", [OPEN, frame(PUSH_PROMISE, 4, 1, word(2) + block(request()))], f"connection:{PROTOCOL}")
# 6.7: PING
case("9113-6.7", "PING is answered", frame(PING, 0, 0, b"12345678"), "alive")
case("9113-6.7", "an acknowledgement is not answered", frame(PING, ACK, 0, b"12345678"), "alive")
case("9113-6.7", "PING on a stream", frame(PING, 0, 1, bytes(8)), f"connection:{PROTOCOL}")
case("9113-6.7", "PING of 7 bytes", frame(PING, 0, 0, bytes(7)), f"connection:{SIZE}")
case("9113-6.7", "PING of 9 bytes", frame(PING, 0, 0, bytes(9)), f"connection:{SIZE}")
# 6.8: GOAWAY
case("9113-6.8", "GOAWAY on a stream", frame(GOAWAY, 0, 1, bytes(8)), f"connection:{PROTOCOL}")
case("9113-6.8", "GOAWAY of 7 bytes", frame(GOAWAY, 0, 0, bytes(7)), f"connection:{SIZE}")
case("9113-6.8", "requests before GOAWAY are answered", [GET, until("end", 1), frame(GOAWAY, 0, 0, bytes(8))], "alive/connection:NO_ERROR")
# 6.9: WINDOW_UPDATE
case("9113-6.9", "an increment of 0 for the connection", frame(WINDOW_UPDATE, 0, 0, word(0)), f"connection:{PROTOCOL}")
case("9113-6.9", "an increment of 0 for a stream", [OPEN, frame(WINDOW_UPDATE, 0, 1, word(0))], f"stream:{PROTOCOL}")
case("9113-6.9", "WINDOW_UPDATE of 3 bytes", frame(WINDOW_UPDATE, 0, 0, bytes(3)), f"connection:{SIZE}")
case("9113-6.9.1", "a window beyond 2 to the power of 31, connection", frame(WINDOW_UPDATE, 0, 0, word(0x7fffffff)), f"connection:{FLOW}")
case("9113-6.9.1", "a window beyond 2 to the power of 31, stream", [OPEN, frame(WINDOW_UPDATE, 0, 1, word(0x7fffffff))], f"stream:{FLOW}")
case("9113-6.9.2", "SETTINGS that make a window too large",
     [OPEN, frame(WINDOW_UPDATE, 0, 1, word(1 << 30)), frame(SETTINGS, 0, 0, setting(4, 0x7fffffff))], f"connection:{FLOW}")
case("9113-6.9.1", "a window of 1 byte is kept",
     [frame(SETTINGS, 0, 0, setting(4, 1)), GET, until("data", 1, 1), frame(WINDOW_UPDATE, 0, 1, word(1000))], "answer:200")
case("9113-6.9.2", "SETTINGS open a window of 0",
     [frame(SETTINGS, 0, 0, setting(4, 0)), GET, frame(SETTINGS, 0, 0, setting(4, 1)), until("data", 1, 1), frame(WINDOW_UPDATE, 0, 1, word(1000))],
     "answer:200")
case("9113-6.9.2", "SETTINGS make a window negative",
     [frame(SETTINGS, 0, 0, setting(4, 3)), GET, until("data", 1, 3), frame(SETTINGS, 0, 0, setting(4, 2)), frame(WINDOW_UPDATE, 0, 1, word(2)),
      until("data", 1, 1), frame(WINDOW_UPDATE, 0, 1, word(1000))], "answer:200")
case("9113-6.9.1", "DATA beyond the window of the connection", [OPEN, *[frame(DATA, 0, 1, b"a" * 16384)] * 200],
     f"stream:{FLOW}|STREAM_CLOSED/answer:413/connection:{FLOW}")
# 6.10: CONTINUATION
split = block(request())
case("9113-6.10", "a block in three frames",
     [frame(HEADERS, 1, 1, split[:9]), frame(CONTINUATION, 0, 1, split[9:20]), frame(CONTINUATION, 4, 1, split[20:])], "answer:200")
case("9113-6.10", "CONTINUATION after the end of the block", [headers(1, request(), 4), frame(CONTINUATION, 4, 1, block([("x", "y")]))], f"connection:{PROTOCOL}")
case("9113-6.10", "CONTINUATION on stream 0", [headers(1, request(), 1), frame(CONTINUATION, 4, 0)], f"connection:{PROTOCOL}")
case("9113-6.10", "CONTINUATION on another stream", [headers(1, request(), 1), frame(CONTINUATION, 4, 3)], f"connection:{PROTOCOL}")
case("9113-6.10", "DATA before CONTINUATION", [headers(1, request(), 0), frame(DATA, 0, 1, b"a")], f"connection:{PROTOCOL}")
case("9113-7", "an unknown code in GOAWAY", frame(GOAWAY, 0, 0, word(0) + word(0xff)), "alive/connection:NO_ERROR")

# 8.1 to 8.3: fields of requests
MALFORMED = f"stream:{PROTOCOL}"
for name, fields in [
    ("an uppercase name", request(more=[("X-Test", "a")])), ("a space in a name", request(more=[("x y", "a")])),
    ("an empty name", request(more=[("", "a")])), ("a colon in a name", request(more=[("x:y", "a")])),
    ("NUL in a value", request(more=[("x", "a\0b")])), ("CR in a value", request(more=[("x", "a\rb")])),
    ("LF in a value", request(more=[("x", "a\nb")])), ("CR LF and a field in a value", request(more=[("x", "a\r\ny: b")])),
    ("a space before a value", request(more=[("x", " a")])), ("a tab after a value", request(more=[("x", "a\t")])),
    ("NUL in a name", request(more=[("x\0", "a")])), ("CR in a name", request(more=[("x\ry", "a")])),
    ("a byte of 0x80 in a name", request(more=[("x\x80", "a")])),
    ("connection", request(more=[("connection", "keep-alive")])), ("keep-alive", request(more=[("keep-alive", "1")])),
    ("proxy-connection", request(more=[("proxy-connection", "a")])), ("upgrade", request(more=[("upgrade", "h2c")])),
    ("transfer-encoding", request(more=[("transfer-encoding", "chunked")])), ("te of gzip", request(more=[("te", "gzip")])),
    ("te of a list", request(more=[("te", "trailers, deflate")])),
    ("an unknown pseudo-header", request(more=[]) + [(":test", "a")]), (":status in a request", request() + [(":status", "200")]),
    (":protocol without the setting", request() + [(":protocol", "websocket")]),
    ("a pseudo-header after a field", [*request()[:3], ("x", "a"), (":authority", "a")]),
    ("no :method", request()[1:]), ("no :scheme", [request()[0], *request()[2:]]), ("no :path", [*request()[:2], request()[3]]),
    ("two :method", request() + [(":method", "GET")]), ("two :scheme", request() + [(":scheme", "https")]),
    ("two :path", request() + [(":path", "/")]), ("two :authority", request() + [(":authority", "b")]),
    ("an empty :path", request(path="")), ("a relative :path", request(path="healthz")), ("an empty :method", request(method="")),
    ("a space in :method", request(method="GE T")), ("a space in :path", request(path="/heal thz")),
    ("CR LF in :path", request(path="/a HTTP/1.1\r\nHost: b")), ("NUL in :path", request(path="/a\0")),
    ("CR LF in :method", request(method="GET / HTTP/1.1\r\nx: y")), ("CR LF in :authority", request(authority="a\r\nx: y")),
    ("user information in :authority", request(authority="u@a")), ("a space in :authority", request(authority="a b")),
    ("CR LF in :scheme", [(":method", "GET"), (":scheme", "https\r\nx: y"), (":path", "/"), (":authority", "a")]),
    ("host that is not :authority", request(more=[("host", "b")])), ("two different hosts", request()[:3] + [("host", "a"), ("host", "b")]),
    ("neither :authority nor host", request()[:3]), ("CONNECT with :path", request(method="CONNECT")),
    ("a content-length that is no number", request("POST", "/p/a", [("content-length", "a")])),
    ("two different content-lengths", request("POST", "/p/a", [("content-length", "0"), ("content-length", "1")])),
    ("a negative content-length", request("POST", "/p/a", [("content-length", "-1")])),
    ("a content-length of 5 without body", request("POST", "/p/a", [("content-length", "5")])),
]:
    section = "9113-8.2" if not any(n.startswith(":") for n, _ in fields[4:]) and " :" not in " " + name else "9113-8.3"
    case(section, name, headers(1, fields), MALFORMED)
case("9113-8.2.2", "te of trailers", headers(1, request(more=[("te", "trailers")])), "answer:200")
case("9113-8.2.3", "cookies in two fields", headers(1, request(more=[("cookie", "a=b"), ("cookie", "c=d")])), "answer:200")
case("9113-8.3.1", "host alone", headers(1, request()[:3] + [("host", "localhost")]), "answer:200")
case("9113-8.3.1", "host as :authority", headers(1, request(more=[("host", "localhost")])), "answer:200")
case("9113-8.3.1", "OPTIONS *", headers(1, request("OPTIONS", "*")), "answer:404|405|200|204")
case("9113-8.5", "CONNECT is not a tunnel", headers(1, [(":method", "CONNECT"), (":authority", "a:443")]),
     f"stream:{PROTOCOL}|REFUSED_STREAM|CONNECT_ERROR/answer:404|405|501|400")
case("9113-8.1", "HEAD", headers(1, request("HEAD")), "answer:200")
case("9113-8.1", "a body of its length", [json_post(1, 2), frame(DATA, 1, 1, b"{}")], "answer:400")
case("9113-8.1", "an unknown path", headers(1, request(path="/p/x")), "answer:404")
case("9113-8.1", "the fast path", headers(1, request(path="/v1/me")), "answer:401")
for path in ("/p/a", "/v1/refresh"):
    for name, length, pieces in [("longer than", 1, [b"{}"]), ("shorter than", 3, [b"{}"]), ("in two frames longer than", 3, [b"{}", b"{}"])]:
        data = [frame(DATA, int(n == len(pieces) - 1), 1, piece) for n, piece in enumerate(pieces)]
        case("9113-8.1.1", f"a body {name} content-length ({path})", [json_post(1, length, path=path), *data],
             MALFORMED if path == "/v1/refresh" else MALFORMED + "/answer:404")
trailers = [json_post(1), frame(DATA, 0, 1, b"{}")]
case("9113-8.1", "trailers", trailers + [headers(1, [("x", "y")])], "answer:400")
case("9113-8.1", "trailers without END_STREAM", trailers + [headers(1, [("x", "y")], 4)], MALFORMED)
case("9113-8.1", "a pseudo-header in trailers", trailers + [headers(1, [(":path", "/")])], MALFORMED)
case("9113-8.1", "an uppercase name in trailers", trailers + [headers(1, [("X", "y")])], MALFORMED)
case("9113-8.1", "connection in trailers", trailers + [headers(1, [("connection", "close")])], MALFORMED)

# RFC 7541
COMPRESSION = "connection:COMPRESSION_ERROR"
for section, name, data in [
    ("7541-6.1", "index 0", b"\x80"), ("7541-2.3.3", "an index beyond both tables", b"\xff\x00"),
    ("7541-2.3.3", "an index beyond both tables as a name", b"\x7f\x20\x01a"), ("7541-5.1", "an integer without end", b"\xff" + b"\x80" * 20 + b"\x01"),
    ("7541-5.1", "an integer that is cut off", b"\xff"), ("7541-5.2", "a string that is cut off", b"\0\x05ab"),
    ("7541-5.2", "a Huffman padding of 8 bits", b"\0\x85\xf2\xb2\x4a\x87\xff\x84\xff\xff\xff\xff"[:8] + b"\xff\x81a"),
    ("7541-5.2", "a Huffman padding of zeros", b"\0\x81\x18\x01a"), ("7541-5.2", "EOS in a Huffman string", b"\0\x84\xff\xff\xff\xff\x01a"),
    ("7541-6.3", "a table size beyond the setting", b"\x3f\xe1\xff\x03"), ("7541-6.3", "a table size update after a field", block([("x", "y")]) + b"\x20"),
]:
    at_start = "beyond the setting" in name
    case(section, name, headers(1, data + block(request()) if at_start else block(request()) + data), COMPRESSION)
case("7541-6.3", "a table size of 0 at the start", headers(1, b"\x20" + block(request())), "answer:200")
case("7541-4.2", "two table sizes at the start", headers(1, b"\x20\x3f\xe1\x1f" + block(request())), "answer:200")
case("7541-6.2.1", "indexed fields are found again",
     [headers(1, block(request()) + b"\x40\x01x\x01y"), headers(3, block(request()) + b"\xbe")], "answer:200@3")
case("7541-6.2.1", "the table evicts", [headers(1, block(request()) + b"\x40\x01x" + string("a" * 5000)), headers(3, block(request()) + b"\xbe")], COMPRESSION)

# Floods: 9113 section 10.5
LIMIT = "connection:ENHANCE_YOUR_CALM|PROTOCOL_ERROR|FRAME_SIZE_ERROR|NO_ERROR"


def flood(make, count=20000, piece=500):
    def send(client):
        for start in range(0, count, piece):
            client.send(b"".join(make(number) for number in range(start, start + piece)))
            client.read(lambda event: event[0] in ("goaway", "closed"), 0.001)
            if any(event[0] in ("goaway", "closed") for event in client.events):
                return
    return send


case("9113-10.5", "rapid reset", [flood(lambda n: headers(1 + 2 * n, request()) + frame(RST_STREAM, 0, 1 + 2 * n, word(8)))], LIMIT)
case("9113-10.5", "CONTINUATION without end", [frame(HEADERS, 0, 1, block(request())), flood(lambda n: frame(CONTINUATION, 0, 1, b"\0\x01x\x01y" * 50))],
     LIMIT + "|COMPRESSION_ERROR")
case("9113-10.5", "empty CONTINUATION without end", [frame(HEADERS, 0, 1, block(request())), flood(lambda n: frame(CONTINUATION, 0, 1))], LIMIT)
case("9113-10.5", "SETTINGS", [flood(lambda n: frame(SETTINGS))], LIMIT)
case("9113-10.5", "PING", [flood(lambda n: frame(PING, 0, 0, bytes(8)))], LIMIT)
case("9113-10.5", "empty DATA", [OPEN, flood(lambda n: frame(DATA, 0, 1))], LIMIT + "/stream:ENHANCE_YOUR_CALM")
case("9113-10.5", "streams that the server resets", [flood(lambda n: headers(1 + 2 * n, request(more=[("X", "y")])))], LIMIT)
case("9113-10.5", "fields of 64 KiB", [headers(1, request(), 1), *[frame(CONTINUATION, 0, 1, block([("x", "a" * 16000)]))] * 4, frame(CONTINUATION, 4, 1)],
     f"connection:{PROTOCOL}|ENHANCE_YOUR_CALM|COMPRESSION_ERROR/answer:431/stream:{PROTOCOL}")
case("7541-7", "a small block that grows to megabytes",
     [headers(1, block(request()) + b"\x40\x01x" + string("a" * 4000) + b"\xbe" * 4000)], f"{COMPRESSION}|{PROTOCOL}|ENHANCE_YOUR_CALM/answer:431/stream:{PROTOCOL}")
