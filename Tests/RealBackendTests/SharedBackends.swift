// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The backends that tests share: to start one takes longer than most tests do.
actor SharedBackends {
    static let all = SharedBackends()

    private var backends: [String: Task<RealBackend, any Error>] = [:]

    /// The running backend of this kind with these arguments, started when it is asked for first.
    func backend(_ kind: BackendKind, _ arguments: [String]) async throws -> RealBackend {
        let name = ([kind.rawValue] + arguments).joined(separator: " ")
        let backend = backends[name] ?? Task { try await RealBackend.start(kind, arguments) }
        backends[name] = backend
        return try await backend.value
    }
}
