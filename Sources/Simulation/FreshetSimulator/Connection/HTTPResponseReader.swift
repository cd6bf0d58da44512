// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(Linux)
    import Foundation
    import NIOCore

    /// Reads the responses of an HTTP/1.1 connection from its bytes.
    struct HTTPResponseReader {
        struct Response {
            var status: Int
            /// The fields by name, in lower case.
            var fields: [String: String]
            var body = Data()

            /// Whether the connection closes after the response.
            var closes: Bool { fields["connection"]?.lowercased() == "close" }
        }

        enum Failure: Error {
            case notHTTP, noLength
        }

        private var bytes = Data()

        /// Whether a response has begun.
        var hasPartialResponse: Bool { !bytes.isEmpty }

        mutating func receive(_ buffer: ByteBuffer) { bytes.append(contentsOf: buffer.readableBytesView) }

        /// Removes the first response, if all of it has arrived.
        ///
        /// - Throws: `Failure` if the bytes are not a response with a length.
        mutating func next() throws -> Response? {
            guard let end = bytes.firstRange(of: Data("\r\n\r\n".utf8)) else { return nil }
            let head = String(decoding: bytes[bytes.startIndex..<end.lowerBound], as: UTF8.self)
            let lines = head.components(separatedBy: "\r\n")
            let start = lines[0].split(separator: " ", maxSplits: 2)
            guard start.count >= 2, start[0] == "HTTP/1.1", let status = Int(start[1]) else { throw Failure.notHTTP }
            var response = Response(status: status, fields: [:])
            for line in lines.dropFirst() {
                guard let colon = line.firstIndex(of: ":") else { throw Failure.notHTTP }
                let value = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
                response.fields[line[..<colon].lowercased()] = value
            }
            var length = 0
            if ![204, 304].contains(status) {
                guard let value = response.fields["content-length"].flatMap({ Int($0) }) else { throw Failure.noLength }
                length = value
            }
            guard bytes.endIndex - end.upperBound >= length else { return nil }
            response.body = Data(bytes[end.upperBound..<end.upperBound + length])
            bytes = Data(bytes[(end.upperBound + length)...])
            return response
        }
    }
#endif
