// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The kind of event that ended a session, and the texts about it for users and operators.
package struct EndReasonDetails: Equatable, Sendable {
    /// The kind of event that ended a session; counts and displays distinguish only these kinds.
    package enum Cause: Sendable {
        /// The session's own device signed out.
        case device
        /// The user ended the session from elsewhere.
        case user
        case `operator`
        /// The account can no longer be used.
        case account
        /// Another party held the session's tokens.
        case theft
        /// A lifetime expired. Such an ending is not stored; it is detected when a token is presented.
        case expiry
        /// The user had more sessions than are allowed.
        case limit
        /// The service that signed the user in withdrew its permission.
        case provider
        /// This version does not know the reason.
        case unknown

        /// Whether a refresh token of the session still proves that the device belongs to the session's account.
        package var leavesDeviceTrusted: Bool {
            switch self {
            case .device, .expiry, .limit: true
            case .user, .operator, .account, .theft, .provider, .unknown: false
            }
        }

        /// Whether the user should be informed of the ending.
        package var needsAttention: Bool {
            switch self {
            case .theft, .account: true
            case .device, .user, .operator, .expiry, .limit, .provider, .unknown: false
            }
        }
    }

    package let cause: Cause
    /// A sentence for the user, in an app.
    package let userSentence: String
    /// The title of the ending in the account's history.
    package let historyTitle: String
    /// The text below that title; it may be empty.
    package let historyText: EndReasonSentence
    /// A short phrase, for lists and charts.
    package let summary: String
    /// A sentence for operators, in a session's timeline.
    package let operatorSentence: EndReasonSentence

    init(
        _ cause: Cause,
        forUser userSentence: String,
        historyTitle: String = "Signed out",
        inHistory historyText: EndReasonSentence? = nil,
        summary: String,
        forOperator operatorSentence: EndReasonSentence
    ) {
        self.cause = cause
        self.userSentence = userSentence
        self.historyTitle = historyTitle
        self.historyText = historyText ?? EndReasonSentence(stringLiteral: userSentence)
        self.summary = summary
        self.operatorSentence = operatorSentence
    }

    /// The details of a theft; they differ in how it was detected.
    static func theft(summary: String, forOperator operatorSentence: EndReasonSentence) -> EndReasonDetails {
        EndReasonDetails(
            .theft,
            forUser: "This session's token was used on another device, so the session was ended.",
            historyTitle: "Signed out to protect you",
            inHistory: """
                A copy of this device’s token was used elsewhere, so the session was ended for both. Check that the \
                device is in your hands, and sign in there again.
                """,
            summary: summary,
            forOperator: operatorSentence
        )
    }

    init(unknown reason: UnknownEndReason) {
        let text = "for a reason that this version does not know (\(reason.text))"
        self.init(
            .unknown,
            forUser: "The server ended the session \(text).",
            inHistory: "",
            summary: "ended \(text)",
            forOperator: EndReasonSentence(stringLiteral: "It was ended \(text).")
        )
    }
}
