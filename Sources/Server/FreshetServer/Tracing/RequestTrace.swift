// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetEngine
import HTTPTypes
package import Logging

/// By what names a request is found again, and where it came from; everything that is done for it can see it.
struct RequestTrace: Sendable {
    @TaskLocal static var current: RequestTrace?

    let id: String
    /// The address at the other end of the connection.
    let source: SourceAddress?
    /// This server's part of the caller's trace, if it has one.
    let trace: TraceParent?

    /// - Parameters:
    ///   - fields: The request's header.
    ///   - ownID: Its id, unless a proxy gave it one.
    ///   - source: The address that it came from.
    ///   - trustsID: Whether an id is taken from the header.
    init(_ fields: HTTPFields, ownID: String, source: SourceAddress?, trustsID: Bool) {
        let given = trustsID ? fields[values: .requestID].first.flatMap { Self.isWellFormed($0) ? $0 : nil } : nil
        id = given ?? ownID
        self.source = source
        let parents = fields[values: .traceParent]
        trace = parents.count == 1 ? TraceParent(parents[0])?.child() : nil
    }

    /// What a record of the log has of it.
    var metadata: Logger.Metadata {
        var metadata: Logger.Metadata = ["request_id": "\(id)"]
        if let trace {
            metadata["trace_id"] = "\(trace.traceID)"
            metadata["span_id"] = "\(trace.spanID)"
        }
        return metadata
    }

    /// Short, and of characters that need no quoting anywhere.
    static func isWellFormed(_ id: String) -> Bool {
        (1...64).contains(id.utf8.count)
            && id.utf8.allSatisfy {
                switch $0 {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                    UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
                    true
                default: false
                }
            }
    }
}

extension Logger.MetadataProvider {
    /// The names of the request that a record is about.
    package static let request = Logger.MetadataProvider { RequestTrace.current?.metadata ?? [:] }
}

extension HTTPField.Name {
    static let requestID = HTTPField.Name(parsed: "x-request-id") ?? .date
    static let forwardedFor = HTTPField.Name(parsed: "x-forwarded-for") ?? .date
    static let traceParent = HTTPField.Name(parsed: "traceparent") ?? .date
}
