// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetContract
import FreshetEngine
import FreshetHTTP
import FreshetWire
import Hummingbird

/// What a form brought: `application/x-www-form-urlencoded`, bounded, each field once.
package struct PageForm: Sendable {
    /// No form of ours is near it.
    static let limit = 8 * 1024
    /// The field that every form of ours carries.
    static let tokenField = "form_token"

    private let fields: [String: String]

    init(_ request: Request) async throws {
        guard request.mediaType == "application/x-www-form-urlencoded" else {
            throw APIError(.unsupportedMediaType, "send a form")
        }
        let fields = try URLEncodedForm.fields(of: try await request.content(limit: Self.limit))
        self.fields = Dictionary(fields.map { ($0.name, $0.value) }) { first, _ in first }
    }

    /// A field, without blanks around it; empty if there is none.
    subscript(name: String) -> String { fields[name]?.trimmingCharacters(in: .whitespacesAndNewlines) ?? "" }
}
