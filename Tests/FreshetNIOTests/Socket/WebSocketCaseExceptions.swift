// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import WebSocketCases

/// Every deviation of the client from the table of WebSocket cases.
enum WebSocketCaseExceptions {
    private static let length = "NIO's decoder accepts lengths in more octets than necessary"
    private static let order = "NIO's decoder checks the length first: 1009, and the connection fails all the same"

    static let all = [
        CaseException("1.3.1", .none, messages: [.text("Hello")], length),
        CaseException("1.3.2", .none, messages: [.text("Hello")], length),
        CaseException("1.3.3", .none, messages: [.binary([UInt8](repeating: 7, count: 200))], length),
        CaseException("1.3.4", .failure(1009, at: 0), order),
        CaseException("1.3.5", .failure(1009, at: 0), order),
        CaseException(
            "7.3.1",
            .reply(1000),
            "an empty close frame is answered with 1000 (RFC 6455 section 5.5.1 allows any code)"
        ),
        CaseException("9.2.8", .failure(1009, at: 0), order),
        CaseException(
            "9.4.1",
            .failure(1009, at: 65_535),
            "NIO's aggregator rejects the fragment that reaches the limit if another must follow"
        ),
    ]
}
