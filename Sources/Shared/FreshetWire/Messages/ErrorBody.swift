// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The one body of every error answer.
package struct ErrorBody: Codable, Equatable, Sendable {
    /// A stable code; ``ErrorCode`` lists those of this version, and a client must bear others.
    package var error: String
    /// A sentence for the developer who reads it.
    package var errorDescription: String?
    /// Why a session ended, if this answer says that one did.
    package var reason: String?
    /// The id of this request in the server's log.
    package var requestID: String?

    package init(
        _ code: ErrorCode,
        _ errorDescription: String? = nil,
        reason: EndReason? = nil,
        requestID: String? = nil
    ) {
        self.error = code.rawValue
        self.errorDescription = errorDescription
        self.reason = reason?.rawValue
        self.requestID = requestID
    }

    private enum CodingKeys: String, CodingKey {
        case error, reason
        case errorDescription = "error_description"
        case requestID = "request_id"
    }
}
