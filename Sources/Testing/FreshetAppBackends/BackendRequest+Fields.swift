// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation
internal import FreshetTesting

extension BackendRequest {
    /// The members of a JSON body.
    ///
    /// A body without a JSON Content-Type has no members, as in the frameworks on which such backends are built.
    var fields: [String: Any] {
        guard headers["Content-Type"]?.lowercased().hasPrefix("application/json") == true else { return [:] }
        return (try? JSONSerialization.jsonObject(with: body)) as? [String: Any] ?? [:]
    }

    /// Returns the text of a member of the JSON body; `nil` if it is empty.
    func text(_ field: String) -> String? {
        (fields[field] as? String).flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Returns the text of a form field.
    func formText(_ field: String) -> String? {
        guard headers["Content-Type"]?.lowercased().hasPrefix("application/x-www-form-urlencoded") == true else {
            return nil
        }
        // `percentEncodedQuery` is not used: it terminates the process on an invalid escape.
        let form = URLComponents(string: "?" + String(decoding: body, as: UTF8.self).replacing("+", with: "%20"))
        return form?.queryItems?.first { $0.name == field }?.value.flatMap { $0.isEmpty ? nil : $0 }
    }
}
