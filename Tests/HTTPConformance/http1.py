# SPDX-License-Identifier: Apache-2.0
# Copyright the Freshet project authors
"""Reads HTTP/1.1 responses, and runs the table in http1_cases.py."""
import concurrent.futures, re, time

from servers import connect

FOLLOW_UP = b"GET /healthz HTTP/1.1\r\nHost: a\r\nX-Request-Id: follow-up\r\nConnection: close\r\n\r\n"


def read_responses(connection, seconds=1.5, heads=0, pause=None):
    """The responses as (status, request id), and how the connection ended: `closed` or `open`.

    The first `heads` responses answer HEAD: they have no body. Reading ends early after a `pause` without bytes.
    """
    data, end, limit = b"", "open", time.monotonic() + seconds
    while True:
        left = limit - time.monotonic()
        if left <= 0:
            break
        connection.settimeout(min(left, pause or left))
        try:
            piece = connection.recv(65536)
        except TimeoutError:
            break
        except OSError:
            end = "closed"
            break
        if not piece:
            end = "closed"
            break
        data += piece
    return split(data, heads), end


def split(data, heads=0):
    responses = []
    while data:
        head, found, rest = data.partition(b"\r\n\r\n")
        status = re.match(rb"HTTP/1\.[01] (\d{3})", head)
        if not found or not status:
            return responses + [(0, repr(data[:60]))]
        status = int(status[1])
        identifier = re.search(rb"(?i)\r\nx-request-id: *([^\r]*)", head)
        length = re.search(rb"(?i)\r\ncontent-length: *(\d+)", head)
        chunked = re.search(rb"(?i)\r\ntransfer-encoding: *chunked", head)
        if status >= 200:
            if heads > 0 or status in (204, 304):
                heads -= 1
            elif chunked:
                while True:
                    size, _, rest = rest.partition(b"\r\n")
                    size = int(size or b"0", 16)
                    rest = rest[size + 2:]
                    if size == 0:
                        break
            elif length:
                rest = rest[int(length[1]):]
        responses.append((status, identifier[1].decode("latin1") if identifier else ""))
        data = rest
    return responses


def run(port, cases):
    """Yields (section, name, whether it passed, what was expected, what was seen)."""
    def one(case):
        section, name, pieces, expected = case
        connection = connect(port)
        heads = 1 if pieces[0].startswith(b"HEAD") else 0
        try:
            for number, piece in enumerate(pieces):
                if number:
                    time.sleep(0.02)
                # In one write: bytes that reach a closed socket would reset it, and lose the answer.
                last = number == len(pieces) - 1
                connection.sendall(piece + FOLLOW_UP if last and expected[0] != "!" else piece)
        except OSError:
            pass
        responses, end = read_responses(connection, 1 if expected[0] == "!" else 3, heads)
        connection.close()
        followed = bool(responses) and responses[-1] == (200, "follow-up")
        statuses = [str(status) for status, identifier in responses if identifier != "follow-up"]
        seen = " ".join(statuses) + (" follow-up" if followed else "") + f" {end}"
        return section, name, matches(expected, statuses, followed, end), expected, seen.strip()

    with concurrent.futures.ThreadPoolExecutor(4) as threads:
        yield from threads.map(one, cases)


def matches(expected, statuses, followed, end):
    """Whether an outcome is one of those expected, which `/` separates.

    `200 404`: these answers, then the follow-up's; `400.`: the answer closes the connection; `!`: no follow-up is sent.
    """
    if "/" in expected:
        rest = expected.lstrip("!")
        prefix = expected[:len(expected) - len(rest)]
        return any(matches(prefix + one, statuses, followed, end) for one in rest.split("/"))
    closes, bare = expected.endswith("."), expected.lstrip("!").rstrip(".")
    wanted = bare.split()
    if len(statuses) != len(wanted) or any(one not in (got, "*") for one, got in zip(wanted, statuses)):
        return False
    if expected[0] == "!":
        return (end == "closed") == closes
    return end == "closed" and followed != closes
