// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// A way to learn whose session an answer is about.
package enum UserSource: Sendable, Hashable {
    /// A place in the answer.
    case place(Selector)
    /// A claim of a JWT: of the access token, or of the token at a place in the answer, such as an ID token.
    ///
    /// A claim that begins with `/` is a JSON pointer into the claims.
    case claim(String, of: Selector?)

    /// The place in the answer that has to be looked at, if one has.
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
