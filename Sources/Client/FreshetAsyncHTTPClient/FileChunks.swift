// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if AsyncHTTPClient
    internal import Foundation
    internal import NIOCore
    internal import NIOPosix

    /// A file's content, read in chunks on NIO's thread pool for blocking I/O.
    struct FileChunks: AsyncSequence, Sendable {
        private static let piece = 128 * 1024

        /// The size of the file when it was opened.
        let count: Int64
        private let file: FileHandle

        /// Opens a file.
        ///
        /// - Throws: The system's error if the file cannot be opened.
        init(_ url: URL) throws {
            file = try FileHandle(forReadingFrom: url)
            count = Int64(try file.seekToEnd())
            try file.seek(toOffset: 0)
        }

        /// Reads from the start; must be called only once.
        func makeAsyncIterator() -> AsyncIterator { AsyncIterator(file: file) }

        struct AsyncIterator: AsyncIteratorProtocol {
            fileprivate let file: FileHandle

            mutating func next() async throws -> ByteBuffer? {
                let file = file
                let data = try await NIOThreadPool.singleton.runIfActive { try file.read(upToCount: FileChunks.piece) }
                return data.flatMap { $0.isEmpty ? nil : ByteBuffer(bytes: $0) }
            }
        }
    }
#endif
