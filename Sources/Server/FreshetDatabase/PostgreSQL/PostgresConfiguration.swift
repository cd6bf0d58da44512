// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import CLibpq
import Foundation
import FreshetWire

/// Where a PostgreSQL database is, and how it is worked with.
package struct PostgresConfiguration: Sendable, Masked {
    /// An address as libpq takes it, such as `postgresql://freshet@db1,db2/freshet?sslmode=verify-full`.
    ///
    /// It may hold a password, so it is never printed.
    package let address: String
    /// How many connections the server keeps.
    package var connections = min(32, max(4, 3 * ProcessInfo.processInfo.activeProcessorCount))
    /// How long one statement may take.
    package var statementTimeout = Duration.seconds(10)
    /// How long each host is given to take a connection; libpq counts whole seconds, two at least.
    package var connectTimeout = Duration.seconds(5)
    /// For how long a server that starts waits for its database.
    package var startupTimeout = Duration.seconds(60)

    /// Those of the connections that are for rotations alone.
    var rotationConnections: Int { max(1, connections / 4) }

    /// Takes an address.
    ///
    /// - Throws: `DatabaseStartupError` for one that libpq does not understand.
    package init(_ address: String) throws(DatabaseStartupError) {
        self.address = address
        guard Self.isAddress(address), Self.options(of: address) != nil else { throw .notAPostgresAddress }
    }

    /// Whether a text looks like the address of a PostgreSQL database.
    package static func isAddress(_ text: String) -> Bool {
        text.hasPrefix("postgresql://") || text.hasPrefix("postgres://")
    }

    /// What may be told of it: who, where, and which; nothing else that the address holds.
    package var mask: String {
        let options = Self.options(of: address) ?? [:]
        let hosts = (options["host"] ?? options["hostaddr"] ?? "").split(
            separator: ",",
            omittingEmptySubsequences: false
        )
        let ports = (options["port"] ?? "").split(separator: ",", omittingEmptySubsequences: false)
        let places = hosts.enumerated().map { index, host in
            let port = ports.count == 1 ? ports[0] : index < ports.count ? ports[index] : ""
            let name = host.contains(":") ? "[\(host)]" : String(host)
            return port.isEmpty ? name : "\(name):\(port)"
        }
        let user = options["user"].map { "\($0)@" } ?? ""
        return "postgresql://\(user)\(places.joined(separator: ","))/\(options["dbname"] ?? "")"
    }

    /// The options that stand in an address; `nil` if it is none.
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
