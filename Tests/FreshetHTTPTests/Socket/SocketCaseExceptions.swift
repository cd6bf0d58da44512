// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import WebSocketCases

/// Every deviation of the server from the table of WebSocket cases.
enum SocketCaseExceptions {
    private static let length = "NIO's decoder accepts lengths in more octets than necessary"
    private static let order = "NIO's decoder checks the length first: 1009, and the connection fails all the same"

    static let all = [
        CaseException("1.3.1", .none, messages: [.text("Hello")], length),
        CaseException("1.3.2", .none, messages: [.text("Hello")], length),
        CaseException("1.3.3", .none, messages: [.binary([UInt8](repeating: 7, count: 200))], length),
        CaseException("1.3.4", .failure(1009, at: 0), order),
        CaseException("1.3.5", .failure(1009, at: 0), order),
        CaseException("9.2.8", .failure(1009, at: 0), order),
    ]
}
