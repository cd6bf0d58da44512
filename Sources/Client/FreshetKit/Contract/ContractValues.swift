// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import FreshetContract

/// What a contract's own variables and secrets stand for, by their names.
///
/// A secret in an app is none: everybody who has the app can read it. It prints a mask.
public struct ContractValues: Sendable, Equatable, ExpressibleByDictionaryLiteral {
    private var texts: [String: String]

    /// Joins names and values.
    public init(_ texts: [String: String]) { self.texts = texts }

    /// Joins names and values; of a name that stands twice the last value counts.
    public init(dictionaryLiteral elements: (String, String)...) {
        texts = Dictionary(elements) { $1 }
    }

    /// The value of a name.
    public subscript(name: String) -> String? {
        get { texts[name] }
        set { texts[name] = newValue }
    }

    /// Why values do not fit a contract.
    package enum VariableError: Error, Equatable {
        /// The contract cannot do without a value of this name.
        case missing(String, about: String?)
        /// Nothing in the contract asks for a value of this name.
        case unknown(String)
    }

    /// Makes sure that everything which the contract leaves open has a value, and that there is no other.
    package func check(_ contract: Contract) throws(VariableError) {
        let document = contract.document
        for name in texts.keys.sorted() where document.variables[name] == nil && document.secrets[name] == nil {
            throw .unknown(name)
        }
        for (name, variable) in document.variables.sorted(by: { $0.key < $1.key }) {
            if texts[name] == nil, variable.defaultValue == nil { throw .missing(name, about: variable.about) }
        }
    }

    /// The values with the contract's own defaults; an empty one counts as none.
    ///
    /// - Throws: ``SessionError/contractFault(_:)`` that names a variable which is missing, or a value which nothing asks
    ///   for.
    func templateValues(for contract: Contract) throws(SessionError) -> TemplateValues {
        do throws(VariableError) { try check(contract) } catch {
            switch error {
            case .unknown(let name): throw .contractFault("the contract '\(contract.name)' has no variable '\(name)'")
            case .missing(let name, let about):
                let meaning = about.map { ": \($0)" } ?? ""
                throw .contractFault("the contract '\(contract.name)' needs a value for '\(name)'\(meaning)")
            }
        }
        var values = contract.document.variables.compactMapValues(\.defaultValue)
        values.merge(texts) { $1 }
        return TemplateValues(texts: values.mapValues { $0.isEmpty ? nil : $0 })
    }
}

extension ContractValues: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// A mask: the names alone.
    public var description: String { "ContractValues(\(texts.keys.sorted().joined(separator: ", ")))" }
    /// A mask.
    public var debugDescription: String { description }
    /// Shows nothing.
    public var customMirror: Mirror { .concealing(self) }
}
