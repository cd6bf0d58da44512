// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation

/// A file's identity, size and modification time, to detect whether it changed after it was sent.
struct FileFingerprint: Equatable, Sendable {
    private let file: UInt64
    private let size: Int64
    private let changed: [Int]

    /// Reads the fingerprint of a file.
    ///
    /// - Throws: `POSIXError` if it cannot be read, or `URLError(.cannotOpenFile)` if it is not a regular file.
    init(_ url: URL) throws {
        var facts = stat()
        guard url.isFileURL, access(url.path, R_OK) == 0, stat(url.path, &facts) == 0 else { throw POSIXError.last }
        guard facts.st_mode & S_IFMT == S_IFREG else { throw URLError(.cannotOpenFile) }
        file = UInt64(facts.st_ino)
        size = Int64(facts.st_size)
        #if canImport(Darwin)
            changed = [facts.st_mtimespec.tv_sec, facts.st_mtimespec.tv_nsec]
        #else
            changed = [Int(facts.st_mtim.tv_sec), Int(facts.st_mtim.tv_nsec)]
        #endif
    }
}

extension HTTPRequestBody {
    /// Returns the file's current fingerprint; `nil` if the body is not a file.
    func fingerprint() throws -> FileFingerprint? {
        if case .file(let url) = self { try FileFingerprint(url) } else { nil }
    }
}
