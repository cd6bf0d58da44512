// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Testing

@testable import FreshetIdentity

@Suite struct `The traceparent field` {
    private static let parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

    @Test(arguments: [
        "", "00", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7", "ff-\(parent.dropFirst(3))",
        "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01", "\(parent)-x", parent.uppercased(),
        "00-4bf92f3577b34da6a3ce929d0e0e473-00f067aa0ba902b7-01", "00-\"}{\u{1}",
    ])
    func `an invalid traceparent field is rejected`(text: String) {
        #expect(TraceParent(text) == nil)
    }

    @Test func `a later version of the traceparent field is read as far as its format is known`() {
        #expect(TraceParent("01\(Self.parent.dropFirst(2))-more")?.flags == "01")
    }
}
