// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// A strict parser of the HTTP/1.1 requests that nearly every client of the fast path sends.
///
/// It accepts a request only if all HTTP/1.1 parsers agree on every field and on the last byte (RFC 9112 sections 2 to
/// 6). All other requests are left to NIO's decoder. `Scripts/fuzz` compares the two.
package struct FastPathRequestParser: Sendable {
    /// The result of parsing the bytes that a connection has received.
    package enum ParseResult: Equatable {
        /// The bytes are exactly one request.
        case complete(FastPathRequest)
        /// The bytes are the beginning of a request.
        case incomplete
        /// The bytes are not a fast-path request, or continue after it.
        case rejected
    }

    /// A request with more header fields is rejected.
    private static let maximumFields = 48

    let endpoints: [FastPathEndpoint]
    let maximumHeaderBytes: Int
    let maximumBodyBytes: Int

    package init(endpoints: [FastPathEndpoint], maximumHeaderBytes: Int, maximumBodyBytes: Int) {
        self.endpoints = endpoints
        self.maximumHeaderBytes = maximumHeaderBytes
        self.maximumBodyBytes = maximumBodyBytes
    }

    /// Parses all bytes of a request that have been received; each call starts at the first byte.
    package func parse(_ bytes: UnsafeRawBufferPointer) -> ParseResult {
        var isIncomplete = false
        for (index, endpoint) in endpoints.enumerated() {
            let line = endpoint.requestLine
            let length = min(line.count, bytes.count)
            guard line.withUnsafeBytes({ $0[..<length].elementsEqual(bytes[..<length]) }) else { continue }
            if bytes.count >= line.count {
                var head = HeadParser(
                    endpoint: index,
                    hasBody: endpoint.hasBody,
                    maximumHeaderBytes: maximumHeaderBytes,
                    maximumBodyBytes: maximumBodyBytes,
                    bytes: bytes,
                    next: line.count
                )
                return head.parse()
            }
            isIncomplete = true
        }
        return isIncomplete ? .incomplete : .rejected
    }

    /// The state of parsing the header fields of one request.
    private struct HeadParser {
        let endpoint: Int
        let hasBody: Bool
        let maximumHeaderBytes: Int
        let maximumBodyBytes: Int
        let bytes: UnsafeRawBufferPointer
        /// The start of the next line.
        var next: Int
        var hosts = 0
        var isJSON = false
        var contentLength: Int?
        var fields: [FastPathRequest.Field] = []

        mutating func parse() -> ParseResult {
            fields.reserveCapacity(12)
            for _ in 0..<FastPathRequestParser.maximumFields {
                guard let line = nextLine() else { return bytes.count <= maximumHeaderBytes ? .incomplete : .rejected }
                if line.isEmpty { return finish() }
                guard parseField(line) else { return .rejected }
            }
            return .rejected
        }

        /// Returns the next line without its CRLF, or `nil` if its end has not been received.
        private mutating func nextLine() -> Range<Int>? {
            var end = next
            while end < bytes.count, bytes[end] != 0x0A { end += 1 }
            guard end < bytes.count else { return nil }
            defer { next = end + 1 }
            // A line that ends in LF alone is returned as that LF, which no field name may begin with.
            return end > next && bytes[end - 1] == 0x0D ? next..<end - 1 : end..<end + 1
        }

        private func finish() -> ParseResult {
            // Other parsers would take an unexpected body for the next request.
            guard hosts == 1, next <= maximumHeaderBytes,
                hasBody ? isJSON && contentLength != nil : contentLength == nil
            else { return .rejected }
            let length = contentLength ?? 0
            switch bytes.count - next {
            case ..<length: return .incomplete
            case length:
                return .complete(FastPathRequest(endpoint: endpoint, fields: fields, body: next..<bytes.count))
            default: return .rejected
            }
        }

        /// Parses a header field.
        ///
        /// - Returns: `false` if the request has to be rejected because of it.
        private mutating func parseField(_ line: Range<Int>) -> Bool {
            guard let colon = line.first(where: { bytes[$0] == UInt8(ascii: ":") }), colon > line.lowerBound else {
                return false
            }
            let name = line.lowerBound..<colon
            var value = colon + 1..<line.upperBound
            guard name.allSatisfy({ Self.isNameCharacter(bytes[$0]) }),
                value.allSatisfy({ (0x20...0x7E).contains(bytes[$0]) })
            else { return false }
            while let first = value.first, bytes[first] == 0x20 { value = value.dropFirst() }
            // Parsers disagree about whether trailing space belongs to the value.
            if let last = value.last, bytes[last] == 0x20 { return false }
            var known = FastPathRequest.FieldName.other
            switch name.count {
            case 4 where equals(name, "host"):
                hosts += 1
                if !isPlainHost(value) { return false }
            case 12 where equals(name, "content-type"):
                // Content-Type is irrelevant without a body.
                guard !hasBody || (!isJSON && equals(value, "application/json")) else { return false }
                isJSON = true
            case 14 where equals(name, "content-length"):
                guard contentLength == nil, let length = number(value), (1...maximumBodyBytes).contains(length)
                else { return false }
                contentLength = length
            case 10 where equals(name, "connection"): if !equals(value, "keep-alive") { return false }
            // NIO's decoder closes the connection after `Proxy-Connection: close`.
            case 6 where equals(name, "expect"), 7 where equals(name, "upgrade"),
                16 where equals(name, "proxy-connection"), 17 where equals(name, "transfer-encoding"):
                return false
            case 13 where equals(name, "authorization"): known = .authorization
            case 11 where equals(name, "traceparent"): known = .traceParent
            case 12 where equals(name, "x-request-id"): known = .requestID
            case 15 where equals(name, "x-forwarded-for"): known = .forwardedFor
            default: break
            }
            fields.append(FastPathRequest.Field(name: known, nameRange: name, valueRange: value))
            return true
        }

        /// Whether a host is letters, digits, `-` and `.`, with an optional port; other valid hosts are rare.
        private func isPlainHost(_ range: Range<Int>) -> Bool {
            let host = range.prefix { index in
                let byte = bytes[index]
                return Self.isNameCharacter(byte) || byte == UInt8(ascii: ".")
            }
            let port = range.dropFirst(host.count)
            guard !host.isEmpty, let colon = port.first else { return !host.isEmpty }
            return bytes[colon] == UInt8(ascii: ":") && port.dropFirst().allSatisfy { HostField.isDigit(bytes[$0]) }
        }

        /// Parses one to seven decimal digits.
        private func number(_ range: Range<Int>) -> Int? {
            guard (1...7).contains(range.count) else { return nil }
            var number = 0
            for index in range {
                guard (0x30...0x39).contains(bytes[index]) else { return nil }
                number = number * 10 + Int(bytes[index] - 0x30)
            }
            return number
        }

        /// Compares bytes with a lowercase string, ignoring the case of ASCII letters.
        private func equals(_ range: Range<Int>, _ expected: StaticString) -> Bool {
            guard range.count == expected.utf8CodeUnitCount else { return false }
            for offset in 0..<range.count {
                let byte = bytes[range.lowerBound + offset]
                let lowercase = (0x41...0x5A).contains(byte) ? byte | 0x20 : byte
                guard lowercase == expected.utf8Start[offset] else { return false }
            }
            return true
        }

        /// Whether a byte may be in a field name: a subset of RFC 9110 section 5.1 that clients use.
        private static func isNameCharacter(_ byte: UInt8) -> Bool {
            (0x61...0x7A).contains(byte) || (0x41...0x5A).contains(byte) || (0x30...0x39).contains(byte)
                || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
        }
    }
}
