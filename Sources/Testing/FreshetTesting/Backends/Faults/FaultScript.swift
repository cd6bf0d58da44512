// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The faults of the next requests to a fake backend.
///
/// Steps for the same request are used in order: the second applies when the first has no requests left.
///
///     backend.script = [FaultScript.Step(.replyLost), FaultScript.Step(.status(503), at: .api, times: 3)]
public struct FaultScript: Sendable, Equatable {
    /// A fault of some requests to one endpoint.
    public struct Step: Sendable, Equatable {
        /// The fault to inject.
        public var fault: BackendFault
        /// The endpoint whose requests fail.
        public var endpoint: BackendEndpoint
        /// The number of requests that still fail; `nil` for no limit.
        public var times: Int?

        /// Creates a step, by default for one refresh.
        public init(_ fault: BackendFault, at endpoint: BackendEndpoint = .refresh, times: Int? = 1) {
            self.fault = fault
            self.endpoint = endpoint
            self.times = times
        }
    }

    /// The steps that are not used up.
    public private(set) var steps: [Step] = []

    /// Creates a script from steps; steps for zero requests are left out.
    public init(_ steps: [Step] = []) { self.steps = steps.filter { $0.times ?? 1 > 0 } }

    /// Whether no faults are left.
    public var isEmpty: Bool { steps.isEmpty }

    /// Appends the steps of another script.
    public mutating func append(_ script: FaultScript) { steps += script.steps }

    /// Returns the fault for the current request to `path` of `endpoint`, and counts the request.
    package mutating func next(for path: String, of endpoint: BackendEndpoint) -> BackendFault? {
        guard let index = steps.firstIndex(where: { $0.endpoint.matches(path, of: endpoint) }) else { return nil }
        let fault = steps[index].fault
        if let times = steps[index].times {
            steps[index].times = times - 1
            if times == 1 { steps.remove(at: index) }
        }
        return fault
    }
}

extension FaultScript: ExpressibleByArrayLiteral {
    /// Creates a script from steps.
    public init(arrayLiteral steps: Step...) { self.init(steps) }
}

extension FaultScript: Codable {
    /// Decodes a list of steps, or a single step.
    public init(from decoder: any Decoder) throws {
        if let container = try? decoder.unkeyedContainer() {
            var container = container
            var steps: [Step] = []
            while !container.isAtEnd { steps.append(try container.decode(Step.self)) }
            self.init(steps)
        } else {
            self.init([try Step(from: decoder)])
        }
    }

    /// Encodes the list of steps.
    public func encode(to encoder: any Encoder) throws { try steps.encode(to: encoder) }
}

extension FaultScript.Step: Codable {
    private enum CodingKeys: String, CodingKey, CaseIterable {
        case at, times
    }

    /// Decodes a fault with `at` and `times` as additional members; a `times` of `null` is unlimited.
    public init(from decoder: any Decoder) throws {
        try decoder.refuseKeys(except: CodingKeys.allCases + BackendFault.CodingKeys.allCases)
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            try BackendFault(from: decoder),
            at: try container.decodeIfPresent(BackendEndpoint.self, forKey: .at) ?? .refresh,
            times: container.contains(.times) ? try container.decode(Int?.self, forKey: .times) : 1
        )
    }

    /// Encodes the fault with `at` and `times` as additional members.
    public func encode(to encoder: any Encoder) throws {
        try fault.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(endpoint, forKey: .at)
        try container.encode(times, forKey: .times)
    }
}
