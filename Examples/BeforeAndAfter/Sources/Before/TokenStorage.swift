// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation

/// The app's keychain wrapper, texts by key; here it is a file.
final class TokenStorage: Sendable {
    let file: URL

    init(file: URL) { self.file = file }

    subscript(key: String) -> String? {
        get { texts[key] }
        set {
            var texts = texts
            texts[key] = newValue
            // Fault 1: a failed write goes unnoticed, and the next launch begins with an old refresh token.
            try? JSONEncoder().encode(texts).write(to: file, options: .atomic)
        }
    }

    // Fault 2: "cannot be read now", as before the first unlock of a device, is the same as "signed out".
    private var texts: [String: String] { (try? read()) ?? [:] }

    func read() throws -> [String: String] {
        try JSONDecoder().decode([String: String].self, from: Data(contentsOf: file))
    }
}
