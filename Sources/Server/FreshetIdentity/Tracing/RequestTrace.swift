// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetEngine
package import Logging

/// The ids and the source address of the current request, available to all its tasks.
package struct RequestTrace: Sendable {
    @TaskLocal package static var current: RequestTrace?

    package let id: String
    /// The address of the connection's peer.
    package let source: SourceAddress?
    /// This server's span in the caller's trace, if the request has one.
    package let trace: TraceParent?

    package init(id: String, source: SourceAddress?, trace: TraceParent?) {
        self.id = id
        self.source = source
        self.trace = trace
    }

    /// The metadata of the request's log records.
    var metadata: Logger.Metadata {
        var metadata: Logger.Metadata = ["request_id": "\(id)"]
        if let trace {
            metadata["trace_id"] = "\(trace.traceID)"
            metadata["span_id"] = "\(trace.spanID)"
        }
        return metadata
    }

    /// Whether an id is short and consists of characters that never need quoting.
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
    /// Adds the current request's ids to log records.
    package static let request = Logger.MetadataProvider { RequestTrace.current?.metadata ?? [:] }
}
