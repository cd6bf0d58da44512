// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
package import FreshetEngine

/// Who asks, as far as a request shows.
package struct Requester: Equatable, Sendable {
    /// Where it comes from; `nil` for a connection that has no address.
    package var source: SourceAddress?
    /// What the client says of itself, on one line.
    package var userAgent: String?
    /// Finds the request in the log.
    package var requestID = ""

    package init(source: SourceAddress? = nil, userAgent: String? = nil, requestID: String = "") {
        self.source = source
        self.userAgent = userAgent
        self.requestID = requestID
    }

    /// The network that limits count the request by; `nil` for a connection that has no address.
    package var network: SourceNetwork? { source?.network }

    /// The network as the user's list of sessions shows it.
    package var place: String? { network?.description }
}
