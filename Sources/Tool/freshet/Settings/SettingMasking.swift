// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetDatabase
import FreshetServer
import FreshetWire

/// The part of a setting's value that may be printed.
enum SettingMasking: Sendable {
    /// All but the user and the password within an address.
    case credentials
    /// Nothing.
    case value
    /// The program without its arguments, which may hold secrets.
    case arguments
    /// The user, host and name of a PostgreSQL database.
    case database

    /// Returns a text that may be printed.
    func mask(_ text: String) -> String {
        switch self {
        case .credentials:
            guard let scheme = text.range(of: "://"), let at = text.lastIndex(of: "@"), scheme.upperBound <= at else {
                return text
            }
            return text[..<scheme.upperBound] + Self.dots + text[at...]
        case .value: return Self.dots
        case .arguments:
            guard let end = text.firstIndex(of: " ") else { return text }
            return text[..<end] + " " + Self.dots
        case .database: return (try? PostgresConfiguration(text))?.mask ?? Self.dots
        }
    }

    /// Whether a text contains a password or a key.
    func isSecret(_ text: String) -> Bool {
        switch self {
        case .credentials: mask(text) != text
        case .value: true
        // A program's arguments are visible to every user while it runs.
        case .arguments: false
        case .database: (try? PostgresConfiguration(text))?.hasPassword ?? false
        }
    }

    private static let dots = "•••"
}
