// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Testing

@testable import FreshetHTTP

@Suite struct `Listen addresses` {
    @Test(arguments: [
        ("9464", "127.0.0.1", 9464, true), ("0.0.0.0:1", "0.0.0.0", 1, false), ("[::1]:80", "::1", 80, true),
        ("localhost:0", "localhost", 0, true),
    ])
    func `a listen address with only a port is on loopback, and a given host is used`(
        text: String,
        host: String,
        port: Int,
        isLoopback: Bool
    ) throws {
        let address = try #require(ListenAddress(text))
        #expect(address.host == host && address.port == port && address.isLoopback == isLoopback)
    }

    @Test(arguments: ["", "x", ":1", "70000", "127.0.0.1:", "127.0.0.1:-1"])
    func `an invalid listen address is refused`(text: String) { #expect(ListenAddress(text) == nil) }
}
