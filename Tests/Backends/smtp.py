"""aiosmtpd as a mail server on loopback, as good or bad as its arguments say.

It prints the port that it listens on, then a line of JSON for each mail: who it is from and to, over TLS or not, who
logged in, and the mail itself.
"""

import argparse
import asyncio
import json
import os
import ssl
import sys
from typing import Any

from aiosmtpd.smtp import SMTP, AuthResult, Envelope, Session


def say(value: Any) -> None:
    print(json.dumps(value), flush=True)


class Mailbox:
    def __init__(self, replies: list[str], hangs: bool, implicit: bool) -> None:
        self.implicit = implicit
        self.replies = replies
        self.hangs = hangs

    async def handle_RCPT(self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]) -> str:
        if self.hangs:
            say({"hanging": address})
            await asyncio.sleep(3600)
        if self.replies and not (reply := self.replies.pop(0)).startswith("2"):
            return reply
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:
        content = envelope.content if isinstance(envelope.content, bytes) else (envelope.content or "").encode()
        login = session.auth_data
        say({
            "from": envelope.mail_from, "to": envelope.rcpt_tos, "tls": self.implicit or session.ssl is not None,
            "user": login.login.decode() if login else None, "mail": content.decode(),
        })
        return "250 OK"


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--certificate", help="a file with certificate and key: STARTTLS is offered")
    parser.add_argument("--implicit", action="store_true", help="TLS from the start")
    parser.add_argument("--login", help="user:password, and nobody else sends")
    parser.add_argument("--replies", default="", help="what the first recipients are answered, divided by |")
    parser.add_argument("--hang", action="store_true", help="never answers a recipient")
    given = parser.parse_args()
    context = None
    if given.certificate:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(given.certificate)
    mailbox = Mailbox([reply for reply in given.replies.split("|") if reply], given.hang, given.implicit)

    def authenticate(server: SMTP, session: Session, envelope: Envelope, mechanism: str, data: Any) -> AuthResult:
        success = f"{data.login.decode()}:{data.password.decode()}" == given.login
        say({"login": success})
        return AuthResult(success=success, handled=False, auth_data=data)

    def connection() -> SMTP:
        return SMTP(
            mailbox,
            hostname="mail.test",
            enable_SMTPUTF8=True,
            tls_context=None if given.implicit else context,
            authenticator=authenticate if given.login else None,
            auth_required=bool(given.login),
            auth_require_tls=context is not None and not given.implicit,
        )

    loop = asyncio.get_running_loop()
    server = await loop.create_server(connection, "127.0.0.1", 0, ssl=context if given.implicit else None)
    say({"port": server.sockets[0].getsockname()[1]})
    # It ends with the test that started it.
    await loop.run_in_executor(None, sys.stdin.read)
    server.close()
    # Connections that hang are not waited for.
    os._exit(0)


if __name__ == "__main__":
    asyncio.run(main())
