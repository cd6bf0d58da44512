// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import SwiftSyntax

/// Renders a source with its mutants.
///
/// A mutant is a call of a helper (`Mutation/Runtime.swift`) that gets the mutant's number and the original operands, so
/// that each operand is in the source once, however many mutants surround it.
final class Mutator {
    private let file: String
    private let converter: SourceLocationConverter
    private let excluded: Set<String>
    /// The hashes of functions in earlier files.
    private let taken: Set<String>
    private(set) var lastID: Int
    private(set) var mutants: [Mutant] = []
    /// The number of mutants so far, by the hash of the function.
    private(set) var ordinals: [String: Int] = [:]

    init(file: String, tree: Syntax, excluded: Set<String>, taken: Set<String>, lastID: Int) {
        self.file = file
        converter = SourceLocationConverter(fileName: file, tree: tree)
        self.excluded = excluded
        self.taken = taken
        self.lastID = lastID
    }

    /// Returns the text of `node` with its mutants, its trivia included.
    func render(_ node: some SyntaxProtocol) -> String {
        let node = Syntax(node)
        if let token = node.as(TokenSyntax.self) { return token.description }
        if isImmutable(node) { return node.description }
        return render(node, Places.places(of: node)[...])
    }

    private func children(_ node: Syntax) -> String {
        node.children(viewMode: .sourceAccurate).map { render($0) }.joined()
    }

    /// Renders a node with its changes, the outermost first.
    private func render(_ node: Syntax, _ places: ArraySlice<Place>) -> String {
        guard let place = places.first else { return children(node) }
        let ids = place.changes.map { register(node, $0) }
        guard let site = ids.compactMap({ $0 }).first else { return render(node, places.dropFirst()) }
        for index in mutants.indices where ids.contains(mutants[index].id) { mutants[index].site = site }
        let numbers = ids.map { String($0 ?? 0) }.joined(separator: ", ")
        let body = place.build(numbers) { [self] part in
            let text = part.id == node.id ? render(node, places.dropFirst()) : render(part)
            return trimmed(text, of: part)
        }
        return node.leadingTrivia.description + Markers.mark(body, site: site) + node.trailingTrivia.description
    }

    /// Removes the trivia around the text of a node.
    private func trimmed(_ text: String, of node: Syntax) -> String {
        let text = Array(text.utf8)
        let (leading, trailing) = (
            node.leadingTrivia.description.utf8.count, node.trailingTrivia.description.utf8.count
        )
        return String(decoding: text[leading..<(text.count - trailing)], as: UTF8.self)
    }

    /// Returns the number of a new mutant; `nil` if it is excluded.
    private func register(_ node: Syntax, _ change: Change) -> Int? {
        let scope = Scope(of: node, file: file)
        let hash = taken.contains(scope.hash) ? scope.hashInFile : scope.hash
        let ordinal = ordinals[hash, default: 0]
        ordinals[hash] = ordinal + 1
        let key = "\(hash)-\(ordinal)-\(change.operator)"
        guard !excluded.contains(key) else { return nil }
        lastID += 1
        mutants.append(
            Mutant(
                id: lastID,
                key: key,
                file: file,
                function: scope.name,
                line: converter.location(for: node.positionAfterSkippingLeadingTrivia).line,
                operator: change.operator,
                original: Self.oneLine(node.trimmedDescription),
                replacement: Self.oneLine(change.replacement),
                site: lastID
            )
        )
        return lastID
    }

    /// Whether nothing below `node` is evaluated at run time, or only for a text.
    private func isImmutable(_ node: Syntax) -> Bool {
        switch node.kind {
        case .stringLiteralExpr, .attribute, .enumCaseElement, .importDecl, .macroExpansionExpr, .macroExpansionDecl,
            .availabilityCondition, .genericArgumentClause, .genericParameterClause, .genericWhereClause,
            .inheritanceClause, .operatorDecl, .typeAliasDecl, .protocolDecl, .keyPathExpr:
            return true
        default:
            guard let name = Scope.name(of: node) else { return false }
            return ["description", "debugDescription", "customMirror"].contains(name)
        }
    }

    private static func oneLine(_ text: String) -> String {
        let line = text.split(whereSeparator: \.isNewline).map { $0.drop(while: \.isWhitespace) }.joined(separator: " ")
        return line.count <= 100 ? line : line.prefix(99) + "…"
    }
}
