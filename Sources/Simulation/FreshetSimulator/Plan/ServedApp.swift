// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetKit
import FreshetWire

/// An app with a contract of its own, which the servers of a history serve, and whose clients send no intents.
enum ServedApp: String, CaseIterable, Codable, Sendable {
    case creatist, authservice, outbox, bitbasel, melchat

    /// The host of the servers, for served apps and native ones.
    static let host = "api.example.com"

    /// Whether its refresh tokens never rotate.
    var isStatic: Bool { [.bitbasel, .melchat].contains(self) }

    /// Whether its users sign in with mailed codes, and otherwise with a password.
    var usesCodes: Bool { isStatic }

    /// Whether it can sign out everywhere.
    var signsOutEverywhere: Bool { self == .melchat }

    var contract: Contract {
        do { return try Contract.named(rawValue) } catch { fatalError("no preset '\(rawValue)': \(error)") }
    }

    /// Returns the native path with the same purpose.
    static func nativePath(of path: String) -> String {
        switch path {
        case "/auth/refresh", "/api/v1/auth/refresh", "/api/auth/refresh": NativePath.refresh
        case "/auth/logout", "/api/v1/auth/logout", "/api/auth/logout": NativePath.logout
        case "/api/auth/logout-all": NativePath.logoutAll
        default: path
        }
    }
}
