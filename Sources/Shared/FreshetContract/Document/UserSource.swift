// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// A source of the ID of a session's user.
package enum UserSource: Sendable, Hashable {
    /// A place in the response.
    case place(Selector)
    /// A claim of a JWT: the access token, or a token at a place in the response, such as an ID token.
    ///
    /// A claim that begins with `/` is a JSON pointer into the claims.
    case claim(String, of: Selector?)

    /// The place in the response that is read, if any.
    package var place: Selector? {
        switch self {
        case .place(let place): place
        case .claim(_, let token): token
        }
    }
}

extension UserSource: CustomStringConvertible {
    package var description: String {
        switch self {
        case .place(let place): place.description
        case .claim(let claim, nil): "jwt:\(claim)"
        case .claim(let claim, let token?): "jwt:\(claim) at \(token)"
        }
    }
}
