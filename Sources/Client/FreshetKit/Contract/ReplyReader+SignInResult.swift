// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation
internal import FreshetContract

extension ReplyReader {
    /// Returns the user's fields of a response with tokens.
    mutating func signInResult(for grant: SessionGrant) -> SignInResult {
        SignInResult(
            userID: grant.userID,
            email: grant.email,
            username: text(shape.username),
            name: text(shape.name),
            isNewUser: bool(shape.isNewUser),
            hasProfile: bool(shape.hasProfile),
            json: json(without: [grant.accessToken, grant.refreshToken].compactMap(\.self))
        )
    }

    /// Returns the first value that is a Boolean, or the text `true`, `false`, `1` or `0`.
    private mutating func bool(_ places: [Selector]) -> Bool? {
        for place in places {
            guard let value = value([place]) else { continue }
            switch (value.bool, value.text?.lowercased()) {
            case (let isTrue?, _): return isTrue
            case (_, "true"?), (_, "1"?): return true
            case (_, "false"?), (_, "0"?): return false
            default: continue
            }
        }
        return nil
    }

    /// Returns the members of the envelope, except those from which the contract reads tokens and the session.
    private mutating func json(without tokens: [String]) -> Data {
        guard var rest = inner(), rest.object != nil else { return Data() }
        let sources = shape.expiry + (shape.refreshExpiry?.sources ?? [])
        let read = shape.access + shape.refresh + shape.session + shape.tokenType + sources.flatMap(\.places)
        for case .pointer(let pointer) in read { rest = rest.removing(pointer, anyCasing: shape.anyCasing) }
        return Data(rest.removing(texts: Set(tokens)).jsonText.utf8)
    }
}

extension ExpirySource {
    /// The places from which the source reads in a response.
    fileprivate var places: [Selector] {
        switch self {
        case .lifetime(let place, _, let since): [place] + (since.map { [$0] } ?? [])
        case .instant(let place, _): [place]
        case .token, .assumed: []
        }
    }
}
