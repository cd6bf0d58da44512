// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The most common passwords: a few thousand, which an attacker can try in a day despite the limits.
package enum CommonPasswords {
    private static let all = Set(CommonPasswordList.text.utf8.split(separator: UInt8(ascii: " ")).map(Array.init))

    static var count: Int { all.count }

    /// Whether a lowercased password is one of them.
    package static func contains(_ password: String) -> Bool { all.contains(Array(password.utf8)) }
}
