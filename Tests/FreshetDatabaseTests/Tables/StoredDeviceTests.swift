// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetWire
import Testing

@testable import FreshetDatabase

@Suite struct `A row's device` {
    @Test func `the fast parser of stored devices returns the same device as the general parser`() throws {
        let texts = [
            #"["Anna's phone","ios","iPhone17,1","Wharf","2.4.1"]"#, #"[null,"ios"]"#, "[]", #"["",null,null,null,""]"#,
            #"["Ännä 📱","linux"]"#,
        ]
        for text in texts { #expect(try StoredDevice.plain(text) == StoredDevice.general(text)) }
        var read = 0
        for text in texts {
            let bytes = Array(text.utf8)
            for place in bytes.indices {
                for byte in [UInt8](0x08...0x0A) + Array(#""\\,[]{} nu1a"#.utf8) {
                    for mutant in [
                        bytes[..<place] + [byte] + bytes[place...], bytes[..<place] + [byte] + bytes[(place + 1)...],
                        bytes[..<place] + bytes[(place + 1)...],
                    ] {
                        let text = String(decoding: mutant, as: UTF8.self)
                        guard let device = StoredDevice.plain(text) else { continue }
                        #expect(try StoredDevice.general(text) == device)
                        read += 1
                    }
                }
            }
        }
        #expect(read > 1000)
    }
}
