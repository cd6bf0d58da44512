# SPDX-License-Identifier: Apache-2.0
# Copyright the Freshet project authors
"""HTTP/1.1 and HTTP/2 conformance of `freshet serve`, and request smuggling through nginx and HAProxy."""
import argparse, collections, tempfile, time

import differential, http1, http1_cases, http2, http2_cases, servers
from exceptions import EXCEPTIONS

parser = argparse.ArgumentParser()
parser.add_argument("--seed", type=int, default=1)
parser.add_argument("--seconds", type=float, default=20, help="how long mutated payloads are sent")
parser.add_argument("--only", choices=["http1", "http2", "differential"])
parser.add_argument("--sections", action="store_true", help="also print the number of cases by section")
options = parser.parse_args()

begin = time.monotonic()
sections, used = collections.Counter(), set()
counts = collections.Counter()


def table(results):
    for section, name, passed, expected, seen in results:
        sections[section] += 1
        key = (section, name)
        if key in EXCEPTIONS:
            used.add(key)
            wanted, _ = EXCEPTIONS[key]
            passed_before, passed = passed, wanted in seen
            counts["exceptions" if passed else "failed"] += 1
            if passed_before:
                counts["exceptions"] -= passed
                counts["failed"] += passed
                passed, expected = False, "an exception that is not needed any more"
            else:
                expected = f"the exception `{wanted}`"
        else:
            counts["passed" if passed else "failed"] += 1
        if not passed:
            print(f"FAILED  {section}  {name}: expected {expected}, saw: {seen}")


def check(server, name):
    if not server.runs():
        counts["failed"] += 1
        print(f"FAILED  {name}: the server died")
    for error in server.errors()[:5]:
        counts["failed"] += 1
        print(f"FAILED  {name}: the server logged an error: {error}")


print(f"seed {options.seed}")
with tempfile.TemporaryDirectory() as folder:
    try:
        servers.certificate(folder)
        if options.only in (None, "http1"):
            plain = servers.Freshet(folder, "plain")
            table(http1.run(plain.port, http1_cases.cases))
            check(plain, "HTTP/1.1")
        if options.only in (None, "http2"):
            secure = servers.Freshet(folder, "secure", "--tls-certificate", folder + "/certificate", "--tls-key", folder + "/key")
            table(http2.run(secure.port, http2_cases.cases))
            check(secure, "HTTP/2")
        if options.only in (None, "differential"):
            behind = {name: servers.Freshet(folder, name) for name in ("direct", "behind-nginx", "behind-haproxy")}
            nginx = servers.nginx(folder, behind["behind-nginx"].port)
            plain, secure = servers.haproxy(folder, behind["behind-haproxy"].port)
            failures, report = differential.run(
                options.seed, options.seconds, behind["direct"], (nginx, behind["behind-nginx"]),
                (plain, behind["behind-haproxy"]), (secure, behind["behind-haproxy"]))
            for name, number, text, payload in failures:
                print(f"FAILED  smuggling, {name}, {number}: {text}; payload {payload[:400]!r}")
            for line in report:
                print(line)
            counts["failed"] += len(failures)
            counts["passed"] += not failures
            for name, server in behind.items():
                check(server, name)
    finally:
        servers.stop()
if options.only is None:
    for key in EXCEPTIONS.keys() - used:
        counts["failed"] += 1
        print(f"FAILED  exceptions.py names a case that does not exist: {key}")
if options.sections:
    print(", ".join(f"{section} {count}" for section, count in sorted(sections.items())))
print(f"{counts['passed']} cases passed, {counts['failed']} failed, {counts['exceptions']} exceptions "
      f"({time.monotonic() - begin:.0f} s)")
raise SystemExit(1 if counts["failed"] else 0)
