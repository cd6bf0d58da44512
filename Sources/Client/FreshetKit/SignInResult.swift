// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

public import Foundation
internal import FreshetContract

/// The user, as the response to a sign-in describes it.
///
/// A contract defines where these fields are under `reply.user`; a field that the contract does not define, or the
/// response does not have, is `nil`. They are not stored: an app that needs them at its next launch stores them itself.
///
///     let result = try await session.signIn(.emailCode(attempt, code: code))
///     if result.isNewUser == true { showOnboarding() }
public struct SignInResult: Sendable, Equatable {
    /// The user's identifier at the backend.
    public var userID: String?
    /// The user's email address.
    public var email: String?
    /// The user's name in the app.
    public var username: String?
    /// The user's full name, from the response or else from Apple at this sign-in.
    public var name: String?
    /// Whether this was the user's first sign-in.
    public var isNewUser: Bool?
    /// Whether the user has a profile at the backend.
    public var hasProfile: Bool?
    /// The response's members as JSON, without the envelope, tokens and other session fields.
    ///
    /// Empty if the response is not a JSON object. Strings that equal the access or the refresh token are removed under
    /// any name; other secrets that a backend may add, such as an ID token, are not recognised.
    public var json = Data()

    /// Creates a result, for previews and tests.
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

    /// Decodes the response's members, for example as the app's own user model.
    ///
    /// - Throws: `DecodingError`.
    public func decode<Value: Decodable>(_ type: Value.Type, using decoder: JSONDecoder = JSONDecoder()) throws -> Value
    {
        try decoder.decode(type, from: json)
    }
}

extension SignInResult: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// A redacted description, because addresses and names must not be logged.
    public var description: String { "SignInResult(•••)" }
    /// A redacted description.
    public var debugDescription: String { description }
    /// An empty mirror: `dump` shows no contents.
    public var customMirror: Mirror { .concealing(self) }
}
