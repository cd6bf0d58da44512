// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetContract

/// A contract in plain words, for somebody who has to know what an app of it will do.
package struct ContractExplanation: Sendable, Equatable {
    package enum Line: Sendable, Equatable {
        case sentence(String)
        /// What comes, what it means and what the client does, with the reason that the contract gives.
        case answer(comes: String, means: String, does: String, note: String?)
    }

    package struct Section: Sendable, Equatable {
        package var title: String
        package var lines: [Line]
    }

    /// The backend's name, and the contract's.
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

    /// A section of sentences; those that are `nil` are left out.
    static func section(_ title: String, _ sentences: [String?]) -> Section {
        Section(title: title, lines: sentences.compactMap { $0.map(Line.sentence) })
    }
}
