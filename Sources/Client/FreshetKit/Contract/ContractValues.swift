// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import FreshetContract

/// The values of a contract's own variables and secrets, by name.
///
/// A secret in an app is not secret: every user of the app can extract it. The description is redacted.
public struct ContractValues: Sendable, Equatable, ExpressibleByDictionaryLiteral {
    private var texts: [String: String]

    /// Creates values by name.
    public init(_ texts: [String: String]) { self.texts = texts }

    /// Creates values by name; the last value of a repeated name counts.
    public init(dictionaryLiteral elements: (String, String)...) {
        texts = Dictionary(elements) { $1 }
    }

    /// The value of a name; `nil` if it has none.
    public subscript(name: String) -> String? {
        get { texts[name] }
        set { texts[name] = newValue }
    }

    /// The reason that values do not fit a contract.
    package enum VariableError: Error, Equatable {
        /// The contract requires a value for this name.
        case missing(String, about: String?)
        /// The contract has no variable or secret with this name.
        case unknown(String)
    }

    /// Checks that every required variable has a value, and that every value has a variable.
    package func check(_ contract: Contract) throws(VariableError) {
        let document = contract.document
        for name in texts.keys.sorted() where document.variables[name] == nil && document.secrets[name] == nil {
            throw .unknown(name)
        }
        for (name, variable) in document.variables.sorted(by: { $0.key < $1.key }) {
            if texts[name] == nil, variable.defaultValue == nil { throw .missing(name, about: variable.about) }
        }
    }

    /// Returns the values with the contract's defaults; an empty value counts as missing.
    ///
    /// - Throws: ``SessionError/misconfigured(_:)`` that names a missing variable, or a value without a variable.
    func templateValues(for contract: Contract) throws(SessionError) -> TemplateValues {
        do throws(VariableError) { try check(contract) } catch {
            switch error {
            case .unknown(let name): throw .misconfigured("the contract '\(contract.name)' has no variable '\(name)'")
            case .missing(let name, let about):
                let meaning = about.map { ": \($0)" } ?? ""
                throw .misconfigured("the contract '\(contract.name)' needs a value for '\(name)'\(meaning)")
            }
        }
        var values = contract.document.variables.compactMapValues(\.defaultValue)
        values.merge(texts) { $1 }
        return TemplateValues(texts: values.mapValues { $0.isEmpty ? nil : $0 })
    }
}

extension ContractValues: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// A redacted description: the names only.
    public var description: String { "ContractValues(\(texts.keys.sorted().joined(separator: ", ")))" }
    /// A redacted description.
    public var debugDescription: String { description }
    /// An empty mirror: `dump` shows no contents.
    public var customMirror: Mirror { .concealing(self) }
}
