// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// Which requests to a backend's double go wrong, and how.
///
/// Steps for the same request are used up in order: the second counts when the first has no more requests to spoil.
///
///     backend.script = [FaultScript.Step(.replyLost), FaultScript.Step(.status(503), at: .api, times: 3)]
public struct FaultScript: Sendable, Equatable {
    /// What goes wrong with some requests to one endpoint.
    public struct Step: Sendable, Equatable {
        /// What goes wrong.
        public var fault: BackendFault
        /// With requests to what.
        public var endpoint: BackendEndpoint
        /// With how many more of them; `nil` is no end.
        public var times: Int?

        /// A step; it concerns one refresh unless something else is said.
        public init(_ fault: BackendFault, at endpoint: BackendEndpoint = .refresh, times: Int? = 1) {
            self.fault = fault
            self.endpoint = endpoint
            self.times = times
        }
    }

    /// What has not happened yet.
    public private(set) var steps: [Step] = []

    /// A script with these steps; those for no request at all are left out.
    public init(_ steps: [Step] = []) { self.steps = steps.filter { $0.times ?? 1 > 0 } }

    /// Whether nothing will go wrong any more.
    public var isEmpty: Bool { steps.isEmpty }

    /// Adds the steps of another script behind these.
    public mutating func append(_ script: FaultScript) { steps += script.steps }

    /// What goes wrong with the request that arrives now, to `path`, which belongs to `endpoint`.
    mutating func next(for path: String, of endpoint: BackendEndpoint) -> BackendFault? {
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
    /// A script with these steps.
    public init(arrayLiteral steps: Step...) { self.init(steps) }
}

extension FaultScript: Codable {
    /// Reads a list of steps, or one step alone.
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

    /// Writes the list of steps.
    public func encode(to encoder: any Encoder) throws { try steps.encode(to: encoder) }
}

extension FaultScript.Step: Codable {
    private enum CodingKeys: String, CodingKey, CaseIterable {
        case at, times
    }

    /// Reads a fault, and beside it `at` and `times`, where `null` is no end.
    public init(from decoder: any Decoder) throws {
        try decoder.refuseKeys(except: CodingKeys.allCases + BackendFault.CodingKeys.allCases)
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            try BackendFault(from: decoder),
            at: try container.decodeIfPresent(BackendEndpoint.self, forKey: .at) ?? .refresh,
            times: container.contains(.times) ? try container.decode(Int?.self, forKey: .times) : 1
        )
    }

    /// Writes the fault, and beside it `at` and `times`.
    public func encode(to encoder: any Encoder) throws {
        try fault.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(endpoint, forKey: .at)
        try container.encode(times, forKey: .times)
    }
}
