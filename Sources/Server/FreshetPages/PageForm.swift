// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetContract
import FreshetEngine
import FreshetHTTP
import FreshetWire
import Hummingbird

/// The fields of a form: `application/x-www-form-urlencoded`, limited in size, without duplicates.
struct PageForm: Sendable {
    /// The maximum size of a body; the forms of these pages are far smaller.
    static let limit = 8 * 1024
    /// The field of the CSRF token, which all forms of these pages contain.
    static let tokenField = "form_token"

    private let fields: [String: String]

    init(_ request: Request) async throws {
        guard request.mediaType == "application/x-www-form-urlencoded" else {
            throw APIError(.unsupportedMediaType, "send a form")
        }
        let fields = try URLEncodedForm.fields(of: try await request.content(limit: Self.limit))
        self.fields = Dictionary(fields.map { ($0.name, $0.value) }) { first, _ in first }
    }

    /// Returns a field without surrounding whitespace; empty if it is missing.
    subscript(name: String) -> String { fields[name]?.trimmingCharacters(in: .whitespacesAndNewlines) ?? "" }
}
