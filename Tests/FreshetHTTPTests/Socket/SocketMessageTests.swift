// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import Testing

@testable import FreshetHTTP

@Suite struct `A message of a socket` {
    @Test func `the description and the dump of a socket message do not contain its content`() {
        for message in [SocketMessage.text("S3CR3T"), .binary(Data("S3CR3T".utf8))] {
            var dumped = ""
            dump(message, to: &dumped)
            #expect(!"\(message) \(String(reflecting: message)) \(dumped)".contains("S3CR3T"))
        }
        #expect(!"\(SocketStateMachine.MessageAction.check("S3CR3T"))".contains("S3CR3T"))
    }
}
