// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation
internal import FreshetContract

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

extension Attachment {
    /// Puts an access token where requests of the app carry it.
    func attach(_ token: String, to request: inout URLRequest) {
        request.setHeader(scheme.isEmpty ? token : "\(scheme) \(token)", for: header)
    }

    /// Puts an access token, and what goes with it, where requests of the app carry them.
    ///
    /// - Throws: ``MissingValue`` if a header lacks a value.
    func attach(_ token: String, _ values: TemplateValues, to request: inout URLRequest) throws(MissingValue) {
        attach(token, to: &request)
        guard !headers.isEmpty else { return }
        let values = values.merging(TemplateValues(texts: ["access_token": token]))
        for header in headers {
            if let value = try header.template.text(values) { request.setHeader(value, for: header.name) }
        }
    }

    /// Everything that may be seen by the contract's hosts alone.
    var headerNames: [String] { [header] + headers.map(\.name) }
}
