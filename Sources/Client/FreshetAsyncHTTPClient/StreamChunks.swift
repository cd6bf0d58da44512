// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if AsyncHTTPClient
    internal import Foundation
    internal import NIOCore

    /// The content of an `InputStream`, read once in chunks on a thread that may block.
    struct StreamChunks: AsyncSequence, Sendable {
        private static let piece = 64 * 1024

        private let stream: Stream

        /// Creates the chunks of a stream.
        ///
        /// - Throws: `URLError(.requestBodyStreamExhausted)` if the stream was opened before.
        init(_ stream: InputStream) throws {
            guard stream.streamStatus == .notOpen else { throw URLError(.requestBodyStreamExhausted) }
            self.stream = Stream(stream)
        }

        func makeAsyncIterator() -> AsyncIterator { AsyncIterator(stream: stream) }

        struct AsyncIterator: AsyncIteratorProtocol {
            fileprivate let stream: Stream

            mutating func next() async throws -> ByteBuffer? {
                try await stream.read(upTo: StreamChunks.piece)
            }
        }

        /// Used by one thread at a time: each read waits for the previous one.
        fileprivate final class Stream: @unchecked Sendable {
            private let base: InputStream
            /// A separate queue: a stream without data blocks its thread, and NIO's pool has one thread per core.
            private let queue = DispatchQueue(label: "freshet.body-stream")

            init(_ base: InputStream) { self.base = base }
            deinit { base.close() }

            func read(upTo limit: Int) async throws -> ByteBuffer? {
                try await withCheckedThrowingContinuation { continuation in
                    queue.async { [self] in continuation.resume(with: Result { try readNow(upTo: limit) }) }
                }
            }

            private func readNow(upTo limit: Int) throws -> ByteBuffer? {
                if base.streamStatus == .notOpen { base.open() }
                var buffer = [UInt8](repeating: 0, count: limit)
                let count = base.read(&buffer, maxLength: limit)
                guard count >= 0 else { throw base.streamError ?? URLError(.cannotOpenFile) }
                return count == 0 ? nil : ByteBuffer(bytes: buffer[..<count])
            }
        }
    }
#endif
