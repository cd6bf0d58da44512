// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import HTTPTypes

/// A request of the lane as nearly every client of HTTP/1.1 sends it, found in the bytes of a connection.
///
/// Whatever is written in another way is somebody else's to read: a request is taken only if there is one way to
/// understand it, field by field and to the last byte (RFC 9112 sections 2 to 6).
struct FastPathRequest: Equatable {
    let call: FastPathRoute
    /// The fields that tell who asks, from where and by what names; no other one changes its answer.
    let fields: HTTPFields
    /// Where its body lies, if it has one; it ends with the bytes.
    let body: Range<Int>

    /// What bytes are.
    enum ParseResult: Equatable {
        case whole(FastPathRequest)
        /// So far they are one, and something is missing.
        case part
        case other
    }

    /// More fields than this are not looked at.
    private static let maximumFields = 48

    static func read(_ bytes: UnsafeRawBufferPointer, limits: RequestLimits) -> ParseResult {
        var isBegun = false
        for (call, line) in FastPathRoute.requestLines {
            let length = min(line.count, bytes.count)
            guard line.withUnsafeBytes({ $0[..<length].elementsEqual(bytes[..<length]) }) else { continue }
            if bytes.count >= line.count {
                var head = Head(call: call, limits: limits, bytes: bytes, next: line.count)
                return head.read()
            }
            isBegun = true
        }
        return isBegun ? .part : .other
    }

    /// The fields of a request, while they are read.
    private struct Head {
        let call: FastPathRoute
        let limits: RequestLimits
        let bytes: UnsafeRawBufferPointer
        var next: Int
        var hosts = 0
        var isJSON = false
        var length: Int?
        var fields = HTTPFields()

        mutating func read() -> ParseResult {
            for _ in 0..<FastPathRequest.maximumFields {
                guard let line = line() else { return bytes.count <= limits.headerBytes ? .part : .other }
                if line.isEmpty { return end() }
                guard take(line) else { return .other }
            }
            return .other
        }

        /// The next line without its end, whatever it is; `nil` if it is not whole.
        private mutating func line() -> Range<Int>? {
            var end = next
            while end < bytes.count, bytes[end] != 0x0A { end += 1 }
            guard end < bytes.count else { return nil }
            defer { next = end + 1 }
            // A line that ends in another way is no field, as it begins with what no name has.
            return end > next && bytes[end - 1] == 0x0D ? next..<end - 1 : end..<end + 1
        }

        private func end() -> ParseResult {
            // A body that nobody expects would be the next request to others.
            guard hosts == 1, next <= limits.headerBytes, call.hasBody ? isJSON && length != nil : length == nil
            else { return .other }
            let length = length ?? 0
            switch bytes.count - next {
            case ..<length: return .part
            case length: return .whole(FastPathRequest(call: call, fields: fields, body: next..<bytes.count))
            default: return .other
            }
        }

        /// Reads a field.
        ///
        /// - Returns: `false` for one that makes the request unusual.
        private mutating func take(_ line: Range<Int>) -> Bool {
            guard let colon = line.first(where: { bytes[$0] == UInt8(ascii: ":") }), colon > line.lowerBound else {
                return false
            }
            let name = line.lowerBound..<colon
            var value = colon + 1..<line.upperBound
            guard name.allSatisfy({ Self.isNameCharacter(bytes[$0]) }),
                value.allSatisfy({ (0x20...0x7E).contains(bytes[$0]) })
            else { return false }
            while let first = value.first, bytes[first] == 0x20 { value = value.dropFirst() }
            // Readers do not agree whether a space at the end belongs to the value.
            if let last = value.last, bytes[last] == 0x20 { return false }
            switch name.count {
            case 4 where has(name, "host"):
                hosts += 1
                return !value.isEmpty
            case 12 where has(name, "content-type"):
                // What no body has a type of changes nothing.
                guard call.hasBody else { return true }
                defer { isJSON = true }
                return !isJSON && has(value, "application/json")
            case 14 where has(name, "content-length"):
                guard length == nil, (1...7).contains(value.count) else { return false }
                var number = 0
                for place in value {
                    guard (0x30...0x39).contains(bytes[place]) else { return false }
                    number = number * 10 + Int(bytes[place] - 0x30)
                }
                length = number
                return (1...limits.bodyBytes).contains(number)
            case 10 where has(name, "connection"): return has(value, "keep-alive")
            case 6 where has(name, "expect"), 7 where has(name, "upgrade"), 17 where has(name, "transfer-encoding"):
                return false
            case 13 where has(name, "authorization"): if !call.hasBody { keep(.authorization, value) }
            case 11 where has(name, "traceparent"): keep(.traceParent, value)
            case 12 where has(name, "x-request-id"): keep(.requestID, value)
            case 15 where has(name, "x-forwarded-for"): keep(.forwardedFor, value)
            default: break
            }
            return true
        }

        private mutating func keep(_ name: HTTPField.Name, _ value: Range<Int>) {
            fields.append(HTTPField(name: name, value: String(decoding: bytes[value], as: UTF8.self)))
        }

        /// Whether bytes are a word, in capitals or not.
        private func has(_ place: Range<Int>, _ word: StaticString) -> Bool {
            guard place.count == word.utf8CodeUnitCount else { return false }
            for offset in 0..<place.count {
                let byte = bytes[place.lowerBound + offset]
                let small = (0x41...0x5A).contains(byte) ? byte | 0x20 : byte
                guard small == word.utf8Start[offset] else { return false }
            }
            return true
        }

        /// Fewer than RFC 9110 section 5.1 allows, and all that clients use.
        private static func isNameCharacter(_ byte: UInt8) -> Bool {
            (0x61...0x7A).contains(byte) || (0x41...0x5A).contains(byte) || (0x30...0x39).contains(byte)
                || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
        }
    }
}
