# SPDX-License-Identifier: Apache-2.0
# Copyright the Freshet project authors
"""Deliberate deviations: (section, name) -> (what must be seen instead, the reason)."""

EXCEPTIONS = {
    ("9112-3", "an unknown method"): ("400 closed", "NIO's parser knows a list of methods, and refuses others as no request."),
    ("9112-3", "a lowercase method is another method"): ("400 closed", "As for an unknown method."),
    ("9112-3", "two spaces after the method"): ("200 follow-up", "Section 3 allows lenient parsing; the line is not ambiguous."),
    ("9112-3", "two spaces before the version"): ("200 follow-up", "Section 3 allows lenient parsing; the line is not ambiguous."),
    ("9112-7.1", "an extension of 100 KiB"): ("404 follow-up", "Extensions are discarded piece by piece, within the body timeout."),
    ("9110-7.8", "an unknown upgrade is ignored"): ("200 closed", "NIO's parser stops after Upgrade; the connection is closed."),
    ("9113-8.2", "an empty name"): ("goaway COMPRESSION_ERROR", "NIO refuses the block, which closes the connection."),
    ("9113-8.2", "a space before a value"): ("status 1 200", "swift-http-types trims values before the server sees them; as in HTTP/1.1."),
    ("9113-8.2", "a tab after a value"): ("status 1 200", "swift-http-types trims values before the server sees them; as in HTTP/1.1."),
    ("9113-8.3", "an empty :method"): ("reset 1 CANCEL", "The stream is reset, with the code that NIO chooses."),
}
