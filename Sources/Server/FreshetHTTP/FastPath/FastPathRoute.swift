// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetWire
package import HTTPTypes

/// What is answered without the router.
package enum FastPathRoute: CaseIterable, Sendable {
    case refresh
    case confirm
    /// Whose token it is.
    case me

    init?(_ method: HTTPRequest.Method, _ path: String?) {
        guard let call = Self.allCases.first(where: { $0.path == path && $0.method == method }) else { return nil }
        self = call
    }

    package var path: String {
        switch self {
        case .refresh: NativePath.refresh
        case .confirm: NativePath.confirm
        case .me: NativePath.me
        }
    }

    package var method: HTTPRequest.Method {
        switch self {
        case .refresh, .confirm: .post
        case .me: .get
        }
    }

    /// Whether it comes with JSON; others have no body at all.
    package var hasBody: Bool { method == .post }

    /// How each begins in HTTP/1.1.
    static let requestLines = allCases.map { ($0, Array("\($0.method) \($0.path) HTTP/1.1\r\n".utf8)) }
}

/// How a request came to be answered without the router.
package enum FastPathEntry: String, CaseIterable, Sendable {
    /// From the bytes of its connection.
    case direct
    /// In the parts that a decoder made of it.
    case parts
}
