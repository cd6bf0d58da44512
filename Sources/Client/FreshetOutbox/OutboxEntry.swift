// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation
internal import FreshetKit
internal import FreshetWire

/// The metadata of an item, all of which is in its file's name.
struct OutboxEntry: Hashable, Sendable {
    static let maximumLaneNameLength = 64

    /// The greatest valid number; dates in microseconds are below 10^16.
    ///
    /// A file with a greater number was damaged, or created by another program.
    static let largestNumber: UInt64 = 1 << 62

    /// The item's number, which increases with every item of an account.
    ///
    /// It is the time of enqueueing in microseconds since 1970, or the greatest number so far plus one.
    var number: UInt64
    var id: UUID
    var lane: String
    var bytes: Int

    /// The file's name: number, ID and lane, such as `00064f2f3a1b2c3d.1b4e28ba-2fa1-11d2-883f-0016d3cca427.notes`.
    var file: String { "\(Self.digits(number)).\(id.uuidString.lowercased()).\(FileName.escapedKeepingCase(lane))" }

    init(number: UInt64, id: UUID, lane: String, bytes: Int) {
        self.number = number
        self.id = id
        self.lane = lane
        self.bytes = bytes
    }

    /// Parses the name of an item's file; `nil` if it is not one.
    init?(file: String, bytes: Int) {
        let text = file.utf8
        // Accepts only the exact form of `file`; otherwise the item would not be found under its name.
        guard text.count > 54, !text.prefix(54).contains(where: { 0x41...0x5A ~= $0 }),
            let number = Self.number(text.prefix(16)),
            let id = UUID(exactly: Substring(text.dropFirst(17).prefix(36))),
            let lane = FileName.unescapedKeepingCase(String(Substring(text.dropFirst(54)))),
            text.dropFirst(16).first == UInt8(ascii: "."), text.dropFirst(53).first == UInt8(ascii: ".")
        else { return nil }
        self.init(number: number, id: id, lane: lane, bytes: bytes)
    }

    /// Returns the numbers of `count` new items.
    ///
    /// - Parameters:
    ///   - count: The number of items.
    ///   - last: The greatest number so far.
    ///   - now: The device's date.
    /// - Returns: `nil` if no greater numbers are left.
    static func numbers(_ count: Int, after last: UInt64, at now: Date) -> ClosedRange<UInt64>? {
        let clock = UInt64(max(0, min(now.timeIntervalSince1970, 1e10)) * 1e6)
        let (next, isUsedUp) = last.addingReportingOverflow(1)
        let first = max(next, clock)
        let (end, overflows) = first.addingReportingOverflow(UInt64(max(count, 1)) - 1)
        return isUsedUp || overflows ? nil : first...end
    }

    /// The time of enqueueing, by the wall clock at that time.
    var date: Date { Date(timeIntervalSince1970: Double(number) / 1e6) }

    /// Whether the item exceeds the maximum age; an item with a date in the future does not.
    func isExpired(at now: Date, maximumAge: Duration?) -> Bool {
        guard let maximumAge else { return false }
        return now.timeIntervalSince(date) > maximumAge.inSeconds
    }

    /// Returns sixteen hexadecimal digits, so that names sort like numbers.
    static func digits(_ number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// Parses the result of ``digits(_:)``.
    static func number(_ digits: some Collection<UInt8>) -> UInt64? {
        guard digits.count == 16 else { return nil }
        var number: UInt64 = 0
        for digit in digits {
            switch digit {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): number = number << 4 | UInt64(digit & 0xF)
            case UInt8(ascii: "a")...UInt8(ascii: "f"): number = number << 4 | UInt64(digit - 0x57)
            default: return nil
            }
        }
        return number
    }
}
