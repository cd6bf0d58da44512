// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The operations of one topic, and the schemas of the bodies that only these operations have.
struct OpenAPISection: Sendable {
    let operations: [OpenAPIOperation]
    let schemas: [OpenAPISchema]

    /// The sections in the order of the document.
    static let all: [OpenAPISection] = [
        signIn, apple, account, refresh, sessions, profile, socket, oauth, revocationFeed, health, common,
    ]
}
