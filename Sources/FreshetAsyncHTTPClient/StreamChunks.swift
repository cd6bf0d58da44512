// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if AsyncHTTPClient
    internal import Foundation
    internal import NIOCore
    internal import NIOPosix

    /// The content of an `InputStream`, read piece by piece on threads that may block; once only.
    struct StreamChunks: AsyncSequence, Sendable {
        private static let piece = 64 * 1024

        private let stream: Stream

        /// - Throws: `URLError(.requestBodyStreamExhausted)` if the stream was opened before.
        init(_ stream: InputStream) throws {
            guard stream.streamStatus == .notOpen else { throw URLError(.requestBodyStreamExhausted) }
            self.stream = Stream(stream)
        }

        func makeAsyncIterator() -> AsyncIterator { AsyncIterator(stream: stream) }

        struct AsyncIterator: AsyncIteratorProtocol {
            fileprivate let stream: Stream

            mutating func next() async throws -> ByteBuffer? {
                let stream = stream
                return try await NIOThreadPool.singleton.runIfActive { try stream.read(upTo: StreamChunks.piece) }
            }
        }

        /// Used by one thread at a time: each read waits for the one before.
        fileprivate final class Stream: @unchecked Sendable {
            private let base: InputStream

            init(_ base: InputStream) { self.base = base }
            deinit { base.close() }

            func read(upTo limit: Int) throws -> ByteBuffer? {
                if base.streamStatus == .notOpen { base.open() }
                var buffer = [UInt8](repeating: 0, count: limit)
                let count = base.read(&buffer, maxLength: limit)
                guard count >= 0 else { throw base.streamError ?? URLError(.cannotOpenFile) }
                return count == 0 ? nil : ByteBuffer(bytes: buffer[..<count])
            }
        }
    }
#endif
