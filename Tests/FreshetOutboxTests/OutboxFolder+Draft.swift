// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import SessionFixtures

@testable import FreshetKit
@testable import FreshetOutbox

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension OutboxFolder.Draft {
    /// An item of the lane `main`.
    static func posting(_ body: String) throws -> OutboxFolder.Draft {
        var request = URLRequest(url: try Fixtures.url("https://api.example.com/notes"))
        request.httpMethod = "POST"
        request.httpBody = Data(body.utf8)
        let item = try OutboxItem(request, key: nil, dropping: [])
        return OutboxFolder.Draft(id: UUID(), lane: "main", bytes: try item.encoded())
    }
}
