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
        request.setValue(scheme.isEmpty ? token : "\(scheme) \(token)", forHTTPHeaderField: header)
    }

    /// Everything that may be seen by the contract's hosts alone.
    var headerNames: [String] { [header] + headers.map(\.name) }
}
