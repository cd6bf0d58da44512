# SPDX-License-Identifier: Apache-2.0
# Copyright the Freshet project authors
"""A machine as the handbook describes it, in one folder: its paths, its ports, and stand-ins for the programs of the system."""
import os, random, re, shutil, signal, socket, socketserver, subprocess, threading, time

# The paths of the handbook; each lies in the machine's folder instead.
PATHS = ["/etc/freshet", "/etc/systemd/system", "/etc/ssl/freshet", "/var/lib/freshet", "/var/backups/freshet", "/usr/local/bin"]
# The ports of the handbook, and the servers that it names as examples.
PORTS = [8080, 8081, 8443, 9464, 9465]
STAND_INS = {
    # All commands run as one user: changes of owners and users are left out.
    "sudo": """
        while [ $# -gt 0 ]; do case $1 in
            -u) user=$2; shift 2 ;;
            [A-Z]*=*) export "$1"; shift ;;
            *) break ;;
        esac; done
        case $1 in
            chown|chgrp|useradd) exit 0 ;;
            install)
                words=()
                while [ $# -gt 0 ]; do case $1 in -o|-g) shift 2 ;; *) words+=("$1"); shift ;; esac; done
                set -- "${words[@]}" ;;
        esac
        if [ "${user:-}" = postgres ]; then export PGHOST=127.0.0.1 PGPORT=$HANDBOOK_POSTGRES PGUSER=postgres; fi
        exec "$@"
    """,
    "runuser": """
        [ "$1 $3" = "-u --" ] || exit 64
        exec "$HANDBOOK/bin/sudo" -u "$2" "${@:4}"
    """,
    "journalctl": """
        exec cat "$HANDBOOK/journal"
    """,
    # Starts and stops the service as its unit says.
    "systemctl": """
        unit=$HANDBOOK/etc/systemd/system/freshet.service journal=$HANDBOOK/journal
        value() { sed -n "s/^$1=-\\?//p" "$unit"; }
        # A process that ended may stay in the table for a second, as a zombie, until its parent looks.
        alive() {
            [ -s "$HANDBOOK/pid" ] && grep -q '^State:[[:space:]]*[^ZX[:space:]]' "/proc/$(cat "$HANDBOOK/pid")/status" 2>/dev/null
        }
        stop() {
            alive || return 0
            kill "$(cat "$HANDBOOK/pid")"
            for _ in $(seq 300); do alive || return 0; sleep 0.05; done
            return 1
        }
        start() {
            alive && return 0
            [ -e "$unit" ] || { echo "Unit freshet.service not found." >&2; return 5; }
            : >"$HANDBOOK/stdout"
            (
                set -a
                eval "$(value Environment)"
                file=$(value EnvironmentFile)
                if [ -e "$file" ]; then . "$file"; fi
                unset FRESHET_PORT
                ulimit -n "$(value LimitNOFILE)" 2>/dev/null
                cd / && exec setsid $(value ExecStart)
            ) >"$HANDBOOK/stdout" 2>>"$journal" </dev/null &
            echo $! >"$HANDBOOK/pid"
            echo $! >>"$HANDBOOK/pids"
            for _ in $(seq 600); do
                grep -q '^listening on' "$HANDBOOK/stdout" && return 0
                if ! alive; then
                    echo "Job for freshet.service failed because the control process exited with error code." >&2
                    return 1
                fi
                sleep 0.05
            done
            return 1
        }
        case "$*" in
            daemon-reload) ;;
            "enable --now freshet" | "start freshet") start ;;
            "stop freshet") stop ;;
            "restart freshet") stop && start ;;
            "is-active freshet") if alive; then echo active; else echo inactive; exit 3; fi ;;
            "reload freshet")
                alive || exit 1
                before=$(grep -c SIGHUP "$journal" || true)
                kill -HUP "$(cat "$HANDBOOK/pid")"
                for _ in $(seq 100); do [ "$(grep -c SIGHUP "$journal")" -gt "$before" ] && exit 0; sleep 0.05; done
                exit 1 ;;
            *) echo "systemctl $*: not known to the stand-in" >&2; exit 64 ;;
        esac
    """,
    # The repository is up to date, and its program is built already.
    "git": """
        [ "$*" = pull ] || exit 64
    """,
    "make": """
        [ "$*" = "--silent release" ] || exit 64
        echo "$HANDBOOK_BUILT/freshet"
    """,
    # A program of the package that is built already.
    "swift": """
        [ "$1" = run ] || exit 64
        shift
        exec "$HANDBOOK_BUILT/$1" "${@:2}"
    """,
}


taken = set()


def free_port():
    """Returns another port with each call, on which nothing listens.

    It may be used minutes later, so it lies below those that the system gives to outgoing connections.
    """
    while True:
        port = random.randrange(20_000, 32_000)
        if port in taken:
            continue
        with socket.socket() as free:
            try:
                free.bind(("127.0.0.1", port))
                taken.add(port)
                return port
            except OSError:
                continue


class MailServer(socketserver.ThreadingTCPServer):
    """Accepts every password and every mail, and keeps none."""
    daemon_threads = allow_reuse_address = True

    class Conversation(socketserver.StreamRequestHandler):
        def handle(self):
            self.wfile.write(b"220 mail.example.com\r\n")
            is_data = has_asked = False
            for line in self.rfile:
                word = line[:4].upper().strip()
                if has_asked:
                    has_asked, answer = False, b"235 ok"
                elif is_data:
                    is_data = line.strip() != b"."
                    answer = None if is_data else b"250 ok"
                elif word == b"EHLO":
                    answer = b"250-mail.example.com\r\n250 AUTH PLAIN"
                elif word == b"AUTH":
                    # `AUTH PLAIN` alone: user and password follow on a line of their own.
                    has_asked = len(line.split()) == 2
                    answer = b"334 " if has_asked else b"235 ok"
                elif word == b"DATA":
                    is_data, answer = True, b"354 go on"
                elif word == b"QUIT":
                    answer = b"221 bye"
                else:
                    answer = b"250 ok"
                if answer:
                    self.wfile.write(answer + b"\r\n")
                if word == b"QUIT" and not is_data:
                    return

    def __init__(self):
        super().__init__(("127.0.0.1", 0), self.Conversation)
        threading.Thread(target=self.serve_forever, daemon=True).start()


class Postgres:
    """A cluster in a folder of its own, which its superuser reaches without a password."""

    def __init__(self, folder):
        versions = "/usr/lib/postgresql"
        found = sorted((int(name) for name in os.listdir(versions) if name.isdigit()), reverse=True) if os.path.isdir(versions) else []
        self.programs = f"{versions}/{found[0]}/bin" if found else None
        self.folder, self.port, self.process = folder, free_port(), None

    def start(self):
        os.makedirs(self.folder)
        # PostgreSQL refuses to run as root.
        options = {"cwd": "/", "stdin": subprocess.DEVNULL}
        if os.geteuid() == 0:
            options |= {"user": "postgres", "group": "postgres", "extra_groups": []}
            shutil.chown(self.folder, "postgres")
        data = self.folder + "/data"
        subprocess.run([self.programs + "/initdb", "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-sync"],
                       check=True, capture_output=True, **options)
        self.process = subprocess.Popen(
            [self.programs + "/postgres", "-D", data, "-p", str(self.port), "-c", "listen_addresses=127.0.0.1",
             "-c", "unix_socket_directories=", "-c", "fsync=off"],
            stdout=subprocess.DEVNULL, stderr=open(self.folder + "/log", "w"), **options)
        for _ in range(200):
            ready = subprocess.run([self.programs + "/pg_isready", "-q", "-h", "127.0.0.1", "-p", str(self.port)])
            if ready.returncode == 0:
                return
            time.sleep(0.05)
        raise RuntimeError("PostgreSQL does not start")

    def stop(self):
        if self.process:
            self.process.send_signal(signal.SIGINT)
            self.process.wait(timeout=20)


def is_running(pid):
    try:
        with open(f"/proc/{pid}/status") as file:
            return re.search(r"^State:\s*[ZX]", file.read(), re.M) is None
    except FileNotFoundError:
        return False


class Machine:
    """One machine. Everything on it lies in `folder`."""

    def __init__(self, folder, built, mail, postgres):
        self.folder, self.built, self.postgres = folder, os.path.abspath(built), postgres
        self.ports = {str(port): str(free_port()) for port in PORTS}
        self.names = {
            "smtps://mail.example.com": f"smtp://127.0.0.1:{mail.server_address[1]}",
            "db.example.com": f"127.0.0.1:{postgres.port}",
            "sslmode=verify-full": "sslmode=disable",
        }
        for path in PATHS:
            os.makedirs(folder + path)
        os.makedirs(folder + "/bin")
        os.makedirs(folder + "/home/freshet/Deploy")
        open(folder + "/journal", "w").close()
        for name, text in STAND_INS.items():
            self.write("/bin/" + name, "#!/bin/bash\n" + text, mode=0o755)
        for name in os.listdir("Deploy"):
            with open("Deploy/" + name, encoding="utf-8") as file:
                self.write("/home/freshet/Deploy/" + name, self.placed(file.read()))
        os.symlink(self.built + "/freshet", folder + "/usr/local/bin/freshet")
        self.make_certificate()
        self.server = None
        path = [folder + "/bin", folder + "/usr/local/bin"] + ([postgres.programs] if postgres.programs else []) + [os.environ["PATH"]]
        self.environment = {
            "PATH": ":".join(path), "HOME": folder + "/home", "LANG": "C.UTF-8", "TMPDIR": folder,
            "XDG_STATE_HOME": folder + "/home/.local/state", "XDG_CONFIG_HOME": folder + "/home/.config",
            "HANDBOOK": folder, "HANDBOOK_BUILT": self.built, "HANDBOOK_POSTGRES": str(postgres.port),
            # There is no desktop, and the kernel's keyring belongs to the person who runs this.
            "FRESHET_STORE": "plain-file", "FRESHET_PORT": self.ports["8080"],
            "CURL_CA_BUNDLE": folder + "/etc/ssl/freshet/fullchain.pem",
        }
        self.write("/variables", "cd " + folder + "/home\n")

    def write(self, path, text, mode=0o644):
        with open(self.folder + path, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(self.folder + path, mode)

    def make_certificate(self):
        folder = self.folder + "/etc/ssl/freshet"
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "90",
             "-subj", "/CN=auth.example.com", "-addext", "subjectAltName=DNS:auth.example.com",
             "-keyout", folder + "/privkey.pem", "-out", folder + "/fullchain.pem"], check=True, capture_output=True)
        os.chmod(folder + "/privkey.pem", 0o600)

    def placed(self, text):
        """Replaces the handbook's paths, ports and names by this machine's."""
        for name, own in self.names.items():
            text = text.replace(name, own)
        text = re.sub(r"(?<![\w./])(" + "|".join(PATHS) + r")(?![\w-])", self.folder + r"\1", text)
        return re.sub(r"(?<![\w.])(" + "|".join(self.ports) + r")(?!\w)", lambda match: self.ports[match[1]], text)

    def unplaced(self, text):
        """Replaces this machine's paths and ports by the handbook's."""
        text = text.replace(self.folder, "")
        for port, own in self.ports.items():
            text = text.replace(own, port)
        return text

    def run(self, text, timeout=60):
        """Runs commands after those before them; returns the exit status and the output."""
        script = "\n".join([
            # Variables that a block sets are there in the blocks after it, as in a terminal.
            f". {self.folder}/variables",
            "remember() { declare -p | grep -E '^declare -[-ax]+ ([a-z_]+|FRESHET_[A-Z_]+)='; "
            f"printf 'cd %q\\n' \"$PWD\"; }}",
            f"trap 'status=$?; remember >{self.folder}/variables.new; mv {self.folder}/variables.new {self.folder}/variables; "
            "exit $status' EXIT",
            "set -eo pipefail",
            self.placed(text), ""])
        process = subprocess.Popen(
            ["bash", "-c", script], env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True, errors="replace", start_new_session=True)
        try:
            output, _ = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            output, _ = process.communicate()
            return "none after a minute", self.unplaced(output)
        return process.returncode, self.unplaced(output)

    def serve(self, text):
        """Starts a server in the foreground of another terminal; returns its exit status if it does not start, and its output."""
        self.stop_server()
        log = open(self.folder + "/terminal", "w+", encoding="utf-8", errors="replace")
        self.server = subprocess.Popen(
            ["bash", "-c", f". {self.folder}/variables\nset -e\n" + self.placed(text)], env=self.environment, stdin=subprocess.DEVNULL,
            stdout=log, stderr=subprocess.STDOUT, start_new_session=True)
        for _ in range(600):
            with open(self.folder + "/terminal", encoding="utf-8", errors="replace") as file:
                output = file.read()
            if "listening on" in output:
                return 0, self.unplaced(output)
            if self.server.poll() is not None:
                return self.server.returncode or "0, although it should serve", self.unplaced(output)
            time.sleep(0.05)
        return "none, and it does not listen", self.unplaced(output)

    def stop_server(self):
        if self.server and self.server.poll() is None:
            os.killpg(self.server.pid, signal.SIGTERM)
            self.server.wait(timeout=20)
        self.server = None

    def save(self):
        """Keeps the machine as it is, with its service stopped, for `reset`."""
        self.stop()
        shutil.copytree(self.folder, self.folder + ".saved", symlinks=True)

    def reset(self):
        shutil.rmtree(self.folder)
        shutil.copytree(self.folder + ".saved", self.folder, symlinks=True)

    def stop(self):
        """Stops what runs on this machine, by process id."""
        self.stop_server()
        if not os.path.exists(self.folder + "/pids"):
            return
        with open(self.folder + "/pids") as file:
            pids = [int(line) for line in file]
        os.remove(self.folder + "/pids")
        for pid in pids:
            try:
                os.kill(pid, signal.SIGTERM)
            except ProcessLookupError:
                continue
            for _ in range(200):
                if not is_running(pid):
                    break
                time.sleep(0.05)
            else:
                os.kill(pid, signal.SIGKILL)
