// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetKit
import NIOCore

/// A duplicate of an old refresh.
extension DemoEnvironment {
    /// Performs act e.
    func replayedRefresh() async throws -> ActResult {
        try await session.refresh()
        guard let old = network.recordedRefreshes.first else {
            return ActResult(held: false, text: "nothing recorded", expected: "a recorded refresh")
        }
        let answer = try await RawRequest(server: address).repeatRefresh(Data(old.readableBytesView))
        let works = await callers.call()
        return ActResult(
            held: answer == RawRequest.Answer(status: 409, code: "superseded") && works,
            text: "answered \(answer.status) \(answer.code ?? ""), and the session \(works ? "lives" : "has ended")",
            expected: "409 superseded, and a session that lives"
        )
    }
}
