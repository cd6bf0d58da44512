"""Checks what Deploy/ says about proxies, then sends requests through nginx and Caddy as Deploy/ configures them.

Listens on loopback and ends what it started by process id. Clients differ by their addresses in 127.0.0.0/8.
"""
import base64, json, os, re, socket, ssl, subprocess, sys, tempfile, time

import yaml

from loopback import free_port, start, stop

FRESHET = os.environ.get("FRESHET", ".build/debug/freshet")
NAME = "auth.example.com"
work = tempfile.TemporaryDirectory()
failures = []
passed = 0


def check(what, holds, detail=""):
    global passed
    if holds:
        passed += 1
        print(f"ok      {what}")
    else:
        failures.append(what)
        print(f"FAILED  {what}  {detail}")


def read(path):
    with open(path) as file:
        return file.read()


# What the files say


def deployment():
    printed = subprocess.run([FRESHET, "serve", "--print-config"], capture_output=True, text=True, check=True).stdout
    flags = set(re.findall(r"^([a-z][a-z0-9-]*) = ", printed, re.M))
    compose = yaml.safe_load(read("Deploy/compose.yaml"))
    server, caddy = compose["services"]["freshet"], compose["services"]["caddy"]
    variables = server["environment"]
    for variable in variables:
        flag = variable.removeprefix("FRESHET_").lower().replace("_", "-")
        check(f"compose.yaml: {variable} is a setting", variable.startswith("FRESHET_") and flag in flags)
    entry = json.loads(re.search(r"^ENTRYPOINT (.*)$", read("Deploy/Dockerfile"), re.M)[1])
    for flag in (word.removeprefix("--") for word in entry if word.startswith("--")):
        check(f"Dockerfile: --{flag} is an option", flag in flags)
    check("Dockerfile: the server is behind a proxy", "--behind-proxy" in entry)
    check("compose.yaml: the server has 30 s to stop", server.get("stop_grace_period") == "30s")
    check("compose.yaml: the server publishes no port", "ports" not in server)
    shared = set(server["networks"]) & set(caddy["networks"])
    check("compose.yaml: server and Caddy share one network", shared == {"inner"}, shared)
    address = caddy["networks"]["inner"]["ipv4_address"]
    check("compose.yaml: the trusted proxy is Caddy's address", variables.get("FRESHET_TRUSTED_PROXY") == address)
    check("compose.yaml: the shared network has no way out", compose["networks"]["inner"].get("internal") is True)
    check("compose.yaml: Caddy reads the Caddyfile", any("Caddyfile" in volume for volume in caddy["volumes"]))
    check("the issuer is the name that the proxies serve", variables["FRESHET_ISSUER"] == f"https://{NAME}"
          and NAME in read("Deploy/Caddyfile") and NAME in read("Deploy/nginx.conf"))

    def would_start(variables):
        words = [FRESHET, *entry[1:], "--check-config", "--data", work.name + "/checked"]
        return subprocess.run(words, env={**os.environ, **variables}, capture_output=True, text=True)

    done = would_start(variables)
    check("compose.yaml and Dockerfile: a server starts with these settings", done.returncode == 0, done.stderr)
    for missing, word in {"FRESHET_TRUSTED_PROXY": "--trusted-proxy", "FRESHET_ISSUER": "--issuer"}.items():
        done = would_start({name: value for name, value in variables.items() if name != missing})
        check(f"without {missing} it is refused with a sentence", done.returncode == 64 and word in done.stderr, done.stderr)
    prometheus = compose["services"]["prometheus"]
    scraped = yaml.safe_load(read("Deploy/prometheus.yml"))["scrape_configs"][0]["static_configs"][0]["targets"]
    metrics_port = variables["FRESHET_METRICS_LISTEN"].rsplit(":", 1)[1]
    check("prometheus.yml: the target is where the server's metrics are served", scraped == [f"freshet:{metrics_port}"], scraped)
    check("compose.yaml: Prometheus reaches the server", "inner" in prometheus["networks"])
    check("compose.yaml: Prometheus is published on loopback alone, by a network with a way out",
          prometheus["ports"] == ["127.0.0.1:9090:9090"]
          and any(not (compose["networks"][name] or {}).get("internal") for name in prometheus["networks"]))
    check("compose.yaml: Caddy waits for the server's health", caddy["depends_on"]["freshet"]["condition"] == "service_healthy")
    check("compose.yaml: Caddy and Prometheus have health checks", "healthcheck" in caddy and "healthcheck" in prometheus)
    admitted = {line[1:] for line in read(".dockerignore").split("\n") if line.startswith("!")}
    needed = {path.split("/")[0] for path in re.findall(r'path: "([^"]+)"', read("Package.swift")) if os.path.exists(path)}
    needed |= {"Package.swift", "Sources", "Tests", "Snippets", "Scripts"}
    check(".dockerignore admits what a build needs", needed <= admitted, needed - admitted)
    unit = read("Deploy/freshet.service")
    check("freshet.service: the server has 30 s to stop", "TimeoutStopSec=30\n" in unit)
    secrets = dict(re.findall(r"^(FRESHET_\w+)='(.*)'$", read("Deploy/environment"), re.M))
    with tempfile.TemporaryDirectory() as data:
        subprocess.run([FRESHET, "operator", "password", "--data", data], input="correct horse battery", text=True, check=True)
        done = subprocess.run([FRESHET, "serve", "--check-config", "--config", "Deploy/freshet.json", "--data", data],
                              env={**os.environ, **secrets}, capture_output=True, text=True)
    check("freshet.json and environment: a server starts with these settings", secrets and done.returncode == 0, done.stderr)


def health(port, closed_port):
    """The image's health check, against the server and against a port on which nothing listens."""
    words = json.loads(re.search(r"^HEALTHCHECK .* CMD (\[.*\])$", read("Deploy/Dockerfile"), re.M)[1])

    def status(port):
        replaced = [word.replace("/8080", f"/{port}") for word in words]
        return subprocess.run(replaced, stdin=subprocess.DEVNULL, capture_output=True, timeout=20).returncode

    check("Dockerfile: the health check holds for a server that is ready", status(port) == 0)
    check("Dockerfile: the health check fails where no server listens", status(closed_port) != 0)


# What the proxies do


class Proxy:
    def __init__(self, name, port):
        self.name, self.port = name, port

    def curl(self, path, body=None, client="127.0.0.5", headers=(), port=None, scheme="https"):
        """The status, the version of HTTP, the fields, and the JSON of an answer."""
        port = port or self.port
        words = ["curl", "--silent", "--show-error", "--http2", "--cacert", work.name + "/certificate", "--include",
                 "--interface", client, "--connect-to", f"{NAME}:{port}:127.0.0.1:{port}", "--max-time", "20",
                 "--write-out", "\n%{http_code} %{http_version}", f"{scheme}://{NAME}:{port}{path}"]
        if body is not None:
            words += ["--header", "Content-Type: application/json", "--data", json.dumps(body)]
        for header in headers:
            words += ["--header", header]
        done = subprocess.run(words, capture_output=True, text=True)
        if done.returncode != 0:
            return 0, done.stderr, {}, {}
        text, _, last = done.stdout.replace("\r", "").rpartition("\n")
        head, _, content = text.partition("\n\n")
        fields = {}
        for line in head.split("\n")[1:]:
            key, _, value = line.partition(": ")
            fields.setdefault(key.lower(), value)
        status, version = last.split()
        try:
            content = json.loads(content) if content.strip() else {}
        except ValueError:
            content = {}
        return int(status), version, fields, content

    def upgrade(self, token):
        """The first line of the answer to a WebSocket handshake."""
        context = ssl.create_default_context(cafile=work.name + "/certificate")
        with socket.create_connection(("127.0.0.1", self.port), timeout=20, source_address=("127.0.0.5", 0)) as plain:
            with context.wrap_socket(plain, server_hostname=NAME) as connection:
                key = base64.b64encode(os.urandom(16)).decode()
                connection.sendall((
                    f"GET /v1/socket HTTP/1.1\r\nHost: {NAME}\r\nAuthorization: Bearer {token}\r\nUpgrade: websocket\r\n"
                    f"Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n\r\n").encode())
                data = b""
                while b'"ready"' not in data:
                    piece = connection.recv(4096)
                    if not piece:
                        break
                    data += piece
                return data.split(b"\r\n")[0].decode(), b'"ready"' in data


def certificate():
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
         "-subj", f"/CN={NAME}", "-addext", f"subjectAltName=DNS:{NAME}",
         "-keyout", work.name + "/key", "-out", work.name + "/certificate"], check=True, capture_output=True)


def server():
    """`freshet serve` behind a proxy on 127.0.0.1; its port, and where its log is."""
    log = work.name + "/freshet.log"
    process = start(
        [FRESHET, "serve", "--port", "0", "--data", work.name + "/data", "--behind-proxy", "--trusted-proxy", "127.0.0.1",
         "--trust-request-id", "--issuer", f"https://{NAME}", "--password-cost", "10"],
        log, stdout=subprocess.PIPE, text=True)
    line = process.stdout.readline()
    if "listening on" not in line:
        sys.exit("test-proxies: the server does not start\n" + read(log))
    return int(line.rsplit(":", 1)[1]), log


def nginx(upstream):
    port, folder = free_port(), work.name + "/nginx"
    os.makedirs(folder)
    site = read("Deploy/nginx.conf")
    for old, new in {
        "127.0.0.1:8080": f"127.0.0.1:{upstream}", "listen 443 ssl": f"listen 127.0.0.1:{port} ssl",
        "    listen [::]:443 ssl http2;\n": "", "/etc/ssl/freshet/fullchain.pem": work.name + "/certificate",
        "/etc/ssl/freshet/privkey.pem": work.name + "/key",
    }.items():
        check(f"nginx.conf has {old.strip()}", old in site)
        site = site.replace(old, new)
    paths = "".join(f"{kind}_temp_path {folder}/{kind};\n" for kind in
                    ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"])
    with open(folder + "/nginx.conf", "w") as file:
        file.write(f"daemon off;\nworker_processes 1;\npid {folder}/pid;\nerror_log stderr;\nuser root;\n"
                   if os.geteuid() == 0 else f"daemon off;\npid {folder}/pid;\nerror_log stderr;\n")
        file.write(f"events {{}}\nhttp {{\naccess_log off;\n{paths}{site}\n}}\n")
    start(["nginx", "-p", folder, "-c", folder + "/nginx.conf"], folder + "/log")
    return Proxy("nginx", port)


def caddy(upstream):
    port, folder = free_port(), work.name + "/caddy"
    os.makedirs(folder)
    site = read("Deploy/Caddyfile")
    for old, new in {
        "freshet:8080": f"127.0.0.1:{upstream}",
        f"\n{NAME} {{\n": f"\n{NAME}:{port} {{\n\tbind 127.0.0.1\n\ttls {work.name}/certificate {work.name}/key\n",
    }.items():
        check(f"Caddyfile has {old.strip()}", old in site)
        site = site.replace(old, new)
    with open(folder + "/Caddyfile", "w") as file:
        file.write("{\n\tadmin off\n\tauto_https off\n\tskip_install_trust\n}\n" + site)
    start(["caddy", "run", "--adapter", "caddyfile", "--config", folder + "/Caddyfile"], folder + "/log",
          env={**os.environ, "HOME": folder, "XDG_DATA_HOME": folder, "XDG_CONFIG_HOME": folder}, stdout=subprocess.DEVNULL)
    return Proxy("Caddy", port)


def wait_for(proxy):
    for _ in range(200):
        if proxy.curl("/healthz")[0] == 200:
            return
        time.sleep(0.1)
    sys.exit(f"test-proxies: {proxy.name} does not answer\n" + read(f"{work.name}/{proxy.name.lower()}/log"))


def place(session):
    """Where the audit trail says that a session began."""
    done = subprocess.run(
        [FRESHET, "sessions", "show", session, "--data", work.name + "/data", "--json"], capture_output=True, text=True)
    entries = json.loads(done.stdout)["timeline"]
    return entries[0].get("source")


def through(proxy, direct_port, log):
    def says(what):
        return f"{proxy.name}: {what}"

    email = f"{proxy.name.lower()}@example.com"
    right, wrong = ({"email": email, "password": word} for word in ["correct horse", "battery staple"])
    status, version, fields, grant = proxy.curl("/v1/signup", right, headers=["X-Forwarded-For: 203.0.113.9"])
    check(says("an account is made, over HTTP/2"), (status, version) == (201, "2"), (status, version))
    if status != 201:
        return
    # The audit trail is written in batches.
    for _ in range(100):
        found = place(grant["session_id"])
        if found:
            break
        time.sleep(0.1)
    check(says("the audit trail has the client's address, not the one it claims"), found == "127.0.0.5", found)

    status, _, fields, _ = proxy.curl(
        "/v1/me", headers=[f"Authorization: Bearer {grant['access_token']}", "X-Request-Id: chosen-by-a-stranger"])
    check(says("an access token is taken"), status == 200, status)
    check(says("a client does not choose its request's id"), fields.get("x-request-id") not in (None, "chosen-by-a-stranger"))
    check(says("a page knows that it came by TLS"), "__Host-" in proxy.curl("/account")[2].get("set-cookie", ""))

    line, is_ready = proxy.upgrade(grant["access_token"])
    check(says("a WebSocket opens"), line.startswith("HTTP/1.1 101") and is_ready, line)
    check(says("a body that is too large is refused"), proxy.curl("/v1/refresh", {"x": "y" * 20_000})[0] == 413)

    # One client's wrong passwords, under addresses that it invents, are its own.
    answers = [proxy.curl("/v1/login/password", wrong, client="127.0.0.7", headers=[f"X-Forwarded-For: 198.51.100.{number}"])[0]
               for number in range(1, 60)]
    check(says("wrong passwords are limited, whatever address their sender invents"), 429 in answers, answers)
    check(says("and no other client pays for them"), proxy.curl("/v1/login/password", right, client="127.0.0.8")[0] == 200)

    # A client that reaches the server past the proxy is not trusted.
    status, _, _, direct = proxy.curl(
        "/v1/login/password", right, client="127.0.0.9", port=direct_port, scheme="http", headers=["X-Forwarded-For: 127.0.0.10"])
    for _ in range(100):
        found = place(direct["session_id"]) if status == 200 else status
        if found:
            break
        time.sleep(0.1)
    check(says("a client beside the proxy is not believed"), found == "127.0.0.9", found)


try:
    deployment()
    certificate()
    upstream, log = server()
    health(upstream, free_port())
    proxies = [nginx(upstream), caddy(upstream)]
    for proxy in proxies:
        wait_for(proxy)
        through(proxy, upstream, log)
    check("the server logged no error", '"level":"error"' not in read(log))
finally:
    stop()
print(f"{passed} held, {len(failures)} failed")
sys.exit(1 if failures else 0)
