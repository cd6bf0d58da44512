// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import FreshetContract

/// Names of the format in words.
enum Phrasing {
    private static let values = [
        "refresh_token": "the refresh token", "access_token": "the access token", "intent": "the intent",
        "email": "the e-mail address", "username": "the user's name", "password": "the password", "code": "the code",
        "attempt": "the attempt", "device": "the device", "identity_token": "Apple's identity token",
        "nonce": "the nonce", "id": "the session's id",
        "known_device": "a token that this device had before",
    ]

    /// What a template's name stands for.
    static func value(_ name: String) -> String { values[name] ?? "'\(name)'" }

    /// `a`, `a and b`, `a, b and c`.
    static func list(_ words: [String], _ last: String = "and") -> String {
        guard words.count > 1, let final = words.last else { return words.first ?? "" }
        return "\(words.dropLast().joined(separator: ", ")) \(last) \(final)"
    }

    /// A time in the greatest unit that measures it.
    static func time(_ seconds: Double) -> String {
        for (unit, length) in [("day", 86_400.0), ("hour", 3600.0), ("minute", 60.0)]
        where seconds >= length && (seconds / length).rounded() * length == seconds {
            let count = seconds / length
            return count == 1 ? "1 \(unit)" : "\(count.shown) \(unit)s"
        }
        return seconds == 1 ? "1 second" : "\(seconds.shown) seconds"
    }

    /// A place in an answer.
    static func place(_ selector: Selector) -> String {
        switch selector {
        case .pointer(let pointer): pointer.description
        case .header(let name): "the header \(name)"
        case .cookie(let name): "the cookie \(name)"
        }
    }

    /// Several places of which the first that has something counts.
    static func places(_ selectors: [Selector]) -> String { list(selectors.map(place), "or") }

    /// Where a user's ID comes from, the best source first.
    static func users(_ sources: [UserSource]) -> String {
        let texts = sources.map { source in
            switch source {
            case .place(let selector): "at \(place(selector))"
            case .claim(let claim, nil): "in the access token's claim '\(claim)'"
            case .claim(let claim, let token?): "in the claim '\(claim)' of the token at \(place(token))"
            }
        }
        return list(texts, "or")
    }

    /// A condition as part of a sentence.
    static func condition(_ condition: Condition) -> String {
        let place = place(condition.place)
        switch condition.test {
        case .oneOf(let values): return "\(place) is \(list(values.map(\.jsonText), "or"))"
        case .contains(let text): return "\(place) contains \(JSONValue.string(text).jsonText)"
        case .exists(true): return "\(place) is there"
        case .exists(false): return "\(place) is not there"
        }
    }
}
