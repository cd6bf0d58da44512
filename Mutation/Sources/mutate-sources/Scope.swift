// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import SwiftSyntax

/// The function, initializer, subscript or variable that contains a mutant.
struct Scope {
    let name: String
    /// FNV-1a of the declaration's text: it stays the same when lines move.
    let hash: String

    init(of node: Syntax) {
        var outermost = node
        var next: Syntax? = node
        while let current = next {
            // A local function or variable counts as part of what contains it.
            if Self.name(of: current) != nil { outermost = current }
            if current.isProtocol((any DeclGroupSyntax).self) { break }
            next = current.parent
        }
        name = Self.name(of: outermost) ?? "file"
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in outermost.trimmedDescription.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        self.hash = String(hash, radix: 16)
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
