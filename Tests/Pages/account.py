"""/account: signing in by code, devices, history."""

import json
import re

from harness import expect, expect_equal

ARGUMENTS = ["--pages-name", "Acme"]

COOKIE = "__Host-freshet-account"
# Outlives the session: the limits of attempts know the browser by it.
KNOWN = COOKIE + "-known"


def sign_in(stage, email, **options):
    """A browser that is signed in."""
    browser = stage.browser(**options)
    before = len(stage.server.sent_codes(email))
    browser.open("/account")
    browser.fill("E-mail address", email)
    browser.press("Send me a code")
    browser.fill("Code from the mail", stage.server.code(email, before))
    browser.press("Sign in")
    expect_equal((browser.path, browser.heading), ("/account", "Your devices"), "after the code")
    return browser


def device(browser, name):
    """The card of a device."""
    for card in browser.all(".device"):
        if card.find_element("tag name", "h3").text == name:
            return card
    raise AssertionError(f"no device {name!r}: {[card.text for card in browser.all('.device')]}")


def names(browser):
    return [heading.text for heading in browser.all(".device h3")]


def is_signed_in(server, grant):
    return server.call("GET", "/v1/me", bearer=grant["access_token"])[0] == 200


# Signing in


def test_a_code_signs_in_without_a_script_in_the_browser(stage):
    browser = sign_in(stage, "nojs@example.com", javascript=False)
    expect_equal(browser.notice, "You are signed in.", "the notice")
    expect_equal(names(browser), ["Chrome on Linux"], "the devices")
    browser.open("/account")
    expect_equal(browser.notice, None, "the notice, once more")
    browser.press("Sign out")
    expect_equal((browser.heading, browser.notice), ("Sign in", "You are signed out."), "after signing out")
    browser.open("/account/history")
    expect_equal(browser.heading, "Sign in", "the history after signing out")


def test_the_keyboard_alone_signs_in_renames_and_signs_out(stage):
    grant = stage.server.sign_in_app("keys@example.com", name="Pocket", platform="iOS")
    browser = stage.browser()
    browser.open("/account")
    browser.tab_to("E-mail address").send_keys("keys@example.com")
    before = len(stage.server.sent_codes("keys@example.com"))
    browser.enter()
    # The field has the focus already.
    browser.keys(stage.server.code("keys@example.com", before))
    browser.enter()
    expect_equal(browser.heading, "Your devices", "after the code")
    browser.tab_to("Rename Pocket")
    browser.enter()
    browser.tab_to("Name of this device")
    # Its text is selected.
    browser.keys("Pocket 2")
    browser.enter()
    expect_equal(browser.notice, "The device is called “Pocket 2” now.", "after naming")
    browser.tab_to("Sign out Pocket 2")
    browser.enter()
    expect_equal(browser.heading, "Sign out “Pocket 2”?", "before signing out")
    expect(is_signed_in(stage.server, grant), "nothing is done by looking")
    browser.tab_to("Sign out", most=5)
    # The first one is the head's own; the page's is the next.
    browser.tab_to("Sign out")
    browser.enter()
    expect_equal(browser.notice, "“Pocket 2” is signed out.", "after signing out")
    expect(not is_signed_in(stage.server, grant), "the device is signed out")


def test_the_tabulator_goes_through_every_control_in_order_and_shows_where_it_is(stage):
    stage.server.sign_in_app("order@example.com", name="Pocket", platform="iOS")
    browser = sign_in(stage, "order@example.com")
    for path in ["/account", "/account/history", "/account/sign-out-others"]:
        browser.open(path)
        order = browser.focus_order()
        expect(order and order[0]["name"] == "Skip to the content", f"{path}: first comes {order[:1]}")
        expect_equal([step["index"] for step in order], list(range(order[0]["count"])), f"{path}: the order")
        expect_equal([step["name"] for step in order if not step["seen"]], [], f"{path}: where it cannot be seen")


def test_known_and_unknown_addresses_get_one_answer(stage):
    stage.server.sign_in_app("known@example.com", name="Pocket")
    pages = []
    for email in ["known@example.com", "unknown@example.com"]:
        browser = stage.browser()
        browser.open("/account")
        browser.fill("E-mail address", email)
        browser.press("Send me a code")
        pages.append((browser.path, browser.text.replace(email, "…")))
    expect_equal(pages[0], pages[1], "the two answers")


def test_mistakes_are_said_at_the_field(stage):
    browser = stage.browser(javascript=True)
    browser.open("/account")
    # The browser's own check would keep it back.
    browser.driver.execute_script("document.querySelector('form').noValidate = true")
    browser.fill("E-mail address", "ann at example.com")
    browser.press("Send me a code")
    field = browser.field("E-mail address")
    expect_equal(field.get_attribute("value"), "ann at example.com", "what was typed")
    expect_equal(field.get_attribute("aria-invalid"), "true", "aria-invalid")
    expect_equal(browser.find(".error").get_attribute("id"), field.get_attribute("aria-describedby"), "its description")
    browser.audit("sign-in-error")
    browser.fill("E-mail address", "wrong@example.com")
    browser.press("Send me a code")
    right = stage.server.code("wrong@example.com")
    wrong = "000000" if right != "000000" else "000001"
    browser.fill("Code from the mail", wrong)
    browser.press("Sign in")
    expect(browser.find(".error").text.startswith("This code is wrong"), browser.text)
    browser.audit("code-error")
    browser.fill("Code from the mail", f"{right[:3]} {right[3:]}")
    browser.press("Sign in")
    expect_equal(browser.heading, "Your devices", "after the right code")


def test_a_guesser_is_stopped_and_told_when_to_come_back(stage):
    browser = stage.browser()
    browser.open("/account")
    for _ in range(5):
        browser.open("/account")
        browser.fill("E-mail address", "guess@example.com")
        browser.press("Send me a code")
    browser.open("/account")
    browser.fill("E-mail address", "guess@example.com")
    browser.press("Send me a code")
    expect_equal(browser.heading, "Too many tries", "the sixth code")
    expect("Please try again in" in browser.text, browser.text)
    browser.audit("too-many")


# Devices


def test_devices_are_shown_renamed_and_signed_out(stage):
    server, email = stage.server, "ann@example.com"
    phone = server.sign_in_app(
        email, name="Ann’s iPhone", platform="iOS 26.1", model="iPhone 17", app="Acme", app_version="4.2"
    )
    tablet = server.sign_in_app(email, platform="iPadOS 26", model="iPad Air", app="Acme", app_version="4.1.3")
    laptop = server.sign_in_app(email, name="Work", platform="macOS 26", model="MacBook Pro", app="acme-cli")
    odd = server.sign_in_app(email, name='<script>alert(1)</script>"\u0301 onfocus=alert(2) x="')
    for grant, days in [(phone, 27), (tablet, 2), (laptop, 50), (odd, 0.7)]:
        server.age(grant["session_id"], days * 86_400)
    browser = sign_in(stage, email)
    expect_equal(names(browser)[0], "Chrome on Linux", "the first device")
    expect_equal(len(names(browser)), 5, "devices")
    expect("This browser" in device(browser, "Chrome on Linux").text, "the browser's own mark")
    expect("127.0.0.1" in device(browser, "Work").text, "where it signed in")
    expect("a code by e-mail" in device(browser, "Work").text, "how it signed in")
    expect("Acme 4.2 · iPhone 17 · iOS 26.1" in device(browser, "Ann’s iPhone").text, "what it is")
    expect_equal(browser.all("script"), [], "scripts")
    browser.audit("devices")

    odd_name = '<script>alert(1)</script>"\u0301 onfocus=alert(2) x="'
    browser.open(f"/account/devices/{odd['session_id']}/name")
    expect_equal(browser.field("Name of this device").get_attribute("value"), odd_name, "the odd name in a field")
    browser.audit("name")
    browser.fill("Name of this device", "Old tablet")
    browser.press("Save")
    expect_equal(browser.notice, "The device is called “Old tablet” now.", "after naming")
    expect("Old tablet" in names(browser), "the new name")

    browser.open(f"/account/devices/{laptop['session_id']}/sign-out")
    browser.audit("confirm-one")
    browser.press("Cancel")
    expect(is_signed_in(server, laptop), "cancelled")
    browser.open(f"/account/devices/{laptop['session_id']}/sign-out")
    browser.press("Sign out", browser.find("main"))
    expect_equal(browser.notice, "“Work” is signed out.", "after one")
    expect(not is_signed_in(server, laptop), "its token is refused at once")
    expect(is_signed_in(server, phone), "the others stay")

    browser.press("Sign out all others")
    browser.audit("confirm-others")
    browser.press("Sign out the others")
    expect_equal(browser.notice, "3 other devices are signed out.", "after the others")
    expect_equal(names(browser), ["Chrome on Linux"], "devices that are left")
    expect(not is_signed_in(server, phone) and not is_signed_in(server, tablet), "their tokens are refused")
    browser.audit("devices-alone")

    browser.press("Sign out everything")
    browser.audit("confirm-everything")
    browser.press("Sign out everything")
    expect_equal(browser.heading, "Sign in", "after everything")
    expect_equal(browser.notice, "All your devices are signed out, this browser too.", "after everything")


def test_another_users_device_is_not_there(stage):
    stranger = stage.server.sign_in_app("other@example.com", name="Theirs")
    browser = sign_in(stage, "mine@example.com")
    for page in ["name", "sign-out"]:
        browser.open(f"/account/devices/{stranger['session_id']}/{page}")
        expect_equal(browser.heading, "This device is not signed in", page)
    browser.audit("not-there")
    expect(is_signed_in(stage.server, stranger), "nothing happened to it")


def test_the_history_says_what_happened_and_why(stage):
    server, email = stage.server, "history@example.com"
    stolen = server.sign_in_app(email, name="Ann’s iPhone", platform="iOS 26.1", app="Acme", app_version="4.2")
    left = server.sign_in_app(email, name="Kitchen tablet", platform="iPadOS 26", app="Acme", app_version="4.1")
    server.steal(stolen)
    server.call("POST", "/v1/logout", {"refresh_token": left["refresh_token"]})
    browser = sign_in(stage, email)
    browser.open("/account/history")
    rows = [row.text for row in browser.all("tbody tr")]
    expect("Signed in" in rows[0] and "Chrome on Linux" in rows[0], f"first comes {rows[0]!r}")
    theft = [row for row in rows if "Signed out to protect you" in row]
    expect(len(theft) == 1 and "Ann’s iPhone" in theft[0] and "copy" in theft[0], f"the theft: {rows}")
    expect(any("Kitchen tablet" in row and "You signed out on the device itself" in row for row in rows), f"the sign-out: {rows}")
    browser.audit("history")


# What protects it


def test_cookies_are_the_hosts_own_and_no_token_is_in_a_page(stage):
    browser = stage.browser()
    browser.open("/account")
    stranger = browser.cookies()[COOKIE]
    signed_in = sign_in(stage, "cookie@example.com")
    cookies = signed_in.cookies()
    expect_equal(sorted(cookies), [COOKIE, KNOWN], "cookies of a signed-in user")
    cookie = cookies[COOKIE]
    expect(cookie["value"] != stranger["value"], "another cookie")
    wanted = {"secure": True, "httpOnly": True, "sameSite": "Lax", "path": "/", "domain": "localhost", "session": True}
    expect_equal({key: cookie.get(key) for key in wanted}, wanted, "the cookie")
    wanted["session"] = False
    expect_equal({key: cookies[KNOWN].get(key) for key in wanted}, wanted, "the cookie of a known browser")
    expect_equal(signed_in.driver.execute_script("return document.cookie"), "", "what a script would see")
    source = signed_in.driver.page_source
    expect("frt1" not in source and not re.search(r"eyJ[\w-]+\.eyJ", source) and cookie["value"] not in source, "no token in the page")


def test_signing_in_changes_the_cookie(stage):
    browser = stage.browser()
    browser.open("/account")
    before = browser.cookies()[COOKIE]["value"]
    browser.fill("E-mail address", "fixed@example.com")
    browser.press("Send me a code")
    expect_equal(browser.cookies()[COOKIE]["value"], before, "the cookie before")
    browser.fill("Code from the mail", stage.server.code("fixed@example.com"))
    browser.press("Sign in")
    expect(browser.cookies()[COOKIE]["value"] != before, "the cookie of somebody who is signed in is a new one")


def test_the_policy_has_no_exception(stage):
    browser = stage.browser()
    headers = browser.headers("/account")
    wanted = (
        "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; frame-ancestors 'none'; "
        "base-uri 'none'"
    )
    expect_equal(headers["content-security-policy"], wanted, "the policy")
    for name, value in [
        ("cache-control", "no-store"), ("x-content-type-options", "nosniff"), ("referrer-policy", "same-origin"),
        ("cross-origin-opener-policy", "same-origin"), ("x-frame-options", "DENY"),
    ]:
        expect_equal(headers[name], value, name)
    browser.open("/account")
    style = browser.find("link[rel=stylesheet]").get_attribute("href")
    expect("immutable" in browser.headers(style.removeprefix(browser.address))["cache-control"], "the stylesheet's cache")
    # The policy is in force: what a page must not have does not work.
    refused = browser.driver.execute_async_script(
        """
        const done = arguments[0], script = document.createElement('script');
        document.addEventListener('securitypolicyviolation', event => done(event.effectiveDirective));
        script.textContent = 'window.ran = 1'; document.body.append(script);
        setTimeout(() => done('nothing was refused'), 2000);
        """
    )
    expect(refused.startswith("script-src"), refused)


def test_a_form_of_another_origin_is_refused(stage):
    grant = stage.server.sign_in_app("forged@example.com", name="Pocket")
    browser = sign_in(stage, "forged@example.com")
    action = f"{browser.address}/account/sign-out-everything"
    page = f'<!doctype html><html><body><form method="post" action="{action}"><button>Win</button></form><footer></footer>'
    stranger = stage.stranger(page)
    # Of the same site, since ports do not count, so that the cookie comes along; and of another site.
    for host in ["localhost", "127.0.0.1"]:
        browser.open(f"http://{host}:{stranger.port}/")
        browser.press("Win")
        expect_equal(browser.heading, "This form came from another site", host)
        expect(is_signed_in(stage.server, grant), f"{host}: nothing is done")
    browser.audit("forged")
    browser.open("/account")
    expect_equal(browser.heading, "Your devices", "still signed in")


def test_a_form_without_its_word_is_refused(stage):
    grant = stage.server.sign_in_app("word@example.com", name="Pocket")
    browser = sign_in(stage, "word@example.com")
    browser.open("/account/sign-out-everything")
    browser.driver.execute_script("document.querySelectorAll('main input').forEach(field => field.value = 'x')")
    browser.press("Sign out everything", browser.find("main"))
    expect_equal(browser.heading, "This form has expired", "another word")
    expect(is_signed_in(stage.server, grant), "nothing is done")


def test_a_browser_that_keeps_no_cookie_is_told_and_not_sent_round(stage):
    browser = stage.browser(
        address=f"http://plain.example:{stage.server.port}",
        arguments=["--host-resolver-rules=MAP plain.example 127.0.0.1"],
    )
    browser.open("/account")
    expect(COOKIE not in browser.cookies(), "plain http beyond this machine: no cookie is kept")
    browser.fill("E-mail address", "plain@example.com")
    browser.press("Send me a code")
    expect_equal(browser.heading, "Your browser did not send its cookie", "without a cookie")
    expect("https://" in browser.text, browser.text)
    expect_equal(stage.server.sent_codes("plain@example.com"), [], "codes")


def test_the_page_ends_when_its_session_is_ended_elsewhere(stage):
    server, email = stage.server, "elsewhere@example.com"
    phone = server.sign_in_app(email, name="Phone")
    browser = sign_in(stage, email)
    _, listing = server.call("GET", "/v1/sessions", bearer=phone["access_token"])
    own = [item["id"] for item in listing["sessions"] if item["device"].get("app") == "account page"]
    expect_equal(len(own), 1, f"the page's session in {json.dumps(listing)}")
    expect_equal(server.call("DELETE", f"/v1/sessions/{own[0]}", bearer=phone["access_token"])[0], 204, "revoking it")
    browser.open("/account/history")
    expect_equal(browser.heading, "Sign in", "the next page")
    expect("Please sign in:" in (browser.notice or ""), browser.text)
    browser.open("/account")
    browser.audit("sign-in")


def test_a_page_in_another_tab_is_told_that_it_is_signed_out(stage):
    browser = sign_in(stage, "tabs@example.com")
    browser.open("/account/sign-out-others")
    first = browser.driver.current_window_handle
    browser.driver.switch_to.new_window("tab")
    browser.open("/account")
    browser.press("Sign out", browser.find("body > header"))
    browser.driver.switch_to.window(first)
    browser.press("Sign out the others")
    expect(browser.heading in ("Your browser did not send its cookie", "This form has expired"), browser.heading)


# Pictures of what the tests above pass over


def test_the_devices_look_as_in_the_documentation(stage):
    server, email = stage.server, "bea@example.com"
    phone = server.sign_in_app(
        email, name="Bea’s iPhone", platform="iOS 26.1", model="iPhone 17", app="Acme", app_version="4.2"
    )
    tablet = server.sign_in_app(email, platform="iPadOS 26", model="iPad Air", app="Acme", app_version="4.1.3")
    for grant, days in [(phone, 27), (tablet, 2)]:
        server.age(grant["session_id"], days * 86_400)
    browser = sign_in(stage, email)
    browser.documented("account", 1300)


def test_the_code_page_is_as_it_must_be(stage):
    browser = stage.browser()
    browser.open("/account")
    browser.fill("E-mail address", "picture@example.com")
    browser.press("Send me a code")
    browser.audit("code")
    browser.press("Send another code")
    expect_equal(browser.heading, "Enter your code", "after another code")
    browser.press("Use another address")
    expect_equal(browser.heading, "Sign in", "another address")
