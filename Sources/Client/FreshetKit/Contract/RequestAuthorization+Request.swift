// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation
internal import FreshetContract

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

extension RequestAuthorization {
    /// Sets the header field with an access token, and the accompanying fields, on a request of the app.
    func attach(_ token: String, _ values: TemplateValues, to request: inout URLRequest) throws(MissingValue) {
        for (name, value) in try fields(with: token, values) { request.setHeader(value, for: name) }
    }

    /// Returns the header field with an access token, and the accompanying fields.
    func fields(with token: String, _ values: TemplateValues) throws(MissingValue) -> [(name: String, value: String)] {
        var fields = [(name: header, value: field(with: token))]
        guard !headers.isEmpty else { return fields }
        let values = values.merging(TemplateValues(texts: ["access_token": token]))
        for header in headers {
            if let value = try header.template.text(values) { fields.append((header.name, value)) }
        }
        return fields
    }

    private func field(with token: String) -> String { scheme.isEmpty ? token : "\(scheme) \(token)" }

    /// The header fields that only the contract's hosts may see.
    var headerNames: [String] { [header] + headers.map(\.name) }
}
