"""/operator: signing in, figures over time, and why somebody was signed out."""

import math
import random
import socket
import subprocess
import time

import harness
from harness import expect, expect_equal

PASSWORD = "a password for operators"
COOKIE = "__Host-freshet-operator"
DAY = 86_400


def free_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


PORT = free_port()
ADDRESS = f"http://localhost:{PORT}"
ARGUMENTS = ["--operator-listen", str(PORT)]


def prepare(data):
    """Sets the password; without one the server would not start."""
    data.mkdir(mode=0o700)
    command = [harness.FRESHET, "operator", "password", "--data", str(data)]
    subprocess.run(command, input=PASSWORD, text=True, check=True, capture_output=True)


kept = {}


def begin(server):
    """Signs in what the first count of sessions shall find."""
    apps = [
        ("Ann's phone", "iOS 18.1", "Notes", "2.5.1"), ("Tablet", "iPadOS 18", "Notes", "2.4"),
        ("Laptop", "macOS 15", "Notes", "2.5.1"), ("Pixel", "Android 15", "Notes <b>", "2.3"), (None, None, None, None),
    ]
    for number, (name, platform, app, version) in enumerate(apps):
        device = {"name": name, "platform": platform, "app": app, "app_version": version}
        given = {key: value for key, value in device.items() if value}
        server.sign_in_app(f"figure{number}@example.com", **given)


def operator(stage):
    """A browser that is signed in: all have one cookie, because tries at the door are counted."""
    browser = stage.browser(address=ADDRESS)
    if COOKIE in kept:
        browser.driver.execute_cdp_cmd(
            "Network.setCookie",
            {"name": COOKIE, "value": kept[COOKIE], "url": ADDRESS, "path": "/", "secure": True, "httpOnly": True},
        )
    browser.open("/operator")
    if COOKIE not in kept:
        browser.fill("Operators’ password", PASSWORD)
        browser.press("Sign in")
        kept[COOKIE] = browser.cookies()[COOKIE]["value"]
    expect_equal((browser.path, browser.heading), ("/operator", "Overview"), "after the password")
    return browser


def find(browser, words):
    browser.open("/operator/sessions")
    browser.fill("E-mail address, user id or session id", words)
    browser.press("Find")


def answer(browser):
    return browser.find(".answer").text


# Signing in


def test_the_password_opens_without_a_script_in_the_browser(stage):
    browser = stage.browser(address=ADDRESS, javascript=False)
    browser.open("/")
    expect_equal((browser.path, browser.heading), ("/operator/sign-in", "Operators"), "whoever is not signed in")
    before = browser.cookies()[COOKIE]["value"]
    browser.fill("Operators’ password", "not the password at all")
    browser.press("Sign in")
    expect("The password is wrong." in browser.text, "the mistake is told")
    browser.fill("Operators’ password", PASSWORD)
    browser.press("Sign in")
    expect_equal(browser.heading, "Overview", "after the password")
    cookie = browser.cookies()[COOKIE]
    expect(cookie["value"] != before, "the cookie is another one after signing in")
    found = {name: cookie.get(name) for name in ("path", "secure", "httpOnly", "sameSite", "session")}
    wanted = {"path": "/", "secure": True, "httpOnly": True, "sameSite": "Lax", "session": True}
    expect_equal(found, wanted, "the cookie")
    browser.press("Sign out")
    browser.open("/operator/sessions")
    expect_equal(browser.heading, "Operators", "after signing out")


def test_the_public_address_has_none_of_it(stage):
    expect_equal(stage.server.call("GET", "/operator")[0], 404, "the public address")


def test_every_control_is_reached_in_order_and_shows_the_focus(stage):
    grant = stage.server.sign_in_app("order@example.com", name="Pocket")
    browser = operator(stage)
    session = f"/operator/sessions/{grant['session_id']}"
    for path in ["/operator", "/operator/sessions", f"/operator/users/{grant['user']['id']}", session, f"{session}/end"]:
        browser.open(path)
        order = browser.focus_order()
        expect(order and order[0]["name"] == "Skip to the content", f"{path}: first comes {order[:1]}")
        expect_equal([step["name"] for step in order if not step["seen"]], [], f"{path}: where it cannot be seen")


# Why somebody was signed out


def leave_unused(server, session, seconds):
    """Puts the whole life of a session so far back, as if nobody had used it since."""
    with server.database() as database:
        database.execute(
            """
            UPDATE sessions SET created_at = created_at - ?1, last_used_at = last_used_at - ?1,
                idle_end = idle_end - ?1, absolute_end = absolute_end - ?1 WHERE id = ?2
            """,
            (seconds * 1000, bytes.fromhex(session.replace("-", ""))),
        )


def test_a_theft_is_told_to_whoever_has_an_address_and_a_keyboard(stage):
    grant = stage.server.sign_in_app("theft@example.com", name="Theo's phone", platform="iOS 18", app="Notes")
    stage.server.steal(grant)
    browser = stage.browser(address=ADDRESS)
    browser.open("/operator")
    browser.tab_to("Operators’ password").send_keys(PASSWORD)
    browser.enter()
    browser.tab_to("Why signed out?")
    browser.enter()
    browser.tab_to("E-mail address, user id or session id").send_keys("theft@example.com")
    browser.enter()
    expect("Two holders presented one refresh token" in browser.text, "the list says why")
    browser.tab_to(f"Theo's phone, session {grant['session_id'][:8]}")
    browser.enter()
    expect(answer(browser).startswith("Two holders presented one refresh token"), answer(browser))
    for secret in (grant["access_token"], grant["refresh_token"], "frt_"):
        expect(secret not in browser.driver.page_source, "no token stands in a page")
    browser.audit("operator-theft")
    browser.documented("operator-theft", 890)


def test_an_idle_end_is_told(stage):
    grant = stage.server.sign_in_app("idle@example.com", name="Drawer")
    leave_unused(stage.server, grant["session_id"], 31 * DAY)
    browser = operator(stage)
    find(browser, "idle@example.com")
    expect("It was unused for 30 days and reached its idle timeout." in browser.text, browser.text)
    find(browser, grant["session_id"])
    expect_equal(answer(browser), "It was unused for 30 days and reached its idle timeout.", "the answer")


def test_an_end_from_another_device_is_told_with_that_device(stage):
    grant = stage.server.sign_in_app("two@example.com", name="Old phone")
    other = stage.server.sign_in_app("two@example.com", name="New phone")
    stage.server.call("DELETE", f"/v1/sessions/{grant['session_id']}", bearer=other["access_token"])
    browser = operator(stage)
    find(browser, "two@example.com")
    expect("The user ended this session from “New phone”." in browser.text, browser.text)
    browser.audit("operator-user")
    find(browser, grant["session_id"])
    expect_equal(answer(browser), "The user ended this session from “New phone”.", "the answer")
    browser.press("New phone")
    expect_equal(answer(browser), "The session is alive.", "the other device")
    browser.audit("operator-session")


def test_a_logout_everywhere_is_told(stage):
    grant = stage.server.sign_in_app("all@example.com", name="Phone")
    other = stage.server.sign_in_app("all@example.com", name="Laptop")
    stage.server.call("POST", "/v1/logout-all", bearer=other["access_token"])
    browser = operator(stage)
    find(browser, grant["session_id"])
    expect_equal(answer(browser), "The user signed out everywhere from “Laptop”.", "the answer")


def test_nobody_is_told_apart_from_somebody(stage):
    browser = operator(stage)
    find(browser, "nobody@example.com")
    expect("No account or session has this address or id." in browser.text, "what is said of nobody")
    browser.audit("operator-search")


# Acting


def test_a_session_is_ended_for_a_reason_after_a_page_that_says_what_will_happen(stage):
    grant = stage.server.sign_in_app("end@example.com", name="Lost phone")
    browser = operator(stage)
    find(browser, grant["session_id"])
    browser.press("End this session")
    browser.audit("operator-end")
    expect_equal(stage.server.call("GET", "/v1/me", bearer=grant["access_token"])[0], 200, "nothing is done by looking")
    browser.field("Why?").send_keys("Because the device was lost or stolen")
    browser.press("End the session")
    expect_equal(browser.notice, "The session was ended.", "the notice")
    expect_equal(
        answer(browser), "An operator ended this session, because the device was lost or stolen.", "the answer"
    )
    expect_equal(stage.server.call("GET", "/v1/me", bearer=grant["access_token"])[0], 401, "the token")


def test_an_account_is_disabled_and_enabled(stage):
    grant = stage.server.sign_in_app("off@example.com", name="Phone")
    browser = operator(stage)
    find(browser, "off@example.com")
    browser.press("Disable the account")
    browser.press("Disable the account")
    expect_equal(browser.notice, "The account is disabled; 1 session ended.", "the notice")
    expect_equal(stage.server.call("GET", "/v1/me", bearer=grant["access_token"])[0], 401, "the token")
    browser.press("Enable the account")
    browser.press("Enable the account")
    expect_equal(browser.notice, "The account is enabled.", "the notice")


def test_a_form_of_another_origin_does_nothing(stage):
    grant = stage.server.sign_in_app("forged@example.com", name="Phone")
    browser = operator(stage)
    target = f"{ADDRESS}/operator/sessions/{grant['session_id']}/end"
    stranger = stage.stranger(
        f'<!doctype html><html lang="en"><title>x</title><form method="post" action="{target}">'
        '<input name="reason" value="asked"><button>Win</button></form><footer></footer>'
    )
    browser.open(f"http://127.0.0.1:{stranger.port}/")
    browser.press("Win")
    expect_equal(browser.heading, "This form came from another site", "what the forger's victim sees")
    expect_equal(stage.server.call("GET", "/v1/me", bearer=grant["access_token"])[0], 200, "the session lives")


# Figures


def seed(server, days=30):
    """Figures as a month of a middling app would leave them, with a stop and a storm."""
    chance = random.Random(7)
    bounds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0]
    now = int(time.time() // 60)
    rows = []

    def note(minute, name, label, mean):
        count = int(mean) + (chance.random() < mean % 1)
        if count:
            rows.append((minute, "seed", name, label, count))

    def took(minute, name, count, centre):
        sample = min(count, 30)
        for _ in range(sample):
            seconds = chance.lognormvariate(math.log(centre), 0.7)
            label = next((repr(bound) for bound in bounds if seconds <= bound), "more")
            rows.append((minute, "seed", name, label, max(1, count // sample)))

    for ago in range(1, days * 1440):
        minute = now - ago
        if 300 <= ago < 335 or 4500 <= ago < 4800 or (ago > 2880 and minute % 60):
            continue
        span = 60 if ago > 2880 else 1
        day = 0.55 + 0.45 * math.sin((minute % 1440 / 60 - 9) / 24 * 2 * math.pi)
        storm = 1 if 700 < ago < 735 else 0
        count = max(0, int(chance.gauss(42 * day, 3) * span))
        rows.append((minute, "seed", "minutes_up", "", span))
        for label, share in {
            "bound": 0.45, "proved": 0.47, "repeated": 0.02 + 0.2 * storm, "superseded": 0.012, "logout": 0.006,
            "idle_timeout": 0.011, "forged": 0.0006, "fork": 0.0002,
        }.items():
            note(minute, "refreshes", label, count * share)
        for label, mean in {
            "logout": 0.8, "logout_all": 0.06, "revoked_by_user": 0.1, "session_limit": 0.02, "user_disabled": 0.004,
            "revoked_by_operator": 0.006, "fork": 0.004, "reuse": 0.0008, "stale_holder": 0.0011,
        }.items():
            note(minute, "sign_outs", label, mean * day * span)
        for label, mean in {"ios": 0.5, "android": 0.6, "macos": 0.2, "unknown": 0.1}.items():
            note(minute, "sign_ins", label, mean * day * span)
        note(minute, "refused_sign_ins", "password", (0.2 + 9 * storm) * span)
        took(minute, "refresh_seconds", count, 0.004 + 0.03 * storm)
        took(minute, "login_seconds", 1, 0.19)
        took(minute, "commit_seconds", count, 0.0016)
    sums = {}
    for *key, value in rows:
        sums[tuple(key)] = sums.get(tuple(key), 0) + value
    with server.database() as database:
        database.execute("BEGIN")
        database.executemany(
            "INSERT INTO figures VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING", [(*key, sums[key]) for key in sums]
        )
        database.execute("COMMIT")


def test_the_overview_shows_a_month_and_keeps_what_every_page_must_keep(stage):
    seed(stage.server)
    browser = operator(stage)
    # Sessions are counted half a minute after the start, and then every five minutes.
    end = time.monotonic() + 360
    while "iOS" not in browser.driver.page_source and time.monotonic() < end:
        time.sleep(1)
        browser.open("/operator")
    for name in ["Live sessions by platform", "Reuse and forks by cause", "Sign-outs that users did not request", "Keys", "Store"]:
        expect(name in browser.text, f"the overview has {name}")
    for word in ["iOS", "Notes 2.5.1", "not reported"]:
        expect(word in browser.driver.page_source, f"the overview has {word}")
    for span in ["Hour", "Day", "Week", "Month"]:
        browser.press(span)
        expect_equal(browser.find("[aria-label^=Time] [aria-current]").text, span, "the time that is shown")
        expect(len([line for line in browser.all(".chart .line") if line.is_displayed()]) > 0, "there are lines")
        browser.audit(f"operator-{span.lower()}")
        if span == "Hour":
            browser.documented("operator", 1330)
    details = browser.all("details.values")
    expect(len(details) >= 8, f"{len(details)} tables below charts")
    for summary in browser.all("details.values summary"):
        summary.click()
    expect(browser.all("details.values td")[0].is_displayed(), "the same figures stand in a table")
    browser.show("phone")
    expect_equal(
        browser.driver.execute_script("return document.documentElement.scrollWidth"), 360, "the width with open tables"
    )


def test_the_way_in_keeps_what_every_page_must_keep(stage):
    browser = stage.browser(address=ADDRESS)
    browser.open("/operator/sign-in")
    browser.audit("operator-sign-in")
    policy = browser.headers("/operator/sign-in")["content-security-policy"]
    expect("unsafe" not in policy and "default-src 'none'" in policy, policy)
