// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The requests of a run, and the evaluation of their responses.
package protocol Workload: AnyObject {
    /// How many sessions take turns; each has one request under way at most.
    var sessionCount: Int { get }

    /// Writes the whole next request of a session.
    func writeRequest(of session: Int, to buffer: inout RequestBuffer)

    /// Takes the answer to it.
    ///
    /// - Returns: Whether it is the answer that was hoped for.
    func receive(status: Int, body: UnsafeRawBufferPointer, for session: Int) -> Bool
}

/// The bytes of one request, in memory that is used again for the next.
package struct RequestBuffer {
    private(set) var bytes: [UInt8] = []

    mutating func clear() { bytes.removeAll(keepingCapacity: true) }

    /// Appends text.
    package mutating func append(_ text: StaticString) {
        bytes.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// Appends bytes as they are.
    package mutating func append(_ more: [UInt8]) { bytes.append(contentsOf: more) }

    /// Appends a number in decimal digits.
    package mutating func append(_ number: Int) {
        if number >= 10 { append(number / 10) }
        bytes.append(UInt8(48 + number % 10))
    }
}
