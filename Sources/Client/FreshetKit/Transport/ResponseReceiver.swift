// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// Receives the events of one task, in this order, each on any thread.
protocol ResponseReceiver: Sendable {
    func receive(_ response: HTTPURLResponse)
    func receive(_ data: Data)
    /// Ends the response; later calls have no effect.
    func finish(_ error: (any Error)?)
}
