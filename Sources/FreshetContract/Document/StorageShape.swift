// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// Where older versions of the app kept their tokens.
package struct StorageShape: Sendable, Equatable {
    /// Whether the session may travel between a user's devices.
    ///
    /// A refresh token that rotates must not: each device would make the others' copies void.
    package var synchronizable = false
    /// In order: the first that is there is taken over.
    package var imports: [Import] = []

    /// Items of an older version of the app.
    package struct Import: Sendable, Equatable {
        package var access: String
        package var refresh: String?
        package var expiresAt: String?
        package var expiryUnit = ExpirySource.Unit.iso8601
        package var synchronizable = false
    }
}
