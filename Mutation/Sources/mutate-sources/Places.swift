// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import SwiftSyntax

/// Finds the places that mutants change, and how.
enum Places {
    /// Returns the places of a node, the outermost first.
    static func places(of node: Syntax) -> [Place] {
        if let item = node.as(CodeBlockItemSyntax.self) { return [statement(item)].compactMap(\.self) }
        if let list = node.as(ConditionElementListSyntax.self) { return [bindings(list)].compactMap(\.self) }
        guard let expression = node.as(ExprSyntax.self) else { return [] }
        let outer = isCondition(expression) ? condition(expression) : returned(expression)
        // A negation of a condition as a whole adds nothing to both of its constants.
        let inner = value(expression).flatMap { outer != nil && $0.changes[0].operator == "negation" ? nil : $0 }
        return [outer, inner].compactMap(\.self)
    }

    // MARK: - Conditions and returned values

    private static func isCondition(_ node: ExprSyntax) -> Bool {
        guard let parent = node.parent else { return false }
        if let element = parent.as(ConditionElementSyntax.self) {
            // A loop that never ends only costs the run's timeout.
            return element.parent?.parent?.is(WhileStmtSyntax.self) == false
        }
        if parent.is(WhereClauseSyntax.self) { return true }
        return parent.as(TernaryExprSyntax.self)?.condition.id == node.id
    }

    private static func condition(_ node: ExprSyntax) -> Place {
        let changes = [Change(operator: "true", replacement: "true"), Change(operator: "false", replacement: "false")]
        return call("freshetForced", changes, Syntax(node))
    }

    /// The value of a `return`, or the only expression of a function.
    private static func returned(_ node: ExprSyntax) -> Place? {
        var isReturned = node.parent?.is(ReturnStmtSyntax.self) == true
        var next = node.parent
        if let item = node.parent?.as(CodeBlockItemSyntax.self),
            let list = item.parent?.as(CodeBlockItemListSyntax.self),
            list.count == 1
        {
            isReturned =
                list.parent?.is(AccessorBlockSyntax.self) == true
                || list.parent?.parent?.is(FunctionDeclSyntax.self) == true
        }
        guard isReturned, !node.is(IfExprSyntax.self), !node.is(SwitchExprSyntax.self) else { return nil }
        var type: TypeSyntax?
        while let current = next, type == nil {
            if current.is(ClosureExprSyntax.self) || current.is(InitializerDeclSyntax.self) { return nil }
            if let function = current.as(FunctionDeclSyntax.self) {
                type = function.signature.returnClause?.type
                if type == nil { return nil }
            }
            type = type ?? current.as(PatternBindingSyntax.self)?.typeAnnotation?.type
            next = current.parent
        }
        guard let type else { return nil }
        if type.trimmedDescription == "Bool" {
            return node.is(BooleanLiteralExprSyntax.self) ? nil : condition(node)
        }
        if type.is(OptionalTypeSyntax.self), !node.is(NilLiteralExprSyntax.self) {
            return call("freshetNil", [Change(operator: "nil", replacement: "nil")], Syntax(node))
        }
        if type.is(ArrayTypeSyntax.self), node.as(ArrayExprSyntax.self)?.elements.isEmpty != true {
            return call("freshetEmpty", [Change(operator: "empty", replacement: "[]")], Syntax(node))
        }
        return nil
    }

    /// A condition that binds, made to fail.
    private static func bindings(_ list: ConditionElementListSyntax) -> Place? {
        guard list.parent?.is(WhileStmtSyntax.self) == false,
            list.allSatisfy({ !$0.condition.is(ExprSyntax.self) && !$0.condition.is(AvailabilityConditionSyntax.self) })
        else { return nil }
        let change = Change(operator: "false", replacement: "\(list.trimmedDescription), false")
        return Place(changes: [change]) { numbers, render in
            "\(render(Syntax(list))), freshetOriginal(\(numbers))"
        }
    }

    // MARK: - Statements

    private static func statement(_ item: CodeBlockItemSyntax) -> Place? {
        guard let list = item.parent?.as(CodeBlockItemListSyntax.self), item.semicolon == nil,
            let expression = item.item.as(ExprSyntax.self)
        else { return nil }
        var inner = expression
        while true {
            if let marked = inner.as(TryExprSyntax.self) {
                inner = marked.expression
            } else if let marked = inner.as(AwaitExprSyntax.self) {
                inner = marked.expression
            } else {
                break
            }
        }
        let change: Change
        if let call = inner.as(FunctionCallExprSyntax.self) {
            let name = call.calledExpression.trimmedDescription
            guard
                !["fatalError", "preconditionFailure", "precondition", "assert", "super.init", "self.init"].contains(
                    name
                ),
                !isResult(list)
            else { return nil }
            change = Change(operator: "call", replacement: "")
        } else if let infix = inner.as(InfixOperatorExprSyntax.self) {
            guard !isInInitializer(item), !isResult(list) || infix.operator.is(AssignmentExprSyntax.self) else {
                return nil
            }
            let name = infix.operator.trimmedDescription
            guard
                infix.operator.is(AssignmentExprSyntax.self)
                    || ["+=", "-=", "*=", "/=", "|=", "&=", "^="].contains(name)
            else { return nil }
            change = Change(operator: "assignment", replacement: "")
        } else {
            return nil
        }
        return Place(changes: [change]) { numbers, render in
            "if freshetOriginal(\(numbers)) { \(render(Syntax(item))) }"
        }
    }

    /// Whether the only statement of a body is its value.
    private static func isResult(_ list: CodeBlockItemListSyntax) -> Bool {
        guard list.count == 1 else { return false }
        if let function = list.parent?.parent?.as(FunctionDeclSyntax.self) {
            return function.signature.returnClause != nil
        }
        // A closure's only statement may be its value, too.
        if list.parent?.is(AccessorBlockSyntax.self) == true || list.parent?.is(ClosureExprSyntax.self) == true {
            return true
        }
        if let accessor = list.parent?.parent?.as(AccessorDeclSyntax.self) {
            return accessor.accessorSpecifier.text == "get"
        }
        // The branches of an `if` or `switch` that is an expression.
        var next = list.parent
        while let current = next {
            if current.is(IfExprSyntax.self) || current.is(SwitchExprSyntax.self) {
                guard let parent = current.parent else { return false }
                if parent.is(IfExprSyntax.self) { next = parent; continue }
                if parent.is(ExpressionStmtSyntax.self) {
                    guard let outer = parent.parent?.parent?.as(CodeBlockItemListSyntax.self) else { return false }
                    return isResult(outer)
                }
                guard let outer = parent.parent?.as(CodeBlockItemListSyntax.self) else {
                    return !parent.is(CodeBlockItemSyntax.self)
                }
                return isResult(outer)
            }
            if current.is(CodeBlockSyntax.self) || current.is(SwitchCaseSyntax.self)
                || current.is(SwitchCaseListSyntax.self)
            {
                next = current.parent
            } else {
                return false
            }
        }
        return false
    }

    private static func isInInitializer(_ node: some SyntaxProtocol) -> Bool {
        var next = node.parent
        while let current = next {
            if current.is(InitializerDeclSyntax.self) { return true }
            if current.is(FunctionDeclSyntax.self) || current.is(ClosureExprSyntax.self) { return false }
            next = current.parent
        }
        return false
    }

    // MARK: - Values

    private static let boundaries = [
        "<": "freshetLess", "<=": "freshetAtMost", ">": "freshetMore", ">=": "freshetAtLeast",
    ]
    private static let opposites = [
        "<": "<=", "<=": "<", ">": ">=", ">=": ">", "&&": "||", "||": "&&", "+": "-", "-": "+", "*": "/", "/": "*",
    ]

    private static func value(_ node: ExprSyntax) -> Place? {
        if let literal = node.as(IntegerLiteralExprSyntax.self) {
            return call(
                "freshetInteger",
                [Change(operator: "constant", replacement: "\(literal.literal.text) + 1")],
                Syntax(node)
            )
        }
        if let literal = node.as(BooleanLiteralExprSyntax.self) {
            let other = literal.literal.text == "true" ? "false" : "true"
            return call("freshetNegated", [Change(operator: "Boolean", replacement: other)], Syntax(node))
        }
        if let call = node.as(FunctionCallExprSyntax.self) { return extremum(call) }
        guard let infix = node.as(InfixOperatorExprSyntax.self) else { return nil }
        let name = infix.operator.trimmedDescription
        let (left, right) = (Syntax(infix.leftOperand), Syntax(infix.rightOperand))
        func with(_ other: String) -> String { "\(left.trimmedDescription) \(other) \(right.trimmedDescription)" }
        func two(_ helper: String, _ change: Change) -> Place {
            Place(changes: [change]) { numbers, render in "\(helper)(\(numbers), \(render(left)), \(render(right)))" }
        }
        switch name {
        case "<", "<=", ">", ">=":
            return two(boundaries[name] ?? "", Change(operator: "boundary", replacement: with(opposites[name] ?? "")))
        case "==", "!=", "===", "!==":
            let change = Change(operator: "negation", replacement: "!(\(node.trimmedDescription))")
            return call("freshetNegated", [change], Syntax(node))
        case "&&", "||":
            let change = Change(operator: "logic", replacement: with(opposites[name] ?? ""))
            return two(name == "&&" ? "freshetAnd" : "freshetOr", change)
        case "??":
            return two("freshetDefault", Change(operator: "default", replacement: right.trimmedDescription))
        case "..<":
            return two("freshetRange", Change(operator: "boundary", replacement: with("...")))
        case "+", "-", "*", "/":
            // Both versions are type-checked, which takes too long for longer expressions.
            guard node.trimmedLength.utf8Length <= 80, isSimple(left), isSimple(right) else { return nil }
            let change = Change(operator: "arithmetic", replacement: with(opposites[name] ?? ""))
            return Place(changes: [change]) { numbers, render in
                "(freshetOriginal(\(numbers)) ? (\(render(left)) \(name) \(render(right))) : (\(with(opposites[name] ?? ""))))"
            }
        default: return nil
        }
    }

    private static func isSimple(_ node: Syntax) -> Bool {
        !node.is(StringLiteralExprSyntax.self) && !node.is(InfixOperatorExprSyntax.self)
            && !node.is(ArrayExprSyntax.self)
            && node.children(viewMode: .sourceAccurate).allSatisfy(isSimple)
    }

    /// `min` for `max`, and the other way round.
    private static func extremum(_ node: FunctionCallExprSyntax) -> Place? {
        let name = node.calledExpression.trimmedDescription
        guard ["min", "max"].contains(name), node.arguments.count == 2, let first = node.arguments.first,
            let second = node.arguments.last, first.label == nil, second.label == nil
        else { return nil }
        let other = name == "min" ? "max" : "min"
        let change = Change(operator: "extremum", replacement: "\(other)(\(node.arguments.trimmedDescription))")
        return Place(changes: [change]) { numbers, render in
            let helper = name == "min" ? "freshetMinimum" : "freshetMaximum"
            return "\(helper)(\(numbers), \(render(Syntax(first.expression))), \(render(Syntax(second.expression))))"
        }
    }

    private static func call(_ helper: String, _ changes: [Change], _ node: Syntax) -> Place {
        Place(changes: changes) { numbers, render in "\(helper)(\(numbers), \(render(node)))" }
    }
}
