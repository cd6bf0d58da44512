// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetContract

/// An explanation of a contract in plain English: the behaviour of a client that uses it.
package struct ContractExplanation: Sendable, Equatable {
    package enum Line: Sendable, Equatable {
        case sentence(String)
        /// A response, its meaning and the client's reaction, with the note of the rule.
        case answer(comes: String, means: String, does: String, note: String?)
    }

    package struct Section: Sendable, Equatable {
        package var title: String
        package var lines: [Line]
    }

    /// The title and the name of the contract.
    package let title: String
    package let sections: [Section]

    package init(_ document: ContractDocument) {
        title = document.title == document.name ? document.name : "\(document.title) (\(document.name))"
        sections = [
            Self.signIn(document), Self.given(document), Self.travel(document), Self.expiry(document),
            Self.refresh(document), Self.answers(document, on: .login), Self.answers(document, on: .refresh),
            Self.answers(document, on: .api), Self.answers(document, on: .socket), Self.answers(document, on: .logout),
            Self.answers(document, on: .confirm), Self.answers(document, on: .report), Self.signOut(document),
            Self.others(document), Self.server(document), Self.facts(document),
        ].compactMap { section in section.flatMap { $0.lines.isEmpty ? nil : $0 } }
    }

    /// Creates a section of sentences; `nil` is left out.
    static func section(_ title: String, _ sentences: [String?]) -> Section {
        Section(title: title, lines: sentences.compactMap { $0.map(Line.sentence) })
    }
}
