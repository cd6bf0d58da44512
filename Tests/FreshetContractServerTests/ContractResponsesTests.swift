// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetContract
import FreshetEngine
import FreshetWire
import HTTPTypes
import Hummingbird
import Testing

@testable import FreshetContractServer

@Suite struct `Responses in the shape of a contract` {
    @Test(
        arguments: [
            (ErrorCode.unavailable, 503), (.serverError, 500), (.methodNotAllowed, 405), (.requestTimeout, 408),
            (.headersTooLarge, 431), (.upgradeRequired, 426), (.contentTooLarge, 413),
        ]
    )
    func `an error response keeps its status and has the contract's content type`(code: ErrorCode, status: Int)
        async throws
    {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Sources/Client/FreshetKit/Contract/presets/melchat.json")
        let answers = ContractResponses(try ContractDocument(reading: Array(try Data(contentsOf: file))))
        let answer = try #require(answers.refusal(APIError(code, "why"), at: nil, "1"))
        #expect(answer.status.code == status)
        #expect(answer.headers[.contentType] == "application/json")
    }
}
