// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetWire
import HTTPTypes

/// A route that is answered without the router.
enum FastPathRoute: CaseIterable, Sendable {
    case refresh
    case confirm
    /// The user of the access token.
    case me

    init?(_ method: HTTPRequest.Method, _ path: String?) {
        guard let route = Self.allCases.first(where: { $0.path == path && $0.method == method }) else { return nil }
        self = route
    }

    var path: String {
        switch self {
        case .refresh: NativePath.refresh
        case .confirm: NativePath.confirm
        case .me: NativePath.me
        }
    }

    var method: HTTPRequest.Method {
        switch self {
        case .refresh, .confirm: .post
        case .me: .get
        }
    }

    /// Whether a request has a JSON body; others must have none.
    var hasBody: Bool { method == .post }
}
