// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation

/// A file that is being written, for its owner alone, and that nobody sees under its final name before it is whole.
///
/// Whoever opens it either places it or removes it.
struct PartialFile {
    private let path: String
    private let destination: String?
    private let handle: Int32

    /// Makes an empty file.
    ///
    /// - Parameter destination: Where it belongs. It is made in that folder, so that placing it is one step; without a
    ///   destination it stays in the folder for temporary files.
    /// - Throws: `POSIXError`, or `URLError(.cannotCreateFile)` if the destination is no file URL.
    init(for destination: URL?) throws {
        if let destination, !destination.isFileURL { throw URLError(.cannotCreateFile) }
        let folder = destination?.deletingLastPathComponent() ?? FileManager.default.temporaryDirectory
        let name = destination == nil ? "download-" : ".download-"
        path = folder.appending(path: name + UUID().uuidString).path
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

    /// Gives it its name, in one step; what had the name before is replaced.
    ///
    /// - Returns: Where it lies.
    func moveIntoPlace() async throws -> URL {
        let result: Result<URL, POSIXError> = await withCheckedContinuation { continuation in
            // A disk may take seconds for a large file. The threads that tasks share are not for that.
            Thread.detachNewThread { continuation.resume(returning: Result { () throws(POSIXError) in try finish() }) }
        }
        return try result.get()
    }

    private func finish() throws(POSIXError) -> URL {
        guard let destination else {
            close(handle)
            return URL(fileURLWithPath: path)
        }
        // Without it, a crash could leave the name on a file without content.
        guard fsync(handle) == 0, rename(path, destination) == 0 else { throw .last }
        close(handle)
        return URL(fileURLWithPath: destination)
    }

    /// Leaves nothing behind.
    func remove() {
        close(handle)
        unlink(path)
    }
}
