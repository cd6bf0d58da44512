// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import Foundation

/// A folder of its own, that goes with the test.
package final class Folder {
    package let url: URL

    package init(in parent: URL = .temporaryDirectory) throws {
        url = parent.appending(path: "freshet-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: url,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    package var names: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? []).sorted()
    }

    package func mode(_ name: String) throws -> Int {
        let facts = try FileManager.default.attributesOfItem(atPath: url.appending(path: name).path)
        guard let mode = facts[.posixPermissions] as? Int else { throw CocoaError(.fileReadUnknown) }
        return mode
    }

    package func setMode(_ mode: Int, _ name: String = "") throws {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: url.appending(path: name).path)
    }
}
