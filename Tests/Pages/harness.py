"""A server, a browser, and what every page must keep; account.py and its neighbours are written with it.

A module of tests has functions `test_...(stage)`; `ARGUMENTS` holds what its server is started with beside the
usual, `prepare(data)` makes its data folder ready before, and `begin(server)` is called once before the tests.
"""

import base64
import contextlib
import http.server
import json
import os
import pathlib
import re
import secrets
import shutil
import signal
import sqlite3
import subprocess
import tempfile
import threading
import time
import urllib.error
import urllib.request

from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PICTURES = ROOT / ".build" / "pages"
DOCUMENTED = ROOT / "docs" / "pictures"
AUDIT = (pathlib.Path(__file__).parent / "audit.js").read_text()
FRESHET = os.environ.get("FRESHET", str(ROOT / ".build" / "debug" / "freshet"))
PATIENCE = 20
SIZES = {"phone": (360, 780), "desktop": (1280, 860)}


class Failure(Exception):
    """Something that must hold does not."""


def expect(condition, text):
    if not condition:
        raise Failure(text)


def expect_equal(found, wanted, what):
    expect(found == wanted, f"{what}: {found!r} instead of {wanted!r}")


class Server:
    """`freshet serve` on a port and a folder of its own; mail goes to its log."""

    def __init__(self, arguments=(), prepare=None):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="freshet-pages-"))
        self.log_file = self.folder / "log"
        self.data = self.folder / "data"
        if prepare:
            prepare(self.data)
        environment = {**os.environ, "FRESHET_PASSWORD_COST": "10"}
        command = [FRESHET, "serve", "--port", "0", "--data", str(self.data), "--until-stdin-closes", *arguments]
        with open(self.log_file, "w", encoding="utf-8") as log:
            self.process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True, env=environment
            )
        line = self.process.stdout.readline().strip()
        expect(line.startswith("listening on "), f"the server does not start: {self.log_file.read_text()[-2000:]}")
        self.port = int(line.rsplit(":", 1)[1])
        # A cookie for TLS alone is kept for this name as well.
        self.address = f"http://localhost:{self.port}"

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    def lines(self):
        """What was logged, one dictionary a line."""
        return [json.loads(line) for line in self.log_file.read_text().splitlines() if line.startswith("{")]

    def errors(self):
        return [line for line in self.lines() if line.get("level") in ("error", "critical")]

    def wait_for_line(self, matches):
        """The newest line that matches, as soon as there is one."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            found = [line for line in self.lines() if matches(line)]
            if found:
                return found[-1]
            time.sleep(0.05)
        raise Failure("the server did not log it")

    def sent_codes(self, email):
        """Every code that was mailed to an address, oldest first."""
        return [line["code"] for line in self.lines() if line.get("code") and email in json.dumps(line)]

    def code(self, email, after=0):
        """The code that was mailed to an address after so many others."""
        self.wait_for_line(lambda _: len(self.sent_codes(email)) > after)
        return self.sent_codes(email)[-1]

    def call(self, method, path, body=None, bearer=None, headers=None):
        """Talks to the server as an app does: the status and the answer."""
        data = None if body is None else json.dumps(body).encode()
        headers = {**({"Content-Type": "application/json"} if data else {}), **(headers or {})}
        if bearer:
            headers["Authorization"] = f"Bearer {bearer}"
        request = urllib.request.Request(self.address + path, data=data, method=method, headers=headers)
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
                text = answer.read()
                return answer.status, json.loads(text) if text else None
        except urllib.error.HTTPError as error:
            text = error.read()
            return error.code, json.loads(text) if text else None

    def sign_in_app(self, email, **device):
        """Signs an app of the user in by a mailed code; its grant."""
        before = len(self.sent_codes(email))
        status, attempt = self.call("POST", "/v1/login/code", {"email": email})
        expect_equal(status, 202, "asking for a code")
        body = {"attempt": attempt["attempt"], "code": self.code(email, before), "device": device}
        status, grant = self.call("POST", "/v1/login/code/verify", body)
        expect_equal(status, 200, "signing an app in")
        return grant

    def refresh(self, token, intent=None):
        intent = intent or new_intent()
        return self.call("POST", "/v1/refresh", {"refresh_token": token, "intent": intent})

    def steal(self, grant):
        """Two holders present one token with intents of their own, so the session ends."""
        _, first = self.refresh(grant["refresh_token"])
        self.refresh(grant["refresh_token"])
        expect(first is not None, "the first holder is served")

    def database(self):
        return contextlib.closing(sqlite3.connect(self.data / "freshet.sqlite", timeout=10, isolation_level=None))

    def age(self, session, seconds):
        """Makes a session as old as that, unused for half as long."""
        with self.database() as database:
            database.execute(
                """
                UPDATE sessions SET created_at = created_at - ?1, last_used_at = last_used_at - ?1 / 2,
                    idle_end = idle_end - ?1 / 2, absolute_end = absolute_end - ?1 WHERE id = ?2
                """,
                (int(seconds * 1000), bytes.fromhex(session.replace("-", ""))),
            )


def new_intent():
    return base64.urlsafe_b64encode(secrets.token_bytes(16)).rstrip(b"=").decode()


class Browser:
    """Chromium without a window."""

    def __init__(self, address, javascript=True, arguments=()):
        self.address = address
        options = webdriver.ChromeOptions()
        options.binary_location = shutil.which("chromium") or "chromium"
        for argument in [
            "--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--hide-scrollbars",
            "--force-device-scale-factor=1", "--lang=en", *arguments,
        ]:
            options.add_argument(argument)
        if not javascript:
            options.add_experimental_option("prefs", {"profile.managed_default_content_settings.javascript": 2})
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        service = webdriver.ChromeService(executable_path=shutil.which("chromedriver"))
        self.driver = webdriver.Chrome(options=options, service=service)
        self.driver.set_page_load_timeout(PATIENCE)
        self.show("desktop")
        self.driver.get_log("browser")

    def close(self):
        self.driver.quit()

    def show(self, size, dark=False):
        width, height = SIZES[size]
        self.driver.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": size == "phone"},
        )
        scheme = "dark" if dark else "light"
        # A colour on its way to another is neither.
        features = [
            {"name": "prefers-color-scheme", "value": scheme}, {"name": "prefers-reduced-motion", "value": "reduce"},
        ]
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})

    def open(self, path):
        self.driver.get(path if "://" in path else self.address + path)

    @property
    def path(self):
        return "/" + self.driver.current_url.split("/", 3)[3]

    @property
    def text(self):
        return self.driver.find_element(By.TAG_NAME, "body").text

    @property
    def heading(self):
        return self.driver.find_element(By.TAG_NAME, "h1").text

    @property
    def notice(self):
        found = self.driver.find_elements(By.CSS_SELECTOR, ".notice")
        return found[0].text if found else None

    def find(self, selector):
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def field(self, label):
        """The field with this label."""
        for element in self.all("label"):
            if element.text == label:
                return self.find("#" + element.get_attribute("for"))
        raise Failure(f"no field {label!r} on {self.path}")

    def fill(self, label, text):
        field = self.field(label)
        field.clear()
        field.send_keys(text)

    def press(self, name, within=None):
        """Clicks the one button or link of this name, and waits for the page after it."""
        place = within or self.driver
        names = "button, a[href]"
        found = [item for item in place.find_elements(By.CSS_SELECTOR, names) if item.text == name]
        expect(len(found) == 1, f"{len(found)} buttons {name!r} on {self.path}")
        self.leave_by(found[0].click)

    def leave_by(self, action):
        """Does what leads to another page, and waits for that."""
        before = self.driver.find_element(By.TAG_NAME, "html")
        action()
        WebDriverWait(self.driver, PATIENCE).until(lambda _: is_stale(before))
        WebDriverWait(self.driver, PATIENCE).until(lambda driver: driver.find_elements(By.TAG_NAME, "footer"))

    def keys(self, *keys):
        """Presses keys wherever the focus is."""
        self.driver.switch_to.active_element.send_keys(*keys)

    def enter(self):
        """Presses the return key where the focus is, which leads to another page."""
        self.leave_by(lambda: self.keys(Keys.ENTER))

    def tab_to(self, name, most=60):
        """Goes to a control with the tabulator alone."""
        for _ in range(most):
            webdriver.ActionChains(self.driver).send_keys(Keys.TAB).perform()
            element = self.driver.switch_to.active_element
            labels = self.driver.execute_script(
                "return [...(arguments[0].labels || [])].map(l => l.textContent.trim()).join('')", element
            )
            if name in (labels, element.text, element.get_attribute("textContent").strip()):
                return element
        raise Failure(f"the tabulator never comes to {name!r} on {self.path}")

    def focus_order(self):
        """What the tabulator comes to, from the page's beginning to its end: name, place, whether it can be seen."""
        self.driver.execute_script("document.activeElement.blur(); window.getSelection().removeAllRanges()")
        self.driver.execute_cdp_cmd("Page.bringToFront", {})
        order = []
        for _ in range(200):
            webdriver.ActionChains(self.driver).send_keys(Keys.TAB).perform()
            step = self.driver.execute_script(
                """
                const element = document.activeElement;
                if (!element || element === document.body) return null;
                const style = getComputedStyle(element);
                const all = [...document.querySelectorAll('a[href], button, input:not([type=hidden]), select, summary')];
                return {index: all.indexOf(element), count: all.length, name: element.textContent.trim().slice(0, 30),
                        seen: style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2};
                """
            )
            if step is None or (order and step["index"] <= order[-1]["index"]):
                break
            order.append(step)
        return order

    def complaints(self):
        """What the console says, but for the statuses of pages that are answers themselves."""
        lines = self.driver.get_log("browser")
        quiet = re.compile(r"the server responded with a status of 4\d\d")
        return [line["message"] for line in lines if not (line["source"] == "network" and quiet.search(line["message"]))]

    def audit(self, name):
        """What is wrong with the page that is shown, on both sizes and in both schemes; keeps a picture of each."""
        PICTURES.mkdir(parents=True, exist_ok=True)
        found = []
        for size in SIZES:
            for dark in (False, True):
                self.show(size, dark)
                place = f"{size}-{'dark' if dark else 'light'}"
                found += [f"{place}: {text}" for text in self.driver.execute_script(AUDIT)]
                self.picture(PICTURES / f"{name}-{place}.png")
        self.show("desktop")
        found += [f"console: {text}" for text in self.complaints()]
        expect(not found, f"{name}:\n    " + "\n    ".join(found))

    def documented(self, name, height):
        """Compares the page with its picture in the documentation by its headings, labels and buttons.

        FRESHET_WRITE_PICTURES takes the picture again, the first `height` pixels of the page."""
        self.show("desktop")
        words = self.driver.execute_script(
            """
            const all = [...document.querySelectorAll('h1, h2, h3, dt, th, label, button, nav a, summary')];
            return all.filter(element => element.checkVisibility() && element.getBoundingClientRect().top < arguments[0])
                .map(element => element.textContent.trim());
            """,
            height,
        )
        text = "".join(f"{word}\n" for word in words)
        file = DOCUMENTED / f"{name}.txt"
        if os.environ.get("FRESHET_WRITE_PICTURES"):
            DOCUMENTED.mkdir(exist_ok=True)
            file.write_text(text)
            self.picture(DOCUMENTED / f"{name}.webp", height)
        stored = file.read_text() if file.exists() else None
        expect(text == stored, f"docs/pictures/{name}.webp is of another page: Scripts/test-pages --pictures\n{text}")

    def picture(self, file, height=None):
        """The whole page, not only what fits the window; or its first pixels."""
        whole = self.driver.execute_script("return document.documentElement.scrollHeight")
        width, least = self.driver.execute_script("return [window.innerWidth, window.innerHeight]")
        clip = {"x": 0, "y": 0, "width": width, "height": height or max(whole, least), "scale": 1}
        answer = self.driver.execute_cdp_cmd(
            "Page.captureScreenshot",
            {"format": file.suffix[1:], "quality": 90, "captureBeyondViewport": True, "clip": clip},
        )
        file.write_bytes(base64.b64decode(answer["data"]))

    def cookies(self):
        return {cookie["name"]: cookie for cookie in self.driver.execute_cdp_cmd("Network.getAllCookies", {})["cookies"]}

    def headers(self, path):
        """The header fields of a page, by a request without the browser."""
        with urllib.request.urlopen(self.address + path, timeout=PATIENCE) as answer:
            return {name.lower(): value for name, value in answer.headers.items()}


def is_stale(element):
    from selenium.common.exceptions import StaleElementReferenceException, WebDriverException

    try:
        element.is_enabled()
    except (StaleElementReferenceException, WebDriverException):
        return True
    return False


class Stranger:
    """Another origin on this machine, with one page."""

    def __init__(self, html):
        page = html.encode()

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(200)
                self.send_header("Content-Type", "text/html; charset=utf-8")
                self.end_headers()
                self.wfile.write(page)

            def log_message(self, *arguments):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()


class Stage:
    """What a test is given: its module's server, and browsers that are closed after it."""

    def __init__(self, server):
        self.server = server
        self.closers = []

    def browser(self, **options):
        address = options.pop("address", self.server.address)
        browser = Browser(address, **options)
        self.closers.append(browser.close)
        return browser

    def stranger(self, html):
        stranger = Stranger(html)
        self.closers.append(stranger.close)
        return stranger

    def close(self):
        for close in reversed(self.closers):
            close()
        self.closers = []
