// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// Which conversation an answer belongs to: the same status means different things on each.
enum Channel: Sendable, CaseIterable {
    /// A request of the app that carried the access token.
    case api
    /// A sign-in or sign-up.
    case signIn
    case refresh
    case confirm
    case report
    case logout
}
