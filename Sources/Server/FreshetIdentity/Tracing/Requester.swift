// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
package import FreshetEngine

/// The client of a request, as far as the request shows.
package struct Requester: Equatable, Sendable {
    /// The client's address; `nil` for a connection without one.
    var source: SourceAddress?
    /// The `User-Agent` of the request, on one line.
    package var userAgent: String?
    /// The request's id in the log.
    var requestID = ""

    package init(source: SourceAddress? = nil, userAgent: String? = nil, requestID: String = "") {
        self.source = source
        self.userAgent = userAgent
        self.requestID = requestID
    }

    /// The network by which rate limits count the request; `nil` for a connection without an address.
    package var network: SourceNetwork? { source?.network }

    /// The network, as shown in the user's list of sessions.
    package var place: String? { network?.description }
}
