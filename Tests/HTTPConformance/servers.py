# SPDX-License-Identifier: Apache-2.0
# Copyright the Freshet project authors
"""Starts and stops the servers of the suite: all on loopback, all ended by process id."""
import collections, json, os, socket, ssl, subprocess, time

from loopback import free_port, start, stop

FRESHET = os.environ.get("FRESHET", ".build/debug/freshet")


def certificate(folder):
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
         "-subj", "/CN=localhost", "-keyout", folder + "/key", "-out", folder + "/certificate"],
        check=True, capture_output=True)
    with open(folder + "/both", "w") as both:
        for name in ("certificate", "key"):
            with open(f"{folder}/{name}") as file:
                both.write(file.read())
    for name in ("key", "both"):
        os.chmod(f"{folder}/{name}", 0o600)


class Freshet:
    """One server, whose log at level debug has a line for each request that it read."""

    def __init__(self, folder, name, *arguments):
        self.log = f"{folder}/{name}.log"
        self.process = start(
            [FRESHET, "serve", "--port", "0", "--data", f"{folder}/{name}", "--log-level", "debug", "--password-cost", "10",
             "--behind-proxy", "--trusted-proxy", "127.0.0.0/8", "--trust-request-id", *arguments],
            self.log, stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        if not line.startswith("listening on "):
            raise SystemExit("test-http: the server does not start: " + open(self.log).read()[-2000:])
        self.port = int(line.rsplit(":", 1)[1])

    def lines(self):
        with open(self.log) as log:
            return [json.loads(line) for line in log if line.startswith("{") and line.endswith("}\n")]

    def requests(self):
        """How often each path was requested."""
        return collections.Counter(line["path"] for line in self.lines() if line["message"] == "request")

    def errors(self):
        """What the server logged as an error of its own."""
        return [line for line in self.lines() if line["level"] in ("error", "critical")]

    def runs(self):
        return self.process.poll() is None


def wait_for(port):
    for _ in range(100):
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            time.sleep(0.05)
    raise SystemExit(f"test-http: nothing listens on port {port}")


class Front:
    """A reverse proxy with a pool of connections to a server of its own, and a log of what it forwarded."""

    def __init__(self, name, port, log):
        self.name, self.port, self.log = name, port, log

    def requests(self):
        """How often each path was forwarded."""
        counter = collections.Counter()
        with open(self.log, errors="replace") as log:
            for line in log:
                words = line.rstrip("\n").rsplit(" ", 1)
                if len(words) == 2 and words[1] not in ("-", "<NOSRV>"):
                    target = words[0].removeprefix("seen ").split("?")[0]
                    counter[target[target.find("/", target.find("://") + 3):] if "://" in target else target] += 1
        return counter


def nginx(folder, backend):
    port = free_port()
    temporary = "".join(f"{kind}_temp_path {folder}/nginx-{kind};" for kind in
                        ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    with open(folder + "/nginx.conf", "w") as file:
        file.write(f"""
daemon off; master_process off; pid {folder}/nginx.pid; error_log {folder}/nginx.error;
events {{ worker_connections 256; }}
http {{
    log_format seen 'seen $request_uri $upstream_addr';
    access_log {folder}/nginx.access seen;
    {temporary}
    proxy_buffering off;
    ignore_invalid_headers off; underscores_in_headers on; proxy_request_buffering off;
    upstream freshet {{ server 127.0.0.1:{backend}; keepalive 1; }}
    server {{
        listen 127.0.0.1:{port};
        location / {{
            proxy_pass http://freshet; proxy_http_version 1.1; proxy_set_header Connection ""; proxy_next_upstream off;
        }}
    }}
}}
""")
    start(["nginx", "-c", folder + "/nginx.conf", "-e", folder + "/nginx.error"], folder + "/nginx.out")
    wait_for(port)
    return Front("nginx", port, folder + "/nginx.access")


def haproxy(folder, backend):
    plain, secure = free_port(), free_port()
    with open(folder + "/haproxy.cfg", "w") as file:
        file.write(f"""
global
    log stdout format raw local0 info
    maxconn 256
defaults
    mode http
    log global
    log-format "seen %HU %s"
    timeout connect 2s
    timeout client 5s
    timeout server 5s
    option accept-invalid-http-request
frontend plain
    bind 127.0.0.1:{plain}
    default_backend freshet
frontend secure
    bind 127.0.0.1:{secure} ssl crt {folder}/both alpn h2
    default_backend freshet
backend freshet
    http-reuse always
    server freshet 127.0.0.1:{backend} pool-max-conn 1
""")
    log = folder + "/haproxy.access"
    start(["haproxy", "-f", folder + "/haproxy.cfg"], folder + "/haproxy.out", stdout=open(log, "w"))
    wait_for(plain)
    return Front("haproxy", plain, log), Front("haproxy-h2", secure, log)


def connect(port, secure=None, timeout=2.0):
    """A connection; `secure` is the list of protocols for ALPN."""
    plain = socket.create_connection(("127.0.0.1", port), timeout=timeout)
    plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    if secure is None:
        return plain
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    context.set_alpn_protocols(secure)
    return context.wrap_socket(plain, server_hostname="localhost")
