// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import SwiftSyntax

/// The function, initializer, subscript or variable that contains a mutant.
struct Scope {
    let name: String
    /// FNV-1a of the declaration's text: it stays the same when lines or the whole declaration move.
    let hash: String
    /// FNV-1a of the text and the file's path, for a declaration whose text is also in another file.
    let hashInFile: String

    init(of node: Syntax, file: String) {
        var outermost = node
        var next: Syntax? = node
        while let current = next {
            // A local function or variable counts as part of what contains it.
            if Self.name(of: current) != nil { outermost = current }
            if current.isProtocol((any DeclGroupSyntax).self) { break }
            next = current.parent
        }
        name = Self.name(of: outermost) ?? "file"
        let text = Self.hash(outermost.trimmedDescription, after: 0xcbf2_9ce4_8422_2325)
        hash = String(text, radix: 16)
        hashInFile = String(Self.hash(file, after: text), radix: 16)
    }

    private static func hash(_ text: String, after start: UInt64) -> UInt64 {
        text.utf8.reduce(start) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    }

    /// Returns the name of a declaration that is a scope.
    static func name(of node: Syntax) -> String? {
        if let function = node.as(FunctionDeclSyntax.self) { return function.name.text }
        if node.is(InitializerDeclSyntax.self) { return "init" }
        if node.is(DeinitializerDeclSyntax.self) { return "deinit" }
        if node.is(SubscriptDeclSyntax.self) { return "subscript" }
        return node.as(VariableDeclSyntax.self)?.bindings.first?.pattern.trimmedDescription
    }
}
