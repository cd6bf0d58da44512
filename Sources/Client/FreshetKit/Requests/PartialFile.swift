// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation
internal import FreshetWire

/// A file that only its owner can read, and that is renamed to its final name once it is complete.
///
/// The code that creates it either moves it into place or removes it.
struct PartialFile {
    private let path: String
    private let destination: String?
    private let handle: Int32

    /// Creates an empty file.
    ///
    /// - Parameter destination: The final location. The file is created in the same folder, so that the move is atomic;
    ///   without a destination it stays in the temporary directory.
    /// - Throws: `POSIXError`, or `URLError(.cannotCreateFile)` if the destination is not a file URL.
    init(for destination: URL?) throws {
        if let destination, !destination.isFileURL { throw URLError(.cannotCreateFile) }
        let folder = destination?.deletingLastPathComponent() ?? FileManager.default.temporaryDirectory
        let name = destination == nil ? "download-" : ".download-"
        path = folder.appending(path: name + UUID.random().uuidString).path
        self.destination = destination?.path
        handle = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard handle >= 0 else { throw POSIXError.last }
    }

    func write(_ data: Data) throws(POSIXError) {
        var rest = data[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Foundation.write(handle, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw .last }
            rest = rest.dropFirst(count)
        }
    }

    /// Renames it to its final name atomically, replacing an existing file.
    ///
    /// - Returns: The file's location.
    func moveIntoPlace() async throws -> URL {
        let result: Result<URL, POSIXError> = await withCheckedContinuation { continuation in
            // Flushing a large file may take seconds, and must not block a thread of the cooperative pool.
            Thread.detachNewThread { continuation.resume(returning: Result { () throws(POSIXError) in try finish() }) }
        }
        return try result.get()
    }

    private func finish() throws(POSIXError) -> URL {
        guard let destination else {
            close(handle)
            return URL(fileURLWithPath: path)
        }
        // Without the sync, a crash could leave an empty file under the final name.
        guard fsync(handle) == 0, rename(path, destination) == 0 else { throw .last }
        close(handle)
        return URL(fileURLWithPath: destination)
    }

    /// Deletes the file.
    func remove() {
        close(handle)
        unlink(path)
    }
}
