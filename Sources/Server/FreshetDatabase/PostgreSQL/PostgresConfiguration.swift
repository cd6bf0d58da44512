// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import CLibpq
import Foundation
import FreshetWire

/// The address of a PostgreSQL database, and the settings of its connections.
package struct PostgresConfiguration: Sendable, Masked {
    /// An address in libpq's format, such as `postgresql://freshet@db1,db2/freshet?sslmode=verify-full`.
    ///
    /// It may contain a password, so it is never printed.
    let address: String
    /// The number of connections of the server.
    package var connections = min(32, max(4, 3 * ProcessInfo.processInfo.activeProcessorCount))
    /// The timeout of one statement.
    package var statementTimeout = Duration.seconds(10)
    /// The timeout for connecting to each host; libpq uses whole seconds, at least two.
    package var connectTimeout = Duration.seconds(5)
    /// The time that a starting server waits for its database.
    package var startupTimeout = Duration.seconds(60)

    /// The number of those connections that are reserved for rotations, which wait for no disk.
    var rotationConnections: Int { max(1, connections / 4) }
    /// The number of those connections that are reserved for durable transactions, which may wait for a standby.
    var durableConnections: Int { max(1, connections / 2) }
    /// The number of the other connections: for reading, and for writes that may be lost.
    var readingConnections: Int { max(1, connections - rotationConnections - durableConnections) }
    /// The time for which a connection for reading waits for a lock: a durable commit that waits for a standby holds its
    /// locks.
    static let readingLockTimeout = Duration.seconds(2)
    /// The time for which a batch of rotations waits for a lock; the change of a locked row is handed over.
    static let rotationLockTimeout = Duration.milliseconds(200)

    /// Creates a configuration from an address.
    ///
    /// - Throws: `DatabaseStartupError` for an address that libpq cannot parse.
    package init(_ address: String) throws(DatabaseStartupError) {
        self.address = address
        guard Self.isAddress(address), Self.options(of: address) != nil else {
            if let option = Self.unknownOption(of: address) { throw .unknownPostgresOption(option) }
            throw .notAPostgresAddress
        }
    }

    /// Returns whether a text has the scheme of a PostgreSQL address.
    static func isAddress(_ text: String) -> Bool {
        text.hasPrefix("postgresql://") || text.hasPrefix("postgres://")
    }

    /// Whether the address contains a password.
    package var hasPassword: Bool { Self.options(of: address)?["password"] != nil }

    /// The user, the hosts and the database's name, and nothing else of the address.
    var mask: String {
        let options = Self.options(of: address) ?? [:]
        func list(_ text: String?) -> [String] {
            (text ?? "").unicodeScalars.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        }
        let hosts = list(options["host"] ?? options["hostaddr"])
        let ports = list(options["port"])
        let places = hosts.enumerated().map { index, host in
            let port = ports.count == 1 ? ports[0] : index < ports.count ? ports[index] : ""
            let name = host.contains(":") ? "[\(host)]" : host
            return port.isEmpty ? name : "\(name):\(port)"
        }
        let user = options["user"].map { "\($0)@" } ?? ""
        return "postgresql://\(user)\(places.joined(separator: ","))/\(options["dbname"] ?? "")"
    }

    /// Returns an option of an address that libpq does not know; its own message may repeat the password.
    private static func unknownOption(of address: String) -> String? {
        guard isAddress(address), let items = URLComponents(string: address)?.queryItems, let list = PQconndefaults()
        else { return nil }
        defer { PQconninfoFree(list) }
        // libpq takes this name of JDBC's in addresses.
        var known: Set = ["ssl"]
        var next = list
        while let keyword = next.pointee.keyword {
            known.insert(String(cString: keyword))
            next += 1
        }
        return items.map(\.name).first { !known.contains($0) }
    }

    /// The options in an address; `nil` if libpq cannot parse it.
    private static func options(of address: String) -> [String: String]? {
        guard let list = PQconninfoParse(address, nil) else { return nil }
        defer { PQconninfoFree(list) }
        var found: [String: String] = [:]
        var next = list
        while let keyword = next.pointee.keyword {
            if let value = next.pointee.val { found[String(cString: keyword)] = String(cString: value) }
            next += 1
        }
        return found
    }
}
