// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

public import Foundation
internal import FreshetContract

/// What the answer to a sign-in says about the user.
///
/// A contract names the places of these facts under `reply.user`; a fact that the contract does not name, or that the
/// answer does not have, is `nil`. Nothing of it is stored: what an app needs at its next launch, it keeps by itself.
///
///     let result = try await session.signIn(.emailCode(attempt, code: code))
///     if result.isNewUser == true { showOnboarding() }
public struct SignInResult: Sendable, Equatable {
    /// The user's identifier at the backend.
    public var userID: String?
    /// The user's address.
    public var email: String?
    /// The user's name in the app.
    public var username: String?
    /// The user's full name: as the answer has it, or else as Apple told the app at this sign-in.
    public var name: String?
    /// Whether this was the user's first sign-in.
    public var isNewUser: Bool?
    /// Whether the user has a profile at the backend.
    public var hasProfile: Bool?
    /// The answer's members, as JSON: within the contract's envelope, without tokens and what else belongs to the session.
    ///
    /// Empty if the answer is no JSON object. Texts that equal the access or the refresh token are left out under any name;
    /// other secrets that a backend may add, such as an ID token, are not recognised.
    public var json = Data()

    /// Joins facts, for previews and tests.
    public init(
        userID: String? = nil,
        email: String? = nil,
        username: String? = nil,
        name: String? = nil,
        isNewUser: Bool? = nil,
        hasProfile: Bool? = nil,
        json: Data = Data()
    ) {
        self.userID = userID
        self.email = email
        self.username = username
        self.name = name
        self.isNewUser = isNewUser
        self.hasProfile = hasProfile
        self.json = json
    }

    /// Decodes the answer's members, such as an app's own model of its user.
    ///
    /// - Throws: `DecodingError`.
    public func decode<Value: Decodable>(_ type: Value.Type, using decoder: JSONDecoder = JSONDecoder()) throws -> Value
    {
        try decoder.decode(type, from: json)
    }
}

extension SignInResult: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// A mask: addresses and names do not belong in logs.
    public var description: String { "SignInResult(•••)" }
    /// A mask.
    public var debugDescription: String { description }
    /// Shows nothing.
    public var customMirror: Mirror { .concealing(self) }
}
