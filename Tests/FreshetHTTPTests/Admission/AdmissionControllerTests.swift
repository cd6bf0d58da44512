// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetEngine
import Testing

@testable import FreshetDatabase
@testable import FreshetHTTP

@Suite(.timeLimit(.minutes(5)))
struct `Admission of requests` {
    @Test func `the admission controller reports the idle state only after the last request has ended`() async throws {
        let admission = AdmissionController(AdmissionLimits())
        await admission.waitUntilIdle()
        for _ in 1...2 { try admission.beginRequest() }
        let (steps, step) = AsyncStream.makeStream(of: String.self)
        let waiting = Task {
            await admission.waitUntilIdle()
            step.yield("idle")
        }
        admission.endRequest()
        step.yield("one left")
        admission.endRequest()
        await waiting.value
        step.finish()
        #expect(await steps.reduce(into: []) { $0.append($1) } == ["one left", "idle"])
        #expect(admission.requests == 0)
    }
}
