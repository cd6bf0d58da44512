// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

public import Foundation
package import FreshetContract

/// A JSON document that describes a backend's token endpoints and the meaning of their responses.
///
/// The SDK has presets for known backends, such as ``supabase`` and ``oauth2``; another backend is described in a
/// file of the same format. It contains no secrets.
public struct Contract: Sendable {
    /// The parsed document.
    package let document: ContractDocument
    let json: JSONValue
    let classifier: Classifier

    /// Parses a contract file.
    ///
    /// A file that can be parsed may still describe a backend incorrectly, for example without a response that ends the
    /// session. `freshet contract lint` finds such errors.
    ///
    /// - Throws: ``ContractError`` with all diagnostics.
    public init(json text: Data) throws(ContractError) {
        do {
            try self.init(parsed: try JSONParser.parse(text))
        } catch let fault as JSONParser.Fault {
            throw ContractError(path: "$", sentence: "This is not JSON: \(fault).")
        } catch let diagnostics as ContractDecodingError {
            throw ContractError(diagnostics)
        } catch {
            throw ContractError(path: "$", sentence: "The contract cannot be decoded.")
        }
    }

    private init(parsed json: JSONValue) throws(ContractDecodingError) {
        self.init(try ContractDocument(json), json)
    }

    init(_ document: ContractDocument, _ json: JSONValue) {
        self.document = document
        self.json = json
        classifier = Classifier(document)
    }

    /// The contract's name.
    public var name: String { document.name }
    /// The backend's display name.
    public var title: String { document.title }

    /// The contract's file, formatted for reading and as a starting point for another contract.
    package var text: String { json.prettyPrinted() + "\n" }

    /// The maximum size of a response from a token endpoint, in bytes.
    static let largestAnswer = ResponseBytes.largestExchange

    var isConfirmed: Bool { document.rotation == .confirmed }
    var refreshBefore: Duration? { document.policy.refreshBefore.map { .bounded(seconds: $0) } }
    var minimumInterval: Duration { .bounded(seconds: document.policy.minimumInterval ?? 120) }

    /// Whether a refresh may use up the presented refresh token.
    ///
    /// Even with a grace period, only the response has the successor: the next attempt may come after the period.
    var usesUpRefreshTokens: Bool {
        switch document.rotation {
        case .always, .optional, .sliding: true
        case .confirmed, .never, .none: false
        }
    }

    /// Whether an attempt without a response within `timeout` may have used up its refresh token.
    ///
    /// If the backend's grace period is longer than the timeout, a repeated attempt succeeds.
    func mayUseUpRefreshTokens(within timeout: Duration) -> Bool {
        usesUpRefreshTokens && Duration.bounded(seconds: document.reuseGrace ?? 0) <= timeout
    }

    /// Returns the timeout of a refresh: at least that of its callers, if a repeated attempt may end the session.
    func refreshTimeout(attempt: Duration, caller: Duration) -> Duration {
        if let timeout = document.endpoints[.refresh]?.timeout { return .bounded(seconds: timeout) }
        return mayUseUpRefreshTokens(within: attempt) ? max(attempt, caller) : attempt
    }

    /// The way in which the contract renews a session.
    var renewal: Renewal {
        switch document.rotation {
        case .confirmed: .confirmed
        case .always, .optional, .never: .plain
        case .sliding: .sliding
        case .none: .none
        }
    }
}

extension Contract: Equatable {
    /// Whether two contracts are equal, regardless of the order of their members.
    public static func == (a: Contract, b: Contract) -> Bool { a.json.sorted == b.json.sorted }
}

extension Contract: CustomStringConvertible {
    /// The contract's name.
    public var description: String { "Contract(\(name))" }
}

extension Contract: Codable {
    /// Decodes a contract within a larger document.
    public init(from decoder: any Decoder) throws {
        let json = try JSONCoding(from: decoder).value
        do { try self.init(parsed: json) } catch { throw ContractError(error) }
    }

    /// Encodes the contract as it was parsed.
    public func encode(to encoder: any Encoder) throws { try JSONCoding(value: json).encode(to: encoder) }
}

/// The reason that a file is not a valid contract.
public struct ContractError: Error, Sendable, Equatable {
    /// A violation of the contract format.
    public struct Diagnostic: Sendable, Equatable, CustomStringConvertible {
        /// The JSON path of the violation: `$.classify[2].status`.
        public let path: String
        /// The violation, and the correct form.
        public let sentence: String
        /// The path and the sentence.
        public var description: String { "\(path): \(sentence)" }
    }

    /// The diagnostics, at least one.
    public let diagnostics: [Diagnostic]

    init(_ found: ContractDecodingError) {
        diagnostics = found.diagnostics.map { Diagnostic(path: $0.path, sentence: $0.sentence) }
    }

    init(path: String, sentence: String) { diagnostics = [Diagnostic(path: path, sentence: sentence)] }
}

extension ContractError: CustomStringConvertible {
    /// All diagnostics, one per line.
    public var description: String { diagnostics.map(\.description).joined(separator: "\n") }
}
