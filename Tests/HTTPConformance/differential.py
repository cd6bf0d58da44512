# SPDX-License-Identifier: Apache-2.0
# Copyright the Freshet project authors
"""Smuggling payloads through proxies: what a proxy forwards as one request must not be two for the server.

Each payload has a number. Its outer request is for /outer/NUMBER, what it hides for /hidden/NUMBER. Another client's
request follows through the proxy's pooled connection, and must get the response that has its own request id.
"""
import itertools, random, threading, time

import http1, http2
from servers import connect

HIDDEN = b"GET /hidden/%d HTTP/1.1\r\nHost: a\r\nX-Request-Id: hidden-%d\r\n\r\n"
OPEN = b"GET /hidden/%d HTTP/1.1\r\nX: "
TE = [b"Transfer-Encoding: chunked", b"Transfer-Encoding : chunked", b"Transfer-Encoding:chunked", b"Transfer-Encoding:\tchunked",
      b"Transfer-Encoding: xchunked", b"Transfer-Encoding: chunked, identity", b"Transfer-Encoding: identity, chunked",
      b"Transfer-Encoding:\x0bchunked", b"Transfer-Encoding: \x0cchunked", b"Transfer-Encoding: chunked\x00", b" Transfer-Encoding: chunked",
      b"X: y\nTransfer-Encoding: chunked", b"X: y\rTransfer-Encoding: chunked", b"Transfer-Encoding\r\n : chunked",
      b"Transfer-Encoding:\r\n chunked", b"Transfer_Encoding: chunked", b"TRANSFER-ENCODING: CHUNKED", b"Transfer-Encoding: \"chunked\"",
      b"Transfer-Encoding: chunked\r\nTransfer-Encoding: x", b"Transfer-Encoding: x\r\nTransfer-Encoding: chunked",
      b"Transfer-Encoding: chunked;a", b"Transfer-Encoding: chunked ", b"Transfer-Encoding\x00: chunked", b"Transfer-Encoding: \xffchunked",
      b"Transfer-Encoding: chunk", b"Transfer-Encoding: cow, chunked", b"Connection: Transfer-Encoding\r\nTransfer-Encoding: chunked",
      b"Transfer-Encoding: ,chunked", b"Transfer-Encoding: chunked,", b"Transfer-Encoding:", b"Content-Encoding: chunked"]
LENGTHS = [b"Content-Length: %d", b"Content-Length: +%d", b"Content-Length: 0%d", b"Content-Length : %d", b"Content-Length:%d",
           b"Content-Length: %d, %d", b"Content-Length: 0\r\nContent-Length: %d", b"Content-Length: %d\r\nContent-Length: 0", b"Content-Length: %d;",
           b"Content-Length:\r\n %d", b" Content-Length: %d", b"Content-Length: %d a", b"Content-Length: 0x%d", b"Content-Length: -%d",
           b"X: y\nContent-Length: %d", b"X: y\rContent-Length: %d", b"Content_Length: %d", b"Content-Length\x00: %d", b"Content-Length: \x0b%d",
           b"Content-Length: %d\x00", b"Content-Length: %d.0", b"Content-Length: \"%d\"", b"Connection: Content-Length\r\nContent-Length: %d"]
SIZES = [b"%x\r\n", b"%x\n", b"%x\r", b"%x;a\r\n", b"%x;a\n", b"%x;a\nb\r\n", b"%x;a\rb\r\n", b"%x;\"a\r\nb\"\r\n", b"%x \r\n", b" %x\r\n", b"0x%x\r\n",
         b"+%x\r\n", b"0000%x\r\n", b"%x\r\r\n", b"%x\x00\r\n", b"%x;\x00\r\n", b"1%015x0\r\n", b"%x,\r\n", b"%x\t\r\n", b"-%x\r\n"]
ENDS = [b"0\r\n\r\n", b"0\n\n", b"0\r\n\n", b"0\r\n", b"00\r\n\r\n", b"0;a\n\r\n\r\n", b"0\r\nX: y\r\n\r\n", b"0\r\nContent-Length: 5\r\n\r\n",
        b"0\r\nX\r\n\r\n", b"0\r\r\n\r\n", b"0 \r\n\r\n", b"-0\r\n\r\n", b"0\r\n\r\n\r\n"]


def outer(number, fields, body, method=b"POST", version=b"HTTP/1.1"):
    head = b"%s /outer/%d %s\r\nHost: a\r\nX-Request-Id: outer-%d\r\n" % (method, number, version, number)
    return head + fields + b"\r\n\r\n" + body


def with_length(pattern, length):
    return pattern % tuple([length] * pattern.count(b"%d"))


def makers():
    """Functions from a number to a payload."""
    hidden = lambda n: HIDDEN % (n, n)
    for coding in TE:
        yield lambda n, c=coding: outer(n, c + b"\r\nContent-Length: %d" % (5 + len(hidden(n))), b"0\r\n\r\n" + hidden(n))
        yield lambda n, c=coding: outer(n, b"Content-Length: 4\r\n" + c, b"%x\r\n" % len(hidden(n)) + hidden(n) + b"\r\n0\r\n\r\n")
        yield lambda n, c=coding: outer(n, c, b"0\r\n\r\n" + hidden(n))
        yield lambda n, c=coding: outer(n, c, b"%x\r\n" % len(hidden(n)) + hidden(n) + b"\r\n0\r\n\r\n")
        yield lambda n, c=coding: outer(n, c + b"\r\nContent-Length: 5", b"0\r\n\r\n" + hidden(n), version=b"HTTP/1.0")
    for length in LENGTHS:
        for method in (b"POST", b"GET", b"HEAD", b"OPTIONS"):
            yield lambda n, l=length, m=method: outer(n, with_length(l, len(hidden(n))), hidden(n), m)
        yield lambda n, l=length: outer(n, with_length(l, len(OPEN % n)), OPEN % n)
    for size, end in itertools.product(SIZES, ENDS):
        if size == SIZES[0] or end == ENDS[0] or (SIZES.index(size) + ENDS.index(end)) % 5 == 0:
            yield lambda n, s=size, e=end: outer(n, TE[0], s % len(hidden(n)) + hidden(n) + b"\r\n" + e)
            yield lambda n, s=size, e=end: outer(n, TE[0], s % 2 + b"ab\r\n" + e + hidden(n))
    for field in (b"Host: a\r\nX : y", b"X\r\n\r\nY: z", b"Expect: 100-continue", b"Upgrade: websocket\r\nConnection: upgrade", b"Expect: 100-Continue, x"):
        yield lambda n, f=field: outer(n, f + b"\r\nContent-Length: %d" % len(hidden(n)), hidden(n))
        yield lambda n, f=field: outer(n, f, hidden(n), b"GET")
    for line in (b"\n", b"\r", b"\r\r\n"):
        yield lambda n, l=line: outer(n, b"X: y", b"").replace(b"\r\n", l) + hidden(n)


def mutated(payload, chance):
    data = bytearray(payload)
    for _ in range(chance.randint(1, 3)):
        place = chance.randrange(len(data) + 1)
        kind = chance.randrange(4)
        if kind == 0 and place < len(data):
            data[place] = chance.choice(b"\0\t\n\r :;,0159afAF\x0b\x7f\xff")
        elif kind == 1:
            data[place:place] = chance.choice([b"\r", b"\n", b" ", b"\t", b"\r\n", b"\0", b",", b";", b"0", b"\r\n "])
        elif kind == 2 and place < len(data):
            del data[place]
        else:
            line = chance.choice(TE + [with_length(length, 5) for length in LENGTHS])
            at = data.find(b"\r\n") + 2
            data[at:at] = line + b"\r\n"
    return bytes(data)


class Hop:
    """Sends payloads to one address, and another client's request after each."""

    def __init__(self, name, port, victim_port, secure=None):
        self.name, self.port, self.victim_port, self.secure = name, port, victim_port, secure
        self.victim, self.sent, self.wrong = None, 0, []

    def attack(self, number, payload):
        self.sent += 1
        connection = connect(self.port)
        try:
            connection.sendall(payload + http1.FOLLOW_UP)
            responses, _ = http1.read_responses(connection, 0.5, pause=0.05)
        except OSError:
            responses = []
        connection.close()
        self.follow(number, payload)
        return responses

    def attack_http2(self, number, fields, body):
        self.sent += 1
        client = http2.Client(self.port)
        client.send(http2.headers(1, fields, 4) + http2.frame(http2.DATA, 1, 1, body))
        client.read(lambda event: event[0] in ("reset", "goaway", "closed") or event == ("end", 1), 0.15)
        client.close()
        self.follow(number, repr(fields).encode() + body)

    def follow(self, number, payload):
        """Asks as another client, and checks that the response is that client's."""
        wanted = f"victim-{number}"
        data = b"GET /victim/%d HTTP/1.1\r\nHost: a\r\nX-Request-Id: %s\r\nConnection: close\r\n\r\n" % (number, wanted.encode())
        try:
            victim = connect(self.victim_port)
            victim.sendall(data)
            responses, _ = http1.read_responses(victim, 3)
            victim.close()
        except OSError as error:
            responses = [(0, repr(error))]
        # A proxy may answer by itself when the server has closed the pooled connection; it then has no id.
        if responses != [(404, wanted)] and not (len(responses) == 1 and responses[0][0] in (502, 503) and not responses[0][1]):
            self.wrong.append((number, f"another client got {responses}", payload))


def http2_payloads():
    for length in ("0", "1", "5", "00", "+0", "0, 5", "-1", "4a"):
        yield [("content-length", length)]
    for coding in ("chunked", "identity", "chunked, identity", "xchunked", "Chunked"):
        yield [("transfer-encoding", coding)]
        yield [("transfer-encoding", coding), ("content-length", "5")]
        yield [("x", "y\r\ntransfer-encoding: " + coding)]
        yield [("x", "y\ntransfer-encoding: " + coding)]
        yield [("x: y\r\ntransfer-encoding", coding)]
        yield [("transfer-encoding ", coding)]
    yield [("content-length", "0"), ("content-length", "60")]
    yield [("connection", "transfer-encoding"), ("te", "chunked")]


def run(seed, seconds, direct, nginx, haproxy, haproxy_http2):
    """Returns the failures, and lines about what was sent. Each argument after `seconds` is (front, server)."""
    fixed = list(makers())
    hops = [Hop("direct", direct.port, direct.port)] + [Hop(front.name, front.port, front.port) for front, _ in (nginx, haproxy)]
    payloads = {}

    def work(hop):
        chance = random.Random(seed)
        for number, make in enumerate(fixed, 1):
            payloads[number] = make(number)
            hop.attack(number, payloads[number])
        limit, number = time.monotonic() + seconds, 100_000
        while time.monotonic() < limit:
            number += 1
            payload = payloads[number] = mutated(chance.choice(fixed)(number), chance)
            hop.attack(number, payload)

    over = Hop("haproxy-h2", haproxy_http2[0].port, haproxy[0].port)

    def work_http2():
        number = 900_000
        for more in http2_payloads():
            for path in (None, f" HTTP/1.1\r\nHost: a\r\n\r\nGET /hidden/{number}"):
                for body in (b"0\r\n\r\n" + HIDDEN % (number, number), HIDDEN % (number, number)):
                    number += 1
                    body = body.replace(b"%d" % (number - 1), b"%d" % number)
                    over.attack_http2(number, http2.request("POST", f"/outer/{number}" + (path or ""), more), body)

    def sequence():
        # Both frontends of HAProxy share one pool of connections to the server.
        work(hops[2])
        work_http2()

    threads = [threading.Thread(target=work, args=(hop,)) for hop in hops[:2]] + [threading.Thread(target=sequence)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    time.sleep(0.5)
    failures, report = [], []
    for hop in [*hops, over]:
        failures += [(hop.name, number, text, payload) for number, text, payload in hop.wrong]
        report.append(f"{hop.name}: {hop.sent} payloads, {len(hop.wrong)} wrong answers to other clients")
    for front, server in (nginx, haproxy):
        forwarded, seen = front.requests(), server.requests()
        extra = {path: count for path, count in seen.items() if count > forwarded.get(path, 0) and path != "/healthz"}
        for path, count in sorted(extra.items()):
            digits = path.rpartition("/")[2]
            payload = payloads.get(int(digits) if digits.isascii() and digits.isdigit() else 0, b"")
            failures.append((front.name, path, f"forwarded {forwarded.get(path, 0)} times, but the server saw {count} requests", payload))
        hidden = sum(path.startswith("/hidden/") for path in seen)
        report.append(f"{front.name}: {sum(forwarded.values())} requests forwarded, {sum(seen.values())} seen by the server, "
                      f"{hidden} of them inner requests that both count, {len(extra)} disagreements")
    return failures, report
