// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import FreshetKit

extension TestBackend {
    /// The faults of the next requests.
    public var script: FaultScript {
        get { state.withLock { $0.script } }
        set { state.withLock { $0.script = newValue } }
    }

    /// Adds faults for the next requests to an endpoint, in this order.
    ///
    /// - Parameters:
    ///   - faults: The faults to inject.
    ///   - endpoint: The endpoint whose requests fail.
    ///   - times: The number of requests per fault; `nil` until ``clearFaults()``.
    public func fail(_ faults: BackendFault..., at endpoint: BackendEndpoint = .refresh, times: Int? = 1) {
        add(FaultScript(faults.map { FaultScript.Step($0, at: endpoint, times: times) }))
    }

    /// Adds the faults of a script after those already scheduled.
    public func add(_ script: FaultScript) { state.withLock { $0.script.append(script) } }

    /// Removes all faults; held responses stay held.
    public func clearFaults() { script = FaultScript() }

    /// Releases all held responses.
    public func release() {
        let held = state.withLock { state in
            defer { state.held = [] }
            return state.held
        }
        for response in held { response.release() }
    }
}
