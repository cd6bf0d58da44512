// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The passwords that are tried first: some thousands, which a guesser gets through in a day whatever the limits.
package enum CommonPasswords {
    private static let all = Set(CommonPasswordList.text.utf8.split(separator: UInt8(ascii: " ")).map(Array.init))

    package static var count: Int { all.count }

    /// Whether a password is one of them, in small letters.
    package static func contains(_ password: String) -> Bool { all.contains(Array(password.utf8)) }
}
