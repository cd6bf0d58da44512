# SPDX-License-Identifier: Apache-2.0
# Copyright the Freshet project authors
"""Free ports on loopback, and child processes that are ended by process id."""
import signal, socket, subprocess

started = []


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def start(arguments, log, **options):
    process = subprocess.Popen(arguments, stdin=subprocess.DEVNULL, stderr=open(log, "w"), **options)
    started.append(process)
    return process


def stop():
    for process in started:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
    for process in started:
        try:
            process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
