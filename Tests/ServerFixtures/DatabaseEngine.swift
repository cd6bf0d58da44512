// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetDatabase
import FreshetSystem
import PostgresCluster

/// The databases that a server runs on.
package enum DatabaseEngine: String, CaseIterable, Sendable {
    case sqlite, postgres

    /// Those that are tested here.
    package static let wanted = allCases.filter { $0 != .postgres || PostgresCluster.isWanted }

    /// An empty database of its own, which may be opened more than once.
    package func make() throws -> DatabaseUnderTest {
        let folder = FileManager.default.temporaryDirectory.appending(path: "freshet-test-\(UUID())")
        try PrivateFiles.prepare(folder)
        let address = self == .postgres ? try PostgresCluster.shared.get().database() : nil
        return DatabaseUnderTest(folder: folder, postgres: try address.map { try PostgresConfiguration($0) })
    }
}
