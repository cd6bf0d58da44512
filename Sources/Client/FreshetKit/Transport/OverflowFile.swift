// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation
internal import FreshetWire

/// A byte queue in an unlinked file, which the system deletes when the process exits.
///
/// It is created in the temporary directory.
final class OverflowFile: Sendable {
    private static let piece = 64 * 1024

    private struct Place {
        var written: off_t = 0
        var read: off_t = 0
    }

    private let handle: Int32
    private let place = Locked(Place())

    init(in folder: URL = FileManager.default.temporaryDirectory) throws(POSIXError) {
        let path = folder.appending(path: "freshet-\(UUID.random().uuidString)").path
        handle = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard handle >= 0 else { throw .last }
        unlink(path)
    }

    deinit { close(handle) }

    var isEmpty: Bool { place.withLock { $0.read == $0.written } }

    func append(_ data: Data) throws(POSIXError) {
        try place.withLock { place throws(POSIXError) in
            var rest = data[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes { pwrite(handle, $0.baseAddress, $0.count, place.written) }
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { throw .last }
                place.written += off_t(count)
                rest = rest.dropFirst(count)
            }
        }
    }

    /// Removes and returns bytes from the front; `nil` if it is empty.
    func next() throws(POSIXError) -> Data? {
        try place.withLock { place throws(POSIXError) -> Data? in
            guard place.read < place.written else { return nil }
            var data = Data(count: Int(min(off_t(Self.piece), place.written - place.read)))
            var count = 0
            repeat {
                count = data.withUnsafeMutableBytes { pread(handle, $0.baseAddress, $0.count, place.read) }
            } while count < 0 && errno == EINTR
            guard count > 0 else { throw .last }
            place.read += off_t(count)
            if place.read == place.written {
                // Returns the blocks to the file system as soon as the reader has caught up.
                ftruncate(handle, 0)
                place = Place()
            }
            return data.prefix(count)
        }
    }
}

extension POSIXError {
    /// The error of the last system call.
    static var last: POSIXError { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
}
