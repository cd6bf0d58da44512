// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation
package import FreshetKit

extension SessionStoreContract {
    /// Returns a record that is identified by a number; it holds one pending sign-out.
    package static func record(_ number: Int) throws -> SessionRecord {
        let logout = #"{"origin":"https://example.com:443","sessionID":"\#(number)","refreshToken":"none"}"#
        let text = #"{"version":1,"origin":"https://example.com:443","pendingLogouts":[\#(logout)]}"#
        return try SessionRecord(decoding: Data(text.utf8))
    }

    /// Returns a 16 KiB record with a session and every other field, and texts that are easily damaged.
    ///
    /// - Parameters:
    ///   - number: Distinguishes records; the texts differ from their first to their last byte.
    ///   - ended: The reason that the earlier session ended, instead of a session.
    /// - Returns: The record.
    /// - Throws: ``SessionStoreError`` if this version of the SDK cannot read it.
    static func fullRecord(_ number: Int, ended: SignOutReason? = nil) throws -> SessionRecord {
        // Composed and decomposed, beyond the BMP, right to left, and characters that JSON and C must escape.
        let text = "Žofie \(number) e\u{301} 𝄞 日本語 עברית \\u0000\\u2028\\\"\\\\\\/"
        let filler = String(repeating: "ß\(number)/é😀", count: 1 + 16 * 1024 / "ß\(number)/é😀".utf8.count)
        let session = """
            {"id":"\(number)","generation":9007199254740993,"refreshToken":"\(filler)","intent":"\(text)",
            "accessToken":"access \(text)","askedAt":1800000000.125,"askedSinceBoot":86400.5,"boot":"\(number)",
            "lifetime":600,"userID":"\(text)","email":"\(text)@example.com","endsAt":1900000000.25}
            """
        let logouts = ["\(number)", text].map {
            #"{"origin":"https://example.com:443","sessionID":"\#($0)","refreshToken":"\#($0)","accessToken":"\#($0)"}"#
        }
        let state = ended.map { #""ended":"\#($0.rawValue)""# } ?? #""session":\#(session),"chosenAt":1800000001.5"#
        let content = """
            {"version":1,"origin":"https://example.com:443",\(state),"isImported":true,
            "pendingLogouts":[\(logouts.joined(separator: ","))]}
            """
        return try SessionRecord(decoding: Data(content.utf8))
    }

    /// Whether two records are equal byte for byte; texts that compare equal may differ in their bytes.
    static func isSame(_ one: SessionRecord?, _ other: SessionRecord?) throws -> Bool {
        try one == other && one?.encoded() == other?.encoded()
    }

    /// Returns the number of a record made by ``record(_:)``.
    package static func number(_ record: SessionRecord) throws -> Int {
        struct Content: Decodable {
            struct Logout: Decodable { var sessionID: String }
            var pendingLogouts: [Logout]
        }
        let content = try JSONDecoder().decode(Content.self, from: try record.encoded())
        guard let number = content.pendingLogouts.first.flatMap({ Int($0.sessionID) }) else {
            throw Violation(rule: .atomicReads, detail: "a record was read that was never written")
        }
        return number
    }
}
