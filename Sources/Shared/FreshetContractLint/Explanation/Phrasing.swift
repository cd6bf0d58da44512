// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import FreshetContract

/// English phrases for the elements of a contract.
enum Phrasing {
    private static let values = [
        "refresh_token": "the refresh token", "access_token": "the access token", "intent": "the intent",
        "email": "the e-mail address", "username": "the user's name", "password": "the password", "code": "the code",
        "attempt": "the attempt", "device": "the device", "identity_token": "Apple's identity token",
        "nonce": "the nonce", "id": "the session's id",
        "known_device": "a token that this device had before",
    ]

    /// Returns a phrase for the value of a template's name.
    static func value(_ name: String) -> String { values[name] ?? "'\(name)'" }

    /// Joins phrases: `a`, `a and b`, `a, b and c`.
    static func list(_ items: [String], _ last: String = "and") -> String {
        guard items.count > 1, let final = items.last else { return items.first ?? "" }
        return "\(items.dropLast().joined(separator: ", ")) \(last) \(final)"
    }

    /// Returns a duration in the largest unit that divides it.
    static func time(_ seconds: Double) -> String {
        for (unit, length) in [("day", 86_400.0), ("hour", 3600.0), ("minute", 60.0)]
        where seconds >= length && (seconds / length).rounded() * length == seconds {
            let count = seconds / length
            return count == 1 ? "1 \(unit)" : "\(count.shown) \(unit)s"
        }
        return seconds == 1 ? "1 second" : "\(seconds.shown) seconds"
    }

    /// Returns a phrase for a place in a response.
    static func place(_ selector: Selector) -> String {
        switch selector {
        case .pointer(let pointer): pointer.description
        case .header(let name): "the header \(name)"
        case .cookie(let name): "the cookie \(name)"
        }
    }

    /// Returns a phrase for alternative places, of which the first that exists is used.
    static func places(_ selectors: [Selector]) -> String { list(selectors.map(place), "or") }

    /// Returns a phrase for the sources of a user's ID, in order of preference.
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

    /// Returns a phrase for a condition.
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
