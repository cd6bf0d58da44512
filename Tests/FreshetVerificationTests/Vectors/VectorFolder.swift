// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import Testing

/// The folder of test vectors that other projects published.
///
/// It is `../shared/vectors` beside the checkout, or the folder that the environment variable `FRESHET_VECTORS` names. Without it,
/// the tests that read it are skipped.
enum VectorFolder {
    private static let named = ProcessInfo.processInfo.environment["FRESHET_VECTORS"].map { URL(filePath: $0) }

    private static let url =
        named
        ?? URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../../shared/vectors")
        .standardized

    /// Whether the tests run: a folder that the variable names must exist.
    static let isPresent = named != nil || FileManager.default.fileExists(atPath: url.path)

    static let absence: Comment = "../shared/vectors does not exist, and FRESHET_VECTORS is not set"

    /// Returns the names in a folder, sorted.
    static func names(in folder: String = "") throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: url.appending(path: folder).path).sorted()
    }

    static func bytes(_ path: String) throws -> [UInt8] {
        Array(try Data(contentsOf: url.appending(path: path)))
    }
}
