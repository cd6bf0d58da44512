// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetWire

/// What is answered without the router.
enum RefreshCall: CaseIterable, Sendable {
    case refresh
    case confirm

    init?(path: String?) {
        switch path {
        case NativePath.refresh: self = .refresh
        case NativePath.confirm: self = .confirm
        default: return nil
        }
    }

    var path: String {
        switch self {
        case .refresh: NativePath.refresh
        case .confirm: NativePath.confirm
        }
    }

    /// How each begins in HTTP/1.1.
    static let requestLines = allCases.map { ($0, Array("POST \($0.path) HTTP/1.1\r\n".utf8)) }
}

/// How a request came to be answered without the router.
enum RefreshWay: String, CaseIterable, Sendable {
    /// From the bytes of its connection.
    case direct
    /// In the parts that a decoder made of it.
    case parts
}
