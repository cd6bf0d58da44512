// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetEngine
import FreshetIdentity
import HTTPTypes

extension RequestTrace {
    /// Reads a request's header fields.
    ///
    /// - Parameters:
    ///   - fields: The request's header fields.
    ///   - ownID: The request's ID, unless a proxy gave it one.
    ///   - source: The address that the request came from.
    ///   - trustsID: Whether an ID is taken from the header fields.
    init(_ fields: HTTPFields, ownID: String, source: SourceAddress?, trustsID: Bool) {
        let given = trustsID ? fields[values: .requestID].first.flatMap { Self.isWellFormed($0) ? $0 : nil } : nil
        let parents = fields[values: .traceParent]
        self.init(
            id: given ?? ownID,
            source: source,
            trace: parents.count == 1 ? TraceParent(parents[0])?.child() : nil
        )
    }
}

extension HTTPField.Name {
    static let requestID = HTTPField.Name(parsed: "x-request-id") ?? .date
    static let forwardedFor = HTTPField.Name(parsed: "x-forwarded-for") ?? .date
    static let traceParent = HTTPField.Name(parsed: "traceparent") ?? .date
}
