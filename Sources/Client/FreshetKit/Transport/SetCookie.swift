// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation
internal import FreshetWire

/// A cookie of a `Set-Cookie` field (RFC 6265 section 4.1).
struct SetCookie: Equatable {
    var name: String
    var value: String
    /// The lifetime in seconds from the response.
    var maxAge: Double?
    /// The expiry in seconds since 1970.
    var expires: Double?

    /// Parses all cookies of a field whose values were joined by commas.
    ///
    /// `Expires` contains a comma, too. A comma that separates two cookies is followed by a name and an equals sign.
    static func all(in field: String) -> [SetCookie] {
        field.replacing(/,[ \t]*(?=[^;,= \t]+=)/, with: "\n").split(separator: "\n").compactMap(SetCookie.init)
    }

    private init?(_ text: Substring) {
        let parts = text.split(separator: ";", omittingEmptySubsequences: false).map(Self.pair)
        guard let first = parts.first, !first.name.isEmpty, let value = first.value else { return nil }
        name = first.name
        self.value = value.trimmingCharacters(in: CharacterSet(charactersIn: "\""))
        for part in parts.dropFirst() {
            switch part.name.lowercased() {
            case "max-age": maxAge = part.value.flatMap(Double.init)
            case "expires": expires = part.value.flatMap(HTTPDate.secondsSince1970)
            default: break
            }
        }
    }

    /// Whether the field deletes the cookie; `Max-Age` has precedence (RFC 6265 section 5.3).
    func isDeletion(at now: Double?) -> Bool {
        if value.isEmpty { return true }
        if let maxAge { return maxAge <= 0 }
        return expires.map { $0 <= now ?? Date().timeIntervalSince1970 } ?? false
    }

    private static func pair(_ text: Substring) -> (name: String, value: String?) {
        let halves = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            .map { $0.trimmingCharacters(in: .whitespaces) }
        return (halves.first ?? "", halves.count == 2 ? halves[1] : nil)
    }
}
