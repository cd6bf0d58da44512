// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetEngine
package import FreshetWire

/// A refresh token presented to the server, and the operation requested with it.
///
/// ``SessionRegistry/present(_:)`` answers it, for native clients, OAuth clients and clients of served contracts.
package struct TokenRequest: Sendable {
    /// An operation on a refresh token.
    package enum Operation: Sendable {
        /// A request for new tokens.
        ///
        /// The text of the intent is validated when the request is presented.
        case refresh(intent: String?)
        /// A confirmation that the client has stored the presented token.
        case confirm
        /// A report that the client's newest token was answered with `superseded`.
        case report
        /// A request to end the session.
        case logout

        /// The operation's name in the log and the metrics.
        var name: String {
            switch self {
            case .refresh: "refresh"
            case .confirm: "confirm"
            case .report: "report"
            case .logout: "logout"
            }
        }
    }

    let operation: Operation
    let token: RefreshToken
    /// The endpoint that received the request.
    let endpoint: RefreshEndpoint
    /// The network address of the client.
    let source: SourceAddress?

    package init(
        _ operation: Operation,
        token: RefreshToken,
        at endpoint: RefreshEndpoint = .native,
        from source: SourceAddress? = RequestTrace.current?.source
    ) {
        self.operation = operation
        self.token = token
        self.endpoint = endpoint
        self.source = source
    }

    /// Creates a request from the text of a token.
    ///
    /// - Throws: `invalidGrant` if the text is not a refresh token, `unavailable` if its version is newer than this server.
    package init(
        _ operation: Operation,
        token text: String,
        at endpoint: RefreshEndpoint = .native,
        from source: SourceAddress? = RequestTrace.current?.source
    ) throws(APIError) {
        self.init(operation, token: try SessionRegistry.parse(text), at: endpoint, from: source)
    }
}
