// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// A test that waits until a fake backend is in a certain state.
struct BackendWatcher: Sendable {
    /// Whether the state is the one that the test waits for.
    var isMet: @Sendable (BackendState) -> Bool
    var continuation: CheckedContinuation<Void, any Error>
}
