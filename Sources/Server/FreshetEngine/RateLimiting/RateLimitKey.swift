// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Crypto
package import FreshetWire

/// The identity of a token bucket: an operation, and the party for which it is counted.
///
/// A key is stored and compared by ``digest``, which covers the case, the operation and each part with its length. A
/// text that a client chooses therefore cannot produce the key of another case or of other parts.
package enum RateLimitKey: Hashable, Sendable {
    /// A rate-limited operation.
    ///
    /// The numbers are part of stored digests and never change.
    package enum Operation: UInt8, Sendable {
        case passwordAttempt = 1
        case passwordFailure = 2
        case codeRequest = 3
        case codeAttempt = 4
        case signUp = 5
        case notice = 6
        case operatorSignIn = 7
        case clientSecret = 8
        case signInFailure = 9
        case request = 10
        case warning = 11
    }

    /// An account's address, from all networks that are not known to the account.
    case account(Operation, EmailAddress)
    /// An account's address, from one network that is not known to the account.
    case accountFromNetwork(Operation, EmailAddress, SourceNetwork?)
    /// An account's address, from one network in which the account signed in before.
    case accountFromKnownNetwork(Operation, EmailAddress, SourceNetwork)
    /// An account's address, from all networks in which the account signed in before.
    case accountFromKnownNetworks(Operation, EmailAddress)
    /// A device that the account knows.
    case device(Operation, KnownDevice)
    /// All devices that an account knows.
    case devicesOfAccount(Operation, EmailAddress)
    /// A code that was sent, by its attempt's identifier.
    case codeAttempt(String)
    /// All clients of one network.
    case network(Operation, SourceNetwork)
    /// A browser of an operator.
    case operatorBrowser(String)
    /// Operators' sign-ins from one network without such a browser.
    case operatorsFromNetwork(SourceNetwork?)
    /// Operators' sign-ins without such a browser, from all networks.
    case operators
    /// An OAuth client, from all networks that are not known to it.
    case client(String)
    /// An OAuth client, from one network that is not known to it.
    case clientFromNetwork(String, SourceNetwork?)
    /// An OAuth client, from one network in which it authenticated before.
    case clientFromKnownNetwork(String, SourceNetwork)

    /// Sixteen bytes that identify the key; the key cannot be derived from them.
    package var digest: Bits128 {
        SHA256.hash(data: encoded).withUnsafeBytes { Bits128(startOf: $0) }
    }

    /// The limit's name for logs and metrics, from a small closed set.
    package var name: String {
        switch self {
        case .account(let operation, _): "\(operation) by account"
        case .accountFromNetwork(let operation, _, _): "\(operation) by account and network"
        case .accountFromKnownNetwork(let operation, _, _): "\(operation) by account and known network"
        case .accountFromKnownNetworks(let operation, _): "\(operation) by account from known networks"
        case .device(let operation, _): "\(operation) by device"
        case .devicesOfAccount(let operation, _): "\(operation) by account from known devices"
        case .codeAttempt: "codeAttempt by attempt"
        case .network(let operation, _): "\(operation) by network"
        case .operatorBrowser: "operatorSignIn by browser"
        case .operatorsFromNetwork: "operatorSignIn by network"
        case .operators: "operatorSignIn"
        case .client: "clientSecret by client"
        case .clientFromNetwork: "clientSecret by client and network"
        case .clientFromKnownNetwork: "clientSecret by client and known network"
        }
    }

    /// The case's number, the operation, and each part preceded by its length.
    var encoded: [UInt8] {
        switch self {
        case .account(let operation, let email): Self.encode(1, operation, email)
        case .accountFromNetwork(let operation, let email, let network): Self.encode(2, operation, email, network)
        case .accountFromKnownNetwork(let operation, let email, let network): Self.encode(3, operation, email, network)
        case .accountFromKnownNetworks(let operation, let email): Self.encode(4, operation, email)
        case .device(let operation, .session(let id)): Self.encode(5, operation, id.description)
        case .device(let operation, .browser(let name)): Self.encode(6, operation, name)
        case .devicesOfAccount(let operation, let email): Self.encode(7, operation, email)
        case .codeAttempt(let id): Self.encode(8, .codeAttempt, id)
        case .network(let operation, let network): Self.encode(9, operation, network)
        case .operatorBrowser(let name): Self.encode(10, .operatorSignIn, name)
        case .operatorsFromNetwork(let network): Self.encode(11, .operatorSignIn, network)
        case .operators: Self.encode(12, .operatorSignIn)
        case .client(let id): Self.encode(13, .clientSecret, id)
        case .clientFromNetwork(let id, let network): Self.encode(14, .clientSecret, id, network)
        case .clientFromKnownNetwork(let id, let network): Self.encode(15, .clientSecret, id, network)
        }
    }

    private static func encode(_ tag: UInt8, _ operation: Operation, _ parts: any Part...) -> [UInt8] {
        var bytes = [tag, operation.rawValue]
        for part in parts {
            let part = part.keyBytes
            withUnsafeBytes(of: UInt32(part.count).bigEndian) { bytes.append(contentsOf: $0) }
            bytes += part
        }
        return bytes
    }

    fileprivate protocol Part { var keyBytes: [UInt8] { get } }
}

extension String: RateLimitKey.Part { fileprivate var keyBytes: [UInt8] { Array(utf8) } }

extension EmailAddress: RateLimitKey.Part { fileprivate var keyBytes: [UInt8] { Array(text.utf8) } }

extension SourceNetwork: RateLimitKey.Part { fileprivate var keyBytes: [UInt8] { bytes } }

extension SourceNetwork?: RateLimitKey.Part { fileprivate var keyBytes: [UInt8] { self?.bytes ?? [] } }
