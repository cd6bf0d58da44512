// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// Takes what arrives for one task, in this order, and each on whatever thread it comes.
protocol ResponseReceiver: Sendable {
    func receive(_ response: HTTPURLResponse)
    func receive(_ data: Data)
    /// The end; what comes after the first is of no account.
    func finish(_ error: (any Error)?)
}
