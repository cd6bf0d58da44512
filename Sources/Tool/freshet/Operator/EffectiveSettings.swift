// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetEngine
import FreshetServer
import Logging

/// The settings that a server would run with, and where each of them comes from.
struct EffectiveSettings {
    private let configuration: ServerConfiguration
    private let level: Logger.Level
    private let reader: SettingsReader

    init(_ configuration: ServerConfiguration, level: Logger.Level, reader: SettingsReader) {
        self.configuration = configuration
        self.level = level
        self.reader = reader
    }

    /// One line a setting, in the order of their names.
    var lines: [String] {
        // Keys come from the environment or from nowhere.
        reader.names.union(["keys"]).sorted().map { name in
            let given = reader.origin(of: name)
            let value = given?.value ?? defaults[name] ?? nil
            let shown = value.map { Self.masked(name, $0) } ?? "none"
            return "\(name) = \(shown)  (\(given?.origin ?? "default"))"
        }
    }

    /// What holds for settings that nobody gave.
    private var defaults: [String: String?] {
        let (lifetimes, operations) = (configuration.lifetimes, configuration.operations)
        return [
            "host": configuration.host, "port": "\(configuration.port)",
            "data": configuration.dataDirectory.relativePath, "issuer": configuration.issuer,
            "audience": configuration.audience, "access-ttl": lifetimes.access.text, "idle-ttl": lifetimes.idle.text,
            "absolute-ttl": lifetimes.absolute.text, "code-ttl": lifetimes.code.text,
            "mail": "log", "mail-queue": "\(configuration.mail.limits.capacity)",
            "mail-connections": "\(configuration.mail.limits.connections)",
            "mail-per-source": "\(configuration.mail.limits.perSource)",
            "mail-per-domain": "\(configuration.mail.limits.perDomain)",
            "password-cost": "\(configuration.passwords.logN)",
            "log-level": level.rawValue, "production": "\(configuration.isProduction)",
            "trust-request-id": "\(operations.trustsRequestID)", "behind-proxy": "\(operations.isBehindProxy)",
            "insecure-listen": "\(operations.allowsInsecureListening)",
            "audit-retention": operations.retention.events.text,
            "refresh-retention": operations.retention.plain.text,
            "session-retention": operations.endedSessions.text, "max-requests": "\(operations.admission.requests)",
            "max-connections": "\(operations.admission.connections)", "drain": operations.drain.text,
            "refreshes-per-session": "1", "no-fast-path": "\(!operations.hasFastPath)",
            "no-pages": "\(!configuration.pages.isOn)",
            "pages-name": configuration.pages.name, "pages-idle": configuration.pages.idle.text,
            "pages-ttl": configuration.pages.absolute.text,
            "connections-per-source": "\(operations.admission.connectionsPerSource)",
            "database-connections": configuration.database.map { "\($0.connections)" },
            "database-timeout": configuration.database?.statementTimeout.text,
            "database-connect-timeout": configuration.database?.connectTimeout.text,
            "new-database": "\(configuration.allowsNewDatabase)",
            "database-wait": (configuration.database?.startupTimeout ?? configuration.lockTimeout).text,
        ]
    }

    /// A secret, and the one within an address, is shown as three dots.
    static func masked(_ name: String, _ value: String) -> String {
        if name == "keys" { return "•••" }
        if name == "database" { return (try? PostgresConfiguration(value))?.mask ?? "•••" }
        // Its arguments may say what only it should know.
        if name == "keys-command", let end = value.firstIndex(of: " ") { return value[..<end] + " •••" }
        let words = Set(name.split(separator: "-").map(String.init))
        // A file's or a cost's name is none.
        if !words.isDisjoint(with: ["secret", "token", "password", "credentials"]), !words.contains("cost"),
            !words.contains("file")
        {
            return "•••"
        }
        guard let scheme = value.range(of: "://"), let at = value.lastIndex(of: "@"), scheme.upperBound <= at else {
            return value
        }
        return value[..<scheme.upperBound] + "•••" + value[at...]
    }
}

extension Duration {
    /// As it would be typed: the largest unit that leaves no rest.
    fileprivate var text: String {
        let seconds = Int(components.seconds)
        if components.attoseconds != 0 {
            return "\(seconds * 1000 + Int(components.attoseconds / 1_000_000_000_000_000))ms"
        }
        for (length, unit) in [(86_400, "d"), (3600, "h"), (60, "m")] where seconds > 0 && seconds % length == 0 {
            return "\(seconds / length)\(unit)"
        }
        return "\(seconds)s"
    }
}
