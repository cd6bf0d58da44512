// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The body of every error response.
package struct ErrorBody: Codable, Equatable, Sendable {
    /// A stable code.
    ///
    /// ``ErrorCode`` lists the codes of this version; clients must accept unknown ones.
    package var error: String
    /// A description for developers.
    package var errorDescription: String?
    /// The reason that the session ended, if it has ended.
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
