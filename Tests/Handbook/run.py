# SPDX-License-Identifier: Apache-2.0
# Copyright the Freshet project authors
"""Runs the commands of README.md, docs/server.md and docs/handbook; see Scripts/check-handbook."""
import collections, os, re, shutil, signal, subprocess, sys, tempfile, time

from Handbook.document import DocumentError, blocks, broken_links, missing_lines
from Handbook.machine import Machine, MailServer, Postgres

HANDBOOK = "docs/handbook"
# Each of these begins on a machine of its own, without a server.
FIRST_STEPS = {"README": "README.md", "server": "docs/server.md"}


def pages():
    """The pages, in the order of the index."""
    with open(HANDBOOK + "/README.md", encoding="utf-8") as file:
        listed = list(dict.fromkeys(re.findall(r"\]\(([a-z-]+)\.md\)", file.read())))
    missing = {name[:-3] for name in os.listdir(HANDBOOK) if name.endswith(".md")} - set(listed) - {"README"}
    if missing:
        sys.exit(f"check-handbook: {HANDBOOK}/README.md does not list {', '.join(sorted(missing))}")
    return listed


class Check:
    def __init__(self, built):
        self.built, self.failures = built, 0
        self.run, self.left_out = 0, collections.Counter()
        # The machine of all pages of the handbook.
        self.installed = None
        self.folder = tempfile.mkdtemp(prefix="handbook-")
        os.chmod(self.folder, 0o755)
        self.mail, self.postgres = MailServer(), Postgres(self.folder + "/postgres")

    def complain(self, machine, block, message, output):
        self.failures += 1
        print(f"{block}: {message}")
        for line in block.text.split("\n"):
            print("    $ " + line)
        for line in output.rstrip().split("\n")[-15:]:
            print("    " + line[:300])
        with open(machine.folder + "/journal", encoding="utf-8", errors="replace") as file:
            for line in file.read().rstrip().split("\n")[-5:]:
                print("    journal: " + line[:300])

    def left_out_because(self, block):
        if block.reason:
            return block.reason
        if block.needs == "postgres":
            if not self.postgres.programs or os.environ.get("FRESHET_WITHOUT_POSTGRES"):
                return "PostgreSQL is not installed"
            if not self.postgres.process:
                self.postgres.start()
        elif block.needs and not shutil.which(block.needs):
            return f"{block.needs} is not installed"
        return None

    def follow(self, machine, document):
        """Runs the blocks of a document up to the first one that fails; the blocks after it may need what it does."""
        for block in blocks(document):
            reason = self.left_out_because(block)
            if reason:
                self.left_out[reason] += 1
                continue
            self.run += 1
            status, output = machine.serve(block.text) if block.serves else machine.run(block.text)
            # A log and metrics follow a little later.
            deadline = time.monotonic() + 20
            while block.waits and time.monotonic() < deadline and (status != 0 or missing_lines(block.output, output) is not None):
                time.sleep(0.25)
                status, output = machine.run(block.text)
            if status != block.exit:
                self.complain(machine, block, f"exit status {status} instead of {block.exit}", output)
                return False
            line = missing_lines(block.output, output)
            if line is not None:
                self.complain(machine, block, f"the output has no further line like: {line}", output)
                return False
        return True

    def page(self, name):
        start = time.monotonic()
        if name in FIRST_STEPS:
            machine = self.machine(name.lower())
        elif not self.installed:
            machine = self.installed = self.machine("installed")
        else:
            machine = self.installed
            machine.reset()
        held = False
        try:
            if name == "install":
                held = self.follow(machine, f"{HANDBOOK}/install.md")
                if not held:
                    sys.exit("the pages after this one need an installed server")
                machine.save()
            else:
                if name not in FIRST_STEPS:
                    self.expect(machine, "sudo systemctl start freshet")
                held = self.follow(machine, FIRST_STEPS.get(name, f"{HANDBOOK}/{name}.md"))
        finally:
            machine.stop()
        print(f"{'ok     ' if held else 'FAILED '} {name:<16} {time.monotonic() - start:5.1f} s", flush=True)

    def machine(self, name):
        os.makedirs(f"{self.folder}/{name}")
        return Machine(f"{self.folder}/{name}", self.built, self.mail, self.postgres)

    def expect(self, machine, text):
        status, output = machine.run(text)
        if status != 0:
            sys.exit(f"check-handbook: {text} failed\n{output}")

    def links(self):
        listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "*.md"], capture_output=True, text=True, check=True)
        for path in listed.stdout.split("\n"):
            if path and os.path.exists(path):
                for message in broken_links(path):
                    self.failures += 1
                    print(message)

    def close(self):
        self.postgres.stop()
        self.mail.shutdown()
        shutil.rmtree(self.folder, ignore_errors=True)


def main(arguments):
    built = ".build/debug"
    if arguments[:1] == ["--built"]:
        built, arguments = arguments[1], arguments[2:]
    if not os.access(built + "/freshet", os.X_OK):
        sys.exit(f"check-handbook: there is no {built}/freshet; build first: swift build")
    # Ended from outside, it stops what it started as well.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("check-handbook: ended by a signal"))
    check = Check(built)
    try:
        # Every page begins where "install" ends.
        names = arguments or [*FIRST_STEPS, *pages()]
        for name in dict.fromkeys(["install"] * (not FIRST_STEPS.keys() >= set(names)) + names):
            check.page(name)
        check.links()
    except DocumentError as error:
        sys.exit(str(error))
    finally:
        check.close()
    for reason, count in sorted(check.left_out.items()):
        print(f"not run: {count} blocks, {reason}")
    print(f"{check.run} blocks run, {check.failures} failures")
    sys.exit(1 if check.failures else 0)


main(sys.argv[1:])
