// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

public import Foundation
package import FreshetContract

/// How a backend hands out tokens and what its answers mean: a JSON document, not code.
///
/// Presets for known backends come with the SDK, see ``presets``; a backend of your own is described in a file of the
/// same format. It holds no secret.
public struct Contract: Sendable {
    /// What the file says.
    package let document: ContractDocument
    private let json: JSONValue
    let classifier: Classifier

    /// Reads a contract file.
    ///
    /// - Throws: ``ContractError`` with all diagnostics.
    public init(json text: Data) throws(ContractError) {
        do {
            try self.init(parsed: try JSONParser.parse(text))
        } catch let fault as JSONParser.Fault {
            throw ContractError(path: "$", sentence: "This is no JSON: \(fault).")
        } catch let diagnostics as ContractDecodingError {
            throw ContractError(diagnostics)
        } catch {
            throw ContractError(path: "$", sentence: "This cannot be read.")
        }
    }

    private init(parsed json: JSONValue) throws(ContractDecodingError) {
        self.init(try ContractDocument(json), json)
    }

    private init(_ document: ContractDocument, _ json: JSONValue) {
        self.document = document
        self.json = json
        classifier = Classifier(document)
    }

    /// The contract's name.
    public var name: String { document.name }
    /// The backend's name for people.
    public var title: String { document.title }

    /// The contract of Freshet's own server: rotation that is bound to intents and confirmed.
    public static let freshet =
        (try? named("freshet"))
        // Without endpoints nothing can be asked; that the preset is sound is tested.
        ?? Contract(ContractDocument(name: "freshet", title: "Freshet"), .null)

    /// The names of the presets that come with the SDK.
    public static var presets: [String] { EmbeddedPresets.texts.keys.sorted() }

    /// A preset.
    ///
    /// - Throws: ``ContractError`` if there is none of that name.
    public static func named(_ name: String) throws(ContractError) -> Contract {
        if let known = read.withLock({ $0[name] }) { return known }
        guard let text = presetText(name) else {
            let known = presets.joined(separator: ", ")
            throw ContractError(path: "$", sentence: "There is no preset '\(name)'; there are \(known).")
        }
        let contract = try Contract(json: Data(text.utf8))
        read.withLock { $0[name] = contract }
        return contract
    }

    /// Presets that were asked for: sessions of one backend share one reading.
    private static let read = Locked<[String: Contract]>([:])

    /// The file of a preset, on one line.
    package static func presetText(_ name: String) -> String? { EmbeddedPresets.texts[name] }

    /// The contract's file, for people to read and to begin their own with.
    package var text: String { json.prettyPrinted() + "\n" }

    /// Answers of token endpoints beyond this size are not read.
    static let largestAnswer = ResponseBytes.largestExchange

    var isConfirmed: Bool { document.rotation == .confirmed }
    var leeway: Duration? { document.policy.ahead.map { .bounded(seconds: $0) } }
    var minimumRefreshInterval: Duration { .bounded(seconds: document.policy.minimumInterval ?? 120) }

    /// Whether an attempt that gets no answer within `deadline` may have used up its refresh token for good.
    ///
    /// A backend that still takes a used token for longer than that answers a repeated attempt as well.
    func mayUseUpRefreshTokens(within deadline: Duration) -> Bool {
        switch document.rotation {
        case .always, .optional, .sliding: Duration.bounded(seconds: document.reuseGrace ?? 0) <= deadline
        case .confirmed, .never, .none: false
        }
    }

    /// How long an attempt to refresh may take: as long as a caller waits where a repeated one may end the session.
    func refreshDeadline(_ deadline: Duration, patience: Duration) -> Duration {
        if let timeout = document.endpoints[.refresh]?.timeout { return .bounded(seconds: timeout) }
        return mayUseUpRefreshTokens(within: deadline) ? max(deadline, patience) : deadline
    }

    /// How the contract lets a session go on.
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
    /// Whether two contracts are the same, in whatever order their files have it.
    public static func == (a: Contract, b: Contract) -> Bool { a.json.sorted == b.json.sorted }
}

extension Contract: CustomStringConvertible {
    /// The contract's name.
    public var description: String { "Contract(\(name))" }
}

extension Contract: Codable {
    /// Reads a contract out of a larger document.
    public init(from decoder: any Decoder) throws {
        let json = try JSONCoding(from: decoder).value
        do { try self.init(parsed: json) } catch { throw ContractError(error) }
    }

    /// Writes the contract as it was read.
    public func encode(to encoder: any Encoder) throws { try JSONCoding(value: json).encode(to: encoder) }
}

/// Why a file is no contract.
public struct ContractError: Error, Sendable, Equatable {
    /// Something that is not as it must be.
    public struct Diagnostic: Sendable, Equatable, CustomStringConvertible {
        /// Where it stands, as a JSON path: `$.classify[2].status`.
        public let path: String
        /// What is wrong, and what would be right.
        public let sentence: String
        /// Place and sentence.
        public var description: String { "\(path): \(sentence)" }
    }

    /// At least one.
    public let diagnostics: [Diagnostic]

    init(_ found: ContractDecodingError) {
        diagnostics = found.diagnostics.map { Diagnostic(path: $0.path, sentence: $0.sentence) }
    }

    init(path: String, sentence: String) { diagnostics = [Diagnostic(path: path, sentence: sentence)] }
}

extension ContractError: CustomStringConvertible {
    /// Every mistake, a line each.
    public var description: String { diagnostics.map(\.description).joined(separator: "\n") }
}
