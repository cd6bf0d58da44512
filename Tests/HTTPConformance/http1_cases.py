# SPDX-License-Identifier: Apache-2.0
# Copyright the Freshet project authors
"""Cases of RFC 9112 and RFC 9110: section, name, bytes (in one or several writes), and the expected answers."""

HOST = b"Host: a\r\n"
REFUSED = "400."
LENGTH_REFUSED = "400./501."
cases = []


def case(section, name, data, expected):
    cases.append((section, name, data if isinstance(data, list) else [data], expected))


def get(line=b"GET /healthz HTTP/1.1", fields=b"", host=HOST, end=b"\r\n"):
    return line + b"\r\n" + host + fields + end


def post(fields, body=b"", path=b"/p/post"):
    return b"POST " + path + b" HTTP/1.1\r\n" + HOST + fields + b"\r\n" + body


def chunked(body, coding=b"Transfer-Encoding: chunked\r\n"):
    return post(coding, body)


# Request line: 9112 section 3
for name, line, expected in [
    ("a plain GET", b"GET /healthz HTTP/1.1", "200"),
    ("a query", b"GET /healthz?a=b&c HTTP/1.1", "200"),
    ("an unknown method", b"BREW /healthz HTTP/1.1", "405/501"),
    ("a lowercase method is another method", b"get /healthz HTTP/1.1", "400/405/501"),
    ("HEAD has no body", b"HEAD /healthz HTTP/1.1", "200"),
    ("TRACE is not answered", b"TRACE /healthz HTTP/1.1", "405/501"),
    ("two spaces after the method", b"GET  /healthz HTTP/1.1", REFUSED),
    ("two spaces before the version", b"GET /healthz  HTTP/1.1", REFUSED),
    ("a tab as separator", b"GET\t/healthz HTTP/1.1", REFUSED),
    ("a space in the target", b"GET /heal thz HTTP/1.1", REFUSED),
    ("a space after the version", b"GET /healthz HTTP/1.1 ", REFUSED),
    ("a leading space", b" GET /healthz HTTP/1.1", REFUSED),
    ("no version", b"GET /healthz", REFUSED),
    ("no target", b"GET HTTP/1.1", REFUSED),
    ("a lowercase version", b"GET /healthz http/1.1", REFUSED),
    ("version 1.1 with a letter", b"GET /healthz HTTP/1.x", REFUSED),
    ("version 1.10", b"GET /healthz HTTP/1.10", REFUSED),
    ("version 01.1", b"GET /healthz HTTP/01.1", REFUSED),
    ("version 1,1", b"GET /healthz HTTP/1,1", REFUSED),
    ("version 2.0 in text", b"GET /healthz HTTP/2.0", "400./505."),
    ("version 9.9", b"GET /healthz HTTP/9.9", "400./505."),
    ("another protocol", b"GET /healthz ICE/1.1", REFUSED),
    ("NUL in the target", b"GET /heal\0thz HTTP/1.1", REFUSED),
    ("DEL in the target", b"GET /heal\x7fthz HTTP/1.1", REFUSED),
    ("CR in the target", b"GET /heal\rthz HTTP/1.1", REFUSED),
    ("NUL in the method", b"GE\0T /healthz HTTP/1.1", REFUSED),
    ("a colon in the method", b"GE:T /healthz HTTP/1.1", REFUSED),
    ("a byte of 0x80 in the method", b"GE\x80T /healthz HTTP/1.1", REFUSED),
    ("a relative target", b"GET healthz HTTP/1.1", REFUSED),
    ("a fragment in the target", b"GET /healthz#a HTTP/1.1", "400/404/200"),
]:
    case("9112-3", name, get(line), expected)
case("9112-2.2", "one empty line before the request", b"\r\n" + get(), "200")
case("9112-2.2", "an answer to a request after a body with CRLF", post(b"Content-Length: 1\r\n", b"a") + b"\r\n", "404")
case("9112-2.2", "text instead of a request", b"hello\r\n\r\n", REFUSED)
case("9112-2.2", "bytes of TLS", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(32) + b"\r\n\r\n", REFUSED)
case("9112-2.2", "the preface of HTTP/2 without TLS", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "400./505.")

# Targets: 9112 section 3.2
case("9112-3.2.2", "absolute form", get(b"GET http://a/healthz HTTP/1.1"), "200")
case("9112-3.2.2", "absolute form beats Host", get(b"GET http://b/healthz HTTP/1.1"), "200/400")
case("9112-3.2.4", "OPTIONS *", get(b"OPTIONS * HTTP/1.1"), "200/204/404/405")
case("9112-3.2.4", "GET *", get(b"GET * HTTP/1.1"), "400/404/400.")
case("9112-3.2.3", "CONNECT is not a tunnel", get(b"CONNECT a:443 HTTP/1.1"), "400./404./405./501.")

# Host: 9112 section 3.2
for path in (b"/healthz", b"/v1/me"):
    line, good = b"GET " + path + b" HTTP/1.1", "200" if path == b"/healthz" else "401"
    kind = path.decode()
    case("9112-3.2", f"no Host ({kind})", get(line, host=b""), REFUSED)
    case("9112-3.2", f"two Hosts ({kind})", get(line, host=b"Host: a\r\nHost: b\r\n"), REFUSED)
    case("9112-3.2", f"the same Host twice ({kind})", get(line, host=b"Host: a\r\nHost: a\r\n"), REFUSED)
    case("9112-3.2", f"two Hosts in two cases ({kind})", get(line, host=b"Host: a\r\nhOsT: b\r\n"), REFUSED)
    case("9112-3.2", f"a list of hosts ({kind})", get(line, host=b"Host: a, b\r\n"), REFUSED)
    case("9112-3.2", f"a space in Host ({kind})", get(line, host=b"Host: a b\r\n"), REFUSED)
    case("9112-3.2", f"a path in Host ({kind})", get(line, host=b"Host: a/b\r\n"), REFUSED)
    case("9112-3.2", f"user information in Host ({kind})", get(line, host=b"Host: u@a\r\n"), REFUSED)
    case("9112-3.2", f"a port ({kind})", get(line, host=b"Host: a:8080\r\n"), good)
    case("9112-3.2", f"a port that is no number ({kind})", get(line, host=b"Host: a:x\r\n"), REFUSED)
    case("9112-3.2", f"an IPv6 address ({kind})", get(line, host=b"Host: [::1]:80\r\n"), good)
    case("9112-3.2", f"an empty Host ({kind})", get(line, host=b"Host:\r\n"), good)
case("9112-3.2", "HTTP/1.0 needs no Host", get(b"GET /healthz HTTP/1.0", host=b""), "200.")

# Fields: 9112 section 5, 9110 section 5
for name, field, expected in [
    ("no space after the colon", b"X:a\r\n", "200"),
    ("a tab after the colon", b"X:\ta\r\n", "200"),
    ("trailing spaces", b"X: a  \r\n", "200"),
    ("an empty value", b"X:\r\n", "200"),
    ("obs-text in a value", b"X: \xe4\r\n", "200/400."),
    ("a space before the colon", b"X : a\r\n", REFUSED),
    ("a tab before the colon", b"X\t: a\r\n", REFUSED),
    ("a space in the name", b"X Y: a\r\n", REFUSED),
    ("no name", b": a\r\n", REFUSED),
    ("no colon", b"XYZ\r\n", REFUSED),
    ("obs-fold", b"X: a\r\n b\r\n", REFUSED),
    ("obs-fold with a tab", b"X: a\r\n\tb\r\n", REFUSED),
    ("NUL in a value", b"X: a\0b\r\n", REFUSED),
    ("NUL in a name", b"X\0: a\r\n", REFUSED),
    ("bare CR in a value", b"X: a\rb\r\n", REFUSED),
    ("bare CR in a name", b"X\rY: b\r\n", REFUSED),
    ("BEL in a value", b"X: a\x07\r\n", REFUSED),
    ("DEL in a value", b"X: a\x7f\r\n", REFUSED),
    ("a quote in the name", b"X\"Y: a\r\n", REFUSED),
    ("a brace in the name", b"X{: a\r\n", REFUSED),
    ("a byte of 0xff in the name", b"X\xff: a\r\n", REFUSED),
    ("a name of every token letter", b"!#$%&'*+-.^_`|~09azAZ: a\r\n", "200"),
    ("bare LF after a field", b"X: a\nY: b\r\n", REFUSED),
    ("15 KiB in one field", b"X: " + b"a" * 15000 + b"\r\n", "200"),
    ("17 KiB in one field", b"X: " + b"a" * 17000 + b"\r\n", "431."),
    ("100 KiB in one field", b"X: " + b"a" * 100_000 + b"\r\n", "431."),
    ("100 KiB in many fields", b"X: 0123456789\r\n" * 7000, "431."),
    ("a name of 17 KiB", b"X" * 17000 + b": a\r\n", "431."),
]:
    case("9112-5", name, get(fields=field), expected)
case("9112-2.2", "a space between request line and fields", get(host=b" X: a\r\n" + HOST), REFUSED)
case("9112-2.2", "bare LF after the request line", b"GET /healthz HTTP/1.1\n" + HOST + b"\r\n", REFUSED)
case("9112-2.2", "bare LF everywhere", b"GET /healthz HTTP/1.1\nHost: a\n\n", REFUSED)
case("9112-2.2", "bare LF at the end of the head", get(end=b"\n"), REFUSED)
case("9112-2.2", "CR CR LF after the request line", b"GET /healthz HTTP/1.1\r\r\n" + HOST + b"\r\n", REFUSED)
case("9112-3", "a target of 20 KiB", get(b"GET /" + b"a" * 20000 + b" HTTP/1.1"), "414./431./400.")

# Content-Length: 9112 section 6.2 and 6.3
for name, value, expected in [
    ("zero", b"0", "404"), ("leading zeros", b"00", "404/400."), ("plus", b"+0", REFUSED), ("minus", b"-0", REFUSED),
    ("minus one", b"-1", REFUSED), ("hexadecimal", b"0x0", REFUSED), ("empty", b"", REFUSED), ("a letter", b"a", REFUSED),
    ("two numbers", b"0 0", REFUSED), ("a decimal point", b"0.0", REFUSED), ("an exponent", b"0e1", REFUSED),
    ("quotes", b'"0"', REFUSED), ("a list of the same", b"0, 0", "404/400."), ("a list of others", b"0, 1", REFUSED),
    ("2 to the power of 64", b"18446744073709551616", REFUSED), ("2 to the power of 63", b"9223372036854775808", "!404"),
    ("an underscore", b"0_0", REFUSED), ("a vertical tab", b"\x0b0", REFUSED), ("a digit of another script", b"\xd9\xa0", REFUSED),
    ("an empty element", b"0,", "404/400."), ("a semicolon", b"0;", REFUSED),
]:
    case("9112-6.3", "Content-Length: " + name, post(b"Content-Length: " + value + b"\r\n"), expected)
case("9112-6.3", "two different Content-Lengths", post(b"Content-Length: 0\r\nContent-Length: 1\r\n"), REFUSED)
case("9112-6.3", "the same Content-Length twice", post(b"Content-Length: 0\r\nContent-Length: 0\r\n"), "404/400.")
case("9112-6.3", "a body of its length", post(b"Content-Length: 3\r\n", b"abc"), "404")
case("9112-6.3", "a body in two writes", [post(b"Content-Length: 3\r\n", b"a"), b"bc"], "404")
case("9112-6.3", "POST without a length has no body", post(b""), "404")
case("9112-6.3", "GET with a body", get(fields=b"Content-Length: 3\r\n") + b"abc", "200/400.")
case("9112-6.3", "GET of the fast path with a body", get(b"GET /v1/me HTTP/1.1", b"Content-Length: 3\r\n") + b"abc", "401")
case("9110-8.6", "a body of 20 KiB", post(b"Content-Type: application/json\r\nContent-Length: 20000\r\n", b"a" * 20000,
     b"/v1/refresh"), "413")

# Transfer-Encoding: 9112 section 6.1
ZERO = b"0\r\n\r\n"
for name, coding, expected in [
    ("chunked", b"chunked", "404"), ("Chunked in capitals", b"CHUNKED", "404"), ("identity", b"identity", LENGTH_REFUSED),
    ("gzip", b"gzip", LENGTH_REFUSED), ("gzip, chunked", b"gzip, chunked", "404/501/400./501."),
    ("chunked, gzip", b"chunked, gzip", LENGTH_REFUSED), ("chunked, identity", b"chunked, identity", LENGTH_REFUSED),
    ("chunked twice", b"chunked, chunked", LENGTH_REFUSED), ("empty", b"", LENGTH_REFUSED), ("xchunked", b"xchunked", LENGTH_REFUSED),
    ("chunked in quotes", b'"chunked"', LENGTH_REFUSED), ("a vertical tab", b"\x0bchunked", LENGTH_REFUSED),
    ("a trailing comma", b"chunked,", "404/400./501."), ("a parameter", b"chunked;a=b", LENGTH_REFUSED), ("NUL", b"chunked\0", REFUSED),
    ("chunkedx", b"chunkedx", LENGTH_REFUSED), ("a trailing space", b"chunked ", "404"),
]:
    case("9112-6.1", "Transfer-Encoding: " + name, chunked(ZERO, b"Transfer-Encoding: " + coding + b"\r\n"), expected)
case("9112-6.1", "with Content-Length", chunked(ZERO, b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n"), REFUSED)
case("9112-6.1", "before Content-Length", chunked(ZERO, b"Transfer-Encoding: chunked\r\nContent-Length: 5\r\n"), REFUSED)
case("9112-6.1", "in two lines", chunked(ZERO, b"Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n"), "404/400./501.")
case("9112-6.1", "chunked in two lines", chunked(ZERO, b"Transfer-Encoding: chunked\r\n" * 2), LENGTH_REFUSED)
case("9112-6.1", "in HTTP/1.0", b"POST /p/post HTTP/1.0\r\n" + HOST + b"Transfer-Encoding: chunked\r\n\r\n" + ZERO, "400./404./501.")

# Chunks: 9112 section 7.1
for name, body, expected in [
    ("two chunks", b"3\r\nabc\r\n2\r\nde\r\n" + ZERO, "404"), ("leading zeros", b"0003\r\nabc\r\n" + ZERO, "404"),
    ("capital digits", b"A\r\n0123456789\r\n" + ZERO, "404"), ("an extension", b"3;a=b\r\nabc\r\n" + ZERO, "404"),
    ("an extension in quotes", b'3;a="b"\r\nabc\r\n' + ZERO, "404"), ("a trailer", b"3\r\nabc\r\n0\r\nX: a\r\n\r\n", "404"),
    ("no CRLF after the data", b"3\r\nabc" + ZERO, REFUSED), ("data longer than its size", b"3\r\nabcd\r\n" + ZERO, REFUSED),
    ("bare LF after the size", b"3\nabc\r\n" + ZERO, REFUSED), ("bare LF after the data", b"3\r\nabc\n" + ZERO, REFUSED),
    ("bare CR after the size", b"3\rabc\r\n" + ZERO, REFUSED), ("bare LF in an extension", b"3;a\nabc\r\n" + ZERO, REFUSED),
    ("bare CR in an extension", b"3;a\rb\r\nabc\r\n" + ZERO, REFUSED), ("0x before the size", b"0x3\r\nabc\r\n" + ZERO, REFUSED),
    ("plus before the size", b"+3\r\nabc\r\n" + ZERO, REFUSED), ("minus before the size", b"-3\r\nabc\r\n" + ZERO, REFUSED),
    ("a space before the size", b" 3\r\nabc\r\n" + ZERO, REFUSED), ("a space after the size", b"3 \r\nabc\r\n" + ZERO, "404/400."),
    ("no size", b"\r\nabc\r\n" + ZERO, REFUSED), ("a size of letters", b"xyz\r\nabc\r\n" + ZERO, REFUSED),
    ("a size of 2 to the power of 64", b"10000000000000003\r\nabc\r\n" + ZERO, REFUSED),
    ("a size of 20 digits", b"f" * 20 + b"\r\nabc\r\n" + ZERO, REFUSED), ("an underscore", b"0_3\r\nabc\r\n" + ZERO, REFUSED),
    ("bare LF after the last size", b"3\r\nabc\r\n0\n\n", REFUSED), ("NUL in an extension", b"3;\0\r\nabc\r\n" + ZERO, REFUSED),
    ("a space before a trailer's colon", b"0\r\nX : a\r\n\r\n", REFUSED), ("a trailer without colon", b"0\r\nXYZ\r\n\r\n", REFUSED),
    ("Content-Length as trailer", b"0\r\nContent-Length: 50\r\n\r\n", "404/400."),
    ("trailers of 100 KiB", b"0\r\n" + b"X: 0123456789\r\n" * 7000 + b"\r\n", "400./431./404."),
    ("an extension of 100 KiB", b"3;" + b"a" * 100_000 + b"\r\nabc\r\n" + ZERO, "400./413./431./404."),
]:
    case("9112-7.1", name, chunked(body), expected)

# Connections: 9112 section 9, 9110 sections 7.8 and 10.1.1
case("9112-9.3", "pipelining", get() + get(b"GET /p/1 HTTP/1.1") + get(b"GET /v1/me HTTP/1.1"), "200 404 401")
case("9112-9.3", "12 pipelined requests", get() * 12, " ".join(["200"] * 12))
case("9112-9.3", "30 pipelined requests of the fast path", get(b"GET /v1/me HTTP/1.1") * 30, " ".join(["401"] * 30))
case("9112-9.3", "HTTP/1.0 closes", get(b"GET /healthz HTTP/1.0"), "200.")
case("9112-9.3", "HTTP/1.0 with keep-alive", get(b"GET /healthz HTTP/1.0", b"Connection: keep-alive\r\n"), "200/200.")
case("9112-9.6", "Connection: close", get(fields=b"Connection: close\r\n"), "200.")
case("9112-9.6", "Connection: Close in capitals", get(fields=b"Connection: CLOSE\r\n"), "200.")
case("9112-9.6", "close in a list", get(fields=b"Connection: x, close\r\n"), "200.")
case("9112-9.6", "close in the second line", get(fields=b"Connection: x\r\nConnection: close\r\n"), "200.")
case("9112-9.6", "Connection: close (fast path)", get(b"GET /v1/me HTTP/1.1", b"Connection: close\r\n"), "401.")
case("9110-7.8", "an unknown upgrade is ignored", get(fields=b"Connection: upgrade\r\nUpgrade: h2c\r\n"), "200")
EXPECT = b"Expect: 100-continue\r\nContent-Type: application/json\r\nContent-Length: 2\r\n"
case("9110-10.1.1", "100 before the body", [post(EXPECT, b"", b"/v1/refresh"), b""], "!100")
case("9110-10.1.1", "100, then the answer", [post(EXPECT, b"", b"/v1/refresh"), b"{}"], "100 400")
case("9110-10.1.1", "an unknown expectation", post(b"Expect: tea\r\nContent-Length: 0\r\n"), "404/417")
case("9110-9.3.2", "HEAD of an unknown path", get(b"HEAD /p/head HTTP/1.1"), "404")
case("9112-8", "an incomplete head waits", b"GET /healthz HTTP/1.1\r\nHo", "!")
case("9112-8", "an incomplete body waits", post(b"Content-Type: application/json\r\nContent-Length: 5\r\n", b"a", b"/v1/refresh"), "!")
case("9112-8", "a head in single bytes", [bytes([byte]) for byte in get(host=b"Host:a\r\n")], "200")
