// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetEngine
package import Logging

/// By what names a request is found again, and where it came from; everything that is done for it can see it.
package struct RequestTrace: Sendable {
    @TaskLocal package static var current: RequestTrace?

    package let id: String
    /// The address at the other end of the connection.
    package let source: SourceAddress?
    /// This server's part of the caller's trace, if it has one.
    package let trace: TraceParent?

    package init(id: String, source: SourceAddress?, trace: TraceParent?) {
        self.id = id
        self.source = source
        self.trace = trace
    }

    /// What a record of the log has of it.
    package var metadata: Logger.Metadata {
        var metadata: Logger.Metadata = ["request_id": "\(id)"]
        if let trace {
            metadata["trace_id"] = "\(trace.traceID)"
            metadata["span_id"] = "\(trace.spanID)"
        }
        return metadata
    }

    /// Short, and of characters that need no quoting anywhere.
    package static func isWellFormed(_ id: String) -> Bool {
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
