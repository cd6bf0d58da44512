// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation

/// The lines of a response as they arrive, without line terminators.
///
/// A line ends with LF or CRLF; the last one may have neither. Invalid UTF-8 is decoded as replacement characters.
public struct ResponseLines: AsyncSequence, Sendable {
    /// The maximum line length, in bytes: a response without line terminators would exhaust memory.
    public static let longestLine = 1024 * 1024

    fileprivate let bytes: ResponseBytes

    /// Starts reading.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(bytes: bytes.makeAsyncIterator()) }

    /// Iterates over the lines.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var bytes: ResponseBytes.AsyncIterator
        private var rest: ArraySlice<UInt8> = []
        private var searched = 0
        private var isAtEnd = false

        fileprivate init(bytes: ResponseBytes.AsyncIterator) { self.bytes = bytes }

        /// Returns the next line; `nil` at the end.
        ///
        /// - Throws: `URLError(.dataLengthExceedsMaximum)` for a line that is too long, or the transfer's error.
        public mutating func next() async throws -> String? {
            while true {
                if let end = rest.dropFirst(searched).firstIndex(of: UInt8(ascii: "\n")) {
                    let line = rest[..<end]
                    rest = rest[rest.index(after: end)...]
                    searched = 0
                    return Self.text(line.last == UInt8(ascii: "\r") ? line.dropLast() : line)
                }
                if isAtEnd {
                    defer { rest = [] }
                    return rest.isEmpty ? nil : Self.text(rest)
                }
                guard rest.count <= ResponseLines.longestLine else { throw URLError(.dataLengthExceedsMaximum) }
                searched = rest.count
                // A new array: a growing slice would keep the storage of all previous lines.
                if let chunk = try await bytes.next() { rest = (Array(rest) + chunk)[...] } else { isAtEnd = true }
            }
        }

        private static func text(_ line: ArraySlice<UInt8>) -> String { String(decoding: line, as: UTF8.self) }
    }
}

extension ResponseBytes {
    /// The body as lines of text, each delivered as soon as it is complete.
    public var lines: ResponseLines { ResponseLines(bytes: self) }
}
